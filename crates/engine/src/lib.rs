//! Turns a workload and facts about its target into a plan, and a plan into a recorded run.

mod batch;
mod certainty;
mod coordinator;
mod driver;
pub mod fill;
mod lateness;
mod layout;
mod planner;
mod recorder;
mod rules;
mod told;
pub mod verify;
mod worker;
mod worker_set;

pub use batch::Batch;
pub use driver::{EngineError, Null, Volume, VolumeAnswer, run_real, run_simulated};
pub use layout::layout_workload;
pub use planner::{Clones, FileFacts, PlanError, PlanTarget, PlanTargetKind, idle_plan, plan};
pub use recorder::{CollectorEnd, Recorder};
pub use rules::{Rules, Schedule, Timetable};
pub use worker::{Failure, InFlight, SlotsView, StopReason, Wake, Worker, WorkerError};
