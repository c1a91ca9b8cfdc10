//! Anomalies that a watch reports beside its figures: a change of the wall clock, a gap without samples, devices that
//! disappear and appear.

use std::sync::Arc;

use record::{Event, EventKind, Sample};
use workload::Nanos;

/// Difference between wall clock and run's clock, in milliseconds, up to which they agree. They are read one after the
/// other, on a busy machine some hundredths of a second apart, and slewing (at most 500 ppm) stays far below.
const CLOCK_SLACK_MS: i64 = 1_000;
/// Multiple of the requested interval from which an interval is a gap, as in [`record::Recording::gaps`].
const GAP: u64 = 3;
/// Least excess of a reported gap over the requested interval: with short intervals a busy machine has many gaps.
const GAP_LEAST: Nanos = Nanos::SECOND;
/// Maximum number of reported events of one kind: if there are more, they are normal.
const MOST_OF_A_KIND: u32 = 50;

/// Examines each sample, in time order, and reports anomalies.
#[derive(Debug)]
pub struct Anomalies {
    every: Nanos,
    last: Option<SampleDigest>,
    /// Devices that disappeared, by name.
    gone: Vec<Arc<str>>,
    /// Number of events so far: clock, gaps, devices.
    told: [u32; 3],
}

/// Parts of a sample that are compared with the next one.
#[derive(Debug)]
struct SampleDigest {
    at: Nanos,
    wall_unix_ms: u64,
    devices: Vec<Arc<str>>,
}

/// Index of clock events in [`Anomalies::told`].
const CLOCK: usize = 0;
/// Index of gaps in [`Anomalies::told`].
const GAPS: usize = 1;
/// Index of device events in [`Anomalies::told`].
const DEVICES: usize = 2;

impl Anomalies {
    /// Returns an examiner of samples requested at intervals of `every`.
    pub fn new(every: Nanos) -> Anomalies {
        Anomalies { every, last: None, gone: Vec::new(), told: [0; 3] }
    }

    /// Anomalies of `sample` compared with the previous one.
    pub fn look(&mut self, sample: &Sample) -> Vec<Event> {
        let seen = SampleDigest {
            at: sample.at,
            wall_unix_ms: sample.wall_unix_ms,
            devices: sample.disks.iter().map(|(name, _)| Arc::clone(name)).collect(),
        };
        let mut events = Vec::new();
        if let Some(before) = self.last.take() {
            let gap = self.gap(&before, &seen).map(|text| (GAPS, EventKind::Warning, text));
            let clock = clock_set(&before, &seen).map(|text| (CLOCK, EventKind::Warning, text));
            let devices = self.changes(&before, &seen).into_iter();
            let devices = devices.map(|text| (DEVICES, EventKind::Note, text));
            for (kind, event, text) in gap.into_iter().chain(clock).chain(devices) {
                events.extend(self.tell(kind, event, (seen.at, text)));
            }
        }
        self.last = Some(seen);
        events
    }

    fn tell(&mut self, kind: usize, event: EventKind, (at, text): (Nanos, String)) -> Option<Event> {
        self.told[kind] += 1;
        (self.told[kind] <= MOST_OF_A_KIND).then_some(Event { at, kind: event, text })
    }

    /// Reports a gap between samples that is much longer than requested.
    fn gap(&self, before: &SampleDigest, now: &SampleDigest) -> Option<String> {
        let length = now.at.since(before.at);
        let long = length >= self.every * GAP && length >= self.every + GAP_LEAST;
        long.then(|| not_looked(length, &clock_words(before)))
    }

    fn changes(&mut self, before: &SampleDigest, now: &SampleDigest) -> Vec<String> {
        let same = before.devices.len() == now.devices.len()
            && before.devices.iter().zip(&now.devices).all(|(a, b)| Arc::ptr_eq(a, b) || a == b);
        if same {
            return Vec::new();
        }
        let missing = |from: &SampleDigest, of: &SampleDigest| -> Vec<Arc<str>> {
            of.devices.iter().filter(|name| !from.devices.contains(name)).cloned().collect()
        };
        let mut told = Vec::new();
        for name in missing(now, before) {
            told.push(format!("{name} is gone"));
            self.gone.push(name);
        }
        for name in missing(before, now) {
            let again = self.gone.contains(&name);
            self.gone.retain(|gone| *gone != name);
            told.push(format!("{name} {}", if again { "is there again" } else { "has come" }));
        }
        told
    }
}

/// Text about a gap without samples, of this length from `since` on.
pub fn not_looked(length: Nanos, since: &str) -> String {
    let length = span(length);
    format!(
        "nobody looked for {length} from {since} on: plimsoll was stopped, or the machine too busy to let it run"
    )
}

/// Reports that the wall clock advanced differently from the run's clock.
fn clock_set(before: &SampleDigest, now: &SampleDigest) -> Option<String> {
    if before.wall_unix_ms == 0 || now.wall_unix_ms == 0 {
        return None;
    }
    let passed = (now.at.since(before.at).0 / 1_000_000) as i64;
    let shown = now.wall_unix_ms as i64 - before.wall_unix_ms as i64;
    let off = shown - passed;
    (off.abs() > CLOCK_SLACK_MS).then(|| {
        let by = span(Nanos::from_millis(off.unsigned_abs()));
        let (at, to) = (time_of_day(before.wall_unix_ms), time_of_day(now.wall_unix_ms));
        match off > 0 {
            true => format!(
                "the wall clock went forward by {by} at {at} UTC, to {to}: it was set, or the machine slept"
            ),
            false => format!("the wall clock was set back by {by} at {at} UTC, to {to}"),
        }
    })
}

/// Time of a sample, by the wall clock if it is known.
fn clock_words(seen: &SampleDigest) -> String {
    match seen.wall_unix_ms {
        0 => format!("{:.1} s", seen.at.as_secs_f64()),
        wall => format!("{} UTC", time_of_day(wall)),
    }
}

/// Hours, minutes and seconds of a time in milliseconds since 1970.
fn time_of_day(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A duration: `5.0 s`, `12 min 5 s`, `1 h`, `1 h 1 min`.
fn span(length: Nanos) -> String {
    let seconds = length.as_secs_f64();
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let parts = [(whole / 3600, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")];
    let named: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .take(2)
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    named.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::DiskCounters;

    /// 2026-11-21 12:00:00 UTC.
    const NOON: u64 = 1_795_262_400_000;

    fn sample(seconds: f64, wall_unix_ms: u64, devices: &[&str]) -> Sample {
        Sample {
            at: Nanos((seconds * 1e9) as u64),
            wall_unix_ms,
            disks: devices.iter().map(|&name| (name.into(), DiskCounters::default())).collect(),
            ..Sample::default()
        }
    }

    fn told(every: Nanos, samples: &[Sample]) -> Vec<String> {
        let mut anomalies = Anomalies::new(every);
        samples.iter().flat_map(|sample| anomalies.look(sample)).map(|event| event.text).collect()
    }

    #[test]
    fn a_clock_that_was_set_is_told_with_the_time_before_and_after() {
        let hour = 3_600_000;
        let samples = [
            sample(0.0, NOON, &["vda"]),
            sample(1.0, NOON + 1_000, &["vda"]),
            sample(2.0, NOON + 2_000 + hour, &["vda"]),
            sample(3.0, NOON + 3_040 + hour, &["vda"]),
            sample(4.0, NOON + 4_000 - hour / 2, &["vda"]),
        ];
        assert_eq!(
            told(Nanos::SECOND, &samples),
            [
                "the wall clock went forward by 1 h at 12:00:01 UTC, to 13:00:02: it was set, or the machine slept",
                "the wall clock was set back by 1 h 30 min at 13:00:03 UTC, to 11:30:04"
            ]
        );
    }

    #[test]
    fn a_stopped_process_leaves_one_gap_and_the_clock_is_not_blamed() {
        let samples = [
            sample(0.0, NOON, &["vda"]),
            sample(1.0, NOON + 1_000, &["vda"]),
            sample(6.2, NOON + 6_200, &["vda"]),
        ];
        assert_eq!(
            told(Nanos::SECOND, &samples),
            [
                "nobody looked for 5.2 s from 12:00:01 UTC on: plimsoll was stopped, or the machine too busy to let it run"
            ]
        );
        let quick = [sample(0.0, 0, &[]), sample(0.4, 0, &[]), sample(1.0, 0, &[])];
        assert_eq!(
            told(Nanos::from_millis(50), &quick),
            Vec::<String>::new(),
            "short ones are the machine's own"
        );
    }

    #[test]
    fn devices_that_go_and_come_are_told_once_each() {
        let samples = [
            sample(0.0, 0, &["vda", "loop3"]),
            sample(1.0, 0, &["vda"]),
            sample(2.0, 0, &["vda"]),
            sample(3.0, 0, &["vda", "loop3"]),
            sample(4.0, 0, &["vda", "loop3", "vdb"]),
        ];
        assert_eq!(told(Nanos::SECOND, &samples), ["loop3 is gone", "loop3 is there again", "vdb has come"]);
    }

    #[test]
    fn what_happens_all_the_time_is_not_told_all_the_time() {
        let samples: Vec<Sample> = (0..200).map(|second| sample(f64::from(second) * 10.0, 0, &[])).collect();
        assert_eq!(told(Nanos::SECOND, &samples).len(), MOST_OF_A_KIND as usize);
    }
}
