//! The live line that fio shows on a terminal.

use std::io::IsTerminal;

use fio::{Asked, DirectionRate, Eta, FioJob, FioStep, Progress, status_line};
use record::Interval;
use workload::{BytesPerSecond, Direction, Iops, Nanos};

use session::output;

/// The live line.
pub struct Line<'a> {
    jobs: Vec<&'a FioJob>,
    shown: bool,
    every: Nanos,
    newline: Option<Nanos>,
    most: Option<Nanos>,
    started: Option<Nanos>,
    /// When it was last written, and when it last went on below.
    written: Nanos,
    below: Nanos,
    /// Interval that is being put together, and its bytes and I/Os by direction.
    at: Nanos,
    sums: [(u64, u64); 3],
}

impl<'a> Line<'a> {
    /// The line of `step`, in which `jobs` run.
    pub fn new(asked: &Asked, jobs: Vec<&'a FioJob>, step: &FioStep) -> Line<'a> {
        let presentation = &asked.presentation;
        let terminal = || std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let shown = match presentation.eta {
            Eta::Always => true,
            Eta::Never => false,
            Eta::Auto => presentation.is_normal() && terminal(),
        };
        Line {
            jobs,
            shown,
            every: presentation.eta_interval,
            newline: presentation.eta_newline,
            most: step.most(),
            started: None,
            written: Nanos::ZERO,
            below: Nanos::ZERO,
            at: Nanos::ZERO,
            sums: Default::default(),
        }
    }

    /// Takes in an interval, and shows the line where it is time.
    pub fn take(&mut self, interval: &Interval) {
        if !self.shown {
            return;
        }
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
            return;
        }
        self.written = interval.end;
        output::live(&self.text(interval));
        if self.newline.is_some_and(|time| interval.end.since(self.below.max(started)) >= time) {
            self.below = interval.end;
            output::people("");
        }
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

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown {
            output::live("");
        }
    }
}
