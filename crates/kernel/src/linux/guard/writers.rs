//! Which processes have a byte of the target open for writing, from `/proc/*/fd`, and for a ring of io_uring that has
//! descriptors of its own from `/proc/*/fdinfo`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::PAUSE;
use super::backing::{file_at, store_at, without_gone};
use super::hold::Hold;
use super::question::Question;
use super::store::Store;
use crate::linux::mounts::{Medium, mount_of, unescape};
use crate::linux::process::{Process, is_unbegun_child, own_number, processes};

/// How often it is asked whether a child has begun: five seconds.
const CHILDREN: u32 = 50;

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

/// Waits while a copy of this process that is about to begin another program has a byte of the target open: it closes that
/// at once, which on a machine without free processors may take a while.
pub(super) fn let_children_begin(question: &Question<'_>) {
    let Some(own) = own_number(question.root) else { return };
    let is_copy = |pid: &u32| is_unbegun_child(question.root, *pid, own);
    let holds = |pid: u32| !written_by(question, &pid.to_string()).is_empty();
    for _ in 0..CHILDREN {
        if !processes(question.root).into_iter().filter(is_copy).any(holds) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether this process itself has a byte of the target open for writing.
pub(super) fn is_written_by_us(question: &Question<'_>) -> bool {
    !written_by(question, "self").is_empty()
}

/// What the process whose folder in `/proc` is `process` has open for writing of what shares bytes with the target.
fn written_by(question: &Question<'_>, process: &str) -> Vec<Store> {
    let folder = question.root.join("proc").join(process);
    let entries = std::fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
    let stores = entries.flat_map(|entry| written_through(question, &folder, &entry.path()));
    stores.filter(|store| question.shares(store.clone())).collect()
}

/// What the descriptor at `fd` writes to, where that is a block device, or a file with a number that matters. Most
/// descriptors of a machine are sockets and pipes, and of files only those are looked at whose file system answers.
fn written_through(question: &Question<'_>, folder: &Path, fd: &Path) -> Vec<Store> {
    // The mode of the link is the mode of the descriptor.
    let is_writable = |found: std::fs::Metadata| found.permissions().mode() & 0o200 != 0;
    if !std::fs::symlink_metadata(fd).is_ok_and(is_writable) {
        return Vec::new();
    }
    let text = || {
        let info = folder.join("fdinfo").join(fd.file_name().unwrap_or_default());
        std::fs::read_to_string(info).unwrap_or_default()
    };
    match std::fs::read_link(fd) {
        Ok(path) if path == Path::new(RING) => registered(question, folder, &text()),
        Ok(path) if path.is_absolute() && may_be_asked(question, &Info::of_text(&text())) => {
            std::fs::metadata(fd).ok().and_then(|found| Store::of(&found)).into_iter().collect()
        }
        // Sockets and pipes have no path.
        _ => Vec::new(),
    }
}

/// What the link to a ring of io_uring says.
const RING: &str = "anon_inode:[io_uring]";

/// What a ring has registered as files of its own, which are no descriptors of the process. Their mode is not told: each
/// counts as open for writing.
fn registered(question: &Question<'_>, folder: &Path, info: &str) -> Vec<Store> {
    let own = question.mounts().iter().filter(|seen| seen.seen_by.is_none());
    let table: Vec<_> = own.map(|seen| seen.mount.clone()).collect();
    let answers = |name: &PathBuf| {
        let medium = mount_of(&table, name).map(|mount| mount.medium());
        !matches!(medium, Some(Medium::Network | Medium::Program))
    };
    let files = registered_files(info).into_iter().filter(answers);
    // As the process sees it, whose namespace may be another one, and as this one does.
    let places = |name: PathBuf| {
        let inside = folder.join("root").join(name.strip_prefix("/").unwrap_or(&name));
        file_at(&inside).into_iter().chain(store_at(question.root, &without_gone(&name)))
    };
    files.flat_map(places).collect()
}

/// The names behind `UserFiles:` (io_uring/fdinfo.c of the kernel): a line each, indented, with its place in front.
fn registered_files(info: &str) -> Vec<PathBuf> {
    let lines = info.lines().skip_while(|line| !line.starts_with("UserFiles:")).skip(1);
    let files = lines.map_while(|line| line.strip_prefix(' ')?.split_once(": "));
    files.map(|(_, name)| PathBuf::from(unescape(name))).collect()
}

/// What `/proc/PID/fdinfo` says of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Info {
    mount: Option<u64>,
    /// Since Linux 5.14.
    inode: Option<u64>,
}

impl Info {
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

    #[test]
    fn files_that_a_ring_has_registered_are_read_with_their_names() {
        let info = "SqTotalTime:\t0\nUserFiles:\t3\n    0: /dev/loop0\n    2: /srv/a\\040b\nUserBufs:\t1\n    0: 0x1/4096\n";
        assert_eq!(registered_files(info), ["/dev/loop0", "/srv/a b"].map(PathBuf::from));
        assert!(registered_files("UserFiles:\t0\nUserBufs:\t0\n").is_empty());
    }
}
