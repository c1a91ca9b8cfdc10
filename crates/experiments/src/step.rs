//! A step before it is planned, and what a target lets it do.

use workload::{Bytes, Nanos, StepKind, Workload};

/// Whether writes are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Reads and writes.
    Measured,
    /// Only reads: the target is not ours to write.
    LeftOut,
}

/// Whether real data is written before reads are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Nothing to write: the blocks hold data, or are not ours.
    None,
    /// This much.
    Write(Bytes),
}

/// A step to run, before planning.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// A name that is unique in the run.
    pub name: String,
    /// What it is for.
    pub kind: StepKind,
    /// What is asked.
    pub workload: Workload,
    /// Length of an interval of its record; `None`: that of the target.
    pub interval: Option<Nanos>,
}
