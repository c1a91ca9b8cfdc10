//! A step before it is planned, and the target's restrictions on it.

use record::StepRecord;
use workload::{Bytes, Ending, Nanos, StepKind, Workload};

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

impl Layout {
    /// Bytes that are written.
    pub(crate) fn bytes(self) -> Bytes {
        match self {
            Layout::None => Bytes(0),
            Layout::Write(size) => size,
        }
    }
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

/// Whether a step failed or was interrupted, which ends a procedure.
pub fn was_cut_short(step: &StepRecord) -> bool {
    matches!(step.ending, Ending::Failed | Ending::Interrupted)
}

/// Queue depth that keeps a volume full, in seconds' worth of its rate.
const FULL_S: f64 = 0.05;

/// Depth that keeps a volume of this rate full, within the least and the greatest.
pub(crate) fn full_depth(rate: f64, (least, most): (f64, f64)) -> u32 {
    (FULL_S * rate).clamp(least, most) as u32
}
