//! Planning: turns a workload and the facts of its target into a plan with nothing left open, in which every choice has a
//! reason.

mod backend;
mod blocks;
mod error;
mod region;
mod target;
mod verification;

use statistics::random::mix;
use workload::{
    Access, ByDirection, Direction, Flush, Job, Nanos, Order, StepKind, StepPlan, StopRule, Terms,
    WorkerPlan, Workload, agree,
};

use blocks::longest_block;
pub use error::PlanError;
use target::Choices;
pub use target::{Clones, FileFacts, PlanTarget, PlanTargetKind};

/// Plans one step: `workload` on `target`, called `name` and serving as `kind`.
///
/// # Errors
/// [`PlanError`] if the workload contradicts itself or its target; the message names a remedy.
pub fn plan(
    workload: &Workload,
    name: &str,
    kind: StepKind,
    target: &PlanTarget,
) -> Result<StepPlan, PlanError> {
    agree(workload)?;
    let mut choices = Choices::default();
    let mut workers = Vec::new();
    for job in &workload.jobs {
        amount_holds_a_block(job, &workload.stop)?;
        let mut of_job = workers_of(job, target, &mut choices)?;
        let first = workers.len() as u64;
        of_job.iter_mut().zip(first..).for_each(|(worker, number)| worker.seed = seed_of(job, number));
        workers.append(&mut of_job);
    }
    assert!(
        workers.iter().all(|worker| worker.depth > 0 && !worker.files.is_empty()),
        "a worker has nothing to do"
    );
    choices.add("interval", target.interval.to_string(), "how often figures are recorded");
    Ok(StepPlan {
        name: name.to_owned(),
        kind,
        workers,
        stop: workload.stop.clone(),
        ramp: workload.ramp,
        interval: target.interval,
        choices: choices.0,
    })
}

/// A step named `name` in which nothing is issued for `time`, so that load of other processes can be seen.
pub fn idle_plan(name: &str, time: Nanos, interval: Nanos) -> StepPlan {
    StepPlan {
        name: name.to_owned(),
        kind: StepKind::Idle,
        workers: Vec::new(),
        stop: vec![StopRule::Time(time)],
        ramp: Nanos::ZERO,
        interval,
        choices: Vec::new(),
    }
}

fn workers_of(job: &Job, target: &PlanTarget, choices: &mut Choices) -> Result<Vec<WorkerPlan>, PlanError> {
    if let Some(&cpu) = job.cpus.iter().find(|cpu| !target.cpus.contains(cpu)) {
        return Err(PlanError::NoSuchCpu { job: job.name.clone(), cpu, cpus: target.cpus.clone() });
    }
    let backend = backend::choose(job, target, choices)?;
    let direct = region::directness(job, target, choices)?;
    let files = region::files(job, target, direct, choices)?;
    let depth = backend::depth(job, backend, choices);
    let batching = if direct { backend::batching(job, backend, depth, choices) } else { job.batching };
    let worker = |clone: u32| -> Result<WorkerPlan, PlanError> {
        Ok(WorkerPlan {
            job: job.name.clone(),
            files: region::share(job, &files, clone, target.clones)?,
            access: effective_access(&job.access),
            blocks: job.blocks.clone(),
            depth,
            pace: job.pace,
            backend,
            direct,
            buffers: job.buffers.clone(),
            flush: if job.access.mix.issues(Direction::Write) { job.flush } else { Flush::Never },
            verify: job.verify.clone(),
            seed: job.seed,
            cpu: (!job.cpus.is_empty()).then(|| job.cpus[clone as usize % job.cpus.len()]),
            terms: Terms { batching, ..Terms::of(job) },
        })
    };
    let mut workers = (0..job.clones).map(worker).collect::<Result<Vec<_>, _>>()?;
    workers.iter_mut().try_for_each(|worker| verification::settle(worker, choices))?;
    if job.clones > 1 {
        explain_clones(job, target.clones, choices);
    }
    Ok(workers)
}

fn explain_clones(job: &Job, clones: Clones, choices: &mut Choices) {
    let reason = match (job.access.order, clones) {
        (Order::Random(_), _) => "each visits the whole region in an order of its own",
        (Order::Sequential, Clones::Apart) => "each has its own part of the region",
        (Order::Sequential, Clones::Together) => "all start at the first byte of the region",
    };
    choices.add("workers", job.clones.to_string(), reason);
}

/// The access with a random order made fully random, whatever its `random_percent` says.
fn effective_access(access: &Access) -> Access {
    let percent = access.random_percent;
    let least = match access.order {
        Order::Random(_) => 100,
        Order::Sequential => 0,
    };
    let whole = |percent: u8| percent.clamp(least, 100);
    let random_percent =
        ByDirection { read: whole(percent.read), write: whole(percent.write), trim: whole(percent.trim) };
    Access { random_percent, ..access.clone() }
}

/// A seed distinct for each worker of a step, even if jobs were given the same seed.
fn seed_of(job: &Job, worker: u64) -> u64 {
    mix(mix(job.seed).wrapping_add(worker))
}

/// Checks that no amount is smaller than one block, which would end a step before it began.
fn amount_holds_a_block(job: &Job, stop: &[StopRule]) -> Result<(), PlanError> {
    let block = longest_block(job).unwrap_or_default();
    for rule in stop {
        if let StopRule::BytesEach(amount) | StopRule::BytesInAll(amount) | StopRule::WrittenEach(amount) =
            *rule
            && amount < block
        {
            return Err(PlanError::AmountBelowBlock { job: job.name.clone(), amount, block });
        }
    }
    Ok(())
}
