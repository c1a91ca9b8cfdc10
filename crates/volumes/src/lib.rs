//! Policies to volumes: simulated in virtual time, and throttled by this kernel.

#[cfg(target_os = "linux")]
pub mod lab;
mod simulated;

pub use simulated::{SimError, SimulatedGroup, SimulatedVolume};
