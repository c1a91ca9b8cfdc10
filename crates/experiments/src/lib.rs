//! Check as a procedure: given what is known, the next step or done; and the stages on which steps run.

mod check;
mod conductor;
mod idle;
mod scene;
mod stage;
mod target;

pub use check::{
    AS_CLAIMED, CheckAsk, Effort, Layout, Step, Writes, bytes_written_most, next_step, outline, seconds_most,
};
pub use conductor::{Audience, Shares, Stage, StageError, conduct};
pub use idle::{Use, between};
pub use scene::{Scene, SceneError, set_scene};
pub use stage::{RealStage, VirtualStage};
pub use target::{OneFile, OpenTarget, OpenTargetError, Wish, open_own_device, open_path};
