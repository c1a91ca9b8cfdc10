//! What a drain finds of a volume's bursts: their rates, what the bucket held, and what ends them.

use policy::Resource;
use serde::{Deserialize, Serialize};
use workload::Mix;

use crate::estimate::Estimate;

/// The answer of `plimsoll burst`: the levels of a volume that is drained on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstAnswer {
    /// What was found of operations, then of bytes, if they were asked for and looked at.
    pub parts: Vec<BurstPart>,
    /// Whether the run was stopped before it knew all that it would have.
    pub cut_short: bool,
}

/// What was found of the credits of operations, or of those of bytes. Rates are of this resource, per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstPart {
    /// What the credits count.
    pub resource: Resource,
    /// Bytes of the I/Os that spent them.
    pub block: u64,
    /// Reads and writes among those I/Os.
    #[serde(default = "reads")]
    pub mix: Mix,
    /// The highest level that was held for long enough.
    pub burst: Option<Estimate>,
    /// The rate that is left when the burst is over; `None` if no fall was seen.
    pub base: Option<Estimate>,
    /// What was there beyond the base when the first load began, or when one went on after a stop, if that is more.
    pub held: Option<BucketContent>,
    /// What a rest earns, per second.
    pub refill: Option<Estimate>,
    /// What ends the burst.
    pub ends: Ends,
    /// Seconds from the end of a burst that ends with time to the next: least and most.
    pub cool_off_s: Option<(f64, f64)>,
    /// Seconds that the first burst lasted.
    pub lasted_s: Option<f64>,
    /// Seconds of rest after which the bucket is as full as it was at first.
    pub full_after_s: Option<f64>,
    /// Seconds of rest that pay for a minute of burst.
    pub minute_after_s: Option<f64>,
    /// Seconds in which the load asked for all there was, before any fall: without a fall, the burst lasts at least
    /// this long.
    pub seen_s: f64,
    /// Bytes of the unit by which the operations' bucket charges these blocks, if that bucket limits them.
    pub shared_unit: Option<u64>,
    /// What reads and writes together reached when the bucket was empty, and so whether they share it.
    #[serde(default)]
    pub both_ways: Option<BothWays>,
    /// What the named policy says of the burst.
    pub published: Option<PublishedBurst>,
    /// Every drain, in the order of time.
    pub drains: Vec<MeasuredDrain>,
    /// Content of the bucket over time: seconds, and operations or bytes.
    #[serde(skip)]
    pub level: Vec<(f64, f64)>,
}

/// What reads and writes together reached when the bucket of one of them was empty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BothWays {
    /// Rate per second, half of it reads.
    pub together: Estimate,
    /// Whose the bucket is.
    pub budget: BurstBudget,
}

/// Which directions a bucket serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstBudget {
    /// Both: reads and writes together reach what one of them reaches alone.
    Shared,
    /// One: together they reach twice as much, because each has its own.
    Separate,
    /// Not known: they reach something else.
    Unknown,
}

/// What a bucket held beyond the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketContent {
    /// The amount, operations or bytes.
    pub amount: Estimate,
    /// Whether that is all that the bucket can hold.
    pub full: Fullness,
}

/// Whether a bucket was full when its first drain began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fullness {
    /// Full: it held what the named policy says it holds.
    AsPublished,
    /// Not known: the bucket holds at least that.
    Unknown,
}

/// What ends a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// Usage: at half the excess it lasts twice as long.
    Usage,
    /// Time: at half the excess it lasts as long, or it comes back under load.
    Time,
    /// The run does not show it.
    Unknown,
}

/// What a policy says of a burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedBurst {
    /// Name of the policy.
    pub policy: String,
    /// Rate per second while the burst lasts.
    pub burst: f64,
    /// Rate per second without the burst.
    pub base: f64,
    /// All that the bucket holds, if the burst is one of a bucket.
    pub size: Option<f64>,
    /// Seconds of the burst, if it ends with time.
    pub lasts_s: Option<f64>,
}

/// How much a drain asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    /// As much as there was.
    All,
    /// Half of what the burst has beyond the base.
    Half,
}

/// One drain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredDrain {
    /// Start, in seconds on the run's clock.
    pub from_s: f64,
    /// End, in seconds on the run's clock.
    pub to_s: f64,
    /// How much it asked for.
    pub asking: Asking,
    /// Seconds without load before it; `None` for the first.
    pub rested_s: Option<f64>,
    /// Seconds at the beginning of that rest in which load may have gone on unrecorded, because the run was killed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_s: f64,
    /// Whether the load before it had left nothing, so that the rest alone pays for it.
    pub began_empty: bool,
    /// Whether it ended on the burst, so that something was left.
    pub left_some: bool,
    /// Rate per second before the fall; without a fall, over the whole drain.
    pub before: f64,
    /// Rate per second after the fall.
    pub after: Option<f64>,
    /// Time of the fall, in seconds on the run's clock.
    pub fell_at_s: Option<f64>,
    /// Time at which it had risen to the rate before the fall, if it did not begin with it, in seconds on the run's clock.
    pub rose_at_s: Option<f64>,
    /// What came through beyond the base up to the fall.
    pub took: Option<Estimate>,
    /// Seconds of burst, resolved to a part of an interval.
    pub lasted_s: Option<f64>,
}

impl BurstAnswer {
    /// Returns the part of `resource`, if it was looked at.
    pub fn of(&self, resource: Resource) -> Option<&BurstPart> {
        self.parts.iter().find(|part| part.resource == resource)
    }
}

impl BurstPart {
    /// Whether a burst was seen to end.
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
