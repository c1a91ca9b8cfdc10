//! Files and devices that jobs name: each opened with the guard's permission, and described for the planner.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use engine::{Clones, FileFacts, PlanTarget, PlanTargetKind};
use kernel::guard::{GuardError, WritePermit};
use kernel::{Clock, Direct, OpenError, OpenFile};
use workload::{BackendKind, Bytes, FilePlan, Nanos, SyncMode, WorkerPlan, Workload};

use super::leave::{WriteTarget, leave_to_write, tell_what_goes};
use crate::signals::StopFlag;

pub use super::laying::{Call, LayoutError, make_folder_of};

/// Whether the user is warned of the content of a device before it is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// On stderr when the permit is given.
    Now,
    /// The user has already been warned.
    Done,
}

/// Reaction to a job that asks for direct I/O on a file that does not support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutDirect {
    /// Refuse the job.
    Refused,
    /// Go through the page cache.
    Buffered,
}

/// Why a file that a job names was not opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The guard refuses permission to write.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Settings for the files of a run.
#[derive(Clone, Debug)]
pub struct Treatment {
    /// Whether the user is warned of the content of a device.
    pub announcement: Announcement,
    /// Reaction if direct I/O is not possible.
    pub without_direct: WithoutDirect,
    /// Stop request, which ends a layout as well.
    pub stop: StopFlag,
}

/// Files that jobs name, with the permits given so far.
pub struct NamedFiles {
    pub(super) clock: Clock,
    pub(super) treatment: Treatment,
    /// Paths laid out in this run.
    pub(super) made: HashSet<PathBuf>,
    given: HashMap<PathBuf, WritePermit>,
    probes: Vec<(BackendKind, Result<(), String>)>,
}

impl NamedFiles {
    /// Returns an empty set of files; `clock` times the layout.
    pub fn new(clock: Clock, treatment: Treatment) -> NamedFiles {
        let probes = kernel::probe();
        NamedFiles { clock, treatment, made: HashSet::new(), given: HashMap::new(), probes }
    }

    /// Returns the permit to write to `path`; the first time, reports on stderr what a write destroys, unless the user
    /// has already been warned.
    pub(super) fn permit(&mut self, path: &Path) -> Result<WritePermit, GuardError> {
        if let Some(permit) = self.given.get(path) {
            return Ok(permit.clone());
        }
        let permit = leave_to_write(WriteTarget::Named(path))?;
        if self.treatment.announcement == Announcement::Now {
            tell_what_goes(&permit);
        }
        self.given.insert(path.to_owned(), permit.clone());
        Ok(permit)
    }

    /// Forgets the permit of a file that is replaced by another of the same name.
    pub(super) fn forget(&mut self, path: &Path) {
        self.given.remove(path);
    }

    /// Opens `path` for writing.
    pub(super) fn writer(
        &mut self,
        path: &Path,
        direct: Direct,
        sync: SyncMode,
    ) -> Result<OpenFile, FileError> {
        let permit = self.permit(path)?;
        Ok(kernel::open_for_stable_write(&permit, direct, sync)?)
    }

    /// Opens the files of one worker, in the worker's order; those that it writes or removes with a permit. Opens
    /// none for the null backend, or for a worker that creates files or only looks up their names.
    ///
    /// # Errors
    /// [`FileError`] of the first that cannot be opened.
    pub fn open(&mut self, worker: &WorkerPlan) -> Result<Vec<OpenFile>, FileError> {
        if worker.backend == BackendKind::Null {
            return Ok(Vec::new());
        }
        let direct = if worker.direct { Direct::Yes } else { Direct::No };
        let act = worker.terms.calls.act;
        if act.is_of_names() && !act.writes() {
            return Ok(Vec::new());
        }
        let changes = |index: usize| worker.access.changes(index) || act.writes();
        let open = |(index, file): (usize, &FilePlan)| match changes(index) {
            false => Ok(kernel::open_for_read(&file.path, direct)?),
            true => self.writer(&file.path, direct, worker.terms.sync),
        };
        worker.files.iter().enumerate().map(open).collect()
    }

    /// Returns the planner's facts about the files of `workload` on this machine, with intervals of this length. A
    /// file that is missing or too short counts as long enough for its jobs.
    pub fn plan_target(&self, workload: &Workload, interval: Nanos) -> PlanTarget {
        let mut files: Vec<FileFacts> = Vec::new();
        for job in &workload.jobs {
            for (number, path) in job.files.iter().enumerate() {
                let size = job.sizes.get(number).copied().or(job.size);
                let end = Bytes(job.offset.0 + size.map_or(0, |size| size.0));
                match files.iter_mut().find(|file| file.path == *path) {
                    Some(file) => file.size = file.size.max(end),
                    None if job.calls.act.is_of_names() => files.push(unseen(path, end)),
                    None => files.push(self.file_facts(path, end)),
                }
            }
        }
        self.target_of(files, interval)
    }

    pub(super) fn target_of(&self, files: Vec<FileFacts>, interval: Nanos) -> PlanTarget {
        PlanTarget {
            files,
            kind: PlanTargetKind::Machine(self.probes.clone()),
            cpus: kernel::available_cpus(),
            interval,
            clones: Clones::Together,
        }
    }

    /// Returns the planner's facts about the file at `path`, which counts as at least `least` long.
    pub(super) fn file_facts(&self, path: &Path, least: Bytes) -> FileFacts {
        let found = look(path);
        let without = match self.treatment.without_direct {
            WithoutDirect::Refused => Bytes(512),
            WithoutDirect::Buffered => Bytes(0),
        };
        FileFacts {
            path: path.to_owned(),
            size: found.map_or(least, |found| found.size.max(least)),
            direct_alignment: found.and_then(|found| found.direct_alignment).unwrap_or(without),
            writable: true,
        }
    }
}

/// Returns facts about the file at `path` for a job that needs only its name.
fn unseen(path: &Path, end: Bytes) -> FileFacts {
    FileFacts { path: path.to_owned(), size: end, direct_alignment: Bytes(1), writable: true }
}

/// A file or device that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenableFile {
    /// Size.
    pub size: Bytes,
    /// Alignment that direct I/O needs; `None` if direct I/O is not possible.
    pub direct_alignment: Option<Bytes>,
}

/// Returns facts about the file at `path`; `None` if it cannot be opened.
pub fn look(path: &Path) -> Option<OpenableFile> {
    let direct = kernel::open_for_read(path, Direct::Yes).ok();
    let direct_alignment = direct.as_ref().map(|file| file.alignment().offset.max(Bytes(1)));
    let file = direct.or_else(|| kernel::open_for_read(path, Direct::No).ok())?;
    Some(OpenableFile { size: file.size(), direct_alignment })
}

/// Whether plimsoll laid out the file at `path` and nobody has changed it since.
pub fn is_laid_out(path: &Path) -> bool {
    kernel::open_for_read(path, Direct::No).is_ok_and(|file| kernel::is_laid_out(&file))
}
