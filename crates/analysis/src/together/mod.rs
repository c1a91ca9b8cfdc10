//! Rates of several volumes at once: of each alone, of each beside the others, and of the budget that they share.

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
pub(crate) use loads::{CHANGED, ratio, reached, sum};
pub use loads::{LoadTogether, PartTogether, Reach, TogetherDoubt, VolumeTogether};
pub use looks::{Look as TogetherLook, Role as TogetherRole, look_together};
pub use machine::{MachineAnswer, MachineLimits, MachineRow};

use loads::TogetherLooks;

/// Half-width, as a share of its rate, above which the rate of a volume alone is not steady.
const STRAYS: f64 = 0.3;

/// The answer of `plimsoll check --together`: the rates of several volumes at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TogetherAnswer {
    /// Name of each volume, with its address as typed.
    pub volumes: Vec<(String, String)>,
    /// Loads, in the order in which they were asked.
    pub loads: Vec<LoadTogether>,
    /// The budgets that the volumes share, as far as detected.
    pub budgets: Vec<SharedBudget>,
    /// Rates of modest users of each volume beside a volume that is filled.
    pub beside: Vec<Beside>,
    /// How evenly the volumes divide their total.
    pub fairness: Option<Fairness>,
    /// Total rates of some of the volumes at once, if there are more than two.
    pub parts: Vec<PartTogether>,
    /// The published limits of the machine.
    pub machine: Option<MachineLimits>,
    /// Whether the run was stopped before its end.
    pub stopped: bool,
}

/// Returns the answer of `run`.
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

/// Opens the answer if the rate of a volume was not steady under one load: it may have been low under another by
/// chance.
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
    /// Whether the result of every load is known.
    pub fn is_known(&self) -> bool {
        !self.loads.is_empty() && self.loads.iter().all(|load| !matches!(load.reach, Reach::Open(_)))
    }

    /// Whether the machine allows less than its provider publishes.
    pub fn is_below(&self) -> bool {
        self.machine.as_ref().is_some_and(MachineLimits::is_below)
    }
}
