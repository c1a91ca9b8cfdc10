//! A step before it is planned, and what a target allows it.

use workload::{Bytes, Nanos, StepKind, Workload};

/// Whether writes are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Reads and writes are measured.
    Measured,
    /// Only reads are: the target is not ours to write.
    LeftOut,
}

/// Whether real data is written before reads are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Nothing is written: the blocks hold data, or are not ours.
    None,
    /// This many bytes are written.
    Write(Bytes),
}

/// A step to run, before planning.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Name, unique in the run.
    pub name: String,
    /// Purpose of the step.
    pub kind: StepKind,
    /// The requested workload.
    pub workload: Workload,
    /// Length of an interval of its record; `None`: the target's own.
    pub interval: Option<Nanos>,
}
