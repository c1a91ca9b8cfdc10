//! The answer to what a procedure was asked, from its run.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::Asked;

use crate::drained::BurstAnswer;
use crate::figures::Figures;
use crate::mapped::MapAnswer;
use crate::places::PlacesAnswer;
use crate::sought::HeadroomAnswer;
use crate::together::TogetherAnswer;
use crate::{Finding, drained, mapped, places, sought, together};

/// The answer to what a procedure was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "procedure", rename_all = "snake_case")]
pub enum Answered {
    /// Of `plimsoll burst`: the levels of a volume that is drained on purpose.
    Burst(BurstAnswer),
    /// Of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
    Headroom(Box<HeadroomAnswer>),
    /// Of `plimsoll map`: what block size, depth and mix bear.
    Map(MapAnswer),
    /// Of `plimsoll where`: how places of a volume differ.
    Places(PlacesAnswer),
    /// Of `plimsoll check --together`: what several volumes bear at once.
    Together(TogetherAnswer),
}

/// The answer that `run` gives, where a procedure was asked for more than its steps say.
pub(crate) fn answered(run: &Run, figures: &Figures, findings: &[Finding]) -> Option<Answered> {
    Some(match run.asked.as_ref()? {
        Asked::Burst(asked) => Answered::Burst(drained::answer(run, figures, asked)),
        Asked::Headroom(asked) => Answered::Headroom(Box::new(sought::answer(run, figures, asked))),
        // One side alone answers nothing: `compare` reads both.
        Asked::InTurns(_) => return None,
        Asked::Map(asked) => Answered::Map(mapped::answer(run, asked, (figures, findings))),
        Asked::Places(asked) => Answered::Places(places::answer(run, figures, asked)),
        Asked::Together(asked) => Answered::Together(together::answer(run, asked)),
    })
}
