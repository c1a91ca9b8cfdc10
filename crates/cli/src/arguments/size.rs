//! The arguments of `plimsoll size`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use report::Extent;

/// Form of a sizing on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SizeFormat {
    /// For people: 80 columns
    #[default]
    Text,
    /// One JSON document and nothing else
    Json,
    /// Comma-separated values: a row for each device and setting
    Csv,
}

/// `plimsoll size`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll watch --for 24h                       record what the disks do
  plimsoll size                                  the newest run: what it needs
  plimsoll size watch.plimsoll --provider aws --instance m5.large
  plimsoll size iostat.txt --capacity 500GiB --allow 'p99 +2ms'
  plimsoll size watch.plimsoll --present aws-gp3,size=500GiB,iops=6000
  plimsoll size watch.plimsoll --policy own.toml --policy aws-gp3
  plimsoll size watch.plimsoll --html volume.html

A recording is a run file of plimsoll, or what iostat, sar or another tool
printed (plimsoll import says which). Every published policy is tried at the
least setting that delays nothing, and at the least ones that delay I/O by no
more than 10 ms and 1 s. It only advises: nothing is changed anywhere.

Exit codes: 0 a setting (and the present one, and the machine) carries the
load, 3 the present one or the machine does not, 4 cannot tell.")]
pub(crate) struct SizeArguments {
    /// Recordings: run files, other tools' output, folders of them [default: the newest run]
    #[arg(value_name = "RECORDING")]
    pub inputs: Vec<PathBuf>,
    /// Only this device, by its kernel name
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// What the volume must hold [default: as much as the recorded device]
    #[arg(long, value_name = "SIZE")]
    pub capacity: Option<String>,
    /// Only policies of this provider; may be given several times
    #[arg(long, value_name = "NAME")]
    pub provider: Vec<String>,
    /// Only this policy, an id or a TOML file of your own, without parameters; may be given several times
    #[arg(long, value_name = "POLICY")]
    pub policy: Vec<String>,
    /// The machine of a recording, whose limits hold for the sum of its volumes, e.g. m5.large
    #[arg(long, value_name = "TYPE")]
    pub instance: Option<String>,
    /// Waiting that is allowed: "p99 +2ms", "p50 +1ms", "longest +100ms", "throttled 0.1%" [default: none]
    #[arg(long, value_name = "WAITING")]
    pub allow: Option<String>,
    /// What the volume has now, with its parameters [default: the policy of the recording, if it has one]
    #[arg(long, value_name = "POLICY")]
    pub present: Option<String>,
    /// Prices of this region, e.g. eu-central-1 [default: the first that is known of each policy]
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// Prices of your own, a TOML file; they stand before the built-in ones
    #[arg(long, value_name = "PRICES")]
    pub prices: Option<String>,
    /// Draw the answer as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The answer as a table of Parquet in this folder: a row for each device and setting
    #[arg(long, value_name = "DIR")]
    pub parquet: Option<PathBuf>,
    /// Open the page in your browser
    #[arg(long)]
    pub open: bool,
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: SizeFormat,
    /// Show every setting
    #[arg(long)]
    pub all: bool,
}

impl SizeArguments {
    /// Returns the extent of what is shown.
    pub fn extent(&self) -> Extent {
        if self.all { Extent::All } else { Extent::Screen }
    }
}
