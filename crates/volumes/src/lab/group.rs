//! The control group whose I/O is limited, and what limits are in force in whichever group.
//!
//! A loop device works on behalf of whom asked it, so limits on the lower device hold where the load's process is a
//! member, not where the loop's thread is. With version 1 that is the group this process is in already, and with it
//! whatever is started beside it. Version 2 limits no group that has processes from the start everywhere: there a group
//! of our own is made, which this process enters.

use std::path::{Path, PathBuf};

use kernel::lab::{Limits, Throttle, ThrottleError, leftover_groups, limits_on, loops};
use kernel::{DeviceNumber, Mount, mounts};

use super::LabError;
use super::backing::Named;

/// The one group of version 2, without the prefix that `kernel` gives it.
const GROUP: &str = "lab";
/// The file through which processes enter a group.
const MEMBERS: &str = "cgroup.procs";
/// How deep groups are looked through; container managers nest five or six.
const DEPTH_MAX: usize = 12;

/// The group that limits hold in, and whether it must be entered.
fn throttle() -> Result<(Throttle, bool), ThrottleError> {
    match Throttle::of_this_process() {
        Err(ThrottleError::NeedsGroup) => Throttle::create(GROUP).map(|throttle| (throttle, true)),
        other => other.map(|throttle| (throttle, false)),
    }
}

/// Limits on one device, lifted on drop unless they are kept.
#[derive(Debug)]
pub(crate) struct Throttled {
    throttle: Option<Throttle>,
    number: DeviceNumber,
}

impl Throttled {
    /// Limits the device with `number` for this process's group.
    ///
    /// # Errors
    /// [`LabError::Throttle`] without root or a controller.
    pub(crate) fn new(number: DeviceNumber, limits: Limits) -> Result<Throttled, LabError> {
        let (throttle, _) = throttle()?;
        let mut throttled = Throttled { throttle: Some(throttle), number };
        if let Some(throttle) = &mut throttled.throttle {
            throttle.limit(number, limits)?;
        }
        Ok(throttled)
    }

    /// The group's folder, without a slash at its end.
    pub(crate) fn folder(&self) -> PathBuf {
        self.throttle.as_ref().map(|throttle| throttle.folder().components().collect()).unwrap_or_default()
    }

    /// Leaves the limits in force.
    pub(crate) fn keep(mut self) {
        if let Some(throttle) = self.throttle.take() {
            throttle.keep();
        }
    }
}

impl Drop for Throttled {
    fn drop(&mut self) {
        let Some(mut throttle) = self.throttle.take() else { return };
        let _ = throttle.lift(self.number);
        if others_in_use(self.number) {
            throttle.keep();
        }
    }
}

/// Whether a lab volume is there beside the one on the device with `number`.
fn others_in_use(number: DeviceNumber) -> bool {
    let attached = loops(Path::new("/"));
    attached.iter().any(|device| device.number != number && Named::read(&device.backing).is_some())
}

/// Whether the machine can throttle at all, asked before anything is made.
///
/// # Errors
/// [`LabError::Throttle`] names what is missing.
pub(crate) fn check() -> Result<(), LabError> {
    let (throttle, _) = throttle()?;
    if others_in_use(DeviceNumber { major: 0, minor: 0 }) {
        throttle.keep();
    }
    Ok(())
}

/// This process is where the limits of lab volumes hold; on drop it goes back to where it was.
#[derive(Debug)]
#[must_use = "the process goes back to its group when this is dropped"]
pub struct Inside {
    /// The file through which it goes back; `None` where it did not have to move.
    back: Option<PathBuf>,
}

/// Moves this process to where the limits of lab volumes hold, where it is not there already: with control groups of
/// version 1 it is.
///
/// # Errors
/// [`LabError::Throttle`] without root or a controller.
pub fn enter() -> Result<Inside, LabError> {
    let (throttle, must_enter) = throttle()?;
    if !must_enter {
        return Ok(Inside { back: None });
    }
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let back = own_group(&text).and_then(|group| {
        let mount = throttle.folder().parent()?;
        (mount.join(group) != throttle.folder()).then(|| mount.join(group).join(MEMBERS))
    });
    let entered = throttle.enter_this_process();
    throttle.keep();
    entered?;
    Ok(Inside { back })
}

/// The group of version 2 in a text of `/proc/self/cgroup`, without the slash in front.
fn own_group(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::/"))
}

impl Drop for Inside {
    fn drop(&mut self) {
        if let Some(back) = &self.back {
            let _ = std::fs::write(back, std::process::id().to_string());
        }
    }
}

/// Where groups are that can hold limits of ours: every one of version 1, our own of version 2.
fn folders() -> Vec<PathBuf> {
    let table = mounts(Path::new("/")).unwrap_or_default();
    let is_blkio = |m: &&Mount| m.filesystem == "cgroup" && m.super_options.split(',').any(|o| o == "blkio");
    if let Some(mount) = table.iter().find(is_blkio) {
        return descend(&mount.point, DEPTH_MAX);
    }
    let two = table.iter().filter(|mount| mount.filesystem == "cgroup2");
    two.map(|mount| mount.point.join(format!("plimsoll-{GROUP}"))).filter(|folder| folder.is_dir()).collect()
}

fn descend(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let Some(depth) = depth.checked_sub(1) else { return found };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    inner.for_each(|entry| found.extend(descend(&entry.path(), depth)));
    found
}

/// The groups in which the device with `number` is limited, and how.
pub(crate) fn limits_of(number: DeviceNumber) -> Vec<(PathBuf, Limits)> {
    let limited = |folder: PathBuf| {
        let limits = limits_on(&folder, number);
        (limits != Limits::default()).then_some((folder, limits))
    };
    folders().into_iter().filter_map(limited).collect()
}

/// Lifts every limit on the device with `number`, in whichever group.
pub(crate) fn lift_everywhere(number: DeviceNumber) {
    for (folder, _) in limits_of(number) {
        for word in ["read_bps", "write_bps", "read_iops", "write_iops"] {
            let file = folder.join(format!("blkio.throttle.{word}_device"));
            if file.exists() {
                let _ = std::fs::write(file, format!("{number} 0"));
            }
        }
        let file = folder.join("io.max");
        if file.exists() {
            let _ = std::fs::write(file, format!("{number} rbps=max wbps=max riops=max wiops=max"));
        }
    }
}

/// Removes our group of version 2 where no lab volume is left.
pub(crate) fn remove_if_unused() {
    let is_left = leftover_groups().iter().any(|name| name == GROUP);
    if is_left && !others_in_use(DeviceNumber { major: 0, minor: 0 }) {
        drop(Throttle::create(GROUP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_read_from_the_line_of_version_two() {
        assert_eq!(own_group("7:blkio:/a\n0::/user.slice/s.scope\n"), Some("user.slice/s.scope"));
        assert_eq!(own_group("0::/\n"), Some(""));
        assert_eq!(own_group("7:blkio:/a\n"), None);
    }

    #[test]
    fn groups_are_found_at_every_depth() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b/c")).unwrap();
        std::fs::write(root.path().join("a/tasks"), "").unwrap();
        assert_eq!(descend(root.path(), DEPTH_MAX).len(), 4);
        assert_eq!(descend(root.path(), 1).len(), 2);
    }
}
