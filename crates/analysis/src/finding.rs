//! A finding is a value: what it means in numbers, what it rests on, and how sure it is. Text is made from it at the end.

use record::TargetDoubt;
use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::Estimate;
use crate::watch::{Level, Place, Waiting};

/// Something the record shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is, with its numbers.
    #[serde(flatten)]
    pub meaning: Meaning,
    /// The spans of the record that show it.
    pub evidence: Vec<Evidence>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// A span of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the step.
    pub step: String,
    /// The series that shows it: `rate`, `latency`, `diskstats vda`, `cpu`.
    pub series: String,
    /// From, on the run's clock.
    pub from: Nanos,
    /// To, on the run's clock.
    pub to: Nanos,
}

/// How sure a finding is (methodology: certain = a provider's counter says it, strong = policy match and flat, likely =
/// flat and round, possible = one symptom).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// One symptom.
    Possible,
    /// A flat and round figure.
    Likely,
    /// Flat, and the figure of a policy.
    Strong,
    /// Counted, not inferred.
    Certain,
}

/// What pins a plateau.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// Counts are far steadier than latencies allow of a busy device: something meters.
    Metered,
    /// Counts vary as those of a busy device do.
    Saturated,
    /// The record does not tell the two apart.
    Unclear,
}

/// Kinds of findings with their numbers. Rates are per second, latencies nanoseconds, sizes bytes, shares 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Meaning {
    /// More depth brings no more small I/Os: operations are capped at `cap`.
    IopsCap { direction: Direction, cap: Estimate, limiter: Limiter, at_least: bool },
    /// Larger blocks bring no more bytes: bandwidth is capped at `cap` bytes a second.
    BandwidthCap { direction: Direction, cap: Estimate, limiter: Limiter, at_least: bool },
    /// Below `bytes` the operations cap binds, above it the bandwidth cap.
    Crossover { direction: Direction, bytes: f64 },
    /// The depth that fills the cap: `star` = cap × base latency, `ninety` = least depth with 90 % of the cap.
    FillingDepth { direction: Direction, star: f64, ninety: f64, base_latency_ns: f64 },
    /// The rate did not settle within the step.
    Unsteady { step: String, half_width: f64 },
    /// Depth is not rate × latency: the generator, not the volume, was measured.
    LittleMismatch { step: String, depth: f64, product: f64 },
    /// The generator lacked CPU: its busiest worker ran `own_cpu_share` of the step, one was ready but not running for
    /// `waiting_share` of it, and the hypervisor took `steal_share` of the machine.
    GeneratorBound { step: String, own_cpu_share: f64, waiting_share: f64, steal_share: f64, late: u64 },
    /// Somebody else used the device meanwhile.
    ForeignLoad { device: String, ops_per_second: f64, bytes_per_second: f64, share: f64 },
    /// The target is not a volume, or something stands between.
    TargetDoubt { doubt: TargetDoubt },
    /// Reads were served by the page cache.
    CachedReads { share: f64 },
    /// Part of the region held no data before the layout; `laid_out` is what was written then.
    Unwritten { share: f64, laid_out: bool },
    /// Only reads were measured; a thin device may answer them from nothing.
    ReadsOnly { unwritten_share: Option<f64> },
    /// The whole run lies inside a burst that the policy knows.
    InsideBurst { policy: String, resource: String, burst_s: f64, loaded_s: f64 },
    /// The rate fell by a step during the run, from `before` to `after` a second.
    StepDown { step: String, at: Nanos, before: f64, after: f64 },
    /// Reads are much faster than the device below can count: a cache or unwritten blocks answer.
    TooFast { step: String, latency_ns: f64 },
    /// The run was stopped before its end.
    Interrupted { after_s: f64 },
    /// An I/O failed.
    Failed { step: String, errno: i32, count: u64 },
    /// Nothing waited for the storage: its busiest device had nothing in flight for `idle_share` of the time.
    StorageIdle {
        device: Place,
        idle_share: f64,
        ops_per_second: f64,
        queue: f64,
        waiting_share: Option<f64>,
        /// Loop and memory devices that were not watched although somebody waited for I/O.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unwatched: Vec<String>,
    },
    /// One I/O at a time: the rate is one over the latency; `cap` is what the device was seen or is said to do.
    SerialApplication { device: Place, ops_per_second: f64, latency_ns: f64, cap: Option<f64> },
    /// Operations are held at a level while requests wait; `depth_one` where even one I/O at a time is.
    HeldOperations { device: Place, level: Level, waiting: Waiting, depth_one: bool },
    /// Bytes are held at a level while requests of `size` bytes wait.
    HeldBytes { device: Place, level: Level, waiting: Waiting, size: f64 },
    /// From `scale` times the nominal rate on the rate stays at a level, and the wait moves into the queue.
    /// `bytes`: the level is one of bytes a second; `pulled`: this direction gets less only because it shares the queue.
    ThrottledAboveNominal {
        device: Place,
        scale: f64,
        level: Level,
        waiting: Waiting,
        claimed: Option<f64>,
        bytes: bool,
        pulled: Option<Direction>,
    },
    /// The application waits while the device is calm: something above it holds I/O back.
    ThrottledAboveDevice {
        device: Place,
        waited_ns: Option<f64>,
        waiting_share: Option<f64>,
        latency_ns: f64,
        queue: f64,
        limit: Option<record::LocalLimit>,
    },
    /// The same load is served worse than at other times of this record.
    BackendSlow { device: Place, waiting: Waiting, ops_per_second: f64 },
    /// Programs wait for flushes more than for their writes.
    FlushBound { device: Place, flushes_per_second: f64, flush_ns: f64, write_ns: Option<f64>, share: f64 },
    /// The hypervisor took CPU while latencies rose.
    CpuStarved { device: Place, steal_share: f64, waiting: Waiting },
    /// The guest's own queue is full: more waiting is not seen below it.
    QueueFull { device: Place, holds: u32, waiting: Waiting },
    /// The kernel keeps no times for a device that is used.
    Untimed { device: Place },
    /// A device's held rate fell by a step to another level: what a burst leaves when its credits are spent.
    HeldLevelFell { device: Place, at: Nanos, before: f64, after: f64, bytes: bool },
}

/// Of several layers of a stack that show the same, the one that it is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Where a policy counts: what the volume does.
    Lowest,
    /// Where an application stands: what it does.
    Highest,
}

impl Meaning {
    /// Order of weight: what voids the figures first, then what stops the volume, then what weakens a step.
    pub(crate) fn weight(&self) -> u8 {
        match self {
            Meaning::Failed { .. } | Meaning::Interrupted { .. } => 0,
            Meaning::TargetDoubt { .. } | Meaning::CachedReads { .. } | Meaning::Unwritten { .. } => 1,
            Meaning::ForeignLoad { .. } | Meaning::GeneratorBound { .. } => 2,
            Meaning::InsideBurst { .. } | Meaning::StepDown { .. } => 3,
            Meaning::IopsCap { .. } | Meaning::BandwidthCap { .. } => 4,
            Meaning::Crossover { .. } | Meaning::FillingDepth { .. } => 5,
            Meaning::ReadsOnly { .. } => 6,
            Meaning::TooFast { .. } | Meaning::LittleMismatch { .. } | Meaning::Unsteady { .. } => 7,
            Meaning::ThrottledAboveNominal { .. } | Meaning::ThrottledAboveDevice { .. } => 3,
            Meaning::HeldOperations { .. } | Meaning::HeldBytes { .. } | Meaning::BackendSlow { .. } => 4,
            Meaning::CpuStarved { .. } | Meaning::FlushBound { .. } | Meaning::HeldLevelFell { .. } => 5,
            Meaning::SerialApplication { .. } | Meaning::QueueFull { .. } => 6,
            Meaning::StorageIdle { .. } | Meaning::Untimed { .. } => 7,
        }
    }

    /// The watched device that it is about, and of which layer of its stack it is told.
    pub(crate) fn place(&self) -> Option<(&Place, Layer)> {
        match self {
            Meaning::HeldOperations { device, .. }
            | Meaning::HeldBytes { device, .. }
            | Meaning::HeldLevelFell { device, .. }
            | Meaning::BackendSlow { device, .. }
            | Meaning::CpuStarved { device, .. }
            | Meaning::QueueFull { device, .. } => Some((device, Layer::Lowest)),
            Meaning::StorageIdle { device, .. }
            | Meaning::SerialApplication { device, .. }
            | Meaning::ThrottledAboveNominal { device, .. }
            | Meaning::ThrottledAboveDevice { device, .. }
            | Meaning::FlushBound { device, .. }
            | Meaning::Untimed { device } => Some((device, Layer::Highest)),
            Meaning::IopsCap { .. }
            | Meaning::BandwidthCap { .. }
            | Meaning::Crossover { .. }
            | Meaning::FillingDepth { .. }
            | Meaning::Unsteady { .. }
            | Meaning::LittleMismatch { .. }
            | Meaning::GeneratorBound { .. }
            | Meaning::ForeignLoad { .. }
            | Meaning::TargetDoubt { .. }
            | Meaning::CachedReads { .. }
            | Meaning::Unwritten { .. }
            | Meaning::ReadsOnly { .. }
            | Meaning::InsideBurst { .. }
            | Meaning::StepDown { .. }
            | Meaning::TooFast { .. }
            | Meaning::Interrupted { .. }
            | Meaning::Failed { .. } => None,
        }
    }

    /// Whether it says what an application waits for.
    pub(crate) fn holds_back(&self) -> bool {
        !matches!(self, Meaning::Untimed { .. } | Meaning::ForeignLoad { .. })
    }

    /// How bad it is in its step, for the kinds that may be found in one step after the other.
    pub(crate) fn badness(&self) -> Option<f64> {
        match self {
            Meaning::Unsteady { half_width, .. } => Some(*half_width),
            Meaning::LittleMismatch { depth, product, .. } => Some((depth - product).abs() / depth),
            Meaning::GeneratorBound { waiting_share, own_cpu_share, .. } => {
                Some(waiting_share.max(*own_cpu_share))
            }
            _ => None,
        }
    }
}
