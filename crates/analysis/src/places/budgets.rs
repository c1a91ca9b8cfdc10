//! Rates of a cached volume: from its cache, beyond it, and both at once.

use record::{StepRecord, WorkerTotals};
use serde::{Deserialize, Serialize};
use statistics::sequential::{Monitor, Rule};
use workload::{Bytes, Direction, Order, Repeats, WorkerPlan};

use super::PlacesAnswer;
use super::cache::CacheObservation;
use super::looks::{Look, Span, look, span};
use crate::estimate::Estimate;

/// Ratio of the smaller of two limits to the greater below which the smaller does not show beside it.
const ALIKE: f64 = 0.1;
/// Greatest distance of the joint rate from a prediction, as a share of the distance between the two predictions.
const ASIDE: f64 = 0.3;

/// Rates of many concurrent reads, in operations of one size per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Bytes per read.
    pub block: u64,
    /// Rate from the cache alone.
    pub cached: Option<Estimate>,
    /// Rate beyond the cache alone.
    pub uncached: Option<Estimate>,
    /// Rates of both at once: from the cache, and beyond it.
    pub together: Option<(f64, f64)>,
}

/// How the limits of the cache and of what is beyond it combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Joint {
    /// Both at once reach the sum of their rates.
    Apart,
    /// Both at once reach the rate of the faster alone: reads beyond the cache count against its limit too.
    OneOverBoth,
    /// Both at once reach less than one of them alone.
    Less,
}

impl Budget {
    /// Returns how the limits combine; `None` if not all three rates were measured, or if one limit is too small beside
    /// the other for the predictions to differ.
    pub fn joint(&self) -> Option<Joint> {
        let (cached, uncached, (hits, misses)) = (self.cached?.value, self.uncached?.value, self.together?);
        let (one, apart) = (cached.max(uncached), cached + uncached);
        if apart < (1.0 + ALIKE) * one {
            return None;
        }
        let place = (hits + misses - one) / (apart - one);
        match place {
            place if (1.0 - ASIDE..=1.0 + ASIDE).contains(&place) => Some(Joint::Apart),
            place if (-ASIDE..=ASIDE).contains(&place) => Some(Joint::OneOverBoth),
            place if place < -ASIDE => Some(Joint::Less),
            _ => None,
        }
    }
}

/// How a cache in front of a volume raises the rate of random reads over all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheShare {
    /// Size of the cache, bytes.
    pub size: Estimate,
    /// Share of the volume, and so of the reads, that the cache holds.
    pub share: f64,
    /// Rate of the reads beyond the cache, operations per second.
    pub beyond: Estimate,
}

impl PlacesAnswer {
    /// Returns what the cache adds to a rate of small random reads over the whole volume, if that explains `level`: it is nearer
    /// to the rate beyond the cache with what the cache answers than to that rate without it, or with twice as much.
    pub fn cache_share(&self, level: &Estimate) -> Option<CacheShare> {
        let CacheObservation::Seen { size, .. } = self.cache else { return None };
        let beyond = self.budgets.iter().min_by_key(|budget| budget.block)?.uncached?;
        let share = size.value / self.size as f64;
        let with_cache = beyond.value / (1.0 - share);
        let explains = share < 1.0 && (level.value - with_cache).abs() < (with_cache - beyond.value) / 2.0;
        explains.then_some(CacheShare { size, share, beyond })
    }
}

/// Returns the budgets by block size, in the order in which they were measured.
pub(crate) fn budgets(steps: &[StepRecord], warm: Option<Span>, cache: &CacheObservation) -> Vec<Budget> {
    let mut budgets: Vec<Budget> = Vec::new();
    let Some(warm) = warm else { return budgets };
    for step in steps.iter().filter(|step| look(step) == Some(Look::Budget)) {
        let Some(worker) = step.plan.workers.first() else { continue };
        let Bytes(block) = worker.blocks.longest();
        let known = budgets.iter().position(|budget| budget.block == block);
        let at = known.unwrap_or_else(|| {
            budgets.push(Budget { block, cached: None, uncached: None, together: None });
            budgets.len() - 1
        });
        take_in(step, (warm, cache), &mut budgets[at]);
    }
    budgets
}

fn take_in(step: &StepRecord, (warm, cache): (Span, &CacheObservation), budget: &mut Budget) {
    let is_hit =
        |number: usize| step.plan.workers.get(number).is_some_and(|worker| warm.holds(span(worker).from));
    let any = |hit: bool| (0..step.plan.workers.len()).any(|number| is_hit(number) == hit);
    let moved = |hit: bool| -> f64 {
        let own = step.workers.iter().enumerate().filter(|(number, _)| is_hit(*number) == hit);
        own.map(|(_, totals)| rate(totals)).sum()
    };
    match (any(true), any(false)) {
        // Places beyond the cache that were read twice may have come from the cache the second time.
        (true, true) if reads_twice(step) => {}
        (true, true) => budget.together = Some((moved(true), moved(false))),
        (true, false) => budget.cached = rate_of(step),
        _ => budget.uncached = rate_of(step).map(|rate| rate.times(missed(step, cache))),
    }
}

/// Returns the share of reads meant to miss the cache that did miss it: some places are drawn twice.
fn missed(step: &StepRecord, cache: &CacheObservation) -> f64 {
    let (CacheObservation::Seen { hit_ns, miss_ns, .. }
    | CacheObservation::SizeUnclear { hit_ns, miss_ns, .. }) = cache
    else {
        return 1.0;
    };
    let hits = step.latency(Direction::Read).share_within((hit_ns * miss_ns).sqrt() as u64).unwrap_or(0.0);
    // If many reads are as fast as hits, they are no hits: what is beyond the cache is fast as well.
    if hits > 0.3 { 1.0 } else { 1.0 - hits }
}

/// Whether a load that reads each place once reached the end of its places, ramp included.
fn reads_twice(step: &StepRecord) -> bool {
    let once = |worker: &WorkerPlan| worker.access.order == Order::Random(Repeats::Without);
    let seconds = step.ended.since(step.started).as_secs_f64();
    let reads = |(number, worker): (usize, &WorkerPlan)| {
        let places = span(worker).bytes() / worker.blocks.align_of(Direction::Read).0.max(1);
        let rate = step.workers.get(number).map_or(0.0, rate);
        once(worker) && rate * seconds > places as f64
    };
    step.plan.workers.iter().enumerate().any(reads)
}

fn rate(totals: &WorkerTotals) -> f64 {
    let seconds = totals.ended.since(totals.started).as_secs_f64();
    totals.directions[Direction::Read.index()].tally.ops as f64 / seconds.max(1e-9)
}

/// Returns the rate of a step, with an interval from its whole intervals.
fn rate_of(step: &StepRecord) -> Option<Estimate> {
    let mut monitor = Monitor::new(Rule::within(0.0));
    let whole = step.full().filter(|interval| interval.counted);
    for interval in whole {
        monitor.push(interval.iops());
    }
    let all: f64 = step.workers.iter().map(rate).sum();
    let half = monitor.estimate().half_width;
    let half = if half.is_finite() { half } else { all };
    (all > 0.0).then_some(Estimate { value: all, low: (all - half).max(0.0), high: all + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_that_a_cache_answers_explain_a_rate_above_that_beyond_it() {
        let budget = |block, rate| {
            let uncached = Some(Estimate::exactly(rate));
            Budget { block, cached: None, uncached, together: None }
        };
        let cache = CacheObservation::Seen { size: Estimate::exactly(1e9), hit_ns: 1e5, miss_ns: 9e5 };
        let budgets = vec![budget(524_288, 1_500.0), budget(4_096, 3_000.0)];
        let answer = PlacesAnswer { size: 16_000_000_000, cache, budgets, ..PlacesAnswer::default() };
        let beyond = |level| answer.cache_share(&Estimate::exactly(level)).map(|found| found.beyond.value);
        assert_eq!([3_200.0, 3_250.0].map(beyond), [Some(3_000.0); 2]);
        assert_eq!([3_000.0, 3_050.0, 3_400.0].map(beyond), [None; 3]);
        let none = PlacesAnswer { cache: CacheObservation::None { up_to: 1 << 30 }, ..answer.clone() };
        assert_eq!(none.cache_share(&Estimate::exactly(3_200.0)), None);
    }
}
