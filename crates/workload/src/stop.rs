//! Until: when a step ends.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// When a step ends; of several rules the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// After this much time past the ramp.
    Time(Nanos),
    /// Each worker after this many bytes.
    BytesEach(Bytes),
    /// Each worker after this many bytes since its start: those of a ramp are in it. Where they are done before the ramp is
    /// over, all of it counts after all.
    BytesInAll(Bytes),
    /// Each worker after this many I/Os.
    OpsEach(u64),
    /// Each worker before it has written more than this since its start: what is written in a ramp and what is in flight at
    /// the end are in it, so that it bounds what reaches the target.
    WrittenEach(Bytes),
    /// When more than `ios` I/Os past the ramp, of all workers together, took longer than `than`: an open load that has fallen so
    /// far behind need not go on.
    Late {
        /// The latency, due to done.
        than: Nanos,
        /// How many may take longer.
        ios: u64,
    },
    /// When the rate is known well enough and is steady, but not before `least` and not after `most`.
    Certain {
        /// Half-width of the 95 % interval of the rate, as a share of it, that is narrow enough.
        half_width: f64,
        /// The least time past the ramp.
        least: Nanos,
        /// The most time past the ramp; then the step ends uncertain.
        most: Nanos,
    },
    /// When the rate has surely fallen from a level that it held, and what is left of it is known; then the step ends
    /// [`Ending::Certain`].
    Fallen {
        /// The least share of the level by which it falls.
        share: f64,
        /// Half-width of the 95 % interval of what is left, as a share of the fall, that is narrow enough.
        half_width: f64,
        /// The least time that is seen of what is left.
        settled: Nanos,
        /// The most time past the ramp; then the step ends uncertain.
        most: Nanos,
    },
}

/// Why a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The time that was asked for is over.
    Time,
    /// The bytes or I/Os that were asked for are done, or as many were late as may be.
    Amount,
    /// The rate is known well enough.
    Certain,
    /// The limit came before certainty did.
    Uncertain,
    /// Somebody asked to stop (Ctrl-C).
    Interrupted,
    /// An I/O failed.
    Failed,
}
