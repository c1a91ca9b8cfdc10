//! The guard where little can be seen: in a mount namespace without the nodes, without `/sys`, with mounts that no table
//! lists, without the privileges to make up for it.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use kernel::guard::{AllowDestroy, GuardError, Hold, permit_block_device, permit_named_file};
use kernel::{Clock, DeviceNumber, QueueSize};
use testbed::{
    LoopOver, MountGuard, Undo, comes_true, directory, fingerprint, has, root_or_skip, run, text, unnamed,
};
use workload::Bytes;

use crate::guard::mounted;
use crate::stacks::write_mark;

/// Variable with the path that the guard is asked about in a namespace.
const ASKS: &str = "PLIMSOLL_GUARD_ASKS";
/// Variable with the number of bytes to write if it permits that.
const BYTES: &str = "PLIMSOLL_GUARD_BYTES";
/// Prefix of its answer.
const ANSWER: &str = "guard: ";

/// A mount namespace in which the guard is asked.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// Shell commands, run first.
    words: Vec<String>,
    is_weak: bool,
}

impl Space {
    /// Leaves nothing but these nodes in `/dev`.
    pub fn with_nodes(mut self, nodes: &[&Path]) -> Space {
        use std::os::unix::fs::MetadataExt;
        let number = |node: &Path| DeviceNumber::from_dev(std::fs::metadata(node).unwrap().rdev());
        let numbers = nodes.iter().map(|node| (text(node), number(node)));
        let made = numbers.map(|(node, number)| format!("mknod {node} b {} {}", number.major, number.minor));
        let made: Vec<String> = made.collect();
        self.words.push("mount -t tmpfs -o mode=755 none /dev".to_owned());
        for (name, minor) in [("null", 3), ("zero", 5), ("urandom", 9)] {
            self.words.push(format!("mknod -m 666 /dev/{name} c 1 {minor}"));
        }
        self.words.extend(made);
        self
    }

    /// Unmounts `/sys`.
    pub fn without_sys(mut self) -> Space {
        self.words.push("umount --lazy /sys".to_owned());
        self
    }

    /// Hides everything in this folder.
    pub fn without(mut self, folder: &Path) -> Space {
        self.words.push(format!("mount -t tmpfs none {}", text(folder)));
        self
    }

    /// Takes away the right to mount and to make nodes, as in a container.
    pub fn weak(self) -> Space {
        Space { is_weak: true, ..self }
    }

    /// Asks for a permit to write to `target`, and with one writes `bytes` bytes. The error is what the guard said.
    pub fn ask(&self, target: &Path, bytes: u64) -> Result<(), String> {
        let program = std::env::current_exe().unwrap();
        let begin = match self.is_weak {
            true => "exec setpriv --bounding-set=-sys_admin,-mknod",
            false => "exec",
        };
        let inside = "guard_spaces::what_the_guard_says_in_a_namespace";
        let last = format!("{begin} {} --exact {inside} --nocapture", text(&program));
        let script = [self.words.as_slice(), &[last]].concat().join("\n");
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "sh", "-e", "-c", &script]);
        unshare.env(ASKS, target).env(BYTES, bytes.to_string()).env("RUST_BACKTRACE", "0");
        let out = unshare.output().unwrap();
        let (said, err) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        let answer = said.lines().find_map(|line| line.strip_prefix(ANSWER));
        match answer.unwrap_or_else(|| panic!("no answer: {said}{err}\n{script}")) {
            "written" => Ok(()),
            refused => Err(refused.to_owned()),
        }
    }
}

/// Run by the other tests in their namespaces; by itself it has nothing to ask.
#[test]
fn what_the_guard_says_in_a_namespace() {
    let (Some(target), Ok(bytes)) = (std::env::var_os(ASKS), std::env::var(BYTES)) else { return };
    let target = PathBuf::from(target);
    let said = match permit_named_file(&target) {
        Ok(permit) => {
            write_mark(&permit, bytes.parse().unwrap());
            "written".to_owned()
        }
        Err(error) => error.to_string(),
    };
    println!("\n{ANSWER}{said}");
}

/// Whether namespaces can be made here.
pub fn possible() -> bool {
    root_or_skip("mount namespaces") && has("unshare") && has("setpriv")
}

fn allow(path: &Path) -> AllowDestroy {
    AllowDestroy::devices([path.to_owned()])
}

/// Returns a length that nothing else on a machine has, not even the image of a test that runs at the same time: a loop
/// device of that length and name, caught while it is detached, could be attached to the target.
fn odd() -> u64 {
    static TAKEN: AtomicU64 = AtomicU64::new(0);
    (1221 + (TAKEN.fetch_add(1, Relaxed) << 10)) << 12
}

/// An image with a hard link.
struct Image {
    dir: tempfile::TempDir,
    path: PathBuf,
    link: PathBuf,
}

impl Image {
    fn of(bytes: u64) -> Image {
        let dir = directory();
        let (path, link) =
            (dir.path().join(format!("image {bytes}")), dir.path().join(format!("other {bytes}")));
        std::fs::File::create(&path).unwrap().set_len(bytes).unwrap();
        std::fs::hard_link(&path, &link).unwrap();
        Image { dir, path, link }
    }
}

#[test]
fn a_second_loop_is_refused_where_the_node_of_the_first_is_missing() {
    let (image, point) = (Image::of(32 << 20), directory());
    if !possible() {
        return;
    }
    let Some(first) = LoopOver::with(&image.path, &[]) else { return };
    let Some(_mount) = mounted(first.path(), point.path()) else { return };
    for name in [&image.path, &image.link] {
        let Some(second) = LoopOver::with(name, &[]) else { return };
        let alone = Space::default().with_nodes(&[second.path()]).without(image.dir.path());
        let before = fingerprint(first.path());
        for space in [alone.clone(), alone.weak()] {
            let said = space.ask(second.path(), 1 << 20).expect_err("it is mounted");
            assert!(said.contains("loop"), "{said}");
        }
        assert_eq!(fingerprint(first.path()), before);
    }
}

#[test]
fn a_device_whose_neighbours_cannot_be_asked_is_free_where_they_are_plainly_others() {
    let length = odd();
    let (image, long, same) = (Image::of(length), Image::of(length + (1 << 20)), Image::of(length));
    if !possible() {
        return;
    }
    let (Some(target), Some(_long)) = (LoopOver::with(&image.path, &[]), LoopOver::with(&long.link, &[]))
    else {
        return;
    };
    let alone = Space::default().with_nodes(&[target.path()]).weak();
    let hidden = alone.clone().without(long.dir.path());
    assert_eq!(hidden.ask(target.path(), 4096), Ok(()), "it has another length");
    let Some(_same) = LoopOver::with(&same.link, &[]) else { return };
    assert_eq!(alone.ask(target.path(), 4096), Ok(()), "its name leads to another file");
    let said = alone.clone().without(same.dir.path()).ask(target.path(), 4096).unwrap_err();
    assert!(said.contains("cannot be asked what it shows"), "{said}");
    // Another file now has the name.
    let decoy = same.dir.path().join("decoy");
    std::fs::File::create(&decoy).unwrap().set_len(length).unwrap();
    let mut decoyed = alone;
    decoyed.words.push(format!("mount --bind '{}' '{}'", text(&decoy), text(&same.link)));
    assert!(decoyed.ask(target.path(), 4096).is_err(), "nobody has the file open that the name leads to");
}

#[test]
fn a_file_is_free_beside_loops_that_cannot_be_asked_unless_somebody_has_it_open() {
    let length = odd();
    let (image, file) = (Image::of(length), Image::of(length));
    if !possible() {
        return;
    }
    let Some(_neighbour) = LoopOver::with(&image.path, &[]) else { return };
    let space = Space::default().with_nodes(&[]).weak().without(image.dir.path());
    assert_eq!(space.ask(&file.path, 4096), Ok(()));
    let Some(_reads) = LoopOver::with(&file.link, &["--read-only"]) else { return };
    assert!(space.ask(&file.path, 4096).is_err(), "a read-only loop, by another name");
    assert!(space.without_sys().ask(&file.path, 4096).is_err());
}

#[test]
fn without_sys_no_device_is_written_and_a_file_that_nobody_has_open_is() {
    let length = odd();
    let (image, file) = (Image::of(length), Image::of(length));
    if !possible() {
        return;
    }
    let Some(device) = LoopOver::with(&image.path, &[]) else { return };
    let space = Space::default().without_sys();
    let said = space.ask(device.path(), 4096).unwrap_err();
    assert!(said.contains("mount -t sysfs"), "{said}");
    assert_eq!(space.ask(&file.path, 4096), Ok(()));
    assert_eq!(space.ask(&file.dir.path().join("new"), 4096), Ok(()));
}

#[test]
fn a_loop_over_a_device_that_no_table_shows_as_mounted_is_refused_without_its_node() {
    let (file, point) = (unnamed(Bytes::mib(32)), directory());
    if !possible() {
        return;
    }
    let Some(below) = testbed::loop_over(&file) else { return };
    // Another process that writes to it would be reported, which is not what this tests.
    drop(file);
    let Some(mount) = mounted(below.path(), point.path()) else { return };
    let Some(above) = LoopOver::with(below.path(), &[]) else { return };
    let busy = std::fs::File::open(point.path()).unwrap();
    assert!(run(&["umount", "--lazy", &text(point.path())]));
    let space = Space::default().with_nodes(&[above.path()]);
    // A namespace made by a concurrent test may still have the mount, which is then reported instead.
    let says = |space: &Space, why: &str| space.ask(above.path(), 4096).unwrap_err().contains(why);
    assert!(comes_true(|| says(&space, "exclusively")), "{:?}", space.ask(above.path(), 4096));
    let weak = space.clone().weak();
    assert!(comes_true(|| says(&weak, "cannot be seen")), "{:?}", weak.ask(above.path(), 4096));
    drop((busy, mount));
    let mut said = Ok(());
    let is_free = || {
        said = space.ask(above.path(), 4096);
        said.is_ok()
    };
    assert!(comes_true(is_free), "free again: {said:?}");
}

#[test]
fn a_partition_of_ours_excuses_no_other_partition_of_its_disk() {
    let (file, point) = (unnamed(Bytes::mib(64)), directory());
    if !root_or_skip("partitions") || !has("partx") {
        return;
    }
    let Some(disk) = testbed::loop_over(&file) else { return };
    let mut table = [0u8; 512];
    for (at, start) in [(446, 2048u32), (462, 65536)] {
        table[at + 4] = 0x83;
        table[at + 8..at + 12].copy_from_slice(&start.to_le_bytes());
        table[at + 12..at + 16].copy_from_slice(&63_488u32.to_le_bytes());
    }
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    crate::stacks::write_at(disk.path(), 0, &table);
    if !run(&["partx", "--add", &text(disk.path())]) {
        return;
    }
    let _delete = Undo::by(&["partx", "--delete", &text(disk.path())]);
    let part = |number| PathBuf::from(format!("{}p{number}", text(disk.path())));
    let Some(mount) = mounted(&part(1), point.path()) else { return };
    let range = ["--offset", "1048576", "--sizelimit", "32505856"];
    let Some(alias) = LoopOver::with(disk.path(), &range) else { return };
    // No table lists the mount any more, so only the kernel's claim shows it.
    let busy = std::fs::File::open(point.path()).unwrap();
    assert!(run(&["umount", "--lazy", &text(point.path())]));
    let _ours = permit_block_device(&part(2), &allow(&part(2))).unwrap();
    let refused = permit_block_device(alias.path(), &allow(alias.path()));
    let Err(GuardError::InUse { holds, .. }) = refused else { panic!("{refused:?}") };
    // Unless a concurrent test has just entered a namespace of its own, with a copy of the mount.
    let told = matches!(holds.as_slice(), [Hold::Claimed { .. } | Hold::Mounted { seen_by: Some(_), .. }]);
    assert!(told, "{holds:?}");
    drop((busy, mount));
    assert!(
        comes_true(|| permit_block_device(alias.path(), &allow(alias.path())).is_ok()),
        "ours excuses itself"
    );
}

#[test]
fn the_two_names_of_a_file_in_an_overlay_are_one_file() {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    for name in ["lower", "upper", "work"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::fs::write(at("lower").join("low"), vec![1; 1 << 20]).unwrap();
    let layers = ["lowerdir", "upperdir", "workdir"]
        .map(|key| format!("{key}={}", text(&at(&key[..5].replace("workd", "work")))));
    let Some(over) = MountGuard::at(at("over"), &["-t", "overlay", "-o", &layers.join(","), "none"]) else {
        return;
    };
    std::fs::write(over.path("up"), vec![2; 1 << 20]).unwrap();
    for (name, below) in [("up", at("upper").join("up")), ("low", at("lower").join("low"))] {
        let merged = over.path(name);
        let (Some(one), Some(other)) =
            (LoopOver::with(&merged, &["--read-only"]), LoopOver::with(&below, &["--read-only"]))
        else {
            return;
        };
        for target in [one.path(), other.path(), &below, &merged] {
            let refused = permit_named_file(target);
            let Err(GuardError::InUse { holds, .. }) = &refused else { panic!("{target:?}: {refused:?}") };
            assert!(holds.iter().any(|hold| matches!(hold, Hold::Loop { .. })), "{holds:?}");
        }
        drop(other);
        let refused = permit_named_file(&below);
        assert!(matches!(refused, Err(GuardError::InUse { .. })), "by the other name alone: {refused:?}");
    }
}

#[test]
fn a_device_that_something_unseen_writes_to_is_refused() {
    use std::os::unix::fs::FileExt;
    let file = unnamed(Bytes::mib(4));
    let Some(device) = testbed::loop_over(&file) else { return };
    // The guard does not search this process itself.
    let writer = std::fs::OpenOptions::new().write(true).open(device.path()).unwrap();
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                writer.write_all_at(&[7; 4096], 0).and_then(|()| writer.sync_data()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        });
        let refused = permit_block_device(device.path(), &allow(device.path()));
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
        let Err(GuardError::InUse { holds, .. }) = refused else { panic!("{refused:?}") };
        assert!(matches!(holds.as_slice(), [Hold::Written { .. }]), "{holds:?}");
    });
    drop(writer);
    assert!(comes_true(|| permit_block_device(device.path(), &allow(device.path())).is_ok()), "free again");
}

#[test]
fn a_child_holds_nothing_of_ours() {
    let (dir, file) = (directory(), unnamed(Bytes::mib(1)));
    let Some(device) = testbed::loop_over(&file) else { return };
    let (permit, _) = permit_block_device(device.path(), &allow(device.path())).unwrap();
    let named = permit_named_file(&dir.path().join("named")).unwrap();
    let open = [&permit, &named].map(|permit| kernel::open_for_write(permit, kernel::Direct::No).unwrap());
    let inherited = |process: &str| -> Vec<String> {
        let out = Command::new("ls").args(["-l", &format!("/proc/{process}/fd")]).output().unwrap();
        String::from_utf8_lossy(&out.stdout).lines().map(str::to_owned).collect()
    };
    let is_ours = |line: &&String| {
        let marks = [text(device.path()), text(dir.path()), "anon_inode".to_owned(), "(deleted)".to_owned()];
        marks.iter().any(|mark| line.contains(mark.as_str()))
    };
    let (size, clock) = (QueueSize { depth: 1, slot_bytes: 4096 }, Clock::start());
    let file = std::slice::from_ref(&open[1]);
    let queues = crate::queues::usable().into_iter().map(|kind| kernel::open_queue(kind, file, size, clock));
    let queues: Vec<_> = queues.map(Result::unwrap).collect();
    let own = inherited(&std::process::id().to_string());
    assert!(own.iter().filter(is_ours).count() >= 6, "this process has them: {own:?}");
    let child = inherited("self");
    assert_eq!(child.iter().find(is_ours), None);
    drop(queues);
}
