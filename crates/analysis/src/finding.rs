//! A finding is a value: what it means in numbers, what it rests on, and how sure it is. Text is made from it at the end.

use record::StepRecord;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::verdict::Doubt;
use crate::watch::Place;

/// Something the record shows, of the kind `K`: a rule gives findings of its own kind, and [`crate::Finding`] may be any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found<K> {
    /// What it is, with its numbers.
    #[serde(flatten)]
    pub meaning: K,
    /// The spans of the record that show it, in the order of time.
    pub evidence: Vec<Evidence>,
    /// How sure it is.
    pub confidence: Confidence,
}

impl<K> Found<K> {
    /// What no span shows: it is so of the whole run.
    pub(crate) fn at_large(meaning: K, confidence: Confidence) -> Found<K> {
        Found { meaning, evidence: Vec::new(), confidence }
    }

    /// What the counted part of a step shows in `series`.
    pub(crate) fn in_step(meaning: K, step: &StepRecord, series: &str, confidence: Confidence) -> Found<K> {
        Found { meaning, evidence: vec![Evidence::of_step(step, series)], confidence }
    }
}

/// A span of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Name of the step.
    pub step: String,
    /// The series that shows it: `rate`, `latency`, `diskstats vda`, `cpu`.
    pub series: String,
    /// From, on the run's clock.
    pub from: Nanos,
    /// To, on the run's clock.
    pub to: Nanos,
}

impl Evidence {
    /// The counted part of a step.
    pub(crate) fn of_step(step: &StepRecord, series: &str) -> Evidence {
        let (step, from, to) = (step.plan.name.clone(), step.counted_from, step.ended);
        Evidence { step, series: series.to_owned(), from, to }
    }
}

/// How sure a finding is (method 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// One symptom.
    Possible,
    /// A flat and round figure.
    Likely,
    /// Flat, and the figure of a policy.
    Strong,
    /// Counted, not inferred.
    Certain,
}

/// What a kind of finding says of itself beside its numbers.
pub(crate) trait Kind {
    /// All of it at once, so that no kind leaves out a part.
    fn nature(&self) -> Nature<'_>;
}

/// What the findings of a kind are to the others, to the verdict and to the report.
pub(crate) struct Nature<'k> {
    /// Order of weight: what voids the figures first (0), then what stops the volume, then what weakens a step (7).
    pub weight: u8,
    /// The watched device that it is about.
    pub device: Option<OfDevice<'k>>,
    /// How bad it is in its step, for what steps repeat: of these the worst is told, with the spans of all.
    pub badness: Option<f64>,
    /// Why it leaves the verdict open.
    pub doubt: Option<Doubt>,
    /// Whether it names the level at which something is held.
    pub level: bool,
}

/// The watched device that a finding is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfDevice<'k> {
    pub place: &'k Place,
    /// Of which layer of a stack it is told.
    pub layer: Layer,
    /// Whether it says what an application waits for.
    pub holds_back: bool,
}

/// What is told of the lowest layer, where a policy counts: what the volume does.
pub(crate) fn lowest(place: &Place) -> Option<OfDevice<'_>> {
    Some(OfDevice { place, layer: Layer::Lowest, holds_back: true })
}

/// What is told of the highest layer, where an application stands: what it does.
pub(crate) fn highest(place: &Place) -> Option<OfDevice<'_>> {
    Some(OfDevice { place, layer: Layer::Highest, holds_back: true })
}

/// Of several layers of a stack that show the same, the one that it is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    Lowest,
    Highest,
}
