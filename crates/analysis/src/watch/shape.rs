//! The figures of a watch: the form from which text, tables, charts and JSON are made.

use record::{LocalLimit, PhaseKind};
use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use super::busiest::BusiestDevice;
use super::command::CommandTime;
use crate::device_place::Place;
use crate::estimate::Estimate;
use crate::verdict::{Answer, ClaimedFigure, Quantity};

/// Name of the single phase of a watch without phases.
pub const WHOLE: &str = "whole";

/// The figures of a watch. Rates are per second, latencies nanoseconds, sizes bytes, shares 0 to 1; `None`: not
/// recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchFigures {
    /// The device under plimsoll's own load, as the load addresses it; `None` without such a load.
    pub load_device: Option<Place>,
    /// Every device of the record in its order, with what was learned about it.
    pub devices: Vec<WatchedDevice>,
    /// One per phase in time order; a watch without phases is one phase without a kind.
    pub phases: Vec<PhaseFigures>,
    /// Load phases by rising share of the nominal rate, repeats taken together; empty if no load was scaled.
    pub series: Vec<SeriesRow>,
    /// The contract by load phase, claims in their order; empty without a contract.
    pub contract: Vec<ContractRow>,
    /// Smallest effects that would have been detected; `None` if no device was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<DetectionLimits>,
    /// How the watched command spent its time; `None` without a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandTime>,
    /// The busiest device; `None` with a command or a load, or if no busy time is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest: Option<BusiestDevice>,
}

/// Smallest effects that would have been detected on the device used the most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DetectionLimits {
    /// The device.
    pub device: Place,
    /// Seconds in which the device did I/O.
    pub used_s: f64,
    /// Seconds for which a cap must limit the rate to be detected.
    pub caps_s: f64,
    /// Share by which a rate must fall to be detected.
    pub falls: f64,
    /// Seconds for which the lower rate must last.
    pub falls_s: f64,
    /// Seconds for which the device must be slow for that to be detected.
    pub slow_s: f64,
    /// Seconds for which the device must do nothing, although it has work, for that to be detected.
    pub stalls_s: f64,
    /// plimsoll's load with the least share of its requested rate, if that share is well below all.
    pub lacked: Option<LoadShortfall>,
}

/// A load that got less than it asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadShortfall {
    /// Name of the phase.
    pub phase: String,
    /// Ratio of the rate it got to the rate it asked for.
    pub share: f64,
    /// Its queue depth, if that many I/Os were in flight all the time.
    #[serde(default)]
    pub depth: Option<u32>,
}

/// A device, with what was learned about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchedDevice {
    /// The device.
    pub place: Place,
    /// Latency when hardly anything waits, nanoseconds: 5th percentile of the mean latency by interval at a queue
    /// below 1.5 (method 12.1).
    pub base_latency_ns: Option<f64>,
    /// The highest rate at which the device was limited, operations per second.
    pub cap: Option<f64>,
    /// Whether the kernel keeps times for the device.
    pub timed: bool,
}

/// Figures of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseFigures {
    /// Name of the phase; `whole` if the watch had no phases.
    pub name: String,
    /// Kind of the phase; `None` if the watch had no phases.
    pub kind: Option<PhaseKind>,
    /// Start, on the run's clock.
    pub from: Nanos,
    /// End, on the run's clock.
    pub to: Nanos,
    /// Devices that existed, in the order of [`WatchFigures::devices`].
    pub devices: Vec<DeviceFigures>,
    /// plimsoll's own load; `None` without one.
    pub load: Option<LoadFigures>,
    /// Share of the CPUs' time in which they were busy.
    pub cpu_busy: Option<f64>,
    /// Share of the CPUs' time in which they were idle while a task waited for a disk.
    pub iowait: Option<f64>,
    /// Share of the CPUs' time that the hypervisor took.
    pub steal: Option<f64>,
    /// Share of the time in which at least one task waited for I/O.
    pub some_waiting: Option<f64>,
    /// Share of the time in which every task that was not idle waited for I/O.
    pub all_waiting: Option<f64>,
}

/// Figures of a device over a phase: totals over the intervals that lie inside it, by their overlap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceFigures {
    /// Kernel name.
    pub name: String,
    /// Seconds of the phase in which the device was sampled.
    pub seconds: f64,
    /// Reads.
    pub read: Flow,
    /// Writes.
    pub write: Flow,
    /// Flushes per second.
    pub flushes: Option<f64>,
    /// Mean time of a flush, nanoseconds.
    pub flush_ns: Option<f64>,
    /// Mean number of requests waiting or being served.
    pub queue: Option<f64>,
    /// Greatest mean queue of an interval.
    pub queue_max: Option<f64>,
    /// Share of the time in which at least one request was in flight; no evidence of a limit.
    pub busy: Option<f64>,
    /// Discards; `None` if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Flow>,
}

/// One direction of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Requests completed per second.
    pub ops: f64,
    /// Bytes per second.
    pub bytes: f64,
    /// Mean time of a request, queue and device together, nanoseconds; `None` without requests or without times.
    pub await_ns: Option<f64>,
    /// Mean bytes of a request; `None` without requests.
    pub size: Option<f64>,
}

/// Requested and achieved rates of plimsoll's own load, with its latencies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadFigures {
    /// Name of the step.
    pub step: String,
    /// The rates asked for, as a share of the nominal ones.
    pub scale: Option<f64>,
    /// Reads; `None` if the load has none.
    pub read: Option<LoadFlow>,
    /// Writes; `None` if the load has none.
    pub write: Option<LoadFlow>,
    /// Reads and writes together.
    pub all: LoadFlow,
    /// Mean number of the load's I/Os in flight: rate times latency.
    pub in_flight: f64,
}

/// One direction of plimsoll's own load, or both together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFlow {
    /// Rate asked for, I/Os per second; `None` in a closed loop.
    pub asked: Option<f64>,
    /// Rate achieved, I/Os per second.
    pub got: Option<Estimate>,
    /// Number of I/Os counted.
    pub ops: u64,
    /// Mean bytes of an I/O; `None` if none completed.
    pub size: Option<f64>,
    /// Latency from the time at which each I/O was due to its end: the wait of a user.
    pub due: Latency,
    /// Latency from the time at which each I/O was issued to its end: the time in the kernel and the volume.
    pub issued: Latency,
}

/// Latencies of many I/Os.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean, nanoseconds.
    pub mean_ns: Option<f64>,
    /// Percentiles (percent, nanoseconds) at 50, 90, 99, 99.9 as far as the count supports.
    pub percentiles: Vec<(f64, u64)>,
    /// Greatest, nanoseconds.
    pub max_ns: Option<u64>,
    /// The contract's bound, nanoseconds.
    pub bound_ns: Option<u64>,
    /// Share of I/Os at or below the bound; `None` without a bound.
    pub within: Option<f64>,
}

impl Latency {
    /// Returns the value at `percent`, if the count supports it.
    pub fn at(&self, percent: f64) -> Option<u64> {
        self.percentiles.iter().find(|row| (row.0 - percent).abs() < 1e-9).map(|row| row.1)
    }
}

/// One share of the nominal rate, all phases that asked for it taken together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// The share: 2.0 for 200 %.
    pub scale: f64,
    /// Names of the phases.
    pub phases: Vec<String>,
    /// plimsoll's own load over all these phases.
    pub load: LoadFigures,
    /// Mean queue of the load's device.
    pub queue: Option<f64>,
    /// Mean latency that the load's device shows, nanoseconds.
    pub await_ns: Option<f64>,
    /// Ratio of the I/Os in flight to those of the 100 % row; `None` without such a row.
    pub queue_growth: Option<f64>,
    /// Ratio of the mean latency (issued to done) to that of the 100 % row.
    pub latency_growth: Option<f64>,
}

/// One claim of the contract in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractRow {
    /// Name of the phase.
    pub phase: String,
    /// The figure that the claim bounds.
    pub quantity: Quantity,
    /// Direction; `None`: both together.
    pub direction: Option<Direction>,
    /// The claimed figure.
    pub claimed: ClaimedFigure,
    /// The rate that the load asked for, I/Os per second; `None` if not known.
    pub asked: Option<f64>,
    /// The measured figure, in the unit of `claimed.value`.
    pub measured: Option<Estimate>,
    /// Latencies (due to done) in that phase, because the contract seldom says which statistic it means.
    pub latency: Option<Latency>,
    /// The answer; [`Answer::Measured`] if the contract does not apply to the phase.
    pub answer: Answer,
    /// Why the answer is not simply met or missed.
    pub remark: Option<Remark>,
}

/// Why a row of a contract is not simply met or missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "remark", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Remark {
    /// The load asked for less than is claimed, so it cannot prove the claimed rate.
    AskedLess { asked: f64 },
    /// The load asked for more than is claimed: the contract says nothing about its latency.
    AskedMore { asked: f64 },
    /// The rate is paid for by credits: `baseline` per second of it lasts.
    OnCredits { baseline: f64 },
    /// While more than claimed was asked for, the rate ended below the claim.
    EndedBelow { asked: f64 },
    /// The claim holds for the mean, but not at the 99th percentile.
    MeanAlone { p99_ns: u64 },
    /// No load asked for that much: the highest rate seen is `most`.
    NotAsked { most: f64 },
    /// Only the mean is known for the device.
    NoPercentile,
    /// Too few I/Os, or too short a time.
    TooFew,
    /// plimsoll itself lacked CPU, or other programs used the device.
    Disturbed,
}

/// The source of the figure that a measured level equals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum LevelOrigin {
    /// A limit that this machine itself sets.
    Local(LocalLimit),
    /// A policy's figure, within 3 %.
    Policy {
        /// Id and parameters of the policy.
        policy: String,
        /// The policy's figure, per second.
        value: f64,
        /// Whether the policy was named for this volume; otherwise it is one of several that publish the figure.
        declared: bool,
    },
    /// A figure of at most two significant digits.
    Round {
        /// The figure, per second.
        value: f64,
    },
}

/// The level at which operations or bytes are limited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Reads per second; `None` if they are not limited.
    pub read: Option<Estimate>,
    /// Writes per second; `None` if they are not limited.
    pub write: Option<Estimate>,
    /// Reads and writes together.
    pub all: Estimate,
    /// Source of the figure that the level equals, if known.
    pub named: Option<LevelOrigin>,
}

/// Queue and latency of a device while something limits it, and otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// Mean queue.
    pub queue: f64,
    /// Mean latency, nanoseconds.
    pub latency_ns: f64,
    /// Queue at the nominal rate; `None` if no load ran at it.
    pub usual_queue: Option<f64>,
    /// Latency at the nominal rate, or of an I/O that need not wait, nanoseconds.
    pub usual_latency_ns: Option<f64>,
}
