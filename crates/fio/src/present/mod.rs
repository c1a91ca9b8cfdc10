//! Turns run records into fio's words: the normal format, JSON, and the live line.

pub(crate) mod bins;
pub(crate) mod figures;
mod group;
mod human;
mod idleness;
mod json;
mod json_job;
mod line;
mod not_run;
mod pressed;
mod said;
mod status;
mod terse;
mod tree;
mod unit;

use record::{DiskCounters, Note, Sample, StepRecord};
use workload::Nanos;

use super::asked::{FioRequest, IdleCpus};
use said::of_note;

pub(crate) use unit::DATA;

pub use human::{INTERRUPTED, human, messages};
pub use idleness::Idleness;
pub use json::json;
pub use line::{LiveLine, LiveLineText};
pub use not_run::not_run;
pub use terse::terse;

/// The data from which a result is printed.
#[derive(Clone, Debug)]
pub struct FioReport<'a> {
    /// The request.
    pub asked: &'a FioRequest,
    /// The steps that ran, in order; not all of those requested if the run was interrupted or failed.
    pub steps: Vec<StepRecord>,
    /// The wall clock at the end of the run.
    pub clock: Clock,
    /// Time at which the run's clock was zero, in milliseconds since 1970, UTC.
    pub started_unix_ms: u64,
    /// Time since the program started.
    pub elapsed: Nanos,
    /// Process id.
    pub pid: u32,
    /// The disks under the files.
    pub disks: Vec<DiskUse>,
    /// Jobs that failed before any I/O, as index into the jobs and errno.
    pub failed: Vec<(usize, i32)>,
    /// Remarks beyond those of the request and of the records.
    pub notes: Vec<String>,
    /// Idleness of the CPUs; `None` if it was not measured.
    pub idle: Option<Idleness>,
}

impl<'a> FioReport<'a> {
    /// Returns a report on `asked` without any step yet, for a run that this process starts at `started_unix_ms`.
    pub fn begun(asked: &'a FioRequest, started_unix_ms: u64) -> FioReport<'a> {
        FioReport {
            asked,
            steps: Vec::new(),
            clock: Clock::default(),
            started_unix_ms,
            elapsed: Nanos::ZERO,
            pid: std::process::id(),
            disks: Vec::new(),
            failed: Vec::new(),
            notes: Vec::new(),
            idle: None,
        }
    }

    /// Idleness of the CPUs, and which of them to report.
    fn idleness(&self) -> Option<(&Idleness, IdleCpus)> {
        self.idle.as_ref().zip(self.asked.presentation.idle)
    }

    /// Prints all requested formats, in the order in which fio prints them.
    pub fn text(&self) -> String {
        let presentation = &self.asked.presentation;
        let mut text = String::new();
        if presentation.is_terse() {
            text.push_str(&terse(self));
        }
        if presentation.json().is_some() {
            text.push_str(&json(self));
        }
        if presentation.is_normal() {
            text.push_str(&human(self));
        }
        text
    }

    /// Returns all remarks without duplicates: those of the request, of the steps, and of the caller.
    pub fn notes(&self) -> Vec<String> {
        self.notes_with(|_| true)
    }

    /// Returns all remarks; of the notes of the steps, only those for which `wanted` is true.
    fn notes_with(&self, wanted: impl Fn(&Note) -> bool) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        let of_steps =
            self.steps.iter().flat_map(|step| &step.notes).filter(|note| wanted(note)).map(of_note);
        let all = self.asked.notes.iter().map(|remark| remark.words.clone()).chain(of_steps);
        for note in all.chain(self.notes.iter().cloned()) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// fio's exit code: the number of clones that an error ended, at most 255; fio's own number wraps to 0.
    pub fn exit_code(&self) -> u8 {
        let failed = unit::Unit::each(self).iter().filter(|unit| unit.failed).count();
        u8::try_from(failed).unwrap_or(u8::MAX)
    }
}

/// A reading of the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Milliseconds since 1970, UTC.
    pub unix_ms: u64,
    /// `unix_ms` in local time as `ctime` prints it, without a line end.
    pub words: String,
}

impl Clock {
    /// Returns `unix_ms` with its text in the local time zone.
    pub fn local(unix_ms: u64) -> Clock {
        Clock::in_zone(unix_ms, jiff::tz::TimeZone::system())
    }

    fn in_zone(unix_ms: u64, zone: jiff::tz::TimeZone) -> Clock {
        let time = i64::try_from(unix_ms)
            .ok()
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Clock { unix_ms, words: time.to_zoned(zone).strftime("%a %b %e %H:%M:%S %Y").to_string() }
    }
}

/// A disk's counters over the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// Kernel name.
    pub name: String,
    /// Counters at the start.
    pub first: DiskCounters,
    /// Counters at the end.
    pub last: DiskCounters,
    /// Time between the two readings.
    pub span: Nanos,
    /// Disks of which this one is made, if it is stacked.
    pub members: Vec<DiskUse>,
}

impl DiskUse {
    /// The counters of `name` in the first and the last of `samples`; `None` if it is missing from either.
    pub fn between(name: &str, samples: &[Sample]) -> Option<DiskUse> {
        let (first, last) = (samples.first()?, samples.last()?);
        let of = |sample: &Sample| {
            sample.disks.iter().find(|(known, _)| **known == *name).map(|(_, counters)| *counters)
        };
        Some(DiskUse {
            name: name.to_owned(),
            first: of(first)?,
            last: of(last)?,
            span: last.at.since(first.at),
            members: Vec::new(),
        })
    }

    /// Returns reads and writes, each as the difference between the two readings.
    pub(crate) fn figures(&self) -> DiskFigures {
        let (a, b) = (&self.first, &self.last);
        let milliseconds = self.span.as_millis_f64();
        let busy = since(a.busy_ms, b.busy_ms);
        DiskFigures {
            ios: [since(a.reads, b.reads), since(a.writes, b.writes)],
            sectors: [since(a.sectors_read, b.sectors_read), since(a.sectors_written, b.sectors_written)],
            merges: [since(a.reads_merged, b.reads_merged), since(a.writes_merged, b.writes_merged)],
            ticks: [since(a.read_ms, b.read_ms), since(a.write_ms, b.write_ms)],
            in_queue: since(a.queue_ms, b.queue_ms),
            util: if milliseconds > 0.0 { (100.0 * busy as f64 / milliseconds).min(100.0) } else { 0.0 },
        }
    }

    /// Means over the disks below, as in fio, but the highest utilisation; `None` if the disk is not stacked.
    pub(crate) fn member_figures(&self) -> Option<DiskFigures> {
        let count = self.members.len() as u64;
        let mut sum = DiskFigures::default();
        for member in self.members.iter().map(DiskUse::figures) {
            for direction in 0..2 {
                sum.ios[direction] += member.ios[direction];
                sum.sectors[direction] += member.sectors[direction];
                sum.merges[direction] += member.merges[direction];
                sum.ticks[direction] += member.ticks[direction];
            }
            sum.in_queue += member.in_queue;
            sum.util = sum.util.max(member.util);
        }
        let mean = |pair: [u64; 2]| pair.map(|value| value / count.max(1));
        (count > 0).then(|| DiskFigures {
            ios: mean(sum.ios),
            sectors: mean(sum.sectors),
            merges: mean(sum.merges),
            ticks: mean(sum.ticks),
            in_queue: sum.in_queue / count,
            util: sum.util,
        })
    }
}

/// Reads and writes of a disk over the run; times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiskFigures {
    pub ios: [u64; 2],
    pub sectors: [u64; 2],
    pub merges: [u64; 2],
    pub ticks: [u64; 2],
    pub in_queue: u64,
    pub util: f64,
}

/// Difference between two readings of a counter; a decrease means that the counter wrapped at 32 bits.
fn since(first: u64, last: u64) -> u64 {
    last.checked_sub(first).unwrap_or_else(|| (last + (1 << 32)).saturating_sub(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_reads_as_ctime_prints_it() {
        assert_eq!(
            Clock::in_zone(1_795_230_179_351, jiff::tz::TimeZone::UTC).words,
            "Sat Nov 21 03:02:59 2026"
        );
        assert_eq!(Clock::in_zone(86_400_000, jiff::tz::TimeZone::UTC).words, "Fri Jan  2 00:00:00 1970");
    }

    #[test]
    fn a_disk_is_the_difference_of_two_readings() {
        let sample = |at, reads, busy_ms| Sample {
            at: Nanos::from_secs(at),
            disks: vec![("vda".into(), DiskCounters { reads, busy_ms, ..DiskCounters::default() })],
            ..Sample::default()
        };
        let samples = [sample(1, 10, (1 << 32) - 500), sample(3, 110, 500)];
        let figures = DiskUse::between("vda", &samples).unwrap().figures();
        assert_eq!((figures.ios, figures.util), ([100, 0], 50.0));
        assert_eq!(DiskUse::between("vdb", &samples), None);
    }
}
