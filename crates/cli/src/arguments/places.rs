//! The arguments of `plimsoll where`.

use clap::Args;

use super::MeasureArguments;

/// `plimsoll where`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll where /dev/vdb                   a disk made from a snapshot: what of
                                            it is loaded, what is not yet
  plimsoll where /mnt/vol/database.dat      a file as it lies on the volume
  plimsoll where /dev/sdc --largest 64GiB   how large is the host's cache?
  plimsoll where sim:custom,iops=3000,size=8GiB,first_touch=9ms
  plimsoll where sim:custom,iops=9000,size=16GiB,cache=1GiB,cache_iops=60000

It writes nothing but a file of its own, in a folder, which it lays out first
and which goes with it. What it reads is touched: blocks of a snapshot that it
read are loaded afterwards, and a cache holds what it read last.")]
pub(crate) struct PlacesArguments {
    /// What to look at: a block device, a file, a folder, sim:POLICY or lab:POLICY
    #[arg(default_value = ".")]
    pub target: String,
    /// Time for all of it; more of it finds shorter regions and larger caches
    #[arg(long, value_name = "TIME", default_value = "2m")]
    pub time: String,
    /// Bytes from the beginning on to look at, at least 64 MiB [default: all of it]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// The largest working set that is tried for a cache
    #[arg(long, value_name = "SIZE", default_value = "16GiB")]
    pub largest: String,
    /// Seed of the places that are read
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}
