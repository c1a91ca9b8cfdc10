//! Regimes: the spans of a run in which the volume stayed the same. Steps are compared only within one.

use record::StepRecord;
use serde::{Deserialize, Serialize};
use statistics::segments::{Rule, Segment};
use workload::{Direction, Nanos};

use crate::course::{Course, course};
use crate::estimate::Estimate;
use crate::timeline::earned::without_earned;
use crate::timeline::flow::flows;
use crate::timeline::level_change::Move;
use crate::timeline::levels::{ERROR_MOST, Levels};
use crate::timeline::moves::{from_full_rate, lasting, moves};
use crate::timeline::parted::parting;
use crate::timeline::place::placed;
use crate::timeline::sensitivity::sensitivity;
use crate::timeline::spells::spells;

/// Seconds for which the last level must be measured to be settled.
const SETTLED_S: f64 = 5.0;
/// Half-width of a 95 % interval in standard errors.
const Z95: f64 = 1.96;

/// The rate that a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedRate {
    /// Operations per second, or the limit of small ones.
    Operations,
    /// Bytes per second, or the limit of large operations.
    Bytes,
}

/// A change of the level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The times on the run's clock between which the change occurred (95 %).
    pub at: (Nanos, Nanos),
    /// The likeliest time.
    pub likeliest: Nanos,
    /// Ratio of the level after the change to the level before: below one, the level fell.
    pub ratio: Estimate,
    /// The rate that changed, by the load that shows it.
    pub moved: ChangedRate,
    /// The direction of that load, if it has one.
    pub direction: Option<Direction>,
    /// Level before the change, in operations or bytes per second.
    pub before: Estimate,
    /// Level after the change, in operations or bytes per second.
    pub after: Estimate,
}

impl Change {
    /// Whether the level fell.
    pub fn fell(&self) -> bool {
        self.ratio.value < 1.0
    }
}

/// The regimes of a run, by the changes between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regimes {
    /// Changes in the order of time; between two of them the level was constant.
    pub changes: Vec<Change>,
    /// Whether there was no change, or the level after the last one was measured for long enough.
    pub settled: bool,
    /// The pattern of the changes together.
    #[serde(default)]
    pub course: Course,
    /// The span examined: from the start of the first load that keeps the queue full to the end of the last.
    #[serde(default)]
    pub looked: (Nanos, Nanos),
    /// The smallest change that would have shown at nearly any time, as a share of the level: of the smallest
    /// operations, and of the largest; `None` if none of them was measured twice.
    #[serde(default)]
    pub sensitivity: [Option<f64>; 2],
    /// Bursts after a fall that a bucket's earnings since paid for: they are not levels of the volume.
    #[serde(default)]
    pub earned: Vec<(Nanos, Nanos)>,
}

impl Regimes {
    /// Detects the regimes of a run from its steps.
    pub fn of(steps: &[StepRecord]) -> Regimes {
        let rule = Rule::default();
        let spells = spells(steps);
        let mut levels = Levels::of(&spells, flows(steps), &rule);
        let Some(looked) = looked(&levels) else {
            return Regimes { settled: true, ..Regimes::default() };
        };
        let mut moves = moves(&levels, &rule);
        // Of an unknown level, or one at which nothing was counted, nobody knows whether it changed. A fall is still one from the first
        // level; a rise from a level, or to one, that may be nothing is none.
        let counted = |level: &Segment| level.level * (level.to - level.from) >= 1.0;
        let known =
            |one: &Move| one.ratio < 0.0 || one.levels.iter().all(|level| level.half_width < level.level);
        moves.retain(|one| one.error < ERROR_MOST && one.levels.iter().all(counted) && known(one));
        if moves.is_empty()
            && let Some((fall, noise)) = parting(&levels, &rule)
        {
            levels.noise = noise;
            moves.push(placed(&levels, fall));
        }
        let told = lasting(without_earned(moves, &levels), &levels);
        let moves = &told.moves;
        let first = moves.first().map(|first| from_full_rate(first, &levels));
        let changes = first.iter().chain(moves.iter().skip(1)).map(change).collect();
        let from = moves.last().map_or(f64::NEG_INFINITY, |one| one.high);
        let cells = spells.iter().flat_map(|spell| &spell.bounded);
        let seen = cells.map(|cell| (cell.to - cell.from.max(from)).max(0.0)).sum::<f64>();
        let settled = moves.is_empty() || seen >= SETTLED_S;
        let course = course(&told, looked, &levels);
        let clock = |seconds| Nanos::from_secs_f64(seconds);
        let earned = told.earned.iter().map(|burst| (clock(burst.from), clock(burst.to))).collect();
        let looked = (clock(looked.0), clock(looked.1));
        Regimes { changes, settled, course, looked, sensitivity: sensitivity(&levels), earned }
    }

    /// Returns the number of the last regime.
    pub fn last(&self) -> usize {
        self.changes.len()
    }

    /// Returns the regime in which a span lies; `None` if a change or an earned burst may fall into it.
    pub fn of_span(&self, from: Nanos, to: Nanos) -> Option<usize> {
        if self.earned.iter().any(|burst| burst.0 < to && from < burst.1) {
            return None;
        }
        let before = self.changes.iter().filter(|change| change.at.1 <= from).count();
        let after = self.changes.iter().filter(|change| change.at.0 >= to).count();
        (before + after == self.changes.len()).then_some(before)
    }

    /// Returns the regime in which most of a span lies, by the likeliest times.
    pub fn around(&self, from: Nanos, to: Nanos) -> usize {
        let middle = Nanos(from.0 / 2 + to.0 / 2);
        self.changes.iter().filter(|change| change.likeliest <= middle).count()
    }
}

/// Returns the span from the first level to the last, or, without any, that of all loads that keep the queue full.
fn looked(levels: &Levels<'_>) -> Option<(f64, f64)> {
    let of_levels = || Some((levels.stretches.first()?.segment.from, levels.stretches.last()?.segment.to));
    let cells = || levels.spells.iter().flat_map(|spell| &spell.bounded);
    of_levels().or_else(|| Some((cells().next()?.from, cells().last()?.to)))
}

fn change(one: &Move) -> Change {
    let moved = if one.bytes { ChangedRate::Bytes } else { ChangedRate::Operations };
    let [before, after] = one.levels.map(|segment| {
        let scale = if moved == ChangedRate::Bytes { one.bytes_each } else { 1.0 };
        estimate(&segment, scale)
    });
    let at = |log: f64| log.clamp(-50.0, 50.0).exp();
    let off = Z95 * one.error;
    Change {
        at: (Nanos::from_secs_f64(one.low.max(0.0)), Nanos::from_secs_f64(one.high.max(0.0))),
        likeliest: Nanos::from_secs_f64(one.at.max(0.0)),
        ratio: Estimate { value: at(one.ratio), low: at(one.ratio - off), high: at(one.ratio + off) },
        moved,
        direction: one.direction,
        before,
        after,
    }
}

fn estimate(segment: &Segment, scale: f64) -> Estimate {
    let half_width = segment.half_width.min(segment.level);
    let at = |level: f64| level * scale;
    Estimate {
        value: at(segment.level),
        low: at(segment.level - half_width),
        high: at(segment.level + half_width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_lies_in_a_regime_or_across_a_change() {
        let ratio = Estimate { value: 0.5, low: 0.5, high: 0.5 };
        let at = |from, to| (Nanos::from_secs(from), Nanos::from_secs(to));
        let change = |from, to| Change {
            at: at(from, to),
            likeliest: Nanos::from_secs(from),
            ratio,
            moved: ChangedRate::Operations,
            direction: None,
            before: ratio,
            after: ratio,
        };
        let changes = vec![change(10, 11), change(20, 22)];
        let regimes = Regimes { changes, settled: true, ..Regimes::default() };
        let of = |from, to| regimes.of_span(Nanos::from_secs(from), Nanos::from_secs(to));
        assert_eq!(
            [of(0, 10), of(9, 11), of(11, 20), of(21, 23), of(22, 30)],
            [Some(0), None, Some(1), None, Some(2)]
        );
        assert_eq!(regimes.last(), 2);
    }
}
