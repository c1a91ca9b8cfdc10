//! The only way to write a file that the user has named as output: checked before anything is done, and written
//! whole or not at all if possible.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, fchown};
use std::path::{Path, PathBuf};

use kernel::{Links, Outlet, OutletError, open_outlet};

use super::{Kind, Shelf};
use crate::failure::Failure;

/// The first bytes of every SQLite database.
const RUN_FILE: &[u8] = b"SQLite format 3";
/// Maximum number of bytes of an existing file that are read to recognise it: more than any plimsoll page has.
const KNOWN_WITHIN: u64 = 64 << 20;

/// Why a file that the user has named is not written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The file cannot be written to.
    #[error("{}: cannot be written: {source}; name another place", path.display())]
    Outlet {
        /// Path as typed.
        path: PathBuf,
        /// Cause.
        source: OutletError,
    },
    /// A run would be lost.
    #[error("{} is a run file and would be lost; name another place", path.display())]
    RunFile {
        /// Path as typed.
        path: PathBuf,
    },
    /// The file is an input of the same command.
    #[error("{} is what is read, and a page would replace it; name another place", path.display())]
    Input {
        /// Path as typed.
        path: PathBuf,
    },
    /// A file exists at the path and is not of the kind to be written.
    #[error("{} is there already and no {} of plimsoll's; {}", path.display(), kind.word, kind.remedy)]
    Foreign {
        /// Path as typed.
        path: PathBuf,
        /// The kind of file that would be written.
        kind: Kind,
    },
    /// The file has several names, or its name is a link, so it was overwritten in place, and not all bytes fit.
    #[error("{}: only a part of it is written: {source}; make room, or name another place", path.display())]
    CutShort {
        /// Path as typed.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
}

impl OutputError {
    /// System error number that corresponds to this error.
    pub fn errno(&self) -> i32 {
        match self {
            OutputError::Outlet { source, .. } => source.errno(),
            OutputError::CutShort { source, .. } => source.raw_os_error().unwrap_or_default(),
            OutputError::RunFile { .. } | OutputError::Input { .. } | OutputError::Foreign { .. } => EEXIST,
        }
    }
}

const EEXIST: i32 = 17;

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Failure {
        match &error {
            OutputError::Outlet { source, .. } if !source.is_refusal() => Failure::failed(error),
            OutputError::CutShort { .. } => Failure::failed(error),
            _ => Failure::refused(error),
        }
    }
}

/// Which existing files may be overwritten.
#[derive(Clone, Copy, Default)]
pub struct Over<'a> {
    /// Only a file of this kind; `None` allows any.
    pub kind: Option<Kind>,
    /// Never these files, under any name.
    pub inputs: &'a [&'a Path],
}

/// A file that the user has named to be written.
pub struct Output<'a> {
    path: PathBuf,
    over: Over<'a>,
    /// Open stream if the path is no regular file: a pipe, a terminal, `/dev/null`. It stays open, because the reader
    /// of a pipe would otherwise see end of file.
    stream: Option<File>,
}

impl<'a> Output<'a> {
    /// Checks whether `path` can be written, without changing anything.
    ///
    /// # Errors
    /// [`OutputError`].
    pub fn ask(path: &Path, over: Over<'a>) -> Result<Output<'a>, OutputError> {
        let mut output = Output { path: path.to_owned(), over, stream: None };
        if is_free(path) {
            let can = Shelf::around(path).and_then(|(shelf, _)| shelf.draft(&[]).map(drop));
            can.map_err(|error| output.failed(error))?;
            return Ok(output);
        }
        let outlet = output.open()?;
        match outlet.about.is_file() {
            true => outlet.unmake(),
            false => output.stream = Some(outlet.file),
        }
        Ok(output)
    }

    /// Whether each write is appended to earlier ones instead of replacing them.
    pub fn is_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// Writes `bytes`. A file is created or replaced in whole or not at all, and a replaced one keeps its mode and
    /// owner. If the path is a link, or the file has other names too, the existing file is overwritten in place.
    ///
    /// # Errors
    /// [`OutputError`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        if let Some(stream) = &mut self.stream {
            return stream.write_all(bytes).map_err(|error| self.failed(error));
        }
        if is_free(&self.path) {
            let made = Shelf::around(&self.path).and_then(|(shelf, name)| shelf.draft(bytes)?.publish(name));
            match made {
                // Another process has just created the file, so the existing file is checked.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map_err(|error| self.failed(error)),
            }
        }
        let outlet = self.open()?;
        match replace_alike(&self.path, &outlet, bytes) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => self.fill(outlet, bytes),
            done => done.map_err(|error| self.failed(error)),
        }
    }

    fn open(&self) -> Result<Outlet, OutputError> {
        let opened = open_outlet(&self.path, Links::Followed);
        let outlet = opened.map_err(|source| OutputError::Outlet { path: self.path.clone(), source })?;
        self.look(&outlet)?;
        Ok(outlet)
    }

    /// Refuses to overwrite a file that must not be lost.
    fn look(&self, outlet: &Outlet) -> Result<(), OutputError> {
        let path = || self.path.clone();
        let is_it = |input: &&Path| {
            std::fs::metadata(input)
                .is_ok_and(|it| (it.dev(), it.ino()) == (outlet.about.dev(), outlet.about.ino()))
        };
        if outlet.about.is_file() && self.over.inputs.iter().any(is_it) {
            return Err(OutputError::Input { path: path() });
        }
        let unknown = |source| OutputError::Outlet { path: path(), source };
        if is_run_file(outlet).map_err(unknown)? {
            return Err(OutputError::RunFile { path: path() });
        }
        let Some(kind) = self.over.kind.filter(|_| outlet.about.is_file()) else { return Ok(()) };
        let there = first_of(outlet, KNOWN_WITHIN).map_err(unknown)?;
        if (kind.is_ours)(&there, &[]) { Ok(()) } else { Err(OutputError::Foreign { path: path(), kind }) }
    }

    fn fill(&self, outlet: Outlet, bytes: &[u8]) -> Result<(), OutputError> {
        let mut file = outlet.emptied().map_err(|error| self.failed(error))?;
        let cut_short = |source| OutputError::CutShort { path: self.path.clone(), source };
        file.write_all(bytes).map_err(cut_short)
    }

    fn failed(&self, error: io::Error) -> OutputError {
        OutputError::Outlet { path: self.path.clone(), source: error.into() }
    }
}

/// Whether nothing exists under this name, not even a link.
fn is_free(path: &Path) -> bool {
    matches!(std::fs::symlink_metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

/// Replaces the file by one with the same mode and owner. `PermissionDenied` if these cannot be set, or if the
/// file has other names or is reached through a link.
fn replace_alike(path: &Path, outlet: &Outlet, bytes: &[u8]) -> io::Result<()> {
    let there = &outlet.about;
    let (shelf, name) = Shelf::around(path)?;
    if there.nlink() != 1 || !shelf.folder.is(name, there) || !there.is_file() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let draft = shelf.draft(bytes)?;
    let made = draft.file().metadata()?;
    if (made.uid(), made.gid()) != (there.uid(), there.gid()) {
        fchown(draft.file(), Some(there.uid()), Some(there.gid()))?;
    }
    // After the owner, because a change of owner may clear bits of the mode.
    draft.file().set_permissions(there.permissions())?;
    draft.file().sync_data()?;
    draft.replace(name)
}

/// Returns the first bytes of the opened file, at most `most`.
///
/// # Errors
/// The file cannot be read, so that nobody knows what would be lost.
pub(super) fn first_of(outlet: &Outlet, most: u64) -> Result<Vec<u8>, OutletError> {
    let mut bytes = vec![0; most.min(outlet.about.len()) as usize];
    let read = outlet.file.read_exact_at(&mut bytes, 0);
    read.map_or(
        Err(OutletError::Kind("a file that cannot be read, so that nobody knows what would be lost")),
        |()| Ok(bytes),
    )
}

/// Whether the open file is a run file.
pub(super) fn is_run_file(outlet: &Outlet) -> Result<bool, OutletError> {
    Ok(outlet.about.is_file() && first_of(outlet, RUN_FILE.len() as u64)? == RUN_FILE)
}
