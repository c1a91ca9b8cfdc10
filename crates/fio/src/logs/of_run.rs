//! All logs of a run: those of the jobs of the step that goes on, and the ones over all jobs.

use std::path::{Path, PathBuf};

use record::{Interval, IoTrace, StepRecord};
use workload::StepPlan;

use super::{AggregateLogs, Logs};
use crate::asked::Asked;

/// The logs of a run.
#[derive(Default)]
pub struct RunLogs {
    aggregate: Option<AggregateLogs>,
    /// Of the step that runs.
    step: Logs,
}

impl RunLogs {
    /// The logs of what is `asked`, before its first step.
    pub fn new(asked: &Asked) -> RunLogs {
        let aggregate = asked.presentation.bandwidth_log.then(AggregateLogs::default);
        RunLogs { aggregate, step: Logs::default() }
    }

    /// The step `plan` begins, on a clock that showed zero at `zero_unix_ms`. What an earlier step has written stays.
    pub fn begin(&mut self, asked: &Asked, plan: &StepPlan, zero_unix_ms: u64) {
        let labels = plan.workers.iter().map(|worker| worker.job.as_str());
        self.step = Logs::new(asked, labels, zero_unix_ms);
    }

    /// The files that are to be there, each named as often as it has writers.
    pub fn paths(&self) -> Vec<PathBuf> {
        let of_all = self.aggregate.iter().flat_map(|_| AggregateLogs::paths());
        of_all.chain(self.step.paths().map(Path::to_path_buf)).collect()
    }

    /// Takes in I/Os of the worker at `worker` in the plan.
    pub fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        self.step.traced(worker, ios);
    }

    /// Takes in an interval of one job.
    pub fn interval(&mut self, interval: &Interval) {
        self.aggregate.iter_mut().for_each(|logs| logs.take(interval));
    }

    /// The step is over: what is left becomes rows.
    pub fn end(&mut self, record: &StepRecord) {
        for (worker, totals) in record.workers.iter().enumerate() {
            self.step.finish(worker, totals.ended);
        }
        self.aggregate.iter_mut().for_each(AggregateLogs::finish);
    }

    /// Hands out the rows that are whole, by file.
    pub fn drain(&mut self, mut append: impl FnMut(&Path, &str)) {
        self.step.drain(&mut append);
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.drain(&mut append);
        }
    }
}
