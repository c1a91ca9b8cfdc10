//! The answer of `plimsoll burst`: the levels of a volume that is drained on purpose, what its bucket held, what fills it again,
//! and whether usage or time ends the burst (method 8.1).
//!
//! Operations and bytes are told apart by the blocks that spend them. All of it is arithmetic on the record: a bucket loses what
//! came through beyond what is left when it is empty, and earns in a rest what the next burst has beyond it.

mod claimed;
mod level;
mod outlook;
mod part;
mod stretch;

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{BurstAsked, BurstOf, Direction, Ending, Mix, Nanos, PolicyName};

use crate::Estimate;
use crate::figures::Figures;
pub(crate) use claimed::left_after;
pub use outlook::{AlikeEnd, ComingEnd, Outlook, Outlooks};
use part::{part, shared_unit};
use policy::{Bucket, Level, Limit, Limits, Resource};

/// A rate or a size is a policy's within this share (method 6.1).
const FITS: f64 = 0.03;

/// The answer of `plimsoll burst`: the levels of a volume that is drained on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstAnswer {
    /// What was found of operations, then of bytes, as far as it was asked for and looked at.
    pub parts: Vec<BurstPart>,
    /// The run was stopped before it knew all that it would have.
    pub cut_short: bool,
}

/// What was found of the credits of operations, or of those of bytes. Rates are of this resource, a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstPart {
    /// What is counted.
    pub resource: Resource,
    /// Bytes of the I/Os that spent it.
    pub block: u64,
    /// Reads and writes among them.
    #[serde(default = "reads")]
    pub mix: Mix,
    /// The highest level that was held for long enough.
    pub burst: Option<Estimate>,
    /// What is left when the burst is over; `None` where no fall was seen.
    pub base: Option<Estimate>,
    /// What was there beyond the base when the first load began, or when one went on after a stop, where that is more.
    pub held: Option<BucketContent>,
    /// What a rest earns, a second.
    pub refill: Option<Estimate>,
    /// What ends the burst.
    pub ends: Ends,
    /// Seconds from the end of a burst that ends with time to the next: least and most.
    pub cool_off_s: Option<(f64, f64)>,
    /// Seconds that the first burst was seen.
    pub lasted_s: Option<f64>,
    /// Seconds of rest after which the bucket is as full as it was at first.
    pub full_after_s: Option<f64>,
    /// Seconds of rest that pay for a minute of burst.
    pub minute_after_s: Option<f64>,
    /// Seconds in which the load asked for all there was, without a fall: where there is none, the burst lasts at least so long.
    pub seen_s: f64,
    /// The bytes by which the operations' bucket charges these blocks, where it is that bucket which holds them.
    pub shared_unit: Option<u64>,
    /// What reads and writes together had when it was empty, and so whether they share it.
    #[serde(default)]
    pub both_ways: Option<BothWays>,
    /// What the policy that was named says of it.
    pub published: Option<PublishedBurst>,
    /// Every drain, in the order of time.
    pub drains: Vec<Drained>,
    /// What the bucket held against time: seconds, operations or bytes.
    #[serde(skip)]
    pub level: Vec<(f64, f64)>,
}

/// What reads and writes together had when the bucket of one of them was empty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BothWays {
    /// A second, half of it reads.
    pub together: Estimate,
    /// Whose the bucket is.
    pub budget: BurstBudget,
}

/// Whose a bucket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstBudget {
    /// Reads and writes together have what one of them has alone.
    Shared,
    /// They have twice as much: each has its own.
    Separate,
    /// They have something else.
    Unknown,
}

/// What was there beyond the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketContent {
    /// How much.
    pub amount: Estimate,
    /// Whether that is all that the bucket holds.
    pub full: Fullness,
}

/// Whether a bucket was full when its first drain began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fullness {
    /// As much as the policy that was named says it holds.
    AsPublished,
    /// Nobody knows: it holds at least that.
    Unknown,
}

/// What ends a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// Usage: at half the excess it lasts twice as long.
    Usage,
    /// Time: it lasts as long at half the excess, or comes back under load.
    Time,
    /// The run does not tell.
    Unknown,
}

/// What a policy says of a burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedBurst {
    /// The policy.
    pub policy: String,
    /// A second while the burst lasts.
    pub burst: f64,
    /// A second without.
    pub base: f64,
    /// Of a bucket: all that it holds.
    pub size: Option<f64>,
    /// Of a burst that ends with time: seconds.
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
pub struct Drained {
    /// Seconds on the run's clock.
    pub from_s: f64,
    /// Seconds on the run's clock.
    pub to_s: f64,
    /// How much it asked for.
    pub asking: Asking,
    /// Seconds without load before it; `None` of the first.
    pub rested_s: Option<f64>,
    /// Seconds at the beginning of that rest in which load may have gone on, unrecorded: the run was killed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_s: f64,
    /// The load before it had left nothing, so that the rest alone pays for it.
    pub began_empty: bool,
    /// It ended on the burst, so that something was left.
    pub left_some: bool,
    /// A second before the fall; without a fall, all the time.
    pub before: f64,
    /// A second after it.
    pub after: Option<f64>,
    /// When it fell, seconds on the run's clock.
    pub fell_at_s: Option<f64>,
    /// When it had risen to that before, where it did not begin with it.
    pub rose_at_s: Option<f64>,
    /// What came through beyond the base up to the fall.
    pub took: Option<Estimate>,
    /// Seconds of burst, to a part of an interval.
    pub lasted_s: Option<f64>,
}

impl BurstAnswer {
    /// The part of `resource`, where it was looked at.
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

/// The answer that `run` gives to what was asked.
pub(crate) fn answer(run: &Run, _figures: &Figures, asked: &BurstAsked) -> BurstAnswer {
    let limits = run.policy.as_deref().and_then(|words| PolicyName::parse(words).ok());
    let limits = limits.and_then(|name| policy::evaluate_of_volume(&name).ok());
    drained(&run.steps, asked, limits.as_ref())
}

/// What the steps so far say; `limits` are those of the policy that was named.
pub fn drained(steps: &[StepRecord], asked: &BurstAsked, limits: Option<&Limits>) -> BurstAnswer {
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

/// The resources that are drained with the blocks that spend them, in order.
pub fn asked_for(asked: &BurstAsked) -> Vec<(Resource, u64)> {
    let operations = (asked.of != BurstOf::Bytes).then_some((Resource::Iops, asked.small.0));
    let bytes = (asked.of != BurstOf::Operations).then_some((Resource::Bytes, asked.large.0));
    operations.into_iter().chain(bytes).collect()
}

/// What `limits` say of the burst of this part; of several rules the one whose burst is the least.
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
    /// Says of what was held whether it is all, where a policy says how much that is.
    fn settle_with_policy(&mut self) {
        let size = self.published.as_ref().and_then(|published| published.size);
        if let (Some(held), Some(size)) = (&mut self.held, size)
            && (held.amount.value / size - 1.0).abs() <= FITS
        {
            held.full = Fullness::AsPublished;
        }
    }
}
