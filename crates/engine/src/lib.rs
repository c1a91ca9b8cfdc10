//! Workload and facts to plan to recorded run.

mod batch;
mod company;
mod conductor;
mod driver;
pub mod fill;
mod judge;
mod layout;
mod planner;
mod recorder;
mod rules;
pub mod verify;
mod worker;

pub use batch::Batch;
pub use driver::{EngineError, Null, Served, Volume, run_real, run_simulated};
pub use layout::layout_workload;
pub use planner::{Clones, FileGround, Ground, GroundKind, PlanError, idle_plan, plan};
pub use recorder::{Inbox, Recorder};
pub use rules::{Rules, Shift, Timetable};
pub use worker::{Failure, InFlight, SlotsView, Stopped, Wake, Worker, WorkerError};
