//! Rows of intervals that are not final yet: sums by job and part of its time, which become intervals once the limits
//! of the parts are known.

use std::collections::VecDeque;

use record::{Interval, IntervalDirection};
use workload::Nanos;

use super::sheet::{Part, Sheet};
use crate::rules::{Schedule, Timetable};

/// One interval: the jobs in their order, without those that are not at work; an interval in which counting begins or ends
/// is split into parts.
pub(crate) type Row = Vec<Interval>;

/// When the workers of one job are at work, as far as this is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JobTimes {
    /// When the first worker of the job begins; [`Nanos::MAX`] until it is known.
    pub(crate) start: Nanos,
    pub(crate) counted_from: Nanos,
    pub(crate) counted_until: Nanos,
    /// When the last worker of the job is over; [`Nanos::MAX`] while one is at work.
    pub(crate) ended: Nanos,
}

impl JobTimes {
    /// The times of a job about which nothing is known.
    pub(crate) const UNKNOWN: JobTimes = JobTimes {
        start: Nanos::MAX,
        counted_from: Nanos::MAX,
        counted_until: Nanos::ZERO,
        ended: Nanos::MAX,
    };

    /// The times of a worker with this schedule that is over at `ended`.
    pub(super) fn of(schedule: &Schedule, ended: Nanos) -> JobTimes {
        let counted_until = if schedule.over > schedule.deadline { schedule.deadline } else { Nanos::MAX };
        JobTimes { start: schedule.start, counted_from: schedule.counted_from, counted_until, ended }
    }

    /// The times of two workers of one job together.
    pub(super) fn joined(self, other: JobTimes) -> JobTimes {
        JobTimes {
            start: self.start.min(other.start),
            counted_from: self.counted_from.min(other.counted_from),
            counted_until: self.counted_until.max(other.counted_until),
            ended: self.ended.max(other.ended),
        }
    }

    /// Start and end of `part`; the end may lie before the start.
    fn span(&self, part: Part) -> (Nanos, Nanos) {
        let (from, to) = match part {
            Part::Ramp => (self.start, self.counted_from),
            Part::Counted => (self.counted_from, self.counted_until),
            // If a step ends in the ramp of a worker, that worker has nothing to count.
            Part::Cool => (self.counted_until.max(self.counted_from), Nanos::MAX),
        };
        (from, to.min(self.ended))
    }
}

/// Completions in one part of a job's time within one interval.
#[derive(Debug, Default)]
struct Sum {
    directions: [IntervalDirection; 4],
    late: u64,
    smeared: bool,
}

/// One job in one interval.
#[derive(Debug, Default)]
struct JobSums {
    /// Sums by [`Part`].
    parts: [Option<Sum>; 3],
    /// Longest time for which a worker waited for a CPU, by [`Part`].
    waited: [Nanos; 3],
    /// Longest wait for a CPU of a worker that slept through the whole interval.
    slept_through: Nanos,
}

/// Sums of one interval by job.
type Sums = Vec<JobSums>;

/// Rows from interval `first` on.
#[derive(Debug)]
pub(super) struct Rows {
    timetable: Timetable,
    jobs: usize,
    rows: VecDeque<Sums>,
    first: u64,
}

impl Rows {
    pub(super) fn new(timetable: Timetable, jobs: usize) -> Rows {
        Rows { timetable, jobs, rows: VecDeque::new(), first: 0 }
    }

    /// Number of the first row that has not been returned.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Whether no sums are left.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a sheet of a worker of job `job`.
    pub(super) fn add(&mut self, job: u16, sheet: &Sheet) {
        // A sheet is never older than the remaining rows; if it were, its I/Os would still be counted once.
        let place = sheet.index.saturating_sub(self.first) as usize;
        while self.rows.len() <= place {
            self.rows.push_back((0..self.jobs).map(|_| Default::default()).collect());
        }
        self.sleep_through(place, job, sheet.counts.waited_before);
        let sums = &mut self.rows[place][usize::from(job)];
        let waited = &mut sums.waited[sheet.part as usize];
        *waited = sheet.counts.waited.max(*waited);
        let has_content = sheet.smeared || sheet.counts.late > 0 || sheet.is_used();
        debug_assert!(!has_content || sheet.index >= self.first, "I/Os of an interval that is final already");
        let sum = &mut sums.parts[sheet.part as usize];
        if !has_content && sum.is_none() {
            return;
        }
        let sum = sum.get_or_insert_default();
        for (mine, track) in sum.directions.iter_mut().zip(&sheet.tracks) {
            let Some(track) = track else { continue };
            mine.tally.merge(&track.tally);
            mine.latency.merge(&track.latency());
        }
        sum.late += sheet.counts.late;
        sum.smeared |= sheet.smeared;
    }

    /// Moves counted completions of `job`, in rows that are not final, to its ramp.
    pub(super) fn restart(&mut self, job: u16) {
        for row in &mut self.rows {
            let JobSums { parts: [ramp, counted, _], waited, .. } = &mut row[usize::from(job)];
            waited[Part::Ramp as usize] = waited[Part::Ramp as usize].max(waited[Part::Counted as usize]);
            let Some(more) = counted.take() else { continue };
            let sum = ramp.get_or_insert_default();
            for (mine, theirs) in sum.directions.iter_mut().zip(&more.directions) {
                mine.tally.merge(&theirs.tally);
                mine.latency.merge(&theirs.latency);
            }
            sum.late += more.late;
            sum.smeared |= more.smeared;
        }
    }

    /// Adds a wait for a CPU by a worker of `job` to the intervals right before the one at `place`.
    fn sleep_through(&mut self, place: usize, job: u16, mut waited: Nanos) {
        for before in (0..place).rev() {
            if waited == Nanos::ZERO {
                return;
            }
            let index = self.first + before as u64;
            let whole = self.timetable.end_of(index).since(self.timetable.start_of(index));
            let longest = &mut self.rows[before][usize::from(job)].slept_through;
            *longest = waited.min(whole).max(*longest);
            waited = waited.since(whole);
        }
    }

    /// Returns the next row. An interval without sums has zeros: a stall shows as zeros, not as a gap.
    pub(super) fn next(&mut self, times: &[JobTimes]) -> Row {
        let (from, to) = (self.timetable.start_of(self.first), self.timetable.end_of(self.first));
        assert!(from < to, "an interval ends at {to:?}, before it begins at {from:?}");
        assert!(times.len() == self.jobs, "the times of {} jobs for rows of {}", times.len(), self.jobs);
        self.first += 1;
        let sums = self.rows.pop_front().unwrap_or_default();
        let mut sums = sums.into_iter();
        let mut row = Row::new();
        for (job, times) in times.iter().enumerate() {
            let JobSums { parts, waited, slept_through } = sums.next().unwrap_or_default();
            for ((part, sum), waited) in Part::ALL.into_iter().zip(parts).zip(waited) {
                let (start, end) = times.span(part);
                let (start, end) = (start.clamp(from, to), end.clamp(from, to));
                if start < end || sum.is_some() {
                    let empty = Interval::empty(job as u16, start, end.max(start));
                    let interval = interval(empty, part, sum.unwrap_or_default());
                    row.push(Interval { waited: waited.max(slept_through), ..interval });
                }
            }
        }
        row
    }
}

/// Returns `empty`, which lies in `part`, with `sum`.
fn interval(empty: Interval, part: Part, sum: Sum) -> Interval {
    assert!(empty.start <= empty.end, "an interval ends before it begins");
    let Sum { directions, late, smeared } = sum;
    Interval { counted: part == Part::Counted, directions, late, smeared, ..empty }
}
