//! Files that grow during a run: logs, traces, and progress for programs.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use kernel::{Links, Outlet, OutletError, open_outlet};

use super::output::{first_of, is_run_file};

/// Files that grow during a run. Write errors are kept until its end and do not stop it.
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
    /// `AlreadyExists` for a file that does not start with `head`, so plimsoll did not write it; else [`OutletError`].
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

    /// Appends `text` to the file at `path` if it was opened; otherwise does nothing.
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

/// Opens a growing file at the path that the user typed. A pipe, descriptor or other file that is not regular is
/// written into; a regular file that is empty or starts with `head` is truncated.
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
