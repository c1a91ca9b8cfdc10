//! Ctrl-C and kill -9 at any moment: the run ends at once, its file holds all that was measured, and the target is as before.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::*;
use serde_json::Value;

/// A run under way on a volume of its own.
struct Scene {
    volume: Volume,
    folder: Folder,
    free_before: u64,
}

impl Scene {
    fn new() -> Option<Scene> {
        let folder = Folder::in_memory();
        let volume = Volume::ext4(&folder, 600, Through::Direct)?;
        let free_before = volume.mount.free();
        Some(Scene { volume, folder, free_before })
    }

    /// Starts a check of the volume, and waits until stderr contains `words`.
    fn running(&self, options: &[&str], words: &str) -> Running {
        let target = self.volume.mount.text();
        // So much is to be written that no step is cut for lack of it: a moment later the step is still under way.
        let fixed = [
            "check",
            &target,
            "--size",
            "300M",
            "--write-most",
            "20G",
            "--effort",
            "brief",
            "--out",
            "@/out",
        ];
        let mut running = Running::start(&mut self.folder.plimsoll(&[&fixed[..], options].concat()));
        assert!(running.has_said(words), "never said {words}: {}", running.wait().err);
        running
    }

    fn out(&self) -> PathBuf {
        self.folder.path("out")
    }

    /// Asserts that nothing of ours is left on the target: no name, and every block is free again.
    fn is_as_before(&self) {
        assert_eq!(self.volume.mount.names(), Vec::<String>::new());
        let back = comes_true(|| self.volume.mount.free() == self.free_before);
        assert!(back, "{} bytes are still taken", self.free_before - self.volume.mount.free());
    }

    fn report(&self, run: &str) -> ProgramOutput {
        ended(&mut self.folder.plimsoll(&["report", run, "--format", "json"]))
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn steps(document: &Value) -> &Vec<Value> {
    document["steps"].as_array().unwrap()
}

/// Sends Ctrl-C once stderr contains `words`: the step named `step` is cut short, and everything is kept.
fn stopped_at(words: &str, step: &str) {
    let Some(scene) = Scene::new() else { return };
    let running = scene.running(&["--busy", "--format", "json"], words);
    // A moment into the step.
    std::thread::sleep(std::time::Duration::from_millis(100));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    scene.is_as_before();
    let measured = ended.json();
    let last = steps(&measured).last().unwrap();
    assert_eq!((&last["name"], &last["ending"]), (&step.into(), &"interrupted".into()), "{}", ended.err);
    // A run file without side files, and the report.
    let names = names_in(&scene.out());
    assert!(
        matches!(&names[..], [html, run] if html.ends_with(".html") && run.ends_with(".plimsoll")),
        "{names:?}"
    );
    let again = scene.report(&run_file(&scene.out()));
    assert_eq!(again.code, Some(0), "{}", again.err);
    let stored = again.json();
    assert_eq!(stored["run"]["complete"], true, "nothing more was to come");
    for key in ["verdict", "findings", "steps", "samples", "latencies", "depths"] {
        assert!(stored[key] == measured[key], "{key} differs between run and run file");
    }
    let sentence = stored["verdict"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("The run was stopped before its end"), "{sentence}");
}

#[test]
#[ignore = "night: as other moments"]
fn stopped_while_writes_are_timed() {
    stopped_at("latency read", "latency write");
}

#[test]
#[ignore = "night: as other moments"]
fn stopped_while_writes_are_flushed() {
    stopped_at("latency write", "latency flush");
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn stopped_on_the_first_rung_of_the_depth_ladder() {
    stopped_at("latency flush", "read depth 1");
}

#[test]
#[ignore = "night: as other moments"]
fn stopped_on_a_deeper_rung() {
    stopped_at("read depth 2", "read depth 4");
}

#[test]
#[ignore = "night: signals at real moments"]
fn stopped_during_the_layout() {
    let Some(scene) = Scene::new() else { return };
    let Some(mut throttle) = Throttle::or_skip("layout") else { return };
    throttle.limit(&scene.volume.disk, 20 << 20);
    let target = scene.volume.mount.text();
    let words = ["check", &target, "--size", "300M", "--out", "@/out", "--format", "json"];
    let mut running = Running::start(&mut scene.folder.plimsoll(&words));
    throttle.holds(running.id());
    // The idle check takes a second; then 300 MiB take 15 s at 20 MiB/s.
    assert!(running.has_said("About"), "{}", running.wait().err);
    assert!(comes_true(|| scene.volume.mount.free() + (30 << 20) < scene.free_before));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    scene.is_as_before();
    let measured = ended.json();
    let names: Vec<&Value> = steps(&measured).iter().map(|step| &step["name"]).collect();
    assert_eq!(names, ["layout"], "{}", ended.err);
    let written = measured["steps"][0]["totals"]["write"]["bytes"].as_u64().unwrap();
    assert!((30 << 20..300 << 20).contains(&written), "{written}");
    let again = scene.report(&run_file(&scene.out()));
    assert!(again.code == Some(0) && again.json()["steps"] == measured["steps"], "{}", again.err);
}

#[test]
#[ignore = "night: signals at real moments"]
fn stopped_at_the_idle_gate_leaves_no_run_behind() {
    let Some(scene) = Scene::new() else { return };
    let running = scene.running(&[], "About");
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    assert!(ended.complained().contains("stopped before anything was measured"), "{}", ended.err);
    assert!(ended.out.is_empty() && names_in(&scene.out()).is_empty(), "{:?}", names_in(&scene.out()));
    scene.is_as_before();
}

#[test]
#[ignore = "night: signals at real moments"]
fn a_signal_that_comes_twice_at_once_is_one_wish() {
    let Some(scene) = Scene::new() else { return };
    let running = scene.running(&["--busy", "--format", "json"], "latency read");
    for _ in 0..3 {
        running.signal("INT");
    }
    let ended = running.wait();
    assert_eq!(ended.code, Some(130));
    assert_eq!(steps(&ended.json()).last().unwrap()["ending"], "interrupted");
    assert_eq!(names_in(&scene.out()).len(), 2, "{:?}", names_in(&scene.out()));
}

#[test]
#[ignore = "night: signals at real moments"]
fn a_second_ctrl_c_ends_it_at_once_and_the_run_file_still_opens() {
    let Some(scene) = Scene::new() else { return };
    let Some(mut throttle) = Throttle::or_skip("second") else { return };
    let running = scene.running(&["--busy"], "latency flush");
    throttle.holds(running.id());
    throttle.limit(&scene.volume.disk, 100);
    // By then the kernel holds an I/O, and the first Ctrl-C waits most of a second for it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal("INT");
    std::thread::sleep(std::time::Duration::from_millis(400));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130));
    assert!(ended.out.is_empty(), "it waited all the same: {}", ended.out);
    throttle.limit(&scene.volume.disk, 0);
    scene.is_as_before();
    let again = scene.report(&run_file(&scene.out()));
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(steps(&again.json()).iter().any(|step| step["name"] == "latency flush"));
}

#[test]
#[ignore = "night: signals at real moments"]
fn a_termination_is_as_good_as_ctrl_c() {
    for signal in ["TERM", "HUP"] {
        let Some(scene) = Scene::new() else { return };
        let running = scene.running(&["--busy"], "latency read");
        running.signal(signal);
        assert_eq!(running.wait().code, Some(130), "{signal}");
        scene.is_as_before();
        assert_eq!(names_in(&scene.out()).len(), 2, "{:?}", names_in(&scene.out()));
    }
}

/// An I/O that the kernel does not complete: throttled to next to nothing, it would take minutes.
#[test]
#[ignore = "night: signals at real moments"]
fn io_that_the_kernel_still_holds_is_named() {
    let Some(scene) = Scene::new() else { return };
    let Some(mut throttle) = Throttle::or_skip("held") else { return };
    let running = scene.running(&["--busy", "--format", "json"], "latency flush");
    throttle.holds(running.id());
    throttle.limit(&scene.volume.disk, 100);
    std::thread::sleep(std::time::Duration::from_millis(500));
    running.signal("INT");
    let began = std::time::Instant::now();
    let ended = running.wait();
    // 4 KiB at 100 B/s would take 41 s.
    assert!(began.elapsed().as_secs() < 20, "it waited for the kernel");
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    let document = ended.json();
    let notes = steps(&document).last().unwrap()["notes"].to_string();
    assert!(notes.contains("the kernel still holds a read of 4096 bytes"), "{notes}");
    let told = ended.complained();
    assert!(told.contains("the kernel still holds a read of 4096 bytes"), "{told}");
    throttle.limit(&scene.volume.disk, 0);
    scene.is_as_before();
}

/// After a kill, the run file alone, without its side files, holds every step that had ended.
#[test]
#[ignore = "night: signals at real moments"]
fn killed_the_target_is_clean_and_the_run_file_alone_is_drawn() {
    for (words, steps_least) in [("latency read", 2), ("read depth 1", 5)] {
        let Some(scene) = Scene::new() else { return };
        let running = scene.running(&["--busy"], words);
        // Longer than an interval: what has ended by then must be stored.
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        running.signal("KILL");
        let ended = running.wait();
        assert_eq!(ended.code, None, "{}", ended.err);
        scene.is_as_before();
        let alone = scene.folder.make_dir("alone").join("copy.plimsoll");
        fs::copy(run_file(&scene.out()), &alone).unwrap();
        let drawn = scene.report(&text(&alone));
        assert_eq!(drawn.code, Some(0), "{}", drawn.err);
        let document = drawn.json();
        assert_eq!(document["run"]["complete"], false);
        let whole = steps(&document).iter().filter(|step| step["intervals"] != Value::Array(Vec::new()));
        assert!(whole.count() >= steps_least, "{}", ended.err);
        let html = fs::read_to_string(alone.with_extension("html")).unwrap();
        assert!(html.contains("</html>") && html.contains("<svg"), "the page is not whole");
        // In its place, with its side files, it holds at least as much.
        let there = scene.report(&run_file(&scene.out())).json();
        assert!(steps(&there).len() >= steps(&document).len());
    }
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_run_that_was_killed_is_called_unfinished() {
    let Some(scene) = Scene::new() else { return };
    let running = scene.running(&["--busy"], "read depth 1");
    running.signal("KILL");
    running.wait();
    let drawn = crate::machine::ended(&mut scene.folder.plimsoll(&["report", &run_file(&scene.out())]));
    assert!(drawn.told().contains("CANNOT TELL") && drawn.told().contains("before its end"), "{}", drawn.out);
}

#[test]
#[ignore = "night: signals at real moments"]
fn a_run_stopped_early_can_be_held_against_a_policy_again() {
    let Some(scene) = Scene::new() else { return };
    let running = scene.running(&["--busy", "--policy", "aws-gp3"], "read depth 1");
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    assert!(ended.told().contains("CANNOT TELL whether it meets aws-gp3"), "{}", ended.out);
    let again = crate::machine::ended(&mut scene.folder.plimsoll(&["report", &run_file(&scene.out())]));
    assert!(again.told().contains("CANNOT TELL whether it meets aws-gp3"), "{}", again.out);
}

/// A watch reports this of its samples; a run's load stands still meanwhile, for which the volume is not to blame.
#[test]
#[ignore = "night: signals at real moments"]
fn a_run_that_was_stopped_and_goes_on_says_that_nobody_looked() {
    let folder = Folder::new();
    let words = ["run", "five-figures", "null:", "--time", "2s", "--out", "@/out"];
    let mut running = Running::start(&mut folder.plimsoll(&words));
    assert!(running.has_said("write bandwidth"), "{}", running.wait().err);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    running.signal("STOP");
    std::thread::sleep(std::time::Duration::from_secs(5));
    running.signal("CONT");
    let done = running.wait();
    assert_eq!(done.code, Some(0), "{}", done.err);
    let said = "on: plimsoll was stopped, or the machine too busy to let it run";
    assert!(done.complained().contains(said), "{}", done.err);
    let run = run_file(&folder.path("out"));
    let report = ended(&mut folder.plimsoll(&["report", &run, "--format", "json", "--html", "@/page.html"]));
    assert!(squeezed(&report.json()["run"]["events"].to_string()).contains(said), "{}", report.out);
}
