//! The arguments of `plimsoll watch`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use workload::Nanos;

use crate::arguments::{Format, OnlookerArguments, ShownArguments, patience};

/// Heading of the options of load cycles.
const LOAD: &str = "Load cycles";

/// `plimsoll watch`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll watch                                 until Ctrl-C: what do disks do?
  plimsoll watch --for 24h --every 10s           a day of a machine at work
  plimsoll watch -- ./nightly-job                while a command runs
  plimsoll watch --for 25s -- ./nightly-job      and ask it to end after that
  plimsoll watch --load job.fio --cycle 60s --repeat 2 --every 10s
                                                 idle, load, idle, load, idle
  plimsoll watch --load job.fio --on /mnt/vol --scale 50%,100%,200%,500%,1000%
                                                 what does overload do?
  plimsoll watch --load job.fio --on sim:do-volumes-standard --cycle 10s
                                                 the same in a second, simulated

Nothing is written to a device by watching alone, and no root is needed. A load
writes: to the files of its job, or to what --on names, by the rules of
plimsoll run.
With a command, stdin and stdout are the command's; what plimsoll has to say
goes to stderr, and --format json goes to a file beside the run file.
Exit codes: 0 watched to the end (Ctrl-C is the end of a watch without --for),
1 it failed, 2 wrong usage or refused, 3 below --expect or --policy, 4 cannot
tell, 130 a load or --for was cut short by Ctrl-C. With a command: the
command's own, 128 + the signal that ended it, 126 where it cannot be started,
127 where there is none.")]
pub struct WatchArguments {
    /// How long to watch, e.g. 10s, 30m, 24h; with a command: at most [default: until q or Ctrl-C]
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
    /// Time between two samples, 50ms or more
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub every: String,
    /// Watch this device (repeat it for more) [default: all but loop, fd, sr and ram]
    #[arg(long, value_name = "DEVICE")]
    pub device: Vec<String>,
    /// Leave this device out; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Say what a device is, e.g. sda="database log"
    #[arg(long, value_name = "DEVICE=WORDS")]
    pub describe: Vec<String>,
    /// What is claimed in words: "read 700 iops, write 300 iops, latency < 30ms"
    #[arg(long, value_name = "CLAIMS")]
    pub expect: Option<String>,
    /// What the provider promises, e.g. aws-gp2,size=100GiB (plimsoll policy list)
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// Run this between idle phases: a fio job file, a profile, or a policy's own load
    #[arg(long, value_name = "JOB", help_heading = LOAD)]
    pub load: Option<String>,
    /// Run the load here, not on the files of its job: directory, file, device, lab:POLICY, sim:POLICY
    #[arg(long, value_name = "TARGET", help_heading = LOAD)]
    pub on: Option<String>,
    /// Length of each phase, idle or load [default: 60s]
    #[arg(long, value_name = "TIME", help_heading = LOAD)]
    pub cycle: Option<String>,
    /// How often the load comes on, at each scale [default: 2, with --scale 1]
    #[arg(long, value_name = "N", help_heading = LOAD)]
    pub repeat: Option<u32>,
    /// Run it at these shares of its rates, e.g. 50%,100%,200%,500%,1000%
    #[arg(long, value_name = "SHARES", allow_hyphen_values = true, help_heading = LOAD)]
    pub scale: Option<String>,
    /// Bytes to lay out and load [default: as the job says]
    #[arg(long, value_name = "SIZE", help_heading = LOAD)]
    pub size: Option<String>,
    /// Write to this block device: EVERYTHING on it is lost
    #[arg(long, value_name = "DEVICE", help_heading = LOAD)]
    pub allow_destroy: Option<PathBuf>,
    /// Load a device that somebody else is using
    #[arg(long, help_heading = LOAD)]
    pub busy: bool,
    /// Give a device up that answers nothing of the load for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = patience, help_heading = LOAD)]
    pub give_up: Nanos,
    /// Form of the result
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
    /// Watch while this command runs, and end with its exit code
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}
