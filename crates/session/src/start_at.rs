//! A time of day at which the load begins, so that several machines can begin together.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use record::{Event, EventKind, Observer};
use workload::{Nanos, StepKind, StepPlan};

use crate::output;

/// Longest sleep between two looks whether the user wants to stop.
const SLICE: Duration = Duration::from_millis(50);

static AT: Mutex<Option<SystemTime>> = Mutex::new(None);

/// Makes the first step under load of this process begin at `at`; what comes before it, such as the layout, does not
/// wait.
pub fn begin_at(at: SystemTime) {
    *AT.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(at);
}

/// Waits for the time if `plan` is the first step under load; reports a time that has passed by `now` on the run's clock.
pub(crate) fn wait_for(plan: &StepPlan, now: Nanos, observer: &mut dyn Observer) {
    if matches!(plan.kind, StepKind::Idle | StepKind::Layout) {
        return;
    }
    let Some(at) = AT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() else { return };
    match at.duration_since(SystemTime::now()) {
        Ok(left) => {
            output::people(&format!(
                "  ready; the load begins in {}",
                Nanos::from_secs_f64(left.as_secs_f64())
            ));
            sleep_until(at, observer);
        }
        Err(passed) => {
            let late = Nanos::from_secs_f64(passed.duration().as_secs_f64());
            let text =
                format!("the load began {late} after the time of --start-at: the preparation took longer");
            output::people(&format!("  {text}"));
            observer.event(&Event { at: now, kind: EventKind::Warning, text });
        }
    }
}

fn sleep_until(at: SystemTime, observer: &mut dyn Observer) {
    while let (Ok(left), false) = (at.duration_since(SystemTime::now()), observer.interrupted()) {
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(SLICE));
    }
}
