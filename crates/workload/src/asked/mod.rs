//! What a procedure was asked: stored with the run, so that its answer can be made again, and the procedure resumed.

mod burst;
mod check;
mod headroom;
mod in_turns;
mod map;
mod places;
mod soak;
mod together;

pub use burst::{BurstAsked, BurstOf};
pub use check::{CheckAsked, CheckPlan, name_in_part, part_of_name};
pub use headroom::{HeadroomAsked, LatencyBound, LoadPart};
pub use in_turns::InTurns;
pub use map::MapAsked;
pub use places::PlacesAsked;
pub use soak::SoakAsked;
pub use together::{NamedMachine, TogetherAsked, TogetherLoad, TogetherVolume};

use serde::{Deserialize, Serialize};

/// What a run was asked, where it was more than its steps say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "procedure", rename_all = "snake_case")]
pub enum Asked {
    /// `plimsoll burst`: the levels of a volume that is drained on purpose.
    Burst(BurstAsked),
    /// `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
    Headroom(HeadroomAsked),
    /// `plimsoll map`: what block size, depth and mix bear.
    Map(MapAsked),
    /// `plimsoll where`: how places of a volume differ.
    Places(PlacesAsked),
    /// `plimsoll compare` of targets: one side of those that are loaded in turns.
    InTurns(InTurns),
    /// `plimsoll check --together`: what several volumes bear at once.
    Together(TogetherAsked),
    /// `plimsoll check`: its plan, and what the procedures were asked that are parts of it.
    Check(Box<CheckAsked>),
    /// The soak of a check: the same load for hours.
    Soak(SoakAsked),
}
