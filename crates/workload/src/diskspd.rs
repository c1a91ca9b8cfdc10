//! Places and directions by the rules of DiskSpd 2.2, so that a seed gives the stream of offsets that it gives there.

use serde::{Deserialize, Serialize};

/// What one worker's I/O is drawn from: one generator, and a walk for each of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpdOrder {
    /// Seed of the worker's generator.
    pub seed: u64,
    /// One walk a file, in the order of the files.
    pub walks: Vec<DiskSpdWalk>,
    /// How likely each file is, relative to the others; empty for one file.
    pub weights: Vec<u32>,
}

/// A walk over the region of one file. All places are from the region's first byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpdWalk {
    /// How the next place follows from the last.
    pub mode: DiskSpdMode,
    /// Alignment of random places, stride of sequences; at least 1.
    pub step: u64,
    /// Where a sequence begins.
    pub start: u64,
    /// Percent of writes.
    pub write_percent: u8,
    /// Where random places lie; empty: anywhere.
    pub ranges: Vec<DiskSpdRange>,
    /// Numbers that choosing the data of a write takes from the generator.
    pub draws_a_write: u32,
}

/// How the next place follows from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskSpdMode {
    /// A step further; at the end back to the start's remainder by the step.
    Sequential,
    /// A step further than any worker with the same number was last.
    Interlocked(u32),
    /// Each I/O in flight walks the sequence on its own.
    Parallel,
    /// To a random place in this percentage of cases, from 1 to 99, else a step further.
    Mixed(u8),
    /// To a random place.
    Random,
}

/// Part of the I/O for a part of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpdRange {
    /// Share of the I/O, relative to the sum of all shares; at least 1.
    pub io: u32,
    /// First byte.
    pub start: u64,
    /// Bytes; at least the step.
    pub length: u64,
}
