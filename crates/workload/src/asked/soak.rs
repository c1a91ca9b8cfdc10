//! What a soak was asked.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// What a soak was asked: a modest load for hours, and in each of equal cycles one look at all there is, at a random moment of it.
///
/// So each moment is looked at with the same chance, and what comes back every hour is not met, or missed, every time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakAsked {
    /// All of it.
    pub time: Nanos,
    /// Cycles, each with one look.
    pub cycles: u32,
    /// Length of a look, its first second left out of what counts.
    pub probe: Nanos,
    /// Bytes of an I/O.
    pub block: Bytes,
    /// Seed of every random choice.
    pub seed: u64,
}

impl SoakAsked {
    /// How long a soak is where nothing is said.
    pub const USUAL: Nanos = Nanos::from_secs(4 * 3600);
    /// Less tells nothing of time.
    pub const LEAST: Nanos = Nanos::from_secs(600);
    /// A cycle is no shorter: its look takes a seventh of it.
    const CYCLE_LEAST: Nanos = Nanos::from_secs(35);
    /// More looks than that do not make the run file worth its size.
    const CYCLES_MOST: u64 = 480;
    const PROBE: Nanos = Nanos::from_secs(5);

    /// A soak of this length.
    pub fn of(time: Nanos, block: Bytes, seed: u64) -> SoakAsked {
        let cycles = (time.0 / SoakAsked::CYCLE_LEAST.0).clamp(1, SoakAsked::CYCLES_MOST) as u32;
        SoakAsked { time, cycles, probe: SoakAsked::PROBE, block, seed }
    }

    /// Length of a cycle.
    pub fn cycle(&self) -> Nanos {
        Nanos(self.time.0 / u64::from(self.cycles.max(1)))
    }
}
