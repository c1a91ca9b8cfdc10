//! A bucket that emptied during the run: what it counts, the rates before and after, and its content.
//!
//! The only assumption is that a bucket's content falls by what is charged and rises at the rate that is left. Each way
//! to charge (operations, operations by a unit, bytes) is tried in turn: under a wrong one the volume gave more after
//! the change than it had earned since, or loads of different block size were not limited to one rate.

use policy::{Accounting, ExcessDemand, IoGroup, Limits, Locality, Order, Resource, Rounding};
use serde::{Deserialize, Serialize};
use statistics::interval::{block_length, overlapping_batch_means};
use workload::{Bytes, Nanos};

use crate::estimate::Estimate;
use crate::spent::DatedEntry;

/// Share within which two rates are the same (method 6.1).
const SAME: f64 = 0.03;
/// Least ratio of the burst's rate to the base; the smallest in a published table is 1.17 (method 6.1).
const ABOVE: f64 = 1.08;
/// Fewest intervals from which a level is taken.
const LEVEL_LEAST: usize = 5;
/// Least seconds of burst for its rate; in a shorter time, the meter's advance still shows.
const BURST_S: f64 = 3.0;
/// Advance that a meter allows, and error at an interval's edges, in seconds of the rate.
const EDGE_S: f64 = 0.05;
/// How much later than detected the change may have been. Summing up to then costs nothing: the rate is already the
/// base.
const LATER: Nanos = Nanos::from_secs(1);
/// Least and greatest share of the earnings since the first drain that a second one uses if they pay for it.
const EARNED: (f64, f64) = (0.8, 1.2);
/// Units by which providers and hypervisors charge, or may charge (method 5.2).
const UNITS: [Bytes; 5] = [Bytes::kib(16), Bytes::kib(32), Bytes::kib(64), Bytes::kib(256), Bytes::MIB];

/// The resource that a bucket counts, with its levels and content counted so.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketAccount {
    /// Operations or bytes.
    pub resource: Resource,
    /// Bytes per charged operation, if longer I/Os count as several.
    pub unit: Option<u64>,
    /// Highest rate before the change, per second; too low if the load asked for less.
    pub burst: f64,
    /// Rate after the change, per second.
    pub base: Estimate,
    /// Content of the bucket: its capacity if it was full, otherwise a lower bound of that.
    pub held: Estimate,
}

/// How a bucket is refilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refill {
    /// At the base rate: a second burst used what had been earned since the first.
    Earned,
    /// Unknown, for lack of a second burst: a burst limited in time looks the same.
    Unknown,
}

/// A bucket that emptied; of several accounts, the run does not show which applies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EmptiedBucket {
    pub accounts: Vec<BucketAccount>,
    pub refill: Refill,
}

/// How I/Os are charged.
#[derive(Clone, Copy)]
struct Charge {
    resource: Resource,
    accounting: Option<Accounting>,
}

/// One interval under one account.
#[derive(Clone, Copy)]
struct Moment {
    from: Nanos,
    seconds: f64,
    charged: f64,
    asked: ExcessDemand,
    block: Bytes,
}

impl Charge {
    /// Returns every way to charge, the simplest of each resource first, then those of the named policy.
    fn all(limits: Option<&Limits>) -> Vec<Charge> {
        let by = |resource, accounting| Charge { resource, accounting };
        let unit = |unit| Accounting { unit, rounding: Rounding::Ceil, merge_sequential: false };
        let declared = limits.into_iter().flat_map(|limits| &limits.limits);
        let mut all = vec![by(Resource::Iops, None), by(Resource::Bytes, None)];
        all.extend(UNITS.map(|bytes| by(Resource::Iops, Some(unit(bytes)))));
        all.extend(declared.map(|rule| by(rule.resource, rule.accounting)));
        all
    }

    fn of(&self, moved: &IoGroup) -> f64 {
        let locality = if moved.order == Order::Sequential { Locality::Sequential } else { Locality::Random };
        let units = self.accounting.map(|accounting| accounting.units(moved.block, locality));
        let worth = match (self.resource, self.accounting) {
            (Resource::Bytes, Some(accounting)) => accounting.unit.0 as f64,
            _ => 1.0,
        };
        let plain = if self.resource == Resource::Bytes { moved.block.0 as f64 } else { 1.0 };
        moved.ops * units.map_or(plain, |units| units * worth)
    }

    fn moments(&self, dated: &[DatedEntry]) -> Vec<Moment> {
        let moment = |dated: &DatedEntry| Moment {
            from: dated.from,
            seconds: dated.entry.length.as_secs_f64(),
            charged: dated.entry.moved.iter().map(|moved| self.of(moved)).sum(),
            asked: dated.entry.asked,
            block: dated.entry.moved.iter().map(|moved| moved.block).max().unwrap_or_default(),
        };
        dated.iter().map(moment).filter(|moment| moment.seconds > 0.0).collect()
    }
}

impl Moment {
    fn to(&self) -> Nanos {
        self.from + Nanos::from_secs_f64(self.seconds)
    }

    fn rate(&self) -> f64 {
        self.charged / self.seconds
    }

    fn held(&self) -> bool {
        self.asked == ExcessDemand::More
    }
}

/// Returns the bucket that emptied between the two times of `at`; `None` if no account explains the change, because it
/// was no bucket or too little was recorded.
pub(crate) fn emptied(
    dated: &[DatedEntry],
    at: (Nanos, Nanos),
    limits: Option<&Limits>,
) -> Option<EmptiedBucket> {
    let looks = Charge::all(limits).into_iter().filter_map(|charge| Look::at(dated, at, charge));
    let looks: Vec<Look> = looks.filter(|look| look.refill.is_some()).collect();
    let mut accounts = Vec::new();
    let mut refill = None;
    for resource in [Resource::Iops, Resource::Bytes] {
        let of = looks.iter().filter(|look| look.account.resource == resource);
        // `max_by_key` returns the last of the best: reversed, the simplest account wins, which comes first.
        let best = of.rev().max_by_key(|look| look.blocks);
        accounts.extend(best.map(|look| look.account));
        refill = refill.or(best.and_then(|look| look.refill));
    }
    Some(EmptiedBucket {
        refill: refill.filter(|_| accounts.len() == 1).unwrap_or(Refill::Unknown),
        accounts,
    })
    .filter(|emptied| !emptied.accounts.is_empty())
}

/// The run under one account.
struct Look {
    account: BucketAccount,
    /// Number of block sizes limited at one of the two rates: the more, the better the account explains the run.
    blocks: usize,
    /// `None` if more was served after the change than had been earned.
    refill: Option<Refill>,
}

impl Look {
    fn at(dated: &[DatedEntry], (before, after): (Nanos, Nanos), charge: Charge) -> Option<Look> {
        let moments = charge.moments(dated);
        let runs = runs(&moments);
        let behind = |run: &&[Moment]| -> Vec<f64> {
            run.iter().filter(|moment| moment.from >= after).map(Moment::rate).collect()
        };
        let left = runs.iter().map(behind).find(|rates| rates.len() >= LEVEL_LEAST)?;
        let base = level(&left)?;
        let ahead = |run: &&[Moment]| {
            let whole: Vec<&Moment> = run.iter().filter(|moment| moment.to() <= before).collect();
            let seconds: f64 = whole.iter().map(|moment| moment.seconds).sum();
            let charged: f64 = whole.iter().map(|moment| moment.charged).sum();
            (seconds >= BURST_S).then(|| charged / seconds)
        };
        let burst = runs.iter().filter_map(ahead).fold(0.0, f64::max);
        if burst < ABOVE * base.value {
            return None;
        }
        let blocks = blocks_at(&runs, (before, after), [base.value, burst]);
        let held = held(&moments, after + LATER, &base, burst)?;
        let unit = charge.accounting.map(|accounting| accounting.unit.0);
        let account = BucketAccount { resource: charge.resource, unit, burst, base, held };
        let width = after.since(before).as_secs_f64();
        let behind: Vec<Moment> = moments.iter().filter(|moment| moment.from >= after).copied().collect();
        Some(Look { account, blocks, refill: refill(&behind, &account, width) })
    }
}

/// Returns the runs of moments with a single block size and more I/O requested than completed.
fn runs(moments: &[Moment]) -> Vec<&[Moment]> {
    let alike = |a: &Moment, b: &Moment| a.held() && b.held() && a.block == b.block && a.to() == b.from;
    moments.chunk_by(alike).filter(|run| run.first().is_some_and(Moment::held)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the level of rates with its interval, which allows for correlation of neighbours.
fn level(rates: &[f64]) -> Option<Estimate> {
    let value = mean(rates.iter().copied()).filter(|_| rates.len() >= LEVEL_LEAST)?;
    let found = overlapping_batch_means(rates, block_length(rates, 1), 0.95)?;
    let half = found.half_width.max(EDGE_S / rates.len() as f64 * value);
    (value > 0.0).then_some(Estimate::around(value, half))
}

/// Counts the block sizes that were limited to the burst before the change, and those limited to the base after it.
fn blocks_at(runs: &[&[Moment]], (before, after): (Nanos, Nanos), rates: [f64; 2]) -> usize {
    let near = |run: &[Moment], of: &dyn Fn(&Moment) -> bool, rate: f64| {
        mean(run.iter().filter(|moment| of(moment)).map(Moment::rate))
            .is_some_and(|level| (level / rate - 1.0).abs() <= SAME)
    };
    let count = |of: &dyn Fn(&Moment) -> bool, rate: f64| {
        let mut blocks: Vec<Bytes> = runs
            .iter()
            .filter(|run| near(run, of, rate))
            .filter_map(|run| Some(run.first()?.block))
            .collect();
        blocks.sort();
        blocks.dedup();
        blocks.len()
    };
    let [base, burst] = rates;
    count(&|moment| moment.from >= after, base) + count(&|moment| moment.to() <= before, burst)
}

/// Returns the content when the drain that emptied the bucket began: the largest sum over all possible beginnings. If
/// the bucket was full at one of them, this is its capacity.
fn held(moments: &[Moment], until: Nanos, base: &Estimate, burst: f64) -> Option<Estimate> {
    let (mut sum, mut seconds, mut best) = (0.0, 0.0, (0.0, 0.0));
    for moment in moments.iter().rev().filter(|moment| moment.to() <= until) {
        sum += moment.charged - base.value * moment.seconds;
        seconds += moment.seconds;
        best = if sum > best.0 { (sum, seconds) } else { best };
    }
    let (value, seconds) = best;
    let half = seconds * base.half_width() + EDGE_S * burst;
    (value > half).then_some(Estimate::around(value, half))
}

/// Returns how the bucket was refilled, by a second burst; `None` if more was served after the change than earned.
fn refill(moments: &[Moment], account: &BucketAccount, width: f64) -> Option<Refill> {
    let (base, burst) = (account.base.value, account.burst);
    let edge = (burst - base) * (width + EDGE_S) + EDGE_S * burst;
    let (mut level, mut since) = (0.0f64, 0.0);
    // Earnings at the start of the current burst, and how much of them the burst has used.
    let mut drain: Option<(f64, f64)> = None;
    let mut refill = Refill::Unknown;
    for moment in moments {
        let earned = base * moment.seconds;
        since += earned;
        if moment.held() && moment.charged > ABOVE * earned {
            let (had, took) = drain.unwrap_or((level, 0.0));
            drain = Some((had, took + moment.charged - earned));
        } else if let Some((had, took)) = drain.take().filter(|_| moment.held()) {
            let share = took / had.max(edge);
            refill =
                if took > edge && (EARNED.0..=EARNED.1).contains(&share) { Refill::Earned } else { refill };
        }
        level += earned - moment.charged;
        if level < -(SAME * since + edge) {
            return None;
        }
    }
    Some(refill)
}
