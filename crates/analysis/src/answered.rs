//! The answer of a run to the procedure that was requested.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::{CheckPlan, CheckRequest, ProcedureRequest};

use crate::burst::{self, BurstAnswer};
use crate::figures::figures;
use crate::ground::Ground;
use crate::headroom::{self, HeadroomAnswer};
use crate::map::{self, MapAnswer};
use crate::merged::{self, MergedAnswer};
use crate::places::{self, PlacesAnswer};
use crate::sittings::part_of;
use crate::soak::{self, SoakAnswer};
use crate::together::{self, TogetherAnswer};
use crate::verdict::Answer;

/// The answer of one procedure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "procedure", rename_all = "snake_case")]
pub enum ProcedureAnswer {
    /// `plimsoll burst`: the levels of a volume that is drained on purpose.
    Burst(BurstAnswer),
    /// `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
    Headroom(Box<HeadroomAnswer>),
    /// `plimsoll map`: what each block size, depth and mix reaches.
    Map(MapAnswer),
    /// `plimsoll where`: how places of a volume differ.
    Places(PlacesAnswer),
    /// `plimsoll check --together`: what several volumes reach at once.
    Together(TogetherAnswer),
    /// A check with other procedures as its parts; the answers to its claims are in the verdict.
    Check(CheckAnswer),
    /// A check's soak: shares of time, and drift.
    Soak(Box<SoakAnswer>),
    /// `plimsoll merge`: what several machines had together.
    Merged(MergedAnswer),
}

/// The answers of a check's parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// Which kind of check ran.
    pub plan: CheckPlan,
    /// Answers of the parts that ran, in that order.
    pub parts: Vec<ProcedureAnswer>,
}

impl ProcedureAnswer {
    /// Returns the answers in this one: those of a check's parts, or itself.
    pub fn each(&self) -> &[ProcedureAnswer] {
        match self {
            ProcedureAnswer::Check(check) => &check.parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Returns how the command whose result this is ends; `None` if that follows from the verdict.
    ///
    /// `burst`: measured if a burst was seen to end, or none was seen and the policy has none. `headroom`: measured if a rate was found, and below if a promise is not kept;
    /// at given rates measured if the bounds held at each, and below if they surely did not at one; consistent with a burst if
    /// the policy's pays for it. `check --together`: below a
    /// promise, or measured if it is known what is shared. `merge`: measured if each machine has a step in common with the others,
    /// and `--alone` could tell. Otherwise it cannot tell.
    pub(crate) fn outcome(&self) -> Option<Answer> {
        let if_known = |is_known| if is_known { Answer::Measured } else { Answer::CannotTell };
        match self {
            ProcedureAnswer::Burst(answer) => Some(if_known(answer.is_known())),
            ProcedureAnswer::Headroom(answer) => Some(answer.outcome()),
            ProcedureAnswer::Together(answer) if answer.is_below() => Some(Answer::Below),
            ProcedureAnswer::Together(answer) => Some(if_known(answer.is_known())),
            ProcedureAnswer::Merged(answer) => Some(if_known(answer.is_whole())),
            _ => None,
        }
    }
}

/// Returns the answer that `run` gives, if the procedure asks for more than its steps show.
pub(crate) fn answered(run: &Run, ground: Ground<'_>) -> Option<ProcedureAnswer> {
    of_asked(run, run.asked.as_ref()?, ground)
}

fn of_asked(run: &Run, asked: &ProcedureRequest, ground: Ground<'_>) -> Option<ProcedureAnswer> {
    let Ground { figures, findings, limits, .. } = ground;
    Some(match asked {
        ProcedureRequest::Burst(asked) => ProcedureAnswer::Burst(burst::answer(run, figures, asked)),
        ProcedureRequest::Headroom(asked) => {
            ProcedureAnswer::Headroom(Box::new(headroom::answer(run, &ground, asked)))
        }
        // A single side answers nothing: `compare` reads both.
        ProcedureRequest::Turns(_) => return None,
        ProcedureRequest::Map(asked) => ProcedureAnswer::Map(map::answer(run, asked, (figures, findings))),
        ProcedureRequest::Places(asked) => ProcedureAnswer::Places(places::answer(run, figures, asked)),
        ProcedureRequest::Together(asked) => ProcedureAnswer::Together(together::answer(run, asked)),
        ProcedureRequest::Soak(asked) => ProcedureAnswer::Soak(Box::new(soak::answer(run, asked, limits))),
        ProcedureRequest::Merged(asked) => ProcedureAnswer::Merged(merged::answer(run, asked)),
        ProcedureRequest::Check(asked) => return of_check(run, asked, ground),
    })
}

/// Returns the answers of a check's parts. A soak alone is the whole answer of its check; without parts, as in a
/// quick check, the verdict is the answer.
fn of_check(run: &Run, asked: &CheckRequest, ground: Ground<'_>) -> Option<ProcedureAnswer> {
    let part = |one: &ProcedureRequest| {
        let own = part_of(run, one);
        if own.steps.is_empty() {
            return None;
        }
        match one.part_name() {
            Some(_) => of_asked(&own, one, Ground { figures: &figures(&own), ..ground }),
            None => of_asked(&own, one, ground),
        }
    };
    let mut parts: Vec<ProcedureAnswer> = asked.parts.iter().filter_map(part).collect();
    if let [ProcedureAnswer::Soak(_)] = parts.as_slice() {
        return parts.pop();
    }
    (!parts.is_empty()).then_some(ProcedureAnswer::Check(CheckAnswer { plan: asked.plan, parts }))
}
