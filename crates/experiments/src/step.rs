//! A step before it is planned, and the target's restrictions on it.

use workload::{Bytes, Nanos, StepKind, Workload};

/// Whether writes are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Reads and writes are measured.
    Measured,
    /// Only reads are measured: plimsoll may not write to the target.
    LeftOut,
}

/// Whether real data is written before reads are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Nothing is written: the blocks hold data already, or may not be written.
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
    /// Length of an interval of the step's record; `None` for the default of the target.
    pub interval: Option<Nanos>,
}
