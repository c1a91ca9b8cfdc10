//! Bad input: each kind is reported in one paragraph with cause and remedy, ends with the documented code, and leaves
//! nothing behind.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::machine::*;

/// The words, the exit code, and parts of the message: the cause first, the remedy last.
type Row = (&'static [&'static str], i32, &'static [&'static str]);

/// Words that are wrong on any machine.
const TYPED: &[Row] = &[
    (
        &["check", "@/nowhere"],
        2,
        &["does not exist", "name a directory on the volume, a file, or a block device"],
    ),
    (&["check", "@/file/below"], 2, &["does not exist", "name a directory"]),
    (&["check", ""], 2, &["target is empty", "name a directory"]),
    (&["check", "@", "--size", "12q"], 2, &["'12q' is not a size", "unit 'q' is not known", "KiB, M, MiB"]),
    (&["check", "@", "--size", "much"], 2, &["'much' is not a size"]),
    (&["check", "@", "--size", "1M"], 2, &["--size 1 MiB", "at least 64 MiB", "name a larger size"]),
    (&["check", "@", "--size", "0"], 2, &["--size 0 B", "name a larger size"]),
    (&["check", "@", "--size=-5"], 2, &["'-5' is not a size"]),
    (&["check", "@", "--size", "999T"], 2, &["999 TiB are needed but only", "are free", "smaller region"]),
    (
        &["check", "@", "--policy", "aws-gp33"],
        2,
        &["no policy is called 'aws-gp33'", "did you mean 'aws-gp3'?"],
    ),
    (&["check", "@", "--policy", "aws-gp2"], 2, &["aws-gp2 needs 'size'", "aws-gp2,size=100GiB"]),
    (
        &["check", "@", "--policy", "aws-gp2,size=100GiB,siz=2GiB"],
        2,
        &["no parameter 'siz'", "did you mean 'size'?", "it takes size"],
    ),
    (
        &["check", "@", "--policy", "aws-gp2,size=100XB"],
        2,
        &["size=100XB cannot be read", "unit 'XB' is not known", "size=100GiB"],
    ),
    (
        &["check", "@", "--policy", "aws-gp2,size=99TiB"],
        2,
        &["size=99TiB is not allowed", "1 to 16,384 GiB", "size=16384GiB"],
    ),
    (&["check", "@", "--policy", "aws-gp2,size=1GiB,size=2GiB"], 2, &["'size' is given twice", "keep one"]),
    (&["check", "@", "--policy", "aws-gp2,size"], 2, &["'size' in 'aws-gp2,size'", "write name=value"]),
    (&["check", "@", "--policy", "custom"], 2, &["custom"]),
    (
        &["check", "@", "--expect", "read 700 ips"],
        2,
        &["column 10", "'ips' is no unit", "read 700 iops, write 300 iops"],
    ),
    (&["check", "@", "--expect", "read 700 iops, p99 < soon"], 2, &["column 22", "'soon'", "p99 < 30ms"]),
    (&["check", "@", "--expect", ""], 2, &["column 1", "holds no claim"]),
    (&["check", "@", "--plicy", "aws-gp3"], 2, &["unexpected argument '--plicy'", "'--policy'", "--help"]),
    (&["check", "@", "--format", "xml"], 2, &["invalid value 'xml'", "possible values: text, json"]),
    (&["check", "@", "--seed", "many"], 2, &["invalid value 'many'", "--seed", "--help"]),
    (&["check", "@", "@"], 2, &["two volumes", "--together", "plimsoll compare"]),
    (&["check", "@", "--policy"], 2, &["a value is required for '--policy", "--help"]),
    (&["chek", "@"], 2, &["unrecognized subcommand 'chek'", "'check'", "--help"]),
    (&["report"], 2, &["no run is named", "name a run file", "plimsoll check"]),
    (&["check", "sim:"], 2, &["'sim:' names no policy", "sim:aws-gp2,size=100GiB"]),
    (&["check", "sim:aws-gp5"], 2, &["no policy is called 'aws-gp5'", "did you mean 'aws-gp"]),
    (&["check", "sim:aws-gp3", "--allow-destroy", "/dev/nowhere"], 2, &["--allow-destroy", "leave it out"]),
    (&["check", "lab:"], 2, &["'lab:' names no policy", "lab:aws-gp2,size=100GiB"]),
    (&["check", "null:"], 2, &["nothing to check", "plimsoll fio --ioengine=null"]),
    (&["check", "/dev/null"], 2, &["a character device", "name a directory"]),
    (&["check", "@/pipe"], 2, &["a pipe", "name a directory"]),
    (&["check", "@/socket"], 2, &["a socket", "name a directory"]),
    (&["check", "@/loop"], 2, &["cannot look at", "name another target"]),
    (&["check", "@/dangling"], 2, &["does not exist", "name a directory"]),
    (&["check", "@/file"], 2, &["holds 1 MiB", "at least 64 MiB", "larger file or device"]),
    (&["check", "@/empty"], 2, &["holds 0 B", "larger file or device"]),
    (&["check", "@/large", "--size", "1G"], 2, &["holds 80 MiB", "1 GiB", "smaller --size"]),
    (&["check", "@", "--allow-destroy", "/dev/nowhere"], 2, &["is no block device", "leave it out"]),
    (&["check", "@/large", "--allow-destroy", "@/large"], 2, &["is no block device", "leave it out"]),
    (&["check", "sim:aws-gp3", "--out", "@/file"], 2, &["@/file", "cannot be made", "--out"]),
    (&["check", "sim:aws-gp3", "--out", "/proc/nowhere"], 2, &["/proc/nowhere", "cannot be made", "--out"]),
    (
        &["watch", "--for", "1s", "--expect", "read 700 iops, random 50%"],
        2,
        &["random 50%", "leave the load out of --expect"],
    ),
    (&["policy", "show", "aws-gp33"], 2, &["no policy is called 'aws-gp33'", "did you mean 'aws-gp3'?"]),
    (&["report", "@/nowhere.plimsoll"], 2, &["does not exist", "check the name"]),
    (&["report", "@/pipe"], 2, &["is a pipe (FIFO)", "name a run file"]),
    (&["report", "@/file"], 2, &["is no run file", "holds no result of a known tool"]),
    (&["report", "@/empty"], 2, &["is no run file", "empty"]),
    (&["report", "@/newer.plimsoll"], 2, &["a later version of plimsoll", "update plimsoll"]),
    (&["report", "@/foreign.plimsoll"], 2, &["is no run file", "another program"]),
    (&["report", "@/cut.plimsoll"], 2, &["cut.plimsoll", "is cut off", "copy it again"]),
    (
        &["report", "@/good.plimsoll", "--html", "@/good.plimsoll"],
        2,
        &["is what is read, and a page would replace it", "another place"],
    ),
    (
        &["report", "@/good.plimsoll", "--html", "@/nowhere/x.html"],
        1,
        &["cannot be written", "name another place"],
    ),
];

/// Makes everything that the rows name.
fn furnish(folder: &Folder) {
    folder.make_file("file", 1);
    folder.make_file("large", 80);
    fs::write(folder.path("empty"), "").unwrap();
    assert!(run(&["mkfifo", &folder.text("pipe")]));
    std::os::unix::net::UnixListener::bind(folder.path("socket")).unwrap();
    std::os::unix::fs::symlink("loop", folder.path("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path("dangling")).unwrap();
    let made = ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", "--out", "@/made"]));
    assert_eq!(made.code, Some(0), "{}", made.err);
    let good = fs::read(run_file(&folder.path("made"))).unwrap();
    fs::remove_dir_all(folder.path("made")).unwrap();
    fs::write(folder.path("good.plimsoll"), &good).unwrap();
    // Cut off before any step; later, what comes before the cut could be drawn.
    fs::write(folder.path("cut.plimsoll"), &good[..3 * 4096]).unwrap();
    // The database header (sqlite.org/fileformat2.html, 1.3): byte 60 the user version, byte 68 the application id.
    for (name, byte) in [("newer.plimsoll", 60), ("foreign.plimsoll", 68)] {
        let mut changed = good.clone();
        changed[byte] = 0x70;
        fs::write(folder.path(name), changed).unwrap();
    }
}

/// Returns what is wrong with the answer to a row; `None` if all is well.
fn fault(
    folder: &Folder,
    words: &[&str],
    ended: &ProgramOutput,
    (code, says): (i32, &[&str]),
) -> Option<String> {
    let complained = ended.complained();
    let missing = says
        .iter()
        .map(|word| word.replace('@', &folder.text(".")))
        .find(|word| !complained.contains(&squeezed(word)));
    let why = match () {
        () if ended.err.contains("panicked") => "it panicked".to_owned(),
        () if ended.code != Some(code) => format!("exit code {:?} instead of {code}", ended.code),
        () if !ended.out.is_empty() => format!("stdout holds {:?}", ended.out),
        () if !is_one_paragraph(&ended.err) => "the message is not one paragraph".to_owned(),
        () => format!("the message does not say {:?}", missing?),
    };
    Some(format!("{words:?}: {why}\n{}", ended.err))
}

/// Whether stderr ends in one message, whose lines follow each other without a gap.
fn is_one_paragraph(err: &str) -> bool {
    let begins = err.match_indices("plimsoll: ").filter(|(at, _)| *at == 0 || err[..*at].ends_with('\n'));
    let begins: Vec<usize> = begins.map(|(at, _)| at).collect();
    let [begin] = begins[..] else { return false };
    err[begin..].lines().skip(1).all(|line| line.starts_with("  ") && !line.trim().is_empty())
}

/// Runs every row and fails with all that went wrong, including what was left behind.
fn answer(folder: &Folder, rows: &[Row], program: impl Fn(&[&str]) -> Command) {
    let mut faults = Vec::new();
    for (words, code, says) in rows {
        let before = (folder.listing(), loops_here(folder));
        let ended = ended(&mut program(words));
        faults.extend(fault(folder, words, &ended, (*code, says)));
        if before != (folder.listing(), loops_here(folder)) {
            faults.push(format!("{words:?} left something behind:\n{}", folder.listing().join("\n")));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), rows.len(), faults.join("\n"));
}

/// Returns the loop devices that show something in `folder`.
fn loops_here(folder: &Folder) -> Vec<String> {
    let here = folder.text(".").trim_end_matches("/.").to_owned();
    let loops = kernel::lab::loops(std::path::Path::new("/"));
    loops
        .into_iter()
        .filter(|known| text(&known.backing).starts_with(&here))
        .map(|known| known.name)
        .collect()
}

#[test]
fn whatever_is_typed_wrong_is_told_with_cause_and_remedy() {
    let folder = Folder::new();
    furnish(&folder);
    answer(&folder, TYPED, |words| folder.plimsoll(words));
    assert!(!folder.path("state").exists(), "nothing was measured, so nothing is kept");
}

#[test]
fn words_outside_utf_8_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let mut command = folder.plimsoll(&["check", "@"]);
    command.arg("--expect").arg(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    let ended = ended(&mut command);
    assert_eq!(fault(&folder, &["--expect", "0xff"], &ended, (2, &["UTF-8", "--help"])), None);
}

#[test]
fn what_a_user_may_not_touch_is_told_to_him() {
    let folder = Folder::for_everybody();
    let program = folder.path("plimsoll");
    fs::copy(env!("CARGO_BIN_EXE_plimsoll"), &program).unwrap();
    folder.make_file("secret", 80);
    let (open, closed, closed_dir) = (folder.path("."), folder.path("secret"), folder.make_dir("closed"));
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(&closed_dir, fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o555)).unwrap();
    let as_nobody = |words: &[&str]| {
        let (user, group) = ("--reuid=65534", "--regid=65534");
        let mut command = match is_root() {
            true => folder.through("setpriv", &[user, group, "--clear-groups", "@/plimsoll"]),
            false => Command::new(&program),
        };
        command.args(words.iter().map(|word| word.replace('@', &folder.text("."))));
        command.env("XDG_STATE_HOME", folder.path("state"));
        command
    };
    let mut rows: Vec<Row> = vec![
        (&["check", "@"], 2, &["no file can be made here", "choose a directory you may write to"]),
        (
            &["check", "@/closed"],
            2,
            &["@/closed", "no file can be made here", "choose a directory you may write to"],
        ),
        (&["check", "@/closed/inside"], 2, &["cannot look at", "as a user who may"]),
        (&["check", "@/secret"], 2, &["permission denied", "run as root or as the owner"]),
        (&["report", "@/secret"], 2, &["@/secret", "check that you may read it"]),
        (&["check", "sim:aws-gp3"], 2, &["state/plimsoll", "cannot be made", "--out"]),
        (
            &["check", "sim:aws-gp3", "--out", "@"],
            2,
            &["cannot create the run file", "Permission denied", "that you may write to"],
        ),
    ];
    // A simulation needs no root, but a throttled volume does.
    rows.push((&["lab", "up", "do-volumes-pre-burst"], 2, &["root"]));
    answer(&folder, &rows, as_nobody);
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&closed_dir, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_block_device_is_not_for_everybody() {
    let folder = Folder::for_everybody();
    let Some(disk) = Disk::of(&folder, 80, Through::Cache) else { return };
    if !is_root() {
        return skipped(Lack::Root, "needs root to become nobody");
    }
    fs::copy(env!("CARGO_BIN_EXE_plimsoll"), folder.path("plimsoll")).unwrap();
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups", "@/plimsoll", "check", &disk.node()];
    let ended = ended(&mut folder.through("setpriv", &words));
    let says = ["permission denied", "run as root"];
    assert_eq!(fault(&folder, &words, &ended, (2, &says)), None);
}

#[test]
fn file_systems_that_are_full_small_or_read_only_are_told() {
    let folder = Folder::new();
    let Some(_small) = MountGuard::at(folder.path("small"), &["-t", "tmpfs", "-o", "size=20m", "none"])
    else {
        return;
    };
    let _middling = MountGuard::at(folder.path("middling"), &["-t", "tmpfs", "-o", "size=200m", "none"]);
    let Some(_tiny) = MountGuard::at(folder.path("tiny"), &["-t", "tmpfs", "-o", "size=40k", "none"]) else {
        return;
    };
    let Some(_frozen) = MountGuard::at(folder.path("frozen"), &["-t", "tmpfs", "-o", "ro", "none"]) else {
        return;
    };
    answer(
        &folder,
        &[
            (&["check", "@/small"], 2, &["only 20 MiB are free", "at least 64 MiB", "free some space"]),
            (&["check", "@/small", "--size", "64M"], 2, &["only 20 MiB are free", "name another volume"]),
            (&["check", "@/middling"], 2, &["a tenth of the 200 MiB", "64 MiB", "name a size with --size"]),
            (
                &["check", "@/middling", "--size", "300M"],
                2,
                &["300 MiB are needed but only 200 MiB are free", "smaller region"],
            ),
            (
                &["check", "@/frozen", "--size", "64M"],
                2,
                &["Read-only file system", "choose a directory you may write to"],
            ),
            (&["check", "sim:aws-gp3", "--out", "@/frozen"], 2, &["@/frozen", "Read-only file system"]),
            (
                &["check", "sim:aws-gp3", "--out", "@/tiny"],
                1,
                &["no room to begin the run file", "nothing was measured", "another file system"],
            ),
        ],
        |words| folder.plimsoll(words),
    );
}

#[test]
fn a_run_file_that_does_not_fit_leaves_nothing() {
    let folder = Folder::new();
    let Some(_tight) = MountGuard::at(folder.path("tight"), &["-t", "tmpfs", "-o", "size=200k", "none"])
    else {
        return;
    };
    answer(
        &folder,
        &[(
            &["check", "sim:aws-gp3", "--out", "@/tight"],
            1,
            &["no room to begin the run file", "nothing was measured", "another file system"],
        )],
        |words| folder.plimsoll(words),
    );
}

#[test]
fn limits_of_the_shell_are_told_and_do_not_kill() {
    let folder = Folder::new();
    answer(
        &folder,
        &[(
            &["check", "@", "--size", "64M", "--busy"],
            2,
            &["64 MiB cannot be made", "File too large", "smaller region"],
        )],
        |words| folder.through("prlimit", &[&["--fsize=1000000", "plimsoll"], words].concat()),
    );
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let folder = Folder::new();
    let words = "\"$0\" policy list > /dev/full";
    let ended = ended(&mut folder.through("sh", &["-c", words, "plimsoll"]));
    let says = ["could not be written to stdout", "send it elsewhere"];
    assert_eq!(fault(&folder, &[words], &ended, (1, &says)), None);
}

#[test]
fn devices_in_use_read_only_or_other_than_named_are_never_written() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 100, Through::Cache) else { return };
    let Some(free) = Disk::of(&folder, 100, Through::Cache) else { return };
    let Some(frozen) = Disk::of(&folder, 100, Through::Cache) else { return };
    let Some(short) = Disk::of(&folder, 10, Through::Cache) else { return };
    assert!(run(&["blockdev", "--setro", &frozen.node()]));
    let (mounted, other, frozen, short) = (volume.disk.node(), free.node(), frozen.node(), short.node());
    let mount = volume.mount.text();
    let rows: [(&[&str], &[&str]); 5] = [
        (&["check", &mounted, "--allow-destroy", &mounted], &["in use", "is mounted at", "release it first"]),
        (
            &["check", &other, "--allow-destroy", &mounted],
            &["writing would destroy", &format!("add --allow-destroy {other}")],
        ),
        (&["check", &mount, "--allow-destroy", &mounted], &["is no block device", "leave it out"]),
        (&["check", &frozen, "--allow-destroy", &frozen], &["read-only", "measure reads alone"]),
        (&["check", &short], &["holds 10 MiB", "larger file or device"]),
    ];
    let faults: Vec<String> = rows
        .iter()
        .filter_map(|(words, says)| fault(&folder, words, &ended(&mut folder.plimsoll(words)), (2, says)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(!folder.path("state").exists(), "{:?}", folder.listing());
}

#[test]
#[ignore = "night: load of real seconds"]
fn a_device_that_others_use_is_refused_until_busy_is_said() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 128, Through::Direct) else { return };
    let node = disk.node();
    let reading =
        format!("while :; do dd if={node} of=/dev/null bs=64k iflag=direct status=none || exit; done");
    let _others = Running::start(Command::new("sh").args(["-c", &reading]));
    let ended = ended(&mut folder.plimsoll(&["check", &node]));
    let says = [disk.name(), "is busy".into(), "Wait until it is idle".into(), "--busy".into()];
    let says: Vec<&str> = says.iter().map(String::as_str).collect();
    assert_eq!(fault(&folder, &["check", &node], &ended, (2, &says)), None);
    assert!(!folder.path("state").exists(), "{:?}", folder.listing());
}

#[test]
fn a_device_that_fails_ends_the_run_as_failed_and_keeps_what_was_measured() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 128, Through::Cache) else { return };
    // The second half of the image is gone, so reads there fail.
    disk.lose_all_but(64);
    let node = disk.node();
    let ended =
        ended(&mut folder.plimsoll(&["check", &node, "--effort", "brief", "--busy", "--out", "@/out"]));
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    assert_eq!(ended.code, Some(1), "{}\n{}", ended.out, ended.err);
    assert!(ended.told().contains("input/output error (errno 5)"), "{}", ended.out);
    let run = run_file(&folder.path("out"));
    let again = crate::machine::ended(&mut folder.plimsoll(&["report", &run]));
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.told().contains("input/output error (errno 5)"), "{}", again.out);
}
