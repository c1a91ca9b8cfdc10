//! Parameters of one side of a comparison in turns, which show that two run files belong together, block by block.

use serde::{Deserialize, Serialize};

/// One side of a comparison whose sides were loaded in turns. The run files of all sides agree, except in `side`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnsRequest {
    /// Identifier that only the runs of one comparison share: when it began, in milliseconds since 1970, over its seed.
    pub comparison: String,
    /// Seed of the order of the turns.
    pub seed: u64,
    /// Index of the side that this run is, from 0.
    pub side: u8,
    /// Names of the sides, in their order.
    pub labels: Vec<String>,
    /// Names of the loads; each runs once per block on each side.
    pub loads: Vec<String>,
    /// Number of this run's first block, from 0: a tool that is restarted for each block has one run per block.
    pub first_block: u32,
    /// Numbers of blocks, rising, after which the answers are examined and the comparison may stop; the last is the
    /// planned end. Each examination has an equal part of the error.
    pub look_at: Vec<u32>,
    /// Relative difference below which two sides count as equal.
    pub margin: f64,
}

impl TurnsRequest {
    /// Greatest planned number of blocks.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.look_at.last().copied().unwrap_or(0)
    }
}
