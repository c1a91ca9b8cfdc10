//! Prepares files before a load: sets their length, and fills the parts that will be read.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use kernel::guard::WritePermit;
use kernel::{Direct, OpenFile};
use workload::{Buffers, Bytes, Content, FlushBy, LayoutFile, Nanos, Replaces, Reserve, StepKind, SyncMode};

use super::named::{FileError, NamedFiles, is_laid_out};
use crate::runner::drive::drive;
use crate::watchdog;

/// Alignment of the part of a file that is written past the page cache.
const ALIGNED: Bytes = Bytes(4096);

/// A system call on a file during layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Remove the file.
    Remove,
    /// Truncate the file to nothing.
    Empty,
    /// Set the length of the file.
    SetLength,
    /// Reserve space for the file.
    Reserve,
    /// Write to the file.
    Write,
    /// Flush written data to the device.
    Flush,
    /// Drop the file from the page cache.
    Forget,
}

impl Call {
    /// Name of the system call.
    pub fn name(self) -> &'static str {
        match self {
            Call::Remove => "unlink",
            Call::Empty | Call::SetLength => "ftruncate",
            Call::Reserve => "fallocate",
            Call::Write => "write",
            Call::Flush => "fsync",
            Call::Forget => "fadvise",
        }
    }
}

/// Why a file was not laid out.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// There is no plan, or no backend.
    #[error("{0}")]
    CannotRun(String),
    /// The file cannot be opened for writing.
    #[error(transparent)]
    File(FileError),
    /// A folder above the file cannot be created.
    #[error("{}: {}", .0.display(), .1)]
    Folder(PathBuf, #[source] io::Error),
    /// The kernel refused the call.
    #[error("{}: {}", .0.name(), .1)]
    Call(Call, #[source] io::Error),
    /// An existing file that plimsoll did not lay out would be replaced.
    #[error("it was not laid out here and holds {0}")]
    NotOurs(Bytes),
}

impl<E: Into<FileError>> From<E> for LayoutError {
    fn from(error: E) -> LayoutError {
        LayoutError::File(error.into())
    }
}

/// A part of a file that is written in one pass.
struct Piece {
    offset: Bytes,
    bytes: Bytes,
    direct: Direct,
}

/// Returns a conversion of errors from this call.
fn failed(call: Call) -> impl Fn(io::Error) -> LayoutError {
    move |error| LayoutError::Call(call, error)
}

/// Creates the folders above `path` that are missing.
///
/// # Errors
/// [`LayoutError::Folder`].
pub fn make_folder_of(path: &Path) -> Result<(), LayoutError> {
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => {
            std::fs::create_dir_all(parent).map_err(|error| LayoutError::Folder(parent.to_owned(), error))
        }
        None => Ok(()),
    }
}

impl NamedFiles {
    /// Gives `file` its length and its `content`. The kernel refuses this for a device.
    ///
    /// # Errors
    /// [`LayoutError`]; a stop request is not an error.
    pub fn lay_out(&mut self, file: &LayoutFile, content: &Content) -> Result<(), LayoutError> {
        if *content == Content::Folder {
            let failed = |error| LayoutError::Folder(file.path.clone(), error);
            return std::fs::create_dir_all(&file.path).map_err(failed);
        }
        self.refuse_foreign(file)?;
        if matches!(content, Content::Data(_)) && file.there > 0 {
            self.make_way(&file.path)?;
        }
        let room = self.writer(&file.path, Direct::No, SyncMode::None)?;
        let bytes = Bytes(file.bytes);
        match content {
            Content::Folder => {}
            Content::Space(reserve) => reserve_space(&room, bytes, *reserve)?,
            Content::Data(buffers) => {
                kernel::set_length(&room, Bytes(0)).map_err(failed(Call::Empty))?;
                kernel::set_length(&room, bytes).map_err(failed(Call::SetLength))?;
                self.fill(&room, bytes, buffers)?;
            }
        }
        self.made.insert(file.path.clone());
        Ok(())
    }

    /// Refuses to replace a file that plimsoll did not lay out. Checked again at layout, because a file may have
    /// appeared or changed since the step was planned.
    fn refuse_foreign(&self, file: &LayoutFile) -> Result<(), LayoutError> {
        if file.replaces == Replaces::Anything || self.made.contains(&file.path) {
            return Ok(());
        }
        let found = std::fs::metadata(&file.path).ok().filter(std::fs::Metadata::is_file);
        match found {
            Some(found) if !is_laid_out(&file.path) => Err(LayoutError::NotOurs(Bytes(found.len()))),
            _ => Ok(()),
        }
    }

    /// Removes a file that is too short for the reads, so that it is created anew and remains unchanged under any
    /// other name. The guard checks first: a file in use is left alone.
    fn make_way(&mut self, path: &Path) -> Result<(), LayoutError> {
        drop(self.permit(path)?);
        self.forget(path);
        let is_file = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        match is_file {
            true => std::fs::remove_file(path).map_err(failed(Call::Remove)),
            false => Ok(()),
        }
    }

    /// Fills the first `bytes` of the file open as `room` from `buffers`, bypassing the page cache where possible,
    /// and waits until they are stored and dropped from the cache.
    fn fill(&mut self, room: &OpenFile, bytes: Bytes, buffers: &Buffers) -> Result<(), LayoutError> {
        let permit = &self.permit(room.path())?;
        let whole = bytes.round_down(ALIGNED);
        let past = kernel::open_for_read(permit.path(), Direct::Yes).is_ok();
        let direct = if past { Direct::Yes } else { Direct::No };
        let rest = Bytes(bytes.0 - whole.0);
        self.write(permit, &Piece { offset: Bytes(0), bytes: whole, direct }, buffers)?;
        self.write(permit, &Piece { offset: whole, bytes: rest, direct: Direct::No }, buffers)?;
        // Before the flush, which then stores the mark too. Without the mark, the file later counts as one that
        // plimsoll did not lay out.
        let _ = kernel::mark_laid_out(room);
        match watchdog::flush(room, FlushBy::Data, &self.treatment.stop) {
            Some(flushed) => flushed.map_err(failed(Call::Flush))?,
            None => return Ok(()),
        }
        // Only the part written through the cache needs to be dropped.
        kernel::drop_cache(room, 0, bytes).map_err(failed(Call::Forget))
    }

    fn write(&self, permit: &WritePermit, piece: &Piece, buffers: &Buffers) -> Result<(), LayoutError> {
        let Piece { offset, bytes, direct } = *piece;
        let mut stop = self.treatment.stop.clone();
        if bytes == Bytes(0) || stop.raised() {
            return Ok(());
        }
        let mut workload = engine::layout_workload(permit.path(), offset, bytes);
        workload.jobs[0].direct = direct == Direct::Yes;
        workload.jobs[0].buffers = buffers.clone();
        workload.jobs[0].seed = seed_of(permit.path());
        let file = self.file_facts(permit.path(), Bytes(offset.0 + bytes.0));
        let target = self.target_of(vec![file], Nanos::SECOND);
        let plan = engine::plan(&workload, "layout", StepKind::Layout, &target)
            .map_err(|error| LayoutError::CannotRun(error.to_string()))?;
        let direct = if plan.workers[0].direct { Direct::Yes } else { Direct::No };
        let file = kernel::open_for_write(permit, direct)?;
        let record = drive(&plan, &[vec![file]], self.clock, &mut stop)
            .map_err(|error| LayoutError::CannotRun(error.to_string()))?;
        match record.failures.first() {
            Some(failure) => Err(failed(Call::Write)(io::Error::from_raw_os_error(failure.errno))),
            None => Ok(()),
        }
    }
}

/// The seed of the data of the file at `path`: files with the same data would be stored once by what looks for duplicates.
fn seed_of(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

fn reserve_space(room: &OpenFile, bytes: Bytes, reserve: Reserve) -> Result<(), LayoutError> {
    let done = match reserve {
        Reserve::None => Ok(()),
        Reserve::Truncate => kernel::set_length(room, bytes),
        // On a file system without fallocate only the length is set, as fio does it.
        Reserve::Keep => kernel::reserve_space_beyond(room, bytes).or_else(|error| match error.kind() {
            io::ErrorKind::StorageFull => Err(error),
            _ => Ok(()),
        }),
        Reserve::Native | Reserve::Posix => {
            kernel::reserve_space(room, bytes).or_else(|error| match error.kind() {
                io::ErrorKind::StorageFull => Err(error),
                _ => kernel::set_length(room, bytes),
            })
        }
    };
    done.map_err(failed(Call::Reserve))
}
