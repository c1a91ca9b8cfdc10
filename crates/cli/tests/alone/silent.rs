//! A device that does not answer: it is reported within six seconds with the I/O that is held, and given up when
//! patience runs out; everything measured until then is kept.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::machine::*;
use testbed::{Device, LoopOver, Ops, Through};

const SIZE: u64 = 72 << 20;
/// How long plimsoll waits in these tests.
const PATIENCE: &str = "8s";

/// The target of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    File,
    Loop,
    Directory,
}

/// A command line during whose I/O the device stops answering. `%` stands for the target, `@` for the test's folder.
struct Case {
    words: Vec<&'static str>,
    on: On,
    /// Operations with which the job is seen to be under way.
    ops: Ops,
    /// Whether a run file is kept.
    keeps: bool,
    /// The name of the held I/O.
    held: &'static str,
}

/// A device, what stands on it, and the folder of the case.
struct Ground {
    folder: Folder,
    // Declared before the device below it, so that it is dropped first.
    shown: Option<LoopOver>,
    device: Device,
}

impl Ground {
    fn of(on: On) -> Option<Ground> {
        let device = match on {
            On::Directory => Device::cached_or_skip(SIZE)?,
            On::File | On::Loop => Device::or_skip(SIZE)?,
        };
        let shown = match on {
            On::Loop => Some(LoopOver::or_skip(&device.path(), Through::Direct)?),
            On::File | On::Directory => None,
        };
        Some(Ground { folder: Folder::in_memory(), shown, device })
    }

    fn target(&self, on: On) -> PathBuf {
        match (&self.shown, on) {
            (Some(shown), _) => shown.path().to_owned(),
            (None, On::Directory) => self.device.directory().to_owned(),
            (None, _) => self.device.path(),
        }
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // The loop device can go only after what it waits for has completed.
        self.device.heal();
    }
}

impl Case {
    fn run(&self) {
        let Some(ground) = Ground::of(self.on) else { return };
        let target = text(&ground.target(self.on));
        let job = "[load]\nrw=randread\nbs=4k\niodepth=4\ndirect=1\nsize=64m\n";
        std::fs::write(ground.folder.path("job.fio"), job).unwrap();
        let words: Vec<String> = self.words.iter().map(|word| word.replace('%', &target)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut running = Running::start(&mut ground.folder.plimsoll(&words));
        let at_work = comes_true(|| ground.device.tally(self.ops).done > 50);
        assert!(at_work, "{words:?} does no I/O: {}", running.wait().err);
        ground.device.silence(Ops::DATA);
        let since = Instant::now();
        assert!(running.has_said("(--give-up)"), "{words:?}: {}", running.wait().err);
        assert!(running.has_said("--give-up"), "{words:?}: {}", running.wait().err);
        // The kernel lets no process end while it holds its calls: those of psync, and everything of libaio. I/O in
        // flight is waited for a little longer.
        std::thread::sleep(Duration::from_secs(2));
        let free = !words.iter().any(|word| HELD_BY_CALLS.contains(word)) && self.on != On::Directory;
        let gone = comes_true(|| has_ended(running.id()) || !free);
        assert!(gone, "{words:?}: it does not end");
        ground.device.heal();
        let ended = running.wait();
        let said = ended.complained();
        assert_eq!(ended.code, Some(1), "{words:?}: {}", ended.err);
        let noticed = said.split("nothing has come back for ").nth(1).unwrap_or_default();
        let seconds: f64 = noticed.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
        assert!((5.0..6.0).contains(&seconds), "{words:?}: {seconds}: {said}");
        assert!(said.contains(&format!("a {} of ", self.held)), "{words:?}: {said}");
        assert!(said.contains(&target) && said.contains("is given up"), "{words:?}: {said}");
        assert!(!said.contains("panicked"), "{words:?}: {said}");
        assert!(since.elapsed() < Duration::from_secs(60), "{words:?}: {:?}", since.elapsed());
        if self.keeps {
            self.is_kept(&ground, &words);
        }
    }

    fn is_kept(&self, ground: &Ground, words: &[&str]) {
        let report = ["report", &run_file(&ground.folder.path("out")), "--format", "json"];
        let again = ended(&mut ground.folder.plimsoll(&report));
        assert_eq!(again.code, Some(0), "{words:?}: {}", again.err);
        let stored = again.json();
        assert_eq!(stored["run"]["complete"], true, "{words:?}");
        let last = stored["steps"].as_array().unwrap().last().unwrap();
        assert_eq!(last["ending"], "failed", "{words:?}");
        assert!(again.out.contains("is given up"), "{words:?}: the record names it");
    }
}

/// Words for I/O by system calls, or by contexts whose completion the kernel waits for.
const HELD_BY_CALLS: [&str; 4] = ["--ioengine=psync", "--ioengine=libaio", "ioping", "-A"];

/// Runs all cases at once, because each of them mostly waits.
fn all(cases: Vec<Case>) {
    let threads: Vec<_> = cases.into_iter().map(|case| std::thread::spawn(move || case.run())).collect();
    let failed: Vec<_> = threads.into_iter().filter_map(|thread| thread.join().err()).collect();
    if let Some(first) = failed.into_iter().next() {
        std::panic::resume_unwind(first);
    }
}

#[test]
#[ignore = "night: real silence"]
fn fio_tells_and_gives_up_by_every_engine_also_when_the_time_is_over() {
    let mut cases = Vec::new();
    for engine in ["--ioengine=io_uring", "--ioengine=libaio", "--ioengine=psync"] {
        for (rw, ops, held) in [("--rw=randread", Ops::READ, "read"), ("--rw=randwrite", Ops::WRITE, "write")]
        {
            for on in [On::File, On::Loop] {
                let words = vec![
                    "--give-up",
                    PATIENCE,
                    "fio",
                    "--name=a",
                    "--filename=%",
                    "--bs=4k",
                    "--size=64m",
                    "--direct=1",
                    "--iodepth=4",
                    "--time_based",
                    "--runtime=2",
                    engine,
                    rw,
                ];
                cases.push(Case { words, on, ops, keeps: false, held });
            }
        }
    }
    all(cases);
}

#[test]
#[ignore = "night: real silence"]
fn every_command_tells_gives_up_and_keeps_what_was_measured() {
    let native = |words: Vec<&'static str>, on, ops, held| {
        let words = [words, vec!["--busy", "--give-up", PATIENCE, "--out", "@/out"]].concat();
        Case { words, on, ops, keeps: true, held }
    };
    let other = |words: Vec<&'static str>, on, ops, held| {
        let words = [vec!["--give-up", PATIENCE], words].concat();
        Case { words, on, ops, keeps: false, held }
    };
    all(vec![
        native(vec!["check", "%"], On::File, Ops::READ, "read"),
        native(vec!["check", "%", "--allow-destroy", "%"], On::Loop, Ops::WRITE, "write"),
        native(vec!["run", "crystaldiskmark", "%", "--time", "2s"], On::Loop, Ops::READ, "read"),
        native(vec!["stream", "%", "--size", "64M"], On::Directory, Ops::WRITE, "write"),
        native(
            vec!["watch", "--load", "@/job.fio", "--on", "%", "--cycle", "3s", "--repeat", "1"],
            On::File,
            Ops::READ,
            "read",
        ),
        other(vec!["ioping", "-i", "0", "-D", "%"], On::File, Ops::READ, "read"),
        other(vec!["ioping", "-i", "0", "-D", "-A", "%"], On::Loop, Ops::READ, "read"),
        other(vec!["diskspd", "-d2", "-W0", "-b4K", "-r", "-o4", "-Sh", "%"], On::File, Ops::READ, "read"),
        other(
            vec!["diskspd", "-d2", "-W0", "-b4K", "-r", "-o4", "-Sh", "-w100", "%"],
            On::Loop,
            Ops::WRITE,
            "write",
        ),
    ]);
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_device_that_answers_again_is_told_and_the_run_goes_on() {
    let Some(ground) = Ground::of(On::File) else { return };
    let words =
        ["run", "crystaldiskmark", &text(&ground.device.path()), "--time", "2s", "--busy", "--out", "@/out"];
    let mut running = Running::start(&mut ground.folder.plimsoll(&words));
    assert!(comes_true(|| ground.device.tally(Ops::READ).done > 50));
    ground.device.silence(Ops::READ);
    assert!(running.has_said("(--give-up)"), "{}", running.wait().err);
    ground.device.heal();
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.complained().contains("answers again"), "{}", ended.err);
    let report = ["report", &run_file(&ground.folder.path("out")), "--format", "json"];
    let again = self::ended(&mut ground.folder.plimsoll(&report));
    assert!(again.code == Some(0) && again.out.contains("answers again"), "{}", again.out);
}

/// A name server, in a network of its own, that accepts every query and answers none; it then executes the words that follow.
const NO_NAMES: &str = "import os, socket, subprocess, sys
subprocess.check_call(['ip', 'link', 'set', 'lo', 'up'])
subprocess.check_call(['mount', '--bind', sys.argv[1], '/etc/resolv.conf'])
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(('127.0.0.1', 53))
names.set_inheritable(True)
os.execv(sys.argv[2], sys.argv[2:])";

/// Starts plimsoll where no name is ever resolved; the system's resolver tries for two minutes.
fn without_names(folder: &Folder, words: &[&str]) -> Option<Running> {
    if !is_root() {
        skipped(Lack::Root, "a network of its own needs root");
        return None;
    }
    let Some(python) = python_with("import socket") else {
        skipped(Lack::Tool, "no Python");
        return None;
    };
    let options = "nameserver 127.0.0.1\noptions timeout:30 attempts:4\n";
    std::fs::write(folder.path("resolv.conf"), options).unwrap();
    let before = ["-nm", python, "-c", NO_NAMES, "@/resolv.conf", "plimsoll"];
    Some(Running::start(&mut folder.through("unshare", &[&before, words].concat())))
}

/// The system's resolver cannot be interrupted; the run ends all the same, and Ctrl-C takes effect during the wait.
#[test]
#[ignore = "night: real silence"]
fn a_name_server_that_is_silent_keeps_neither_the_end_of_a_run_nor_ctrl_c_waiting() {
    let folder = Folder::new();
    let run = [
        "run",
        "five-figures",
        "null:",
        "--time",
        "200ms",
        "--otlp",
        "http://name.example:4318",
        "--out",
        "@/runs",
    ];
    for stopped in [false, true] {
        let Some(mut running) = without_names(&folder, &run) else { return };
        assert!(running.has_said("write latency"), "it ran: {}", running.wait().err);
        let begun = Instant::now();
        if stopped {
            // The second page is written, and the collector is being waited for.
            let is_page =
                |name: std::ffi::OsString| Path::new(&name).extension().is_some_and(|end| end == "html");
            let pages =
                || std::fs::read_dir(folder.path("runs")).unwrap().flatten().map(|entry| entry.file_name());
            assert!(comes_true(|| pages().filter(|name| is_page(name.clone())).count() == 2));
            running.signal("INT");
        }
        let ended = running.wait();
        // A hang would last two minutes.
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(matches!((stopped, ended.code), (false, Some(0)) | (true, Some(0 | 130))), "{ended:?}");
        let told = ended.complained();
        assert!(told.contains("--otlp: http://name.example:4318 does not answer"), "{told}");
        assert!(told.contains("the last figures of the run are not there"), "{told}");
    }
}
