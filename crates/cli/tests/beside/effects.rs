//! Effects, not parsing: the real fio and ours run random small command lines on copies of the same files. Bytes,
//! lengths, counts, offsets and exit codes must agree, or the difference must be intended and documented.
//! `PLIMSOLL_LINES=500` runs that many lines, `PLIMSOLL_SEED=17` repeats a single one.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod effect;
mod line;
mod meant;
mod options;
mod pings;

use crate::machine::*;
use effect::{Effect, effect};
use line::Line;
use meant::{Aspect, Pair, meant};
use pings::{Ping, ping_effect};

/// Default number of lines.
const LINES: u64 = 40;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Returns the seeds that are run.
fn seeds() -> Vec<u64> {
    match number("PLIMSOLL_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("PLIMSOLL_LINES").unwrap_or(LINES)).collect(),
    }
}

/// Returns the aspects in which the two differ, with both values; empty if they agree.
fn differences(pair: &Pair<'_>) -> Vec<(Aspect, String)> {
    let Pair { line, real, ours } = pair;
    let mut found = Vec::new();
    let mut note = |aspect: Aspect, what: &str, (real, ours): (String, String)| {
        if real != ours {
            found.push((aspect, format!("{what}: {real}, ours {ours}")));
        }
    };
    let both = |of: &dyn Fn(&Effect) -> String| (of(real), of(ours));
    note(Aspect::Code, "exit code", both(&|effect| format!("{:?}", effect.code)));
    note(Aspect::Error, "errors", both(&|effect| format!("{:?}", errors(effect))));
    for name in real.files.keys() {
        note(Aspect::Length, name, both(&|effect| format!("length {:?}", effect.files[name].length)));
        if line.meets_known_sectors() {
            note(Aspect::Sectors, name, both(&|effect| sectors(line, &effect.files[name].changed)));
        }
    }
    note(Aspect::Amount, "operations and bytes", both(&|effect| format!("{:?}", amounts(line, effect))));
    if line.is_ordered() {
        note(Aspect::Places, "places", both(&|effect| short(&sorted(effect))));
    }
    found
}

fn errors(effect: &Effect) -> Vec<(&str, i64)> {
    effect.jobs.iter().map(|(name, job)| (name.as_str(), job.error)).collect()
}

fn sectors(line: &Line, changed: &[u64]) -> String {
    if line.is_ordered() {
        format!("sectors {:?}", ranges(changed))
    } else {
        format!("{} sectors", changed.len())
    }
}

/// Returns operations and bytes of each job, summed over directions, whose shares are random.
fn amounts(line: &Line, effect: &Effect) -> Vec<(u64, u64)> {
    let sum = |job: &effect::JobEffect| {
        let operations = if line.has_random_lengths() { 0 } else { job.done[0].0 + job.done[1].0 };
        (operations, job.done[0].1 + job.done[1].1)
    };
    effect.jobs.iter().map(|(_, job)| sum(job)).collect()
}

/// Returns the rows of every log, sorted.
fn sorted(effect: &Effect) -> Logs {
    let mut places = effect.places.clone();
    places.values_mut().for_each(|rows| rows.sort_unstable());
    places.into_iter().collect()
}

/// Logs by name, with direction, offset and length of each row.
type Logs = Vec<(String, Vec<(u64, u64, u64)>)>;

/// Summarises logs: a digest that tells two sets apart, and the first and last row for people.
fn short(places: &Logs) -> String {
    let of = |(log, rows): &(String, Vec<(u64, u64, u64)>)| {
        let digest = rows.iter().fold(0u64, |sum, (direction, offset, length)| {
            sum.wrapping_mul(31).wrapping_add(offset ^ (length << 40) ^ (direction << 63))
        });
        format!("{log}: {} rows, {:?} to {:?}, digest {digest:x}", rows.len(), rows.first(), rows.last())
    };
    places.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// Joins consecutive numbers into ranges of first and last.
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
        let pair = Pair { line: &line, real: &real, ours: &ours };
        let mut left = Vec::new();
        let found = differences(&pair);
        same += usize::from(found.is_empty());
        for (aspect, words) in found {
            match meant(&pair, aspect) {
                Some(reason) => *explained.entry(reason).or_default() += 1,
                None => left.push(words),
            }
        }
        if !left.is_empty() {
            let (words, left) = (line.words.join(" "), left.join("\n  "));
            let said = format!("fio: {}\n  ours: {}", real.said, ours.said);
            unexplained.push(format!(
                "seed {seed}, f {:?}, g {:?}: {words}\n  {left}\n  {said}",
                line.before[0], line.before[1]
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
        skipped(Lack::Tool, "ioping 1.3 is not installed");
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

/// Lines that fio and ours once took differently, with 1 MiB of data in `f` and in `g`.
const SETTLED: &[&str] = &[
    "--name=a --filename=f --rw=write:8k --size=1m --bs=4k",
    "--name=a --filename=f --rw=write:16k --size=1m --bs=4k",
    "--name=a --filename=f --rw=write:20k --size=1m --bs=4k",
    "--name=a --filename=f --rw=write:28k --size=1m --bs=4k",
    "--name=a --nrfiles=10 --rw=write --size=1m --bs=64k",
    "--name=a --nrfiles=7 --rw=randwrite --size=1m --bs=8k",
    "--name=a --filename=f:g --rw=randwrite --size=300k --bs=64k",
    "--name=a --filename=f:g --rw=randread --size=300k --bs=16k --loops=2",
    "--name=a --filename=f --rw=write --size=64k --buffer_pattern=\"abcd\"-120xdeadface",
    "--name=a --filename=f --rw=write --size=64k --buffer_pattern=-100x10",
    "--name=a --filename=f --rw=read --size=1m --zonesize=64k",
    "--name=a --filename=f --rw=write --size=64k --fsync_on_close=1 --nice=3 --cpumask=1",
    "--name=a --filename=f --rw=randread --size=1m --ioengine=posixaio --iodepth=4",
    "--name=a --filename=f --rw=write --size=1m --ioengine=mmap",
    "--name=a --filename=f --rw=write --size=64k --mem=mmap --iomem_align=4k --lockmem=1m",
    "--name=a --filename=f --rw=write --size=64k --write_hint=short --ioscheduler=none",
    "--name=a --filename=f --rw=write --bs=4k --size=64k --blockalign=16k",
    "--name=a --filename=f --rw=write --bs=3k --size=63k --blockalign=16k",
    "--name=a --filename=f --rw=write:4k --bs=4k --size=128k",
    "--name=a --filename=f --rw=read:12k --bs=4k --size=512k",
    "--name=a --filename=f:g --rw=write:64k --bs=4k --size=1m",
    "--name=a --filename=f --rw=write --size=64k --verify_offset=32",
];

#[test]
fn lines_that_once_differed_do_what_the_real_fio_does() {
    let Some(peers) = Peers::find() else { return };
    let before = [line::Before::Data(1 << 20); 2];
    let mut faults = Vec::new();
    for words in SETTLED {
        let line = Line { before, words: words.split(' ').map(str::to_owned).collect() };
        let (real, ours) = (effect(&peers, Who::Real, &line), effect(&peers, Who::Command, &line));
        let found = differences(&Pair { line: &line, real: &real, ours: &ours });
        faults.extend(found.into_iter().map(|(_, what)| format!("{words}\n  {what}\n  ours: {}", ours.said)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
