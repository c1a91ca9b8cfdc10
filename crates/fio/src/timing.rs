//! When a job starts, and which other jobs end with it: both depend on all jobs of a command line.

use workload::{Exit, Job, Nanos, Reach, Start, Totals, Workload};

use super::asked::{FioJob, FioRequest};
use super::error::FioError;
use super::terms::{ExitWhat, TimeOptions};

impl TimeOptions {
    /// Whether the end of a job, or an error in it, ends the whole run.
    pub fn ends_the_run(asked: &FioRequest) -> bool {
        let any = |set: fn(&TimeOptions) -> bool| asked.jobs.iter().any(|job| set(&job.options.time));
        any(|time| time.exitall) && any(|time| time.exit_what == ExitWhat::All)
    }

    /// Whether an error in a job ends the whole run.
    pub fn error_ends_the_run(asked: &FioRequest) -> bool {
        let any = |set: fn(&TimeOptions) -> bool| asked.jobs.iter().any(|job| set(&job.options.time));
        any(|time| time.exitall_on_error) && any(|time| time.exit_what == ExitWhat::All)
    }
}

/// Returns `work` with the time options of `job`.
///
/// # Errors
/// If the job waits for a job that does not precede it, or if options exclude each other.
pub(super) fn timed(work: Job, job: &FioJob, asked: &FioRequest) -> Result<Job, FioError> {
    let time = &job.options.time;
    let any = |set: fn(&TimeOptions) -> bool| asked.jobs.iter().any(|job| set(&job.options.time));
    // The flag applies to the whole run: a job that sets it sets it for all jobs.
    let reach = |set| if set { time.exit_what.reach() } else { Reach::Itself };
    let exit = Exit {
        group: job.group,
        done: reach(any(|time| time.exitall)),
        failed: reach(any(|time| time.exitall || time.exitall_on_error)),
    };
    Ok(Job {
        start: start(job, asked)?,
        delay: time.delay(job.seed),
        think: time.think(),
        on_error: time.on_error(),
        exit,
        sync: time.sync,
        priority: time.priority(),
        urgent: time.urgent(),
        urgent_lengths: time.urgent_lengths(),
        totals: if time.has_urgent() { Totals::WorkerAndPriority } else { Totals::Worker },
        ..work
    })
}

fn start(job: &FioJob, asked: &FioRequest) -> Result<Start, FioError> {
    let Some(awaited) = &job.options.time.wait_for else { return Ok(Start::WithStep) };
    let refused = |reason: &str| FioError::refused(&format!("wait_for={awaited}"), reason);
    let of_that_name =
        || asked.jobs.iter().filter(|other| other.name == *awaited && other.number < job.number);
    if of_that_name().all(|other| other.number + 1 == job.number && other.name == job.name) {
        return Err(refused("no job of that name stands before this one; name one that does"));
    }
    let beside: Vec<String> =
        of_that_name().filter(|other| other.step == job.step).map(|other| other.label.clone()).collect();
    // Jobs of earlier steps have already ended.
    Ok(if beside.is_empty() { Start::WithStep } else { Start::After(beside) })
}

/// Moves the ramp and the ends to the whole step, if all jobs have the same ones and count them from its start.
pub(super) fn share_times(workload: &mut Workload) {
    let Some((first, others)) = workload.jobs.split_first() else { return };
    let own = |job: &Job| job.delay > Nanos::ZERO || job.start != Start::WithStep;
    if own(first) || others.iter().any(|job| own(job) || job.ramp != first.ramp) {
        return;
    }
    workload.ramp = first.ramp.unwrap_or_default();
    if others.iter().all(|job| job.stop == first.stop) {
        workload.stop = first.stop.clone();
        workload.jobs.iter_mut().for_each(|job| job.stop.clear());
    }
    workload.jobs.iter_mut().for_each(|job| job.ramp = None);
}
