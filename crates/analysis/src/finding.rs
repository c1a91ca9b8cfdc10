//! A finding as a value: its meaning in numbers, its evidence and its confidence. Reports make text from it.

use record::StepRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::device_place::Place;
use crate::verdict::Doubt;

/// A finding of the kind `K`: a rule returns findings of its own kind, and [`crate::Finding`] is of any kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingOf<K> {
    /// Meaning of the finding, with its numbers.
    #[serde(flatten)]
    pub meaning: K,
    /// The spans of the record that show it, in the order of time.
    pub evidence: Vec<Evidence>,
    /// Confidence in the finding.
    pub confidence: Confidence,
}

impl<K> FindingOf<K> {
    /// Makes a finding about the whole run, which no single span shows.
    pub(crate) fn at_large(meaning: K, confidence: Confidence) -> FindingOf<K> {
        FindingOf { meaning, evidence: Vec::new(), confidence }
    }

    /// Makes a finding that the counted part of a step shows in `series`.
    pub(crate) fn in_step(
        meaning: K,
        step: &StepRecord,
        series: &str,
        confidence: Confidence,
    ) -> FindingOf<K> {
        FindingOf { meaning, evidence: vec![Evidence::of_step(step, series)], confidence }
    }
}

/// A span of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Name of the step.
    pub step: String,
    /// The series that shows the finding, such as `rate`, `latency`, `diskstats vda` or `cpu`.
    pub series: String,
    /// Start, on the run's clock.
    pub from: Nanos,
    /// End, on the run's clock.
    pub to: Nanos,
}

impl Evidence {
    /// Returns the counted part of a step.
    pub(crate) fn of_step(step: &StepRecord, series: &str) -> Evidence {
        let (step, from, to) = (step.plan.name.clone(), step.counted_from, step.ended);
        Evidence { step, series: series.to_owned(), from, to }
    }
}

/// How sure a finding is (method 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// One symptom.
    Possible,
    /// An even rate at a figure that somebody may have chosen, such as a round one.
    Likely,
    /// An even rate at a figure that was known beforehand, such as a policy's.
    Strong,
    /// Counted, not inferred.
    Certain,
}

/// The nature of a kind of finding, besides its numbers.
pub(crate) trait Kind {
    /// Returns the whole nature at once, so that no kind leaves out a part.
    fn nature(&self) -> Nature<'_>;
}

/// How a finding relates to other findings, to the verdict and to the report.
pub(crate) struct Nature<'k> {
    /// Order of weight: findings that void the figures (0), then those that stop the volume, up to those on one step
    /// (7).
    pub weight: u8,
    /// The watched device that the finding concerns.
    pub device: Option<OfDevice<'k>>,
    /// Severity within its step, if steps may repeat the finding: the worst is reported, with the spans of all.
    pub badness: Option<f64>,
    /// The doubt that the finding casts on the verdict.
    pub doubt: Option<Doubt>,
    /// Whether the finding names the level of a limit.
    pub level: bool,
}

/// The watched device that a finding concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfDevice<'k> {
    pub place: &'k Place,
    /// The layer of a stack for which the finding is reported.
    pub layer: Layer,
    /// Whether the finding names what an application waits for.
    pub holds_back: bool,
}

/// Returns the place as the lowest layer, at which a policy counts, for findings about the volume.
pub(crate) fn lowest(place: &Place) -> Option<OfDevice<'_>> {
    Some(OfDevice { place, layer: Layer::Lowest, holds_back: true })
}

/// Returns the place as the highest layer, at which an application runs, for findings about the application.
pub(crate) fn highest(place: &Place) -> Option<OfDevice<'_>> {
    Some(OfDevice { place, layer: Layer::Highest, holds_back: true })
}

/// The layer for which a finding is reported if several layers of a stack show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    Lowest,
    Highest,
}
