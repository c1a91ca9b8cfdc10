//! What was asked of one side of a comparison in turns: with it two run files are known to belong together, block by block.

use serde::{Deserialize, Serialize};

/// One side of a comparison whose sides were loaded in turns. Both run files say the same, but for `side` and `label`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InTurns {
    /// The same in the runs of one comparison, and in no others: when it began, in milliseconds since 1970, over its seed.
    pub comparison: String,
    /// Seed of the order of the turns.
    pub seed: u64,
    /// Which side this run is, from 0.
    pub side: u8,
    /// What the sides are called, in their order.
    pub labels: Vec<String>,
    /// Names of the loads; each is run once a block on each side.
    pub loads: Vec<String>,
    /// The block that this run begins with, from 0: a tool that is started anew for each block has a run for each.
    pub first_block: u32,
    /// After how many blocks it was planned to look whether the answers are certain enough to stop, rising; the last is the
    /// end. Each look has an equal part of the error.
    pub look_at: Vec<u32>,
    /// Differences within this share are of no consequence.
    pub margin: f64,
}

impl InTurns {
    /// Blocks that were planned at most.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.look_at.last().copied().unwrap_or(0)
    }
}
