//! The control group whose I/O is limited, and the limits in force in any group.
//!
//! A loop device works on behalf of the process that issued the I/O, so limits on the lower device apply in the group
//! of the load's process, not in that of the loop's thread. With version 1 this is the group of this process, and so of
//! every process started in it. With version 2 the group in which processes start cannot be limited everywhere: a
//! separate group is created, and this process enters it.
//!
//! A flush, however, is issued by the loop device on nobody's behalf, in the root group. If the process is in that
//! group too, a limit on the group would charge the flush as one more I/O, which a provider's volume does not. So a run
//! in the root group enters a separate group with version 1 too. Switching flushes off in the device's queue instead
//! would outlive the volume, and the device's next user would lose data.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kernel::lab::{Limits, Throttle, ThrottleError, leftover_groups, limits_on};
use kernel::{DeviceNumber, Mount, mounts};

use super::cleanup::Step;
use super::{LabError, Lifetime};

/// The only group made with version 2, without the prefix that `kernel` adds.
const GROUP: &str = "lab";
/// The file through which processes enter a group.
const MEMBERS: &str = "cgroup.procs";
/// The files of a group's limits, in either version.
const LIMITS: [&str; 5] = [
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
    "io.max",
];
/// Depth to which groups are searched; container managers nest them five or six deep.
const DEPTH_MAX: usize = 12;

/// Returns the group in which the limits of a volume apply, and whether the process must enter it.
fn throttle(lifetime: Lifetime) -> Result<(Throttle, bool), ThrottleError> {
    let own = || Throttle::create(GROUP).map(|throttle| (throttle, true));
    match Throttle::of_this_process() {
        Err(ThrottleError::NeedsGroup) => own(),
        Ok(throttle) if lifetime == Lifetime::ThisRun && throttle.is_on_top() => own(),
        other => other.map(|throttle| (throttle, false)),
    }
}

/// Limits on one device, lifted on drop unless they are kept.
#[derive(Debug)]
pub(crate) struct ThrottleGuard {
    throttle: Option<Throttle>,
    number: DeviceNumber,
}

impl ThrottleGuard {
    /// Limits the device with `number` in the group for a volume of this lifetime.
    ///
    /// # Errors
    /// [`LabError::Throttle`] without root or a controller.
    pub(crate) fn new(
        number: DeviceNumber,
        limits: Limits,
        lifetime: Lifetime,
    ) -> Result<ThrottleGuard, LabError> {
        let (throttle, _) = throttle(lifetime)?;
        let mut throttled = ThrottleGuard { throttle: Some(throttle), number };
        if let Some(throttle) = &mut throttled.throttle {
            throttle.limit(number, limits)?;
        }
        Ok(throttled)
    }

    /// Returns the group's folder, without a trailing slash.
    pub(crate) fn folder(&self) -> PathBuf {
        self.throttle.as_ref().map(|throttle| throttle.folder().components().collect()).unwrap_or_default()
    }

    /// Whether flushes are charged too.
    pub(crate) fn counts_flushes(&self) -> bool {
        self.throttle.as_ref().is_some_and(Throttle::is_on_top)
    }

    /// Leaves the limits in force.
    pub(crate) fn keep(mut self) {
        if let Some(throttle) = self.throttle.take() {
            throttle.keep();
        }
    }
}

impl Drop for ThrottleGuard {
    fn drop(&mut self) {
        let Some(mut throttle) = self.throttle.take() else { return };
        let _ = throttle.lift(self.number);
        throttle.keep();
        remove_if_unused();
    }
}

/// Returns the steps to take in the group after the death of this process, for the limits of the device with `number`.
///
/// # Errors
/// [`LabError::Throttle`] without root or a controller.
pub(crate) fn cleanup_steps(number: DeviceNumber, lifetime: Lifetime) -> Result<Vec<Step>, LabError> {
    let (throttle, ours) = throttle(lifetime)?;
    let folder = throttle.folder().to_owned();
    throttle.keep();
    let mut steps: Vec<Step> =
        lifting(&folder, number).into_iter().map(|(text, file)| Step::Write(text, file)).collect();
    if ours {
        steps.push(Step::RemoveFolder(folder));
    }
    Ok(steps)
}

/// Checks that the machine can throttle at all, before anything is made.
///
/// # Errors
/// [`LabError::Throttle`] names the missing feature.
pub(crate) fn check(lifetime: Lifetime) -> Result<(), LabError> {
    let (throttle, _) = throttle(lifetime)?;
    throttle.keep();
    remove_if_unused();
    Ok(())
}

/// Membership of this process in the group where the limits of a lab volume apply. When the last membership is dropped,
/// the process returns to its earlier group.
#[derive(Debug)]
#[must_use = "the process goes back to its group when this is dropped"]
pub struct Inside(());

/// The number of volumes that keep this process in the group, and the file through which it returns if it had to move.
#[derive(Debug)]
struct Membership {
    volumes: usize,
    back: Option<PathBuf>,
}

static MEMBERSHIP: Mutex<Membership> = Mutex::new(Membership { volumes: 0, back: None });

/// Moves this process to the group where the limits of a run's volume apply, unless it is there already.
///
/// # Errors
/// [`LabError::Throttle`] without root or a controller.
pub fn enter() -> Result<Inside, LabError> {
    const ATTEMPTS: u32 = 8;
    let mut membership = MEMBERSHIP.lock().unwrap_or_else(PoisonError::into_inner);
    let mut attempts = 0;
    while membership.volumes == 0 {
        attempts += 1;
        match enter_once() {
            // Another run that ends may remove the group while it is empty.
            Err(ThrottleError::File { .. }) if attempts < ATTEMPTS => {}
            Err(error) => return Err(error.into()),
            Ok(back) => {
                membership.back = back;
                break;
            }
        }
    }
    membership.volumes += 1;
    Ok(Inside(()))
}

/// Enters the group; returns the file through which the process returns, if it had to move.
fn enter_once() -> Result<Option<PathBuf>, ThrottleError> {
    let (throttle, must_enter) = throttle(Lifetime::ThisRun)?;
    if !must_enter {
        return Ok(None);
    }
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let back = throttle.folder().parent().and_then(|mount| {
        let group = own_group(&text, if mount.join(LIMITS[0]).exists() { "blkio" } else { "" })?;
        (mount.join(group) != throttle.folder()).then(|| mount.join(group).join(MEMBERS))
    });
    let entered = throttle.enter_this_process();
    throttle.keep();
    entered.map(|()| back)
}

/// Returns this process's group of a controller from the text of `/proc/self/cgroup`, without its leading slash; the
/// controller of version 2 has no name.
fn own_group<'a>(text: &'a str, controller: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (controllers, group) = line.split_once(':')?.1.split_once(":/")?;
        controllers.split(',').any(|known| known == controller).then_some(group)
    })
}

impl Drop for Inside {
    fn drop(&mut self) {
        let mut membership = MEMBERSHIP.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(membership.volumes > 0, "the group of lab volumes is left more often than it was entered");
        membership.volumes -= 1;
        let back = if membership.volumes == 0 { membership.back.take() } else { None };
        if let Some(back) = back {
            let _ = std::fs::write(back, std::process::id().to_string());
        }
    }
}

/// Returns the groups that can hold the lab's limits: all of version 1, the lab's own of version 2.
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

/// Returns the groups in which the device with `number` is limited, with the limits.
pub(crate) fn limits_of(number: DeviceNumber) -> Vec<(PathBuf, Limits)> {
    let limited = |folder: PathBuf| {
        let limits = limits_on(&folder, number);
        (limits != Limits::default()).then_some((folder, limits))
    };
    folders().into_iter().filter_map(limited).collect()
}

/// Lifts every limit on the device with `number`, in any group.
pub(crate) fn lift_everywhere(number: DeviceNumber) {
    for (folder, _) in limits_of(number) {
        for (text, file) in lifting(&folder, number) {
            let _ = std::fs::write(file, text);
        }
    }
}

/// Returns the texts that lift the limits on the device with `number` in a group, with the files for them.
fn lifting(folder: &Path, number: DeviceNumber) -> Vec<(String, PathBuf)> {
    let text = |word: &str| match word {
        "io.max" => format!("{number} rbps=max wbps=max riops=max wiops=max"),
        _ => format!("{number} 0"),
    };
    let all = LIMITS.into_iter().map(|word| (text(word), folder.join(word)));
    all.filter(|(_, file)| file.exists()).collect()
}

/// Removes the lab's group if it is empty and has no limits.
pub(crate) fn remove_if_unused() {
    if !leftover_groups().iter().any(|name| name == GROUP) {
        return;
    }
    let ours = format!("plimsoll-{GROUP}");
    for folder in folders().into_iter().filter(|folder| folder.ends_with(&ours)) {
        let any =
            |word: &str| std::fs::read_to_string(folder.join(word)).is_ok_and(|text| !text.trim().is_empty());
        if !LIMITS.into_iter().any(any) {
            // The kernel keeps a group that has members.
            let _ = std::fs::remove_dir(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_read_from_the_line_of_the_controller() {
        assert_eq!(own_group("7:blkio:/a\n0::/user.slice/s.scope\n", ""), Some("user.slice/s.scope"));
        assert_eq!(own_group("0::/\n", ""), Some(""));
        assert_eq!(own_group("7:blkio:/a\n", ""), None);
        assert_eq!(own_group("7:blkio,x:/a\n0::/\n", "blkio"), Some("a"));
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
