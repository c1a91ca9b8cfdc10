//! Watching as a procedure: the phases of load cycles, the load that goes with them, and anomalies that a watch reports.

mod anomalies;
mod load;
mod phases;
mod scales;

pub use anomalies::{Anomalies, not_looked};
pub use load::{LoadError, Nominal, WatchLoad};
pub use phases::{CycleError, Cycles, PhaseWhat, PlannedPhase};
pub use scales::{ScaleError, scale_words, scales};
