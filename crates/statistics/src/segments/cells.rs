//! Turns samples of any length into cells of about equal length, on a logarithmic scale.

use crate::quantile::{median, median_in_place};
use crate::segments::{Rule, Sample};

/// Share of the median to which smaller values are raised, because the logarithm of zero is infinite.
const LEAST_SHARE: f64 = 0.01;
/// Two ends closer than this, in seconds, coincide: clocks count nanoseconds, and their sums are floats.
const TOUCH: f64 = 1e-6;
/// Share of a cell from which the remainder of a step counts as a separate cell.
const REST: f64 = 0.5;

/// A stretch of the series with its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub from: f64,
    pub to: f64,
    pub mean: f64,
    /// Logarithm of the mean.
    pub log: f64,
    /// Distance from the previous cell in cell lengths: 1 if they touch.
    pub steps: f64,
}

impl Cell {
    pub fn length(&self) -> f64 {
        self.to - self.from
    }
}

/// The samples of each series as cells of at least `rule.cell` seconds; the length doubles until there are no more than
/// `rule.most` cells in all.
pub(super) fn cells(series: &[Vec<Sample>], rule: &Rule) -> Vec<Vec<Cell>> {
    let usable = |sample: &&Sample| sample.value.is_finite() && sample.to > sample.from;
    let series: Vec<Vec<Sample>> =
        series.iter().map(|samples| samples.iter().filter(usable).copied().collect()).collect();
    let mut length = rule.cell;
    loop {
        let merged: Vec<Vec<Sample>> = series.iter().map(|samples| merge(samples, length)).collect();
        if merged.iter().map(Vec::len).sum::<usize>() <= rule.most.max(series.len()) {
            return merged.iter().map(|merged| logarithms(merged)).collect();
        }
        length *= 2.0;
    }
}

fn merge(samples: &[Sample], length: f64) -> Vec<Sample> {
    let mut merged: Vec<Sample> = Vec::new();
    let mut open: Option<Sample> = None;
    for sample in samples {
        let grown = match open.take() {
            Some(before) if sample.from - before.to <= TOUCH => joined(before, *sample),
            Some(before) => {
                close(&mut merged, before, length);
                *sample
            }
            None => *sample,
        };
        match grown.to - grown.from >= length * (1.0 - TOUCH) {
            true => merged.push(grown),
            false => open = Some(grown),
        }
    }
    if let Some(rest) = open {
        close(&mut merged, rest, length);
    }
    merged
}

/// Closes the remainder before a gap: a separate cell if it is long enough, otherwise part of the previous one.
fn close(merged: &mut Vec<Sample>, rest: Sample, length: f64) {
    match merged.last_mut() {
        Some(last) if rest.to - rest.from < REST * length && rest.from - last.to <= TOUCH => {
            *last = joined(*last, rest);
        }
        _ if rest.to - rest.from >= REST * length => merged.push(rest),
        _ => {}
    }
}

fn joined(a: Sample, b: Sample) -> Sample {
    let (first, second) = (a.to - a.from, b.to - b.from);
    Sample { from: a.from, to: b.to, value: (a.value * first + b.value * second) / (first + second) }
}

fn logarithms(merged: &[Sample]) -> Vec<Cell> {
    let values: Vec<f64> = merged.iter().map(|sample| sample.value).collect();
    let lengths: Vec<f64> = merged.iter().map(|sample| sample.to - sample.from).collect();
    let Some(unit) = median(&lengths) else { return Vec::new() };
    let mut positive: Vec<f64> = values.into_iter().filter(|value| *value > 0.0).collect();
    let floor = if positive.is_empty() { 1.0 } else { LEAST_SHARE * median_in_place(&mut positive) };
    let mut end = None;
    let cell = |sample: &Sample| {
        let gap: f64 = end.map_or(0.0, |end: f64| (sample.from - end).max(0.0));
        end = Some(sample.to);
        let log = sample.value.max(floor).ln();
        Cell { from: sample.from, to: sample.to, mean: sample.value, log, steps: 1.0 + (gap / unit).round() }
    };
    merged.iter().map(cell).collect()
}
