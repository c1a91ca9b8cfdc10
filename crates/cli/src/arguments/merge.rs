//! The arguments of `plimsoll merge`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `plimsoll merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll merge web-1.plimsoll web-2.plimsoll
  plimsoll merge a=first.plimsoll b=second.plimsoll --clock b=-350ms
  plimsoll merge fleet/                          every run file of a folder
  plimsoll merge fleet/ --alone alone/           do they share a limit?

On every machine, to begin together:
  plimsoll run database /mnt/vol --start-at 14:30:00 --out fleet

Steps of the same name that ran at the same time become one step. Its rates are
those of the time in which all machines were counting; its counts and its
percentiles are those of all I/Os, exactly. Each machine keeps its row, and from
three machines on, those are named whose rate is odd. Machines are called by
their host names, or as NAME=RUN says. Exit codes: 0 merged, 2 nothing to merge,
4 a machine has no step in common with the others, or --alone cannot tell.")]
pub(crate) struct MergeArguments {
    /// Run files, or NAME=FILE for a name of your own, or folders with run files
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
    /// Runs of the same steps, each with one machine loaded by itself: shows whether the machines share a limit
    #[arg(long, value_name = "RUN")]
    pub alone: Vec<String>,
    /// Correct the clock of a machine: add this time to all of its times
    #[arg(long, value_name = "NAME=±TIME", allow_hyphen_values = true)]
    pub clock: Vec<String>,
    /// Form of the result on stdout; JSON always has all findings
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Folder for run file and report [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
