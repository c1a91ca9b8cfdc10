//! When the live line of a terminal is shown, and its figures.

use record::Interval;
use workload::{BytesPerSecond, Direction, Iops, Nanos};

use super::status::{DirectionRate, Progress, status_line};
use crate::asked::{FioJob, FioRequest};
use crate::steps::FioStep;

/// The live line of a step.
pub struct LiveLine<'a> {
    jobs: Vec<&'a FioJob>,
    every: Nanos,
    newline: Option<Nanos>,
    most: Option<Nanos>,
    started: Option<Nanos>,
    /// When the line was last written.
    written: Nanos,
    below: Nanos,
    /// End of the interval being summed.
    at: Nanos,
    sums: [(u64, u64); 3],
}

/// A live line, which overwrites the previous one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLineText {
    /// The line.
    pub text: String,
    /// Whether the next line is printed below this one.
    pub stays: bool,
}

impl<'a> LiveLine<'a> {
    /// Returns the line of `step`; `number` is the step's number.
    pub fn new(asked: &'a FioRequest, number: usize, step: &FioStep) -> LiveLine<'a> {
        LiveLine {
            jobs: asked.jobs.iter().filter(|job| job.step == number).collect(),
            every: asked.presentation.eta_interval,
            newline: asked.presentation.eta_newline,
            most: step.most(),
            started: None,
            written: Nanos::ZERO,
            below: Nanos::ZERO,
            at: Nanos::ZERO,
            sums: Default::default(),
        }
    }

    /// Adds an interval, and returns the line if it is due.
    pub fn take(&mut self, interval: &Interval) -> Option<LiveLineText> {
        let started = *self.started.get_or_insert(interval.start);
        if interval.end != self.at {
            self.at = interval.end;
            self.sums = Default::default();
        }
        for (sum, part) in self.sums.iter_mut().zip(&interval.directions) {
            sum.0 += part.tally.bytes;
            sum.1 += part.tally.ops;
        }
        let last = self.written.max(started);
        if interval.end != self.written && interval.end.since(last) < self.every {
            return None;
        }
        self.written = interval.end;
        let stays = self.newline.is_some_and(|time| interval.end.since(self.below.max(started)) >= time);
        if stays {
            self.below = interval.end;
        }
        Some(LiveLineText { text: self.text(interval), stays })
    }

    fn text(&self, interval: &Interval) -> String {
        let seconds = interval.seconds().max(1e-9);
        let rate = |&(bytes, ops): &(u64, u64)| DirectionRate {
            bytes: BytesPerSecond(bytes as f64 / seconds),
            iops: Iops(ops as f64 / seconds),
        };
        let issues = |direction: Direction| {
            self.jobs.iter().any(|job| match direction {
                Direction::Read => job.options.pattern.reads,
                Direction::Write => job.options.pattern.writes,
                Direction::Trim => job.options.pattern.trims,
                _ => false,
            })
        };
        let gone = interval.end.since(self.started.unwrap_or(interval.start));
        let directions = [Direction::Read, Direction::Write, Direction::Trim];
        status_line(&Progress {
            states: self.jobs.iter().map(|job| job.options.pattern.letter()).collect(),
            open_files: self.jobs.len(),
            done: self.most.map(|most| gone.as_secs_f64() / most.as_secs_f64()),
            rates: std::array::from_fn(|at| issues(directions[at]).then(|| rate(&self.sums[at]))),
            left: self.most.map(|most| most.since(gone)),
        })
    }
}
