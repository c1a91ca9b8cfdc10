//! Figures from steps: one point per step and direction, with its interval, and the latency rows.

use record::{Distribution, Interval, Run, StepRecord};
use statistics::level::Strays;
use statistics::quantile::{median, robust_deviation};
use workload::{Direction, StepKind, StepPlan, WorkerPlan};

use crate::clean;
use crate::estimate::Estimate;
use crate::level::seen;
use crate::pulses::gathered;
use crate::regimes::Regimes;
use crate::step_figures::{CleanIntervals, LatencyRole, LatencyRow, Point};

/// Percentiles of a latency row; a row has those that its count supports.
const PERCENTILES: [f64; 11] = [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99];
/// Fewest values beyond a percentile for it to be meaningful: 99.9 needs 10,000 (method 7.1).
const TAIL_MIN: f64 = 10.0;
/// Fewest intervals for a limiter index (method 5.1).
const INDEX_SAMPLES: usize = 4;
/// Coefficient of variation of the latency below which the limiter index is undefined (method 5.1).
const LATENCY_CV_MIN: f64 = 0.05;
/// Share of the first interval's length below which an interval was cut off by the end of its step.
const WHOLE: f64 = 0.99;

/// Returns the points of all steps of `kind`, in the order they ran.
pub(crate) fn points(run: &Run, kind: StepKind, regimes: &Regimes) -> Vec<Point> {
    let steps = run.steps.iter().filter(|step| step.plan.kind == kind);
    let both =
        |step| [Direction::Read, Direction::Write].map(|direction| of_regime(step, direction, regimes));
    steps.flat_map(both).flatten().collect()
}

/// Returns the points of one step, in each direction that it has.
pub(crate) fn load_points(step: &StepRecord) -> Vec<Point> {
    let ways = [Direction::Read, Direction::Write, Direction::Trim];
    ways.into_iter().filter_map(|direction| point(step, direction)).collect()
}

/// Returns the point of one direction; `None` if no I/O completed in it.
pub(crate) fn point(step: &StepRecord, direction: Direction) -> Option<Point> {
    of_regime(step, direction, &Regimes::default())
}

/// Returns the point of one direction in the last regime that the step covers for long enough.
fn of_regime(step: &StepRecord, direction: Direction, regimes: &Regimes) -> Option<Point> {
    let tally = step.tally(direction);
    let seconds = step.seconds();
    if tally.ops == 0 || seconds <= 0.0 {
        return None;
    }
    let latency = step.latency(direction);
    let counted = gathered(clean::judged_intervals(step));
    let block = step.plan.workers.first().map_or(0, |worker| worker.blocks.longest_of(direction).0);
    let whole: Vec<&Interval> = whole(&counted).collect();
    let seen = seen(&whole, direction, regimes);
    let iops = rate(step, direction, &seen);
    Some(Point {
        step: step.plan.name.clone(),
        direction,
        depth: step.plan.workers.iter().map(|worker| worker.depth).sum(),
        block,
        iops,
        bytes_per_second: iops.times(tally.bytes as f64 / tally.ops as f64),
        latency_ns_mean: tally.latency_ns_mean().unwrap_or(0.0),
        latency_ns_p50: latency.percentile(50.0).unwrap_or(0),
        latency_ns_p99: latency.percentile(99.0).unwrap_or(0),
        seconds,
        ending: step.ending,
        limiter_index: limiter_index(&counted, direction, &latency),
        seen,
    })
}

/// Returns `points`, each measured in one moment, with the noise that the levels of the volume show.
pub(crate) fn straying(mut points: Vec<Point>, strays: &Strays) -> Vec<Point> {
    for point in points.iter_mut().filter(|_| !strays.is_unknown()) {
        let bytes = point.bytes_per_second.value / point.iops.value;
        if let Some(found) = point.seen.level(strays) {
            point.iops = found.estimate;
            point.bytes_per_second = found.estimate.times(bytes);
        }
    }
    points
}

/// Returns the whole intervals only: in the last, short one the queue drains, so its rate is not that of the depth.
fn whole(counted: &[Interval]) -> impl Iterator<Item = &Interval> {
    let usual = counted.first().map_or(0.0, Interval::seconds);
    counted.iter().filter(move |interval| interval.seconds() >= WHOLE * usual)
}

/// Returns the I/Os per second in each whole interval.
pub(crate) fn whole_rates(counted: &[Interval], direction: Direction) -> Vec<f64> {
    rates(counted, direction).collect()
}

fn rates(counted: &[Interval], direction: Direction) -> impl Iterator<Item = f64> {
    whole(counted).map(move |interval| interval.of(direction).tally.ops as f64 / interval.seconds())
}

/// Returns the mean over the clean intervals with its interval; with too few of them, anything up to twice the mean.
fn rate(step: &StepRecord, direction: Direction, seen: &CleanIntervals) -> Estimate {
    let all = seen.mean().unwrap_or_else(|| step.tally(direction).ops as f64 / step.seconds());
    let unknown = Estimate { value: all, low: 0.0, high: 2.0 * all };
    seen.level(&Strays::default()).map_or(unknown, |found| found.estimate)
}

/// Returns F/CV²: how much steadier the counts are than the latencies of a busy device allow (method 5.1). The variance
/// comes from the median absolute deviation, so that one slice in the wrong second does not hide a meter.
fn limiter_index(counted: &[Interval], direction: Direction, latency: &Distribution) -> Option<f64> {
    let counts: Vec<f64> = whole(counted).map(|interval| interval.of(direction).tally.ops as f64).collect();
    if counts.len() < INDEX_SAMPLES {
        return None;
    }
    let fano = robust_deviation(&counts)?.powi(2) / median(&counts).filter(|m| *m > 0.0)?;
    let variation = latency.standard_deviation()? / latency.mean()?;
    (variation >= LATENCY_CV_MIN).then(|| fano / (variation * variation))
}

/// Returns the latency rows of the latency steps: reads and writes as timed, flushes on their own.
pub(crate) fn latencies(run: &Run) -> Vec<LatencyRow> {
    let steps = run.steps.iter().filter(|step| step.plan.kind == StepKind::Latency);
    steps.flat_map(|step| timed(step).into_iter().filter_map(|direction| row(step, direction))).collect()
}

/// Returns the directions that a step times: if it has flushes, only these.
fn timed(step: &StepRecord) -> Vec<Direction> {
    if step.tally(Direction::Flush).ops > 0 {
        return vec![Direction::Flush];
    }
    vec![Direction::Read, Direction::Write]
}

/// Returns the kind of latency of a step: a rest, or in earlier runs a pace, only serves to space its I/Os.
fn role(plan: &StepPlan) -> LatencyRole {
    let is_apart = |worker: &WorkerPlan| worker.pace.rate().is_some() || worker.terms.think.is_some();
    match plan.workers.iter().any(is_apart) {
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
