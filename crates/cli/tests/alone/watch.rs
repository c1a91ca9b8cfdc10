//! A watch and every way it may end: its time, Ctrl-C, kill -9, a full disk, a device that disappears, a process that sleeps.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::machine::*;
use record::{EventKind, PhaseKind, Recording, Run};
use workload::Nanos;

/// Reads the only run file below `out` of `folder`, as far as it is stored.
fn stored(folder: &Folder) -> Option<Run> {
    let names = fs::read_dir(folder.path("out")).ok()?.flatten().map(|entry| entry.path());
    let run = names.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "plimsoll"))?;
    runfile::read(&run).ok()
}

/// Starts a watch with `words`, and waits until its run file holds `samples` samples.
fn watching(folder: &Folder, words: &[&str], samples: usize) -> Running {
    let fixed = ["watch", "--every", "50ms", "--out", "@/out"];
    let running = Running::start(&mut folder.plimsoll(&[&fixed[..], words].concat()));
    let there = comes_true(|| stored(folder).is_some_and(|run| run.samples.len() >= samples));
    assert!(there, "no samples: {}", running.wait().err);
    running
}

fn told(run: &Run) -> Vec<&str> {
    run.events.iter().map(|event| event.text.as_str()).collect()
}

fn html(folder: &Folder) -> String {
    fs::read_to_string(PathBuf::from(run_file(&folder.path("out"))).with_extension("html")).unwrap()
}

/// Fills a file system except for a page; returns false, with the reason printed, if that fails.
fn filled(mount: &MountGuard) -> bool {
    let most = mount.free().saturating_sub(4096).to_string();
    run(&["fallocate", "-l", &most, &text(&mount.path("filler"))])
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_watch_keeps_its_samples_in_the_run_file_and_says_what_it_watches() {
    let folder = Folder::new();
    let words = ["watch", "--for", "1s", "--every", "100ms", "--format", "json", "--out", "@/out"];
    let ended = ended(&mut folder.plimsoll(&words));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.complained().contains("every 100 ms, for 1 s."), "{}", ended.err);
    let run = stored(&folder).unwrap();
    assert!(run.complete && run.target.is_none() && run.phases.is_empty());
    assert!(run.samples.len() > 2 && run.samples.iter().all(|sample| sample.wall_unix_ms > 0));
    let apart = run.samples.windows(2).all(|pair| pair[0].at < pair[1].at);
    assert!(apart && !run.devices.is_empty(), "{:?}", run.devices);
    let shown = ended.json();
    assert_eq!(shown["run"]["complete"], true);
    assert!(html(&folder).contains("</html>"));
}

#[test]
#[ignore = "night: a signal at a real moment"]
fn ctrl_c_is_the_end_of_a_watch_without_a_time_and_cuts_one_with_a_time_short() {
    for (words, code, kind) in
        [(&[][..], 0, EventKind::Note), (&["--for", "1h"][..], 130, EventKind::Interrupt)]
    {
        let folder = Folder::in_memory();
        let running = watching(&folder, words, 2);
        running.signal("INT");
        let ended = running.wait();
        assert_eq!(ended.code, Some(code), "{words:?}: {}", ended.err);
        let run = stored(&folder).unwrap();
        assert!(run.complete, "nothing more was to come");
        let last = run.events.last().unwrap();
        assert_eq!(last.kind, kind, "{}", last.text);
        assert!(fs::read_dir(folder.path("out")).unwrap().count() == 2, "run file and report, no side files");
    }
}

#[test]
#[ignore = "night: a signal at a real moment"]
fn kill_minus_nine_loses_a_second_at_most_and_the_rest_is_drawn_and_called_cut_off() {
    let folder = Folder::in_memory();
    let running = watching(&folder, &[], 20);
    let started = stored(&folder).unwrap().started_unix_ms;
    let killed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    running.signal("KILL");
    assert_eq!(running.wait().code, None);
    let run = stored(&folder).unwrap();
    assert!(!run.complete);
    let until = Nanos::from_millis(killed.as_millis() as u64 - started);
    let lost = until.since(run.samples.last().unwrap().at);
    // A second between two commits, and two more for a busy machine.
    assert!(lost < Nanos::from_secs(3), "{lost} lost");
    let file = run_file(&folder.path("out"));
    let report = ended(&mut folder.plimsoll(&["report", &file]));
    assert_eq!(report.code, Some(0), "{}", report.err);
    let page = html(&folder);
    assert!(page.contains("This run was cut off at") && page.contains("<svg"), "not drawn, or not called so");
}

#[test]
#[ignore = "night: a signal at a real moment"]
fn kill_minus_nine_in_a_load_keeps_the_phases_and_what_the_load_did() {
    let folder = Folder::in_memory();
    folder.make_dir("on");
    let job = "[steady]\nrw=randread\nbs=4k\nsize=64m\nrate_iops=200\n";
    fs::write(folder.path("steady.fio"), job).unwrap();
    let load =
        ["--load", "@/steady.fio", "--on", &folder.text("on"), "--cycle", "3s", "--repeat", "9", "--busy"];
    let mut running = Running::start(
        &mut folder.plimsoll(&[&["watch", "--every", "50ms", "--out", "@/out"][..], &load].concat()),
    );
    assert!(running.has_said("  idle 1"), "{}", running.wait().err);
    let in_load = |run: &Run| {
        let last = run.steps.last().unwrap();
        last.plan.name == "load 1" && !last.intervals.is_empty()
    };
    let loaded = comes_true(|| stored(&folder).as_ref().is_some_and(in_load));
    running.signal("KILL");
    drop(running);
    let run = stored(&folder).unwrap();
    assert!(loaded && !run.complete);
    let names: Vec<&str> = run.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(&names[..2], ["idle 1", "load 1"]);
    assert!(matches!(&run.phases[1].kind, PhaseKind::Load { step, scale: None } if step == "load 1"));
    assert!(run.steps.iter().any(|step| step.plan.name == "load 1"), "what the load did until then");
    assert_eq!(fs::read_dir(folder.path("on")).unwrap().count(), 0, "nothing is left behind");
    let report = ended(&mut folder.plimsoll(&["report", &run_file(&folder.path("out"))]));
    assert_eq!(report.code, Some(0), "{}", report.err);
}

#[test]
#[ignore = "night: real seconds"]
fn a_full_disk_under_the_run_file_is_told_at_once_and_what_was_stored_is_drawn() {
    let folder = Folder::in_memory();
    let Some(mount) = MountGuard::at(folder.path("out"), &["-t", "tmpfs", "-o", "size=2m", "none"]) else {
        return;
    };
    let mut running = watching(&folder, &[], 5);
    if !filled(&mount) {
        return;
    }
    assert!(running.has_said("is not kept"), "{}", running.wait().err);
    let kept = stored(&folder).unwrap().samples.len();
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.complained().contains("the run file is not complete"), "{}", ended.err);
    let elsewhere = folder.text("again.html");
    let report = crate::machine::ended(&mut folder.plimsoll(&[
        "report",
        &run_file(&folder.path("out")),
        "--html",
        &elsewhere,
    ]));
    assert_eq!(report.code, Some(0), "{}", report.err);
    assert!(kept >= 5 && fs::read_to_string(elsewhere).unwrap().contains("<svg"));
}

#[test]
#[ignore = "night: real seconds"]
fn a_disk_that_has_room_again_is_written_again() {
    let folder = Folder::in_memory();
    let Some(mount) = MountGuard::at(folder.path("out"), &["-t", "tmpfs", "-o", "size=2m", "none"]) else {
        return;
    };
    let mut running = watching(&folder, &[], 5);
    if !filled(&mount) {
        return;
    }
    assert!(running.has_said("is not kept"), "{}", running.wait().err);
    fs::remove_file(mount.path("filler")).unwrap();
    assert!(running.has_said("the run file is written again"), "{}", running.wait().err);
    let before = stored(&folder).unwrap().samples.len();
    assert!(comes_true(|| stored(&folder).is_some_and(|run| run.samples.len() > before)));
    running.signal("INT");
    assert_eq!(running.wait().code, Some(1), "something is missing all the same");
}

#[test]
#[ignore = "night: real seconds"]
fn a_device_that_goes_and_comes_leaves_a_hole_in_its_own_series_alone() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 16, Through::Direct) else { return };
    let node = disk.node();
    let part = format!("{}p1", disk.name());
    let table = format!("printf 'label: dos\\n2048,8192\\n' | sfdisk -q --no-tell-kernel {node} 2>&1");
    if !run(&["sh", "-c", &table]) || !run(&["partx", "--add", &node]) {
        return;
    }
    let _parts = Undo::by(&["partx", "--delete", &node]);
    let running = watching(&folder, &["--device", &part, "--device", &disk.name()], 5);
    let listed = |wanted: bool| {
        let there =
            |name: &str| stored(&folder).unwrap().samples.last().unwrap().disks.iter().any(|d| &*d.0 == name);
        comes_true(|| there(&part) == wanted)
    };
    assert!(run(&["partx", "--delete", &node]) && listed(false));
    assert!(run(&["partx", "--add", &node]) && listed(true));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let run = stored(&folder).unwrap();
    assert_eq!(
        told(&run)[..2],
        [format!("{part} is gone"), format!("{part} is there again")],
        "{:?}",
        told(&run)
    );
    let recording = Recording::of(&run);
    let holes = |name: &str| {
        let values = recording.device(name, record::Metric::ReadOps).unwrap();
        values.iter().filter(|value| value.is_nan()).count()
    };
    assert!(holes(&part) > 0 && holes(&disk.name()) == 0);
    assert!(ended.complained().contains(&format!("{part} is gone")), "told when it happens");
}

#[test]
#[ignore = "night: real seconds"]
fn a_process_that_was_stopped_for_a_while_leaves_a_gap_with_its_name() {
    let folder = Folder::in_memory();
    let running = watching(&folder, &[], 5);
    running.signal("STOP");
    std::thread::sleep(Duration::from_millis(2500));
    running.signal("CONT");
    let before = stored(&folder).unwrap().samples.len();
    assert!(comes_true(|| stored(&folder).is_some_and(|run| run.samples.len() > before + 3)));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let run = stored(&folder).unwrap();
    assert!(told(&run).iter().any(|text| text.starts_with("nobody looked for ")), "{:?}", told(&run));
    let recording = Recording::of(&run);
    let gaps = recording.gaps();
    assert!(gaps.iter().any(|(from, to)| to.since(*from) > Nanos::from_secs(2)), "{gaps:?}");
}

#[test]
fn a_command_keeps_its_exit_code_its_streams_and_its_signals() {
    let folder = Folder::in_memory();
    let code = |script: &str| {
        let words = ["watch", "--out", "@/out", "--", "sh", "-c", script];
        let ended = ended(&mut folder.plimsoll(&words));
        (ended.code, ended.out, ended.err)
    };
    let (exit, out, err) = code("echo its own; exit 7");
    assert_eq!((exit, out.as_str()), (Some(7), "its own\n"), "{err}");
    assert!(err.contains("the command has ended after") && err.contains("report"), "{err}");
    assert_eq!(code("kill -TERM $$").0, Some(128 + 15));
    let mut running = Running::start(&mut folder.plimsoll(&[
        "watch",
        "--format",
        "json",
        "--out",
        "@/signalled",
        "--",
        "sh",
        "-c",
        "trap 'echo heard; exit 3' TERM; echo ready >&2; while :; do sleep 0.05; done",
    ]));
    assert!(running.has_said("ready"));
    running.signal("TERM");
    let ended = running.wait();
    assert_eq!((ended.code, ended.out.as_str()), (Some(3), "heard\n"), "{}", ended.err);
    let run = PathBuf::from(run_file(&folder.path("signalled")));
    let document = fs::read_to_string(run.with_extension("json")).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&document).is_ok());
    let phases = runfile::read(&run).unwrap().phases;
    assert_eq!(phases.len(), 1);
    assert_eq!(phases[0].kind, PhaseKind::Command { code: Some(3) });
}

#[test]
fn a_command_that_cannot_be_started_leaves_nothing_and_the_code_of_env() {
    let folder = Folder::in_memory();
    fs::write(folder.path("text"), "no program").unwrap();
    for (program, code, said) in [
        ("./no-such-program", 127, "there is no such command"),
        ("no-such-program-anywhere", 127, "there is no such command in PATH"),
        ("@/text", 126, "cannot be started"),
    ] {
        let ended = ended(&mut folder.plimsoll(&["watch", "--out", "@/out", "--", program]));
        assert_eq!(ended.code, Some(code), "{}", ended.err);
        assert!(ended.complained().contains(said), "{}", ended.err);
        assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 0, "no run file of nothing");
    }
    let status = Command::new("env").arg("./no-such-program").output().unwrap().status;
    assert_eq!(status.code(), Some(127), "as env has it");
}

#[test]
#[ignore = "night: real seconds"]
fn a_load_in_memory_meets_nothing_and_says_so_by_its_exit_code() {
    let folder = Folder::in_memory();
    folder.make_dir("there");
    fs::write(folder.path("job.fio"), "[job]\nrw=randread\nbs=4k\nrate_iops=200\n").unwrap();
    let load = ["watch", "--load", "@/job.fio", "--on", "@/there", "--size", "64MiB", "--repeat", "1"];
    let rest = ["--cycle", "1500ms", "--every", "250ms", "--busy", "--out", "@/out", "--format", "json"];
    for claim in [&["--expect", "read 100 iops"][..], &[]] {
        let seen = ended(&mut folder.plimsoll(&[&load[..], &rest, claim].concat()));
        assert_eq!(seen.code, Some(4), "{claim:?}: {}", seen.err);
        assert_eq!(seen.json()["verdict"]["answer"], "cannot_tell", "{claim:?}");
    }
}
