//! Processes that have a byte of the target open for writing, from `/proc/*/fd`, and from `/proc/*/fdinfo` for io_uring
//! rings, which have registered files besides descriptors.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::backing::{file_at, store_at, without_gone};
use super::hold::Hold;
use super::mappings::{SharedMapping, mapped};
use super::question::Question;
use super::store::Store;
use crate::linux::mounts::{Medium, mount_of, unescape};
use crate::linux::process::{Process, is_unbegun_child, own_number, processes, share_files};

/// Greatest number of checks whether a child has begun its program: with [`PAUSE`], five seconds.
const CHILDREN: u32 = 50;
/// Pause between two checks of a child.
const PAUSE: Duration = Duration::from_millis(100);
/// Greatest number of attempts to read which files a ring has registered: a busy ring does not report them.
const RING_ASKED: u32 = 100;
/// Pause between two attempts to read a ring's files.
const RING_PAUSE: Duration = Duration::from_millis(1);

/// Finds every process that has a byte of the target open for writing, once for each device or file, except this
/// process and copies of it that are about to begin another program. Only root sees another user's processes.
pub(super) fn writers(question: &Question<'_>) -> Vec<Hold> {
    let own = own_number(question.root);
    let is_ours = |pid: u32| own.is_some_and(|own| pid == own || is_unbegun_child(question.root, pid, own));
    let others: Vec<u32> = processes(question.root).into_iter().filter(|pid| !is_ours(*pid)).collect();
    let mut found: Vec<Hold> = Vec::new();
    let mut tell = |pid: u32, what: WritableStore| {
        let process = Process::read(question.root, pid);
        let hold = match what {
            WritableStore::Store(store) => Hold::Open { device: question.name(&store), process },
            WritableStore::Unsaid => Hold::UnsaidRing { process },
        };
        if !found.contains(&hold) {
            found.push(hold);
        }
    };
    for pid in &others {
        written_by(question, &pid.to_string()).into_iter().for_each(|what| tell(*pid, what));
    }
    for (pid, what) in mapped(question.root, &others) {
        let stores = match what {
            SharedMapping::Known(store) => vec![store],
            SharedMapping::Named(name) => {
                named(question, &question.root.join(format!("proc/{pid}")), vec![name])
            }
        };
        let shared = stores.into_iter().filter(|store| question.shares(store.clone()));
        shared.for_each(|store| tell(pid, WritableStore::Store(store)));
    }
    found
}

/// Something to which a descriptor, or a ring, can write.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WritableStore {
    /// This device or file.
    Store(Store),
    /// Unknown: a ring has not reported its registered files.
    Unsaid,
}

/// Waits while a copy of this process that is about to begin another program has a byte of the target open: the copy
/// will close it at once, which may take a while on a machine without free processors.
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
    written_by(question, "self").iter().any(|what| *what != WritableStore::Unsaid)
}

/// Returns the stores that the process with this folder in `/proc` has open for writing and that share bytes with the
/// target.
fn written_by(question: &Question<'_>, process: &str) -> Vec<WritableStore> {
    let proc = question.root.join("proc");
    let pid = process.parse().ok();
    // A thread may have separate descriptors (unshare(2), CLONE_FILES), and outlive the first thread.
    let threads = pid.map_or(Vec::new(), |pid| threads(question.root, pid)).into_iter();
    let others = threads.map(|thread| proc.join(format!("{process}/task/{thread}")));
    let folders = [proc.join(process)].into_iter().chain(others);
    let descriptors = folders.flat_map(|folder| {
        let entries = std::fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
        entries.map(move |entry| (folder.clone(), entry.path()))
    });
    let reached = descriptors.flat_map(|(folder, fd)| written_through(question, &folder, &fd));
    let is_shared = |what: &WritableStore| match what {
        WritableStore::Store(store) => question.shares(store.clone()),
        WritableStore::Unsaid => true,
    };
    reached.filter(is_shared).collect()
}

/// The threads of the process with this id that may have other descriptors than its first thread.
pub(super) fn threads(root: &Path, pid: u32) -> Vec<u32> {
    let entries = std::fs::read_dir(root.join(format!("proc/{pid}/task"))).into_iter().flatten().flatten();
    let others =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|thread| *thread != pid);
    others.filter(|thread| !share_files(root, pid, *thread)).collect()
}

/// Returns the device or relevant file to which the descriptor at `fd` writes, if any. Most descriptors of a machine
/// are sockets and pipes, and a file is examined only if its file system answers.
/// machine are sockets and pipes, and only files whose file system answers are looked at.
fn written_through(question: &Question<'_>, folder: &Path, fd: &Path) -> Vec<WritableStore> {
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
        // The mode of a registered file is not shown, so each counts as open for writing.
        Ok(path) if path == Path::new(RING) => match registered_in_time(text) {
            Some(names) => named(question, folder, names).into_iter().map(WritableStore::Store).collect(),
            None => vec![WritableStore::Unsaid],
        },
        Ok(path) if path.is_absolute() && may_be_asked(question, &Info::of_text(&text())) => {
            let store = std::fs::metadata(fd).ok().and_then(|found| Store::of(&found));
            store.map(WritableStore::Store).into_iter().collect()
        }
        // Sockets and pipes have no path.
        _ => Vec::new(),
    }
}

/// The target of the link to a ring of io_uring.
const RING: &str = "anon_inode:[io_uring]";

/// Returns the stores under these names for the process with this folder in `/proc`, if their file system answers.
fn named(question: &Question<'_>, folder: &Path, names: Vec<PathBuf>) -> Vec<Store> {
    let own = question.mounts().iter().filter(|seen| seen.seen_by.is_none());
    let table: Vec<_> = own.map(|seen| seen.mount.clone()).collect();
    let answers = |name: &PathBuf| {
        let medium = mount_of(&table, name).map(|mount| mount.medium());
        !matches!(medium, Some(Medium::Network | Medium::Program))
    };
    // First as the process sees the name, possibly in another namespace, then as this process does.
    let places = |name: PathBuf| {
        let inside = folder.join("root").join(name.strip_prefix("/").unwrap_or(&name));
        file_at(&inside).into_iter().chain(store_at(question.root, &without_gone(&name)))
    };
    names.into_iter().filter(answers).flat_map(places).collect()
}

/// Returns the files that a ring has registered; `None` if it does not report them. While the ring submits, its
/// `fdinfo` omits them (io_uring/fdinfo.c of the kernel), or in older kernels shows only their number.
fn registered_in_time(text: impl Fn() -> String) -> Option<Vec<PathBuf>> {
    let mut said = text();
    for _ in 1..RING_ASKED {
        // A ring that has gone reports nothing either.
        if said.is_empty() || said.contains("UserFiles:\t0") || !registered_files(&said).is_empty() {
            break;
        }
        std::thread::sleep(RING_PAUSE);
        said = text();
    }
    (said.is_empty() || said.contains("UserFiles:")).then(|| registered_files(&said))
}

/// Returns the names of the files that a ring has registered, which are not descriptors of the process: the lines after
/// `UserFiles:` (io_uring/fdinfo.c of the kernel), one per file, indented, with its index first.
fn registered_files(info: &str) -> Vec<PathBuf> {
    let lines = info.lines().skip_while(|line| !line.starts_with("UserFiles:")).skip(1);
    let files = lines.map_while(|line| line.strip_prefix(' ')?.split_once(": "));
    files.map(|(_, name)| PathBuf::from(unescape(name))).collect()
}

/// The fields that `/proc/PID/fdinfo` shows for a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Info {
    mount: Option<u64>,
    /// Inode number, since Linux 5.14.
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

/// Whether the file may be examined. A file of a server or a program may not, unless its inode number is the target's:
/// the server may be silent, and has no device nodes that the kernel would open.
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
    use crate::linux::captured::Machine;
    use crate::linux::device::DeviceNumber;

    #[test]
    fn mount_and_inode_of_a_descriptor_are_read_where_the_kernel_tells_them() {
        let info = Info::of_text("pos:\t0\nflags:\t0100002\nmnt_id:\t24\nino:\t94\n");
        assert_eq!(info, Info { mount: Some(24), inode: Some(94) });
        assert_eq!(Info::of_text("pos:\t0\n"), Info::default());
    }

    #[test]
    fn a_device_that_a_ring_has_registered_or_memory_maps_is_open() {
        let machine = Machine::new("");
        let disk = DeviceNumber { major: 8, minor: 0 };
        machine.device("pci/sda", "8:0", &[("size", "4000")]);
        for (pid, name) in [(77, "ring"), (78, "mapper"), (79, "reader")] {
            machine.file(&format!("proc/{pid}/comm"), name);
        }
        std::fs::create_dir_all(machine.root().join("proc/77/fd")).unwrap();
        std::os::unix::fs::symlink(RING, machine.root().join("proc/77/fd/4")).unwrap();
        machine.file("proc/77/fdinfo/4", "UserFiles:\t1\n    0: /dev/sda\nUserBufs:\t0\n");
        machine.file("proc/78/maps", "1-2 rw-s 0 00:06 1   /dev/sda\n");
        machine.file("proc/79/maps", "1-2 r--s 0 00:06 1   /dev/sda\n");
        // A thread with separate descriptors.
        machine.file("proc/80/comm", "threaded");
        std::fs::create_dir_all(machine.root().join("proc/80/task/81/fd")).unwrap();
        std::os::unix::fs::symlink(RING, machine.root().join("proc/80/task/81/fd/4")).unwrap();
        machine.file("proc/80/task/81/fdinfo/4", "UserFiles:\t1\n    0: /dev/sda\n");
        let question = Question::about(machine.root(), Store::Device(disk), String::new());
        let said: Vec<String> = writers(&question).iter().map(Hold::to_string).collect();
        let open = ["ring (process 77)", "threaded (process 80)", "mapper (process 78)"]
            .map(|p| format!("{p} has sda open for writing"));
        assert_eq!(said, open);
    }

    /// The fields that the kernel shows for any descriptor.
    const BUSY: &str = "pos:\t0\nflags:\t02000002\nmnt_id:\t16\nino:\t1065\n";

    #[test]
    fn a_ring_that_is_at_work_is_asked_again() {
        let asked = std::cell::Cell::new(0);
        let said = || {
            asked.set(asked.get() + 1);
            if asked.get() < 5 { BUSY.to_owned() } else { format!("{BUSY}UserFiles:\t1\n    0: /dev/sda\n") }
        };
        assert_eq!(registered_in_time(said), Some(vec![PathBuf::from("/dev/sda")]));
        assert_eq!(registered_in_time(|| "UserFiles:\t0\n".to_owned()), Some(Vec::new()));
        assert_eq!(registered_in_time(|| BUSY.to_owned()), None, "it never says");
        assert_eq!(registered_in_time(String::new), Some(Vec::new()), "it has gone");
    }

    #[test]
    fn files_that_a_ring_has_registered_are_read_with_their_names() {
        let info = "SqTotalTime:\t0\nUserFiles:\t3\n    0: /dev/loop0\n    2: /srv/a\\040b\nUserBufs:\t1\n    0: 0x1/4096\n";
        assert_eq!(registered_files(info), ["/dev/loop0", "/srv/a b"].map(PathBuf::from));
        assert!(registered_files("UserFiles:\t0\nUserBufs:\t0\n").is_empty());
    }
}
