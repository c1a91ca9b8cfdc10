//! The course of a run: the pattern of its changes together.

use serde::{Deserialize, Serialize};
use statistics::quantile::median;
use workload::Direction;

use crate::timeline::earned::{Burst, Moves};
use crate::timeline::level_change::Move;
use crate::timeline::levels::{Levels, Stretch};

/// Greatest difference in size between falls and rises that lead between the same levels, as a share of the larger;
/// sizes are logarithms.
const SAME_SIZE: f64 = 0.35;
/// Greatest difference between two sizes of I/O that count as equal, in the natural logarithm.
const ALIKE: f64 = 0.1;
/// Least length of a level in seconds.
const LASTS_S: f64 = 3.0;
/// Fewest samples from which the level of a moment is taken.
const SAMPLES_LEAST: usize = 5;
/// Fewest whole periods that show a wave: two falls may be as far apart by chance, or by what was measured between them.
const PERIODS: f64 = 2.0;
/// Least drift of the level that is reported, as a share.
const DRIFT: f64 = 0.03;

/// The pattern of a run's changes together. Shares are of the level at the end of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "course", rename_all = "snake_case")]
pub enum Course {
    /// One level.
    #[default]
    Steady,
    /// The level only fell.
    Fell,
    /// The level rose, and the level before may return; or it moved both ways without returning to a level.
    Moved {
        /// The lowest level.
        low: f64,
        /// The highest level.
        high: f64,
        /// The mean over the time examined.
        mean: f64,
    },
    /// Levels returned.
    Wave {
        /// The lowest level.
        low: f64,
        /// The highest level.
        high: f64,
        /// The mean, over whole periods if there are any.
        mean: f64,
        /// Length of a period in seconds, if a whole one was measured.
        period_s: Option<f64>,
        /// Number of whole periods.
        periods: f64,
    },
    /// No change, but a level that wanders.
    Drifting {
        /// The largest difference between two moments with the same load.
        share: f64,
        /// Bytes per operation of that load.
        bytes_each: f64,
        /// Direction of that load, if it has one.
        direction: Option<Direction>,
    },
}

impl Course {
    /// Returns the lowest level, the mean and the highest level as shares of the last; `None` if no other level may
    /// return.
    pub fn spread(&self) -> Option<[f64; 3]> {
        match *self {
            Course::Moved { low, high, mean } | Course::Wave { low, high, mean, .. } => {
                Some([low, mean, high])
            }
            Course::Steady | Course::Fell | Course::Drifting { .. } => None,
        }
    }
}

/// Returns the course of the run between the two times of `looked`.
pub(crate) fn course(of: &Moves, looked: (f64, f64), levels: &Levels<'_>) -> Course {
    let moves = of.moves.as_slice();
    let Some(last) = moves.last() else { return drift(levels) };
    if moves.iter().all(|one| one.ratio < 0.0) {
        let apart = last.ratio.abs().exp();
        return match came_back(last, levels, &of.earned) {
            // When the level returned is not known, nor which of the two levels was measured last.
            true => Course::Moved { low: 1.0 / apart, high: apart, mean: 1.0 },
            false => Course::Fell,
        };
    }
    match recurring(moves).filter(|_| periods(moves, looked).3 >= PERIODS) {
        Some(apart) => wave(moves, looked, if last.ratio < 0.0 { [1.0, apart] } else { [1.0 / apart, 1.0] }),
        None => moved(moves, looked),
    }
}

/// Whether a load like the one that showed a fall was later nearer to the level before it, for the least length of a
/// level, although no rise is certain: in noise that wanders as far, a single comparison shows none.
fn came_back(fall: &Move, levels: &Levels<'_>, earned: &[Burst]) -> bool {
    let middle = (fall.levels[0].level * fall.levels[1].level).sqrt();
    levels.stretches.iter().any(|stretch| {
        let (from, to) = (stretch.segment.from, stretch.segment.to);
        let alike = (stretch.spell.bytes_each / fall.bytes_each).ln().abs() < ALIKE;
        let paid = earned.iter().any(|burst| burst.meets(from, to));
        let lasts = from >= fall.high && to - from >= LASTS_S;
        alike && stretch.spell.direction == fall.direction && lasts && !paid && stretch.log() > middle.ln()
    })
}

/// Returns the ratio of the high level to the low one if levels were left and returned: rises are as large as falls.
/// The larger of the two counts, because an edge between two steps may have shown only in part.
fn recurring(moves: &[Move]) -> Option<f64> {
    let sizes = |falls: bool| -> Vec<f64> {
        moves.iter().filter(|one| (one.ratio < 0.0) == falls).map(|one| one.ratio.abs()).collect()
    };
    let (down, up) = (median(&sizes(true))?, median(&sizes(false))?);
    let alike = (down - up).abs() <= SAME_SIZE * down.max(up);
    alike.then(|| down.max(up).exp())
}

/// Returns a wave between two levels, which are shares of the last.
fn wave(moves: &[Move], looked: (f64, f64), [low, high]: [f64; 2]) -> Course {
    let (from, to, period_s, periods) = periods(moves, looked);
    let (mut above, mut below) = (0.0, 0.0);
    let edges = moves.iter().map(|one| (one.at, Some(one.ratio < 0.0))).chain([(looked.1, None)]);
    let mut begun = (looked.0, moves[0].ratio > 0.0);
    for (at, falls) in edges {
        let length = (at.min(to) - begun.0.max(from)).max(0.0);
        *(if begun.1 { &mut below } else { &mut above }) += length;
        begun = (at, falls.unwrap_or_default());
    }
    let whole: f64 = above + below;
    let mean = if whole > 0.0 { (above * high + below * low) / whole } else { 0.5 * (low + high) };
    Course::Wave { low, high, mean, period_s, periods }
}

/// Returns levels that did not return, as shares of the last.
fn moved(moves: &[Move], looked: (f64, f64)) -> Course {
    let whole: f64 = moves.iter().map(|one| one.ratio).sum();
    let mut level = (-whole).exp();
    let (mut low, mut high, mut sum, mut from) = (level, level, 0.0, looked.0);
    for one in moves {
        sum += level * (one.at - from).max(0.0);
        (from, level) = (one.at, level * one.ratio.exp());
        (low, high) = (low.min(level), high.max(level));
    }
    sum += level * (looked.1 - from).max(0.0);
    Course::Moved { low, high, mean: sum / (looked.1 - looked.0).max(f64::MIN_POSITIVE) }
}

/// Returns the span of whole periods, their length and their number: from the first change to the last of its kind.
/// Edges between two steps may be missing, so the length is the median.
fn periods(moves: &[Move], looked: (f64, f64)) -> (f64, f64, Option<f64>, f64) {
    let of_kind = |falls: bool| -> Vec<f64> {
        moves.iter().filter(|one| (one.ratio < 0.0) == falls).map(|one| one.at).collect()
    };
    let (falls, rises) = (of_kind(true), of_kind(false));
    let times = if falls.len() >= rises.len() { falls } else { rises };
    let lengths: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    match (times.as_slice(), median(&lengths)) {
        ([first, .., last], Some(length)) => (*first, *last, Some(length), (last - first) / length),
        _ => (looked.0, looked.1, None, 0.0),
    }
}

/// Returns the greatest distance between moments of the same load although none of them is a change.
fn drift(levels: &Levels<'_>) -> Course {
    let mut most: Option<(f64, &Stretch<'_>)> = None;
    let lasts = |one: &Stretch<'_>| one.samples().count() >= SAMPLES_LEAST && one.seconds() >= LASTS_S;
    for (number, later) in levels.stretches.iter().enumerate().filter(|(_, later)| lasts(later)) {
        let alike = |one: &&Stretch<'_>| {
            one.spell.comparable
                && one.spell.shape == later.spell.shape
                && one.spell.depth == later.spell.depth
                && lasts(one)
        };
        for earlier in levels.stretches[..number].iter().filter(alike) {
            let apart = (later.log() - earlier.log()).abs();
            let is_greatest = most.is_none_or(|(most, _)| apart > most);
            if is_greatest && apart >= 2.0 * earlier.error().hypot(later.error()) {
                most = Some((apart, later));
            }
        }
    }
    match most {
        Some((apart, load)) if apart >= (1.0 + DRIFT).ln() => Course::Drifting {
            share: apart.exp_m1(),
            bytes_each: load.spell.bytes_each,
            direction: load.spell.direction,
        },
        _ => Course::Steady,
    }
}
