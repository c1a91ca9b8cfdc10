//! The mean of a level that was seen in several moments, with an interval that holds the long-run mean.
//!
//! # How
//!
//! A level is seen in moments (a rung, a reference) of some intervals each, with gaps between. What its values stray by is held against
//! several hundred noises: a fast part that depends on the value before by 0 to 0.92, a slow part of up to 16 % that is forgotten within 20 to
//! 300 s, and what an edge between two counts moves from one to the other, which is all that a meter has. Each noise is weighed by how well
//! it explains the series (its likelihood, the level integrated out) and by what is believed of it before: dependence is presumed until
//! disproved. The interval holds 95 % of the mixture of what they say of the long-run mean. So nothing is chosen for being small, variance
//! within moments and between them count with the freedom they have, and a meter is told from noise by its likelihood alone.
//! Where slow noises hold much of the belief, the longest memory that is not disproved is presumed, and the level is said to
//! wander: a span of two minutes cannot disprove what happens over five, and the interval is then wider than 95 % asks.
//!
//! # Measured coverage
//!
//! Share of 400 runs (in per cent) whose interval held the long-run mean; in brackets the mean half-width and the bias of the mean in per cent,
//! and the share of runs that say that the level wanders. Values of half a second at 3,000 a second, in whole counts; a single moment borrows
//! from eight references of four values. `cargo run --release -p statistics --example levels` prints it anew.
//!
//! | CV, rho, slow | 1 × 5 in 3 s | 1 × 14 in 7 s | 5 × 8 in 60 s | 8 × 5 in 100 s | 15 × 5 in 120 s | 12 × 12 in 180 s |
//! |---|---|---|---|---|---|---|
//! | 0.05 %, 0 | 100.0 (±0.17, -0.00, 3) | 98.5 (±0.09, -0.00, 9) | 98.2 (±0.03, -0.00, 24) | 97.5 (±0.03, -0.00, 11) | 96.8 (±0.02, -0.00, 4) | 94.2 (±0.01, -0.00, 1) |
//! | 0.05 %, 0.3 | 99.5 (±0.17, +0.00, 5) | 98.8 (±0.11, +0.00, 8) | 99.0 (±0.04, +0.00, 21) | 97.8 (±0.03, +0.00, 11) | 96.8 (±0.02, +0.00, 4) | 95.2 (±0.01, -0.00, 2) |
//! | 0.05 %, 0.6 | 98.5 (±0.15, -0.00, 14) | 99.0 (±0.11, -0.00, 13) | 98.8 (±0.06, -0.00, 33) | 98.8 (±0.04, -0.00, 18) | 96.8 (±0.03, -0.00, 9) | 96.8 (±0.02, -0.00, 2) |
//! | 0.05 %, 0.8 | 94.8 (±0.14, -0.00, 30) | 97.0 (±0.11, +0.00, 32) | 98.5 (±0.07, -0.00, 46) | 96.0 (±0.05, +0.00, 26) | 96.0 (±0.03, +0.00, 10) | 97.2 (±0.02, -0.00, 4) |
//! | 1 %, 0 | 100.0 (±4.65, +0.00, 44) | 99.5 (±3.19, +0.01, 86) | 99.5 (±5.35, -0.01, 100) | 99.5 (±3.58, -0.01, 100) | 100.0 (±1.75, -0.00, 97) | 97.8 (±0.43, +0.00, 47) |
//! | 1 %, 0.3 | 100.0 (±4.81, +0.02, 68) | 100.0 (±3.88, -0.00, 92) | 100.0 (±6.46, -0.01, 100) | 100.0 (±3.90, -0.01, 100) | 99.8 (±2.54, -0.00, 99) | 99.2 (±0.90, -0.01, 74) |
//! | 1 %, 0.6 | 100.0 (±5.12, +0.00, 88) | 100.0 (±4.62, -0.02, 95) | 100.0 (±9.07, +0.00, 100) | 100.0 (±3.94, -0.00, 100) | 99.5 (±1.54, -0.01, 62) | 97.5 (±0.91, -0.01, 44) |
//! | 1 %, 0.8 | 99.8 (±6.36, -0.00, 97) | 100.0 (±6.17, -0.04, 98) | 100.0 (±10.94, -0.00, 100) | 100.0 (±6.13, -0.02, 100) | 98.2 (±2.35, -0.01, 71) | 99.5 (±2.12, +0.01, 79) |
//! | 10 %, 0 | 100.0 (±40.62, +0.10, 17) | 100.0 (±25.27, -0.25, 88) | 100.0 (±23.51, -0.08, 100) | 100.0 (±22.50, -0.08, 100) | 100.0 (±19.52, -0.06, 100) | 100.0 (±9.00, +0.01, 83) |
//! | 10 %, 0.3 | 100.0 (±39.51, -0.28, 26) | 100.0 (±28.47, -0.24, 72) | 100.0 (±23.90, -0.07, 100) | 100.0 (±22.75, -0.06, 100) | 100.0 (±20.51, -0.06, 100) | 100.0 (±13.97, -0.05, 97) |
//! | 10 %, 0.6 | 100.0 (±33.97, +0.17, 42) | 100.0 (±28.17, +0.25, 78) | 100.0 (±24.97, +0.16, 100) | 100.0 (±23.74, +0.15, 100) | 100.0 (±14.58, -0.09, 86) | 99.0 (±12.06, -0.00, 75) |
//! | 10 %, 0.8 | 99.5 (±27.91, -0.49, 71) | 99.2 (±25.57, -0.27, 90) | 100.0 (±25.36, -0.09, 100) | 100.0 (±22.20, -0.10, 99) | 99.0 (±12.10, -0.02, 72) | 100.0 (±18.60, +0.10, 95) |
//! | 0.05 %, 0, 2 % 60 s | 99.5 (±7.89, -0.04, 100) | 99.8 (±7.88, -0.04, 100) | 98.5 (±7.82, -0.01, 100) | 99.8 (±7.76, -0.07, 100) | 99.2 (±7.52, -0.10, 100) | 99.2 (±6.99, -0.07, 100) |
//! | 1 %, 0.3, 2 % 60 s | 99.8 (±10.53, -0.16, 99) | 100.0 (±10.16, -0.12, 100) | 99.5 (±14.26, +0.03, 100) | 99.8 (±11.68, +0.06, 100) | 98.8 (±9.08, +0.04, 100) | 97.8 (±8.97, +0.03, 98) |
//! | 5 %, 0.6, 2 % 60 s | 100.0 (±23.23, -0.23, 87) | 100.0 (±20.68, -0.11, 98) | 100.0 (±23.73, -0.01, 100) | 100.0 (±21.58, +0.01, 100) | 98.5 (±12.68, +0.04, 90) | 93.5 (±10.09, +0.10, 75) |
//! | 0.05 %, 0, 2 % 300 s | 91.2 (±3.77, +0.21, 100) | 91.0 (±3.76, +0.20, 100) | 90.2 (±3.67, +0.07, 100) | 92.0 (±3.74, +0.03, 100) | 91.2 (±3.60, +0.03, 99) | 93.5 (±3.48, +0.05, 100) |
//! | 1 %, 0.3, 2 % 300 s | 99.2 (±6.61, -0.07, 88) | 97.5 (±5.93, -0.08, 98) | 97.8 (±9.44, -0.25, 100) | 97.2 (±6.67, -0.26, 100) | 94.8 (±5.11, -0.28, 98) | 91.8 (±4.11, -0.20, 96) |
//! | 5 %, 0.6, 2 % 300 s | 100.0 (±22.30, +0.01, 88) | 100.0 (±19.94, -0.12, 99) | 100.0 (±23.34, -0.04, 100) | 100.0 (±20.98, -0.01, 100) | 95.8 (±12.07, +0.05, 90) | 85.5 (±8.63, +0.06, 73) |
//! | 0.05 %, 0, 5 % 60 s | 99.5 (±19.68, -0.52, 100) | 99.8 (±19.68, -0.43, 100) | 100.0 (±19.83, -0.57, 100) | 100.0 (±19.62, -0.33, 100) | 100.0 (±19.38, -0.26, 100) | 99.2 (±18.55, -0.31, 100) |
//! | 1 %, 0.3, 5 % 60 s | 100.0 (±22.27, -0.22, 100) | 100.0 (±22.13, -0.20, 100) | 100.0 (±23.65, -0.20, 100) | 99.8 (±22.87, -0.01, 100) | 99.5 (±22.18, -0.09, 100) | 100.0 (±20.03, +0.08, 100) |
//! | 5 %, 0.6, 5 % 60 s | 100.0 (±24.94, -0.10, 97) | 100.0 (±23.12, +0.09, 99) | 100.0 (±24.89, +0.08, 100) | 100.0 (±23.90, +0.22, 100) | 95.2 (±18.69, +0.29, 96) | 96.0 (±19.61, +0.07, 96) |
//! | 0.05 %, 0, 5 % 300 s | 91.0 (±9.23, -0.11, 100) | 91.5 (±9.23, -0.09, 100) | 92.2 (±9.05, -0.10, 100) | 92.5 (±8.92, -0.11, 100) | 92.0 (±8.80, -0.02, 100) | 94.8 (±8.54, -0.04, 100) |
//! | 1 %, 0.3, 5 % 300 s | 96.8 (±12.69, -0.36, 100) | 94.8 (±12.37, -0.36, 100) | 97.8 (±15.43, -0.41, 100) | 95.5 (±13.24, -0.27, 100) | 92.8 (±10.87, -0.21, 100) | 95.5 (±11.15, -0.47, 100) |
//! | 5 %, 0.6, 5 % 300 s | 100.0 (±23.37, -0.36, 92) | 100.0 (±21.08, -0.55, 100) | 100.0 (±23.84, -0.59, 100) | 99.8 (±21.53, -0.67, 100) | 86.5 (±14.03, -0.72, 90) | 82.5 (±13.18, -0.50, 87) |
//!
//! Below 93 % are slow noises over 300 s, which the span of a run hardly shows: 90 to 92 % of them where there is no fast noise, and 82
//! to 88 % where 5 % of fast noise hides them in the longest runs. All of these say that the level wanders. Above 97 % are levels of a
//! few values, and noise of 1 % and more over a span of two minutes or less, in which a slow part cannot be disproved.

mod filter;
mod mixture;
mod models;

use filter::{Cell, Noise, fit};
use mixture::{Part, half_width};
use models::{Scales, Weighed, noises};

use crate::usable;

/// Values one after the other without a gap.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'v> {
    /// Seconds on any clock that all moments share, at which the first value began.
    pub at: f64,
    /// Seconds that a value lasted.
    pub seconds: f64,
    /// Rates a second.
    pub values: &'v [f64],
}

/// What an interval rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The cumulative count follows a straight line to within its edges, within moments and between them: a meter.
    Pinned,
    /// Enough was seen to tell how far values depend on each other: it is 95 %.
    Shown,
    /// Too few values to tell: dependence is presumed, and the interval is wider than 95 % asks where there is none.
    Presumed,
    /// One moment, and nothing is known of others: it holds the level of that moment.
    OneMoment,
    /// The level moves from moment to moment by more than its noise explains, and the interval is wider for what it may do
    /// beyond the span that was seen.
    Wandering,
}

/// A level and how well it is known, in the unit of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Everything that was counted over all its time.
    pub mean: f64,
    /// Half the 95 % interval.
    pub half_width: f64,
    /// Values seen.
    pub values: usize,
    /// Moments seen.
    pub moments: usize,
    /// What the interval rests on.
    pub basis: Basis,
    /// What it says of how a level moves between moments; nothing of fewer than three.
    pub between: Between,
}

/// How far a level strays between moments: standard deviations as shares of the level, each with its weight; the weights make one, or
/// there is none where nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Between(Vec<(f64, f64)>);

impl Between {
    /// What several levels of one volume say of it together.
    #[must_use]
    pub fn of<'l>(levels: impl IntoIterator<Item = &'l Level>) -> Between {
        let known: Vec<&Between> =
            levels.into_iter().map(|level| &level.between).filter(|between| !between.0.is_empty()).collect();
        let share = 1.0 / known.len().max(1) as f64;
        let parts = known.iter().flat_map(|between| between.0.iter());
        Between(parts.map(|(sd, weight)| (*sd, weight * share)).collect())
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }
}

/// Cells kept; more are averaged by neighbours.
const CELLS_MAX: usize = 240;
/// Moments from which on their own differences tell how a level moves between them.
const MOMENTS_MIN: usize = 3;
/// Below so many cells dependence is more presumed than shown (`examples/levels`: from here on coverage without any dependence
/// is below 97 %).
const SHOWN: usize = 24;
/// A level wanders where what it does between moments makes the interval this much wider.
const WIDER: f64 = 1.25;
/// A level moves where more than this share of the belief says so.
const MOVING: f64 = 0.4;
/// A level is pinned where this much of the weight lies on a meter.
const SURE: f64 = 0.9;

/// The level that `moments` share, with an interval that holds its long-run mean.
///
/// `unit` is what one count adds to a rate over one second: 1 for operations, the bytes of an operation for bytes. `borrowed` says
/// how levels of this volume stray between moments, for a level that was seen in too few of them to show it.
///
/// `None` for fewer than two values, values that are not finite or whose squares are not, and lengths that are not above zero.
#[must_use]
pub fn level(moments: &[Moment<'_>], unit: f64, borrowed: &Between) -> Option<Level> {
    let mut moments: Vec<Moment<'_>> = moments.iter().copied().filter(|m| !m.values.is_empty()).collect();
    moments.sort_by(|a, b| a.at.total_cmp(&b.at));
    let sound =
        |m: &Moment<'_>| usable(m.values) && m.seconds > 0.0 && m.seconds.is_finite() && m.at.is_finite();
    let values: usize = moments.iter().map(|moment| moment.values.len()).sum();
    if values < 2 || !moments.iter().all(sound) || unit <= 0.0 {
        return None;
    }
    let mean = mean(&moments);
    let cells = cells(&moments);
    let length = cells.iter().map(|cell| cell.seconds).fold(0.0, f64::max);
    let scales = Scales::of(&cells, unit / length);
    let alone = moments.len() < MOMENTS_MIN && (!borrowed.is_unknown() || moments.len() == 1);
    let weighed = weigh(&cells, noises(&scales, mean, if alone { 1 } else { moments.len() }));
    if weighed.is_empty() {
        return None;
    }
    let stray = if alone { borrowed.0.as_slice() } else { &[] };
    let moving: f64 = share(&weighed, |noise| noise.slow > 0.0);
    let found = match moving > MOVING {
        true => half_width(&parts(&slowest(&weighed, moving), mean, stray), scales.edge),
        false => half_width(&parts(&weighed, mean, stray), scales.edge),
    };
    let still: Vec<Weighed> = weighed.iter().filter(|model| model.noise.slow == 0.0).copied().collect();
    let unmoved = half_width(&parts(&still, mean, &[]), scales.edge);
    // One count at the ends of each moment is not known, and a meter may lose it in all of them alike.
    let seconds: f64 = cells.iter().map(|cell| cell.seconds).sum();
    let floor = unit * moments.len() as f64 / seconds;
    let basis = if found > WIDER * unmoved.max(floor) {
        Basis::Wandering
    } else if moments.len() == 1 && borrowed.is_unknown() {
        Basis::OneMoment
    } else if share(&weighed, |noise| noise.fast == 0.0 && noise.slow == 0.0) > SURE {
        Basis::Pinned
    } else if cells.len() < SHOWN {
        Basis::Presumed
    } else {
        Basis::Shown
    };
    let between = if moments.len() < MOMENTS_MIN { Between::default() } else { strays(&weighed, mean) };
    Some(Level { mean, half_width: found.max(floor), values, moments: moments.len(), basis, between })
}

fn mean(moments: &[Moment<'_>]) -> f64 {
    let counted: f64 = moments.iter().map(|m| m.seconds * m.values.iter().sum::<f64>()).sum();
    let seconds: f64 = moments.iter().map(|m| m.seconds * m.values.len() as f64).sum();
    counted / seconds
}

/// Values as cells of about one length: short ones are averaged to the longest, and all of them where they are many.
fn cells(moments: &[Moment<'_>]) -> Vec<Cell> {
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
            cells.push(Cell { value, seconds, gap: (cell == 0).then_some(gap) });
        }
        ended = moment.at + n as f64 * moment.seconds;
    }
    cells
}

/// Of the slow noises those with the longest memory that is not disproved: a span that is short beside it does not tell it from a shorter
/// one, and what moves over a minute is presumed to move further over five.
fn slowest(weighed: &[Weighed], moving: f64) -> Vec<Weighed> {
    let with = |memory: f64| move |noise: &Noise| noise.slow > 0.0 && noise.memory == memory;
    let memories = weighed.iter().filter(|model| model.noise.slow > 0.0).map(|model| model.noise.memory);
    let open = memories.filter(|memory| share(weighed, with(*memory)) >= DISPROVED * moving);
    let longest = open.fold(0.0, f64::max);
    let kept = weighed.iter().filter(|model| with(longest)(&model.noise));
    kept.map(|model| Weighed { weight: model.weight * model.noise.slow.sqrt(), ..*model }).collect()
}

/// A memory is disproved where less than this share of what speaks for a slow noise speaks for it.
const DISPROVED: f64 = 0.03;

/// Every noise with how well it fits, the weights making one.
fn weigh(cells: &[Cell], noises: Vec<(Noise, f64)>) -> Vec<Weighed> {
    let fits: Vec<_> = noises.iter().map(|(noise, prior)| (noise, fit(cells, noise), prior.ln())).collect();
    let best =
        fits.iter().map(|(_, fit, prior)| fit.log_likelihood + prior).fold(f64::NEG_INFINITY, f64::max);
    let models = fits.into_iter().map(|(noise, fit, prior)| Weighed {
        noise: *noise,
        fit,
        weight: (fit.log_likelihood + prior - best).exp(),
    });
    let kept: Vec<Weighed> = models.filter(|model| model.weight > LEAST).collect();
    let sum: f64 = kept.iter().map(|model| model.weight).sum();
    kept.into_iter().map(|model| Weighed { weight: model.weight / sum, ..model }).collect()
}

/// Weights below this share of the best are left out: all of them together move no 95 % interval.
const LEAST: f64 = 1e-5;

fn share(weighed: &[Weighed], of: impl Fn(&Noise) -> bool) -> f64 {
    weighed.iter().filter(|model| of(&model.noise)).map(|model| model.weight).sum()
}

/// The parts of what is believed of the long-run mean, about the mean that was counted.
fn parts(weighed: &[Weighed], mean: f64, stray: &[(f64, f64)]) -> Vec<Part> {
    let still = [(0.0, 1.0)];
    let stray = if stray.is_empty() { &still[..] } else { stray };
    let each = |model: &Weighed| {
        let (off, variance, weight) = (model.fit.mean - mean, model.fit.variance, model.weight);
        stray.iter().map(move |(sd, share)| Part {
            weight: weight * share,
            off,
            sd: (variance + (sd * mean).powi(2)).sqrt(),
        })
    };
    weighed.iter().flat_map(each).collect()
}

fn strays(weighed: &[Weighed], mean: f64) -> Between {
    let mut found: Vec<(f64, f64)> = Vec::new();
    for model in weighed {
        match found.iter_mut().find(|(sd, _)| *sd * mean.abs() == model.noise.slow) {
            Some((_, weight)) => *weight += model.weight,
            None => found.push((model.noise.slow / mean.abs(), model.weight)),
        }
    }
    Between(if mean == 0.0 { Vec::new() } else { found })
}

#[cfg(test)]
mod tests;

/// The volume of the example that prints the coverage.
#[cfg(test)]
#[path = "../../examples/levels/volume.rs"]
mod volume;
