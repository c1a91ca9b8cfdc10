//! A run that was cut short, or in which an I/O failed.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, Ending};

use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::verdict::Doubt;

/// The run was stopped before its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interrupted {
    pub after_s: f64,
}

/// An I/O failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub step: String,
    pub errno: i32,
    pub count: u64,
}

const NATURE: Nature<'static> =
    Nature { weight: 0, device: None, badness: None, doubt: Some(Doubt::Interrupted), level: false };

impl Kind for Interrupted {
    fn nature(&self) -> Nature<'_> {
        NATURE
    }
}

impl Kind for Failed {
    fn nature(&self) -> Nature<'_> {
        NATURE
    }
}

/// The two ways in which a step ends too early.
pub(super) enum Early {
    Interrupted(Interrupted),
    Failed(Failed),
}

/// Whether a run was cut short, so that not all of it was measured.
pub(super) fn cut_short(run: &Run) -> bool {
    !rule(run).is_empty()
}

fn certain(meaning: Early, step: &StepRecord) -> FindingOf<Early> {
    FindingOf::in_step(meaning, step, "events", Confidence::Certain)
}

/// Returns the interrupted or failed steps. After an interrupted step that is not the last, the run was continued.
pub(super) fn rule(run: &Run) -> Vec<FindingOf<Early>> {
    let interrupted =
        |step: &StepRecord| Early::Interrupted(Interrupted { after_s: step.ended.as_secs_f64() });
    let is_last = |step: &StepRecord| run.steps.last().is_some_and(|last| std::ptr::eq(last, step));
    // The step in progress has not ended yet, so it has not ended too early.
    let goes_on = run.still_running.is_some();
    let of_step = |step: &StepRecord| match step.ending {
        Ending::Interrupted if is_last(step) && !goes_on => Some(certain(interrupted(step), step)),
        Ending::Failed => Some(certain(Early::Failed(failed(step)), step)),
        _ => None,
    };
    let mut ended: Vec<FindingOf<Early>> = run.steps.iter().filter_map(of_step).collect();
    if let Some(last) = run.steps.last().filter(|_| !run.complete && !goes_on && ended.is_empty()) {
        // Cut off between two steps, for example by a kill: each step is whole, the run is not.
        ended.push(certain(interrupted(last), last));
    }
    ended
}

fn failed(step: &StepRecord) -> Failed {
    let errors: u64 = Direction::ALL.iter().map(|&direction| step.tally(direction).errors).sum();
    Failed {
        step: step.plan.name.clone(),
        errno: step.failures.first().map_or(0, |failure| failure.errno),
        count: errors.max(step.failures.len() as u64),
    }
}
