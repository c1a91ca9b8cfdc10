//! What several volumes reach at once: what each has alone, what is left of it beside the others, and the budget
//! that they share.

mod beside;
mod budgets;
mod loads;
mod looks;
mod machine;

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Ending, TogetherRequest};

use crate::shortage::Shortage;

pub use beside::{Beside, Fairness};
pub use budgets::{BudgetTransfer, SharedBudget, Standing, half_load, other_block};
pub use loads::{LoadTogether, PartTogether, Reach, TogetherDoubt, VolumeTogether};
pub use looks::{Look as TogetherLook, Role as TogetherRole, look_together};
pub use machine::{MachineAnswer, MachineLimits, MachineRow};

use loads::TogetherLooks;

/// Half-width, as a share of its rate, above which a volume alone does not hold still.
const STRAYS: f64 = 0.3;

/// What several volumes bear at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherAnswer {
    /// Name of each volume, and what was typed for it.
    pub volumes: Vec<(String, String)>,
    /// Loads, in the order in which they were asked.
    pub loads: Vec<LoadTogether>,
    /// The budgets that they share, as far as they were found.
    pub budgets: Vec<SharedBudget>,
    /// What each volume leaves to a modest user of the others.
    pub beside: Vec<Beside>,
    /// How even the division is.
    pub fairness: Option<Fairness>,
    /// What some of them have at once, if there are more than two.
    pub parts: Vec<PartTogether>,
    /// The published limits of the machine.
    pub machine: Option<MachineLimits>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

/// Returns the answer that `run` gives.
pub(crate) fn answer(run: &Run, asked: &TogetherRequest) -> TogetherAnswer {
    let shortage = Shortage::of(run);
    let generator = |step: &StepRecord| shortage.of_step(step).lost;
    let seen = TogetherLooks::of(&run.steps, asked);
    let mut loads: Vec<LoadTogether> = asked.loads.iter().map(|load| seen.load(*load, &generator)).collect();
    doubt_who_swings(&mut loads);
    let budgets = budgets::budgets(&seen, &loads);
    let held = loads.iter().find(|load| load.reach == Reach::Held);
    TogetherAnswer {
        volumes: asked.volumes.iter().map(|volume| (volume.label.clone(), volume.words.clone())).collect(),
        beside: beside::beside(&seen),
        fairness: held.and_then(beside::fairness),
        parts: seen.parts(&loads),
        machine: asked.machine.as_ref().and_then(|named| machine::held(named, &loads, &budgets)),
        stopped: run.steps.last().is_some_and(|step| step.ending == Ending::Interrupted),
        loads,
        budgets,
    }
}

/// Opens the answer if a volume did not hold still under one load: it may have been low by chance when all had another load.
fn doubt_who_swings(loads: &mut [LoadTogether]) {
    let strays =
        |row: &VolumeTogether| row.alone.is_some_and(|alone| alone.half_width() > STRAYS * alone.value);
    let swings = loads.iter().find_map(|load| match load.reach {
        Reach::Open(TogetherDoubt::Changed(volume)) => Some(volume),
        _ => load.rows.iter().position(strays),
    });
    let Some(volume) = swings else { return };
    for load in loads.iter_mut().filter(|load| load.reach == Reach::Held) {
        load.reach = Reach::Open(TogetherDoubt::Changed(volume));
    }
}

impl TogetherAnswer {
    /// Whether every load showed something.
    pub fn is_known(&self) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| !matches!(load.reach, Reach::Open(_)))
    }

    /// Whether the machine lets less through than its provider publishes.
    pub fn is_below(&self) -> bool {
        self.machine.as_ref().is_some_and(MachineLimits::is_below)
    }
}
