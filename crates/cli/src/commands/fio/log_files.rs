//! Log files of a fio run: made before the load, and appended to while it goes on.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use fio::{AggregateLogs, Asked, FioError, Logs};
use record::{Interval, IoTrace, StepRecord};
use workload::StepPlan;

use super::trouble;

/// The log files of a run.
#[derive(Default)]
pub struct LogFiles {
    open: HashMap<PathBuf, File>,
    aggregate: Option<AggregateLogs>,
    /// Of the step that runs.
    logs: Logs,
    /// The first trouble; the run goes on, and the end says it.
    trouble: Option<String>,
}

impl LogFiles {
    /// No file yet of what is `asked` for.
    ///
    /// # Errors
    /// Where a file cannot be made.
    pub fn new(asked: &Asked) -> Result<LogFiles, FioError> {
        let mut files = LogFiles::default();
        if asked.presentation.bandwidth_log {
            files.aggregate = Some(AggregateLogs::default());
            AggregateLogs::paths().iter().try_for_each(|path| files.make(path))?;
        }
        Ok(files)
    }

    /// Makes the files of the step `plan`. What an earlier step has written stays.
    ///
    /// # Errors
    /// Where a file cannot be made.
    pub fn begin(&mut self, asked: &Asked, plan: &StepPlan, started_unix_ms: u64) -> Result<(), FioError> {
        let labels = plan.workers.iter().map(|worker| worker.job.as_str());
        self.logs = Logs::new(asked, labels, started_unix_ms);
        let paths: Vec<PathBuf> = self.logs.paths().map(Path::to_path_buf).collect();
        paths.iter().try_for_each(|path| self.make(path))
    }

    fn make(&mut self, path: &Path) -> Result<(), FioError> {
        if !self.open.contains_key(path) {
            let file = kernel::rewrite_unless_link(path).map_err(trouble::call("fopen", path))?;
            self.open.insert(path.to_owned(), file);
        }
        Ok(())
    }

    /// Takes in I/Os of the worker at `worker` in the plan.
    pub fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        self.logs.traced(worker, ios);
        self.append();
    }

    /// Takes in an interval of one job.
    pub fn interval(&mut self, interval: &Interval) {
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.take(interval);
            self.append();
        }
    }

    /// The step is over: what is left becomes rows.
    pub fn end(&mut self, record: &StepRecord) {
        for (worker, totals) in record.workers.iter().enumerate() {
            self.logs.finish(worker, totals.ended);
        }
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.finish();
        }
        self.append();
    }

    fn append(&mut self) {
        let LogFiles { open, aggregate, logs, trouble } = self;
        let mut append = |path: &Path, rows: &str| {
            let written = open.get_mut(path).map_or(Ok(()), |file| file.write_all(rows.as_bytes()));
            if let (Err(error), None) = (written, &trouble) {
                *trouble = Some(format!("the log {} is not whole: {error}", path.display()));
            }
        };
        logs.drain(&mut append);
        if let Some(aggregate) = aggregate {
            aggregate.drain(&mut append);
        }
    }

    /// What should be said about the logs.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }
}
