//! Leave to write: the only place that asks the guard for it, for any writer and any target.

use std::path::Path;

use kernel::OwnedTestFile;
use kernel::guard::{
    AllowDestroy, Destruction, GuardError, WritePermit, permit_block_device, permit_named_file,
    permit_unnamed,
};

use crate::output;

/// What is to be written to.
#[derive(Clone, Copy, Debug)]
pub enum WriteTarget<'a> {
    /// The file or device that the words of another tool name; a missing file is created.
    Named(&'a Path),
    /// A block device, whose content is destroyed; the user must have named it a second time.
    Device {
        /// Path of the device.
        path: &'a Path,
        /// The device that may be destroyed.
        allowed: Option<&'a Path>,
    },
    /// A file of ours without a name.
    Ours(&'a OwnedTestFile),
}

/// Returns leave to write to `written`. The permit knows what will be lost on a device.
///
/// # Errors
/// The guard's refusal.
pub fn leave_to_write(written: WriteTarget<'_>) -> Result<WritePermit, GuardError> {
    match written {
        WriteTarget::Named(path) => permit_named_file(path),
        WriteTarget::Device { path, allowed } => {
            let allow = AllowDestroy::devices(allowed.map(Path::to_path_buf));
            permit_block_device(path, &allow).map(|(permit, _)| permit)
        }
        WriteTarget::Ours(file) => Ok(permit_unnamed(file)),
    }
}

/// Tells people on stderr what a device holds that will be overwritten: a file system, a partition table, a member
/// of LVM, RAID or ZFS. Data alone is not mentioned, because that is what the last benchmark left.
pub fn tell_what_goes(permit: &WritePermit) {
    let marked = |lost: &&Destruction| !(lost.signatures.is_empty() && lost.partitions.is_empty());
    if let Some(lost) = permit.destruction().filter(marked) {
        output::people(&destruction_words(lost));
    }
}

/// Describes what will be destroyed.
pub fn destruction_words(destruction: &Destruction) -> String {
    format!("EVERYTHING on {} will be destroyed:\n  {destruction}", destruction.device.display())
}
