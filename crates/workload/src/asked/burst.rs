//! What `plimsoll burst` was asked.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Mix, Nanos};

/// What is drained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstOf {
    /// The credits of operations, then those of bytes.
    #[default]
    Both,
    /// Those of operations: small blocks.
    Operations,
    /// Those of bytes: large blocks.
    Bytes,
}

/// What `plimsoll burst` was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstAsked {
    /// What is drained.
    pub of: BurstOf,
    /// The most time that a first drain may take.
    pub most: Nanos,
    /// Blocks that spend operations.
    pub small: Bytes,
    /// Blocks that spend bytes.
    pub large: Bytes,
    /// Reads and writes among the I/Os.
    #[serde(default = "reads")]
    pub mix: Mix,
    /// Whether the other direction is looked at when the bucket is empty: it may have one of its own.
    #[serde(default)]
    pub both_ways: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// Steps that an earlier sitting of this run had recorded: it goes on behind them.
    #[serde(default)]
    pub resumed: usize,
}

fn reads() -> Mix {
    Mix::READ
}

impl BurstAsked {
    /// Blocks that spend operations, where the target takes them.
    pub const SMALL: Bytes = Bytes::kib(4);
    /// Blocks that spend bytes: as long as the longest unit that a provider charges.
    pub const LARGE: Bytes = Bytes::MIB;
}
