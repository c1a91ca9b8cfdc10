//! Arguments of commands on existing runs, and of the check before a run: `plimsoll list`, `serve`, `ticket` and
//! `doctor`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::Format;
use super::onlookers::address;

/// `plimsoll list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll list                     the last ten, newest first
  plimsoll list --all results/      every run file of a folder
  plimsoll list --format json       for scripts")]
pub(crate) struct ListArguments {
    /// Folder with run files [default: the user's state directory]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// So many, the newest first
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "all")]
    pub most: usize,
    /// Every one
    #[arg(long)]
    pub all: bool,
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `plimsoll serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll serve                    the runs in the user's state directory
  plimsoll serve results/           of another folder
  plimsoll serve --listen 8080      on that port of this machine
It says the address, which holds a word that nobody can guess, and answers
until Ctrl-C. From another machine: ssh -L 8080:127.0.0.1:8080 and the same
address. Nothing but the run files of that folder is read, none is written.")]
pub(crate) struct ServeArguments {
    /// Folder with run files [default: the user's state directory]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Where to listen: a port of this machine alone, or an address [default: a free port]
    #[arg(long, value_name = "ADDR", default_value = "", hide_default_value = true, value_parser = address)]
    pub listen: SocketAddr,
}

/// `plimsoll doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll doctor                      this machine, this directory's volume
  plimsoll doctor /mnt/vol
  plimsoll doctor --format json        for scripts

Looks for a second, at the machine and at the volume that TARGET lies on, and
writes nothing. Exit codes: 0 nothing would spoil a measurement, 1 something
would.")]
pub(crate) struct DoctorArguments {
    /// Directory, file or block device
    #[arg(default_value = ".")]
    pub target: PathBuf,
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `plimsoll ticket`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll ticket > ticket.md                        of the newest run
  plimsoll ticket vol-check-2026-11-21-2345.plimsoll > ticket.md
  plimsoll ticket RUN --out .                        the picture here

Markdown: verdict, claims, what was found, and what support asks for, with the
names of the picture and of the run file, which go with it. The machine's own
name is not in it; the serial number of the volume is, since its provider knows
it by that.")]
pub(crate) struct TicketArguments {
    /// The run file, or what another tool printed [default: the newest of plimsoll list]
    pub run: Option<PathBuf>,
    /// Folder for the picture [default: beside the run file]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
