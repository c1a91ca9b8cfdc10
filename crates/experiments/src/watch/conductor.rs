//! Runs the phases of load cycles on a stage, one after the other, on a grid that does not drift.

use record::{Phase, PhaseKind, StepRecord};
use workload::{Ending, Nanos, StepPlan};

use super::load::WatchLoad;
use super::phases::{PhaseWhat, PlannedPhase};
use crate::conductor::{Audience, Stage, StageError};

/// What became of the phases.
#[derive(Debug, Default)]
pub struct Watched {
    /// Those that began, in their order.
    pub phases: Vec<Phase>,
    /// One a load phase that ran.
    pub steps: Vec<StepRecord>,
    /// Why the rest could not be run.
    pub failure: Option<StageError>,
}

/// Runs `phases` with `load` on `stage`. Each ends when it was planned to, counted from the start of the first: what a load
/// takes to drain comes out of the idle phase behind it. A wish to stop and a load that failed end the rest.
pub fn conduct_phases(
    phases: &[PlannedPhase],
    load: &WatchLoad,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> Watched {
    let start = stage.now();
    let mut watched = Watched::default();
    for planned in phases {
        let mut phase = begun(planned, stage.now(), start);
        audience.phase_started(&phase);
        match planned.what {
            PhaseWhat::Idle => stage.rest(start + planned.end, audience),
            PhaseWhat::Load(scale) => match run_load((planned, scale), load, stage, audience) {
                Ok(record) => watched.steps.push(record),
                Err(error) => watched.failure = Some(error),
            },
        }
        phase.to = stage.now();
        audience.phase_ended(&phase);
        watched.phases.push(phase);
        let over = |step: &StepRecord| matches!(step.ending, Ending::Failed | Ending::Interrupted);
        if watched.failure.is_some() || audience.interrupted() || watched.steps.last().is_some_and(over) {
            break;
        }
    }
    watched
}

/// The phase as it is stored when it begins: up to where it is planned to end.
fn begun(planned: &PlannedPhase, now: Nanos, start: Nanos) -> Phase {
    let kind = match planned.what {
        PhaseWhat::Idle => PhaseKind::Idle,
        PhaseWhat::Load(scale) => PhaseKind::Load { step: planned.name.clone(), scale },
    };
    Phase { name: planned.name.clone(), kind, from: now, to: start + planned.end }
}

fn run_load(
    (planned, scale): (&PlannedPhase, Option<f64>),
    load: &WatchLoad,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> Result<StepRecord, StageError> {
    let plan: StepPlan = stage.plan(&load.step(planned, scale))?;
    audience.step_started(&plan, stage.now());
    let record = stage.run(&plan, audience)?;
    audience.step_ended(&record);
    Ok(record)
}
