//! The guard's question about a regular file, with what a lease tells of it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::claims::{Written, is_written};
use super::hold::Hold;
use super::question::Question;
use super::store::Store;
use super::{ATTEMPTS, GuardError, PAUSE, lasting, refuse, writers};
use crate::linux::device::DeviceNumber;
use crate::linux::mounts::{Medium, mount_of, mounts};

/// A question about one file; a run may ask it of thousands, so that processes are looked through only where the kernel
/// has not already said that nobody writes to it.
pub(super) struct FileQuestion {
    question: Question<'static>,
    written: Written,
}

impl FileQuestion {
    /// About the file at `path` that `metadata` is of, which this process is going to open.
    pub(super) fn before_opening(path: &Path, metadata: &Metadata) -> FileQuestion {
        let question = Question::about_open(path, metadata);
        let local = is_local(path);
        // Another descriptor of ours says nothing about others.
        let ask = || match local && !writers::is_written_by_us(&question) {
            true => is_written(path, metadata),
            false => Written::Unknown,
        };
        // Where a process is seen to write, it is the better answer, and whoever wrote a moment ago may have gone since.
        let is_unseen = || ask() == Written::Yes && writers::writers(&question).is_empty();
        let first = ask();
        let written = match first {
            Written::Yes if !lasts(is_unseen) => Written::Unknown,
            other => other,
        };
        FileQuestion { question, written }
    }

    /// About a file that this process has open.
    pub(super) fn of_open(path: &Path, metadata: &Metadata) -> FileQuestion {
        FileQuestion { question: Question::about_open(path, metadata), written: Written::Unknown }
    }

    pub(super) fn is_about(&self, metadata: &Metadata) -> bool {
        let file_system = DeviceNumber::from_dev(metadata.dev());
        let store = Store::File { file_system, inode: metadata.ino() };
        self.question.target.first().is_some_and(|first| first.store == store)
    }

    /// Refuses a file of which anybody else uses a byte.
    pub(super) fn refuse_if_used(&self, path: &Path) -> Result<(), GuardError> {
        refuse(path, self.question.listed())?;
        if self.written == Written::No {
            return Ok(());
        }
        refuse(path, lasting(|| writers::writers(&self.question)))?;
        let device = path.display().to_string();
        let unseen = (self.written == Written::Yes).then_some(Hold::OpenUnseen { device });
        refuse(path, unseen.into_iter().collect())
    }
}

/// Whether `is_so` stays so for half a second.
fn lasts(is_so: impl Fn() -> bool) -> bool {
    (0..ATTEMPTS).all(|attempt| {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        is_so()
    })
}

/// Whether the kernel of this machine keeps the file itself.
fn is_local(path: &Path) -> bool {
    let table = mounts(Path::new("/")).unwrap_or_default();
    let place = path.canonicalize().ok();
    let mount = place.and_then(|place| mount_of(&table, &place).map(|mount| mount.medium()));
    matches!(mount, Some(Medium::BlockDevice | Medium::Memory))
}
