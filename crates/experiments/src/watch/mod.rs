//! Watching as a procedure: the phases of load cycles, the load that goes with them, and what a watch sees beside its
//! figures.

mod load;
mod lookout;
mod phases;
mod scales;

pub use load::{LoadError, Nominal, WatchLoad};
pub use lookout::Lookout;
pub use phases::{CycleError, Cycles, PhaseWhat, PlannedPhase};
pub use scales::{ScaleError, scale_words, scales};
