//! The guard's question about a regular file, answered partly by a lease.

use std::fs::Metadata;
use std::path::Path;

use super::claims::{LeaseAnswer, is_open, is_written};
use super::hold::Hold;
use super::question::Question;
use super::store::Store;
use super::{GuardError, lasting, refuse, refuse_if_blind, writers};
use crate::linux::mounts::{Medium, mount_of, mounts};

/// A question about one file. A run may ask about thousands, so processes are searched only if the kernel has not
/// already reported that nobody writes to the file.
pub(super) struct FileQuestion {
    question: Question<'static>,
    written: LeaseAnswer,
}

impl FileQuestion {
    /// Asks about the file at `path` that `metadata` describes, before this process opens it.
    pub(super) fn before_opening(path: &Path, metadata: &Metadata) -> FileQuestion {
        let mut question = Question::about_open(path, metadata);
        question.nobody_has_it_open = may_be_shown(&question) && !is_in_use(&question, (path, metadata));
        let local = is_local(path);
        // While this process has a descriptor open, a lease shows nothing about others.
        let ask = || match local && !writers::is_written_by_us(&question) {
            true => is_written(path, metadata),
            false => LeaseAnswer::Unknown,
        };
        // A writer that is found is reported by name instead, and a writer of a moment ago may have gone.
        let unseen = || match ask() == LeaseAnswer::Yes && writers::writers(&question).is_empty() {
            true => vec![()],
            false => Vec::new(),
        };
        let mut written = ask();
        if written == LeaseAnswer::Yes {
            writers::let_children_begin(&question);
            written = if lasting(unseen).is_empty() { LeaseAnswer::Unknown } else { written };
        }
        FileQuestion { question, written }
    }

    /// Asks about a file that this process has open.
    pub(super) fn of_open(path: &Path, metadata: &Metadata) -> FileQuestion {
        FileQuestion { question: Question::about_open(path, metadata), written: LeaseAnswer::Unknown }
    }

    pub(super) fn is_about(&self, metadata: &Metadata) -> bool {
        self.question.target.first().map(|first| &first.store) == Store::of(metadata).as_ref()
    }

    /// Refuses a file if anybody else uses a byte of it.
    pub(super) fn refuse_if_used(&self, path: &Path) -> Result<(), GuardError> {
        refuse_if_blind(path, &self.question)?;
        refuse(path, self.question.listed())?;
        if self.written == LeaseAnswer::No {
            return Ok(());
        }
        refuse(path, lasting(|| writers::writers(&self.question)))?;
        let device = path.display().to_string();
        let unseen = (self.written == LeaseAnswer::Yes).then_some(Hold::OpenUnseen { device });
        refuse(path, unseen.into_iter().collect())
    }
}

/// Whether a loop device that may not be asked could be attached to the target, a file, as far as the rest of the
/// question shows.
fn may_be_shown(question: &Question<'_>) -> bool {
    question.blind().is_some() || !question.unasked().is_empty()
}

/// Whether others may have the file open, even for reading, for half a second. If this process has the file open for
/// writing, the guard asked at that time, and the answer is no.
fn is_in_use(question: &Question<'_>, (path, metadata): (&Path, &Metadata)) -> bool {
    let ask = || match writers::is_written_by_us(question) || is_open(path, metadata) == LeaseAnswer::No {
        true => Vec::new(),
        false => vec![()],
    };
    !lasting(ask).is_empty()
}

/// Whether this machine's kernel, rather than a server or program, implements the file's file system.
fn is_local(path: &Path) -> bool {
    let table = mounts(Path::new("/")).unwrap_or_default();
    let place = path.canonicalize().ok();
    let mount = place.and_then(|place| mount_of(&table, &place).map(|mount| mount.medium()));
    matches!(mount, Some(Medium::BlockDevice | Medium::Memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    /// Between fork and exec a child has every descriptor of its parent open; on a busy machine this lasts longer than
    /// any other process is given.
    #[test]
    fn a_child_that_has_not_begun_yet_is_waited_for() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = folder.path().join("file");
        let file = File::create(&path).unwrap();
        // SAFETY: the child has only this thread; it waits and exits, by system calls.
        let child = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::usleep(900_000);
                libc::usleep(900_000);
                libc::_exit(0);
            }
            child
        };
        assert!(child > 0);
        drop(file);
        let question = FileQuestion::before_opening(&path, &path.metadata().unwrap());
        let said = question.refuse_if_used(&path);
        // SAFETY: our own child, which nobody else waits for.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
        assert!(said.is_ok(), "{said:?}");
    }
}
