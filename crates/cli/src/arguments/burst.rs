//! The arguments of `plimsoll burst`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use workload::BurstOf;

use super::{GroundArguments, MeasureArguments};

/// `plimsoll burst`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll burst sim:aws-gp2,size=100GiB          half an hour of gp2, at once
  plimsoll burst /mnt/vol --policy aws-gp2,size=100GiB --dry-run
  plimsoll burst /mnt/vol --time 40m --yes        at most 40 minutes of drain
  plimsoll burst /dev/nvme1n1 --of operations     a device, only read
  plimsoll burst /mnt/vol --mix 0/100             the credits of writes
  plimsoll burst /mnt/vol --of operations --both-ways   have writes their own?
  plimsoll burst --resume vol-burst-2026-11-23-2130.plimsoll   where it stopped

Overloads the volume until its burst is over, rests, looks what the rest has
earned, rests again and spends that at half the excess: a token bucket then
lasts twice as long, a burst that ends with time does not. It reads; a directory
is laid out first. It spends the burst credits of the volume: do not run it
where they are needed. Anything over 15 minutes is asked for, or takes --yes.
While it is stopped the volume earns; a run that goes on allows for that.
Exit codes: 0 a burst was seen to end, 4 none was.")]
pub(crate) struct BurstArguments {
    /// Directory, file, block device, lab:POLICY or sim:POLICY
    #[arg(default_value = ".")]
    pub target: String,
    /// Go on with this run, which was stopped
    #[arg(long, value_name = "RUN", conflicts_with_all = ["target", "policy", "of", "mix", "both_ways", "time", "size"])]
    pub resume: Option<PathBuf>,
    /// What the provider promises, e.g. aws-gp2,size=100GiB (plimsoll policy list)
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// What is drained
    #[arg(long, value_enum, default_value_t)]
    pub of: OfName,
    /// Reads and writes in a hundred that drain it, e.g. 0/100: where it may be written [default: reads alone]
    #[arg(long, value_name = "MIX")]
    pub mix: Option<String>,
    /// Behind the last drain look at reads and writes together: whether they share the bucket
    #[arg(long)]
    pub both_ways: bool,
    /// The most time of a drain [default: what the policy's burst takes and a fifth more, else 45m]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Do not ask, however long it takes
    #[arg(long)]
    pub yes: bool,
    /// The target
    #[command(flatten)]
    pub ground: GroundArguments,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}

/// What is drained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OfName {
    /// Operations, then bytes, where they have a bucket of their own
    #[default]
    Both,
    /// Operations: reads of 4 KiB
    Operations,
    /// Bytes: reads of 1 MiB
    Bytes,
}

impl From<OfName> for BurstOf {
    fn from(name: OfName) -> BurstOf {
        match name {
            OfName::Both => BurstOf::Both,
            OfName::Operations => BurstOf::Operations,
            OfName::Bytes => BurstOf::Bytes,
        }
    }
}
