//! Files and devices that a job names: each opened behind the guard, with real data in what will be read.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use engine::{Clones, FileFacts, PlanTarget, PlanTargetKind, layout_workload, plan, run_real};
use kernel::guard::{Destruction, GuardError, WritePermit, permit_named_file};
use kernel::{Clock, Direct, OpenError, OpenFile};
use workload::{BackendKind, Buffers, Bytes, FilePlan, Nanos, StepKind, SyncMode, WorkerPlan};

use crate::output;
use crate::run;
use crate::signals::StopFlag;
use crate::vigil;

/// Alignment of the part of a file that is written past the page cache.
const ALIGNED: Bytes = Bytes(4096);

/// Whether people are told what a device holds before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// On stderr, with the permit.
    Now,
    /// They were told already.
    Done,
}

/// Why a file that a job names is not open.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The guard gives no leave to write.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Files that jobs name; a permit, once given, is kept.
pub struct NamedFiles {
    clock: Clock,
    stop: StopFlag,
    announcement: Announcement,
    given: HashMap<PathBuf, WritePermit>,
    probes: Vec<(BackendKind, Result<(), String>)>,
}

impl NamedFiles {
    /// No file yet; what is laid out is timed by `clock` and ends with a wish to stop.
    pub fn new(clock: Clock, stop: StopFlag, announcement: Announcement) -> NamedFiles {
        NamedFiles { clock, stop, announcement, given: HashMap::new(), probes: kernel::probe() }
    }

    /// The permit to write to `path`; what goes with the first write is told.
    ///
    /// # Errors
    /// What the guard says.
    pub fn permit(&mut self, path: &Path) -> Result<WritePermit, GuardError> {
        if let Some(permit) = self.given.get(path) {
            return Ok(permit.clone());
        }
        let permit = permit_named_file(path)?;
        if self.announcement == Announcement::Now {
            tell_what_goes(&permit);
        }
        self.given.insert(path.to_owned(), permit.clone());
        Ok(permit)
    }

    /// Forgets the permit of a file that gives way to another of its name.
    pub fn forget(&mut self, path: &Path) {
        self.given.remove(path);
    }

    /// Opens `path` for writing.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn writer(&mut self, path: &Path, direct: Direct, sync: SyncMode) -> Result<OpenFile, FileError> {
        let permit = self.permit(path)?;
        Ok(kernel::open_for_stable_write(&permit, direct, sync)?)
    }

    /// The files of one worker, in its order; those that it writes with a permit. The null backend has none.
    ///
    /// # Errors
    /// [`FileError`] of the first that cannot be opened.
    pub fn open(&mut self, worker: &WorkerPlan) -> Result<Vec<OpenFile>, FileError> {
        if worker.backend == BackendKind::Null {
            return Ok(Vec::new());
        }
        let direct = if worker.direct { Direct::Yes } else { Direct::No };
        let open = |file: &FilePlan| match worker.access.mix.reads_only() {
            true => Ok(kernel::open_for_read(&file.path, direct)?),
            false => self.writer(&file.path, direct, worker.terms.sync),
        };
        worker.files.iter().map(open).collect()
    }

    /// What the planner must know of `files` on this machine, with intervals of this length.
    pub fn ground(&self, files: Vec<FileFacts>, interval: Nanos) -> PlanTarget {
        PlanTarget {
            files,
            kind: PlanTargetKind::Machine(self.probes.clone()),
            cpus: kernel::available_cpus(),
            interval,
            clones: Clones::Together,
        }
    }

    /// Writes `buffers` over the first `bytes` of the file that `room` has open for writing, past the page cache as far as
    /// that goes, and waits until they are stored and forgotten by the cache.
    ///
    /// # Errors
    /// [`FillError`]; a wish to stop is none.
    pub fn fill(&mut self, room: &OpenFile, bytes: Bytes, buffers: &Buffers) -> Result<(), FillError> {
        let permit = &self.permit(room.path()).map_err(FillError::Guard)?;
        let whole = bytes.round_down(ALIGNED);
        let past = kernel::open_for_read(permit.path(), Direct::Yes).is_ok();
        self.write(permit, (Bytes(0), whole), (if past { Direct::Yes } else { Direct::No }, buffers))?;
        self.write(permit, (whole, Bytes(bytes.0 - whole.0)), (Direct::No, buffers))?;
        // Before the flush, so that it is stored with it. Without a mark the file counts as somebody else's later on.
        let _ = kernel::mark_laid_out(room);
        match vigil::flush(room, &self.stop) {
            Some(flushed) => flushed.map_err(|error| FillError::Call("fsync", error))?,
            None => return Ok(()),
        }
        // Only what was written through the cache is there to be forgotten.
        kernel::drop_cache(room, 0, bytes).map_err(|error| FillError::Call("fadvise", error))
    }

    fn write(
        &self,
        permit: &WritePermit,
        (offset, bytes): (Bytes, Bytes),
        (direct, buffers): (Direct, &Buffers),
    ) -> Result<(), FillError> {
        if bytes == Bytes(0) || self.stop.raised() {
            return Ok(());
        }
        let mut workload = layout_workload(permit.path(), offset, bytes);
        workload.jobs[0].direct = direct == Direct::Yes;
        workload.jobs[0].buffers = buffers.clone();
        let files = vec![file_ground(permit.path(), Bytes(offset.0 + bytes.0))];
        let ground = self.ground(files, Nanos::SECOND);
        let plan = plan(&workload, "layout", StepKind::Layout, &ground)
            .map_err(|error| FillError::CannotRun(error.to_string()))?;
        let direct = if plan.workers[0].direct { Direct::Yes } else { Direct::No };
        let file = kernel::open_for_write(permit, direct).map_err(FillError::Open)?;
        let record = run_real(&plan, &[vec![file]], self.clock, &mut self.stop.clone())
            .map_err(|error| FillError::CannotRun(error.to_string()))?;
        match record.failures.first() {
            Some(failure) => Err(FillError::Call("write", io::Error::from_raw_os_error(failure.errno))),
            None => Ok(()),
        }
    }
}

/// Says on stderr what a device holds that will be written: a file system, a partition table, a member of LVM, RAID or
/// ZFS. Data alone is not told, since that is what the last benchmark left.
pub fn tell_what_goes(permit: &WritePermit) {
    let marked = |lost: &&Destruction| !(lost.signatures.is_empty() && lost.partitions.is_empty());
    if let Some(lost) = permit.destruction().filter(marked) {
        output::people(&run::destruction_words(lost));
    }
}

/// Why a file is not filled.
pub enum FillError {
    /// No plan, or no means of I/O.
    CannotRun(String),
    /// The guard gives no leave to write.
    Guard(GuardError),
    /// It could not be opened.
    Open(OpenError),
    /// This system call failed.
    Call(&'static str, io::Error),
}

/// Whether the file at `path` was laid out here and nobody has changed it since.
pub fn is_laid_out(path: &Path) -> bool {
    kernel::open_for_read(path, Direct::No).is_ok_and(|file| kernel::is_laid_out(&file))
}

/// What the planner must know of the file at `path`, which is `least` long or longer.
pub fn file_ground(path: &Path, least: Bytes) -> FileFacts {
    let opened = kernel::open_for_read(path, Direct::Yes);
    let alignment = opened.as_ref().map_or(Bytes(512), |file| file.alignment().offset);
    let size = opened.map_or(least, |file| file.size().max(least));
    FileFacts { path: path.to_owned(), size, direct_alignment: alignment, writable: true }
}
