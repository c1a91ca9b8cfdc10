//! Permission to write, which only the guard gives.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::claims::Claim;
use super::destruction::Destruction;

/// Permission to write to one file or device. Only the guard makes it, and it keeps its target open, so that nothing
/// else can take the path's place; it claims a block device exclusively as long as a clone lives.
#[derive(Clone, Debug)]
pub struct WritePermit {
    pub(super) anchor: Arc<File>,
    pub(super) path: PathBuf,
    /// The exclusive claim, for a block device.
    pub(super) _claim: Option<Arc<Claim>>,
    pub(super) destruction: Option<Arc<Destruction>>,
}

impl WritePermit {
    pub(crate) fn anchor(&self) -> BorrowedFd<'_> {
        self.anchor.as_fd()
    }

    pub(super) fn of_file(anchor: Arc<File>, path: &Path) -> WritePermit {
        WritePermit { anchor, path: path.to_owned(), _claim: None, destruction: None }
    }

    /// The path of the target.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The contents that the first write would destroy; `None` for a file.
    pub fn destruction(&self) -> Option<&Destruction> {
        self.destruction.as_deref()
    }
}
