//! Levels of a run: the intervals from which the rate of a point and a cap are fitted.

use record::Interval;
use statistics::level::{Basis, Level, Moment, Series, Strays, level};
use workload::Direction;

use crate::estimate::Estimate;
use crate::regimes::Regimes;
use crate::step_figures::{CleanIntervals, Point};

/// Fewest intervals behind a figure: the spread of fewer is hardly known.
pub(crate) const INTERVALS_MIN: usize = 5;
/// Greatest length in seconds of a step's beginning that may be off its level: the step uses up savings of a lighter
/// load before it, or repays the last long I/O before it.
const HEAD_S: f64 = 3.0;
/// Share by which the beginning must differ from all later intervals of the step. With ten values of 10 % noise, the
/// first does so in fewer than one case of a thousand.
const HEAD_OFF: f64 = 0.25;

/// A fitted level.
#[derive(Clone, Debug)]
pub(crate) struct FittedLevel {
    pub estimate: Estimate,
    /// The figure with the interval of its mean over the measured span.
    pub in_span: Estimate,
    /// Whether the level varies over time by more than its noise explains.
    pub wanders: bool,
    /// Number of intervals behind the level.
    pub intervals: usize,
}

impl CleanIntervals {
    /// Returns the mean of all these intervals; `None` without intervals.
    pub(crate) fn mean(&self) -> Option<f64> {
        let rates: Vec<f64> = self.moments.iter().flat_map(|(_, rates)| rates.iter().copied()).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    }

    /// Returns the level of these intervals alone; `strays` is the noise of the volume's levels.
    pub(crate) fn level(&self, strays: &Strays) -> Option<FittedLevel> {
        found(&level(&Series { moments: moments(&self.moments, self.seconds), unit: 1.0 }, strays)?)
    }
}

fn moments(seen: &[(f64, Vec<f64>)], seconds: f64) -> Vec<Moment<'_>> {
    seen.iter().map(|(at, values)| Moment { at: *at, seconds, values }).collect()
}

/// Returns the intervals of one direction in the last regime with enough of them, or else in the one with the most.
pub(crate) fn seen(intervals: &[&Interval], direction: Direction, regimes: &Regimes) -> CleanIntervals {
    let regime_of = |interval: &Interval| regimes.of_span(interval.start, interval.end);
    let regime = longest_last(&intervals.iter().map(|interval| regime_of(interval)).collect::<Vec<_>>());
    let mut seen = CleanIntervals { regime, ..CleanIntervals::default() };
    let mut ended = None;
    let intervals = &intervals[head(intervals, direction)..];
    for interval in intervals.iter().filter(|interval| regime_of(interval) == regime) {
        let rate = interval.of(direction).tally.ops as f64 / interval.seconds();
        seen.seconds = seen.seconds.max(interval.seconds());
        match seen.moments.last_mut().filter(|_| ended == Some(interval.start)) {
            Some((_, rates)) => rates.push(rate),
            None => seen.moments.push((interval.start.as_secs_f64(), vec![rate])),
        }
        ended = Some(interval.end);
    }
    seen
}

/// Returns the number of intervals at the beginning of a step that are not at its level.
fn head(intervals: &[&Interval], direction: Direction) -> usize {
    let rate = |interval: &&Interval| interval.of(direction).tally.ops as f64 / interval.seconds();
    let rates: Vec<f64> = intervals.iter().map(rate).collect();
    let Some(from) = intervals.first().map(|first| first.start) else { return 0 };
    let brief =
        intervals.iter().take_while(|interval| interval.end.since(from).as_secs_f64() <= HEAD_S).count();
    let most = brief.min(rates.len().saturating_sub(INTERVALS_MIN));
    let is_head = |count: &usize| {
        let (head, rest) = rates.split_at(*count);
        let high = rest.iter().copied().fold(f64::MIN, f64::max) * (1.0 + HEAD_OFF);
        let low = rest.iter().copied().fold(f64::MAX, f64::min) * (1.0 - HEAD_OFF);
        head.iter().all(|rate| *rate > high) || head.iter().all(|rate| *rate < low)
    };
    // The interval in which the beginning ends contains a part of it.
    (1..=most).rev().find(is_head).map_or(0, |count| (count + 1).min(most))
}

/// Returns the last regime with enough of these intervals, or else the one with the most.
fn longest_last(regimes: &[Option<usize>]) -> Option<usize> {
    let many = |wanted: usize| regimes.iter().filter(|regime| **regime == Some(wanted)).count();
    let last = regimes.iter().flatten().copied().max()?;
    let enough = (0..=last).rev().find(|regime| many(*regime) >= INTERVALS_MIN);
    enough.or_else(|| (0..=last).max_by_key(|regime| many(*regime)))
}

/// Points that share a level: their moments, each with the length of its intervals in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedLevel {
    moments: Vec<(f64, f64, Vec<f64>)>,
    /// Greatest amount of one operation.
    unit: f64,
}

impl SharedLevel {
    /// Collects `points`, each rate multiplied by `times` of its point.
    pub(crate) fn of(points: &[&Point], times: fn(&Point) -> f64) -> SharedLevel {
        let scaled = |point: &&Point| -> Vec<(f64, f64, Vec<f64>)> {
            let times = times(point);
            let of = |(at, rates): &(f64, Vec<f64>)| {
                (*at, point.seen.seconds, rates.iter().map(|rate| rate * times).collect())
            };
            point.seen.moments.iter().map(of).collect()
        };
        let unit = points.iter().map(|point| times(point)).fold(0.0, f64::max);
        SharedLevel { moments: points.iter().flat_map(scaled).collect(), unit }
    }

    /// Returns the number of spans in which the level was measured, whether or not other loads ran between them.
    pub(crate) fn moments(&self) -> usize {
        self.moments.len()
    }

    /// Returns the total of all counts over their total time; `None` without counts.
    pub(crate) fn mean(&self) -> Option<f64> {
        let of = |part: fn(&[f64]) -> f64| -> f64 {
            self.moments.iter().map(|(_, seconds, rates)| seconds * part(rates)).sum()
        };
        let (counted, seconds) = (of(|rates| rates.iter().sum()), of(|rates| rates.len() as f64));
        (seconds > 0.0).then(|| counted / seconds)
    }

    fn series(&self) -> Series<'_> {
        let moments =
            self.moments.iter().map(|(at, seconds, values)| Moment { at: *at, seconds: *seconds, values });
        Series { moments: moments.collect(), unit: self.unit }
    }

    /// Returns the level; `strays` is the noise of the volume's levels.
    pub(crate) fn level(&self, strays: &Strays) -> Option<FittedLevel> {
        found(&level(&self.series(), strays)?)
    }
}

/// Returns the noise of a volume's levels that were measured in turn.
pub(crate) fn strays(levels: &[&SharedLevel]) -> Strays {
    Strays::of(&levels.iter().map(|shared| shared.series()).collect::<Vec<_>>())
}

/// Returns a level as a figure; `None` if its interval is infinite.
fn found(level: &Level) -> Option<FittedLevel> {
    // A rate is never below zero.
    let around = |half_width: f64| {
        let half_width = half_width.min(level.mean.abs());
        Estimate { value: level.mean, low: level.mean - half_width, high: level.mean + half_width }
    };
    let (estimate, in_span) = (around(level.half_width), around(level.in_span));
    let wanders = level.basis == Basis::Wandering;
    level.half_width.is_finite().then_some(FittedLevel {
        estimate,
        in_span,
        wanders,
        intervals: level.values,
    })
}
