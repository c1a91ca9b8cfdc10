//! Check as a procedure: given what is known, the next step or done; and the stages on which steps run.

mod check;
mod conductor;
mod idle;

pub use check::{AS_CLAIMED, CheckAsk, Effort, Layout, Step, Writes, next_step, seconds_most};
pub use conductor::{Audience, Stage, StageError, conduct};
pub use idle::{Use, between};
