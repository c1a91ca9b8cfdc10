//! What steps are for, in a word or two.

use workload::StepKind;

/// What the steps of a kind are for.
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
