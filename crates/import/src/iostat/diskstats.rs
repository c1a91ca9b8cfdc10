//! Snapshots of `/proc/diskstats` with a time before each: raw counters of the kernel, as a watch samples them.
//!
//! Source: the kernel's document admin-guide/iostats, which numbers the fields after the name.

use std::sync::Arc;

use record::{DiskCounters, Sample};
use workload::Nanos;

use super::super::found::ImportedResult;
use super::super::pieces::shortened;
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};
use super::clock;

/// Most snapshots read; nobody pastes more.
const SNAPSHOTS_MOST: usize = 100_000;
/// Most devices read.
const DEVICES_MOST: usize = 4096;

const TWO: &str = "two snapshots of /proc/diskstats: one alone tells only what happened since boot";
const TIMED: &str =
    "a rising time before each snapshot of /proc/diskstats, as of 'date +%s.%N' or 'cat /proc/uptime'";

/// Reads the counters in `text` as one result; `None` unless there are two snapshots with their times.
pub(crate) fn read(text: &Text, name: &str, troubles: &mut Troubles) -> Option<ImportedResult> {
    let mut walk = Walk::default();
    for (start, line) in text.lines() {
        walk.line(line.trim(), start);
    }
    let shots = walk.shots;
    let times = times(&shots, name);
    let (line, column) = text.place(shots.first()?.at);
    let missing = if shots.len() < 2 { Some(TWO) } else { times.is_none().then_some(TIMED) };
    if let Some(expected) = missing {
        troubles.push(Trouble { line, column, expected: expected.to_owned(), found: String::new() });
        return None;
    }
    let times = times?;
    let began = times.first().copied().unwrap_or_default();
    let samples = shots.into_iter().zip(&times).map(|(shot, time)| Sample {
        at: Nanos(((time.seconds - began.seconds).max(0.0) * 1e9).round() as u64),
        wall_unix_ms: time.unix_ms,
        disks: shot.disks,
        ..Sample::default()
    });
    Some(ImportedResult {
        tool: "/proc/diskstats".to_owned(),
        started_unix_ms: began.unix_ms,
        samples: samples.collect(),
        notes: vec!["only the kernel's counters stand there; rates are their differences".to_owned()],
        ..ImportedResult::default()
    })
}

#[derive(Default)]
struct Walk {
    shots: Vec<Snapshot>,
    /// The previous line, which may be a time.
    before: Option<String>,
    /// Whether the previous line was that of a device.
    within: bool,
}

struct Snapshot {
    at: usize,
    time: Option<String>,
    disks: Vec<(Arc<str>, DiskCounters)>,
}

impl Walk {
    fn line(&mut self, line: &str, start: usize) {
        let Some((name, counters)) = device(line) else {
            self.within = false;
            if !line.is_empty() {
                self.before = Some(rearranged(&shortened(line)));
            }
            return;
        };
        let again = |shot: &Snapshot| shot.disks.iter().any(|(known, _)| **known == *name);
        if (!self.within || self.shots.last().is_none_or(again)) && self.shots.len() < SNAPSHOTS_MOST {
            self.shots.push(Snapshot { at: start, time: self.before.take(), disks: Vec::new() });
        }
        self.within = true;
        if let Some(shot) = self.shots.last_mut().filter(|shot| shot.disks.len() < DEVICES_MOST) {
            shot.disks.push((Arc::from(name), counters));
        }
    }
}

/// Parses `   8       0 sda 1000 …`: major, minor, name, and eleven, fifteen or seventeen counters.
fn device(line: &str) -> Option<(&str, DiskCounters)> {
    let words: Vec<&str> = line.split_whitespace().take(32).collect();
    let [major, minor, name, fields @ ..] = words.as_slice() else { return None };
    let whole = |word: &str| word.parse::<u64>().ok();
    (whole(major).is_some() && whole(minor).is_some() && whole(name).is_none()).then_some(())?;
    let numbers: Option<Vec<u64>> = fields.iter().map(|field| whole(field)).collect();
    let numbers = numbers.filter(|numbers| numbers.len() >= 11)?;
    let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
    let counters = DiskCounters {
        reads: at(0),
        reads_merged: at(1),
        sectors_read: at(2),
        read_ms: at(3),
        writes: at(4),
        writes_merged: at(5),
        sectors_written: at(6),
        write_ms: at(7),
        in_flight: at(8),
        busy_ms: at(9),
        queue_ms: at(10),
        discards: at(11),
        discards_merged: at(12),
        sectors_discarded: at(13),
        discard_ms: at(14),
        flushes: at(15),
        flush_ms: at(16),
    };
    Some((name, counters))
}

/// Returns `Mon Nov 23 09:49:44 UTC 2026`, as `date` prints it, with the year next to the month; other text
/// unchanged.
fn rearranged(words: &str) -> String {
    let parts: Vec<&str> = words.split_whitespace().collect();
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    match parts.as_slice() {
        [_, month, day, clock, .., year] if is_year(year) && clock.contains(':') => {
            format!("{day} {month} {year} {clock}")
        }
        _ => words.to_owned(),
    }
}

/// Time of a snapshot.
#[derive(Clone, Copy, Default)]
struct Time {
    /// Seconds on the printed clock.
    seconds: f64,
    /// Milliseconds since 1970; zero if the printed clock counts from boot or has no date.
    unix_ms: u64,
}

/// Returns the ascending times of all snapshots; `None` if one has no time.
fn times(shots: &[Snapshot], name: &str) -> Option<Vec<Time>> {
    let words: Option<Vec<&str>> = shots.iter().map(|shot| shot.time.as_deref()).collect();
    let words = words?;
    let from_boot: Option<Vec<Time>> = words.iter().map(|words| uptime(words)).collect();
    let known: Option<Vec<Time>> = match from_boot {
        Some(times) => Some(times),
        None => {
            let read = clock::read(&words, None, name);
            let since_1970 =
                |ms: i64| u64::try_from(ms).ok().filter(|_| !read.is_undated).unwrap_or_default();
            let time = |ms: i64| Time { seconds: ms as f64 / 1e3, unix_ms: since_1970(ms) };
            read.unix_ms.iter().map(|ms| ms.map(time)).collect()
        }
    };
    known.filter(|times| times.windows(2).all(|pair| pair[1].seconds > pair[0].seconds))
}

/// Parses `12345.67 23456.78`, the form of `/proc/uptime`.
fn uptime(words: &str) -> Option<Time> {
    let (up, idle) = words.split_once(' ')?;
    let plain =
        |word: &str| word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = up.parse().ok().filter(|_| plain(up) && plain(idle))?;
    Some(Time { seconds, unix_ms: 0 })
}
