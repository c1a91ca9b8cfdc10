//! Lab volumes for tests, and ext4 on them.

use std::path::PathBuf;

use testbed::{Lack, MountGuard, Undo, ended, ext4_at, root_or_skip, skipped};
use volumes::lab::{self, LabVolume, Lifetime};
use workload::{Bytes, PolicyName};

use super::Folder;

/// Makes a volume that this kernel throttles to `policy`, in this process; returns `None`, and records a skip, if
/// this machine cannot.
pub fn lab_volume(policy: &str, size: Bytes) -> Option<LabVolume> {
    if !root_or_skip("a throttled volume") {
        return None;
    }
    let policy = PolicyName::parse(policy).unwrap();
    let made = LabVolume::up(&policy, size, &lab::default_dir(size), Lifetime::ThisRun);
    made.inspect_err(|error| skipped(Lack::Kernel, error)).ok()
}

/// ext4 on a lab volume; removed when dropped.
pub struct LabMount {
    pub mount: MountGuard,
    _volume: LabVolume,
}

impl LabMount {
    /// Mounts one on `point`; returns `None`, and records a skip, if this machine cannot.
    pub fn at(point: PathBuf, policy: &str, size: Bytes) -> Option<LabMount> {
        let volume = lab_volume(policy, size)?;
        let mount = ext4_at(point, volume.device(), &[])?;
        Some(LabMount { mount, _volume: volume })
    }
}

/// A volume that `plimsoll lab up` has made; taken down when dropped.
pub struct LabUp {
    pub device: String,
    _undo: Undo,
}

impl LabUp {
    /// Makes one; returns `None`, and records a skip, if this machine cannot.
    pub fn or_skip(folder: &Folder, policy: &str, size: &str) -> Option<LabUp> {
        if !root_or_skip("a throttled volume") {
            return None;
        }
        let up = ended(&mut folder.plimsoll(&["lab", "up", policy, "--size", size]));
        if up.code != Some(0) {
            skipped(Lack::Kernel, up.err);
            return None;
        }
        let device = up.out.trim().to_owned();
        let undo = Undo::by(&[env!("CARGO_BIN_EXE_plimsoll"), "lab", "down", &device]);
        Some(LabUp { device, _undo: undo })
    }
}
