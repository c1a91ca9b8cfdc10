//! Files that grow while a run goes on: logs, traces, and progress for programs.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use kernel::{Links, Outlet, OutletError, open_outlet};

use super::output::{first_of, is_run_file};

/// Files that grow while a run goes on. Write errors are kept until the end; the run does not wait for them.
#[derive(Default)]
pub struct Growing {
    open: HashMap<PathBuf, File>,
    trouble: Option<(PathBuf, io::Error)>,
}

impl Growing {
    /// Truncates the file at `path`, or creates it, unless it is open already; never writes through a link.
    ///
    /// # Errors
    /// [`OutletError`].
    pub fn begin(&mut self, path: &Path) -> Result<(), OutletError> {
        if !self.open.contains_key(path) {
            self.open.insert(path.to_owned(), opened(path, Links::Refused)?.emptied()?);
        }
        Ok(())
    }

    /// Opens the file at `path` for appending, unless it is open already.
    ///
    /// # Errors
    /// `AlreadyExists` if the file does not start with `head` and so is not ours; else [`OutletError`].
    pub fn go_on(&mut self, path: &Path, head: &str) -> Result<(), OutletError> {
        if self.open.contains_key(path) {
            return Ok(());
        }
        let mut outlet = opened(path, Links::Refused)?;
        refuse_foreign(&outlet, head)?;
        if outlet.about.is_file() {
            outlet.file.seek(SeekFrom::End(0))?;
        }
        self.open.insert(path.to_owned(), outlet.file);
        Ok(())
    }

    /// Writes `text` at the end of a file that was opened; does nothing for others.
    pub fn append(&mut self, path: &Path, text: &str) {
        let written = self.open.get_mut(path).map_or(Ok(()), |file| file.write_all(text.as_bytes()));
        if let (Err(error), None) = (written, &self.trouble) {
            self.trouble = Some((path.to_owned(), error));
        }
    }

    /// The first file that is incomplete, and why.
    pub fn trouble(&self) -> Option<&(PathBuf, io::Error)> {
        self.trouble.as_ref()
    }
}

/// Opens the growing file that the user has typed. If it exists and is no regular file (a pipe, a descriptor), it
/// is written into; a regular file is truncated if it is empty or starts with `head`.
///
/// # Errors
/// `AlreadyExists` for a file that starts otherwise; else [`OutletError`].
pub fn begin_typed(path: &Path, head: &str) -> Result<File, OutletError> {
    let outlet = opened(path, Links::Followed)?;
    refuse_foreign(&outlet, head)?;
    Ok(outlet.emptied()?)
}

fn opened(path: &Path, links: Links) -> Result<Outlet, OutletError> {
    let outlet = open_outlet(path, links)?;
    if is_run_file(&outlet)? { Err(OutletError::Kind("a run file")) } else { Ok(outlet) }
}

/// Refuses an existing file that does not start with `head`.
fn refuse_foreign(outlet: &Outlet, head: &str) -> Result<(), OutletError> {
    let is_ours = !outlet.about.is_file()
        || outlet.about.len() == 0
        || first_of(outlet, head.len() as u64)? == head.as_bytes();
    if is_ours { Ok(()) } else { Err(io::Error::from(io::ErrorKind::AlreadyExists).into()) }
}
