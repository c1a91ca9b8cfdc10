//! The unit of a level, its cause, and the evidence that would show the cause.

use record::LocalLimit;
use serde::{Deserialize, Serialize};
use statistics::metered::Meter;
use workload::Direction;

use crate::estimate::Estimate;
use crate::finding::{Confidence, Evidence};

/// The unit of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelUnit {
    /// Operations per second.
    Operations,
    /// Bytes per second.
    Bytes,
}

/// How a meter charges an operation longer than its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Charge {
    /// In full for each unit begun.
    Ceil,
    /// By size. A cap on bytes with the same figure limits I/Os of one size alike.
    Proportional,
    /// Unknown: no load distinguished the two.
    Unknown,
}

/// Further measurements that would show the cause of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Tells {
    /// More, and calmer, seconds at the level: whether a meter pins it is not clear.
    MoreSeconds,
    /// Blocks below the smallest that was read or written.
    SmallerBlocks,
    /// Larger blocks.
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

/// The cause that limits a level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// A meter of the level's unit.
    Meter,
    /// Operations are charged in units of `unit` bytes, which limits the bytes too.
    Unit { unit: u64, charge: Charge },
    /// The other cap, on operations or on bytes, already binds for these blocks.
    Other,
    /// The device is busy: nothing pins its counts.
    Saturated,
    /// The depth: the rate still rose with it.
    Depth { depth: u32, latency_ns: f64 },
    /// plimsoll's own limit on bytes in flight: half of them gave `half` of the rate.
    InFlight { bytes: u64, half: f64 },
    /// plimsoll's own CPU.
    Cpu { step: String, share: f64 },
    /// A limit that this machine sets.
    Machine { limit: LocalLimit },
    /// The capacity of the kernel's queue for the device, in requests.
    Queue { device: String, requests: u32 },
    /// Unknown: no probe decided it.
    Open { tells: Vec<Tells> },
}

/// A level with its cause.
#[derive(Clone, Debug)]
pub(crate) struct LimitedLevel {
    pub direction: Direction,
    pub counted: LevelUnit,
    pub level: Estimate,
    /// Whether the level is only a lower bound.
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
