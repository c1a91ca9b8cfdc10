//! A level that rose during the run: a cache warmed, a bucket refilled, or a neighbour left.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use super::fall::{confidence, evidence, step};
use crate::course::Course;
use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::finding::{FindingOf, Kind, Nature};
use crate::regimes::{Change, ChangedRate};

/// A rise of the rate between `from` and `to`, from `before` to `after` per second: operations, or bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepUp {
    /// The step in which the rate rose, or the first one after the rise.
    pub step: String,
    /// The likeliest time.
    pub at: Nanos,
    /// Earliest time, at 95 %.
    pub from: Nanos,
    /// Latest time, at 95 %.
    pub to: Nanos,
    pub moved: ChangedRate,
    pub before: Estimate,
    pub after: Estimate,
}

impl Kind for StepUp {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns the rises of a run after which the level did not return.
pub(super) fn rule(run: &Run, figures: &Figures) -> Vec<FindingOf<StepUp>> {
    if matches!(figures.regimes.course, Course::Wave { .. }) {
        return Vec::new();
    }
    let rise = |change: &Change| {
        let meaning = StepUp {
            step: step(run, change),
            at: change.likeliest,
            from: change.at.0,
            to: change.at.1,
            moved: change.moved,
            before: change.before,
            after: change.after,
        };
        FindingOf { meaning, evidence: evidence(run, change), confidence: confidence(run, change) }
    };
    figures.regimes.changes.iter().filter(|change| !change.fell()).map(rise).collect()
}
