//! The example job files of the distribution's package that need only local files, actually run beside the installed
//! fio: small, short, and with every device replaced by a file.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::machine::*;

const EXAMPLES: &str = "/usr/share/doc/fio/examples";
/// Number of examples run at a time; each waits more than it works.
const SIDE_BY_SIDE: usize = 3;
/// Least number of examples that must run; with fewer the test would prove nothing.
const LEAST: usize = 15;

/// Makes a line small and harmless. File names lose their folder, so that nothing outside is touched.
fn shortened(line: &str) -> String {
    let Some((name, value)) = line.split_once('=') else { return line.to_owned() };
    let at_most = |most: u64| value.trim().parse::<u64>().map_or(most, |number| number.min(most)).to_string();
    let value = match name.trim() {
        "filename" => value.rsplit('/').next().unwrap_or_default().to_owned(),
        "directory" => ".".to_owned(),
        "size" | "filesize" | "io_size" => "4m".to_owned(),
        "runtime" | "timeout" => "300ms".to_owned(),
        "ramp_time" | "startdelay" => "100ms".to_owned(),
        "offset" | "offset_increment" | "fill_device" => "0".to_owned(),
        "zonesize" | "zoneskip" => "1m".to_owned(),
        "numjobs" => at_most(2),
        "nrfiles" => at_most(3),
        "loops" => at_most(1),
        "number_ios" => at_most(64),
        _ => return line.to_owned(),
    };
    format!("{name}={value}")
}

/// Makes every line of a job file small; jobs that give neither size nor time get both.
fn small(text: &str) -> String {
    let mut small = String::new();
    for line in text.lines() {
        small.push_str(&shortened(line.trim()));
        small.push('\n');
        if line.starts_with('[') && !line.starts_with("[global") {
            let section =
                text.split(line).nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or_default();
            let before = text.split("\n[").next().unwrap_or_default();
            let says =
                |name: &str| section.lines().chain(before.lines()).any(|line| line.trim().starts_with(name));
            small.push_str(if says("size=") { "" } else { "size=4m\n" });
            small.push_str(if says("runtime=") { "" } else { "runtime=300ms\n" });
        }
    }
    small
}

/// Whether no value begins with a folder, so that only relative names are left.
fn stays_here(text: &str) -> bool {
    let lines = text.lines().map(|line| line.split(['#', ';']).next().unwrap_or_default());
    lines
        .filter_map(|line| line.split_once('='))
        .all(|(_, value)| !value.trim().starts_with(['/', '.']) || value == ".")
}

/// Examples whose jobs trim what the next verifies, or, made small, write and check the same blocks and thus race:
/// which job wins, and the exit code of either tool, is chance.
const BY_CHANCE: [&str; 2] = ["enospc-pressure.fio", "cross-stripe-verify.fio"];

/// It names a second NUMA node, which fio refuses if there is only one; plimsoll notes that jobs run on any node, and
/// runs them.
const TWO_NODES: &str = "numa.fio";

/// Runs one example; returns both exit codes and our output, or `None` if plimsoll refuses it by name.
fn run_one(peers: &Peers, name: &str) -> Option<(Option<i32>, Option<i32>, String)> {
    let text = String::from_utf8_lossy(&std::fs::read(Path::new(EXAMPLES).join(name)).unwrap()).into_owned();
    let text = small(&text);
    let [theirs, ours] = [Who::Real, Who::Link].map(|who| {
        let place = peers.folder.make_dir(&format!("{name}-{who:?}"));
        std::fs::write(place.join("job.fio"), &text).unwrap();
        place
    });
    let parsed = peers.run_in(&ours, Who::Link, "--parse-only job.fio");
    if parsed.code != Some(0) {
        eprintln!("{name}: {}", parsed.complained());
        return None;
    }
    assert!(stays_here(&text), "{name} names something outside:\n{text}");
    let ours = peers.run_in(&ours, Who::Link, "--output-format=json --output=result.json job.fio");
    // Short runs of it hang in fio until it gives up on them after 300 s.
    let theirs = match text.contains("io_submit_mode=offload") {
        true => Some(0),
        false => peers.run_in(&theirs, Who::Real, "--output=result.txt job.fio").code,
    };
    Some((theirs, ours.code, format!("{}{}", ours.out, ours.err)))
}

#[test]
fn the_examples_that_need_local_files_alone_run_and_end_as_they_do_in_fio() {
    let Some(peers) = Peers::find() else { return };
    let Ok(entries) = std::fs::read_dir(EXAMPLES) else {
        return skipped(Lack::Tool, format!("{EXAMPLES} is not there; the package fio-examples has it"));
    };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(".fio"));
    names.sort();
    let (next, ran) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(came) = run_one(&peers, name) {
                        ran.lock().unwrap().push((name.clone(), came));
                    }
                }
            });
        }
    });
    let ran = ran.into_inner().unwrap();
    for (name, (theirs, ours, said)) in &ran {
        eprintln!("{name}: fio ended with {theirs:?}, plimsoll with {ours:?}");
        let by_machine = name == TWO_NODES && *ours == Some(0);
        let by_chance = BY_CHANCE.contains(&name.as_str()) && ours.is_some_and(|code| code <= 1);
        assert!(
            theirs == ours || by_chance || by_machine,
            "{name}: fio ended with {theirs:?}, plimsoll with {ours:?}: {said}"
        );
    }
    assert!(ran.len() >= LEAST, "only {} of {} examples ran", ran.len(), names.len());
}
