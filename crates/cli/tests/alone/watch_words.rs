//! Wrong words to a watch: each is reported in one paragraph with cause and remedy, ends with 2, and nothing is made or lost.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;

/// The words after `watch`, and the whole message, or its beginning if it ends with facts about the machine.
type Row = (&'static [&'static str], &'static str);

/// Each is one kind of slip.
const WRONG: &[Row] = &[
    (
        &["--for", "soon"],
        "--for soon: 'soon' is not a time: it starts with no number; write for example 500us, 30ms, 20s or 2m",
    ),
    (&["--for", "10x"], "--for 10x: "),
    (&["--for", "0"], "--for 0: too short for samples every 1s; watch longer, or sample more often"),
    (
        &["--every", "0"],
        "--every 0: the kernel's counters say nothing over so short a time; say 50ms or more",
    ),
    (
        &["--every", "49ms"],
        "--every 49ms: the kernel's counters say nothing over so short a time; say 50ms or more",
    ),
    (&["--device", "no-such-disk"], "--device no-such-disk: no such block device"),
    (&["--exclude", "no-such-disk"], "--exclude no-such-disk: no such block device"),
    (
        &["--exclude", "*"],
        "--exclude * leaves no block device to watch; leave it out, or name one with --device",
    ),
    (
        &["--describe", "sda"],
        "--describe sda: say which device and what it is, as in --describe sda=\"database log\"",
    ),
    (&["--describe", "no-such-disk=x"], "--describe no-such-disk: no such block device"),
    (
        &["--scale", "50%"],
        "--scale without --load: there is no load that it could be said of; name one, as in --load job.fio",
    ),
    (&["--cycle", "5s"], "--cycle without --load: there is no load that it could be said of"),
    (
        &["--load", "job.fio", "--scale", "-5%"],
        "--scale -5%: a load runs at more than 0 % and at most 100000 % of its rate; write 50%,100%,200%",
    ),
    (
        &["--load", "job.fio", "--scale", "half"],
        "--scale half: no percentage; write shares of the load's rate such as",
    ),
    (&["--load", "job.fio", "--scale", "50%,50%"], "--scale 50%: that share comes twice; name each once"),
    (
        &["--load", "closed.fio", "--on", "sim:aws-gp3", "--scale", "50%"],
        "--scale: the job 'closed' of closed.fio keeps no rate (it runs as fast as it can), so there is nothing to take a \
         share of; give it rate_iops, or leave --scale out",
    ),
    (
        &["--load", "job.fio", "--cycle", "2s", "--every", "1s"],
        "--cycle 2s: too short for samples every 1s; a phase needs 3s or more",
    ),
    (&["--load", "job.fio", "--repeat", "0"], "--repeat 0 runs no load; say 1 or more, or leave --load out"),
    (
        &["--load", "job.fio", "--repeat", "99999999"],
        "--repeat 99999999 makes 199999999 phases, and a watch holds up to 10000; repeat less often, or make each phase longer",
    ),
    (
        &["--load", "trim.fio", "--on", "sim:aws-gp3"],
        "--load trim.fio: its jobs only trim (rw=trim), and a watch counts reads and writes; add a job that does one",
    ),
    (
        &["--load", "job.fio", "--on", "sim:aws-gp3", "--size", "64MiB"],
        "--size has no meaning for sim:aws-gp3, where nothing is laid out; leave it out",
    ),
    (
        &["--load", "job.fio", "--on", "sim:custom,raed_iops=840"],
        "custom has no parameter 'raed_iops'; did you mean 'read_iops'?",
    ),
    (
        &["--expect", "read 700 iops write 300 iops"],
        "expectation, column 15: 'write' begins another claim, and a comma is missing before it",
    ),
    (
        &["--expect", "reed 700 iops"],
        "expectation, column 1: 'reed' is not read, write, a number, pNN or latency; did you mean read?",
    ),
    (
        &["--expect", "read 700 ipos"],
        "expectation, column 10: 'ipos' is no unit that is known (iops, MiB/s or MB/s); did you mean iops?",
    ),
    (
        &["--load", "nowhere.fio"],
        "--load nowhere.fio: there is no such file; name a fio job file, a profile or a policy",
    ),
    (
        &["--load", "aws-gp33"],
        "--load aws-gp33: no file, no profile and no policy is called so; did you mean aws-gp3? (plimsoll profile list and \
         plimsoll policy list show what there is)",
    ),
    (&["--load", "aws-gp2"], "--load aws-gp2: aws-gp2 needs 'size'"),
    (
        &["--load", "misspelt.fio"],
        "--load misspelt.fio, line 3, column 1: no option is named 'iodepht'; write iodepth=4 if that is meant",
    ),
    (
        &["--load", "wrong.toml"],
        "wrong.toml, line 1, column 1: missing field 'step'; line 2, column 1: unknown field 'abot'",
    ),
    (&["--load", "two.fio"], "--load two.fio: its jobs run in 2 steps one after the other (stonewall)"),
    (&["--load", "odd.fio", "--on", "."], "--load odd.fio: job 'odd': "),
    (&["--load", "crystaldiskmark"], "crystaldiskmark runs "),
    (&["--load", "job.fio", "--on", "nowhere"], "nowhere does not exist; name a directory on the volume"),
    (&["--load", "job.fio", "--on", "sim:aws-gp9"], "no policy is called 'aws-gp9'"),
    (&["--load", "job.fio", "--on", "null:"], "null: has no latency and no limit"),
    (
        &["--load", "job.fio", "--on", "there.bin"],
        "--load job.fio: it writes, and there.bin is only read; name a directory with --on, or a device that may be \
         destroyed with --on and --allow-destroy",
    ),
    (
        &["--load", "job.fio", "--on", "sim:aws-gp3", "--allow-destroy", "/dev/sda"],
        "--allow-destroy has no meaning for sim:aws-gp3; leave it out",
    ),
    (
        &["--load", "job.fio", "--for", "10s"],
        "--for with --load: load cycles last as long as --cycle and --repeat say; leave --for out",
    ),
    (
        &["--load", "job.fio", "--", "true"],
        "--load and a command: a watch runs load cycles or a command, not both",
    ),
    (&["--"], "-- without a command: write the command after it, as in plimsoll watch -- ./app"),
    (&["--expect", "red 700 iops"], "expectation, column 1: "),
    (&["--policy", "aws-gp33"], "no policy is called 'aws-gp33'; did you mean 'aws-gp3'?"),
    (
        &["--expect", "read 700 iops", "--policy", "aws-gp3"],
        "--expect and --policy: a watch is held against one of them; leave the other out",
    ),
    (&["--out", "there.bin/below", "--for", "1s"], "there.bin/below: cannot be made: "),
    (&["--evry", "1s"], "unexpected argument '--evry' found; a similar argument exists: '--every'"),
];

/// Makes a folder with the files that the rows name.
fn scene() -> Folder {
    let folder = Folder::new();
    let write = |name: &str, text: &str| fs::write(folder.path(name), text).unwrap();
    write("job.fio", "[job]\nrw=randrw\nbs=4k\nsize=64m\nrate_iops=70,30\n");
    write("closed.fio", "[closed]\nrw=randread\nbs=4k\nsize=64m\n");
    write("misspelt.fio", "[job]\nrw=randread\niodepht=4\nsize=64m\n");
    write("trim.fio", "[job]\nrw=randtrim\nbs=4k\nsize=64m\n");
    write("two.fio", "[one]\nrw=randread\nsize=64m\n[two]\nstonewall\nrw=randread\nsize=64m\n");
    write("odd.fio", "[odd]\nrw=randread\nbs=1000\ndirect=1\nsize=64m\n");
    write("wrong.toml", "title = \"x\"\nabot = \"y\"\n");
    folder.make_file("there.bin", 64);
    folder
}

#[test]
fn each_wrong_word_is_told_with_what_to_say_instead_and_nothing_is_made() {
    let folder = scene();
    let before = folder.listing();
    let mut off = Vec::new();
    for (words, message) in WRONG {
        let mut command = folder.plimsoll(&[&["watch"][..], words].concat());
        let ended = ended(command.current_dir(folder.path(".")));
        let said = ended.complained();
        let told = said.split_once("plimsoll: ").map_or("", |(_, told)| told);
        if ended.code != Some(2) || !told.starts_with(message) || !ended.out.is_empty() {
            off.push(format!("{words:?}: {:?}, {said}", ended.code));
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
    assert_eq!(folder.listing(), before);
}

#[test]
fn a_mounted_device_is_never_loaded_and_one_of_a_job_not_without_leave() {
    let folder = scene();
    let Some(volume) = Volume::ext4(&folder, 100, Through::Direct) else { return };
    let node = volume.disk.node();
    let told = |words: &[&str]| {
        let mut command = folder.plimsoll(&[&["watch"][..], words].concat());
        let ended = ended(command.current_dir(folder.path(".")));
        assert_eq!(ended.code, Some(2), "{words:?}: {}", ended.err);
        ended.complained()
    };
    let said = told(&["--load", "job.fio", "--on", &node, "--allow-destroy", &node]);
    assert!(said.contains("mounted"), "{said}");
    let raw = Disk::of(&folder, 100, Through::Direct).unwrap();
    let before = raw.fingerprint();
    let said = told(&["--load", "job.fio", "--on", &raw.node()]);
    assert!(said.contains("is only read"), "{said}");
    let job = format!("[job]\nrw=randwrite\nbs=4k\nfilename={}\nsize=64m\n", raw.node());
    fs::write(folder.path("device.fio"), job).unwrap();
    let said = told(&["--load", "device.fio"]);
    assert!(said.contains("--allow-destroy"), "{said}");
    assert_eq!(raw.fingerprint(), before);
}

#[test]
fn the_help_teaches_by_examples_in_eighty_columns() {
    let folder = Folder::in_memory();
    let help = ended(&mut folder.plimsoll(&["watch", "--help"]));
    assert_eq!(help.code, Some(0));
    for words in
        ["plimsoll watch --for 24h", "plimsoll watch -- ./nightly-job", "--scale 50%,100%", "Exit codes"]
    {
        assert!(help.out.contains(words), "{words} is missing: {}", help.out);
    }
    let wide: Vec<&str> = help.out.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:?}");
    let main = ended(&mut folder.plimsoll(&["--help"]));
    assert!(main.out.contains("plimsoll watch --for 24h"));
}
