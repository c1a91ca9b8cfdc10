//! The mean of a level that was seen in several moments, with an interval that holds the long-run mean.

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
