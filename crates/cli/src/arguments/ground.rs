//! The words that commands which load a target of their own have alike: the ground they stand on.

use std::path::PathBuf;

use clap::Args;
use session::Wish;
use session::failure::Failure;
use workload::{Bytes, Nanos};

use super::{OnlookerArguments, patience};

/// What may be done to the target, on how much of it, and where the result goes.
#[derive(Clone, Debug, Args)]
pub struct GroundArguments {
    /// Write to this block device: EVERYTHING on it is lost
    #[arg(long, value_name = "DEVICE")]
    pub allow_destroy: Vec<PathBuf>,
    /// Measure although somebody else is using the device
    #[arg(long)]
    pub busy: bool,
    /// Bytes to lay out and measure on [default: a tenth of the free space, at most 4 GiB]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Say what would be done, with reasons, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Give a device up that answers nothing for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = patience)]
    pub give_up: Nanos,
    /// Folder for run file and report [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Who looks while it runs
    #[command(flatten)]
    pub onlookers: OnlookerArguments,
}

impl GroundArguments {
    /// What is wished of the target.
    ///
    /// # Errors
    /// A size that is none; more than one device, as one volume is measured.
    pub fn wish(&self) -> Result<Wish, Failure> {
        let size = size(self.size.as_deref())?;
        Ok(Wish { size, allow_destroy: self.destroyed()?, ..Wish::default() })
    }

    /// The one device that may be destroyed.
    fn destroyed(&self) -> Result<Option<PathBuf>, Failure> {
        match self.allow_destroy.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one.clone())),
            [_, other, ..] => Err(Failure::refused(format!(
                "--allow-destroy {}: one volume is measured, so one device can be named; leave the others out",
                other.display()
            ))),
        }
    }
}

/// A size, where one is typed.
///
/// # Errors
/// A word that is none.
pub fn size(word: Option<&str>) -> Result<Option<Bytes>, Failure> {
    word.map(workload::size).transpose().map_err(Failure::refused)
}
