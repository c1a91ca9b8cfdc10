//! The nouns of what is asked and of what will run: units, targets, jobs, plans, and the check that they agree.
//!
//! Nothing in this crate touches the world: no clock, no file, no environment. Every other crate imports it.

mod access;
mod agree;
mod expect;
mod io;
mod job;
mod pace;
mod plan;
mod stop;
mod target;
mod units;

pub use access::{Access, Mix, Order, Repeats};
pub use agree::{Disagreement, agree};
pub use expect::{Claim, Expectation, ExpectationError, Metric};
pub use io::{Direction, Done, Io, IoKind, Wait};
pub use job::{BackendAsk, Buffers, Flush, Job, Verify, Workload};
pub use pace::Pace;
pub use plan::{BackendKind, BlockSizes, Choice, FilePlan, StepKind, StepPlan, WorkerPlan};
pub use stop::{Ending, StopRule};
pub use target::{PolicyName, Target, TargetError};
pub use units::{Bytes, BytesPerSecond, Iops, Nanos, UnitError, duration, rate, size};
