//! The latency of a step, as a mean or a percentile, with an interval that allows for I/Os that wait for each other.

use record::{Interval, StepRecord};
use statistics::distribution::t_quantile;
use statistics::long_run::long_run_variance;
use workload::Direction;

use crate::estimate::Estimate;
use crate::level::INTERVALS_MIN;

/// Fewest I/Os beyond a percentile; with fewer, it depends on only a few of them (method 7.1).
const BEYOND_MIN: f64 = 10.0;
/// Standard errors beyond which a share is surely above or below the allowed one: at most two in a hundred such
/// judgements are wrong, because each load is judged both ways.
pub(crate) const SURE: f64 = 2.6;
/// Least ratio of the variance of late I/Os to that of independent ones, if too few were late to show their clustering:
/// in a queue, an I/O is seldom late alone.
pub(crate) const CLUSTERS: f64 = 4.0;
/// Half-width of a 95 % interval in standard deviations; `UPPER` is the probability below its upper end.
const Z95: f64 = 1.96;
const UPPER: f64 = 0.975;

/// A measured latency, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Latency {
    pub estimate: Estimate,
    /// Whether so many long latencies occurred together that there is no upper bound: the upper end is the longest
    /// seen.
    pub open: bool,
}

/// Returns the mean of one direction; `None` if there was too little for an interval.
pub(crate) fn mean(step: &StepRecord, direction: Direction) -> Option<Latency> {
    let (value, all) = (step.tally(direction).latency_ns_mean()?, step.latency(direction));
    let independent = all.standard_deviation()? / (all.count() as f64).sqrt();
    let counted = step.counted();
    let excess = |part: &Interval| {
        let tally = part.of(direction).tally;
        tally.latency_ns_mean().map_or(0.0, |mean| (mean - value) * tally.ops as f64)
    };
    let half = half_width(&counted, direction, excess, independent)?;
    Some(Latency { estimate: Estimate::around(value, half), open: false })
}

/// Returns a percentile of one direction. The share of I/Os within it has an interval, and the latencies at the ends of
/// that are the interval of the percentile (Woodruff, Journal of the American Statistical Association 47, 1952). `None`
/// with too few I/Os beyond it.
pub(crate) fn percentile(step: &StepRecord, direction: Direction, percent: f64) -> Option<Latency> {
    let (all, share) = (step.latency(direction), percent / 100.0);
    let count = all.count() as f64;
    if count * (1.0 - share) < BEYOND_MIN {
        return None;
    }
    let value = all.percentile(percent)?;
    let within = all.share_within(value)?;
    let counted = step.counted();
    let excess = |part: &Interval| {
        let latency = &part.of(direction).latency;
        latency.share_within(value).map_or(0.0, |share| (share - within) * latency.count() as f64)
    };
    let independent = (share * (1.0 - share) / count).sqrt();
    let off = half_width(&counted, direction, excess, independent)?;
    let at = |share: f64| all.percentile(share.clamp(0.0, 1.0) * 100.0).map(|value| value as f64);
    let estimate = Estimate { value: value as f64, low: at(share - off)?, high: at(share + off)? };
    Some(Latency { estimate, open: share + off >= 1.0 })
}

/// Whether a percentile of one direction surely lies within `bound` nanoseconds: the share of I/Os within it has an
/// interval although the percentile may have no upper end.
pub(crate) fn surely_within(step: &StepRecord, direction: Direction, percent: f64, bound: u64) -> bool {
    let (all, least) = (step.latency(direction), percent / 100.0);
    let Some(within) = all.share_within(bound) else { return false };
    let excess = |part: &Interval| {
        let latency = &part.of(direction).latency;
        latency.share_within(bound).map_or(0.0, |share| (share - within) * latency.count() as f64)
    };
    let clustered = (CLUSTERS * least * (1.0 - least) / all.count() as f64).sqrt();
    let half = half_width(&step.counted(), direction, excess, clustered);
    half.is_some_and(|half| within - half * SURE / Z95 >= least)
}

/// Returns half the 95 % interval of a mean over I/Os, from the long-run variance of the intervals, but never less than
/// for independent I/Os, whose standard error is `independent`; `excess` returns by how much the I/Os of an interval
/// together exceed the mean.
fn half_width(
    counted: &[Interval],
    direction: Direction,
    excess: impl Fn(&Interval) -> f64,
    independent: f64,
) -> Option<f64> {
    let ops: f64 = counted.iter().map(|part| part.of(direction).tally.ops as f64).sum();
    let parts = counted.len();
    if parts < INTERVALS_MIN || ops <= 0.0 {
        return None;
    }
    let usual = ops / parts as f64;
    let series: Vec<f64> = counted.iter().map(|part| excess(part) / usual).collect();
    let found = long_run_variance(&series)?;
    // The variance already includes the prior for few intervals; the degrees of freedom need not allow for it again.
    let df = found.df.max(0.5 * (parts - 1) as f64);
    let half = t_quantile(UPPER, df) * (found.variance / parts as f64).sqrt();
    Some(half.max(Z95 * independent))
}
