//! Side by side with the real ioping, as a user has both: the same lines, figures, keys, messages and exit codes.
//! Needs ioping, and root for the throttled volume.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::machine::*;
use serde_json::Value;
use workload::Bytes;

/// A volume of 500 IOPS: a request takes 2 ms, whichever tool makes it.
const POLICY: &str = "azure-standard-hdd,tier=S4";
const SIZE: Bytes = Bytes::mib(64);
const REQUESTS: &str = "500";
/// If the machine lacks CPU, the throttle loses a slice, so pairs are repeated and medians count.
const PAIRS: usize = 3;
const SHARE: f64 = 0.05;
/// Pause of two slices, after which a volume starts afresh; in the middle of a slice its first requests would wait longer.
const REST: std::time::Duration = std::time::Duration::from_millis(400);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Real,
    Command,
    Link,
}

struct Peers {
    folder: Folder,
}

impl Peers {
    fn find() -> Option<Peers> {
        let version = Command::new("ioping").arg("-v").output();
        if version.map_or(true, |out| !String::from_utf8_lossy(&out.stdout).starts_with("ioping 1.3")) {
            skipped(Lack::Tool, "ioping 1.3 is not installed");
            return None;
        }
        let folder = Folder::new();
        folder.make_dir("bin");
        symlink(env!("CARGO_BIN_EXE_plimsoll"), folder.path("bin/ioping")).unwrap();
        let place = folder.make_dir("place");
        write_data(&place.join("file"), 4);
        std::fs::write(place.join("empty"), "").unwrap();
        run(&["mkfifo", &text(&place.join("pipe"))]);
        Some(Peers { folder })
    }

    fn run(&self, who: Who, words: &str) -> ProgramOutput {
        let mut command = match who {
            Who::Real => Command::new("ioping"),
            Who::Command => self.folder.plimsoll(&["ioping"]),
            Who::Link => Command::new(self.folder.path("bin/ioping")),
        };
        command.args(words.split_whitespace()).current_dir(self.folder.path("place")).stdin(Stdio::null());
        ended(&mut command)
    }

    fn both(&self, words: &str) -> [ProgramOutput; 2] {
        [Who::Real, Who::Link].map(|who| self.run(who, words))
    }
}

/// Replaces every figure and its unit in a line, and removes remarks on a fast or slow moment.
fn skeleton(line: &str) -> String {
    let line = line.replace(" (slow)", "").replace(" (fast)", "");
    let units = ["ns", "us", "ms", "s", "k", "M", "B", "KiB", "MiB", "GiB", "B/s", "KiB/s", "MiB/s", "GiB/s"];
    let is_figure = |word: &str| word.trim_end_matches(',').parse::<f64>().is_ok();
    let mut bare: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let unit = units.contains(&word.trim_end_matches([',', ')']));
        let value = word.rsplit('=').next().unwrap_or_default();
        match (is_figure(value), unit && bare.last().is_some_and(|last| last.ends_with('#'))) {
            (true, _) => bare.push(format!("{}#", &word[..word.len() - value.len()])),
            (_, true) => {
                bare.push(word.trim_start_matches(|c: char| c.is_alphanumeric() || c == '/').to_owned())
            }
            _ => bare.push(word.to_owned()),
        }
    }
    bare.retain(|word| !word.is_empty() && word != ",");
    bare.join(" ").replace(" )", ")")
}

fn skeletons(text: &str) -> Vec<String> {
    text.lines().map(skeleton).collect()
}

/// Returns the lines without the outcome of each request.
fn without_outcome(lines: Vec<String>) -> Vec<String> {
    let outcomes = [" (EAGAIN)", " (warmup)"];
    let bare = |line: String| outcomes.iter().fold(line, |line, outcome| line.replace(outcome, ""));
    lines.into_iter().map(bare).collect()
}

#[test]
fn every_form_of_the_output_has_the_lines_of_ioping() {
    have_the_same_lines(&[
        "-c 10 -i 10ms .",
        "-c 3 -i 0 file",
        "-c 3 -i 0 -D file",
        "-W -c 3 -i 0 .",
        "-WWW -c 2 -i 0 file",
        "-G -c 4 -i 0 .",
        "-G -WWW -c 2 -i 0 file",
        "-L -c 3 -i 0 .",
        "-L -W -s 16k -c 3 -i 0 .",
        "-A -c 3 -i 0 .",
        "-A -W -c 3 -i 0 .",
        "-C -c 2 -i 0 .",
        "-Y -W -c 2 -i 0 .",
        "-y -W -D -c 2 -i 0 .",
        "-H -D -c 2 -i 0 .",
        "-N -C -c 2 -i 0 .",
        "-N -c 2 -i 0 .",
        "-q -c 3 -i 0 .",
        "-B -c 3 -i 0 .",
        "-p 2 -c 6 -i 0 .",
        "-q -p 2 -c 7 -i 0 .",
        "-B -p 2 -c 6 -i 0 .",
        "-b 2 -c 5 -i 20ms .",
        "-a 3 -c 5 -i 0 .",
        "-a 0 -c 2 -i 0 .",
        "-t 1h -c 3 -i 0 .",
        "-T 1ns -c 3 -i 0 .",
        "-I%Y -c 2 -i 0 .",
        "-k -c 2 -i 0 .",
        "-o 1m -S 64k -c 2 -i 0 file",
        "-s 1.5k -c 2 -i 0 .",
        "-l 4m -c 4 .",
        "-r 100 -c 4 .",
        "-c 1 /dev/zero",
        "-v",
    ]);
}

/// The number of lines depends on when each period and each run ends.
#[test]
#[ignore = "night: real periods"]
fn periods_and_times_have_the_lines_of_ioping() {
    have_the_same_lines(&[
        "-P 100ms -i 30ms -c 10 .",
        "-q -P 20ms -i 30ms -c 4 .",
        "-w 50ms -i 20ms .",
        "-R -w 20ms .",
    ]);
}

fn have_the_same_lines(lines: &[&str]) {
    let Some(peers) = Peers::find() else { return };
    for words in lines.iter().copied() {
        let [theirs, ours] = peers.both(words);
        assert_eq!(theirs.code, ours.code, "{words}: {}", ours.err);
        let (theirs, ours) = (skeletons(&theirs.out), skeletons(&ours.out));
        // Without waiting, the momentary content of the page cache decides, for each tool separately.
        let (theirs, ours) = match words.starts_with("-N ") {
            true => (without_outcome(theirs), without_outcome(ours)),
            false => (theirs, ours),
        };
        // The number of requests within a time is not a matter of form.
        if words.contains("-R ") {
            assert_eq!(theirs.len(), ours.len(), "{words}");
        } else {
            assert_eq!(theirs, ours, "{words}");
        }
    }
}

/// Returns the keys with the type of each value, in order.
fn shape(value: &Value) -> Vec<String> {
    let of = |value: &Value| match value {
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "integer",
        Value::String(_) => "text",
        _ => "other",
    };
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, inner)| match inner {
                Value::Object(_) => shape(inner).into_iter().map(|inner| format!("{key}.{inner}")).collect(),
                inner => vec![format!("{key}: {}", of(inner))],
            })
            .collect(),
        _ => vec![of(value).to_owned()],
    }
}

/// Returns the text with every figure as `0` and every time of day the same: order of keys, blanks and line breaks remain.
fn frame(text: &str) -> String {
    let mut frame = String::new();
    for line in text.lines() {
        let (key, value) = line.split_once(": ").unwrap_or((line, ""));
        let comma = if value.ends_with(',') { "," } else { "" };
        let bare = value.trim_end_matches(',');
        let value = match bare.parse::<f64>() {
            Ok(_) if bare.contains('.') => "0.0",
            Ok(_) => "0",
            Err(_) if key.contains("localtime") => "then",
            Err(_) => bare,
        };
        frame += &format!("{key}: {value}{comma}\n");
    }
    frame
}

#[test]
fn json_has_the_keys_the_kinds_and_the_order_of_ioping() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "-J -c 3 -i 0 .",
        "-J -q -c 2 -i 0 .",
        "-J -B -c 2 -i 0 .",
        "-J -p 2 -c 5 -i 0 .",
        "-J -G -c 3 -i 0 .",
        "-J -WWW -c 2 -i 0 file",
        "-J -c 1 file",
        "-J -N -c 1 .",
        "-J -q -p 2 -a 0 -c 4 -i 0 .",
    ] {
        let [theirs, ours] = peers.both(words);
        assert_eq!(frame(&theirs.out), frame(&ours.out), "{words}");
        let shapes = |ended: &ProgramOutput| -> Vec<Vec<String>> {
            ended.json().as_array().unwrap().iter().map(shape).collect()
        };
        assert_eq!(shapes(&theirs), shapes(&ours), "{words}");
        let targets = |ended: &ProgramOutput| ended.json()[0]["target"].clone();
        assert_eq!(targets(&theirs), targets(&ours), "{words}");
    }
}

/// Reads ten integers, and checks the relations between them.
fn raw_fields(line: &str) -> Vec<u64> {
    let fields: Vec<u64> = line.split(' ').map(|field| field.parse().unwrap()).collect();
    assert_eq!(fields.len(), 10, "{line}");
    let [valid, time, iops, bps, min, mean, max, mdev, all, load] = fields[..] else { panic!("{line}") };
    let near = |one: u64, other: f64| (one as f64 - other).abs() <= 0.51;
    assert!(min <= mean && mean <= max && mdev <= max - min && all >= valid && load >= time, "{line}");
    assert!(near(mean, time as f64 / valid as f64), "{line}");
    assert!(near(iops, valid as f64 * 1e9 / time as f64), "{line}");
    assert!(near(bps, valid as f64 * 4096e9 / time as f64), "{line}");
    fields
}

#[test]
fn the_raw_line_holds_together_field_by_field_in_both() {
    let Some(peers) = Peers::find() else { return };
    for words in ["-B -c 40 -i 0 .", "-q -p 10 -c 41 -i 0 .", "-B -D -c 20 -i 0 file", "-B -W -c 9 -i 0 ."] {
        let [theirs, ours] = peers.both(words).map(|ended| -> Vec<(u64, u64)> {
            ended.out.lines().map(raw_fields).map(|fields| (fields[0], fields[8])).collect()
        });
        assert_eq!(theirs, ours, "counted and all requests of {words}");
    }
}

/// Wrong command lines, and whether the whole message must agree or only the exit code.
const WRONG: [&str; 29] = [
    "-c",
    "--count",
    "-c x .",
    "-i 1x .",
    "-i -1 .",
    "-s 1/0 .",
    "-s 2sectors .",
    "-w 1.2.3 .",
    "-c 99999999999999999999 .",
    "-c 1",
    "-c 1 . .",
    "-I %Y .",
    "-Q .",
    "--bogus .",
    "--s 4k .",
    "-c=2 .",
    "--quiet=1 .",
    "-Wx",
    "-c 1 nowhere",
    "-c 1 pipe",
    "-c 1 empty",
    "-c 1 -S 1k .",
    "-c 1 -o 8m file",
    "-c 1 -S 100m file",
    "-c 1 -W file",
    "-c 1 -WW file",
    "-c 1 -G file",
    "-c 1 -D -s 100 file",
    "-c 1 -D -s 1000 .",
];

#[test]
fn wrong_words_and_targets_have_the_message_and_the_code_of_ioping() {
    let Some(peers) = Peers::find() else { return };
    for words in WRONG {
        let theirs = peers.run(Who::Real, words);
        for who in [Who::Command, Who::Link] {
            let ours = peers.run(who, words);
            assert_eq!(theirs.code, ours.code, "{words}: {} {}", theirs.err, ours.err);
            assert_eq!(theirs.err.lines().next(), ours.err.lines().next(), "{words}");
            assert!(
                ours.out.is_empty() && ours.err.lines().all(|line| line.chars().count() <= 84),
                "{}",
                ours.err
            );
        }
    }
    let [theirs, ours] = peers.both("");
    assert_eq!((theirs.code, theirs.err), (ours.code, ours.err), "no words at all");
    assert!(ours.out.starts_with(" Usage: ioping"));
}

#[test]
fn every_option_of_the_real_help_is_an_option_here() {
    let Some(peers) = Peers::find() else { return };
    let options = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter(|line| line.trim_start().starts_with('-'));
        lines.map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    let [theirs, ours] = peers.both("-h").map(|ended| options(&ended.out));
    assert!(theirs.len() > 30 && theirs.is_subset(&ours), "{:?}", theirs.difference(&ours));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn the_mean_on_a_throttled_volume_is_that_of_ioping() {
    let Some(peers) = Peers::find() else { return };
    let Some(there) = LabMount::at(peers.folder.path("volume"), POLICY, SIZE) else { return };
    let place = there.mount.text();
    assert_eq!(
        skeletons(&peers.run(Who::Real, &format!("-c 10 -i 50ms {place}")).out),
        skeletons(&peers.run(Who::Link, &format!("-c 10 -i 50ms {place}")).out)
    );
    let mut means: [Vec<f64>; 2] = Default::default();
    let neighbours = Neighbours::watch();
    for _ in 0..PAIRS {
        for (who, means) in [Who::Real, Who::Command].into_iter().zip(&mut means) {
            std::thread::sleep(REST);
            let ended = peers.run(who, &format!("-B -D -i 0 -c {REQUESTS} {place}"));
            let mean = raw_fields(ended.out.trim_end())[5];
            eprintln!("{who:?}: {mean} ns");
            means.push(mean as f64);
        }
    }
    let [theirs, ours] = means.map(median);
    if (ours / theirs - 1.0).abs() >= SHARE {
        neighbours.excuse_or_fail(format!("theirs {theirs} ns, ours {ours} ns"));
    }
}

#[test]
fn a_mounted_device_is_never_written() {
    let folder = Folder::new();
    let Some(volume) = Volume::read_only(&folder, 16) else { return };
    let before = volume.disk.fingerprint();
    let ended = ended(&mut folder.plimsoll(&["ioping", "-WWW", "-c", "3", "-i", "0", &volume.disk.node()]));
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.complained().contains("mounted"), "{}", ended.err);
    assert_eq!(volume.disk.fingerprint(), before);
    let read = folder.plimsoll(&["ioping", "-c", "2", "-i", "0", &volume.disk.node()]).output().unwrap();
    assert!(read.status.success());
    assert!(String::from_utf8_lossy(&read.stdout).contains("(block device 16 MiB)"));
}

#[test]
fn what_is_not_really_read_is_said_once_on_stderr() {
    let folder = Folder::new();
    let place = folder.make_dir("place");
    std::fs::File::create(place.join("sparse")).unwrap().set_len(4 << 20).unwrap();
    write_data(&place.join("written"), 4);
    let said = |words: &[&str]| {
        let ended = ended(folder.plimsoll(&["ioping", "-c", "4", "-i", "0"]).args(words).current_dir(&place));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert_eq!(ended.out.lines().count(), 9, "stdout holds the result alone");
        ended.complained()
    };
    assert!(said(&["sparse"]).contains("holds no data"));
    assert!(said(&["-D", "sparse"]).contains("Write the file whole first"));
    assert_eq!(said(&["written"]), "");
    assert_eq!(said(&["."]), "", "a file of its own is laid out");
    assert_eq!(said(&["-W", "."]), "");
    assert!(said(&["-C", "written"]).contains("Leave -C out"));
    if Path::new("/dev/shm").is_dir() {
        assert!(said(&["/dev/shm"]).contains("lies in memory (tmpfs)"));
    }
    // Written, but so far only in the page cache.
    std::fs::write(place.join("dirty"), vec![7u8; 4 << 20]).unwrap();
    let told = said(&["dirty"]);
    assert!(told.is_empty() || told.contains("written back"), "{told}");
}

#[test]
fn an_unwritten_extent_is_named() {
    let folder = Folder::new();
    let place = folder.make_dir("place");
    let file = text(&place.join("reserved"));
    if !run(&["fallocate", "-l", "4M", &file]) {
        return;
    }
    let ended = ended(&mut folder.plimsoll(&["ioping", "-c", "2", "-i", "0", &file]));
    assert!(ended.complained().contains("all of what is read holds no data"), "{}", ended.err);
}

#[test]
#[ignore = "night: a signal after real seconds"]
fn ctrl_c_prints_the_statistics_and_ends_with_success() {
    let folder = Folder::new();
    folder.make_dir("place");
    for words in [["ioping", "-i", "100ms", "@/place"], ["ioping", "-J", "-i100ms", "@/place"]] {
        let child = Running::start(&mut folder.plimsoll(&words));
        std::thread::sleep(std::time::Duration::from_millis(700));
        child.signal("INT");
        let ended = child.wait();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        if words[1] == "-J" {
            assert!(ended.json().as_array().unwrap().last().unwrap()["stat"].is_object());
        } else {
            assert!(ended.out.contains("requests completed in"), "{}", ended.out);
        }
    }
}

#[test]
fn a_device_that_fails_ends_the_run_with_three_and_json_stays_readable() {
    let folder = Folder::new();
    let Some(disk) = Disk::of(&folder, 16, Through::Cache) else { return };
    disk.lose_all_but(0);
    let ended_with = |words: &[&str]| {
        ended(folder.plimsoll(&["ioping", "-i", "0", "-c", "3"]).args(words).arg(disk.path()))
    };
    let ended = ended_with(&["-D"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(3), ""), "{}", ended.err);
    assert!(ended.err.contains("request failed: Input/output error"), "{}", ended.err);
    assert_eq!(ended_with(&["-D", "-J"]).out, "[]\n");
    let on = ended_with(&["-D", "-E"]);
    assert_eq!(on.code, Some(0), "{}", on.err);
    assert!(on.out.contains("(EIO)") && on.out.contains("3 failed, generated 0 requests"), "{}", on.out);
}

#[test]
fn only_what_it_kept_itself_is_used_again() {
    let folder = Folder::new();
    let place = folder.make_dir("place");
    let keep = || ended(&mut folder.plimsoll(&["ioping", "-k", "-c", "2", "-i", "0", "@/place"]));
    assert_eq!(keep().code, Some(0));
    let kept = std::fs::read(place.join("ioping.tmp")).unwrap();
    assert_eq!(kept.len(), 1 << 20);
    assert_eq!(keep().code, Some(0));
    assert!(std::fs::read(place.join("ioping.tmp")).unwrap() == kept, "it was there whole");
    std::fs::remove_file(place.join("ioping.tmp")).unwrap();
    std::fs::write(folder.path("precious"), "mine").unwrap();
    symlink(folder.path("precious"), place.join("ioping.tmp")).unwrap();
    let refused = keep();
    assert_eq!(refused.code, Some(2));
    assert!(refused.complained().contains("no regular file"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(folder.path("precious")).unwrap(), "mine");
}

#[test]
fn a_reader_that_leaves_ends_it() {
    let folder = Folder::new();
    folder.make_dir("place");
    let shell =
        format!("'{}' ioping -i 0 '{}' | head -2", env!("CARGO_BIN_EXE_plimsoll"), folder.text("place"));
    let ended = ended(&mut folder.through("sh", &["-c", &shell]));
    assert_eq!((ended.code, ended.out.lines().count()), (Some(0), 2), "{}", ended.err);
}
