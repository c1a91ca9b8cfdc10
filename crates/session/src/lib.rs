//! One way to run a load: the target is set up, and the steps of a procedure run on a runner one after another,
//! reported to one observer that stores and shows them.

pub mod browser;
mod busiest;
pub mod command;
pub mod failure;
pub mod files;
mod idle;
pub mod inputs;
mod keys;
mod live;
pub mod named_input;
pub mod onlookers;
mod opening;
pub mod output;
mod phases;
pub mod place;
mod procedure;
pub mod progress;
mod recorder;
mod region;
pub mod run;
mod runner;
pub mod running;
mod setup;
pub mod signals;
mod start_at;
pub mod together;
pub mod turns;
pub mod watch;
pub mod watchdog;

pub use idle::{Use, between};
pub use opening::{
    Holes, OneFile, OpenTarget, OpenTargetError, Wish, WriteTarget, leave_to_write, named, open_own_device,
    open_path, tell_what_goes, unwritten, usual_region,
};
pub use phases::{PhasesRun, check_phases, conduct_phases, lay_out};
pub use procedure::{Procedure, run_steps};
pub use runner::{NamedRunner, NullRunner, RealRunner, Runner, RunnerError, Shares, VirtualRunner, conduct};
pub use setup::{Setup, SetupError, null_setup, set_up, set_up_watch};
pub use start_at::{StartAt, begin_at, since_1970};
