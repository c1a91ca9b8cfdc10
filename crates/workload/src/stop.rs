//! When a step ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// Rule by which a step ends; of several rules, the first that is met.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// After this much time past the ramp.
    Time(Nanos),
    /// Each worker after this many bytes past the ramp.
    BytesEach(Bytes),
    /// Each worker after this many bytes since its start, ramp included. If they are done before the ramp is over, all
    /// of them count after all.
    BytesInAll(Bytes),
    /// Each worker after this many I/Os.
    OpsEach(u64),
    /// Each worker before it has written more than this since its start. Writes in a ramp and those in flight at the
    /// end are included, so that the rule bounds the bytes that reach the target.
    WrittenEach(Bytes),
    /// When more than `ios` I/Os past the ramp, over all workers, took longer than `than`: an open load that has fallen
    /// so far behind need not go on.
    Late {
        /// Latency from due to completed.
        than: Nanos,
        /// Number of I/Os that may take longer.
        ios: u64,
    },
    /// When the rate is known precisely enough and is steady, but not before `least` and not after `most`.
    Certain {
        /// Required half-width of the rate's 95 % interval, as a share of the rate.
        half_width: f64,
        /// Shortest time past the ramp.
        least: Nanos,
        /// Longest time past the ramp, after which the step ends uncertain.
        most: Nanos,
    },
    /// When the rate has certainly fallen from a level that it had kept, and the remaining rate is known; the step then
    /// ends as [`Ending::Certain`].
    Fallen {
        /// Least fall, as a share of the level.
        share: f64,
        /// Required half-width of the remaining rate's 95 % interval, as a share of the fall.
        half_width: f64,
        /// Shortest time for which the remaining rate is observed.
        settled: Nanos,
        /// Longest time past the ramp, after which the step ends uncertain.
        most: Nanos,
    },
}

/// Why a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The requested time is over.
    Time,
    /// The requested bytes or I/Os are done, or more I/Os were late than allowed.
    Amount,
    /// The rate is known precisely enough.
    Certain,
    /// The time limit was reached before the rate was certain.
    Uncertain,
    /// The user asked to stop (Ctrl-C).
    Interrupted,
    /// An I/O failed.
    Failed,
}
