//! The arguments of `plimsoll compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use report::Extent;
use workload::Nanos;

use super::{Format, ShownArguments, patience};

/// `plimsoll compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Of what was measured: a side is a run file, the output of fio, ioping or
DiskSpd, or a folder of such; several of one volume are joined by commas, and
NAME= in front names it:
  plimsoll compare a.plimsoll b.plimsoll
  plimsoll compare fleet/*.plimsoll            which of many is the odd one
  plimsoll compare do=do-out/ aws=aws-out/ --policy aws=aws-gp2,size=50GiB \\
      --price do=5.00/month --price aws=8.50/month --html providers.html

Of targets, loaded in turns: a side is a folder without results, a file named
with --live, a block device, lab:POLICY or sim:POLICY; a third word names the
load, a profile, a TOML file (plimsoll profile list) or a job file of fio:
  plimsoll compare /mnt/old /mnt/new
  plimsoll compare old=/mnt/old new=/mnt/new database --time 20m --margin 3%
  plimsoll compare /mnt/old /mnt/new job.fio --turn 10s
  plimsoll compare sim:custom,iops=3000,noise=2% sim:custom,iops=2850,noise=2%
Each side leaves a run file; comparing the two files says the same again.

Of two tools, on one target: the same job file through the installed fio and
through plimsoll, in turns; the job names no file of its own:
  plimsoll compare /mnt/vol job.fio --against fio

What is said with an option is said of the side that is named before the '=',
or of the sides in their order.")]
pub(crate) struct CompareArguments {
    /// The sides: [NAME=]FILE[,FILE...] or two targets [NAME=]TARGET, and a load for these
    #[arg(required = true, value_name = "SIDE")]
    pub sides: Vec<String>,
    /// What a side costs: 5.00/month, EUR 0.01/hour; [NAME=]PRICE, once a side
    #[arg(long, value_name = "PRICE")]
    pub price: Vec<String>,
    /// Price the greatest rate at which 99 of 100 I/Os stay within this time, whatever depth that takes
    #[arg(long, value_name = "TIME")]
    pub within: Option<String>,
    /// How large a side is, for the price of a GB; [NAME=]SIZE
    #[arg(long, value_name = "SIZE")]
    pub size: Vec<String>,
    /// What a side was sold as, e.g. aws=aws-gp2,size=50GiB; [NAME=]POLICY
    #[arg(long, value_name = "POLICY")]
    pub policy: Vec<String>,
    /// The machine that a side was measured from, e.g. aws=t2.small; [NAME=]TYPE
    #[arg(long, value_name = "TYPE")]
    pub machine: Vec<String>,
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Tell every load and every finding, with where it was seen and what else it could be
    #[arg(long)]
    pub all: bool,
    /// How targets are loaded in turns.
    #[command(flatten)]
    pub turns: TurnsArguments,
    /// What is shown besides the result
    #[command(flatten)]
    pub shown: ShownArguments,
}

impl CompareArguments {
    /// Returns the extent of what is told.
    pub fn extent(&self) -> Extent {
        if self.all { Extent::All } else { Extent::Screen }
    }
}

/// What concerns targets alone, which are loaded in turns.
#[derive(Debug, Args)]
#[command(next_help_heading = "Targets in turns")]
pub(crate) struct TurnsArguments {
    /// Run a job file of fio through this tool too, in turns: TARGET JOB.fio --against fio
    #[arg(long, value_enum, value_name = "TOOL")]
    pub against: Option<AgainstTool>,
    /// Load the sides as they are, folders with results and files too
    #[arg(long)]
    pub live: bool,
    /// Blocks; each has every load once on each side [default: 10]
    #[arg(long, value_name = "N", conflicts_with = "time")]
    pub blocks: Option<u32>,
    /// As many blocks as fit into this time, fewer where all answers are certain before
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Counted time of every turn, instead of the load's
    #[arg(long, value_name = "TIME")]
    pub turn: Option<String>,
    /// Differences within this share are of no consequence
    #[arg(long, value_name = "SHARE", default_value = "5%")]
    pub margin: String,
    /// Bytes to lay out and measure on each side, instead of the load's
    #[arg(long, value_name = "SIZE")]
    pub region: Option<String>,
    /// Write to this block device: EVERYTHING on it is lost; once a device
    #[arg(long, value_name = "DEVICE")]
    pub allow_destroy: Vec<PathBuf>,
    /// Measure although somebody else is using a device
    #[arg(long)]
    pub busy: bool,
    /// Seed of every random choice, the order of the turns among them
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Give a device up that answers nothing for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = patience)]
    pub give_up: Nanos,
    /// Folder for run files and page [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A tool that plimsoll is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgainstTool {
    /// The fio that is installed
    Fio,
}
