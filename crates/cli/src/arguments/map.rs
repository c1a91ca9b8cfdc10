//! The words of `plimsoll map`.

use std::path::PathBuf;

use clap::Args;
use workload::Nanos;

use super::{EffortName, FindingsArguments, Format, patience};

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
pub struct MapArguments {
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
    /// Write to this block device: EVERYTHING on it is lost
    #[arg(long, value_name = "DEVICE")]
    pub allow_destroy: Option<PathBuf>,
    /// Measure although somebody else is using the device
    #[arg(long)]
    pub busy: bool,
    /// Bytes to lay out and measure on [default: a tenth of the free space, at most 4 GiB]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Most bytes that all steps write, layout included [default: the layout, and twice the region or 8 GiB]
    #[arg(long, value_name = "SIZE")]
    pub write_most: Option<String>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Say what would be done, with reasons, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Give a device up that answers nothing for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = patience)]
    pub give_up: Nanos,
    /// Findings
    #[command(flatten)]
    pub findings: FindingsArguments,
    /// Form of the result on stdout; JSON always has all findings
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Folder for run file and report [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How long to measure
    #[arg(long, value_enum, default_value_t, hide = true)]
    pub effort: EffortName,
}
