//! The findings of a drain about a volume's bursts: their rates, the content of the bucket, and what ends them.

use policy::Resource;
use serde::{Deserialize, Serialize};
use workload::Mix;

use crate::estimate::Estimate;

/// The answer of `plimsoll burst`: the levels of a volume that is drained on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstAnswer {
    /// The part for operations, then the one for bytes, each if requested and measured.
    pub parts: Vec<BurstPart>,
    /// Whether the run was stopped before the procedure was complete.
    pub cut_short: bool,
    /// Whether the policy that it is compared with has no burst.
    #[serde(default)]
    pub no_burst: bool,
}

impl BurstAnswer {
    /// Whether it is known what the burst is: it was seen to end, or there is none by the policy, and none was seen.
    pub fn is_known(&self) -> bool {
        let whole = !self.parts.is_empty() && !self.cut_short;
        self.parts.iter().any(BurstPart::fell) || self.no_burst && whole
    }

    /// Whether operations and bytes spend one bucket of bytes: both have the same bytes a second while a burst lasts and when it is
    /// over, or the bytes had what the operations left.
    pub fn is_one_of_bytes(&self) -> bool {
        let [operations, bytes] = self.parts.as_slice() else { return false };
        let each = operations.block as f64;
        let same = |of: fn(&BurstPart) -> Option<Estimate>| {
            let (Some(small), Some(large)) = (of(operations).map(|rate| rate.times(each)), of(bytes)) else {
                return false;
            };
            small.low <= large.high && large.low <= small.high
        };
        bytes.shared_unit == Some(operations.block) || same(|part| part.burst) && same(|part| part.base)
    }
}

/// The burst on credits of operations, or of bytes. Rates are of this resource, per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstPart {
    /// Resource that the credits count.
    pub resource: Resource,
    /// Bytes of the I/Os that spent them.
    pub block: u64,
    /// Reads and writes among those I/Os.
    #[serde(default = "reads")]
    pub mix: Mix,
    /// The highest rate that lasted for long enough.
    pub burst: Option<Estimate>,
    /// The rate that is left after the burst; `None` if no fall was recorded.
    pub base: Option<Estimate>,
    /// Content beyond the base when the first load began, or when a load resumed after a stop, if that is more.
    pub held: Option<BucketContent>,
    /// Credits earned by a rest, per second.
    pub refill: Option<Estimate>,
    /// Whether usage or time ends the burst.
    pub ends: Ends,
    /// Seconds from the end of a burst that ends with time to the next: least and most.
    pub cool_off_s: Option<(f64, f64)>,
    /// Seconds that the first burst lasted.
    pub lasted_s: Option<f64>,
    /// Seconds of rest after which the bucket is as full as at first.
    pub full_after_s: Option<f64>,
    /// Seconds of rest that pay for a minute of burst.
    pub minute_after_s: Option<f64>,
    /// Seconds for which the load asked for all it could get before any fall: without a fall, the least length of the
    /// burst.
    pub seen_s: f64,
    /// Bytes of the unit by which the operations' bucket charges these blocks, if that bucket limits them.
    pub shared_unit: Option<u64>,
    /// Rate of reads and writes together with an empty bucket, and so whether they share the bucket.
    #[serde(default)]
    pub both_ways: Option<BothWays>,
    /// The named policy's figures for the burst.
    pub published: Option<PublishedBurst>,
    /// Every drain, in the order of time.
    pub drains: Vec<MeasuredDrain>,
    /// Content of the bucket over time: seconds, and operations or bytes.
    #[serde(skip)]
    pub level: Vec<(f64, f64)>,
}

/// Rate of reads and writes together when the bucket of one of them was empty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BothWays {
    /// Rate per second, half of it reads.
    pub together: Estimate,
    /// Which directions the bucket serves.
    pub budget: BurstBudget,
}

/// Which directions a bucket serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstBudget {
    /// Both: reads and writes together reach the rate that one of them reaches alone.
    Shared,
    /// One: reads and writes together reach twice that rate, because each has its own bucket.
    Separate,
    /// Unknown: reads and writes together reach another rate.
    Unknown,
}

/// Content of a bucket beyond the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketContent {
    /// The amount, operations or bytes.
    pub amount: Estimate,
    /// Whether the bucket was full.
    pub full: Fullness,
}

/// Whether a bucket was full when its first drain began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fullness {
    /// Full: the content equals the size that the named policy publishes.
    AsPublished,
    /// Unknown: the bucket's capacity is at least the content.
    Unknown,
}

/// Whether usage or time ends a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// Usage: at half the excess, the burst lasts twice as long.
    Usage,
    /// Time: at half the excess, the burst lasts as long, or it returns under load.
    Time,
    /// Unknown from this run.
    Unknown,
}

/// A policy's figures for a burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedBurst {
    /// Name of the policy.
    pub policy: String,
    /// Rate per second while the burst lasts.
    pub burst: f64,
    /// Rate per second without the burst.
    pub base: f64,
    /// Capacity of the bucket, if the burst has one.
    pub size: Option<f64>,
    /// Seconds of the burst, if time ends it.
    pub lasts_s: Option<f64>,
}

/// The rate that a drain asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    /// All that it could get.
    All,
    /// The base and half of the burst's excess over it.
    Half,
}

/// One drain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredDrain {
    /// Start, in seconds on the run's clock.
    pub from_s: f64,
    /// End, in seconds on the run's clock.
    pub to_s: f64,
    /// The rate that the drain asked for.
    pub asking: Asking,
    /// Seconds without load before the drain; `None` for the first.
    pub rested_s: Option<f64>,
    /// Seconds at the beginning of that rest in which load may have gone on unrecorded, because the run was killed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_s: f64,
    /// Whether the load before had emptied the bucket, so that the rest alone pays for this drain.
    pub began_empty: bool,
    /// Whether the drain ended at the burst rate, so that credits were left.
    pub left_some: bool,
    /// Rate per second before the fall; without a fall, over the whole drain.
    pub before: f64,
    /// Rate per second after the fall.
    pub after: Option<f64>,
    /// Time of the fall, in seconds on the run's clock.
    pub fell_at_s: Option<f64>,
    /// Time at which the rate rose to that before the fall, if it began lower, in seconds on the run's clock.
    pub rose_at_s: Option<f64>,
    /// Amount served beyond the base up to the fall.
    pub took: Option<Estimate>,
    /// Seconds of burst, resolved to a fraction of an interval.
    pub lasted_s: Option<f64>,
}

impl BurstAnswer {
    /// Returns the part of `resource`, if it was measured.
    pub fn of(&self, resource: Resource) -> Option<&BurstPart> {
        self.parts.iter().find(|part| part.resource == resource)
    }
}

impl BurstPart {
    /// Whether the end of a burst was recorded.
    pub fn fell(&self) -> bool {
        self.base.is_some()
    }
}

fn reads() -> Mix {
    Mix::READ
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}
