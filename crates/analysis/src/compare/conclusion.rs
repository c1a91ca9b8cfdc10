//! What follows from a comparison: told, the same, the same only for now, or not to be told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ratio::{EQUAL, Shown};
use super::reading::{Reading, ReadingFinding};
use super::row::Row;
use super::unit_prices::PriceRow;
use super::{Comparison, farthest};
use crate::verdict::Quantity;

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All figures are the same within the margin.
    Same,
    /// It is known which side does more, costs less, or is the odd one.
    Told,
    /// That holds only until burst credits end.
    ForNow,
    /// Nothing is known.
    CannotTell,
}

impl Outcome {
    /// Returns the exit code of a command whose result this is.
    pub fn exit_code(self) -> u8 {
        match self {
            Outcome::Same | Outcome::Told => 0,
            Outcome::ForNow | Outcome::CannotTell => 4,
        }
    }
}

/// A side that runs on burst credits, and what it does when they end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fall {
    /// Index of the side.
    pub side: usize,
    /// I/Os per second while credits last.
    pub burst: f64,
    /// I/Os per second that are left then.
    pub baseline: f64,
    /// Seconds that credits still last at the burst rate if the bucket was full before; `None` if nothing is known
    /// about it.
    pub left_s: Option<f64>,
}

/// Returns the sides that run on credits.
pub(super) fn falls(readings: &[ReadingFinding]) -> Vec<Fall> {
    let fall = |finding: &ReadingFinding| match finding.reading {
        Reading::OnCredits { baseline, burst, left_s, .. } => {
            Some(Fall { side: finding.side, burst, baseline, left_s: Some(left_s) })
        }
        Reading::InBurst { baseline, seen, quantity: Quantity::Iops, .. } => {
            Some(Fall { side: finding.side, burst: seen, baseline, left_s: None })
        }
        _ => None,
    };
    readings.iter().filter_map(fall).collect()
}

impl Comparison {
    /// Returns the rows by which it is decided: the limits, or without them the same work on all sides.
    pub fn deciding(&self) -> &[Row] {
        if self.limits.is_empty() { &self.rows } else { &self.limits }
    }

    /// Returns what the deciding figures with an interval show; one without says nothing either way. Latencies alone say
    /// nothing where no rate is known.
    pub fn shown(&self) -> Vec<Shown> {
        let known = |row: &&Row| row.ratios.iter().flatten().any(|ratio| ratio.interval.is_some());
        let rates = || self.deciding().iter().filter(|row| !row.measure.is_latency());
        if rates().next().is_some() && !rates().any(|row| known(&row)) {
            return Vec::new();
        }
        let ratios = self.deciding().iter().flat_map(|row| row.ratios.iter().flatten());
        ratios.filter(|ratio| ratio.interval.is_some()).map(|ratio| ratio.shows()).collect()
    }

    /// Whether all sides run on the same credits, so that they stay as they are.
    fn fall_alike(&self) -> bool {
        let alike =
            |fall: &Fall| (fall.burst, fall.baseline) == (self.falls[0].burst, self.falls[0].baseline);
        self.falls.is_empty() || (self.falls.len() == self.sides.len() && self.falls.iter().all(alike))
    }

    /// Returns the change that leads of `side` against the first one: the greatest that is shown, of a rate if any is.
    pub fn greatest(&self, side: usize) -> Option<&Row> {
        let shown = |row: &&Row| {
            let ratio = row.ratios.get(side).copied().flatten();
            ratio.is_some_and(|ratio| matches!(ratio.shows(), Shown::Less | Shown::More))
        };
        let apart = |row: &Row| row.ratios[side].map_or(0.0, |ratio| ratio.value.ln().abs());
        let of = |is_latency: bool| {
            let rows = self.deciding().iter().filter(move |row| row.measure.is_latency() == is_latency);
            // Of equal changes the first row leads.
            rows.filter(shown).reduce(|a, b| if apart(b) > apart(a) + EQUALLY { b } else { a })
        };
        of(false).or_else(|| of(true))
    }
}

/// Distance of two changes, in logarithms, below which they are equally great.
const EQUALLY: f64 = 0.01;

/// Returns the outcome of all rows, prices and credits.
pub(super) fn outcome(comparison: &Comparison) -> Outcome {
    if let Some(outcome) = by_price(comparison) {
        return outcome;
    }
    let deviations = &comparison.deviations;
    if deviations.iter().any(|deviation| deviation.odd) {
        return for_now(comparison, Outcome::Told);
    }
    if !deviations.is_empty() && deviations.iter().all(|deviation| deviation.share.abs() <= EQUAL) {
        return for_now(comparison, Outcome::Same);
    }
    if farthest(deviations).is_some_and(|(of, others)| of.is_alone(others)) {
        return Outcome::CannotTell;
    }
    let shown = comparison.shown();
    let differs = shown.iter().any(|shown| matches!(shown, Shown::Less | Shown::More));
    match shown.iter().all(|shown| *shown == Shown::Same) {
        _ if differs => for_now(comparison, Outcome::Told),
        true if !shown.is_empty() => for_now(comparison, Outcome::Same),
        _ => Outcome::CannotTell,
    }
}

/// Returns `outcome`, or that it holds only for now: a slower side on credits will not be faster without them.
fn for_now(comparison: &Comparison, outcome: Outcome) -> Outcome {
    let slower = |fall: &Fall| {
        let row = comparison.greatest(1).filter(|_| comparison.sides.len() == 2);
        let shown = row.and_then(|row| row.ratios[1]).map(|ratio| ratio.shows());
        matches!((fall.side, shown), (1, Some(Shown::Less)) | (0, Some(Shown::More)))
    };
    match comparison.fall_alike() || (outcome == Outcome::Told && comparison.falls.iter().all(slower)) {
        true => outcome,
        false => Outcome::ForNow,
    }
}

/// Returns the outcome by price, if more than one side has one.
fn by_price(comparison: &Comparison) -> Option<Outcome> {
    let priced = comparison.sides.iter().filter(|side| side.price.is_some()).count();
    let rates = || comparison.prices.iter().filter(|row| row.measure.is_some());
    let told = rates().any(|row| row.cheapest.is_some());
    match (priced, told) {
        (0, _) => None,
        (_, true) if rates().any(turns) => Some(Outcome::ForNow),
        (_, true) => Some(Outcome::Told),
        (_, false) => Some(Outcome::CannotTell),
    }
}

/// Whether another side is the cheapest at the rates that last.
fn turns(row: &PriceRow) -> bool {
    let lasting = row.prices.iter().zip(&row.at_baseline).map(|(price, baseline)| baseline.or(*price));
    let known = lasting.enumerate().filter_map(|(side, price)| Some((side, price?)));
    let least = known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(side, _)| side);
    row.cheapest.is_some_and(|now| least != Some(now.side) && now.times > 1.0 + EQUAL)
}
