//! Check and watch as procedures: given what is known, the next step or done; and the stages on which steps run.

mod check;
mod conductor;
mod idle;
mod layout;
mod profile;
mod quick;
mod scene;
mod stage;
mod target;
mod watch;

pub use check::{
    AS_CLAIMED, CheckAsk, Effort, Layout, Step, Writes, bytes_written_most, next_step, outline, seconds_most,
};
pub use conductor::{Audience, Shares, Stage, StageError, conduct};
pub use idle::{Use, between};
pub use profile::{Profile, ProfileError, ProfileStep, ProfileTable, profile_names, profile_text};
pub use quick::{PastCache, QuickAsk, next_quick_step, quick_seconds};
pub use scene::{Scene, SceneError, null_scene, set_scene, set_watch_scene};
pub use stage::{NullStage, RealStage, VirtualStage};
pub use target::{OneFile, OpenTarget, OpenTargetError, Wish, open_own_device, open_path};
pub use watch::{
    CycleError, Cycles, LoadError, Lookout, Nominal, PhaseWhat, PlannedPhase, SampledStage, ScaleError,
    WatchLoad, Watched, check_phases, conduct_phases, lay_out, scale_words, scales,
};
