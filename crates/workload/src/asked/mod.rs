//! Parameters of a procedure, stored with the run so that its answer can be computed again and the procedure resumed.

mod burst;
mod check;
mod headroom;
mod map;
mod merged;
mod places;
mod soak;
mod together;
mod turns;

pub use burst::{BurstOf, BurstRequest};
pub use check::{CheckPlan, CheckRequest, name_in_part, part_of_name};
pub use headroom::{HeadroomRequest, LatencyBound, LoadPart};
pub use map::MapRequest;
pub use merged::{AloneRate, LeftOutReason, LeftOutStep, MergedMachine, MergedPart, MergedRequest};
pub use places::PlacesRequest;
pub use soak::SoakRequest;
pub use together::{NamedMachine, TogetherLoad, TogetherRequest, TogetherVolume};
pub use turns::TurnsRequest;

use serde::{Deserialize, Serialize};

/// Parameters of a run's procedure, if they are more than its steps show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "procedure", rename_all = "snake_case")]
pub enum ProcedureRequest {
    /// `plimsoll burst`: the levels of a volume that is drained on purpose.
    Burst(BurstRequest),
    /// `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
    Headroom(HeadroomRequest),
    /// `plimsoll map`: what block sizes, depths and mixes the volume bears.
    Map(MapRequest),
    /// `plimsoll where`: how places of a volume differ.
    Places(PlacesRequest),
    /// `plimsoll compare` on targets: one side of those that are loaded in turns.
    #[serde(rename = "in_turns")]
    Turns(TurnsRequest),
    /// `plimsoll check --together`: what several volumes bear at once.
    Together(TogetherRequest),
    /// `plimsoll check`: its plan, and the parameters of procedures that are parts of it.
    Check(Box<CheckRequest>),
    /// The soak of a check: the same load for hours.
    Soak(SoakRequest),
    /// `plimsoll merge`: the runs of several machines as one.
    Merged(MergedRequest),
}
