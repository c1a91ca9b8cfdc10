//! A step that was cut off before its end was stored: its totals are merged from its intervals.

use record::{Interval, Note, StepRecord, WorkerTotals};
use workload::{Ending, Nanos, StepPlan};

/// Returns the names of the plan's jobs, each once, in the order of its workers; an interval's job number is
/// an index into this.
pub(crate) fn jobs_of(plan: &StepPlan) -> Vec<String> {
    let mut jobs: Vec<String> = Vec::new();
    for worker in &plan.workers {
        if !jobs.contains(&worker.job) {
            jobs.push(worker.job.clone());
        }
    }
    jobs
}

/// Fills in the totals of a step whose end is missing: one worker for each job, with the sums of that job's counted
/// intervals. Service and submission times are not stored by interval and stay empty.
pub(crate) fn rebuild(step: &mut StepRecord) {
    step.ended = step.intervals.iter().map(|interval| interval.end).fold(step.started, Nanos::max);
    step.ending = Ending::Interrupted;
    step.workers = workers_of(step);
    step.notes.push(Note::CutOff);
}

/// Returns one worker for each job, in a single pass over the intervals.
fn workers_of(step: &StepRecord) -> Vec<WorkerTotals> {
    let jobs = 0..step.jobs.len().min(usize::from(u16::MAX)) as u16;
    let mut sums: Vec<Interval> =
        jobs.map(|job| Interval::empty(job, step.counted_from, step.ended)).collect();
    for interval in step.intervals.iter().filter(|interval| interval.counted) {
        if let Some(sum) = sums.get_mut(usize::from(interval.job)) {
            sum.merge(interval);
        }
    }
    sums.into_iter().map(|sum| worker_of(step, sum)).collect()
}

fn worker_of(step: &StepRecord, sum: Interval) -> WorkerTotals {
    let mut worker = WorkerTotals {
        job: sum.job,
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
