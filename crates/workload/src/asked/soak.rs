//! Parameters of a soak.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// Parameters of a soak: a modest load for hours, and in each of several equal cycles one look at full load, at a random
/// moment of the cycle.
///
/// So every moment is equally likely to be examined, and what recurs every hour is neither met nor missed every time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakRequest {
    /// Total duration.
    pub time: Nanos,
    /// Number of cycles, each with one look.
    pub cycles: u32,
    /// Length of a look, including its first second, which does not count.
    pub probe: Nanos,
    /// Block size.
    pub block: Bytes,
    /// Seed of every random choice.
    pub seed: u64,
}

impl SoakRequest {
    /// Duration of a soak if none is given.
    pub const USUAL: Nanos = Nanos::from_secs(4 * 3600);
    /// Shortest soak: a shorter one says nothing about changes over time.
    pub const LEAST: Nanos = Nanos::from_secs(600);
    /// Shortest cycle: its look takes a seventh of it.
    const CYCLE_LEAST: Nanos = Nanos::from_secs(35);
    /// Most cycles: more looks would not be worth the size of the run file.
    const CYCLES_MOST: u64 = 480;
    const PROBE: Nanos = Nanos::from_secs(5);

    /// A soak of duration `time`.
    pub fn of(time: Nanos, block: Bytes, seed: u64) -> SoakRequest {
        let cycles = (time.0 / SoakRequest::CYCLE_LEAST.0).clamp(1, SoakRequest::CYCLES_MOST) as u32;
        SoakRequest { time, cycles, probe: SoakRequest::PROBE, block, seed }
    }

    /// Length of a cycle.
    pub fn cycle(&self) -> Nanos {
        Nanos(self.time.0 / u64::from(self.cycles.max(1)))
    }
}
