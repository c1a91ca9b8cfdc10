//! A rate that goes up and down between two levels.

use record::Run;
use serde::{Deserialize, Serialize};

use super::fall::{confidence, evidence};
use crate::course::Course;
use crate::figures::Figures;
use crate::finding::{Confidence, FindingOf, Kind, Nature};

/// The rate swings between `low` and `high`, shares of the mean, and is low for `low_share` of the time; a period
/// lasts `period_s`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wave {
    pub low: f64,
    pub high: f64,
    pub low_share: f64,
    pub period_s: Option<f64>,
    pub changes: usize,
}

impl Kind for Wave {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns the wave of a run, if it is one: as sure as its least sure edge but one.
pub(super) fn rule(run: &Run, figures: &Figures) -> Option<FindingOf<Wave>> {
    let Course::Wave { low, high, mean, period_s, .. } = figures.regimes.course else { return None };
    let changes = &figures.regimes.changes;
    let mut sure: Vec<Confidence> = changes.iter().map(|change| confidence(run, change)).collect();
    sure.sort_unstable();
    let meaning = Wave {
        low: low / mean,
        high: high / mean,
        low_share: ((high - mean) / (high - low)).clamp(0.0, 1.0),
        period_s,
        changes: changes.len(),
    };
    let evidence = changes.iter().flat_map(|change| evidence(run, change)).collect();
    let confidence = sure.get(1).or(sure.first()).copied().unwrap_or(Confidence::Likely);
    Some(FindingOf { meaning, evidence, confidence })
}
