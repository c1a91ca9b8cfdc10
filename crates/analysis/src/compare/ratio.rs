//! Ratios of one side's figure to another's, with their uncertainty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statistics::compare::hodges_lehmann;

use crate::significance::DIFFERENT;

/// One figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The run's figure, above zero.
    pub value: f64,
    /// Seconds measured, if known.
    pub seconds: Option<f64>,
    /// The 95 % interval that the run's own analysis gives the figure, above zero.
    pub interval: Option<(f64, f64)>,
    /// Greatest rounding error of a printed figure, as a share of it; 0 if plimsoll measured it.
    pub rounding: f64,
}

/// How one figure compares with another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The other side's figure divided by the first side's.
    pub value: f64,
    /// The 95 % interval; `None` if the data allow none.
    pub interval: Option<(f64, f64)>,
    /// Range of the ratio from the rounding of the printed figures alone, if that is over 1 %.
    pub by_rounding: Option<(f64, f64)>,
    /// The data behind the interval, or the reason why there is none.
    pub basis: Basis,
    /// The conclusion from the ratio.
    pub answer: Answer,
    /// Statistics of the pairs, if the sides were loaded in turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
}

/// What pairs show of a ratio besides its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pairs {
    /// Number of pairs: blocks in which both sides have the figure.
    pub blocks: usize,
    /// Number of comparisons that the pairs come from: other volumes of the two kinds, or other hours.
    pub comparisons: usize,
    /// Probability that chance alone gives a difference at least this one-sided; 1 if nothing is known.
    pub p: f64,
    /// False discovery rate at which this row is accepted among all rows (Benjamini, Hochberg 1995).
    pub false_discovery: f64,
    /// Interval that decides on equivalence: two one-sided tests at 5 % make it a 90 % interval.
    pub equivalence: Option<(f64, f64)>,
    /// Share within which differences are of no consequence.
    pub margin: f64,
    /// Least difference, as a share, that this number of blocks with this noise detects in four comparisons of five.
    pub detectable: Option<f64>,
    /// Probability that a side strays by itself, as slowly as the comparison lasts. The intervals allow for that.
    pub wanders: f64,
    /// Whether straying is likelier than not: then only differences far beyond all straying are accepted.
    pub strays_slowly: bool,
    /// Standard deviation of the difference from one comparison to the next, as a share; `None` for a single comparison.
    pub between: Option<f64>,
}

/// What an interval rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Several runs per side: the median of all ratios of their runs, with the interval that inverts the Mann–Whitney
    /// test (Hodges, Lehmann 1963). It includes the variation between runs.
    Runs {
        /// Runs of the first side.
        first: usize,
        /// Runs of the other.
        other: usize,
    },
    /// One run per side, each figure with the interval that its run's analysis gives it: that of their ratio, with the
    /// squares of the distances added (Zou, Donner 2008). It does not include the variation between runs.
    OwnIntervals,
    /// Sides loaded in turns, each with a rate at which many counts of its turns agree exactly, as only a meter's do.
    ExactRates,
    /// Sides loaded in turns: the median of the pairwise means of the differences, block by block, with the interval
    /// that inverts the signed rank test; over several comparisons, their mean with its t interval.
    Pairs {
        /// Blocks in which both sides have the figure.
        blocks: usize,
        /// Comparisons that the blocks come from.
        comparisons: usize,
    },
    /// One run per side, of which one has no interval.
    OneEach,
    /// Several runs, but fewer than the four per side that a distribution-free 95 % interval needs.
    TooFew {
        /// Runs of the side with fewer.
        least: usize,
    },
}

/// What follows from a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The interval excludes ±2 %; for pairs, the difference is significant among all rows and may exceed the margin.
    Differs,
    /// The interval lies within ±5 %; for pairs, within the margin.
    Same,
    /// Neither is shown: this number of runs per side would likely decide.
    Undecided {
        /// Runs per side; for pairs, blocks.
        runs: usize,
    },
    /// One run each: a difference between volumes looks the same as one between two hours of one volume.
    Repeat,
}

/// Share within which two volumes are equal (method 11).
pub(super) const EQUAL: f64 = 0.05;
/// Fewest runs per side for a distribution-free 95 % interval.
const RUNS_MIN: usize = 4;
/// Most runs that are ever proposed: beyond, the difference is too small to be worth the cost of detecting it.
const RUNS_MOST: usize = 100;
/// Runs per side that are proposed if there is one each: the range of six contains the median with 96.9 % (method 11).
pub const RUNS_PROPOSED: usize = 6;

/// Returns the ratio of `other` to `first`; `None` if one of them has no run.
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
        ([a], [b]) => Some(of_intervals(a, b).unwrap_or(none)),
        _ => Some(none),
    }
}

/// Share below which the effect of rounding on a ratio is not reported.
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
    // The interval narrows with the root of the number of runs, and must fit within differences of no consequence.
    let wide = (high.ln() - low.ln()) / 2.0 / DIFFERENT;
    let needed = (runs as f64 * wide * wide).ceil() as usize;
    Answer::Undecided { runs: needed.clamp(runs + 1, RUNS_MOST) }
}

/// Returns the ratio of two figures that have intervals of their own.
fn of_intervals(first: &Sample, other: &Sample) -> Option<Ratio> {
    let value = other.value / first.value;
    Some(Ratio {
        value,
        interval: Some(between((first.value, first.interval?), (other.value, other.interval?))),
        by_rounding: None,
        basis: Basis::OwnIntervals,
        answer: Answer::Repeat,
        pairs: None,
    })
}

/// A figure above zero and its interval.
pub(super) type Known = (f64, (f64, f64));

/// Returns the interval of the ratio of `other` to `first`: on logarithms, each end as far from the ratio as the ends of
/// both figures together, with squares added (Zou, Donner, Statistics in Medicine 27, 2008).
pub(super) fn between((a, (a_low, a_high)): Known, (b, (b_low, b_high)): Known) -> (f64, f64) {
    let (down, up) = ((b / b_low).ln().hypot((a_high / a).ln()), (b_high / b).ln().hypot((a / a_low).ln()));
    (b / a * (-down).exp(), b / a * up.exp())
}

impl Ratio {
    /// What the ratio shows: of one run each, what these two runs show, whatever the next hour brings.
    pub fn shows(&self) -> Shown {
        match (self.answer, self.interval) {
            (Answer::Differs, _) if self.value < 1.0 => Shown::Less,
            (Answer::Differs, _) => Shown::More,
            (Answer::Same, _) => Shown::Same,
            (Answer::Repeat, Some((_, high))) if high < 1.0 - DIFFERENT => Shown::Less,
            (Answer::Repeat, Some((low, _))) if low > 1.0 + DIFFERENT => Shown::More,
            (Answer::Repeat, Some((low, high))) if low > 1.0 - EQUAL && high < 1.0 + EQUAL => Shown::Same,
            _ => Shown::Nothing,
        }
    }
}

/// What a ratio shows of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It is lower than the first side's.
    Less,
    /// It is higher.
    More,
    /// It is the same within a share that does not matter.
    Same,
    /// None of these.
    Nothing,
}
