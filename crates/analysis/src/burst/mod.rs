//! The answer of `plimsoll burst`: the levels of a volume that is drained on purpose, the content of its bucket, what
//! refills it, and whether usage or time ends the burst (method 8.1).
//!
//! Operations and bytes are distinguished by the blocks that spend them. All of it is arithmetic on the record: a
//! bucket loses what is served beyond the base, the rate that is left when it is empty, and a rest earns the excess of
//! the next burst over that rate.

pub(crate) mod answer;
pub(crate) mod claimed;
mod level;
mod outlook;
mod part;
mod stretch;

use record::{Run, StepRecord};
use workload::{BurstOf, BurstRequest, Direction, Ending, Nanos, PolicyName};

use crate::figures::Figures;
pub use answer::{
    Asking, BothWays, BucketContent, BurstAnswer, BurstBudget, BurstPart, Ends, Fullness, MeasuredDrain,
    PublishedBurst,
};
pub use outlook::{AlikeEnd, ComingEnd, Outlook, Outlooks};
use part::{part, shared_unit};
use policy::{Bucket, BurstLength, Level, Limit, Limits, Resource};

/// Share within which a rate or a size equals a policy's (method 6.1).
const FITS: f64 = 0.03;

/// Returns the answer of `run` to the request.
pub(crate) fn answer(run: &Run, _figures: &Figures, asked: &BurstRequest) -> BurstAnswer {
    let limits = run.policy.as_deref().and_then(|words| PolicyName::parse(words).ok());
    let limits = limits.and_then(|name| policy::evaluate_of_volume(&name).ok());
    burst_answer(&run.steps, asked, limits.as_ref())
}

/// Evaluates the steps so far; `limits` are those of the named policy.
pub fn burst_answer(steps: &[StepRecord], asked: &BurstRequest, limits: Option<&Limits>) -> BurstAnswer {
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
    let no_burst = limits.is_some_and(|limits| matches!(limits.longest_burst(), BurstLength::None));
    BurstAnswer { parts, cut_short: steps.last().is_none_or(cut), no_burst }
}

/// Returns the resources to drain, in order, with the bytes of the blocks that spend them.
pub fn asked_for(asked: &BurstRequest) -> Vec<(Resource, u64)> {
    let operations = (asked.of != BurstOf::Bytes).then_some((Resource::Iops, asked.small.0));
    let bytes = (asked.of != BurstOf::Operations).then_some((Resource::Bytes, asked.large.0));
    operations.into_iter().chain(bytes).collect()
}

/// Returns the figures of `limits` for the burst of this part; of several rules, the one with the lowest burst.
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
    /// Marks the content as the bucket's capacity if it equals the published one.
    fn settle_with_policy(&mut self) {
        let size = self.published.as_ref().and_then(|published| published.size);
        if let (Some(held), Some(size)) = (&mut self.held, size)
            && (held.amount.value / size - 1.0).abs() <= FITS
        {
            held.full = Fullness::AsPublished;
        }
    }
}
