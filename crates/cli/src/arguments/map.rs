//! The arguments of `plimsoll map`.

use clap::Args;

use super::{EffortName, FindingsArguments, GroundArguments, MeasureArguments};

/// `plimsoll map`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll map /mnt/vol                            where are the corners?
  plimsoll map /mnt/vol --block 16KiB --p99 5ms    how deep may 16 KiB go?
  plimsoll map sim:custom,iops=3000,bandwidth=125MiB/s

It measures where something turns: each block at depth 1, the depths on both
sides of the one that fills its cap, and blocks on both sides of the size where
operations give way to bytes. What lies between follows from that, with an
interval, and is marked with ~; what does not follow is a dash. --full measures
every block at every depth instead, which takes ten minutes and more.
A directory is measured through an unnamed file of its own. An existing file
and a block device are only read, unless --allow-destroy names the device.")]
pub(crate) struct MapArguments {
    /// Directory, file, block device, lab:POLICY or sim:POLICY
    #[arg(default_value = ".")]
    pub target: String,
    /// Look closer at this block size, e.g. 16KiB
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// How deep may it go so that 99 of 100 I/Os take no longer than this, e.g. 10ms
    #[arg(long, value_name = "TIME")]
    pub p99: Option<String>,
    /// Measure the whole grid: every block at every depth, reads, writes and a mix
    #[arg(long)]
    pub full: bool,
    /// The target
    #[command(flatten)]
    pub ground: GroundArguments,
    /// Most bytes that all steps write, layout included [default: the layout, and twice the region or 8 GiB]
    #[arg(long, value_name = "SIZE")]
    pub write_most: Option<String>,
    /// Findings
    #[command(flatten)]
    pub findings: FindingsArguments,
    /// How long to measure
    #[arg(long, value_enum, default_value_t, hide = true)]
    pub effort: EffortName,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}
