//! Check, quick looks, profiles and load cycles as procedures: given what is known, the next step or done. They touch
//! nothing: `session` runs what they decide.

mod check;
mod layout;
mod places;
mod profile;
mod quick;
mod step;
mod watch;

pub use check::{
    AS_CLAIMED, AS_CLAIMED_EVEN, CheckAsk, Effort, Foreseen, Group, LeftOut, Span, foreseen, left_out,
    next_step, outline, seconds_left, seconds_most, seconds_usual,
};
pub use layout::{LAYOUT_GUESS, layout_step};
pub use places::{PlacesAsk, next_places_step, places_seconds};
pub use profile::{Profile, ProfileError, ProfileStep, ProfileTable, profile_names, profile_text};
pub use quick::{PastCache, QuickAsk, next_quick_step, quick_seconds};
pub use step::{Layout, Step, Writes};
pub use watch::{
    Anomalies, CycleError, Cycles, LoadError, Nominal, PhaseWhat, PlannedPhase, ScaleError, WatchLoad,
    scale_words, scales,
};
