//! The keeper: a process that controls a volume which outlives its maker, and the note by which others find the keeper.
//!
//! The note is in `/run`, where only root writes and nothing outlives the next boot, and carries the device's number.
//! The keeper holds a lock on it and writes the remaining credits into it. It ends if the note is gone or the device is
//! attached to another file. To take the volume down, a process removes the note and waits for the lock.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kernel::{DeviceNumber, number_of_name};
use policy::Governor;
use workload::{Nanos, PolicyName};

use super::controller::Control;
use super::throttle_plan::ThrottlePlan;
use super::{LabError, group, list};

/// Time between two writes of the note.
const WRITTEN_EVERY: Nanos = Nanos::SECOND;
/// Number and length of the waits for a dismissed keeper, which checks its note twenty times a second.
const WAIT: (u32, Duration) = (300, Duration::from_millis(10));
/// Start of the names of notes.
const PREFIX: &str = "plimsoll-lab-";

fn note_of(number: DeviceNumber) -> PathBuf {
    PathBuf::from(format!("/run/{PREFIX}{number}"))
}

/// Controls the lasting volume on `device`, which was made for this policy, until it is taken down. Calls `ready` when
/// the control has begun.
///
/// # Errors
/// [`LabError`] if the volume does not exist, or already has a keeper.
pub fn keep(device: &Path, name: &PolicyName, ready: impl FnOnce()) -> Result<(), LabError> {
    let entry = list().into_iter().find(|entry| entry.device == device);
    let missing = || LabError::NoLab { device: device.to_owned() };
    let entry = entry.ok_or_else(missing)?;
    let name_below = entry.below.file_name().and_then(|name| name.to_str()).ok_or_else(missing)?;
    let number = number_of_name(Path::new("/"), name_below).ok_or_else(missing)?;
    let (folder, told) = group::limits_of(number).into_iter().next().ok_or_else(missing)?;
    let Some(credits) = ThrottlePlan::new(name)?.credits else { return Ok(()) };
    let (path, note) = locked_note(number)?;
    let mut control = Control::new(credits.governor, (folder, number), told)?;
    ready();
    let shown = PathBuf::from(format!("/sys/dev/block/{number}/loop/backing_file"));
    let shows = |backing: &Path| {
        std::fs::read_to_string(&shown).is_ok_and(|text| Path::new(text.trim_end_matches('\n')) == backing)
    };
    let mut since = WRITTEN_EVERY;
    while path.exists() && shows(&entry.backing) {
        let Some(next) = control.look() else { break };
        if since >= WRITTEN_EVERY {
            since = Nanos::ZERO;
            write(&note, control.governor());
        }
        since += next;
        std::thread::sleep(Duration::from_nanos(next.0));
    }
    if !shown.exists() {
        // The maker was killed before the volume became permanent: the limits set since belong to nobody.
        group::lift_everywhere(number);
    }
    let _ = std::fs::remove_file(&path);
    Ok(())
}

/// Creates and locks the note of a device.
fn locked_note(number: DeviceNumber) -> Result<(PathBuf, File), LabError> {
    let path = note_of(number);
    let failed = |source| LabError::Note { path: path.clone(), source };
    let mut options = OpenOptions::new();
    let note = options.write(true).create(true).truncate(false).mode(0o644).open(&path).map_err(failed)?;
    note.try_lock().map_err(|error| failed(error.into()))?;
    Ok((path, note))
}

/// Writes the remaining credits of the first rule, in per cent. A failure to write is harmless.
fn write(mut note: &File, governor: &Governor) {
    let Some((_, share)) = governor.shares().next() else { return };
    let _ = note.write_all_at(format!("{:6.2}\n", share * 100.0).as_bytes(), 0);
    let _ = note.flush();
}

/// Returns the remaining share of a volume's credits, 0 to 1, if a keeper controls the volume.
pub(crate) fn credits_left(number: DeviceNumber) -> Option<f64> {
    let path = note_of(number);
    if File::open(&path).ok()?.try_lock().is_ok() {
        return None;
    }
    let percent: f64 = std::fs::read_to_string(&path).ok()?.trim().parse().ok()?;
    Some(percent / 100.0)
}

/// Dismisses the keeper of a device, if it has one, and waits until it is gone.
pub(crate) fn dismiss(number: DeviceNumber) {
    let path = note_of(number);
    let Ok(note) = File::open(&path) else { return };
    let _ = std::fs::remove_file(&path);
    for _ in 0..WAIT.0 {
        if note.try_lock().is_ok() {
            return;
        }
        std::thread::sleep(WAIT.1);
    }
}

/// Removes notes that nobody has locked: those of killed keepers.
pub(crate) fn remove_notes_left() {
    for entry in std::fs::read_dir("/run").into_iter().flatten().flatten() {
        let is_note = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_note && File::open(entry.path()).is_ok_and(|note| note.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
