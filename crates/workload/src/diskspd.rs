//! Places and directions by the rules of DiskSpd 2.2, so that a seed gives the same stream of offsets as in DiskSpd.

use serde::{Deserialize, Serialize};

/// Source of one worker's I/O: one generator, and a walk for each of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpdOrder {
    /// Seed of the worker's generator.
    pub seed: u64,
    /// One walk per file, in the order of the files.
    pub walks: Vec<DiskSpdWalk>,
    /// Relative probability of each file; empty for one file.
    pub weights: Vec<u32>,
}

/// A walk over the region of one file. All places count from the region's first byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpdWalk {
    /// How the next place follows from the last.
    pub mode: DiskSpdMode,
    /// Alignment of random places and stride of sequences; at least 1.
    pub step: u64,
    /// Place at which a sequence begins.
    pub start: u64,
    /// Percent of I/Os that are writes.
    pub write_percent: u8,
    /// Parts of the region in which random places lie; empty: anywhere in the region.
    pub ranges: Vec<DiskSpdRange>,
    /// Number of random numbers that DiskSpd draws to choose the data of one write.
    pub draws_a_write: u32,
}

/// How the next place follows from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskSpdMode {
    /// One step further; past the region's end, back to `start % step`.
    Sequential,
    /// One step further than the last place of any worker with the same number.
    Interlocked(u32),
    /// A separate sequence for each I/O in flight.
    Parallel,
    /// A random place in this percentage of cases, from 1 to 99, otherwise one step further.
    Mixed(u8),
    /// A random place.
    Random,
}

/// A share of the I/O that goes to a part of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpdRange {
    /// Share of the I/O, relative to the sum of all shares; at least 1.
    pub io: u32,
    /// First byte of the part.
    pub start: u64,
    /// Length of the part in bytes; at least the step.
    pub length: u64,
}
