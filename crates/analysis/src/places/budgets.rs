//! Rates of a cached volume: of reads from its cache, of reads beyond it, of writes, and of two of these at once.

use record::{StepRecord, WorkerTotals};
use serde::{Deserialize, Serialize};
use statistics::sequential::{Monitor, Rule};
use workload::{Bytes, Direction, Order, Repeats, WorkerPlan};

use super::PlacesAnswer;
use super::cache::CacheObservation;
use super::looks::{Look, Span, look, span};
use crate::cached::CacheShare;
use crate::estimate::Estimate;

/// Ratio of the smaller of two limits to the greater below which the smaller does not show beside it.
const ALIKE: f64 = 0.1;
/// Greatest distance of the joint rate from a prediction, as a share of the distance between the two predictions.
const ASIDE: f64 = 0.3;

/// Most passes over the places of a load alone: of the reads of a second, those that come from the cache are told by their
/// latency.
const PASSES: f64 = 1.3;

/// Rates of many concurrent I/Os, in operations of one size per second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Bytes per I/O.
    pub block: u64,
    /// I/Os in flight of each load.
    #[serde(default)]
    pub depth: u32,
    /// Rate of reads from the cache alone.
    pub cached: Option<Estimate>,
    /// Rate of reads beyond the cache alone.
    pub uncached: Option<Estimate>,
    /// Rates of both at once: from the cache, and beyond it.
    pub together: Option<(f64, f64)>,
    /// Rate of writes alone.
    #[serde(default)]
    pub written: Option<Estimate>,
    /// Rates of reads from the cache and of writes at once.
    #[serde(default)]
    pub cached_and_written: Option<(f64, f64)>,
    /// Rates of reads beyond the cache and of writes at once.
    #[serde(default)]
    pub uncached_and_written: Option<(f64, f64)>,
}

/// How two limits combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Joint {
    /// Both at once reach the sum of their rates.
    Apart,
    /// Both at once reach the rate of the faster alone: the slower counts against its limit too.
    OneOverBoth,
    /// Both at once reach less than one of them alone.
    Less,
}

impl Budget {
    /// Returns how the limits of reads from the cache and beyond it combine, as [`Joint::of`].
    pub fn joint(&self) -> Option<Joint> {
        Joint::of(self.cached, self.uncached, self.together)
    }

    fn of_size(block: u64, depth: u32) -> Budget {
        Budget { block, depth, ..Budget::default() }
    }
}

impl Joint {
    /// Returns how the limits of two loads combine, whose rates `both` are at once; `None` if not all rates were measured, or
    /// if one limit is too small beside the other, or too uncertain, for the predictions to differ.
    pub fn of(one: Option<Estimate>, other: Option<Estimate>, both: Option<(f64, f64)>) -> Option<Joint> {
        let uncertain = one?.half_width() + other?.half_width();
        let (one, other, (of_one, of_other)) = (one?.value, other?.value, both?);
        let (more, apart) = (one.max(other), one + other);
        if apart < (1.0 + ALIKE) * more || uncertain > apart - more {
            return None;
        }
        let place = (of_one + of_other - more) / (apart - more);
        match place {
            place if (1.0 - ASIDE..=1.0 + ASIDE).contains(&place) => Some(Joint::Apart),
            place if (-ASIDE..=ASIDE).contains(&place) => Some(Joint::OneOverBoth),
            place if place < -ASIDE => Some(Joint::Less),
            _ => None,
        }
    }
}

/// What stops a load of a cached volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetCause {
    /// Operations are limited.
    Operations,
    /// Bytes are limited.
    Bytes,
    /// Nothing: the rate is that of all I/Os in flight, each as slow as alone.
    Queue,
}

impl BudgetCause {
    /// Returns the causes of the rates of a load with small and with large blocks, of which one takes `alone_ns` by itself;
    /// `None` if one of them was not measured. Large blocks that come as often as small ones show a limit on operations, and
    /// small ones that move as many bytes as large ones a limit on bytes.
    pub fn of(
        budgets: &[Budget],
        rate: impl Fn(&Budget) -> Option<Estimate>,
        alone_ns: f64,
    ) -> Option<[BudgetCause; 2]> {
        let [small, large] = budgets else { return None };
        let (of_small, of_large) = (rate(small)?.value, rate(large)?.value);
        let bytes = |rate: f64, budget: &Budget| rate * budget.block as f64;
        let is_queue =
            |rate: f64, budget: &Budget| rate * alone_ns >= (1.0 - ALIKE) * f64::from(budget.depth) * 1e9;
        let by_bytes = bytes(of_small, small) > (1.0 - ALIKE) * bytes(of_large, large);
        let by_operations = of_large > (1.0 - ALIKE) * of_small;
        let cause = |rate, budget, limit| if is_queue(rate, budget) { BudgetCause::Queue } else { limit };
        Some([
            cause(of_small, small, if by_bytes { BudgetCause::Bytes } else { BudgetCause::Operations }),
            cause(of_large, large, if by_operations { BudgetCause::Operations } else { BudgetCause::Bytes }),
        ])
    }
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
        explains.then_some(CacheShare { size: Some(size), share, beyond })
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
            budgets.push(Budget::of_size(block, worker.depth));
            budgets.len() - 1
        });
        take_in(step, (warm, cache), &mut budgets[at]);
    }
    budgets
}

/// One side of a load of a cached volume.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Cached,
    Uncached,
    Written,
}

fn take_in(step: &StepRecord, (warm, cache): (Span, &CacheObservation), budget: &mut Budget) {
    let side = |worker: &WorkerPlan| match worker.access.mix.issues(Direction::Write) {
        true => Side::Written,
        // Sets and the reads from the cache begin at the same byte.
        false if span(worker).from == warm.from => Side::Cached,
        false => Side::Uncached,
    };
    let sides: Vec<Side> = step.plan.workers.iter().map(side).collect();
    let moved = |of: Side| -> f64 {
        let own = step.workers.iter().zip(&sides).filter(|(_, side)| **side == of);
        own.map(|(totals, side)| {
            rate(totals) * if *side == Side::Uncached { missed(totals, cache) } else { 1.0 }
        })
        .sum()
    };
    let both = |one, other| Some((moved(one), moved(other))).filter(|_| passes(step) <= 1.0);
    let all = || rate_of(step, moved(sides[0])).filter(|_| passes(step) <= PASSES);
    match (sides.contains(&Side::Cached), sides.contains(&Side::Uncached), sides.contains(&Side::Written)) {
        (true, true, _) => budget.together = both(Side::Cached, Side::Uncached),
        (true, false, true) => budget.cached_and_written = both(Side::Cached, Side::Written),
        (false, true, true) => budget.uncached_and_written = both(Side::Uncached, Side::Written),
        (true, false, false) => budget.cached = all(),
        (false, true, false) => budget.uncached = all(),
        (false, false, true) => budget.written = all(),
        (false, false, false) => {}
    }
}

/// Returns the share of reads meant to miss the cache that did miss it.
fn missed(totals: &WorkerTotals, cache: &CacheObservation) -> f64 {
    let (CacheObservation::Seen { hit_ns, miss_ns, .. }
    | CacheObservation::SizeUnclear { hit_ns, miss_ns, .. }) = cache
    else {
        return 1.0;
    };
    let latency = &totals.directions[Direction::Read.index()].latency;
    let hits = latency.share_within((hit_ns * miss_ns).sqrt() as u64).unwrap_or(0.0);
    // If many reads are as fast as hits, they are no hits: what is beyond the cache is fast as well.
    if hits > 0.3 { 1.0 } else { 1.0 - hits }
}

/// Returns how often loads that read each place once a pass have read all of them, ramp included; 0 if there are none.
fn passes(step: &StepRecord) -> f64 {
    let once = |worker: &WorkerPlan| worker.access.order == Order::Random(Repeats::Without);
    let seconds = step.ended.since(step.started).as_secs_f64();
    let reads = |(number, worker): (usize, &WorkerPlan)| {
        let places = span(worker).bytes() / worker.blocks.align_of(Direction::Read).0.max(1);
        let rate = step.workers.get(number).map_or(0.0, rate);
        if once(worker) { rate * seconds / places as f64 } else { 0.0 }
    };
    step.plan.workers.iter().enumerate().map(reads).fold(0.0, f64::max)
}

fn rate(totals: &WorkerTotals) -> f64 {
    let seconds = totals.ended.since(totals.started).as_secs_f64();
    let ops = |direction: Direction| totals.directions[direction.index()].tally.ops;
    (ops(Direction::Read) + ops(Direction::Write)) as f64 / seconds.max(1e-9)
}

/// Returns the rate `all` of a step, with an interval from its whole intervals; how many I/Os it has is known to one.
fn rate_of(step: &StepRecord, all: f64) -> Option<Estimate> {
    let mut monitor = Monitor::new(Rule::within(0.0));
    let whole = step.full().filter(|interval| interval.counted);
    for interval in whole {
        monitor.push(interval.iops());
    }
    let half = monitor.estimate().half_width;
    let one = 1.0 / step.seconds();
    let half = if half.is_finite() { half.max(one) } else { all };
    (all > 0.0).then_some(Estimate { value: all, low: (all - half).max(0.0), high: all + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_causes_of_rates_follow_from_small_and_large_blocks() {
        let causes = |of_small, of_large| {
            let cached = |rate| Some(Estimate::exactly(rate));
            let small = Budget { cached: cached(of_small), ..Budget::of_size(4_096, 64) };
            let large = Budget { cached: cached(of_large), ..Budget::of_size(524_288, 16) };
            BudgetCause::of(&[small, large], |budget| budget.cached, 1e5)
        };
        use BudgetCause::{Bytes, Operations, Queue};
        assert_eq!(causes(77_000.0, 970.0), Some([Operations, Bytes]));
        assert_eq!(causes(500.0, 499.0), Some([Operations, Operations]));
        assert_eq!(causes(25_600.0, 200.0), Some([Bytes, Bytes]));
        assert_eq!(causes(640_000.0, 970.0), Some([Queue, Bytes]));
        assert_eq!(causes(640_000.0, 159_000.0), Some([Queue, Queue]));
        assert_eq!(BudgetCause::of(&[], |budget| budget.cached, 1e5), None);
    }

    #[test]
    fn two_loads_at_once_show_whether_their_limits_are_one() {
        let joint = |of_one, of_other| {
            let estimate = |rate| Some(Estimate::exactly(rate));
            Joint::of(estimate(77_000.0), estimate(12_800.0), Some((of_one, of_other)))
        };
        assert_eq!(joint(77_000.0, 12_800.0), Some(Joint::Apart));
        assert_eq!(joint(64_200.0, 12_800.0), Some(Joint::OneOverBoth));
        assert_eq!(joint(50_000.0, 12_800.0), Some(Joint::Less));
        assert_eq!(Joint::of(Some(Estimate::exactly(1.0)), None, Some((1.0, 1.0))), None);
    }

    #[test]
    fn reads_that_a_cache_answers_explain_a_rate_above_that_beyond_it() {
        let budget = |block, rate| {
            let uncached = Some(Estimate::exactly(rate));
            Budget { uncached, ..Budget::of_size(block, 64) }
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
