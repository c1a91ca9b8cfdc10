//! Parameters of `plimsoll check A B --together`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Direction, Nanos};

/// Parameters of `plimsoll check A B --together`: what several volumes bear at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherRequest {
    /// The volumes in their order; a step's job works on the volume whose label is the job's name.
    pub volumes: Vec<TogetherVolume>,
    /// Machine type with whose published limits the budget is compared.
    #[serde(default)]
    pub machine: Option<NamedMachine>,
    /// Loads that each volume gets alone and all get at once.
    pub loads: Vec<TogetherLoad>,
    /// I/Os in flight that fill each volume, with small blocks.
    pub depth: u32,
    /// I/Os in flight of a modest user beside one who fills the volume.
    pub shallow: u32,
    /// Longest time for all of it, without the layout.
    pub time: Nanos,
    /// Most bytes written in all, without the layout.
    pub write_most: Bytes,
    /// Seed of every random choice.
    pub seed: u64,
}

/// One of several volumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherVolume {
    /// Its label: A, B, or the name given.
    pub label: String,
    /// The target as typed.
    pub words: String,
    /// The devices below it, topmost first.
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
    /// Direction of its I/Os: reads or writes, at random places.
    pub direction: Direction,
    /// Block size.
    pub block: Bytes,
}

impl TogetherRequest {
    /// Block size that spends operations.
    pub const SMALL: Bytes = Bytes::kib(4);
    /// Block size that spends bytes.
    pub const LARGE: Bytes = Bytes::kib(256);
}
