//! Sentences on jobs that did not run, and why: a job without I/O must not pass for a job that had nothing to do.

use options::errno_text;
use record::StepRecord;
use workload::Ending;

use super::FioReport;
use super::unit::workers;
use crate::asked::FioJob;

/// Returns a sentence for each job that did none of its I/O in the finished run; clones with the same reason share one.
pub fn not_run(presented: &FioReport) -> Vec<String> {
    let mut reasons: Vec<(&str, String, usize)> = Vec::new();
    let jobs = presented.asked.jobs.iter().enumerate().filter(|(_, job)| !job.options.create_only);
    for (number, job) in jobs {
        let Some(reason) = reason(presented, number, job) else { continue };
        match reasons.last_mut() {
            Some((name, known, count)) if *name == job.name && *known == reason => *count += 1,
            _ => reasons.push((&job.name, reason, 1)),
        }
    }
    let sentence = |(name, reason, count)| match count {
        1 => format!("{name} was not run: {reason}"),
        count => format!("{name} was not run, none of {count} clones: {reason}"),
    };
    reasons.into_iter().map(sentence).collect()
}

fn reason(presented: &FioReport, number: usize, job: &FioJob) -> Option<String> {
    let step = presented.steps.get(job.step);
    if step.is_some_and(|step| has_worked(job, step)) {
        return None;
    }
    if let Some((_, errno)) = presented.failed.iter().find(|(failed, _)| *failed == number) {
        return Some(format!("it failed before its first I/O ({})", errno_text(*errno)));
    }
    let Some(step) = step else { return Some("the run ended before its turn".to_owned()) };
    is_sent_home(job, step).then(|| "it was told to stop before any of its I/O counted".to_owned())
}

/// Whether any I/O of `job` ended in `step`, successfully or not.
fn has_worked(job: &FioJob, step: &StepRecord) -> bool {
    workers(job, step).any(|worker| worker.directions.iter().any(|way| way.tally.ops + way.tally.errors > 0))
}

fn is_sent_home(job: &FioJob, step: &StepRecord) -> bool {
    workers(job, step).any(|worker| worker.ending == Some(Ending::Interrupted))
}
