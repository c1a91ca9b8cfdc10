//! What a run has brought, and its way out: to stdout or into the output file, once or every so often.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fio::{Asked, Clock, Presented, human, json, opening, terse};
use record::{Sample, StepRecord};
use workload::Nanos;

use super::disks::Disk;
use session::failure::Failure;
use session::{files, output};

/// What a run has brought so far.
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
    began: Instant,
    started_unix_ms: u64,
    /// What has gone into the output file already.
    filed: String,
}

impl<'a> Results<'a> {
    /// Nothing yet of what is `asked`.
    pub fn new(asked: &'a Asked) -> Results<'a> {
        Results {
            asked,
            records: Vec::new(),
            samples: Vec::new(),
            disks: Vec::new(),
            failed: Vec::new(),
            notes: Vec::new(),
            began: Instant::now(),
            started_unix_ms: unix_ms(),
            filed: String::new(),
        }
    }

    /// When `clock` showed zero: milliseconds since 1970, UTC.
    pub fn zero_unix_ms(clock: kernel::Clock) -> u64 {
        unix_ms().saturating_sub(clock.now().0 / 1_000_000)
    }

    /// As the formats are printed from.
    pub fn presented(&self) -> Presented<'_> {
        Presented {
            asked: self.asked,
            steps: &self.records,
            clock: Clock::local(unix_ms()),
            started_unix_ms: self.started_unix_ms,
            elapsed: Nanos(self.began.elapsed().as_nanos() as u64),
            pid: std::process::id(),
            disks: self.disks.iter().filter_map(|disk| disk.use_in(&self.samples)).collect(),
            failed: self.failed.clone(),
            notes: self.notes.clone(),
        }
    }

    /// Writes a whole result of everything so far, `running` and the counters of `sample` included.
    ///
    /// # Errors
    /// Where stdout or the file takes no more.
    pub fn write_between(&mut self, running: StepRecord, sample: Option<Sample>) -> Result<(), Failure> {
        self.records.push(running);
        let sampled = sample.is_some();
        self.samples.extend(sample);
        let written = self.write();
        self.records.pop();
        if sampled {
            self.samples.pop();
        }
        written
    }

    /// Writes a whole result.
    ///
    /// # Errors
    /// Where stdout or the file takes no more.
    pub fn write(&mut self) -> Result<(), Failure> {
        let text = self.text();
        let Some(path) = &self.asked.presentation.output else {
            return output::result(&text);
        };
        // A pipe or a terminal keeps what it was given before.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return files::write_typed(path, text.as_bytes());
        }
        self.filed.push_str(&text);
        files::write_typed(path, self.filed.as_bytes())
    }

    /// Every format that is asked for, in the order in which fio prints them.
    fn text(&self) -> String {
        let (asked, presented) = (self.asked, self.presented());
        let mut text = String::new();
        if asked.presentation.is_normal() && asked.presentation.output.is_some() && self.filed.is_empty() {
            text.push_str(&opening(asked));
        }
        if asked.presentation.is_terse() {
            text.push_str(&terse(&presented));
        }
        if asked.presentation.json().is_some() {
            text.push_str(&json(&presented));
        }
        if asked.presentation.is_normal() {
            text.push_str(&human(&presented));
        }
        text
    }
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
