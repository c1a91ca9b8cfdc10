//! A block device keeps every byte unless it is named; if it is, what will be lost is reported first; in use, it is
//! never written.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::process::Command;

use crate::machine::*;

/// How a signature gets onto a device.
enum Maker {
    /// By the tool that makes such signatures; the device is added to its words.
    Tool(&'static [&'static str]),
    /// Byte by byte, for tools that need drivers which not every kernel has.
    Bytes(&'static [(u64, &'static [u8])]),
}

/// A Linux partition of 60 MiB, starting at 1 MiB, in a master boot record: flag, type, first sector, sectors.
const MBR: &[(u64, &[u8])] =
    &[(446, &[0, 0, 0, 0, 0x83, 0, 0, 0, 0x00, 0x08, 0, 0, 0x00, 0xe0, 0x01, 0]), (510, &[0x55, 0xaa])];

/// Signatures, each with the name that the guard gives it.
const SIGNATURES: [(Maker, &str); 8] = [
    (Maker::Tool(&["mkfs.ext4", "-q", "-F"]), "ext4"),
    (Maker::Tool(&["mkfs.xfs", "-q", "-f"]), "XFS"),
    (Maker::Tool(&["pvcreate", "-q", "-y", "--config", "devices/use_devicesfile=0"]), "LVM2"),
    (Maker::Tool(&["mkswap", "-q"]), "swap"),
    (Maker::Bytes(MBR), "MBR partition table"),
    (Maker::Bytes(&[(450, &[0xee]), (510, &[0x55, 0xaa]), (512, b"EFI PART")]), "GPT partition table"),
    (Maker::Bytes(&[(4096, &[0xfc, 0x4e, 0x2b, 0xa9, 1])]), "Linux RAID member"),
    (Maker::Bytes(&[(7 << 20, &[42; 4 << 20])]), "unsigned data that is not zero"),
];

/// XFS needs at least 300 MiB.
const SIZE: u64 = 320;

/// Makes a device with a signature; returns `None`, with the reason printed, if it cannot be made here.
fn signed(folder: &Folder, maker: &Maker) -> Option<Disk> {
    let disk = Disk::of(folder, SIZE, Through::Cache)?;
    match maker {
        Maker::Tool(words) => disk.made(words).then_some(disk),
        Maker::Bytes(parts) => {
            parts.iter().for_each(|(at, bytes)| disk.write_at(*at, bytes));
            Some(disk)
        }
    }
}

#[test]
#[ignore = "night: a minute of checks"]
fn without_leave_no_byte_of_a_device_changes_and_the_verdict_says_so() {
    let folder = Folder::in_memory();
    let blank = Disk::of(&folder, SIZE, Through::Cache).into_iter();
    let signed = SIGNATURES.iter().filter_map(|(maker, _)| signed(&folder, maker));
    let disks: Vec<Disk> = blank.chain(signed).collect();
    let before: Vec<u64> = disks.iter().map(Disk::fingerprint).collect();
    let check = |disk: &Disk| folder.plimsoll(&["check", &disk.node(), "--effort", "brief", "--busy"]);
    let running: Vec<Running> = disks.iter().map(|disk| Running::start(&mut check(disk))).collect();
    let all: Vec<ProgramOutput> = running.into_iter().map(Running::wait).collect();
    for (ended, (disk, before)) in all.iter().zip(disks.iter().zip(before)) {
        assert!(disk.fingerprint() == before, "{} has changed:\n{}", disk.node(), ended.out);
        let told = ended.told();
        assert!(told.contains("Only reads were measured"), "{told}");
        assert!(told.contains("a thin device may answer") && told.contains("from nothing"), "{told}");
        assert!(ended.complained().contains("Writes nothing"), "{}", ended.err);
        // Nothing was claimed, or the loop device's page cache makes it void; neither is a failure.
        assert!(matches!(ended.code, Some(0 | 4)), "{:?}\n{}", ended.code, ended.err);
    }
}

#[test]
fn with_leave_what_goes_is_named_before_the_first_write() {
    let folder = Folder::in_memory();
    for (maker, name) in &SIGNATURES {
        let Some(disk) = signed(&folder, maker) else { continue };
        let (node, before) = (disk.node(), disk.fingerprint());
        let words = ["check", &node, "--allow-destroy", &node, "--effort", "brief", "--size", "64M"];
        // The idle check comes between the announcement and the first write: a second in which nothing may be written.
        let mut running = Running::start(&mut folder.plimsoll(&words));
        assert!(running.has_said("EVERYTHING"), "{name}");
        assert!(running.has_said(name), "not named {name}: {}", running.wait().err);
        running.signal("INT");
        let ended = running.wait();
        assert_eq!(ended.code, Some(130), "{}", ended.err);
        assert!(disk.fingerprint() == before, "{name}: written before it was named");
    }
}

#[test]
#[ignore = "night: real rates"]
fn with_leave_writes_are_measured_on_the_device_that_is_named() {
    let folder = Folder::in_memory();
    let Some(disk) = signed(&folder, &SIGNATURES[0].0) else { return };
    let Some(other) = Disk::of(&folder, SIZE, Through::Cache) else { return };
    let (node, before) = (disk.node(), disk.fingerprint());
    let untouched = other.fingerprint();
    let words = ["check", &node, "--allow-destroy", &node, "--effort", "brief", "--busy", "--format", "json"];
    let neighbours = Neighbours::watch();
    let mut running = Running::start(&mut folder.plimsoll(&words));
    // By then the layout has ended, and every kind of write has happened once.
    assert!(running.has_said("read depth 1"), "{}", running.wait().err);
    running.signal("INT");
    let ended = running.wait();
    let steps = ended.json()["steps"].as_array().unwrap().clone();
    let written = |name: &str| {
        let step = steps.iter().find(|step| step["name"] == name);
        step.and_then(|step| step["totals"]["write"]["bytes"].as_u64()).unwrap_or(0)
    };
    if written("layout") < SIZE << 20 {
        return neighbours.excuse_or_fail(ended.err);
    }
    assert!(written("latency write") > 0 && written("latency flush") > 0, "{}", ended.err);
    assert!(!ended.told().contains("Only reads were measured"));
    assert!(disk.fingerprint() != before);
    assert!(other.fingerprint() == untouched, "a device that was not named has changed");
    assert_eq!(ended.err.find("EVERYTHING").map(|told| told < ended.err.find("layout").unwrap()), Some(true));
}

/// Asserts that permission to destroy `disk`, which is in use in a way that `words` name, is refused.
fn refused(folder: &Folder, disk: &Disk, words: &[&str]) {
    let (node, before) = (disk.node(), disk.fingerprint());
    let ended = ended(&mut folder.plimsoll(&["check", &node, "--allow-destroy", &node, "--busy"]));
    assert_eq!(ended.code, Some(2), "{}\n{}", ended.out, ended.err);
    let complained = ended.complained();
    for word in words.iter().chain(&[node.as_str(), "is in use and is never written", "release it first"]) {
        assert!(complained.contains(word), "not said: {word}\n{complained}");
    }
    assert!(ended.out.is_empty() && disk.fingerprint() == before, "{}", ended.out);
}

#[test]
fn a_mounted_device_is_refused_with_leave() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::read_only(&folder, 100) else { return };
    refused(&folder, &volume.disk, &["is mounted at", &volume.mount.text().replace("/./", "/")]);
}

#[test]
fn a_device_with_a_mounted_partition_is_refused_with_leave() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 100, Through::Cache) else { return };
    MBR.iter().for_each(|(at, bytes)| disk.write_at(*at, bytes));
    if !run(&["partx", "--add", &disk.node()]) {
        return;
    }
    let _parts = Undo::by(&["partx", "--delete", &disk.node()]);
    let part = format!("{}p1", disk.node());
    if !comes_true(|| std::path::Path::new(&part).exists()) {
        return skipped(Lack::Kernel, "nobody makes a node for the partition");
    }
    if !run(&["mkfs.ext4", "-q", "-F", &part]) {
        return;
    }
    let Some(mount) = MountGuard::at(folder.path("part"), &[&part]) else { return };
    refused(&folder, &disk, &["p1 is mounted at"]);
    drop(mount);
}

#[test]
fn a_device_below_another_loop_is_refused_with_leave() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 100, Through::Cache) else { return };
    let Some(above) = disk.shown_again() else { return };
    let name = text(above.path()).trim_start_matches("/dev/").to_owned();
    refused(&folder, &disk, &["loop device", &name, "is attached to"]);
}

#[test]
fn swap_space_in_use_is_refused_with_leave() {
    let folder = Folder::new();
    let Some(disk) = Disk::of(&folder, 80, Through::Cache) else { return };
    if !disk.made(&["mkswap", "-q"]) || !run(&["swapon", "--priority", "0", &disk.node()]) {
        return;
    }
    let _off = Undo::by(&["swapoff", &disk.node()]);
    refused(&folder, &disk, &["is in use as swap space"]);
}

#[test]
fn the_member_of_a_running_array_is_refused_with_leave() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 80, Through::Cache) else { return };
    let array = format!("/dev/md/plimsoll-{}", disk.name());
    let node = disk.node();
    // Without a daemon for device names, a name may stay behind even if the array could not be made.
    let _name = Undo::by(&["rm", "-f", &array]);
    if !run(&["mdadm", "--create", &array, "--run", "--force", "--level=1", "--raid-devices=1", &node]) {
        return;
    }
    let _stop = Undo::by(&["mdadm", "--stop", &array]);
    refused(&folder, &disk, &["is built on"]);
}

#[test]
fn a_device_that_another_program_holds_is_refused_with_leave() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 100, Through::Cache) else { return };
    let node = disk.node();
    // A check holds its device exclusively while it runs.
    let words = ["check", &node, "--allow-destroy", &node, "--effort", "brief", "--busy"];
    let mut first = Running::start(&mut folder.plimsoll(&words));
    assert!(first.has_said("latency read"), "{}", first.wait().err);
    let second = ended(&mut folder.plimsoll(&words));
    assert_eq!(second.code, Some(2), "{}", second.err);
    assert!(
        second.complained().contains("holds this device exclusively; release it first"),
        "{}",
        second.err
    );
    first.signal("INT");
    assert_eq!(first.wait().code, Some(130));
}

#[test]
fn an_existing_file_keeps_every_byte() {
    let folder = Folder::in_memory();
    let path = folder.make_file("precious", 70);
    let before = std::fs::read(&path).unwrap();
    let mut running =
        Running::start(&mut folder.plimsoll(&["check", &text(&path), "--effort", "brief", "--busy"]));
    assert!(running.has_said("read depth 2"), "{}", running.wait().err);
    running.signal("INT");
    let ended = running.wait();
    assert!(std::fs::read(&path).unwrap() == before, "it has changed");
    assert!(ended.told().contains("Only reads were measured"), "{}", ended.out);
}

#[test]
fn a_link_to_a_device_is_the_device() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 100, Through::Cache) else { return };
    let link = folder.text("innocent");
    std::os::unix::fs::symlink(volume.disk.path(), &link).unwrap();
    let ended = ended(&mut folder.plimsoll(&["check", &link, "--allow-destroy", &link, "--busy"]));
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.complained().contains("is mounted at"), "{}", ended.err);
}

#[test]
fn leave_for_a_disk_is_no_leave_for_another_name_in_its_place() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 100, Through::Cache) else { return };
    let before = disk.fingerprint();
    // No device at all, and devices that are not the target.
    for named in ["/dev/null", "/dev/zero", "/", "/dev/nowhere"] {
        let words = ["check", &disk.node(), "--allow-destroy", named, "--busy"];
        let ended = ended(&mut folder.plimsoll(&words));
        assert_eq!(ended.code, Some(2), "{named}: {}", ended.err);
        assert!(ended.complained().contains("would destroy"), "{}", ended.err);
    }
    assert!(disk.fingerprint() == before);
    let lists = Command::new("losetup").arg(disk.path()).output().unwrap();
    assert!(lists.status.success(), "the device is still there");
}

#[test]
fn buffers_that_would_take_others_memory_are_refused_before_they_are_touched() {
    let Some(group) = MemoryGroup::or_skip(512 << 20) else { return };
    let folder = Folder::new();
    folder.make_file("data", 64);
    let script = "echo $$ > \"$1/cgroup.procs\" && shift && exec \"$@\"";
    std::fs::write(folder.path("inside"), script).unwrap();
    let inside = |words: &[&str]| {
        ended(&mut folder.through("sh", &[&["@/inside", &text(group.folder()), "plimsoll"], words].concat()))
    };
    let job = ["fio", "--name=a", "--filename=@/data", "--rw=read", "--size=64m", "--direct=1"];
    let run = |more: &[&str]| inside(&[&job[..], more].concat());
    for engine in ["--ioengine=io_uring", "--ioengine=libaio"] {
        let refused = run(&[engine, "--bs=16m", "--iodepth=64"]);
        assert_eq!(refused.code, Some(1), "{}", refused.err);
        let said = refused.complained();
        assert!(said.contains("the buffers need 1 GiB, more than half of the"), "{said}");
        assert!(said.contains("the control group /plimsoll-memory-"), "{said}");
        assert!(said.contains("ask for a smaller queue depth, smaller blocks or fewer jobs"), "{said}");
        let fits = run(&[engine, "--bs=1m", "--iodepth=64"]);
        assert_eq!(fits.code, Some(0), "{}", fits.err);
    }
    let many = run(&["--ioengine=psync", "--bs=16m", "--numjobs=64"]);
    assert!(
        many.code != Some(0) && many.complained().contains("need 1 GiB"),
        "over all workers: {}",
        many.err
    );
    let single = inside(&["ioping", "-c", "1", "-s", "400m", "-S", "400m", "@/"]);
    assert!(single.complained().contains("the buffers need 400 MiB"), "{:?} {}", single.code, single.err);
}

/// Makes a second loop device on the image that `disk` shows.
fn alias(disk: &Disk) -> Option<LoopOver> {
    LoopOver::or_skip(Path::new(&disk.image_path()), Through::Cache)
}

/// Asserts that writing to `node` is refused, with permission and in every dialect, naming `words`, and that `disk`
/// keeps every byte.
fn refused_everywhere(folder: &Folder, node: &str, (disk, words): (&Disk, &[&str])) {
    let before = disk.fingerprint();
    let filename = format!("--filename={node}");
    let fio = ["fio", "--name=a", &filename, "--rw=write", "--bs=64k", "--size=1m", "--ioengine=psync"];
    let lines: [&[&str]; 4] = [
        &["check", node, "--allow-destroy", node, "--busy"],
        &fio,
        &["diskspd", "-w100", "-d1", "-W0", "-b64K", node],
        &["ioping", "-WWW", "-c", "2", "-i", "0", node],
    ];
    for line in lines {
        let ended = ended(&mut folder.plimsoll(line));
        assert_ne!(ended.code, Some(0), "{line:?}\n{}", ended.out);
        let told = format!("{}{}", ended.out, ended.err).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.iter().all(|word| told.contains(word)), "{line:?} does not say {words:?}:\n{told}");
        assert!(disk.fingerprint() == before, "{line:?} has written");
    }
}

#[test]
fn a_file_system_mounted_through_another_loop_is_refused_in_every_tools_words() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::read_only(&folder, 64) else { return };
    let Some(second) = alias(&volume.disk) else { return };
    let said = format!("{} is mounted at", volume.disk.name());
    refused_everywhere(&folder, &text(second.path()), (&volume.disk, &[&said]));
}

#[test]
fn a_loop_over_a_mounted_device_is_refused_in_every_tools_words() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::read_only(&folder, 64) else { return };
    let Some(above) = volume.disk.shown_again() else { return };
    let said = format!("{} is mounted at", volume.disk.name());
    refused_everywhere(&folder, &text(above.path()), (&volume.disk, &[&said]));
}

#[test]
fn a_device_that_another_program_writes_to_is_refused_in_every_tools_words() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 64, Through::Cache) else { return };
    let open = std::fs::OpenOptions::new().read(true).write(true).open(disk.path()).unwrap();
    let said = format!("has {} open for writing", disk.name());
    let me = format!("(process {})", std::process::id());
    refused_everywhere(&folder, &disk.node(), (&disk, &[&said, &me]));
    drop(open);
}

#[test]
fn another_tools_words_say_what_goes_before_they_write_it() {
    let folder = Folder::in_memory();
    let node_of = |disk: &Disk| format!("--filename={}", disk.node());
    for (maker, name) in &SIGNATURES[..4] {
        let Some(disk) = signed(&folder, maker) else { continue };
        let read = ["fio", "--name=a", &node_of(&disk), "--rw=read", "--size=1m", "--ioengine=psync"];
        let ended_read = ended(&mut folder.plimsoll(&read));
        assert!(!ended_read.err.contains("EVERYTHING"), "reads destroy nothing: {}", ended_read.err);
        // Far from the signatures, so that the second run finds what the first found.
        let fio = [
            "fio",
            "--name=a",
            &node_of(&disk),
            "--rw=write",
            "--offset=32m",
            "--size=1m",
            "--ioengine=psync",
        ];
        let diskspd = ["diskspd", "-w100", "-d1", "-W0", "-b64K", "-f33M", "-B32M", &disk.node()];
        for words in [&fio[..], &diskspd[..]] {
            let ended = ended(&mut folder.plimsoll(words));
            assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.err);
            assert_eq!(ended.err.matches("EVERYTHING on").count(), 1, "{words:?}: {}", ended.err);
            assert!(ended.err.contains(name), "{words:?} does not name {name}: {}", ended.err);
        }
    }
    let Some(blank) = Disk::of(&folder, 64, Through::Cache) else { return };
    let fio = ["fio", "--name=a", &node_of(&blank), "--rw=write", "--size=1m", "--ioengine=psync"];
    let ended = ended(&mut folder.plimsoll(&fio));
    assert!(!ended.err.contains("EVERYTHING"), "nothing goes: {}", ended.err);
}

#[test]
fn the_file_that_ioping_keeps_is_not_taken_from_somebody_else() {
    let folder = Folder::new();
    let place = folder.make_dir("kept");
    let kept = place.join("ioping.tmp");
    std::fs::write(&kept, [7; 65536]).unwrap();
    let ping =
        |size: &str| ended(&mut folder.plimsoll(&["ioping", "-k", "-c", "1", "-S", size, &text(&place)]));
    let refused = ping("1m");
    assert_ne!(refused.code, Some(0), "{}", refused.out);
    assert!(refused.complained().contains("was not laid out by plimsoll"), "{}", refused.err);
    assert_eq!(std::fs::read(&kept).unwrap(), [7; 65536]);
    assert_eq!(ping("64k").code, Some(0));
    assert_eq!(std::fs::read(&kept).unwrap(), [7; 65536]);
    std::fs::remove_file(&kept).unwrap();
    assert_eq!(ping("1m").code, Some(0));
    assert_eq!(std::fs::metadata(&kept).unwrap().len(), 1 << 20);
}
