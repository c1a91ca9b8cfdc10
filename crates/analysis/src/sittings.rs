//! The steps of a run that was continued after a stop, and those of each part of a run.

use std::borrow::Cow;

use record::{Run, StepRecord};
use workload::{Nanos, ProcedureRequest, StepPlan, part_of_name};

/// Longest pause between steps of one sitting: I/Os in flight complete, files are opened, and a silent device is
/// usually not waited for any longer.
const PAUSE: Nanos = Nanos::from_secs(10);

/// Returns the time from the start of the first step to the end of the last, without the gaps between sittings.
pub fn in_sittings(done: &[StepRecord]) -> Nanos {
    let Some((first, last)) = done.first().zip(done.last()) else { return Nanos::ZERO };
    let between = done.windows(2).map(|pair| pair[1].started.since(pair[0].ended));
    let away = between.filter(|&gap| gap > PAUSE).fold(Nanos::ZERO, |all, gap| all + gap);
    last.ended.since(first.started).since(away)
}

/// Returns the steps of the part named `part`, by their names within it; without a name, steps of no part.
pub fn own_steps<'s>(steps: &'s [StepRecord], part: Option<&str>) -> Cow<'s, [StepRecord]> {
    if part.is_none() && steps.iter().all(|step| part_of_name(&step.plan.name).is_none()) {
        return Cow::Borrowed(steps);
    }
    let own = |step: &StepRecord| match (part_of_name(&step.plan.name), part) {
        (None, None) => Some(step.clone()),
        (Some((of, name)), Some(part)) if of == part => {
            let plan = StepPlan { name: name.to_owned(), ..step.plan.clone() };
            Some(StepRecord { plan, ..step.clone() })
        }
        _ => None,
    };
    steps.iter().filter_map(own).collect()
}

/// Returns the run as if the part requested by `asked` had run alone.
pub(crate) fn part_of(run: &Run, asked: &ProcedureRequest) -> Run {
    let steps = own_steps(&run.steps, asked.part_name()).into_owned();
    Run { asked: Some(asked.clone()), steps, ..run.clone() }
}

/// Whether steps of `run` belong to parts.
pub(crate) fn has_parts(run: &Run) -> bool {
    let of_part = |step: &StepRecord| part_of_name(&step.plan.name).is_some();
    matches!(run.asked, Some(ProcedureRequest::Check(_))) && run.steps.iter().any(of_part)
}

/// Returns the run without the steps of its parts.
pub(crate) fn without_parts(run: &Run) -> Run {
    Run { steps: own_steps(&run.steps, None).into_owned(), ..run.clone() }
}
