//! The list of existing lab volumes, according to the kernel, and their removal, even after a crash.

use std::fs::File;
use std::path::{Path, PathBuf};

use kernel::guard::holds;
use kernel::lab::{AttachedLoop, Limits, detach, loops};
use kernel::{DeviceNumber, number_of_name};
use workload::Bytes;

use super::backing::{NamedBacking, orphans, remove, user};
use super::stack::{has_queue_of_ours, let_go, number_at, reset_queue};
use super::{InForce, LabError, Lifetime, group, keeper};

/// An existing lab volume, made by any run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabEntry {
    /// The device for the load; for a volume that was never finished, the lower device.
    pub device: PathBuf,
    /// The throttled device.
    pub below: PathBuf,
    /// The policy as typed.
    pub policy: String,
    /// Size of the volume.
    pub size: Bytes,
    /// The file behind the volume, or its former name.
    pub backing: PathBuf,
    /// The limits that the kernel enforces now, in the first group in which it enforces any.
    pub in_force: InForce,
    /// The remaining credits, per mille, if a keeper lets them drain.
    pub credits: Option<u32>,
    /// Whether the volume ends with the run that made it.
    pub lifetime: Lifetime,
    /// Whether the calling user made it.
    pub owner: Owner,
}

/// The user who made a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The calling user, by the id from before `sudo`.
    Me,
    /// The user with this id.
    Other(u32),
}

/// The extent of a volume's removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Devices, limits and data are gone.
    Complete,
    /// A process still has the device open; the kernel removes devices and data when the device is closed.
    WhenClosed,
}

fn node(name: &str) -> PathBuf {
    Path::new("/dev").join(name)
}

/// Returns every lab volume of this machine, by its lower device.
pub fn list() -> Vec<LabEntry> {
    entries(&loops(Path::new("/")))
}

fn entries(attached: &[AttachedLoop]) -> Vec<LabEntry> {
    let entry = |below: &AttachedLoop| {
        let named = NamedBacking::read(&below.backing)?;
        let below_node = node(&below.name);
        let above = attached.iter().find(|device| device.backing == below_node);
        let in_force = group::limits_of(below.number).into_iter().next().map(|(_, limits)| limits);
        Some(LabEntry {
            device: above.map_or_else(|| below_node.clone(), |device| node(&device.name)),
            below: below_node,
            policy: named.policy,
            size: below.size,
            backing: named.path,
            in_force: in_force.unwrap_or_default(),
            credits: keeper::credits_left(below.number).map(|share| (share * 1000.0).round() as u32),
            lifetime: if named.is_there { Lifetime::UntilDown } else { Lifetime::ThisRun },
            owner: if named.user == user() { Owner::Me } else { Owner::Other(named.user) },
        })
    };
    attached.iter().filter_map(entry).collect()
}

/// Takes down the lab volume on `device`: limits, devices, data.
///
/// # Errors
/// [`LabError`] if the device is not a lab volume, is mounted or held, or belongs to a run under way.
pub fn down(device: &Path) -> Result<Removal, LabError> {
    let resolved = device.canonicalize().unwrap_or_else(|_| device.to_owned());
    let found = list().into_iter().find(|entry| entry.device == resolved || entry.below == resolved);
    let entry = found.ok_or_else(|| LabError::NoLab { device: device.to_owned() })?;
    if entry.lifetime == Lifetime::ThisRun {
        return Err(LabError::OfARun { device: device.to_owned() });
    }
    take_down(&entry)
}

/// Takes down every lab volume that this user made and no run owns, and clears up after crashes: limits and queue
/// settings of detached loop devices, files to which no device is attached, the group. Returns the volumes taken down.
///
/// # Errors
/// The first [`LabError`]; the others are still taken down.
pub fn down_own() -> Result<Vec<(LabEntry, Removal)>, LabError> {
    let mine = |entry: &LabEntry| entry.lifetime == Lifetime::UntilDown && entry.owner == Owner::Me;
    let lasting = list().into_iter().filter(mine);
    let results: Vec<_> = lasting.map(|entry| take_down(&entry).map(|removal| (entry, removal))).collect();
    sweep();
    results.into_iter().collect()
}

fn take_down(entry: &LabEntry) -> Result<Removal, LabError> {
    refuse_held(&entry.device)?;
    let below = number_at(&entry.below);
    // Done before the devices are free for others, who may set limits themselves.
    if let Some(number) = below {
        keeper::dismiss(number);
        group::lift_everywhere(number);
        reset_queue(number);
    }
    let mut complete = true;
    for device in [&entry.device, &entry.below] {
        // The lower device goes with the upper, and its number may already be somebody else's.
        if device == &entry.device || shows(&entry.below, &entry.backing) {
            complete &= let_go(device, || detach(device))?;
        }
    }
    if entry.backing.exists() {
        remove(&entry.backing)?;
    }
    group::remove_if_unused();
    Ok(if complete { Removal::Complete } else { Removal::WhenClosed })
}

/// Whether the loop device at `path` is attached to the file at `backing`, or to one that had that name.
fn shows(path: &Path, backing: &Path) -> bool {
    let here = loops(Path::new("/")).into_iter().find(|device| node(&device.name) == path);
    here.and_then(|device| NamedBacking::read(&device.backing)).is_some_and(|named| named.path == backing)
}

fn refuse_held(device: &Path) -> Result<(), LabError> {
    let Some(number) = number_at(device) else { return Ok(()) };
    let holds = holds(Path::new("/"), number);
    if holds.is_empty() { Ok(()) } else { Err(LabError::InUse { device: device.to_owned(), holds }) }
}

/// Returns a lock, until whose drop no other process of plimsoll attaches a loop device or lifts what one left: a device that is
/// attached and limited between the look at a list and the lifting would lose its limits. Nothing without a loop driver.
pub(super) fn while_nobody_attaches() -> Option<File> {
    let control = File::open("/dev/loop-control").ok()?;
    control.lock().ok()?;
    Some(control)
}

/// Lifts the limits and resets the queue settings that are still in force on detached loop devices. They are left by a
/// volume whose devices were detached by hand, and by a run that was killed together with its cleanup process. Nobody
/// limits a detached device, and its queue gets the values of a new device. Returns the number of devices that had any.
pub fn lift_leftovers() -> usize {
    let _lock = while_nobody_attaches();
    let attached = loops(Path::new("/"));
    let limited =
        |number: &_| group::limits_of(*number).iter().any(|(_, limits)| *limits != Limits::default());
    let left: Vec<_> = free_loops(&attached)
        .into_iter()
        .filter(|number| has_queue_of_ours(*number) || limited(number))
        .collect();
    for number in &left {
        // Others than plimsoll, who do not know the lock, may have attached it meanwhile.
        if loops(Path::new("/")).iter().any(|device| device.number == *number) {
            continue;
        }
        group::lift_everywhere(*number);
        reset_queue(*number);
    }
    left.len()
}

/// Clears up everything that no volume uses any more.
fn sweep() {
    lift_leftovers();
    let attached = loops(Path::new("/"));
    // The files of any user to which no device is attached.
    let shown: Vec<PathBuf> =
        attached.iter().filter_map(|device| Some(NamedBacking::read(&device.backing)?.path)).collect();
    for path in orphans(&shown) {
        let _ = remove(&path);
    }
    keeper::remove_notes_left();
    group::remove_if_unused();
}

fn free_loops(attached: &[AttachedLoop]) -> Vec<DeviceNumber> {
    let entries = std::fs::read_dir("/sys/class/block").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let free = names.filter(|name| {
        let is_disk = name.strip_prefix("loop").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        is_disk && !attached.iter().any(|device| device.name == *name)
    });
    free.filter_map(|name| number_of_name(Path::new("/"), &name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(minor: u32, backing: &str) -> AttachedLoop {
        AttachedLoop {
            name: format!("loop{minor}"),
            // A number that is limited on no machine.
            number: DeviceNumber { major: 7, minor: 1_000_000 + minor },
            backing: PathBuf::from(backing),
            direct: true,
            size: Bytes::GIB,
        }
    }

    #[test]
    fn volumes_are_known_by_their_files_and_found_with_both_devices() {
        let attached = [
            shown(0, "/dev/shm/.plimsoll-lab-00000001-aws-gp3.tmp"),
            shown(1, "/srv/other.img"),
            shown(2, "/dev/loop0"),
            shown(3, "/dev/shm/.plimsoll-lab-00000002u4242-aws-gp2,size=1GiB.tmp (deleted)"),
        ];
        let found = entries(&attached);
        let lines: Vec<_> = found
            .iter()
            .map(|entry| (entry.device.to_str().unwrap(), entry.policy.as_str(), entry.lifetime))
            .collect();
        // The second volume was never finished: its lower device represents it.
        assert_eq!(
            lines,
            [
                ("/dev/loop2", "aws-gp3", Lifetime::UntilDown),
                ("/dev/loop3", "aws-gp2,size=1GiB", Lifetime::ThisRun)
            ]
        );
        assert_eq!(found[1].owner, Owner::Other(4242));
        assert_eq!(found[0].below, Path::new("/dev/loop0"));
    }

    #[test]
    fn what_is_no_lab_volume_is_not_taken_down() {
        let error = down(Path::new("/dev/null")).unwrap_err();
        assert!(error.to_string().contains("lab list"), "{error}");
    }
}
