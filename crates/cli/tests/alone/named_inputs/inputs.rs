//! Every argument that names an input, with everything to which the name may lead.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use super::rows::reads;
use super::{Reads, has_open, none, stopped_by, watched};
use crate::machine::*;

/// What iostat printed of two disks.
const DISKS: &str = include_str!("../../../../import/tests/all/fixtures/iostat/extended.json");

/// MiB of memory that a refusal must not exceed.
const MEMORY_MOST: u64 = 300;

/// Things by name, and what a refusal calls them if the kind is known.
const THINGS: [(&str, &str); 10] = [
    ("zero", "a character device"),
    ("link", "a character device"),
    ("link-of-link", "a character device"),
    ("socket", "a socket"),
    ("folder", "a folder"),
    ("sparse", ""),
    ("mem", ""),
    ("missing", ""),
    ("loop-of-links", ""),
    ("block", "a block device"),
];
/// Things that each represent several others.
const WITNESSES: [&str; 3] = ["link-of-link", "socket", "sparse"];

/// File name extensions that show the kind of an input: a profile or policy, a job file.
const ENDINGS: [&str; 2] = ["toml", "fio"];

/// A folder with all of these things.
struct Scene {
    folder: Folder,
    _block: Option<Disk>,
}

impl Scene {
    fn new() -> Scene {
        let folder = Folder::new();
        let made = ended(&mut folder.plimsoll(&["run", "five-figures", "sim:aws-gp3", "--out", "@/runs"]));
        assert_eq!(made.code, Some(0), "{}", made.err);
        fs::copy(run_file(&folder.path("runs")), folder.path("run.plimsoll")).unwrap();
        fs::write(folder.path("disks.json"), DISKS).unwrap();
        let block =
            if root_or_skip("a block device as input") { Disk::of(&folder, 8, Through::Cache) } else { None };
        for ending in ENDINGS {
            let at = |name: &str| folder.path(&format!("{name}.{ending}"));
            symlink("/dev/zero", at("zero")).unwrap();
            symlink(at("zero"), at("link")).unwrap();
            symlink(at("link"), at("link-of-link")).unwrap();
            drop(UnixListener::bind(at("socket")).unwrap());
            fs::create_dir(at("folder")).unwrap();
            let sparse = fs::File::create(at("sparse")).and_then(|file| file.set_len(1 << 40));
            // Shorter, if the file system does not support this length.
            sparse
                .or_else(|_| fs::File::create(at("sparse")).and_then(|file| file.set_len(1 << 34)))
                .unwrap();
            symlink("/proc/self/mem", at("mem")).unwrap();
            symlink(at("loop-of-links"), at("loop-of-links")).unwrap();
            assert!(run(&["mkfifo", &text(&at("pipe"))]));
            if let Some(block) = &block {
                symlink(block.node(), at("block")).unwrap();
            }
        }
        Scene { folder, _block: block }
    }

    fn path(&self, name: &str, ending: &str) -> String {
        self.folder.text(&format!("{name}.{ending}"))
    }

    /// Returns what is wrong with how `reads` treats the thing.
    fn fault(&self, reads: &Reads, (thing, kind): (&str, &str), ending: &str) -> Option<String> {
        let path = self.path(thing, ending);
        let words = &reads.words;
        let Some(watched) = watched(reads.start(&self.folder, &path)) else {
            return Some(format!("{words:?} hangs on {path}"));
        };
        let (said, code) = (watched.ended.complained(), watched.ended.code);
        let wrong = match () {
            () if code != Some(reads.code) => "is not refused",
            () if !said.contains(&format!("{thing}.{ending}")) => "the path is not named",
            () if reads.says && !said.contains(kind) => "the kind is not named",
            () if watched.peak > MEMORY_MOST => "takes memory",
            () => return None,
        };
        Some(format!("{words:?} on {path}: {wrong}: {code:?}, {} MiB: {said}", watched.peak))
    }

    fn faults(&self, things: &[(&str, &str)]) -> Vec<String> {
        let mut faults = Vec::new();
        for reads in reads(&self.folder) {
            for ending in endings(&reads) {
                let tried = things.iter().filter(|(thing, _)| !reads.takes.contains(thing));
                let there = tried.filter(|(thing, _)| *thing != "block" || self._block.is_some());
                faults.extend(there.filter_map(|&thing| self.fault(&reads, thing, ending)));
            }
        }
        faults
    }

    /// Returns what is wrong with how `reads` waits for a pipe to which nobody writes.
    fn deafness(&self, reads: &Reads, ending: &str, signal: &str) -> Option<String> {
        let path = self.path("pipe", ending);
        let running = reads.start(&self.folder, &path);
        let waits = comes_true(|| has_open(running.id(), path.as_ref()) || has_ended(running.id()));
        if !waits || has_ended(running.id()) {
            return Some(format!("{:?} does not wait for {path}: {}", reads.words, running.wait().err));
        }
        Some(format!("{:?} on {path}: {}", reads.words, stopped_by(signal, running)?))
    }
}

/// Returns the extensions with which `reads` reads a name.
fn endings(reads: &Reads) -> &'static [&'static str] {
    let takes_both = reads.words.windows(2).any(|words| words == ["--load", "%"]);
    if takes_both { &ENDINGS } else { &ENDINGS[..1] }
}

#[test]
fn what_is_no_file_is_refused_by_every_command_that_reads() {
    let scene = Scene::new();
    let things: Vec<_> = THINGS.into_iter().filter(|(thing, _)| WITNESSES.contains(thing)).collect();
    none(scene.faults(&things));
}

#[test]
#[ignore = "night: everything that may stand there"]
fn whatever_is_no_file_is_refused_by_every_command_that_reads() {
    none(Scene::new().faults(&THINGS));
}

/// A pipe that was typed is waited for, and the wait can be interrupted.
#[test]
fn a_pipe_is_waited_for_until_somebody_stops_it() {
    let scene = Scene::new();
    let mut faults = Vec::new();
    for (number, reads) in reads(&scene.folder).into_iter().enumerate() {
        for ending in endings(&reads) {
            match reads.waits {
                true => faults.extend(scene.deafness(&reads, ending, ["INT", "TERM"][number % 2])),
                false => faults.extend(scene.fault(&reads, ("pipe", "a pipe"), ending)),
            }
        }
    }
    none(faults);
}

#[test]
#[ignore = "night: each with a pipe that never ends"]
fn a_pipe_that_never_ends_is_read_up_to_a_bound() {
    let scene = Scene::new();
    let mut faults = Vec::new();
    for reads in reads(&scene.folder).into_iter().filter(|reads| reads.waits) {
        for ending in endings(&reads) {
            let path = scene.path("pipe", ending);
            let to = format!("exec yes >'{path}'");
            let _writer = Running::start(&mut scene.folder.through("sh", &["-c", &to]));
            faults.extend(
                scene.fault(&reads, ("pipe", ""), ending).filter(|_| !reads.words[0].contains("diskspd")),
            );
        }
    }
    none(faults);
}

/// A file that may not be read is reported like any other unreadable input.
#[test]
fn a_file_that_may_not_be_read_is_named() {
    let folder = Folder::new();
    let path = folder.path("closed.toml");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root without its privilege to read everything.
    let privileged = ["--bounding-set=-dac_override,-dac_read_search", "plimsoll"];
    let before: &[&str] = if is_root() { &privileged } else { &privileged[1..] };
    for words in [&["import", "@/closed.toml"][..], &["policy", "check", "@/closed.toml"]] {
        let all: Vec<&str> = before.iter().chain(words).copied().collect();
        let program = if is_root() { "setpriv" } else { "env" };
        let refused = ended(&mut folder.through(program, &all));
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        let said = refused.complained();
        assert!(said.contains("closed.toml") && said.contains("Permission denied"), "{said}");
    }
}

/// The same on standard input, without a name.
#[test]
fn what_comes_through_standard_input_is_bounded() {
    let folder = Folder::new();
    fs::write(folder.path("printed.json"), "{}").unwrap();
    let reads: [(&[&str], i32); 6] = [
        (&["import", "-"], 2),
        (&["compare", "/dev/stdin", "@/printed.json"], 2),
        (&["policy", "check", "/dev/stdin"], 2),
        (&["explain"], 2),
        (&["fio", "-"], 1),
        (&["diskspd", "-X/dev/stdin"], 3),
    ];
    for (words, code) in reads {
        for from in ["yes |", "cat /dev/zero |", "true; </dev/zero"] {
            let script = format!("{from} exec \"$0\" $*");
            let words: Vec<&str> =
                ["-c", &script, "plimsoll"].into_iter().chain(words.iter().copied()).collect();
            let refused = watched(Running::start(&mut folder.through("sh", &words)));
            let Some(refused) = refused else { panic!("{words:?} hangs") };
            assert_eq!(refused.ended.code, Some(code), "{words:?}: {}", refused.ended.err);
            assert!(refused.peak < MEMORY_MOST, "{words:?}: {} MiB", refused.peak);
        }
    }
}
