//! Runs the phases of load cycles on a runner, one after the other, on a schedule that does not drift.

use record::{Observer, Phase, PhaseKind, StepRecord};
use workload::Nanos;

use experiments::{Layout, PhaseWhat, PlannedPhase, WatchLoad, layout_step, was_cut_short};

use crate::runner::{Runner, RunnerError, run_one};

/// Maximum time for laying out real data; of a region that is not full by then, only the filled part is used.
const LAYOUT_MOST: Nanos = Nanos::from_secs(300);
/// Seed of the data that is laid out.
const LAYOUT_SEED: u64 = 1;

/// Outcome of the phases.
#[derive(Debug, Default)]
pub struct PhasesRun {
    /// Phases that began, in order.
    pub phases: Vec<Phase>,
    /// A step for each load phase that ran.
    pub steps: Vec<StepRecord>,
    /// Why the remaining phases could not be run.
    pub failure: Option<RunnerError>,
}

/// Runs `phases` with `load` on `runner`. Each ends at its planned time after the start of the first: the time a load
/// takes to drain is taken from the idle phase after it. A stop request or a failed load cancels the remaining phases.
pub fn conduct_phases(
    phases: &[PlannedPhase],
    load: &WatchLoad,
    runner: &mut dyn Runner,
    observer: &mut dyn Observer,
) -> PhasesRun {
    let start = runner.now();
    let mut ran = PhasesRun::default();
    for planned in phases {
        let mut phase = begun(planned, runner.now(), start);
        observer.phase_started(&phase);
        match planned.what {
            PhaseWhat::Idle => runner.rest(start + planned.end, observer),
            PhaseWhat::Load(scale) => match run_one(&load.step(planned, scale), runner, observer) {
                Ok(record) => ran.steps.push(record),
                Err(error) => ran.failure = Some(error),
            },
        }
        phase.to = runner.now();
        observer.phase_ended(&phase);
        ran.phases.push(phase);
        if ran.failure.is_some() || observer.interrupted() || ran.steps.last().is_some_and(was_cut_short) {
            break;
        }
    }
    ran
}

/// Returns a phase that begins now, as it is stored: up to its planned end.
fn begun(planned: &PlannedPhase, now: Nanos, start: Nanos) -> Phase {
    let kind = match planned.what {
        PhaseWhat::Idle => PhaseKind::Idle,
        PhaseWhat::Load(scale) => PhaseKind::Load { step: planned.name.clone(), scale },
    };
    Phase { name: planned.name.clone(), kind, from: now, to: start + planned.end }
}

/// Checks that every load phase can be planned, so that a load that does not fit the target is refused before
/// anything is written or waited for.
///
/// # Errors
/// [`RunnerError`] of the first phase that cannot be planned.
pub fn check_phases(
    phases: &[PlannedPhase],
    load: &WatchLoad,
    runner: &dyn Runner,
) -> Result<(), RunnerError> {
    phases.iter().try_for_each(|planned| match planned.what {
        PhaseWhat::Idle => Ok(()),
        PhaseWhat::Load(scale) => runner.plan(&load.step(planned, scale)).map(drop),
    })
}

/// Prepares the target before the first phase: the runner's own files, and real data in the region if `layout` says
/// so.
///
/// # Errors
/// [`RunnerError`] if the layout could not be run.
pub fn lay_out(
    layout: Layout,
    runner: &mut dyn Runner,
    observer: &mut dyn Observer,
) -> Result<Option<StepRecord>, RunnerError> {
    runner.prepare()?;
    layout_step(layout, LAYOUT_SEED, LAYOUT_MOST).map(|step| run_one(&step, runner, observer)).transpose()
}
