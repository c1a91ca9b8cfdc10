//! The guard on real devices: what it refuses, what it names, and that a refusal changes no byte.
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use kernel::guard::{
    AllowDestroy, GuardError, Hold, SignatureKind, permit_block_device, permit_file_of_ours,
    permit_named_file, survey,
};
use kernel::{Direct, open_for_read, open_for_write};
use testbed::{LoopOver, Undo, comes_true, directory, fingerprint, has, loop_of, run, text};
use workload::Bytes;

fn allow(path: &Path) -> AllowDestroy {
    AllowDestroy::devices([path.to_owned()])
}

fn holds_of(error: GuardError) -> Vec<Hold> {
    match error {
        GuardError::InUse { holds, .. } => holds,
        other => panic!("expected a hold, got: {other}"),
    }
}

#[test]
fn a_device_that_is_not_named_is_not_written_whatever_is_on_it() {
    let Some(device) = loop_of(Bytes::mib(32)) else { return };
    let node = device.path();
    run(&["mkfs.ext4", "-q", &text(node)]);
    let before = fingerprint(node);
    let error = permit_block_device(node, &AllowDestroy::default()).unwrap_err();
    assert!(error.to_string().contains("--allow-destroy"), "{error}");
    let other = AllowDestroy::devices([PathBuf::from("/dev/null"), PathBuf::from("/nowhere")]);
    assert!(matches!(permit_block_device(node, &other), Err(GuardError::NotAllowed { .. })));
    assert_eq!(fingerprint(node), before);
}

#[test]
fn a_named_device_is_ours_alone_and_what_it_held_is_told_first() {
    let Some(device) = loop_of(Bytes::mib(32)) else { return };
    let node = device.path();
    let has_ext4 = run(&["mkfs.ext4", "-q", &text(node)]);
    let before = fingerprint(node);
    let (permit, destruction) = permit_block_device(node, &allow(node)).unwrap();
    if has_ext4 {
        assert!(destruction.to_string().contains("ext2/ext3/ext4 file system"), "{destruction}");
    }
    assert!(matches!(permit_block_device(node, &allow(node)), Err(GuardError::Busy { .. })));
    if has_ext4 {
        let mount_point = directory();
        let mounted = std::process::Command::new("mount").arg(node).arg(mount_point.path()).output().unwrap();
        assert!(!mounted.status.success(), "a device that we hold can be mounted by nobody");
    }
    let file = open_for_write(&permit, Direct::Yes).unwrap();
    assert!(file.is_writable() && file.size() == Bytes::mib(32));
    drop((file, permit));
    assert_eq!(fingerprint(node), before, "neither permit nor opening writes");
    assert!(comes_true(|| permit_block_device(node, &allow(node)).is_ok()), "it is free again");
}

#[test]
fn a_device_that_a_tools_command_line_names_is_searched_for_marks_but_not_sampled() {
    let Some(device) = loop_of(Bytes::mib(32)) else { return };
    let node = device.path();
    run(&["mkfs.ext4", "-q", &text(node)]);
    let allowed = permit_block_device(node, &allow(node)).unwrap().1;
    let mut named = None;
    assert!(comes_true(|| {
        named = permit_named_file(node).ok();
        named.is_some()
    }));
    let found = named.as_ref().unwrap().destruction().unwrap();
    assert_eq!((&found.signatures, found.sample.blocks), (&allowed.signatures, 0));
    assert!(allowed.sample.blocks > 1_000);
}

#[test]
fn a_link_to_the_device_names_it_too_but_a_name_for_another_does_not() {
    let (Some(first), Some(second)) = (loop_of(Bytes::mib(1)), loop_of(Bytes::mib(1))) else { return };
    let dir = directory();
    let link = dir.path().join("by-id");
    symlink(first.path(), &link).unwrap();
    assert!(permit_block_device(first.path(), &allow(&link)).is_ok());
    assert!(permit_block_device(&link, &allow(first.path())).is_ok());
    assert!(permit_block_device(second.path(), &allow(&link)).is_err());
}

#[test]
fn a_mounted_device_is_refused_although_it_is_named() {
    let Some(device) = loop_of(Bytes::mib(32)) else { return };
    let node = device.path();
    let point = directory();
    if !run(&["mkfs.ext4", "-q", &text(node)]) || !run(&["mount", &text(node), &text(point.path())]) {
        return;
    }
    let unmount = Undo::by(&["umount", &text(point.path())]);
    let by_permit = permit_block_device(node, &allow(node)).unwrap_err();
    assert!(by_permit.to_string().contains("is mounted at"), "{by_permit}");
    assert!(matches!(holds_of(by_permit).as_slice(), [Hold::Mounted { .. }]));
    assert!(matches!(permit_named_file(node), Err(GuardError::InUse { .. })));
    assert!(open_for_read(node, Direct::Yes).is_ok(), "reading needs no permit");
    drop(unmount);
    assert!(comes_true(|| permit_named_file(node).is_ok()), "free again");
}

#[test]
fn swap_space_in_use_is_refused() {
    let Some(device) = loop_of(Bytes::mib(16)) else { return };
    let node = device.path();
    if !run(&["mkswap", &text(node)]) || !run(&["swapon", &text(node)]) {
        return;
    }
    let _off = Undo::by(&["swapoff", &text(node)]);
    let error = permit_block_device(node, &allow(node)).unwrap_err();
    assert!(error.to_string().contains("swap"), "{error}");
}

#[test]
fn what_backs_another_device_is_refused_but_a_loop_on_a_file_is_not() {
    let Some(below) = loop_of(Bytes::mib(16)) else { return };
    let (permit, _) = permit_block_device(below.path(), &allow(below.path())).unwrap();
    let options = kernel::lab::LoopOptions { direct: Direct::No, size_limit: None, block_size: None };
    let above = kernel::lab::LoopDevice::attach(&permit, options).unwrap();
    drop(permit);
    let error = permit_block_device(below.path(), &allow(below.path())).unwrap_err();
    assert!(matches!(holds_of(error).as_slice(), [Hold::Loop { .. }]));
    assert!(permit_block_device(above.path(), &allow(above.path())).is_ok());
}

#[test]
fn a_device_under_a_mapping_is_refused() {
    let Some(device) = loop_of(Bytes::mib(16)) else { return };
    let node = device.path();
    if !has("dmsetup") {
        return;
    }
    let name = format!("plimsoll-test-{}", std::process::id());
    let table = format!("0 2048 linear {} 0", text(node));
    if !run(&["dmsetup", "create", &name, "--table", &table]) {
        return;
    }
    let _remove = Undo::by(&["dmsetup", "remove", &name]);
    let error = permit_block_device(node, &allow(node)).unwrap_err();
    assert!(error.to_string().contains("is built on"), "{error}");
}

/// Runs every installed tool that makes signatures; each must be named by these words.
#[test]
fn signatures_made_by_the_real_tools_are_named() {
    let rows: [(&[&str], &str, SignatureKind); 6] = [
        (&["mkfs.ext4", "-q"], "ext4", SignatureKind::FileSystem),
        (&["mkfs.xfs", "-q", "-f"], "XFS", SignatureKind::FileSystem),
        (&["mkfs.vfat"], "FAT", SignatureKind::FileSystem),
        (&["mkfs.btrfs", "-q"], "btrfs", SignatureKind::FileSystem),
        (&["mkswap"], "swap", SignatureKind::Swap),
        (&["pvcreate", "-y", "--config", "devices/use_devicesfile=0"], "LVM2", SignatureKind::VolumeManager),
    ];
    for (tool, name, kind) in rows {
        let Some(device) = loop_of(Bytes::mib(320)) else { return };
        let node = text(device.path());
        if !has(tool[0]) || !run(&[tool, &[node.as_str()]].concat()) {
            continue;
        }
        let found = survey(device.path()).unwrap();
        let named = found.signatures.iter().any(|s| s.name.contains(name) && s.kind == kind);
        assert!(named, "{tool:?}: {found}");
    }
}

#[test]
fn raid_members_of_every_version_are_named() {
    for version in ["0.90", "1.0", "1.1", "1.2"] {
        let Some(device) = loop_of(Bytes::mib(32)) else { return };
        let node = text(device.path());
        if !has("mdadm") {
            return;
        }
        let array = format!("/dev/md/plimsoll-test-{}", std::process::id());
        let made = run(&[
            "mdadm",
            "--create",
            &array,
            "--run",
            "--force",
            "--level=1",
            "--raid-devices=1",
            &format!("--metadata={version}"),
            &node,
        ]);
        if !made {
            continue;
        }
        let stop = Undo::by(&["mdadm", "--stop", &array]);
        let held = permit_block_device(device.path(), &allow(device.path()));
        assert!(matches!(held, Err(GuardError::InUse { .. })), "{version}");
        drop(stop);
        let found = survey(device.path()).unwrap();
        assert!(found.to_string().contains(&format!("RAID member ({version})")), "{version}: {found}");
    }
}

#[test]
fn data_without_a_signature_is_told_and_a_blank_device_is_called_blank() {
    let Some(device) = loop_of(Bytes::mib(8)) else { return };
    assert!(survey(device.path()).unwrap().is_blank());
    use std::os::unix::fs::FileExt;
    let file = std::fs::OpenOptions::new().write(true).open(device.path()).unwrap();
    file.write_all_at(&[1], 500_000).unwrap();
    file.sync_all().unwrap();
    let found = survey(device.path()).unwrap();
    assert!(found.to_string().contains("unsigned data that is not zero in 1 of"), "{found}");
}

#[test]
fn existing_files_are_ours_only_by_name_owner_and_kind() {
    let dir = directory();
    let strange = dir.path().join("database.ibd");
    std::fs::write(&strange, b"precious").unwrap();
    assert!(matches!(permit_file_of_ours(&strange), Err(GuardError::NotOurs { .. })));
    let link = dir.path().join(".plimsoll-0badf00d.tmp");
    symlink(&strange, &link).unwrap();
    assert!(permit_file_of_ours(&link).unwrap_err().to_string().contains("link"));
    let twice = dir.path().join(".plimsoll-0badcafe.tmp");
    std::fs::hard_link(&strange, &twice).unwrap();
    assert!(permit_file_of_ours(&twice).unwrap_err().to_string().contains("more than one name"));
    let ours = dir.path().join(".plimsoll-0badbeef.tmp");
    std::fs::write(&ours, b"").unwrap();
    assert!(permit_file_of_ours(&ours).is_ok());
}

#[test]
fn a_named_file_is_made_where_it_is_missing_and_kept_where_it_is_not() {
    let dir = directory();
    let fresh = dir.path().join("job.0.0");
    assert!(permit_named_file(&fresh).is_ok());
    let kept = dir.path().join("kept");
    std::fs::write(&kept, b"still here").unwrap();
    let permit = permit_named_file(&kept).unwrap();
    assert!(open_for_write(&permit, Direct::No).unwrap().is_writable());
    assert_eq!(std::fs::read(&kept).unwrap(), b"still here");
    assert!(permit_named_file(dir.path()).is_err(), "a directory is no file");
    assert!(permit_named_file(Path::new("/dev/null")).is_err(), "nor is a character device");
}

#[test]
fn a_file_that_a_loop_device_shows_is_refused() {
    let dir = directory();
    let path = dir.path().join("image");
    std::fs::write(&path, vec![0; 1 << 20]).unwrap();
    let Some(_device) = testbed::LoopOver::or_skip(&path, testbed::Through::Cache) else { return };
    let error = permit_named_file(&path).unwrap_err();
    assert!(matches!(holds_of(error).as_slice(), [Hold::Loop { .. }]));
}

/// Makes ext4 on `device` and mounts it so that it writes nothing itself; `None`, with the reason printed, if that is not
/// possible here.
pub fn mounted(device: &Path, point: &Path) -> Option<Undo> {
    let made = run(&["mkfs.ext4", "-q", &text(device)])
        && run(&["mount", "--options", "ro,noload", &text(device), &text(point)]);
    made.then(|| Undo::by(&["umount", &text(point)]))
}

/// The holds by which `node` is refused, by name as in another tool's words and with `--allow-destroy`; nothing is changed.
fn refused(node: &Path) -> Vec<Hold> {
    let before = fingerprint(node);
    let by_name = permit_named_file(node).map(drop).unwrap_err();
    if std::fs::metadata(node).unwrap().is_file() {
        return holds_of(by_name);
    }
    let named = permit_block_device(node, &allow(node)).map(drop).unwrap_err();
    assert_eq!(fingerprint(node), before);
    assert_eq!(by_name.to_string(), named.to_string());
    holds_of(named)
}

/// Another process with a path open for writing.
struct Writer(std::process::Child);

impl Writer {
    fn of(path: &Path) -> Writer {
        let file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
        Writer(std::process::Command::new("sleep").arg("600").stdin(file).spawn().unwrap())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).unwrap();
    }
}

#[test]
fn what_is_mounted_through_another_loop_on_the_same_file_is_refused() {
    let (file, point) = (testbed::unnamed(Bytes::mib(32)), directory());
    let (Some(first), Some(second)) = (testbed::loop_over(&file), testbed::loop_over(&file)) else { return };
    let Some(unmount) = mounted(first.path(), point.path()) else { return };
    let holds = refused(second.path());
    assert!(holds.iter().any(|hold| matches!(hold, Hold::Mounted { .. })), "{holds:?}");
    assert!(holds.iter().any(|hold| matches!(hold, Hold::Loop { .. })), "{holds:?}");
    drop(unmount);
    assert!(
        matches!(refused(second.path()).as_slice(), [Hold::Loop { .. }]),
        "an idle one may be used any time"
    );
    drop(first);
    assert!(comes_true(|| permit_block_device(second.path(), &allow(second.path())).is_ok()), "free again");
}

#[test]
fn a_loop_over_a_mounted_device_is_refused() {
    let point = directory();
    let Some(below) = loop_of(Bytes::mib(32)) else { return };
    let Some(unmount) = mounted(below.path(), point.path()) else { return };
    let Some(above) = LoopOver::with(below.path(), &[]) else { return };
    let holds = refused(above.path());
    assert!(matches!(holds.as_slice(), [Hold::Mounted { .. }]), "{holds:?}");
    // Detached from every namespace while a file in it is open: no table lists it any more, but it is still mounted.
    let busy = std::fs::File::open(point.path()).unwrap();
    assert!(run(&["umount", "--lazy", &text(point.path())]));
    assert!(matches!(refused(above.path()).as_slice(), [Hold::Claimed { .. }]));
    drop((busy, unmount));
    assert!(comes_true(|| permit_block_device(above.path(), &allow(above.path())).is_ok()), "free again");
}

#[test]
fn loops_on_ranges_of_a_file_that_share_no_sector_are_free_of_each_other() {
    let dir = directory();
    let image = dir.path().join("image");
    std::fs::write(&image, vec![1; 4 << 20]).unwrap();
    let half = (2 << 20).to_string();
    let (Some(first), Some(second)) =
        (LoopOver::with(&image, &["--sizelimit", &half]), LoopOver::with(&image, &["--offset", &half]))
    else {
        return;
    };
    let (first, second) = (first.path(), second.path());
    assert!(permit_block_device(first, &allow(first)).is_ok());
    let kept = permit_block_device(second, &allow(second)).unwrap();
    assert!(permit_block_device(first, &allow(first)).is_ok(), "while the other is held");
    drop(kept);
    let Some(both) = LoopOver::with(&image, &["--offset", "4096", "--sizelimit", &half]) else { return };
    [first, second, both.path()].into_iter().for_each(|node| drop(refused(node)));
}

#[test]
fn a_file_of_a_loop_is_known_by_every_name_it_has() {
    let dir = directory();
    let [image, link, moved] = ["image", "link", "moved"].map(|name| dir.path().join(name));
    std::fs::write(&image, vec![1; 1 << 20]).unwrap();
    std::fs::hard_link(&image, &link).unwrap();
    let Some(device) = LoopOver::with(&image, &[]) else { return };
    assert!(matches!(refused(&link).as_slice(), [Hold::Loop { .. }]));
    std::fs::remove_file(&image).unwrap();
    assert!(matches!(refused(&link).as_slice(), [Hold::Loop { .. }]), "the name that it was given is gone");
    std::fs::rename(&link, &moved).unwrap();
    assert!(matches!(refused(&moved).as_slice(), [Hold::Loop { .. }]));
    drop(device);
    assert!(comes_true(|| permit_named_file(&moved).is_ok()), "free again");
}

#[test]
fn a_device_that_another_process_has_open_for_writing_is_refused_by_its_name() {
    let file = testbed::unnamed(Bytes::mib(1));
    let Some(device) = testbed::loop_over(&file) else { return };
    let writer = Writer::of(device.path());
    let holds = refused(device.path());
    let [Hold::Open { process, .. }] = holds.as_slice() else { panic!("{holds:?}") };
    assert_eq!((process.pid, process.name.as_str()), (writer.0.id(), "sleep"));
    drop(writer);
    // A reader disturbs nobody.
    let reader = std::fs::File::open(device.path()).unwrap();
    let reader = std::process::Command::new("sleep").arg("600").stdin(reader).spawn().map(Writer).unwrap();
    assert!(permit_block_device(device.path(), &allow(device.path())).is_ok());
    drop(reader);
}

#[test]
fn a_file_that_another_process_writes_to_is_refused_and_so_is_the_loop_that_shows_it() {
    let dir = directory();
    let (image, link) = (dir.path().join("image"), dir.path().join("link"));
    std::fs::write(&image, vec![1; 1 << 20]).unwrap();
    std::fs::hard_link(&image, &link).unwrap();
    let writer = Writer::of(&image);
    assert!(matches!(refused(&link).as_slice(), [Hold::Open { .. }]));
    if let Some(device) = LoopOver::with(&link, &[]) {
        assert!(matches!(refused(device.path()).as_slice(), [Hold::Open { .. }]));
    }
    drop(writer);
    assert!(comes_true(|| permit_named_file(&link).is_ok()), "free again");
}

#[test]
fn a_device_that_another_process_has_locked_is_refused() {
    let file = testbed::unnamed(Bytes::mib(1));
    let Some(device) = testbed::loop_over(&file) else { return };
    if !has("flock") {
        return;
    }
    let locked = |how: &str| {
        let mut command = std::process::Command::new("flock");
        let child = command
            .args(["--no-fork", how, &text(device.path()), "sleep", "600"])
            .spawn()
            .map(Writer)
            .unwrap();
        let comes =
            || std::fs::read_to_string("/proc/locks").unwrap().contains(&format!(" {} ", child.0.id()));
        let patience = std::iter::repeat_n(std::time::Duration::from_millis(10), 1000);
        assert!(patience.inspect(|pause| std::thread::sleep(*pause)).any(|_| comes()));
        child
    };
    let shared = locked("--shared");
    assert!(permit_block_device(device.path(), &allow(device.path())).is_ok(), "udev looks at it");
    drop(shared);
    let exclusive = locked("--exclusive");
    let holds = refused(device.path());
    let [Hold::Locked { process: Some(process), .. }] = holds.as_slice() else { panic!("{holds:?}") };
    assert_eq!(process.pid, exclusive.0.id());
}
