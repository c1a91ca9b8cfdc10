//! Starts the engine on files and devices.

use engine::{EngineError, run_real};
use kernel::{Clock, OpenFile};
use record::{Observer, StepRecord};
use workload::StepPlan;

/// Runs `plan` on the open files of its workers, in real time: the only place that starts the engine on files and
/// devices of this machine.
pub(crate) fn drive(
    plan: &StepPlan,
    files: &[Vec<OpenFile>],
    clock: Clock,
    observer: &mut dyn Observer,
) -> Result<StepRecord, EngineError> {
    run_real(plan, files, clock, observer)
}
