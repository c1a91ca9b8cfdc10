//! The guard: the only maker of permits to write.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::OwnedTestFile;

/// Leave to write to one file or device. Only the guard makes it, and it holds what it was made for open, so that
/// nothing else can take the path's place.
#[derive(Clone, Debug)]
pub struct WritePermit {
    anchor: Arc<File>,
    path: PathBuf,
}

impl WritePermit {
    pub(crate) fn anchor(&self) -> BorrowedFd<'_> {
        self.anchor.as_fd()
    }

    /// What it is for.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Leave to write to a file of our own that has no name, or a name of our own making.
pub fn permit_unnamed(file: &OwnedTestFile) -> WritePermit {
    WritePermit { anchor: file.anchor(), path: file.path().to_owned() }
}
