//! Options common to all measuring commands: when to begin, where the result goes, and who sees it.

use std::path::PathBuf;

use clap::Args;
use session::StartAt;
use workload::Nanos;

use super::start_at::start_at;
use super::{Format, OnlookerArguments, ShownArguments, patience};

/// How a command that measures begins, and where its result goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct MeasureArguments {
    /// Measure although somebody else is using the device
    #[arg(long)]
    pub busy: bool,
    /// Say what would be done, with reasons, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Give a device up that answers nothing for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = patience)]
    pub give_up: Nanos,
    /// Begin the load at this time, on all machines together: 14:30:00, a date and time, or @SECONDS since 1970; with -, each
    /// step at the time that the next line on stdin gives
    #[arg(long, value_name = "TIME", value_parser = start_at)]
    pub start_at: Option<StartAt>,
    /// Form of the result on stdout; JSON always has all findings
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Folder for run file and report [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What is shown besides the result
    #[command(flatten)]
    pub shown: ShownArguments,
    /// Who looks while it runs
    #[command(flatten)]
    pub onlookers: OnlookerArguments,
}
