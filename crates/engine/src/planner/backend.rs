//! The choice of backend: one that works here, and the limits it imposes.

use workload::{BackendAsk, BackendKind, Batching, Job};

use super::error::PlanError;
use super::target::{Choices, PlanTarget, PlanTargetKind};

/// The backend for `job`: the one it asks for, or the first that works here.
pub(super) fn choose(
    job: &Job,
    target: &PlanTarget,
    choices: &mut Choices,
) -> Result<BackendKind, PlanError> {
    let probed = match &target.kind {
        PlanTargetKind::Machine(probed) => probed,
        PlanTargetKind::Null(_) => return Ok(BackendKind::Null),
        PlanTargetKind::Simulated(_) => return Ok(BackendKind::Simulated),
    };
    let backend = match job.backend {
        BackendAsk::Only(BackendKind::Null) => BackendKind::Null,
        BackendAsk::Only(kind) => only(job, kind, probed)?,
        BackendAsk::Best => best(job, probed, choices)?,
    };
    if backend == BackendKind::Libaio && !job.direct {
        choices.add(
            "submission",
            "may wait",
            "libaio is asynchronous for direct I/O only; through the page cache it does one I/O at a time",
        );
    }
    Ok(backend)
}

type BackendProbes = [(BackendKind, Result<(), String>)];

fn only(job: &Job, kind: BackendKind, probed: &BackendProbes) -> Result<BackendKind, PlanError> {
    let refused = |reason: &str| {
        Err(PlanError::Backend { job: job.name.clone(), backend: kind, reason: reason.to_owned() })
    };
    match probed.iter().find(|(probed, _)| *probed == kind) {
        Some((_, Ok(()))) => Ok(kind),
        Some((_, Err(reason))) => refused(reason),
        None => refused("it is not a means of I/O of this machine; take io_uring, libaio or pread"),
    }
}

fn best(job: &Job, probed: &BackendProbes, choices: &mut Choices) -> Result<BackendKind, PlanError> {
    let mut missing = Vec::new();
    for (kind, works) in probed {
        match works {
            Ok(()) => {
                let reason = match missing.as_slice() {
                    [] => "the fastest means of I/O, and it works here".to_owned(),
                    missing => missing.join("; "),
                };
                choices.add("backend", kind.name(), reason);
                return Ok(*kind);
            }
            Err(reason) => missing.push(format!("{}: {reason}", kind.name())),
        }
    }
    Err(PlanError::NoBackend { job: job.name.clone(), reasons: missing.join("; ") })
}

/// The queue depth that `backend` can keep.
pub(super) fn depth(job: &Job, backend: BackendKind, choices: &mut Choices) -> u32 {
    if backend == BackendKind::Pread && job.depth > 1 {
        let reason = format!("pread does one I/O at a time, so a depth of {} cannot be kept", job.depth);
        choices.add("queue depth", "1", reason);
        return 1;
    }
    job.depth
}

/// The batching of direct I/O: one I/O per call if a job has neighbouring I/Os. The kernel collects what one call submits
/// before the device sees any of it (block plug) and merges adjacent I/Os into one request: a throttle below then counts
/// one for several, and the volume seems to bear more than it does. A paced mix with half of its I/Os sequential measured
/// 980 reads per second on a volume limited to 840.
pub(super) fn batching(job: &Job, backend: BackendKind, depth: u32, choices: &mut Choices) -> Batching {
    let takes_several = matches!(backend, BackendKind::IoUring | BackendKind::Libaio) && depth > 1;
    let is_open = job.batching.submit_most.is_none();
    if !(is_open && takes_several && job.access.has_neighbours()) {
        return job.batching;
    }
    choices.add(
        "submission",
        "one I/O a call",
        "I/Os that lie side by side are merged if the kernel gets them in one call, and then count as one",
    );
    Batching { submit_most: Some(1), ..job.batching }
}
