//! Parameters of `plimsoll check A B --together`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Direction, Nanos};

/// Parameters of `plimsoll check A B --together`, which measures several volumes at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherRequest {
    /// The volumes in their order; a step's job works on the volume whose label is the job's name.
    pub volumes: Vec<TogetherVolume>,
    /// Machine type whose published limits are compared with the measured budget.
    #[serde(default)]
    pub machine: Option<NamedMachine>,
    /// Loads that run on each volume alone and on all at once.
    pub loads: Vec<TogetherLoad>,
    /// Queue depth that fills each volume, with small blocks.
    pub depth: u32,
    /// Queue depth of a modest user next to one who fills the volume.
    pub shallow: u32,
    /// Longest time for the whole check, without the layout.
    pub time: Nanos,
    /// Greatest number of bytes written in all, without the layout.
    pub write_most: Bytes,
    /// Seed of every random choice.
    pub seed: u64,
}

/// One of several volumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherVolume {
    /// Label of the volume: A, B, or the name given.
    pub label: String,
    /// The target as typed.
    pub words: String,
    /// The devices below the volume, topmost first.
    #[serde(default)]
    pub devices: Vec<String>,
}

/// A provider's machine type with published limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedMachine {
    /// `aws` or `azure`.
    pub provider: String,
    /// Machine type in the provider's spelling.
    pub name: String,
}

/// One kind of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TogetherLoad {
    /// Direction of the load's I/Os: reads or writes, at random places.
    pub direction: Direction,
    /// Block size.
    pub block: Bytes,
}

impl TogetherRequest {
    /// Block size whose cost is operations.
    pub const SMALL: Bytes = Bytes::kib(4);
    /// Block size whose cost is bytes.
    pub const LARGE: Bytes = Bytes::kib(256);
}
