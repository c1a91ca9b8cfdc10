//! What `plimsoll check A B --together` was asked.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Direction, Nanos};

/// What `plimsoll check A B --together` was asked: what several volumes bear at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherAsked {
    /// The volumes in their order; a job of a step works on the volume whose label is its name.
    pub volumes: Vec<TogetherVolume>,
    /// The machine whose published limits the budget is held against.
    #[serde(default)]
    pub machine: Option<NamedMachine>,
    /// The loads that each volume gets alone and all get at once.
    pub loads: Vec<TogetherLoad>,
    /// I/Os in flight on each volume that fill it, with small blocks.
    pub depth: u32,
    /// I/Os in flight of a modest user, beside one who fills its volume.
    pub shallow: u32,
    /// The most time for all of it, the layout left out.
    pub time: Nanos,
    /// What may be written in all, the layout left out.
    pub write_most: Bytes,
    /// Seed of every random choice.
    pub seed: u64,
}

/// One of the volumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherVolume {
    /// What it is called: A, B, or as it was named.
    pub label: String,
    /// What was typed.
    pub words: String,
    /// The devices below it, topmost first.
    #[serde(default)]
    pub devices: Vec<String>,
}

/// A machine type of a provider, whose limits are published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedMachine {
    /// `aws` or `azure`.
    pub provider: String,
    /// As the provider writes it.
    pub name: String,
}

/// One kind of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TogetherLoad {
    /// Reads or writes, at random places.
    pub direction: Direction,
    /// Their length.
    pub block: Bytes,
}

impl TogetherAsked {
    /// Blocks that spend operations.
    pub const SMALL: Bytes = Bytes::kib(4);
    /// Blocks that spend bytes.
    pub const LARGE: Bytes = Bytes::kib(256);
}
