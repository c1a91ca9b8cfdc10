//! Questions that this run leaves open, with what would answer them.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::{Cause, Charge, LevelUnit, Tells};
use crate::causes::together::{Together, sharing};
use crate::estimate::Estimate;
use crate::finding::{Confidence, FindingOf, Kind, Nature};

/// A question about a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// What limits the level.
    Holds,
    /// The cap on small operations: bytes already bind at the smallest block tried.
    Below,
    /// How the volume charges operations.
    Charged,
    /// Whether reads and writes share the level.
    Shared,
}

/// An open question about the `level` per second of operations or bytes, in one direction or in both together.
/// `at_least`: more than that may be possible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotIdentifiable {
    pub question: Question,
    pub direction: Option<Direction>,
    pub counted: LevelUnit,
    pub level: Estimate,
    pub at_least: bool,
    /// Block size of the load, bytes, if the question is about one.
    #[serde(default)]
    pub block: Option<u64>,
    pub tells: Vec<Tells>,
}

impl Kind for NotIdentifiable {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns every question that is left open.
pub(super) fn rule(causes: &Causes<'_>) -> Vec<FindingOf<NotIdentifiable>> {
    let mut open = of_levels(causes);
    open.extend(of_units(causes));
    open.extend(of_mixes(causes));
    open
}

fn of_levels(causes: &Causes<'_>) -> Vec<FindingOf<NotIdentifiable>> {
    let mut open = Vec::new();
    for held in &causes.held {
        let (question, tells) = match &held.cause {
            Cause::Open { tells } => (Question::Holds, tells.clone()),
            Cause::Other if held.counted == LevelUnit::Operations => {
                (Question::Below, vec![Tells::SmallerBlocks])
            }
            _ => continue,
        };
        let (direction, counted, level) = (Some(held.direction), held.counted, held.level);
        let at_least = held.at_least;
        let meaning = NotIdentifiable { question, direction, counted, level, at_least, block: None, tells };
        open.push(FindingOf { meaning, evidence: held.evidence.clone(), confidence: Confidence::Certain });
    }
    open
}

fn of_units(causes: &Causes<'_>) -> Vec<FindingOf<NotIdentifiable>> {
    let unknown = causes.charged.iter().filter(|charged| charged.charge == Charge::Unknown);
    let found = unknown.map(|charged| FindingOf {
        meaning: NotIdentifiable {
            question: Question::Charged,
            direction: Some(charged.direction),
            counted: LevelUnit::Operations,
            level: charged.operations,
            at_least: false,
            block: None,
            tells: vec![Tells::AroundUnit { unit: charged.unit }],
        },
        evidence: charged.evidence.clone(),
        confidence: Confidence::Certain,
    });
    found.collect()
}

fn of_mixes(causes: &Causes<'_>) -> Vec<FindingOf<NotIdentifiable>> {
    let open = sharing(causes).into_iter().filter(|sharing| sharing.together == Together::Open);
    let found = open.map(|sharing| FindingOf {
        meaning: NotIdentifiable {
            question: Question::Shared,
            direction: None,
            counted: sharing.counted,
            level: sharing.level(),
            at_least: false,
            block: Some(sharing.block),
            tells: sharing.tells,
        },
        evidence: sharing.evidence,
        confidence: Confidence::Certain,
    });
    found.collect()
}
