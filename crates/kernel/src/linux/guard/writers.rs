//! Which processes have a byte of the target open for writing, from `/proc/*/fd`.

use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use super::hold::Hold;
use super::question::Question;
use super::store::Store;
use crate::linux::device::DeviceNumber;
use crate::linux::mounts::Medium;
use crate::linux::process::{Process, is_unbegun_child, own_number, processes};

/// Every process but this one, and copies of it that are about to begin another program, that has a byte of the target open for writing, once each for a device or file. Another
/// user's processes are seen by root alone.
pub(super) fn writers(question: &Question<'_>) -> Vec<Hold> {
    let own = own_number(question.root);
    let is_ours = |pid: u32| own.is_some_and(|own| pid == own || is_unbegun_child(question.root, pid, own));
    let mut found: Vec<Hold> = Vec::new();
    for pid in processes(question.root).into_iter().filter(|pid| !is_ours(*pid)) {
        for store in written_by(question, &pid.to_string()) {
            let hold =
                Hold::Open { device: question.name(&store), process: Process::read(question.root, pid) };
            if !found.contains(&hold) {
                found.push(hold);
            }
        }
    }
    found
}

/// Whether this process itself has a byte of the target open for writing.
pub(super) fn is_written_by_us(question: &Question<'_>) -> bool {
    !written_by(question, "self").is_empty()
}

/// What the process whose folder in `/proc` is `process` has open for writing of what shares bytes with the target.
fn written_by(question: &Question<'_>, process: &str) -> Vec<Store> {
    let folder = question.root.join("proc").join(process);
    let entries = std::fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
    let stores = entries.filter_map(|entry| written_through(question, &folder, &entry.path()));
    stores.filter(|store| question.shares(store.clone())).collect()
}

/// What the descriptor at `fd` writes to, where that is a block device, or a file with a number that matters. Most
/// descriptors of a machine are sockets and pipes, and of files only those are looked at whose file system answers.
fn written_through(question: &Question<'_>, folder: &Path, fd: &Path) -> Option<Store> {
    // The mode of the link is the mode of the descriptor.
    if std::fs::symlink_metadata(fd).ok()?.permissions().mode() & 0o200 == 0 {
        return None;
    }
    // Sockets and pipes have no path.
    if !std::fs::read_link(fd).ok()?.is_absolute() {
        return None;
    }
    let info = Info::read(&folder.join("fdinfo").join(fd.file_name()?));
    if !may_be_asked(question, &info) {
        return None;
    }
    let found = std::fs::metadata(fd).ok()?;
    if found.file_type().is_block_device() {
        return Some(Store::Device(DeviceNumber::from_dev(found.rdev())));
    }
    let file_system = DeviceNumber::from_dev(found.dev());
    found.is_file().then(|| Store::File { file_system, inode: found.ino() })
}

/// What `/proc/PID/fdinfo` says of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Info {
    mount: Option<u64>,
    /// Since Linux 5.14.
    inode: Option<u64>,
}

impl Info {
    fn read(path: &Path) -> Info {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        Info::of_text(&text)
    }

    fn of_text(text: &str) -> Info {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key))?;
            line.trim().parse().ok()
        };
        Info { mount: value("mnt_id:"), inode: value("ino:") }
    }
}

/// Not what lies with a server or a program: it may be silent, and has no device nodes that the kernel would open.
fn may_be_asked(question: &Question<'_>, info: &Info) -> bool {
    let mount = question.mounts().iter().find(|seen| Some(seen.id) == info.mount);
    let medium = mount.map(|seen| seen.mount.medium());
    match medium {
        Some(Medium::Network | Medium::Program) => is_wanted(question, info.inode),
        _ => true,
    }
}

fn is_wanted(question: &Question<'_>, inode: Option<u64>) -> bool {
    let wanted = |store: &Store| matches!(store, Store::File { inode: known, .. } if Some(*known) == inode);
    question.target.iter().any(|extent| wanted(&extent.store))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_and_inode_of_a_descriptor_are_read_where_the_kernel_tells_them() {
        let info = Info::of_text("pos:\t0\nflags:\t0100002\nmnt_id:\t24\nino:\t94\n");
        assert_eq!(info, Info { mount: Some(24), inode: Some(94) });
        assert_eq!(Info::of_text("pos:\t0\n"), Info::default());
    }
}
