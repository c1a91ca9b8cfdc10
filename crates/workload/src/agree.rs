//! The check that the parts of a workload agree with each other, before anything is opened.

use crate::{Bytes, Flush, Job, Lengths, LengthsBy, StopRule, Workload};

/// Two parts of what was asked contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// Nothing would run.
    #[error("the workload has no job; name at least one")]
    NoJob,
    /// It would never end.
    #[error("job '{job}' has no end; give a run time, an amount, or a precision to reach")]
    NoEnd {
        /// The job.
        job: String,
    },
    /// A number must be at least one.
    #[error("job '{job}': {what} is 0; it must be at least 1")]
    Zero {
        /// The job.
        job: String,
        /// What is zero.
        what: &'static str,
    },
    /// One block does not fit into the region.
    #[error(
        "job '{job}': a block of {block} does not fit into a region of {region}; take smaller blocks or a region of at least {block}"
    )]
    BlockAboveRegion {
        /// The job.
        job: String,
        /// The longest block.
        block: Bytes,
        /// The region.
        region: Bytes,
    },
    /// A rate must be a positive number.
    #[error("job '{job}': the rate is {rate}; it must be above 0")]
    Rate {
        /// The job.
        job: String,
        /// What was given.
        rate: String,
    },
}

/// Checks that `workload` is free of contradictions that need no look at the world.
///
/// # Errors
/// The first [`Disagreement`] found, in the order of the jobs.
pub fn agree(workload: &Workload) -> Result<(), Disagreement> {
    let first = workload.jobs.first().ok_or(Disagreement::NoJob)?;
    if workload.stop.is_empty() {
        return Err(Disagreement::NoEnd { job: first.name.clone() });
    }
    for rule in &workload.stop {
        if matches!(rule, StopRule::OpsEach(0) | StopRule::BytesEach(Bytes(0))) {
            return Err(Disagreement::Zero { job: first.name.clone(), what: "the amount" });
        }
    }
    workload.jobs.iter().try_for_each(job_agrees)
}

fn job_agrees(job: &Job) -> Result<(), Disagreement> {
    let zero = |what| Disagreement::Zero { job: job.name.clone(), what };
    let counts = [
        (u64::from(job.depth), "the queue depth"),
        (u64::from(job.clones), "the number of workers"),
        (issued_lengths(job).map(Lengths::shortest).min().unwrap_or_default().0, "the block size"),
        (job.size.map_or(1, |size| size.0), "the region's size"),
    ];
    for (count, what) in counts {
        if count == 0 {
            return Err(zero(what));
        }
    }
    if job.flush == Flush::Every(0) {
        return Err(zero("the number of writes between flushes"));
    }
    if let Some(rate) = job.pace.rate()
        && !(rate.0 > 0.0 && rate.0.is_finite())
    {
        return Err(Disagreement::Rate { job: job.name.clone(), rate: rate.0.to_string() });
    }
    let block = issued_lengths(job).map(Lengths::longest).max().unwrap_or_default();
    match job.size {
        Some(region) if block > region => {
            Err(Disagreement::BlockAboveRegion { job: job.name.clone(), block, region })
        }
        _ => Ok(()),
    }
}

/// Lengths that `job` can issue; a direction that it leaves out need not make sense.
fn issued_lengths(job: &Job) -> impl Iterator<Item = &Lengths> {
    let by_sequence = job.blocks.by == LengthsBy::Sequence;
    let issued = move |direction| by_sequence || job.access.mix.issues(direction);
    job.blocks.lengths.iter().filter(move |(direction, _)| issued(*direction)).map(|(_, lengths)| lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockSizes, Iops, Nanos, Pace};

    fn workload(change: impl Fn(&mut Job)) -> Workload {
        let mut job = Job::named("j");
        change(&mut job);
        Workload { jobs: vec![job], stop: vec![StopRule::Time(Nanos::SECOND)], ramp: Nanos::ZERO }
    }

    #[test]
    fn the_defaults_agree() {
        assert_eq!(agree(&workload(|_| {})), Ok(()));
    }

    #[test]
    fn each_contradiction_is_named() {
        assert!(matches!(agree(&workload(|job| job.depth = 0)), Err(Disagreement::Zero { .. })));
        assert!(matches!(
            agree(&workload(|job| job.pace = Pace::Fixed(Iops(-1.0)))),
            Err(Disagreement::Rate { .. })
        ));
        let small = workload(|job| {
            job.size = Some(Bytes::kib(64));
            job.blocks = BlockSizes::all(Bytes::MIB);
        });
        let text = agree(&small).unwrap_err().to_string();
        assert!(text.contains("1 MiB") && text.contains("64 KiB"), "{text}");
        let endless = Workload { stop: vec![], ..workload(|_| {}) };
        assert!(matches!(agree(&endless), Err(Disagreement::NoEnd { .. })));
    }
}
