//! What the jobs of a command are to each other: who waits for whom, who is reported with whom, who shares a flow.

use super::load::PlannedJob;
use fio::Pattern;

/// Numbers of the jobs that have ended before job `number` begins, because it waits for one that waits for the next.
pub(super) fn awaited(jobs: &[PlannedJob], number: usize) -> Vec<usize> {
    let named = |&at: &usize| {
        let name = jobs[at].options().time.wait_for.as_ref()?;
        jobs[..at].iter().position(|other| other.job.name == *name)
    };
    std::iter::successors(named(&number), named).collect()
}

/// Names of the jobs that the report of job `number` adds up with it, if it is the first of them.
pub(super) fn reported_with(jobs: &[PlannedJob], number: usize) -> Vec<String> {
    let together =
        |job: &PlannedJob| job.job.group == jobs[number].job.group && job.options().group_reporting;
    if !together(&jobs[number]) || jobs[..number].iter().any(together) {
        return Vec::new();
    }
    jobs[number + 1..].iter().filter(|job| together(job)).map(|job| job.job.name.clone()).collect()
}

/// The share of job `number` of the I/Os of its flow, by weights and copies, and the names of the others in it.
pub(super) fn flow(jobs: &[PlannedJob], number: usize) -> Option<(f64, Vec<String>)> {
    let own = &jobs[number];
    let (weight, id) = (own.options().bounds.flow, own.options().bounds.flow_id);
    let others = jobs.iter().filter(|other| {
        let bounds = &other.options().bounds;
        bounds.flow > 0 && bounds.flow_id == id && other.runs_beside(own)
    });
    let of = |job: &PlannedJob| f64::from(job.options().bounds.flow) * f64::from(job.options().numjobs);
    let (all, names): (Vec<f64>, Vec<String>) = others.map(|job| (of(job), job.job.name.clone())).unzip();
    (weight > 0 && !names.is_empty()).then(|| (of(own) / (of(own) + all.iter().sum::<f64>()), names))
}

/// Names of the jobs that change what `job` uses while it runs.
pub(super) fn changers(jobs: &[PlannedJob], job: &PlannedJob, changes: fn(Pattern) -> bool) -> Vec<String> {
    let those = jobs.iter().filter(|other| changes(other.options().pattern) && other.reaches_into(job));
    those.map(|other| other.job.name.clone()).collect()
}

/// Whether another job writes its trace into the same file.
pub(super) fn shares_its_trace(jobs: &[PlannedJob], job: &PlannedJob) -> bool {
    let trace = job.typed("write_iolog");
    trace.is_some() && jobs.iter().filter(|other| other.typed("write_iolog") == trace).count() > 1
}
