//! Surroundings that lack something: whatever is missing, no byte in use is written, nothing is left, and a message
//! is printed.

use crate::machine::*;

/// What is missing, and the shell commands that remove it before plimsoll runs as `"$@"`.
const SURROUNDINGS: [(&str, &str); 17] = [
    ("address space of 150 MB", "exec prlimit --as=150000000 \"$@\""),
    ("address space of 400 MB", "exec prlimit --as=400000000 \"$@\""),
    ("five descriptors", "exec prlimit --nofile=5 \"$@\""),
    ("twelve descriptors", "exec prlimit --nofile=12 \"$@\""),
    ("files of 1 MB at most", "exec prlimit --fsize=1000000 \"$@\""),
    ("no locked memory", "exec prlimit --memlock=0 \"$@\""),
    ("a stack of 1 MiB", "exec prlimit --stack=1048576 \"$@\""),
    ("no environment", "exec env -i \"$@\""),
    ("no stdin, stdout and stderr", "exec \"$@\" <&- >&- 2>&-"),
    ("no /proc", "umount -l /proc && exec \"$@\""),
    ("no /sys", "umount -l /sys && exec \"$@\""),
    ("neither /proc nor /sys", "umount -l /sys && umount -l /proc && exec \"$@\""),
    ("a /dev with the target alone", "own_dev; exec \"$@\""),
    ("a /dev with the target alone, and its image out of sight", "own_dev; hide; exec \"$@\""),
    ("the image out of sight and no /sys", "hide; umount -l /sys; exec \"$@\""),
    (
        "a /dev with the target alone, no image, neither /proc nor /sys",
        "own_dev; hide; umount -l /sys /proc; exec \"$@\"",
    ),
    ("another user without a group", "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\""),
];

/// Everything runs in mounts of its own; `TARGET` is the device that `own_dev` leaves.
const BEFORE: &str = "set -e; mount --make-rprivate /; own_dev() { mkdir -p \"$KEEP\"; cp -a \"$TARGET\" /dev/null \"$KEEP\"; \
    mount --bind \"$KEEP\" /dev; }; hide() { mount -t tmpfs none \"$HOME\"; mkdir \"$HOME/data\"; }; ";

fn starved(folder: &Folder, (taken, target): (&str, &str), words: &[&str]) -> ProgramOutput {
    std::fs::write(folder.path("starve"), format!("{BEFORE}{taken}")).unwrap();
    let mut command = folder.through("unshare", &[&["-m", "sh", "@/starve", "plimsoll"], words].concat());
    let ended =
        ended(command.env("TARGET", target).env("KEEP", folder.path("dev")).env("HOME", folder.path(".")));
    let _ = std::fs::remove_dir_all(folder.path("dev"));
    ended
}

/// Returns what is wrong with the end of a command that must not write; `None` if all is well.
fn wrong(ended: &ProgramOutput, silent: bool) -> Option<&'static str> {
    let told = format!("{}{}", ended.out, ended.err);
    match ended.code {
        _ if told.contains("panicked") => Some("a panic"),
        None => Some("killed by a signal"),
        Some(0) => Some("a success"),
        Some(1..=4) if silent || !told.trim().is_empty() => None,
        // If there is no room even to load the program, the loader ends with 127.
        Some(126 | 127) => None,
        Some(_) => Some("no words, or a code that is not documented"),
    }
}

#[test]
fn whatever_is_missing_no_mounted_device_is_written() {
    if !root_or_skip("mounts of its own") {
        return;
    }
    let folder = Folder::for_everybody();
    let Some(volume) = Volume::read_only(&folder, 4) else { return };
    // The image below both loop devices is compared, whatever their own caches hold.
    let image = std::path::PathBuf::from(volume.disk.image_path());
    let Some(alias) = LoopOver::or_skip(&image, Through::Cache) else { return };
    let mut before = fingerprint(&image);
    let (node, second) = (volume.disk.node(), text(alias.path()));
    let mut faults = Vec::new();
    for target in [&node, &second] {
        let filename = format!("--filename={target}");
        let lines: [&[&str]; 3] = [
            &[
                "run",
                "database",
                target,
                "--allow-destroy",
                target,
                "--busy",
                "--time",
                "1s",
                "--out",
                "@/out",
            ],
            &["fio", "--name=a", &filename, "--rw=write", "--bs=64k", "--size=1m", "--ioengine=psync"],
            &["ioping", "-WWW", "-c", "2", "-i", "0", target],
        ];
        for (missing, taken) in SURROUNDINGS {
            for line in lines {
                let ended = starved(&folder, (taken, target), line);
                let after = fingerprint(&image);
                let written = std::mem::replace(&mut before, after) != after;
                let why = if written { Some("WRITTEN") } else { wrong(&ended, taken.contains("2>&-")) };
                if let Some(why) = why {
                    faults.push(format!(
                        "{missing}: {why}: {line:?} {:?}\n{}{}",
                        ended.code, ended.out, ended.err
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn whatever_is_missing_a_check_of_a_folder_ends_and_leaves_nothing_there() {
    if !root_or_skip("mounts of its own") {
        return;
    }
    let folder = Folder::for_everybody();
    let target = folder.make_dir("data");
    let mut faults = Vec::new();
    for (missing, taken) in SURROUNDINGS {
        let words = ["run", "database", "@/data", "--size", "8M", "--time", "1s", "--busy", "--out", "@/out"];
        let ended = starved(&folder, (taken, "/dev/zero"), &words);
        let told = format!("{}{}", ended.out, ended.err);
        let left = std::fs::read_dir(&target).unwrap().count();
        let fine = matches!(ended.code, Some(0..=4 | 126 | 127)) && !told.contains("panicked") && left == 0;
        if !fine {
            faults.push(format!("{missing}: {:?}, {left} files left\n{told}", ended.code));
        }
        let _ = std::fs::remove_dir_all(folder.path("out"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_memory_group_of_64_mib_holds_a_run_and_its_report() {
    let Some(group) = MemoryGroup::or_skip(64 << 20) else { return };
    let folder = Folder::new();
    std::fs::write(folder.path("inside"), "echo $$ > \"$GROUP/cgroup.procs\" && exec \"$@\"").unwrap();
    let run = |words: &[&str]| {
        let mut command = folder.through("sh", &[&["@/inside", "plimsoll"], words].concat());
        ended(command.env("GROUP", group.folder()))
    };
    let checked = run(&["check", "sim:aws-gp3", "--out", "@/out"]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
    let reported = run(&["report", &run_file(&folder.path("out"))]);
    assert_eq!(reported.code, Some(0), "{}{}", reported.out, reported.err);
}

#[test]
fn of_two_at_once_on_a_device_the_second_is_refused() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 64, Through::Cache) else { return };
    let node = disk.node();
    let filename = format!("--filename={node}");
    let words = ["fio", "--name=a", &filename, "--rw=randwrite", "--time_based", "--runtime=30"];
    let first = Running::start(&mut folder.plimsoll(&words));
    assert!(comes_true(|| open_by(first.id(), &node)), "the first has begun");
    let second = ended(&mut folder.plimsoll(&["run", "database", &node, "--allow-destroy", &node, "--busy"]));
    assert_eq!(second.code, Some(2), "{}{}", second.out, second.err);
    first.signal("INT");
    let first = first.wait();
    assert!(!first.err.contains("panicked"), "{}", first.err);
}

/// Whether the process has `node` open.
fn open_by(process: u32, node: &str) -> bool {
    let held = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    held.filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .any(|path| path == std::path::Path::new(node))
}
