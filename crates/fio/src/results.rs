//! What a run has brought so far, and the whole of it in every format that is asked for.

use record::{Sample, StepRecord};
use workload::Nanos;

use super::asked::Asked;
use super::disks::Disk;
use super::opening::opening;
use super::present::{Clock, Presented, human, json, terse};

/// What a run has brought so far.
#[derive(Debug)]
pub struct Results<'a> {
    /// What was asked.
    pub asked: &'a Asked,
    /// The steps that ran, in order.
    pub records: Vec<StepRecord>,
    /// Counters before the first and after the last step.
    pub samples: Vec<Sample>,
    /// The disks under the files.
    pub disks: Vec<Disk>,
    /// Jobs that failed before they did any I/O: index into the jobs, errno.
    pub failed: Vec<(usize, i32)>,
    /// What should be said about the run.
    pub notes: Vec<String>,
    /// When it began: milliseconds since 1970, UTC.
    pub started_unix_ms: u64,
}

/// The moment at which results are printed.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Milliseconds since 1970, UTC.
    pub unix_ms: u64,
    /// Since the program started.
    pub elapsed: Nanos,
    /// The process that prints them.
    pub pid: u32,
}

impl<'a> Results<'a> {
    /// Nothing yet of what is `asked`.
    pub fn new(asked: &'a Asked, started_unix_ms: u64) -> Results<'a> {
        Results {
            asked,
            records: Vec::new(),
            samples: Vec::new(),
            disks: Vec::new(),
            failed: Vec::new(),
            notes: Vec::new(),
            started_unix_ms,
        }
    }

    /// The job `label` as results number it.
    pub fn number_of(&self, label: &str) -> Option<usize> {
        self.asked.jobs.iter().position(|job| job.label == label)
    }

    /// As the formats are printed from.
    pub fn presented(&self, at: Moment) -> Presented<'_> {
        Presented {
            asked: self.asked,
            steps: &self.records,
            clock: Clock::local(at.unix_ms),
            started_unix_ms: self.started_unix_ms,
            elapsed: at.elapsed,
            pid: at.pid,
            disks: self.disks.iter().filter_map(|disk| disk.use_in(&self.samples)).collect(),
            failed: self.failed.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The text of [`Results::text`] of everything so far, `running` and the counters of `sample` included.
    pub fn text_with(&mut self, (running, sample): (StepRecord, Option<Sample>), at: Moment) -> String {
        self.records.push(running);
        let samples = self.samples.len();
        self.samples.extend(sample);
        let text = self.text(at);
        self.records.pop();
        self.samples.truncate(samples);
        text
    }

    /// Every format that is asked for, in the order in which fio prints them.
    pub fn text(&self, at: Moment) -> String {
        let (presentation, presented) = (&self.asked.presentation, self.presented(at));
        let mut text = String::new();
        if presentation.is_terse() {
            text.push_str(&terse(&presented));
        }
        if presentation.json().is_some() {
            text.push_str(&json(&presented));
        }
        if presentation.is_normal() {
            text.push_str(&human(&presented));
        }
        text
    }

    /// What stands at the head of an output file.
    pub fn head_of_file(&self) -> String {
        if self.asked.presentation.is_normal() { opening(self.asked) } else { String::new() }
    }
}
