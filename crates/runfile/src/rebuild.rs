//! A step that was cut off before its end was stored: its totals are merged from its intervals.

use record::{Interval, StepRecord, WorkerTotals};
use workload::{Ending, Nanos, StepPlan};

/// Names of the plan's jobs, each once, in the order of its workers; this is what an interval's job number points into.
pub(crate) fn jobs_of(plan: &StepPlan) -> Vec<String> {
    let mut jobs: Vec<String> = Vec::new();
    for worker in &plan.workers {
        if !jobs.contains(&worker.job) {
            jobs.push(worker.job.clone());
        }
    }
    jobs
}

/// Fills in what the missing end would have said: one worker a job stands for all of that job's, with what its counted
/// intervals hold. Service and submission times are not known by interval and stay empty.
pub(crate) fn rebuild(step: &mut StepRecord) {
    step.ended = step.intervals.iter().map(|interval| interval.end).fold(step.started, Nanos::max);
    step.ending = Ending::Interrupted;
    step.workers = (0..step.jobs.len()).map(|job| worker_of(step, job as u16)).collect();
    step.notes.push(
        "The run was cut off in this step: its totals are merged from the intervals that were stored."
            .to_owned(),
    );
}

fn worker_of(step: &StepRecord, job: u16) -> WorkerTotals {
    let mut sum = Interval::empty(job, step.counted_from, step.ended);
    let counted = |interval: &&Interval| interval.job == job && interval.counted;
    step.intervals.iter().filter(counted).for_each(|interval| sum.merge(interval));
    let mut worker = WorkerTotals {
        job,
        started: step.counted_from,
        ended: step.ended.max(step.counted_from),
        late: sum.late,
        ..WorkerTotals::default()
    };
    for (total, part) in worker.directions.iter_mut().zip(sum.directions) {
        total.tally = part.tally;
        total.latency = part.latency;
    }
    worker
}
