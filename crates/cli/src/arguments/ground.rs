//! The options of commands that may write to their target.

use std::path::PathBuf;

use clap::Args;
use session::Wish;
use session::failure::Failure;
use workload::Bytes;

/// What may be done to the target, and on how much of it.
#[derive(Clone, Debug, Args)]
pub(crate) struct GroundArguments {
    /// Write to this block device: EVERYTHING on it is lost
    #[arg(long, value_name = "DEVICE")]
    pub allow_destroy: Vec<PathBuf>,
    /// Bytes to lay out and measure on [default: a tenth of the free space, at most 4 GiB; of run, the
    /// profile's]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl GroundArguments {
    /// Returns the user's options for the target.
    ///
    /// # Errors
    /// The size cannot be read, or several devices are named although one volume is measured.
    pub fn wish(&self) -> Result<Wish, Failure> {
        let size = size(self.size.as_deref())?;
        Ok(Wish { size, allow_destroy: self.destroyed()?, ..Wish::default() })
    }

    /// Returns the one device that may be destroyed.
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

/// Reads a size, if one was typed.
///
/// # Errors
/// The word is not a size.
pub fn size(word: Option<&str>) -> Result<Option<Bytes>, Failure> {
    word.map(workload::size).transpose().map_err(Failure::refused)
}
