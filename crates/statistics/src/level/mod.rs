//! The mean of a level measured in several moments, with an interval that holds its long-run mean.
//!
//! # How it works
//!
//! A level is measured in moments (a rung, a reference) of some intervals each, with gaps between them. Its values are
//! compared with some 1,250 noise models: a fast part, correlated from value to value by 0 to 0.92 over half a second;
//! a slow part of up to 8 % that is forgotten within 20 to 300 s; and the amount that an edge between two counts moves
//! from one to the other, which is all the noise of a meter. Each model is weighted by how well it explains the series
//! (its likelihood, with the level integrated out) and by its prior: dependence is presumed until disproved, and so is
//! a slow part. The interval holds 95 % of the mixture of the models' distributions of the long-run mean. So no model
//! is chosen for a narrow interval, variance within moments and between them counts with its degrees of freedom, and
//! likelihood alone distinguishes a meter from noise.
//!
//! Levels of one volume that were measured in turn reveal its noise together ([`Strays::of`]): as shares of their means
//! they are one series, in which a slow part shows far better than in the few moments of each. The size of the fast
//! part is estimated for each level separately; and a level that contradicts the others is judged by itself, to the
//! extent that it does.
//!
//! # Measured coverage
//!
//! Share of 200 runs (in per cent) whose interval held the long-run mean; in brackets the mean half-width and the bias
//! of the mean in per cent, and the percentage of runs in which the level is said to wander. Values of half a second at
//! 3,000 per second, in whole counts; a single moment borrows from eight references of four values; "in turn" is the
//! first of four levels that a check of 165 s measures in turn. `cargo run --release -p statistics --example levels`
//! prints the table anew.
//!
//! | CV, rho, slow | 1 × 5 in 3 s | 1 × 14 in 7 s | 5 × 8 in 60 s | 8 × 5 in 100 s | 15 × 5 in 120 s | 12 × 12 in 180 s | in turn |
//! |---|---|---|---|---|---|---|---|
//! | 0.05 %, 0 | 100.0 (±0.12, -0.00, 0) | 100.0 (±0.08, -0.00, 0) | 99.5 (±0.06, -0.00, 1) | 99.0 (±0.05, -0.00, 0) | 98.5 (±0.03, -0.00, 0) | 95.5 (±0.01, -0.00, 0) | 96.5 (±0.01, -0.00, 0) |
//! | 0.05 %, 0.3 | 99.5 (±0.14, +0.00, 0) | 100.0 (±0.10, -0.00, 0) | 99.0 (±0.07, +0.00, 0) | 99.0 (±0.05, +0.00, 0) | 99.0 (±0.03, +0.00, 0) | 95.5 (±0.02, -0.00, 0) | 96.5 (±0.02, +0.00, 0) |
//! | 0.05 %, 0.6 | 99.5 (±0.17, -0.00, 0) | 99.0 (±0.14, -0.00, 0) | 100.0 (±0.15, -0.00, 0) | 100.0 (±0.10, -0.00, 0) | 97.0 (±0.05, +0.00, 0) | 99.0 (±0.03, +0.00, 0) | 95.5 (±0.03, -0.00, 0) |
//! | 0.05 %, 0.8 | 99.5 (±0.21, +0.00, 0) | 98.0 (±0.19, +0.00, 0) | 100.0 (±0.22, -0.00, 0) | 98.5 (±0.14, +0.00, 0) | 98.0 (±0.07, +0.00, 0) | 98.5 (±0.05, +0.00, 0) | 96.0 (±0.05, +0.00, 0) |
//! | 1 %, 0 | 100.0 (±3.20, -0.02, 3) | 100.0 (±2.73, +0.01, 3) | 100.0 (±2.60, -0.01, 7) | 100.0 (±2.01, -0.01, 4) | 100.0 (±1.13, -0.01, 2) | 100.0 (±0.45, -0.00, 0) | 100.0 (±0.44, -0.00, 0) |
//! | 1 %, 0.3 | 100.0 (±3.28, +0.00, 2) | 100.0 (±2.96, -0.01, 2) | 100.0 (±2.94, -0.00, 2) | 100.0 (±2.30, -0.01, 2) | 100.0 (±1.39, -0.00, 0) | 100.0 (±0.73, -0.01, 1) | 98.0 (±0.70, -0.00, 0) |
//! | 1 %, 0.6 | 99.5 (±3.93, +0.01, 2) | 100.0 (±3.62, -0.04, 2) | 100.0 (±4.44, -0.01, 1) | 100.0 (±2.91, -0.01, 2) | 100.0 (±1.83, -0.02, 2) | 100.0 (±1.13, -0.02, 0) | 100.0 (±1.00, -0.02, 2) |
//! | 1 %, 0.8 | 99.5 (±5.82, -0.03, 4) | 99.5 (±5.63, -0.07, 4) | 100.0 (±6.98, -0.04, 6) | 100.0 (±4.91, -0.08, 2) | 100.0 (±2.91, -0.02, 0) | 100.0 (±1.78, +0.00, 3) | 100.0 (±4.04, -0.04, 22) |
//! | 10 %, 0 | 100.0 (±20.44, +0.32, 3) | 100.0 (±15.29, -0.10, 3) | 100.0 (±9.59, -0.04, 2) | 100.0 (±9.35, -0.04, 4) | 100.0 (±7.72, -0.04, 0) | 100.0 (±5.62, +0.01, 2) | 100.0 (±5.28, -0.10, 0) |
//! | 10 %, 0.3 | 99.5 (±18.34, -0.42, 0) | 100.0 (±13.54, -0.31, 0) | 100.0 (±10.03, -0.14, 0) | 100.0 (±9.51, -0.13, 0) | 100.0 (±8.61, -0.03, 0) | 100.0 (±6.86, -0.01, 3) | 100.0 (±6.75, -0.04, 1) |
//! | 10 %, 0.6 | 99.0 (±20.64, +0.33, 2) | 99.5 (±16.22, +0.22, 1) | 100.0 (±11.08, +0.32, 0) | 100.0 (±10.34, +0.35, 0) | 100.0 (±8.90, +0.04, 0) | 100.0 (±7.81, +0.04, 1) | 100.0 (±8.01, +0.32, 0) |
//! | 10 %, 0.8 | 98.0 (±21.00, +0.16, 0) | 98.0 (±18.07, +0.00, 0) | 100.0 (±11.80, -0.23, 0) | 100.0 (±10.75, -0.25, 0) | 100.0 (±9.57, -0.22, 0) | 100.0 (±8.72, -0.10, 2) | 100.0 (±9.58, -0.34, 6) |
//! | 0.05 %, 0, 2 % 60 s | 100.0 (±7.47, -0.14, 89) | 100.0 (±7.44, -0.15, 89) | 98.0 (±6.84, -0.12, 76) | 99.5 (±6.85, -0.22, 81) | 100.0 (±6.93, -0.24, 90) | 99.5 (±6.61, -0.15, 94) | 98.5 (±6.73, -0.27, 86) |
//! | 1 %, 0.3, 2 % 60 s | 100.0 (±8.58, -0.23, 35) | 99.0 (±8.37, -0.17, 35) | 98.0 (±8.29, -0.01, 32) | 99.0 (±8.19, +0.00, 44) | 99.5 (±7.94, -0.02, 69) | 100.0 (±7.22, +0.07, 92) | 99.0 (±7.17, -0.01, 72) |
//! | 5 %, 0.6, 2 % 60 s | 99.5 (±13.70, -0.20, 2) | 99.5 (±11.45, -0.21, 2) | 100.0 (±9.74, -0.10, 0) | 100.0 (±9.15, +0.02, 2) | 100.0 (±8.18, +0.07, 8) | 100.0 (±7.36, +0.09, 14) | 98.5 (±6.07, -0.11, 4) |
//! | 0.05 %, 0, 2 % 300 s | 91.5 (±3.58, +0.27, 78) | 90.5 (±3.57, +0.25, 78) | 89.0 (±3.35, +0.06, 74) | 89.0 (±3.43, -0.01, 83) | 89.0 (±3.47, +0.01, 92) | 89.5 (±3.37, +0.00, 98) | 91.5 (±3.54, +0.12, 90) |
//! | 1 %, 0.3, 2 % 300 s | 96.0 (±5.25, -0.09, 20) | 95.0 (±4.98, -0.11, 20) | 91.5 (±5.06, -0.13, 15) | 90.5 (±4.62, -0.11, 26) | 93.0 (±4.22, -0.16, 49) | 92.0 (±3.89, -0.10, 80) | 88.0 (±3.66, -0.17, 61) |
//! | 5 %, 0.6, 2 % 300 s | 98.5 (±13.13, -0.10, 2) | 99.5 (±11.18, -0.12, 2) | 100.0 (±9.45, +0.01, 0) | 100.0 (±8.87, +0.03, 2) | 100.0 (±7.63, +0.04, 2) | 97.0 (±6.37, +0.03, 4) | 94.0 (±5.84, +0.07, 2) |
//! | 0.05 %, 0, 5 % 60 s | 98.5 (±14.41, -0.52, 86) | 98.0 (±14.35, -0.43, 86) | 99.5 (±13.63, -0.75, 82) | 99.5 (±13.91, -0.51, 90) | 99.0 (±14.03, -0.44, 94) | 100.0 (±13.59, -0.33, 96) | 98.5 (±12.57, -0.28, 90) |
//! | 1 %, 0.3, 5 % 60 s | 99.5 (±13.62, -0.21, 61) | 99.0 (±13.38, -0.29, 61) | 100.0 (±12.37, -0.16, 48) | 98.5 (±12.30, -0.11, 62) | 99.0 (±12.90, -0.27, 82) | 100.0 (±13.40, +0.00, 99) | 99.5 (±11.38, -0.02, 72) |
//! | 5 %, 0.6, 5 % 60 s | 98.5 (±14.82, +0.17, 4) | 96.5 (±13.06, +0.10, 6) | 94.5 (±10.31, +0.04, 1) | 98.0 (±10.11, +0.32, 4) | 98.0 (±10.25, +0.28, 20) | 99.0 (±11.19, +0.17, 56) | 93.5 (±9.81, +0.13, 36) |
//! | 0.05 %, 0, 5 % 300 s | 89.5 (±8.71, -0.23, 91) | 90.0 (±8.68, -0.21, 91) | 86.0 (±7.56, -0.15, 82) | 85.5 (±7.58, -0.02, 84) | 84.5 (±7.16, +0.07, 93) | 88.0 (±6.96, -0.06, 99) | 88.0 (±7.77, +0.10, 92) |
//! | 1 %, 0.3, 5 % 300 s | 91.5 (±10.72, -0.10, 52) | 92.0 (±10.52, -0.08, 52) | 89.0 (±9.78, -0.29, 40) | 90.5 (±9.78, -0.18, 58) | 91.0 (±9.88, -0.07, 84) | 93.0 (±9.35, -0.41, 98) | 91.0 (±9.09, -0.12, 83) |
//! | 5 %, 0.6, 5 % 300 s | 97.5 (±14.12, -0.13, 2) | 94.0 (±11.98, -0.23, 4) | 93.0 (±9.86, -0.48, 2) | 92.0 (±9.29, -0.48, 5) | 85.5 (±8.69, -0.49, 10) | 89.5 (±9.23, -0.35, 32) | 76.0 (±6.93, -0.36, 9) |
//!
//! Coverage below 93 %: slow noise over 300 s that hardly shows within the span of a run (76 to 92 %); in most of these
//! runs the level is said to wander, unless fast noise hides it. Coverage above 97 %: noise of
//! 1 % and more, in which a slow part cannot be disproved within three minutes, and levels of a few values, for which
//! dependence or a slow part is presumed.

mod filter;
mod mixture;
mod models;

use filter::{Cell, ModelFit, Scales, fit};
use mixture::{Part, half_width};
use models::{Shape, noises, shapes};

use crate::usable;

/// Consecutive values without a gap.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'v> {
    /// When the first value began, in seconds on any clock that all moments share.
    pub at: f64,
    /// Seconds per value.
    pub seconds: f64,
    /// Rates per second.
    pub values: &'v [f64],
}

/// The basis of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The cumulative count follows a straight line to within its edges, within moments and between them: a meter.
    Pinned,
    /// Enough values to determine how much they depend on each other: the coverage is 95 %.
    Shown,
    /// Too few values, or a slow part that cannot be disproved: dependence is presumed, and if there is none, the
    /// interval is wider than 95 % requires.
    Presumed,
    /// One moment and no knowledge of others: the interval holds only the level of that moment.
    OneMoment,
    /// The level moves from moment to moment by more than its noise explains, and the interval is widened for movement
    /// beyond the measured span.
    Wandering,
}

/// A level and how precisely it is known, in the unit of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Total of the counts over their total time.
    pub mean: f64,
    /// Half-width of the 95 % interval of the long-run mean.
    pub half_width: f64,
    /// Half-width of the 99 % interval of the mean over the measured span, which a slow part of the noise does not widen.
    pub in_span: f64,
    /// Number of values.
    pub values: usize,
    /// Number of moments.
    pub moments: usize,
    /// The basis of the interval.
    pub basis: Basis,
}

/// The noise of a volume as far as its levels reveal it, regardless of its size: its dependence on the past, and the
/// movement of the level between moments. One log likelihood per shape; empty if nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strays(Vec<f64>);

impl Strays {
    /// Combines the evidence of these levels of one volume, measured in turn. A cause that slows one of them at some
    /// time slows them all, so they are read as one series of shares of their levels.
    #[must_use]
    pub fn of(all: &[Series<'_>]) -> Strays {
        let mut moments: Vec<(f64, Vec<Cell>)> = all.iter().filter_map(Series::shares).flatten().collect();
        moments.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut cells: Vec<Cell> = Vec::new();
        let mut ended = f64::NEG_INFINITY;
        for (from, moment) in moments {
            // Values that two levels share, or two loads at the same time, count once.
            if from < ended {
                continue;
            }
            let gap = Some(from - ended);
            ended = from + moment.iter().map(|cell| cell.seconds).sum::<f64>();
            let first = moment.first().map(|first| Cell { gap, ..*first });
            cells.extend(first.into_iter().chain(moment.into_iter().skip(1)));
        }
        if cells.is_empty() {
            return Strays::default();
        }
        Strays(shapes().iter().map(|shape| log_sum(&fits(&cells, shape, 1.0))).collect())
    }

    /// Whether nothing is known about the noise.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// Posterior belief in each shape given these levels.
    fn believed(&self, shapes: &[Shape]) -> Vec<f64> {
        let best = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let told = shapes.iter().zip(&self.0).map(|(shape, log)| shape.believed * (log - best).exp());
        normal(told.collect())
    }
}

/// Scales shares so that they add up to one.
fn normal(mut shares: Vec<f64>) -> Vec<f64> {
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// Prior probability that a level strays differently from all others of its volume.
const OTHERWISE: f64 = 0.02;
/// Greatest number of cells; beyond it, neighbours are averaged.
const CELLS_MAX: usize = 240;
/// Number of cells below which dependence is presumed rather than shown (`examples/levels`: from here on, coverage without
/// any dependence is below 97 %).
const SHOWN: usize = 24;
/// Factor by which a slow part must widen the interval to count as part of its basis.
const WIDER: f64 = 1.25;
/// Probability of the interval of the long-run mean.
const HELD: f64 = 0.95;
/// Probability of the interval of the mean over the measured span: of a hundred volumes that just keep a promise, an interval
/// of 95 % would call two or three of them broken (chosen by us: method 2).
const HELD_IN_SPAN: f64 = 0.99;
/// Share of the belief from which a level is said to wander.
const SURE: f64 = 0.9;
/// Weights below this are left out: all of them together do not move a 95 % interval.
const LEAST: f64 = 1e-5;

/// A measured level, fitted under every noise model.
struct Look {
    mean: f64,
    /// Least half-width: one count at the end of every moment, which a meter may lose in all of them alike.
    floor: f64,
    values: usize,
    moments: usize,
    cells: usize,
    /// Fits of the noise models, by shape.
    fits: Vec<Vec<WeightedFit>>,
}

/// A noise model fitted to a series, with its weight.
#[derive(Clone, Copy, Debug)]
struct WeightedFit {
    fit: ModelFit,
    /// Logarithm of likelihood times prior.
    log: f64,
    /// Whether the model has no fast part.
    pinned: bool,
}

/// The measurements of one level.
#[derive(Clone, Debug)]
pub struct Series<'v> {
    /// Moments, in any order.
    pub moments: Vec<Moment<'v>>,
    /// Amount that one count adds to a rate over one second: 1 for operations, the bytes of an operation for bytes.
    pub unit: f64,
}

impl Series<'_> {
    /// The usable moments in time order; `None` for fewer than two values, non-finite values, or lengths that are not above
    /// zero.
    fn sound(&self) -> Option<Vec<Moment<'_>>> {
        let mut moments: Vec<Moment<'_>> =
            self.moments.iter().copied().filter(|moment| !moment.values.is_empty()).collect();
        moments.sort_by(|a, b| a.at.total_cmp(&b.at));
        let sound =
            |m: &Moment<'_>| usable(m.values) && m.seconds > 0.0 && m.seconds.is_finite() && m.at.is_finite();
        let values: usize = moments.iter().map(|moment| moment.values.len()).sum();
        (values >= 2 && moments.iter().all(sound) && self.unit > 0.0).then_some(moments)
    }

    /// The moments as shares of the level, with the seconds at which they begin.
    fn shares(&self) -> Option<Vec<(f64, Vec<Cell>)>> {
        let moments = self.sound()?;
        let mean = mean(&moments);
        let of_level = |cell: &Cell| Cell {
            value: cell.value / mean,
            scales: Scales { within: cell.scales.within / mean, edge: cell.scales.edge / mean },
            ..*cell
        };
        let cells: Vec<Cell> = cells(&moments, self.unit).iter().map(of_level).collect();
        let begins = moments.iter().map(|moment| moment.at);
        let each = begins.zip(cells.chunk_by(|_, next| next.gap.is_none()));
        (mean > 0.0).then(|| each.map(|(at, cells)| (at, cells.to_vec())).collect())
    }
}

/// Estimates the level of a series, with an interval that holds its long-run mean; `strays` is the noise that the
/// levels of the volume, this one included, reveal.
///
/// Returns `None` for fewer than two values, values that are not finite or whose squares are not, and lengths that are not
/// above zero.
#[must_use]
pub fn level(series: &Series<'_>, strays: &Strays) -> Option<Level> {
    let moments = series.sound()?;
    let shapes = considered(moments.len(), strays);
    Some(Look::at(&moments, series.unit, &shapes)?.level(&shapes, strays))
}

/// The shapes to consider for this number of moments. One moment by itself does not show how its level moves: without
/// others the interval holds the level of the moment only, and with others the level is assumed to move as theirs do.
fn considered(moments: usize, strays: &Strays) -> Vec<Shape> {
    let mut shapes = shapes();
    if moments > 1 {
        return shapes;
    }
    if strays.is_unknown() {
        shapes.iter_mut().filter(|shape| shape.slow > 0.0).for_each(|shape| shape.believed = 0.0);
        return shapes;
    }
    let told = strays.believed(&shapes);
    shapes.iter_mut().zip(told).filter(|(_, told)| *told < LEAST).for_each(|(shape, _)| shape.believed = 0.0);
    shapes
}

impl Look {
    fn at(moments: &[Moment<'_>], unit: f64, shapes: &[Shape]) -> Option<Look> {
        let mean = mean(moments);
        let cells = cells(moments, unit);
        let seconds: f64 = cells.iter().map(|cell| cell.seconds).sum();
        let of = |shape: &Shape| if shape.believed > 0.0 { fits(&cells, shape, mean) } else { Vec::new() };
        let fits: Vec<Vec<WeightedFit>> = shapes.iter().map(of).collect();
        let sound = fits.iter().flatten().any(|weighed| weighed.log.is_finite());
        let floor = unit * moments.len() as f64 / seconds;
        let values = moments.iter().map(|moment| moment.values.len()).sum();
        let look = Look { mean, floor, values, moments: moments.len(), cells: cells.len(), fits };
        sound.then_some(look)
    }

    fn level(&self, shapes: &[Shape], strays: &Strays) -> Level {
        let alone = self.moments == 1 && strays.is_unknown();
        let weighed = self.weigh(&self.believed(shapes, strays));
        let moving = |of: &&(usize, WeightedFit, f64)| shapes[of.0].slow > 0.0;
        let share = |of: &dyn Fn(&&(usize, WeightedFit, f64)) -> bool| -> f64 {
            weighed.iter().filter(of).map(|(_, _, weight)| weight).sum()
        };
        let found = half_width(&parts(weighed.iter(), self.mean), HELD, self.floor).max(self.floor);
        let still = parts(weighed.iter().filter(|one| !moving(one)), self.mean);
        let unmoved = |level| if still.is_empty() { 0.0 } else { half_width(&still, level, self.floor) };
        let in_span = if still.is_empty() { found } else { unmoved(HELD_IN_SPAN).max(self.floor) };
        let unmoved = unmoved(HELD);
        let wider = found > WIDER * unmoved.max(self.floor);
        let basis = if wider && share(&moving) > SURE {
            Basis::Wandering
        } else if alone {
            Basis::OneMoment
        } else if share(&|one| one.1.pinned && !moving(one)) > SURE {
            Basis::Pinned
        } else if wider || self.cells < SHOWN {
            Basis::Presumed
        } else {
            Basis::Shown
        };
        let (values, moments) = (self.values, self.moments);
        Level { mean: self.mean, half_width: found, in_span, values, moments, basis }
    }

    /// Posterior belief in each shape: from the volume's levels together, and from this level alone to the extent that
    /// it contradicts them.
    fn believed(&self, shapes: &[Shape], strays: &Strays) -> Vec<f64> {
        let own: Vec<f64> = self.fits.iter().map(|fits| log_sum(fits)).collect();
        let best = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let own: Vec<f64> = own.into_iter().map(|log| (log - best).exp()).collect();
        let alone: Vec<f64> = shapes.iter().zip(&own).map(|(shape, own)| shape.believed * own).collect();
        if strays.is_unknown() {
            return normal(alone);
        }
        let together = strays.believed(shapes);
        let like_others: f64 = together.iter().zip(&own).map(|(share, own)| share * own).sum();
        let otherwise = OTHERWISE * alone.iter().sum::<f64>();
        let both = otherwise + (1.0 - OTHERWISE) * like_others;
        // One moment cannot contradict the movement that others show.
        let otherwise = if self.moments == 1 || both <= 0.0 { 0.0 } else { otherwise / both };
        let shares = together.into_iter().zip(normal(alone));
        shares.map(|(together, alone)| (1.0 - otherwise) * together + otherwise * alone).collect()
    }

    /// The noise models worth keeping, with the number of their shape and their weights, which add up to one.
    fn weigh(&self, believed: &[f64]) -> Vec<(usize, WeightedFit, f64)> {
        let all = self.fits.iter().zip(believed).enumerate();
        let weights = all.flat_map(|(shape, (fits, believed))| {
            let whole = log_sum(fits);
            fits.iter().map(move |fit| (shape, *fit, believed * (fit.log - whole).exp()))
        });
        let kept: Vec<(usize, WeightedFit, f64)> = weights.filter(|one| one.2 > LEAST).collect();
        let sum: f64 = kept.iter().map(|one| one.2).sum();
        kept.into_iter().map(|(shape, fit, weight)| (shape, fit, weight / sum)).collect()
    }
}

/// Logarithm of the sum of the weights of all these fits.
fn log_sum(fits: &[WeightedFit]) -> f64 {
    let best = fits.iter().map(|one| one.log).fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return best;
    }
    best + fits.iter().map(|one| (one.log - best).exp()).sum::<f64>().ln()
}

fn fits(cells: &[Cell], shape: &Shape, mean: f64) -> Vec<WeightedFit> {
    let of = |(noise, believed): &(filter::Noise, f64)| {
        let fit = fit(cells, noise);
        WeightedFit { fit, log: fit.log_likelihood + believed.ln(), pinned: noise.fast == 0.0 }
    };
    noises(shape, mean).iter().map(of).collect()
}

/// Mixture of the fits' long-run means, relative to the counted mean.
fn parts<'w>(weighed: impl Iterator<Item = &'w (usize, WeightedFit, f64)>, mean: f64) -> Vec<Part> {
    let part = |(_, one, weight): &(usize, WeightedFit, f64)| Part {
        weight: *weight,
        off: one.fit.mean - mean,
        sd: one.fit.variance.sqrt(),
    };
    weighed.map(part).collect()
}

fn mean(moments: &[Moment<'_>]) -> f64 {
    let counted: f64 = moments.iter().map(|m| m.seconds * m.values.iter().sum::<f64>()).sum();
    let seconds: f64 = moments.iter().map(|m| m.seconds * m.values.len() as f64).sum();
    counted / seconds
}

/// Values as cells of about equal length: short ones are averaged to the longest, and all of them if there are many.
fn cells(moments: &[Moment<'_>], unit: f64) -> Vec<Cell> {
    let longest = moments.iter().map(|moment| moment.seconds).fold(0.0, f64::max);
    let all: f64 = moments.iter().map(|m| m.values.len() as f64 * m.seconds).sum();
    let length = longest.max(all / CELLS_MAX as f64);
    let mut cells = Vec::new();
    let mut ended = f64::NEG_INFINITY;
    for moment in moments {
        let n = moment.values.len();
        let count = ((n as f64 * moment.seconds / length).round() as usize).clamp(1, n);
        let gap = (moment.at - ended).max(0.0);
        for cell in 0..count {
            let part = &moment.values[cell * n / count..(cell + 1) * n / count];
            let value = part.iter().sum::<f64>() / part.len() as f64;
            let seconds = part.len() as f64 * moment.seconds;
            cells.push(Cell { value, seconds, gap: (cell == 0).then_some(gap), scales: Scales::default() });
        }
        ended = moment.at + n as f64 * moment.seconds;
    }
    let scales = Scales::of(&cells, unit / cells.iter().map(|cell| cell.seconds).fold(0.0, f64::max));
    cells.iter_mut().for_each(|cell| cell.scales = scales);
    cells
}

#[cfg(test)]
mod tests;

/// The volume of the example that prints the coverage.
#[cfg(test)]
#[path = "../../examples/levels/volume.rs"]
mod volume;

/// Levels measured in turn, from the same example.
#[cfg(test)]
#[path = "../../examples/levels/turns.rs"]
mod turns;
