//! The purposes of steps, in a word or two.

use workload::{StepKind, StepPlan};

use super::numbers;
use super::wrap::clean;

/// Returns a step's name, completed by the depth or block size that it lacks:
/// `read depth 16, 4 KiB`, `read 64 KiB, depth 8`.
pub(crate) fn step_words(plan: &StepPlan) -> String {
    let name = clean(&plan.name);
    let blocks = plan.workers.first().map(|worker| worker.blocks.longest().0);
    let depth: u32 = plan.workers.iter().map(|worker| worker.depth).sum();
    match (plan.kind, blocks) {
        (StepKind::Latency | StepKind::DepthLadder, Some(block)) => {
            format!("{name}, {}", numbers::block(block as f64))
        }
        (StepKind::BlockLadder | StepKind::Reference | StepKind::Again, Some(_)) => {
            format!("{name}, depth {}", numbers::count(f64::from(depth)))
        }
        _ => name,
    }
}

/// Returns the purpose of a kind of steps.
pub(crate) fn kind_words(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Idle => "idle",
        StepKind::Layout => "layout",
        StepKind::Latency => "latency",
        StepKind::DepthLadder => "depth ladder",
        StepKind::BlockLadder => "block ladder",
        StepKind::Reference => "reference",
        StepKind::Probe => "probe",
        StepKind::Cell => "cells",
        StepKind::Again => "again",
        StepKind::OpenLoad => "open load",
        StepKind::Drain => "drain",
        StepKind::Place => "places",
        StepKind::Together => "together",
        StepKind::Soak => "soak",
        StepKind::Job => "jobs",
    }
}
