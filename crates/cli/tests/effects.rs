//! Effect, not parsing: random small command lines are run by the real fio and by ours on copies of the same files, and
//! bytes, lengths, counts, offsets and exit codes must be the same, or the difference be one that is meant and written down.
//! `PLIMSOLL_LINES=500` runs that many, `PLIMSOLL_SEED=17` one line again.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

#[path = "effects/effect.rs"]
mod effect;
#[path = "effects/line.rs"]
mod line;
mod machine;
#[path = "effects/meant.rs"]
mod meant;
#[path = "effects/pings.rs"]
mod pings;

use effect::{Effect, effect};
use line::Line;
use machine::*;
use meant::meant;
use pings::{Ping, ping_effect};

/// How many lines are run where nobody says.
const LINES: u64 = 40;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The seeds that are run.
fn seeds() -> Vec<u64> {
    match number("PLIMSOLL_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("PLIMSOLL_LINES").unwrap_or(LINES)).collect(),
    }
}

/// In what the two differ; empty where they do not.
fn differences(line: &Line, real: &Effect, ours: &Effect) -> Vec<String> {
    let mut found = Vec::new();
    let mut note = |what: &str, real: String, ours: String| {
        if real != ours {
            found.push(format!("{what}: fio {real}, ours {ours}"));
        }
    };
    note("exit code", format!("{:?}", real.code), format!("{:?}", ours.code));
    let errors = |effect: &Effect| -> Vec<(String, i64)> {
        effect.jobs.iter().map(|(name, job)| (name.clone(), job.error)).collect()
    };
    note("errors", format!("{:?}", errors(real)), format!("{:?}", errors(ours)));
    for (name, file) in &real.files {
        let other = &ours.files[name];
        note(&format!("length of {name}"), format!("{:?}", file.length), format!("{:?}", other.length));
        let sectors = |changed: &[u64]| match line.is_ordered() {
            true => format!("{:?}", ranges(changed)),
            false => format!("{}", changed.len()),
        };
        if line.is_ordered() || !line.has("--norandommap") {
            note(&format!("changed sectors of {name}"), sectors(&file.changed), sectors(&other.changed));
        }
    }
    let total = |effect: &Effect| -> Vec<(u64, u64)> {
        let operations = |job: &effect::JobEffect| {
            if line.has_random_lengths() { 0 } else { job.done[0].0 + job.done[1].0 }
        };
        let sum = |job: &effect::JobEffect| (operations(job), job.done[0].1 + job.done[1].1);
        effect.jobs.iter().map(|(_, job)| sum(job)).collect()
    };
    note("operations and bytes", format!("{:?}", total(real)), format!("{:?}", total(ours)));
    if line.is_ordered() {
        let sorted = |effect: &Effect| {
            let mut places = effect.places.clone();
            places.values_mut().for_each(|rows| rows.sort_unstable());
            places.into_iter().map(|(log, rows)| (log, rows)).collect::<Vec<_>>()
        };
        let (real, ours) = (sorted(real), sorted(ours));
        if real != ours {
            note("places", short(&real), short(&ours));
        }
    }
    found
}

fn short(places: &[(String, Vec<(u64, u64, u64)>)]) -> String {
    let of = |(log, rows): &(String, Vec<(u64, u64, u64)>)| {
        format!("{log}: {} rows, {:?} to {:?}", rows.len(), rows.first(), rows.last())
    };
    places.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// Numbers in a row as first and last.
fn ranges(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == number => last.1 = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

#[test]
fn random_command_lines_do_what_the_real_fio_does() {
    let Some(peers) = Peers::find() else { return };
    let seeds = seeds();
    let mut unexplained = Vec::new();
    let mut same = 0;
    let mut explained = std::collections::BTreeMap::<&str, usize>::new();
    for seed in &seeds {
        let line = Line::drawn(*seed);
        let (real, ours) = (effect(&peers, Who::Real, &line), effect(&peers, Who::Command, &line));
        let differences = differences(&line, &real, &ours);
        if differences.is_empty() {
            same += 1;
        } else if let Some(reason) = meant(&line, &real, &ours) {
            *explained.entry(reason).or_default() += 1;
        } else {
            let words = line.words.join(" ");
            unexplained.push(format!(
                "seed {seed}, f {:?}, g {:?}: {words}\n  {}\n  fio: {}\n  ours: {}",
                line.before[0],
                line.before[1],
                differences.join("\n  "),
                real.said.trim(),
                ours.said.trim()
            ));
        }
    }
    eprintln!("{} lines: {same} the same, {} unexplained", seeds.len(), unexplained.len());
    explained.iter().for_each(|(reason, count)| eprintln!("{count} times: {reason}"));
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n\n"));
}

#[test]
fn random_lines_do_what_the_real_ioping_does() {
    let version = std::process::Command::new("ioping").arg("-v").output();
    if version.map_or(true, |out| !String::from_utf8_lossy(&out.stdout).starts_with("ioping 1.3")) {
        eprintln!("skipped: ioping 1.3 is not installed");
        return;
    }
    let folder = Folder::new();
    let seeds = seeds();
    let mut unexplained = Vec::new();
    for seed in &seeds {
        let line = Ping::drawn(*seed);
        let (real, said) = ping_effect(&folder, None, &line);
        let (ours, we_said) = ping_effect(&folder, Some("ioping"), &line);
        if real != ours {
            let words = line.words.join(" ");
            unexplained.push(format!(
                "seed {seed}, f {:?}: {words}\n  ioping: {real:?} {said}\n  ours: {ours:?} {we_said}",
                line.before
            ));
        }
    }
    eprintln!("{} lines for ioping: {} unexplained", seeds.len(), unexplained.len());
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n\n"));
}
