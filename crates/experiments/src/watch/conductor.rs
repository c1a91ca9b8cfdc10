//! Runs the phases of load cycles on a stage, one after the other, on a grid that does not drift.

use record::{Phase, PhaseKind, StepRecord};
use workload::{Ending, Nanos};

use super::load::WatchLoad;
use super::phases::{PhaseWhat, PlannedPhase};
use crate::check::Layout;
use crate::conductor::{Audience, Stage, StageError, run_one};
use crate::layout::layout_step;

/// The longest that real data are laid out; a region that is not full by then is used as far as it is.
const LAYOUT_MOST: Nanos = Nanos::from_secs(300);
/// Seed of what is laid out.
const LAYOUT_SEED: u64 = 1;

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

/// Whether every load phase can be planned: what does not fit the target should be known before anything is written or
/// waited for.
///
/// # Errors
/// [`StageError`] of the first that cannot.
pub fn check_phases(phases: &[PlannedPhase], load: &WatchLoad, stage: &dyn Stage) -> Result<(), StageError> {
    phases.iter().try_for_each(|planned| match planned.what {
        PhaseWhat::Idle => Ok(()),
        PhaseWhat::Load(scale) => stage.plan(&load.step(planned, scale)).map(drop),
    })
}

/// Makes everything ready before the first phase: the stage's own files, and real data over the region where `layout` says
/// so.
///
/// # Errors
/// [`StageError`] where it could not be run.
pub fn lay_out(
    layout: Layout,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> Result<Option<StepRecord>, StageError> {
    stage.prepare()?;
    layout_step(layout, LAYOUT_SEED, LAYOUT_MOST).map(|step| run_one(&step, stage, audience)).transpose()
}

fn run_load(
    (planned, scale): (&PlannedPhase, Option<f64>),
    load: &WatchLoad,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> Result<StepRecord, StageError> {
    run_one(&load.step(planned, scale), stage, audience)
}
