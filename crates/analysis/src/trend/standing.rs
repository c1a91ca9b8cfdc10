//! What a history says of a figure, in shares of the figure instead of logarithms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statistics::occasions::{History, Standing, Stretch};

use super::TrendFigure;
use crate::compare::Row;
use crate::estimate::Estimate;

/// Runs at one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendLevel {
    /// Index of its first run.
    pub from: usize,
    /// Index of its last run.
    pub to: usize,
    /// Indices of the first and the last run with which the change to this level may have come; both `from` for the first
    /// level.
    pub began: (usize, usize),
    /// Indices of runs in it that are not of its level.
    pub odd: Vec<usize>,
    /// The level with its 95 % interval, in the unit of the figure.
    pub level: Estimate,
}

/// The conclusion about the newest run. Shares are changes of the figure: of a latency, more is worse.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TrendStanding {
    /// Too few runs.
    TooFew,
    /// At the level of the runs before.
    Steady,
    /// At another level than before.
    Moved {
        /// Change from the earlier level, as a share of it, with its 95 % interval.
        share: Estimate,
        /// Index of the earlier level: the best one if this is worse, or else the one before.
        from: usize,
        /// Index of the first run after that level.
        since: usize,
    },
    /// The figure moves with every run.
    Drifts {
        /// Change from the first run of the drift to the newest, as a share, with its 95 % interval.
        share: Estimate,
        /// Index of the first run of the drift.
        since: usize,
    },
    /// The newest run is apart, which shows no other level yet; the next shows whether that lasts.
    Odd {
        /// Difference from the level, as a share, with its 95 % interval.
        share: Estimate,
        /// Index of the first of the newest runs that lie nearer to the newest than to the level.
        since: usize,
    },
}

impl TrendFigure {
    /// Returns by how much the newest run is worse, as a share; below 0 if it is better.
    #[must_use]
    pub fn worse_by(&self) -> f64 {
        let share = match self.standing {
            TrendStanding::Moved { share, .. }
            | TrendStanding::Drifts { share, .. }
            | TrendStanding::Odd { share, .. } => share.value,
            TrendStanding::TooFew | TrendStanding::Steady => 0.0,
        };
        if self.measure.is_latency() { share } else { -share }
    }

    /// Returns the index of the first of the newest runs that are worse by `by` or more, or may be, and of which nobody knows
    /// yet whether that lasts.
    #[must_use]
    pub fn may_be_worse(&self, by: f64) -> Option<usize> {
        match self.standing {
            TrendStanding::Odd { share, since } if self.worse_by() > 0.0 => {
                let most = if self.measure.is_latency() { share.high } else { -share.low };
                (most >= by).then_some(since)
            }
            _ => None,
        }
    }

    /// Returns the index of the first run at the newest level.
    pub(super) fn changed_at(&self) -> Option<usize> {
        match self.standing {
            TrendStanding::Moved { .. } => self.levels.last().map(|level| level.from),
            _ => None,
        }
    }

    /// Whether the level is better than an earlier one.
    pub(super) fn is_better(&self) -> bool {
        let lasts = matches!(self.standing, TrendStanding::Moved { .. } | TrendStanding::Drifts { .. });
        lasts && self.worse_by() < 0.0
    }

    /// Returns the order of figures: whatever is worse by as much as was asked comes first.
    pub(super) fn badness(&self) -> f64 {
        self.worse_by() + if self.worse { 1e6 } else { 0.0 }
    }
}

/// The history of a figure, with the index of the run of each occasion.
pub(super) struct PlacedHistory {
    pub history: History,
    pub places: Vec<usize>,
}

/// Returns what a history says of a row with these values; `least` is the fall that counts.
pub(super) fn figure(
    row: &Row,
    values: Vec<Option<Estimate>>,
    PlacedHistory { history, places }: &PlacedHistory,
    least: f64,
) -> TrendFigure {
    let unit = Unit { sign: if row.measure.is_latency() { -1.0 } else { 1.0 }, places };
    TrendFigure {
        levels: history.stretches.iter().map(|stretch| unit.level(stretch)).collect(),
        standing: unit.standing(history),
        worse: history.standing.is_worse(least),
        between: history.between.exp_m1(),
        // A latency that gets worse by this fall of its logarithm grows by more than the rate falls.
        detectable: history.detectable.map(|fall| -(-fall).exp_m1()),
        work: row.work.clone(),
        measure: row.measure,
        values,
    }
}

/// From logarithms, of which lower is worse, to the figure.
struct Unit<'p> {
    sign: f64,
    places: &'p [usize],
}

impl Unit<'_> {
    fn estimate(&self, value: f64, half_width: f64) -> Estimate {
        let at = |log: f64| (self.sign * log).exp();
        let (one, other) = (at(value - half_width), at(value + half_width));
        Estimate { value: at(value), low: one.min(other), high: one.max(other) }
    }

    fn share(&self, value: f64, half_width: f64) -> Estimate {
        let Estimate { value, low, high } = self.estimate(value, half_width);
        Estimate { value: value - 1.0, low: low - 1.0, high: high - 1.0 }
    }

    fn level(&self, of: &Stretch) -> TrendLevel {
        TrendLevel {
            from: self.places[of.from],
            to: self.places[of.to - 1],
            began: (self.places[of.began.0], self.places[of.began.1]),
            odd: of.odd.iter().map(|at| self.places[*at]).collect(),
            level: self.estimate(of.level, of.half_width),
        }
    }

    fn standing(&self, history: &History) -> TrendStanding {
        match history.standing {
            Standing::TooFew => TrendStanding::TooFew,
            Standing::Steady => TrendStanding::Steady,
            Standing::Moved { by, half_width, from, since } => TrendStanding::Moved {
                share: self.share(by, half_width),
                from,
                since: self.places[history.stretches[since].from],
            },
            Standing::Drifts(slope) => TrendStanding::Drifts {
                share: self.share(slope.total, slope.half_width),
                since: self.places[slope.from],
            },
            Standing::Odd { by, half_width, from } => {
                TrendStanding::Odd { share: self.share(by, half_width), since: self.places[from] }
            }
        }
    }
}
