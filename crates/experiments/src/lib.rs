//! Check, burst, map, headroom, where, several volumes at once, quick looks, profiles and load cycles as procedures:
//! given the records so far, a procedure returns the next step, or none. They do no I/O: `session` runs the steps.

mod burst;
mod check;
mod headroom;
mod layout;
mod map;
mod places;
mod plans;
mod profile;
mod quick;
mod soak;
mod step;
mod together;
mod turns;
mod watch;

pub use burst::{BurstForecast, burst_forecast, burst_left, next_burst_step};
pub use check::{
    AS_CLAIMED, AS_CLAIMED_EVEN, CheckAsk, Effort, Group, GroupForecast, OmissionReason, Span, foreseen,
    left_out, next_step, outline, seconds_left, seconds_most, seconds_usual,
};
pub use headroom::{HeadroomAsk, headroom_seconds, headroom_seconds_left, next_headroom_step};
pub use layout::{LAYOUT_GUESS, layout_step};
pub use map::{
    Cells, MapAsk, map_foreseen, map_left_out, map_outline, map_seconds_left, map_seconds_most,
    map_seconds_usual, next_map_step,
};
pub use places::{PlacesAsk, next_places_step, places_seconds, places_written};
pub use plans::{
    PartAsk, PlanAsk, PlanSeconds, next_plan_step, part_shares, plan_left_out, plan_seconds,
    plan_seconds_left,
};
pub use profile::{Mistake, Profile, ProfileError, ProfileStep, ProfileTable, profile_names, profile_text};
pub use quick::{PastCache, QuickAsk, next_quick_step, quick_seconds};
pub use soak::SoakAsk;
pub use step::{Layout, Step, Writes, was_cut_short};
pub use together::{
    TogetherAsk, next_together_step, together_looks_most, together_seconds, together_seconds_left,
};
pub use turns::{BLOCKS_MIN, Turn, TurnsAsk, block_seconds, blocks_done, look_at, next_turn, turns_seconds};
pub use watch::{
    Anomalies, CycleError, Cycles, LoadError, Nominal, PhaseWhat, PlannedPhase, ScaleError, WatchLoad,
    not_looked, scale_words, scales,
};
