//! Notes about a step's workers in addition to their figures: failures, data that differs from what was written,
//! crossed bounds, depths found.

use record::{BoundCrossing, CrossedBound, IoFailure, Mismatch, Note, RateUnit, SteeredDepth, TargetOutcome};
use workload::{StepPlan, WorkerPlan};

use crate::coordinator::Outcome;
use crate::worker::{Crossing, Failure, SteeringResult};

/// The notes of all workers.
pub(crate) fn notes(plan: &StepPlan, outcomes: &[Outcome]) -> Vec<Note> {
    let of_bounds = plan.workers.iter().zip(outcomes).flat_map(|(worker, outcome)| {
        let crossed = outcome.crossing.map(|crossing| Note::Crossed(crossed(worker, &crossing)));
        // If a bound ended the worker, the target was not met.
        let held = |reached: SteeringResult| reached.held.or(outcome.crossing.map(|_| false));
        let steered = outcome
            .reached
            .map(|reached| Note::Steered(steered(worker, SteeringResult { held: held(reached), ..reached })));
        crossed.into_iter().chain(steered)
    });
    mismatches(plan, outcomes).into_iter().map(Note::Mismatch).chain(of_bounds).collect()
}

fn crossed(worker: &WorkerPlan, crossing: &Crossing) -> BoundCrossing {
    let bound = match *crossing {
        Crossing::Ops { direction, least, got } => {
            CrossedBound::Rate { direction, unit: RateUnit::Ops, least, got }
        }
        Crossing::Bytes { direction, least, got } => {
            CrossedBound::Rate { direction, unit: RateUnit::Bytes, least, got }
        }
        Crossing::Latency { most, took, io } => CrossedBound::Latency {
            most,
            took,
            direction: io.kind,
            path: path(worker, io.file),
            offset: io.offset,
            bytes: io.bytes,
        },
    };
    BoundCrossing { job: worker.job.clone(), bound }
}

fn steered(worker: &WorkerPlan, reached: SteeringResult) -> SteeredDepth {
    let held = match reached.held {
        Some(true) => TargetOutcome::Yes,
        Some(false) => TargetOutcome::No,
        None => TargetOutcome::Unknown,
    };
    SteeredDepth { job: worker.job.clone(), depth: reached.depth, held }
}

fn path(worker: &WorkerPlan, file: u32) -> String {
    worker.files.get(file as usize).map(|file| file.path.display().to_string()).unwrap_or_default()
}

/// The first mismatches of every worker.
fn mismatches(plan: &StepPlan, outcomes: &[Outcome]) -> Vec<Mismatch> {
    let of_worker = |(worker, outcome): (&WorkerPlan, &Outcome)| -> Vec<Mismatch> {
        let mismatch = |failure: &Failure| {
            let (mismatch, io) = (failure.mismatch?, failure.io);
            Some(Mismatch {
                what: mismatch.damage,
                path: worker.files.get(io.file as usize)?.path.display().to_string(),
                offset: mismatch.offset,
                io_offset: io.offset,
                io_bytes: io.bytes,
            })
        };
        outcome.failures.iter().filter_map(mismatch).collect()
    };
    plan.workers.iter().zip(outcomes).flat_map(of_worker).collect()
}

/// The first failures of all workers by time, at most 16.
pub(crate) fn failures(plan: &StepPlan, outcomes: &[Outcome]) -> Vec<IoFailure> {
    let of_worker = |(worker, outcome): (&WorkerPlan, &Outcome)| -> Vec<IoFailure> {
        let path = |file: u32| worker.files.get(file as usize).map(|file| file.path.display().to_string());
        let row = |failure: &Failure| IoFailure {
            at: failure.at,
            direction: failure.io.kind,
            path: path(failure.io.file).unwrap_or_default(),
            offset: failure.io.offset,
            bytes: failure.io.bytes,
            errno: failure.errno,
        };
        outcome.failures.iter().map(row).collect()
    };
    let mut all: Vec<IoFailure> = plan.workers.iter().zip(outcomes).flat_map(of_worker).collect();
    all.sort_by_key(|failure| failure.at);
    all.truncate(16);
    all
}
