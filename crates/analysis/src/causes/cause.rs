//! What a level counts, what limits it, and what would show that.

use record::LocalLimit;
use serde::{Deserialize, Serialize};
use statistics::metered::Meter;
use workload::Direction;

use crate::estimate::Estimate;
use crate::finding::{Confidence, Evidence};

/// What a level counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelUnit {
    /// Operations per second.
    Operations,
    /// Bytes per second.
    Bytes,
}

/// How a meter charges an operation that is longer than its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Charge {
    /// Each unit that is begun counts in full.
    Ceil,
    /// By its size. A cap on bytes with the same figure does the same to I/Os of one size.
    Proportional,
    /// No load distinguished them.
    Unknown,
}

/// What would show the cause of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Tells {
    /// More, and calmer, seconds at the level: it is not clear whether a meter pins it.
    MoreSeconds,
    /// Blocks below the smallest that was read or written.
    SmallerBlocks,
    /// Longer blocks.
    LargerBlocks,
    /// Half the bytes in flight at the largest block.
    HalfInFlight,
    /// Blocks of a unit plus 4 KiB, and of 1.25 units.
    AroundUnit {
        /// The unit in bytes.
        unit: u64,
    },
    /// Reads and writes of the same block size at once.
    Mix,
    /// Small sequential blocks, at a depth at which they are limited too.
    InOrder,
}

/// What limits a level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// A meter that counts what the level counts.
    Meter,
    /// Operations are charged in units of `unit` bytes, which limits the bytes too.
    Unit { unit: u64, charge: Charge },
    /// The other cap, on operations or on bytes, already binds here.
    Other,
    /// The device is busy: nothing pins its counts.
    Saturated,
    /// The depth: the rate still rose with it.
    Depth { depth: u32, latency_ns: f64 },
    /// The bytes in flight that plimsoll allows itself: half of them gave `half` of the rate.
    InFlight { bytes: u64, half: f64 },
    /// plimsoll's own CPU.
    Cpu { step: String, share: f64 },
    /// A limit that this machine sets.
    Machine { limit: LocalLimit },
    /// The number of requests that the kernel's queue of the device holds.
    Queue { device: String, requests: u32 },
    /// No probe decided it.
    Open { tells: Vec<Tells> },
}

/// A level with what limits it.
#[derive(Clone, Debug)]
pub(crate) struct LimitedLevel {
    pub direction: Direction,
    pub counted: LevelUnit,
    pub level: Estimate,
    /// The level is only a lower bound.
    pub at_least: bool,
    /// The smallest block at the level, bytes.
    pub from: u64,
    pub meter: Meter,
    pub cause: Cause,
    pub evidence: Vec<Evidence>,
    pub confidence: Confidence,
}

/// The unit in which operations are charged, if loads of several block sizes show it.
#[derive(Clone, Debug)]
pub(crate) struct ChargeUnit {
    pub direction: Direction,
    pub unit: u64,
    pub charge: Charge,
    pub operations: Estimate,
    pub evidence: Vec<Evidence>,
    pub confidence: Confidence,
}
