//! The arguments of `plimsoll import`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `plimsoll import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll import result.txt               what a tool printed, as it was saved
  plimsoll import fio.json fio_bw.1.log    logs go to the run of their job
  plimsoll import page.html --out runs/    text in a web page, a chat, a ticket
  iostat -x 1 10 | plimsoll import -       from a pipe

It reads
  fio        text of 1.59 to 3.x, terse lines, JSON, JSON+ and logs
  ioping     text of 0.6 to 1.3, raw statistics, JSON
  DiskSpd    text of 2.0 to 2.3, XML
  iostat     text and JSON
  sar, sadf  text of -d and -u; sadf -d, -j and -x
  esxtop     CSV of -b
  typeperf, logman, relog  CSV and TSV of Windows' disks
  Linux      snapshots of /proc/diskstats, with times
  Prometheus query_range and scrapes, of node_exporter and the EBS CSI driver
  CloudWatch get-metric-data of EBS volumes
  and the results of CrystalDiskMark, dd, hdparm, sysbench, yabs and kubestr.
Text may stand in prose or in a whole web page. Each result becomes a run file,
SOURCE-JOB-TOOL-VERSION-DATE. Of a folder every file is read, and what holds
nothing is named.
docs/reference/import.md says what each kind lacks. Exit codes: 0 something was
read, 1 nothing was, 2 wrong usage.")]
pub(crate) struct ImportArguments {
    /// Files with results, folders of such, or - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder for the run files [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
