//! A finding is a value: what it means in numbers, what it rests on, and how sure it is. Text is made from it at the end.

use record::StepRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::device_place::Place;
use crate::verdict::Doubt;

/// Something the record shows, of the kind `K`: a rule gives findings of its own kind, and [`crate::Finding`] may be of any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingOf<K> {
    /// What it means, with its numbers.
    #[serde(flatten)]
    pub meaning: K,
    /// The spans of the record that show it, in the order of time.
    pub evidence: Vec<Evidence>,
    /// How sure it is.
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
    /// The series that shows it, such as `rate`, `latency`, `diskstats vda` or `cpu`.
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

/// What a kind of finding says of itself besides its numbers.
pub(crate) trait Kind {
    /// Returns all of it at once, so that no kind leaves out a part.
    fn nature(&self) -> Nature<'_>;
}

/// What the findings of a kind are to other findings, to the verdict and to the report.
pub(crate) struct Nature<'k> {
    /// Order of weight: first what voids the figures (0), then what stops the volume, last what weakens a step (7).
    pub weight: u8,
    /// The watched device that it is about.
    pub device: Option<OfDevice<'k>>,
    /// How bad it is in its step, if steps may repeat it: the worst is reported, with the spans of all.
    pub badness: Option<f64>,
    /// Why it leaves the verdict open.
    pub doubt: Option<Doubt>,
    /// Whether it names the level at which something is limited.
    pub level: bool,
}

/// The watched device that a finding is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfDevice<'k> {
    pub place: &'k Place,
    /// The layer of a stack that it is reported for.
    pub layer: Layer,
    /// Whether it says what an application waits for.
    pub holds_back: bool,
}

/// Returns the place as the lowest layer, where a policy counts, for findings about what the volume does.
pub(crate) fn lowest(place: &Place) -> Option<OfDevice<'_>> {
    Some(OfDevice { place, layer: Layer::Lowest, holds_back: true })
}

/// Returns the place as the highest layer, where an application stands, for findings about what the application does.
pub(crate) fn highest(place: &Place) -> Option<OfDevice<'_>> {
    Some(OfDevice { place, layer: Layer::Highest, holds_back: true })
}

/// The layer that a finding is reported for if several layers of a stack show the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    Lowest,
    Highest,
}
