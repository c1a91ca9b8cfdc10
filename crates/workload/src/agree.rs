//! Checks that the parts of a workload agree with each other, before anything is opened.

use crate::{Bytes, Flush, Job, Lengths, LengthsBy, Nanos, Pace, Start, StopRule, Think, Workload};

/// Contradiction between two parts of a workload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// Nothing would run.
    #[error("the workload has no job; name at least one")]
    NoJob,
    /// A job would never end.
    #[error("job '{job}' has no end; give a run time, an amount, or a precision to reach")]
    NoEnd {
        /// Name of the job.
        job: String,
    },
    /// A number that must be at least one is zero.
    #[error("job '{job}': {what} is 0; it must be at least 1")]
    Zero {
        /// Name of the job.
        job: String,
        /// Name of the number that is zero.
        what: &'static str,
    },
    /// A block does not fit into the region.
    #[error(
        "job '{job}': a block of {block} does not fit into a region of {region}; take smaller blocks or a region of at least {block}"
    )]
    BlockAboveRegion {
        /// Name of the job.
        job: String,
        /// The longest block.
        block: Bytes,
        /// The region.
        region: Bytes,
    },
    /// A job ends by certainty, by a fall or by late I/Os, which are rules for all jobs of a step together.
    #[error("job '{job}' cannot end by a precision of its own; give the precision to the whole step")]
    OwnCertainty {
        /// Name of the job.
        job: String,
    },
    /// A job waits for one that is not listed before it.
    #[error(
        "job '{job}' waits for the end of '{awaited}', which is no job before it; name one that stands before it"
    )]
    Awaited {
        /// Name of the job.
        job: String,
        /// Name of the job that it waits for.
        awaited: String,
    },
    /// A rate is not a positive number.
    #[error("job '{job}': the rate is {rate}; it must be above 0")]
    Rate {
        /// Name of the job.
        job: String,
        /// The rate given.
        rate: String,
    },
}

/// Checks that `workload` has no contradictions that are visible without touching the system.
///
/// # Errors
/// Returns the first [`Disagreement`] found, in the order of the jobs.
pub fn agree(workload: &Workload) -> Result<(), Disagreement> {
    workload.jobs.first().ok_or(Disagreement::NoJob)?;
    for (number, job) in workload.jobs.iter().enumerate() {
        ends(workload, job)?;
        starts(&workload.jobs[..number], job)?;
        job_agrees(job)?;
    }
    Ok(())
}

fn ends(workload: &Workload, job: &Job) -> Result<(), Disagreement> {
    let mut rules = workload.stop.iter().chain(&job.stop).peekable();
    // A trace ends by itself.
    if rules.peek().is_none() && job.access.replay.is_none() {
        return Err(Disagreement::NoEnd { job: job.name.clone() });
    }
    if rules.any(|rule| {
        let zero = Bytes(0);
        [
            StopRule::OpsEach(0),
            StopRule::BytesEach(zero),
            StopRule::BytesInAll(zero),
            StopRule::WrittenEach(zero),
        ]
        .contains(rule)
    }) {
        return Err(Disagreement::Zero { job: job.name.clone(), what: "the amount" });
    }
    let of_step = |rule: &StopRule| {
        matches!(rule, StopRule::Certain { .. } | StopRule::Fallen { .. } | StopRule::Late { .. })
    };
    match job.stop.iter().any(of_step) {
        true => Err(Disagreement::OwnCertainty { job: job.name.clone() }),
        false => Ok(()),
    }
}

/// Checks that a job waits only for jobs listed before it, so that none waits for itself.
fn starts(before: &[Job], job: &Job) -> Result<(), Disagreement> {
    let Start::After(awaited) = &job.start else { return Ok(()) };
    match awaited.iter().find(|name| before.iter().all(|other| other.name != **name)) {
        None => Ok(()),
        Some(awaited) => Err(Disagreement::Awaited { job: job.name.clone(), awaited: awaited.clone() }),
    }
}

fn job_agrees(job: &Job) -> Result<(), Disagreement> {
    let zero = |what| Disagreement::Zero { job: job.name.clone(), what };
    let think = job.think.unwrap_or(Think::each(1, Nanos(1)));
    let counts = [
        (u64::from(job.depth), "the queue depth"),
        (u64::from(job.clones), "the number of workers"),
        (issued_lengths(job).map(Lengths::shortest).min().unwrap_or_default().0, "the block size"),
        (job.size.map_or(1, |size| size.0), "the region's size"),
        (u64::from(think.every), "the number of I/Os between pauses"),
        (think.after.map_or(1, |time| time.0), "the time between pauses"),
        (think.pause.0, "the pause"),
    ];
    for (count, what) in counts {
        if count == 0 {
            return Err(zero(what));
        }
    }
    if job.flush == Flush::Every(0) {
        return Err(zero("the number of writes between flushes"));
    }
    let paces = [Some(job.pace), job.write_pace].into_iter().flatten();
    if let Some(rate) = paces.filter_map(Pace::rate).find(|rate| !(rate.0 > 0.0 && rate.0.is_finite())) {
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

/// Lengths that `job` can issue; the lengths of a direction that it does not issue need not make sense.
fn issued_lengths(job: &Job) -> impl Iterator<Item = &Lengths> {
    let by_sequence = job.blocks.by == LengthsBy::Sequence;
    let issued = move |direction| by_sequence || job.access.mix.issues(direction);
    job.blocks.lengths.iter().filter(move |(direction, _)| issued(*direction)).map(|(_, lengths)| lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockSizes, Iops};

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

    #[test]
    fn a_job_may_have_its_own_end_and_waits_only_for_what_stands_before_it() {
        let own = workload(|job| job.stop = vec![StopRule::Time(Nanos::SECOND)]);
        assert_eq!(agree(&Workload { stop: vec![], ..own }), Ok(()));
        let nothing = workload(|job| job.stop = vec![StopRule::BytesEach(Bytes(0))]);
        assert!(matches!(agree(&nothing), Err(Disagreement::Zero { .. })));
        let certain = StopRule::Certain { half_width: 0.1, least: Nanos(1), most: Nanos(2) };
        let alone = workload(|job| job.stop = vec![certain]);
        assert!(matches!(agree(&alone), Err(Disagreement::OwnCertainty { .. })));
        let mut pair = workload(|job| job.start = Start::After(vec!["j".into()]));
        assert!(matches!(agree(&pair), Err(Disagreement::Awaited { .. })), "of itself");
        pair.jobs.insert(0, Job::named("j"));
        assert_eq!(agree(&pair), Ok(()));
    }

    #[test]
    fn pauses_and_paces_of_nothing_are_refused() {
        let think = |think| workload(move |job| job.think = Some(think));
        for wrong in [Think::each(0, Nanos(5)), Think::each(5, Nanos(0))] {
            assert!(matches!(agree(&think(wrong)), Err(Disagreement::Zero { .. })), "{wrong:?}");
        }
        assert_eq!(agree(&think(Think::burst(1, Nanos(1)))), Ok(()));
        let writes = workload(|job| job.write_pace = Some(Pace::Poisson(Iops(f64::NAN))));
        assert!(matches!(agree(&writes), Err(Disagreement::Rate { .. })));
    }
}
