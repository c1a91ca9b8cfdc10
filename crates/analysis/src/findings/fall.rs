//! The rate fell by a step during the run.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::figures::Figures;
use crate::finding::{Confidence, Found, Kind, Nature};
use crate::plateaus::iops_cap;

/// The rate fell by a step during the run, from `before` to `after` a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepDown {
    pub step: String,
    pub at: Nanos,
    pub before: f64,
    pub after: f64,
}

impl Kind for StepDown {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, is_level: false }
    }
}

/// The fall between the ladder of the beginning and the rung that ran again ([`crate::figures`] says how much is one).
pub(super) fn rule(run: &Run, figures: &Figures) -> Option<Found<StepDown>> {
    let again = figures.fallen.as_ref()?;
    let before = iops_cap(&figures.depths, again.direction)?.level.value;
    let step = run.steps.iter().find(|step| step.plan.name == again.step)?;
    let meaning = StepDown { step: again.step.clone(), at: step.started, before, after: again.iops.value };
    Some(Found::in_step(meaning, step, "rate", Confidence::Certain))
}
