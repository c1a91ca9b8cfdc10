//! Permission to write: the only place that asks the guard for a permit, for any writer and any target.

use std::path::Path;

use kernel::OwnedTestFile;
use kernel::guard::{
    AllowDestroy, Destruction, GuardError, WritePermit, permit_block_device, permit_named_file,
    permit_unnamed,
};

use crate::output;

/// File or device to be written.
#[derive(Clone, Copy, Debug)]
pub enum WriteTarget<'a> {
    /// The file or device that another tool's command line names; a missing file is created.
    Named(&'a Path),
    /// A block device, whose content is destroyed; the user must have named it twice.
    Device {
        /// Path of the device.
        path: &'a Path,
        /// The device that may be destroyed.
        allowed: Option<&'a Path>,
    },
    /// An unnamed test file that plimsoll created.
    Ours(&'a OwnedTestFile),
}

/// Returns the permit to write to `written`, which lists the data that will be lost on a device.
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

/// Reports on stderr what will be overwritten on a device: a file system, a partition table, a member of LVM, RAID
/// or ZFS. Mere data is not mentioned, because any earlier benchmark leaves some.
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
