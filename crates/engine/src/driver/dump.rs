//! Verification intervals with wrong data, written to files under the names that fio gives them.

use std::io::{Error, Write};
use std::path::{Path, PathBuf};

use kernel::Links;
use workload::{Verify, WorkerPlan};

use super::EngineError;
use crate::verify::Wrong;

/// Greatest number of intervals dumped per worker: if everything is wrong, the files would fill the disk.
const MOST: u32 = 1_000;

/// The destination of a worker's wrong intervals.
#[derive(Debug)]
pub(super) struct Dump {
    /// Prefix of the names of a file's dumps, by file.
    stems: Box<[PathBuf]>,
    left: u32,
}

impl Dump {
    /// Returns the dump that `plan` asks for, if any.
    pub(super) fn of(plan: &WorkerPlan) -> Option<Dump> {
        let Verify::On(verification) = &plan.verify else { return None };
        let folder = verification.dump.as_ref()?;
        let stem = |file: &workload::FilePlan| folder.join(file.path.file_name().unwrap_or_default());
        Some(Dump { stems: plan.files.iter().map(stem).collect(), left: MOST })
    }

    /// Writes the wrong interval at byte `offset` of file `file`.
    ///
    /// # Errors
    /// If a file cannot be made, or its name is a link.
    pub(super) fn write(&mut self, (file, offset): (u32, u64), wrong: &Wrong) -> Result<(), EngineError> {
        let Some(stem) = self.stems.get(file as usize).filter(|_| self.left > 0) else { return Ok(()) };
        self.left -= 1;
        let received = (if wrong.of_header { "hdr_fail" } else { "received" }, Some(&wrong.received));
        for (kind, bytes) in [received, ("expected", wrong.expected.as_ref())] {
            let Some(bytes) = bytes else { continue };
            let mut path = stem.clone().into_os_string();
            path.push(format!(".{offset}.{kind}"));
            let path = PathBuf::from(path);
            put(&path, bytes).map_err(|source| EngineError::Dump { path, source })?;
        }
        Ok(())
    }
}

/// Replaces a file's contents, through no link: another user must not choose the file, even by a link made meanwhile.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    kernel::open_outlet(path, Links::Refused)?.emptied()?.write_all(bytes)
}
