//! Parameters of `plimsoll burst`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Mix, Nanos};

/// Credits that are drained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstOf {
    /// Credits of operations, then credits of bytes.
    #[default]
    Both,
    /// Credits of operations, by small blocks.
    Operations,
    /// Credits of bytes, by large blocks.
    Bytes,
}

/// Parameters of `plimsoll burst`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstRequest {
    /// Credits that are drained.
    pub of: BurstOf,
    /// Longest time that a first drain may take.
    pub most: Nanos,
    /// Size of blocks that spend operation credits.
    pub small: Bytes,
    /// Size of blocks that spend byte credits.
    pub large: Bytes,
    /// Mix of reads and writes.
    #[serde(default = "reads")]
    pub mix: Mix,
    /// Whether the other direction is measured when the bucket is empty, because it may have a separate bucket.
    #[serde(default)]
    pub both_ways: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// Steps recorded by an earlier sitting of this run, after which it resumes.
    #[serde(default)]
    pub resumed: usize,
}

fn reads() -> Mix {
    Mix::READ
}

impl BurstRequest {
    /// Size of blocks that spend operation credits, if the target accepts it.
    pub const SMALL: Bytes = Bytes::kib(4);
    /// Size of blocks that spend byte credits: the longest unit by which a provider charges.
    pub const LARGE: Bytes = Bytes::MIB;
}
