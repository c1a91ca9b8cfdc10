//! Steps to figures: one point a step and direction, with its interval, and the latency rows.

use record::{Distribution, Interval, Run, StepRecord};
use statistics::distribution::t_quantile;
use statistics::interval::{block_length, overlapping_batch_means};
use statistics::quantile::{median, median_absolute_deviation};
use statistics::sequential::{Monitor, Rule};
use workload::{Direction, Ending, StepKind, StepPlan};

use crate::{Estimate, LatencyRole, LatencyRow, Point, clean};

/// Percentiles of a latency row; a row keeps those that its count supports.
const PERCENTILES: [f64; 11] = [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99];
/// Values needed beyond a percentile for it to mean something: 99.9 needs 10,000 (methodology 2.7).
const TAIL_MIN: f64 = 10.0;
/// Fewer seconds than this give no limiter index.
const INDEX_SAMPLES: usize = 4;
/// The half-width that steps aim at; an interval does not depend on it.
const NARROW: f64 = 0.005;
/// Standard deviations in a median absolute deviation of normal values.
const DEVIATION: f64 = 1.4826;
/// How far partial sums of a meter's counts may be from a straight line, in counts.
const PINNED: f64 = 2.0;
/// What the two ends of a span may hide, in counts.
const PINNED_ENDS: f64 = 1.5;
/// Seconds agree where their deviation is within this share of the median.
const AGREED: f64 = 0.003;
/// Fewest seconds that can agree.
const AGREED_MIN: usize = 4;
/// How far the mean may be from the median, as a share: two slices of 100 ms in eight seconds.
const AGREED_MEAN: f64 = 0.025;
/// Below this coefficient of variation of the latency the limiter index is undefined (methodology 2.5).
const LATENCY_CV_MIN: f64 = 0.05;

/// Points of all steps of `kind`, in the order they ran.
pub(crate) fn points(run: &Run, kind: StepKind) -> Vec<Point> {
    let steps = run.steps.iter().filter(|step| step.plan.kind == kind);
    steps
        .flat_map(|step| [Direction::Read, Direction::Write].into_iter().filter_map(|d| point(step, d)))
        .collect()
}

/// The point of one direction; `None` where nothing ended in it.
pub(crate) fn point(step: &StepRecord, direction: Direction) -> Option<Point> {
    let tally = step.tally(direction);
    let seconds = step.seconds();
    if tally.ops == 0 || seconds <= 0.0 {
        return None;
    }
    let latency = step.latency(direction);
    let counted = clean::judged_intervals(step);
    let block = step.plan.workers.first().map_or(0, |worker| worker.blocks.longest_of(direction).0);
    let iops = rate(step, &counted, direction);
    Some(Point {
        step: step.plan.name.clone(),
        direction,
        depth: step.plan.workers.iter().map(|worker| worker.depth).sum(),
        block,
        iops,
        bytes_per_second: scaled(iops, tally.bytes as f64 / tally.ops as f64),
        latency_ns_mean: tally.latency_ns_mean().unwrap_or(0.0),
        latency_ns_p50: latency.percentile(50.0).unwrap_or(0),
        latency_ns_p99: latency.percentile(99.0).unwrap_or(0),
        seconds,
        ending: step.ending,
        limiter_index: limiter_index(&counted, direction, &latency),
    })
}

/// Whole intervals only: in the last, short one the queue runs empty, so its rate is not that of the depth.
fn whole(counted: &[Interval]) -> impl Iterator<Item = &Interval> {
    let usual = counted.first().map_or(0.0, Interval::seconds);
    counted.iter().filter(move |interval| interval.seconds() >= 0.9 * usual)
}

/// All I/Os of whole intervals over all their time; of a step that was shorter than one, of all of it.
fn mean_rate(step: &StepRecord, counted: &[Interval], direction: Direction) -> f64 {
    // Counts of a file that somebody else made may be any: their sum has no end as a float.
    let ops: f64 = whole(counted).map(|interval| interval.of(direction).tally.ops as f64).sum();
    let seconds: f64 = whole(counted).map(Interval::seconds).sum();
    if ops > 0.0 { ops / seconds } else { step.tally(direction).ops as f64 / step.seconds() }
}

/// I/Os a second in each whole interval.
pub(crate) fn whole_rates(counted: &[Interval], direction: Direction) -> Vec<f64> {
    rates(counted, direction).collect()
}

fn rates(counted: &[Interval], direction: Direction) -> impl Iterator<Item = f64> {
    whole(counted).map(move |interval| interval.of(direction).tally.ops as f64 / interval.seconds())
}

/// The rate with its interval. In the middle is the mean over whole intervals, but where all but a few seconds agree to a
/// few parts in a thousand: a meter that works in slices puts a slice now into one second and now into its neighbour, which
/// says nothing about its rate, so there it is the median (the verdict's statistic, methodology 2.11).
fn rate(step: &StepRecord, counted: &[Interval], direction: Direction) -> Estimate {
    let seconds = counted.first().map_or(0.0, Interval::seconds);
    let mean = mean_rate(step, counted, direction);
    let resolution = if seconds > 0.0 { 1.0 / seconds } else { mean };
    let values: Vec<f64> = rates(counted, direction).collect();
    if let Some(half_width) = pinned(&values, mean, resolution) {
        return Estimate { value: mean, low: mean - half_width, high: mean + half_width };
    }
    let (value, half_width) = match agreed(&values, mean) {
        Some((median, spread)) => (median, spread.max(2.0 * resolution / (values.len() as f64).sqrt())),
        None => (mean, half_width(step, &values, resolution)),
    };
    let half_width = half_width.max(resolution / values.len().max(1) as f64).min(value);
    Estimate { value, low: value - half_width, high: value + half_width }
}

/// The half-width where the counts are those of a meter: every partial sum within two counts of a straight line. Then only
/// the two ends of the span are uncertain, by a count and a half together, however few counts a second there are.
fn pinned(values: &[f64], mean: f64, resolution: f64) -> Option<f64> {
    let mut sum = 0.0;
    let inside = values.iter().all(|value| {
        sum += value - mean;
        sum.abs() <= PINNED * resolution
    });
    (inside && values.len() >= AGREED_MIN).then(|| PINNED_ENDS * resolution / values.len() as f64)
}

/// The median and the half-width around it, where the seconds agree but for a few and the mean is near too: a volume that
/// stalls now and then has not the rate of its good seconds.
fn agreed(values: &[f64], mean: f64) -> Option<(f64, f64)> {
    let median = median(values).filter(|_| values.len() >= AGREED_MIN)?;
    let deviation = DEVIATION * median_absolute_deviation(values)?;
    let near = (mean / median - 1.0).abs() <= AGREED_MEAN;
    let quantile = t_quantile(0.975, values.len() as f64 - 1.0);
    let half_width = quantile * deviation / (values.len() as f64).sqrt();
    (median > 0.0 && near && deviation <= AGREED * median).then_some((median, half_width))
}

/// A step that stopped because it had looked long enough gets the interval of the stop rule, which allows for the looking;
/// one that ran its whole time gets that of overlapping batch means, which need not.
fn half_width(step: &StepRecord, values: &[f64], resolution: f64) -> f64 {
    let mut monitor = Monitor::new(Rule { resolution, ..Rule::within(NARROW) });
    for value in values {
        monitor.push(*value);
    }
    let looked = monitor.estimate().half_width;
    match step.ending {
        Ending::Certain => looked,
        _ => overlapping_batch_means(values, block_length(values, 1), 0.95)
            .map_or(looked, |found| found.half_width.min(looked)),
    }
}

fn scaled(estimate: Estimate, factor: f64) -> Estimate {
    Estimate { value: estimate.value * factor, low: estimate.low * factor, high: estimate.high * factor }
}

/// F/CV²: how much steadier the counts are than the latencies of a busy device allow (methodology 2.5); the variance from the
/// median absolute deviation, so that one slice in the wrong second does not hide a meter.
fn limiter_index(counted: &[Interval], direction: Direction, latency: &Distribution) -> Option<f64> {
    let counts: Vec<f64> = whole(counted).map(|interval| interval.of(direction).tally.ops as f64).collect();
    if counts.len() < INDEX_SAMPLES {
        return None;
    }
    let fano =
        (DEVIATION * median_absolute_deviation(&counts)?).powi(2) / median(&counts).filter(|m| *m > 0.0)?;
    let variation = latency.standard_deviation()? / latency.mean()?;
    (variation >= LATENCY_CV_MIN).then(|| fano / (variation * variation))
}

/// Latency rows of the latency steps: reads and writes as timed, a flush by itself.
pub(crate) fn latencies(run: &Run) -> Vec<LatencyRow> {
    let steps = run.steps.iter().filter(|step| step.plan.kind == StepKind::Latency);
    steps.flat_map(|step| timed(step).into_iter().filter_map(|direction| row(step, direction))).collect()
}

/// In a step with flushes the flush is what is timed.
fn timed(step: &StepRecord) -> Vec<Direction> {
    if step.tally(Direction::Flush).ops > 0 {
        return vec![Direction::Flush];
    }
    vec![Direction::Read, Direction::Write]
}

/// A pace is asked of a latency step only to keep its I/Os apart.
fn role(plan: &StepPlan) -> LatencyRole {
    match plan.workers.iter().any(|worker| worker.pace.rate().is_some()) {
        true => LatencyRole::Spaced,
        false => LatencyRole::Base,
    }
}

fn row(step: &StepRecord, direction: Direction) -> Option<LatencyRow> {
    let latency = step.latency(direction);
    let count = latency.count();
    let supported =
        |percent: &f64| (100.0 - percent).min(*percent) / 100.0 * count as f64 >= TAIL_MIN.min(count as f64);
    let percentiles = PERCENTILES
        .into_iter()
        .filter(|percent| *percent == 50.0 || supported(percent))
        .filter_map(|percent| latency.percentile(percent).map(|value| (percent, value)))
        .collect();
    Some(LatencyRow {
        step: step.plan.name.clone(),
        role: role(&step.plan),
        direction,
        count,
        mean_ns: step.tally(direction).latency_ns_mean()?,
        percentiles,
        max_ns: latency.ns_max()?,
    })
}
