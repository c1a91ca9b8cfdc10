//! What limits each level of a check: one cause for operations and one for bytes in each direction, or what would show it.
//!
//! A cause is named by what was probed, never by the order in which causes are considered: without its probe a level
//! stays open.

mod bound;
mod bytes;
mod corner;
mod inside;
pub(crate) mod loads;
mod operations;
pub(crate) mod together;
mod unit;

use record::{LocalLimit, Run};
use serde::{Deserialize, Serialize};
use statistics::metered::Meter;
use workload::Direction;

use loads::{Load, Loads};

use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::finding::{Confidence, Evidence};
use crate::plateaus::base_latency_ns;
use crate::step_figures::Point;

/// Share within which two levels are one.
pub(crate) const SAME: f64 = 0.03;
/// Share of a step above which a worker's thread on its CPU was itself the limit (method 6.3).
const WORKER_BUSY: f64 = 0.9;

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
    /// No load told them apart.
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

/// One direction of a run.
pub(crate) struct Way<'r> {
    pub run: &'r Run,
    pub direction: Direction,
    pub loads: &'r Loads<'r>,
    /// Latency of one I/O at a time, nanoseconds.
    pub base_ns: Option<f64>,
    pub figures: &'r Figures,
    pub depths: &'r [Point],
    pub blocks: &'r [Point],
}

/// All that is known of what limits a run's levels.
pub(crate) struct Causes<'r> {
    pub figures: &'r Figures,
    pub loads: Loads<'r>,
    pub held: Vec<LimitedLevel>,
    pub charged: Vec<ChargeUnit>,
}

impl<'r> Causes<'r> {
    /// Determines the causes of a run's levels.
    pub fn of(run: &'r Run, figures: &'r Figures) -> Causes<'r> {
        let loads = Loads::of(run, figures);
        let (mut held, mut charged) = (Vec::new(), Vec::new());
        for direction in [Direction::Read, Direction::Write] {
            let way = Way {
                run,
                direction,
                loads: &loads,
                base_ns: base_latency_ns(&figures.latencies, &figures.depths, direction),
                figures,
                depths: &figures.depths,
                blocks: &figures.blocks,
            };
            let operations = operations::held(&way);
            let unit = operations.as_ref().and_then(|operations| unit::charged(&way, operations));
            let bytes = bytes::held(&way, operations.as_ref(), unit.as_ref());
            let of_way: Vec<&LimitedLevel> = operations.iter().chain(&bytes).collect();
            let unit = unit.filter(|unit| unit::stands(unit, &of_way));
            charged.extend(unit);
            held.extend(operations.into_iter().chain(bytes));
        }
        Causes { figures, loads, held, charged }
    }

    /// Returns what limits `counted` in `direction`.
    pub fn of_level(&self, direction: Direction, counted: LevelUnit) -> Option<&LimitedLevel> {
        self.held.iter().find(|held| held.direction == direction && held.counted == counted)
    }

    /// Returns the level of `counted` in `direction`, if a meter limits it.
    pub fn cap(&self, direction: Direction, counted: LevelUnit) -> Option<&LimitedLevel> {
        self.of_level(direction, counted).filter(|held| held.cause == Cause::Meter)
    }
}

/// Returns the counted parts of the steps of these loads.
pub(crate) fn evidence(loads: &[&Load<'_>]) -> Vec<Evidence> {
    loads.iter().map(|load| Evidence::of_step(load.step, "rate")).collect()
}
