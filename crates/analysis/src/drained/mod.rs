//! The answer of `plimsoll burst`: the levels of a volume that is drained on purpose, what its bucket held, what
//! refills it, and whether usage or time ends the burst (method 8.1).
//!
//! Operations and bytes are distinguished by the blocks that spend them. All of it is arithmetic on the record: a
//! bucket loses what comes through beyond the rate that is left when it is empty, and a rest earns what the next
//! burst has beyond that rate.

pub(crate) mod claimed;
mod level;
mod outlook;
mod part;
mod stretch;

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{BurstOf, BurstRequest, Direction, Ending, Mix, Nanos, PolicyName};

use crate::estimate::Estimate;
use crate::figures::Figures;
pub use outlook::{AlikeEnd, ComingEnd, Outlook, Outlooks};
use part::{part, shared_unit};
use policy::{Bucket, Level, Limit, Limits, Resource};

/// Share within which a rate or a size is a policy's (method 6.1).
const FITS: f64 = 0.03;

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

/// Returns the answer that `run` gives to what was asked.
pub(crate) fn answer(run: &Run, _figures: &Figures, asked: &BurstRequest) -> BurstAnswer {
    let limits = run.policy.as_deref().and_then(|words| PolicyName::parse(words).ok());
    let limits = limits.and_then(|name| policy::evaluate_of_volume(&name).ok());
    drained(&run.steps, asked, limits.as_ref())
}

/// Evaluates the steps so far; `limits` are those of the named policy.
pub fn drained(steps: &[StepRecord], asked: &BurstRequest, limits: Option<&Limits>) -> BurstAnswer {
    let mut parts: Vec<BurstPart> = Vec::new();
    for (resource, block) in asked_for(asked) {
        let Some(mut part) = part(steps, (resource, block), asked.mix) else { continue };
        part.published = limits.and_then(|limits| published(limits, &part));
        part.settle_with_policy();
        if let (Some(operations), Resource::Bytes) = (parts.first(), resource) {
            part.shared_unit = shared_unit(operations, &part);
        }
        parts.push(part);
    }
    let cut = |step: &StepRecord| matches!(step.ending, Ending::Interrupted | Ending::Failed);
    BurstAnswer { parts, cut_short: steps.last().is_none_or(cut) }
}

/// Returns the resources that are drained, in order, with the bytes of the blocks that spend them.
pub fn asked_for(asked: &BurstRequest) -> Vec<(Resource, u64)> {
    let operations = (asked.of != BurstOf::Bytes).then_some((Resource::Iops, asked.small.0));
    let bytes = (asked.of != BurstOf::Operations).then_some((Resource::Bytes, asked.large.0));
    operations.into_iter().chain(bytes).collect()
}

/// Returns what `limits` say of the burst of this part; of several rules, the one with the lowest burst.
fn published(limits: &Limits, part: &BurstPart) -> Option<PublishedBurst> {
    let issued = |rule: &&Limit| {
        let ways = [Direction::Read, Direction::Write];
        ways.into_iter().any(|way| part.mix.issues(way) && rule.direction.covers(way))
    };
    let rules = limits.limits.iter().filter(|rule| rule.resource == part.resource && rule.burst.is_some());
    let bursting = rules.filter(issued).filter(|rule| rule.rate(Level::Burst) > rule.baseline);
    let rule = bursting.min_by(|a, b| a.rate(Level::Burst).total_cmp(&b.rate(Level::Burst)))?;
    let (size, lasts) = match rule.burst?.bucket {
        Bucket::Tokens { size, .. } => (Some(size), None),
        Bucket::Timed { lasts, .. } => (None, lasts.map(Nanos::as_secs_f64)),
        Bucket::UnlimitedPaid | Bucket::Unknown => (None, None),
    };
    let (burst, base) = (rule.rate(Level::Burst), rule.baseline);
    Some(PublishedBurst { policy: limits.policy.to_string(), burst, base, size, lasts_s: lasts })
}

impl BurstPart {
    /// Marks what was held as all that the bucket holds, if it is what a policy publishes.
    fn settle_with_policy(&mut self) {
        let size = self.published.as_ref().and_then(|published| published.size);
        if let (Some(held), Some(size)) = (&mut self.held, size)
            && (held.amount.value / size - 1.0).abs() <= FITS
        {
            held.full = Fullness::AsPublished;
        }
    }
}
