//! The arguments of `plimsoll profile`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Format;

/// `plimsoll profile`.
#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// What to do
    #[command(subcommand)]
    pub action: ProfileAction,
}

/// What to do with the profiles.
#[derive(Debug, Subcommand)]
pub(crate) enum ProfileAction {
    /// All profiles, a line each
    List {
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// One profile: what it imitates, what its figures tell, what it leaves out
    #[command(after_help = "\
Examples:
  plimsoll profile show database
  plimsoll profile show database --toml > mine.toml")]
    Show {
        /// Its name
        profile: String,
        /// Print its TOML instead, as a start for one of your own
        #[arg(long, conflicts_with = "format")]
        toml: bool,
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// The load of a recording or a trace as a profile, or as a fio job file
    From(FromArguments),
}

/// `plimsoll profile from`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll watch --for 10m                       record what the disks do
  plimsoll profile from > mine.toml              the newest run's load
  plimsoll run mine.toml sim:aws-gp3             and run it elsewhere
  plimsoll profile from watch.plimsoll --device vdb --out mine.toml
  plimsoll profile from iostat.txt --format fio --out mine.fio
  fio --name=app --write_iolog=app.log ...; plimsoll profile from app.log
  plimsoll profile from app.log --verify         beside a replay, simulated
  plimsoll profile from app.log --verify /mnt/vol

A recording is a run file, or what iostat, sar or another tool printed
(plimsoll import says which): it has counters. A trace is fio's iolog or the
binary output of blktrace: it has every I/O. Comments in the profile say what
each figure is taken from, and what is not known.

With --verify stdout has the comparison, and the profile goes to --out.
Exit codes: 0 written, or no difference found; 3 the profile differs from the
recording, 4 cannot tell.")]
pub(crate) struct FromArguments {
    /// A recording or a trace; several become steps of one profile [default: the newest run]
    #[arg(value_name = "RECORDING")]
    pub inputs: Vec<PathBuf>,
    /// This device, by its kernel name, if a recording has several
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Write it into this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A profile, or a job file for fio
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LoadFormat::Toml)]
    pub format: LoadFormat,
    /// Run it beside a replay of the trace, or beside the recording's figures, and compare; alone: on a simulated volume
    /// without limits that is as fast as the recorded one
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "")]
    pub verify: Option<String>,
    /// With --verify: run although somebody else is using the device
    #[arg(long, requires = "verify")]
    pub busy: bool,
}

/// The form in which a load is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoadFormat {
    /// A profile of plimsoll's.
    Toml,
    /// A job file of fio's.
    Fio,
}
