//! A step that still runs, as a record of what it has brought so far: for results in between.

use record::{Distribution, Interval, StepRecord, WorkerTotals};
use workload::{Ending, Nanos, StepPlan};

/// The intervals of a step that still runs.
pub struct SoFar {
    plan: StepPlan,
    jobs: Vec<String>,
    intervals: Vec<Interval>,
}

impl SoFar {
    /// Nothing yet of `plan`.
    pub fn new(plan: &StepPlan) -> SoFar {
        let mut jobs: Vec<String> = Vec::new();
        for worker in &plan.workers {
            if !jobs.contains(&worker.job) {
                jobs.push(worker.job.clone());
            }
        }
        SoFar { plan: plan.clone(), jobs, intervals: Vec::new() }
    }

    /// Names of its jobs, as intervals number them.
    pub fn jobs(&self) -> &[String] {
        &self.jobs
    }

    /// Takes in an interval that is final.
    pub fn take(&mut self, interval: &Interval) {
        self.intervals.push(interval.clone());
    }

    /// What is known: whole intervals, and of latencies the one from due to done.
    pub fn record(&self) -> StepRecord {
        let started = self.intervals.first().map_or(Nanos::ZERO, |interval| interval.start);
        let ended = self.intervals.last().map_or(started, |interval| interval.end);
        StepRecord {
            plan: self.plan.clone(),
            started,
            counted_from: started + self.plan.ramp,
            ended,
            ending: Ending::Interrupted,
            jobs: self.jobs.clone(),
            intervals: self.intervals.clone(),
            workers: (0..self.jobs.len()).map(|job| self.totals(job)).collect(),
            failures: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn totals(&self, job: usize) -> WorkerTotals {
        let mut totals = WorkerTotals { job: job as u16, ..WorkerTotals::default() };
        let ours = |interval: &&Interval| interval.counted && usize::from(interval.job) == job;
        for interval in self.intervals.iter().filter(ours) {
            if totals.ended == Nanos::ZERO {
                totals.started = interval.start;
            }
            totals.ended = interval.end;
            for (sum, part) in totals.directions.iter_mut().zip(&interval.directions) {
                sum.tally.merge(&part.tally);
                merge(&mut sum.latency, &part.latency);
            }
        }
        totals
    }
}

fn merge(sum: &mut Distribution, part: &Distribution) {
    if !part.is_empty() {
        sum.merge(part);
    }
}
