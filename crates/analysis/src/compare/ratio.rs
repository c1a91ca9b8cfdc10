//! How one side's figure stands to another's, and how well that is known.

use serde::{Deserialize, Serialize};
use statistics::compare::hodges_lehmann;
use statistics::distribution::t_quantile;
use statistics::long_run::long_run_variance;

use super::pairs::Pairs;

/// One figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The run's figure; above zero.
    pub value: f64,
    /// Seconds measured, where that is said.
    pub seconds: Option<f64>,
    /// The figure second by second, where there is a series; empty elsewhere.
    pub series: Vec<f64>,
    /// How far the tool's own figure may lie from what it printed, as a share of it; 0 where it was measured here.
    pub rounding: f64,
}

/// How one figure stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The other side's figure over the first side's.
    pub value: f64,
    /// The 95 % interval; `None` where the data allow none.
    pub interval: Option<(f64, f64)>,
    /// What the ratio may be by the rounding of the printed figures alone, where that is over 1 %.
    pub by_rounding: Option<(f64, f64)>,
    /// What the interval rests on, or why there is none.
    pub basis: Basis,
    /// What follows.
    pub answer: Answer,
    /// What pairs tell beyond that, where the sides were loaded in turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
}

/// What an interval rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Several runs a side: the median of all ratios of their runs, with the interval that inverts the Mann–Whitney test
    /// (Hodges, Lehmann 1963). It knows what lies between runs.
    Runs {
        /// Runs of the first side.
        first: usize,
        /// Runs of the other.
        other: usize,
    },
    /// One run a side with its series: the interval of the ratio of means, from long-run variances that allow for
    /// seconds that resemble their neighbours. It knows nothing of what lies between runs.
    Series {
        /// Seconds of the shorter series.
        seconds: usize,
    },
    /// Sides loaded in turns: the median of the means of two differences, block by block, with the interval that inverts the
    /// signed rank test; over several comparisons their mean with its t interval.
    Pairs {
        /// Blocks in which both sides have the figure.
        blocks: usize,
        /// Comparisons they come from.
        comparisons: usize,
    },
    /// One run a side, and no series that is long enough.
    OneEach,
    /// Several runs, but fewer than the four a side that a 95 % interval without a distribution needs.
    TooFew {
        /// Runs of the side with fewer.
        least: usize,
    },
}

/// What follows from a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The interval excludes ±2 %; of pairs: the difference is no chance among all rows, and not surely within the margin.
    Differs,
    /// The interval lies within ±5 %; of pairs: within the margin.
    Same,
    /// Neither: this many runs a side would likely settle it.
    Undecided {
        /// Runs a side; of pairs, blocks.
        runs: usize,
    },
    /// One run each cannot tell two volumes apart from two hours of one.
    Repeat,
}

/// A difference up to this share is of no consequence (method 11).
const DIFFERENT: f64 = 0.02;
/// Within this share two volumes are the same (method 11).
const EQUAL: f64 = 0.05;
/// Runs a side from which a distribution-free 95 % interval exists.
const RUNS_MIN: usize = 4;
/// Seconds of a series from which its long-run variance is known well enough.
const SERIES_MIN: usize = 10;
/// Runs that are never proposed beyond: then the difference is too small for what it costs to see.
const RUNS_MOST: usize = 100;
/// Runs a side that are proposed where there is one each: with six the least and the greatest of them hold the median
/// with 96.9 % (method 11).
pub const RUNS_PROPOSED: usize = 6;

/// How `other` stands to `first`; `None` where one of them has no run.
pub fn ratio(first: &[Sample], other: &[Sample]) -> Option<Ratio> {
    let value = mean(other)? / mean(first)?;
    let least = first.len().min(other.len());
    if least >= RUNS_MIN {
        return of_runs(first, other);
    }
    let basis = if first.len() + other.len() == 2 { Basis::OneEach } else { Basis::TooFew { least } };
    let none = Ratio {
        value,
        interval: None,
        by_rounding: by_rounding(value, (first, other)),
        basis,
        answer: Answer::Repeat,
        pairs: None,
    };
    match (first, other) {
        ([a], [b]) => Some(of_series(a, b).unwrap_or(none)),
        _ => Some(none),
    }
}

/// Rounding that moves a ratio by less than this share is not told.
const ROUNDING: f64 = 0.01;

fn by_rounding(value: f64, (first, other): (&[Sample], &[Sample])) -> Option<(f64, f64)> {
    let most = |side: &[Sample]| side.iter().map(|sample| sample.rounding).fold(0.0, f64::max).min(0.9);
    let (a, b) = (most(first), most(other));
    (a + b > ROUNDING).then(|| (value * (1.0 - b) / (1.0 + a), value * (1.0 + b) / (1.0 - a)))
}

fn mean(samples: &[Sample]) -> Option<f64> {
    (!samples.is_empty()).then(|| samples.iter().map(|s| s.value).sum::<f64>() / samples.len() as f64)
}

fn of_runs(first: &[Sample], other: &[Sample]) -> Option<Ratio> {
    let logs = |side: &[Sample]| side.iter().map(|sample| sample.value.ln()).collect::<Vec<_>>();
    let shift = hodges_lehmann(&logs(first), &logs(other), 0.95)?;
    let interval = (shift.lo.exp(), shift.hi.exp());
    let runs = first.len().min(other.len());
    Some(Ratio {
        value: shift.shift.exp(),
        interval: Some(interval),
        by_rounding: by_rounding(shift.shift.exp(), (first, other)),
        basis: Basis::Runs { first: first.len(), other: other.len() },
        answer: answer(interval, runs),
        pairs: None,
    })
}

fn answer((low, high): (f64, f64), runs: usize) -> Answer {
    if high < 1.0 - DIFFERENT || low > 1.0 + DIFFERENT {
        return Answer::Differs;
    }
    if low > 1.0 - EQUAL && high < 1.0 + EQUAL {
        return Answer::Same;
    }
    // The interval narrows with the root of the runs; it has to fit within what is of no consequence.
    let wide = (high.ln() - low.ln()) / 2.0 / DIFFERENT;
    let needed = (runs as f64 * wide * wide).ceil() as usize;
    Answer::Undecided { runs: needed.clamp(runs + 1, RUNS_MOST) }
}

/// The interval of a ratio of two means by the delta method on logarithms, degrees of freedom after Welch and
/// Satterthwaite; each mean's variance is its long-run variance over its length.
fn of_series(first: &Sample, other: &Sample) -> Option<Ratio> {
    let (a, b) = (known(&first.series)?, known(&other.series)?);
    let squared = a.relative + b.relative;
    let df = match squared {
        zero if zero <= 0.0 => 1.0,
        _ => squared * squared / (a.relative * a.relative / a.df + b.relative * b.relative / b.df),
    };
    // A meter's counts may vary less than the count that an edge can hide.
    let half = (t_quantile(0.975, df.max(1.0)) * squared.sqrt()).max(a.edge + b.edge);
    let value = other.value / first.value;
    let seconds = first.series.len().min(other.series.len());
    Some(Ratio {
        value,
        interval: Some((value * (-half).exp(), value * half.exp())),
        by_rounding: None,
        basis: Basis::Series { seconds },
        answer: Answer::Repeat,
        pairs: None,
    })
}

/// How well the mean of a series is known: its relative variance, degrees of freedom, and the share that one count is.
struct Known {
    relative: f64,
    df: f64,
    edge: f64,
}

/// `None` where the series is too short or has no mean.
fn known(series: &[f64]) -> Option<Known> {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n;
    if series.len() < SERIES_MIN || mean <= 0.0 {
        return None;
    }
    let found = long_run_variance(series)?;
    Some(Known { relative: found.variance / n / (mean * mean), df: found.df, edge: 1.0 / (mean * n) })
}
