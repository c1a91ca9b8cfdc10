//! The arguments of `plimsoll lab`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

/// `plimsoll lab`.
#[derive(Debug, Args)]
pub(crate) struct LabArguments {
    /// What to do
    #[command(subcommand)]
    pub action: LabAction,
}

/// What to do with lab volumes.
#[derive(Debug, Subcommand)]
pub(crate) enum LabAction {
    /// Make a volume and print its device
    #[command(after_help = "\
Examples:
  plimsoll lab up do-volumes-pre-burst
  plimsoll lab up aws-gp2,size=100GiB --size 2G --speed 100")]
    Up {
        /// The policy, e.g. do-volumes-pre-burst
        policy: String,
        /// Its size
        #[arg(long, default_value = "1G")]
        size: String,
        /// Let its credits drain and refill, so many times faster than the policy says
        #[arg(long, value_name = "FACTOR")]
        speed: Option<String>,
    },
    /// Make a volume, run a command on it, and take it down again
    #[command(after_help = "\
Examples:
  plimsoll lab run aws-gp2,size=100GiB --speed 100 -- plimsoll watch -- dd if={}
  plimsoll lab run do-volumes-pre-burst -- sh -c 'mkfs.ext4 $PLIMSOLL_DEVICE'

{} in the command is the device, and so is PLIMSOLL_DEVICE in its environment.
It ends with the exit code of the command. Signals go to the command; however it
ends, devices, data and limits are gone then.")]
    Run {
        /// The policy, e.g. do-volumes-pre-burst
        policy: String,
        /// Its size
        #[arg(long, default_value = "1G")]
        size: String,
        /// Let its credits drain and refill, so many times faster than the policy says
        #[arg(long, value_name = "FACTOR")]
        speed: Option<String>,
        /// The command
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },
    /// Remove volumes, also those that a crash left behind
    #[command(after_help = "\
Examples:
  plimsoll lab down /dev/loop3
  plimsoll lab down            every lab volume that this user has made")]
    Down {
        /// The device; without it, every lab volume that this user has made
        device: Option<PathBuf>,
    },
    /// List the volumes that are there
    List {
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Control a volume that lasts while its credits drain: what up starts beside it
    #[command(hide = true)]
    Keep {
        /// The device
        device: PathBuf,
        /// The policy
        policy: String,
    },
}
