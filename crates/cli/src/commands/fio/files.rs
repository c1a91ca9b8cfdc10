//! Files of a fio run: opened as fio opens them, behind the guard, and laid out where they are missing or too short.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use engine::{FileFacts, PlanTarget, PlanTargetKind};
use fio::{Content, FioError, FioStep, Lacking, Layout, LayoutFile, Replaces, Reserve};
use kernel::{Clock, Direct, OpenFile};
use workload::{BackendAsk, BackendKind, Buffers, Bytes, SyncMode, WorkerPlan};

use super::trouble;
use session::named::{Announcement, FillError, NamedFiles, file_ground, is_laid_out};
use session::signals::StopFlag;

/// Longest region on the null engine, which has no end of its own.
const NULL_REGION: Bytes = Bytes(1 << 60);

/// Files of a run.
pub struct Files {
    named: NamedFiles,
    /// Laid out in this run.
    made: HashSet<PathBuf>,
}

impl Files {
    /// No file yet.
    pub fn new(clock: Clock, stop: StopFlag, announcement: Announcement) -> Files {
        Files { named: NamedFiles::new(clock, stop, announcement), made: HashSet::new() }
    }

    /// The files of one worker; written ones with a permit.
    pub fn open(&mut self, worker: &WorkerPlan) -> Result<Vec<OpenFile>, FioError> {
        self.named.open(worker).map_err(|error| trouble::file(&error))
    }

    /// What the planner must know of the files of `step`.
    pub fn ground(&self, step: &FioStep) -> PlanTarget {
        let null = step.workload.jobs.iter().all(|job| job.backend == BackendAsk::Only(BackendKind::Null));
        let mut files: Vec<FileFacts> = Vec::new();
        for job in &step.workload.jobs {
            let end = Bytes(job.offset.0 + job.size.map_or(0, |size| size.0));
            for path in &job.files {
                match files.iter_mut().find(|file| file.path == *path) {
                    Some(file) => file.size = file.size.max(end),
                    None => files.push(file_ground(path, end)),
                }
            }
        }
        let ground = self.named.ground(files, step.interval);
        if null { PlanTarget { kind: PlanTargetKind::Null(NULL_REGION), ..ground } } else { ground }
    }

    /// Makes the files of `layout` as long as they must be, with data where they will be read.
    pub fn lay_out(&mut self, layout: &Layout) -> Result<(), FioError> {
        for file in &layout.files {
            if let Some(parent) = file.path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                std::fs::create_dir_all(parent).map_err(trouble::call("mkdir", parent))?;
            }
            self.refuse_foreign(&layout.job, file)?;
            if matches!(layout.content, Content::Data(_)) && file.there > 0 {
                self.make_way(&file.path)?;
            }
            let room = self.named.writer(&file.path, Direct::No, SyncMode::None);
            let room = room.map_err(|error| trouble::file(&error))?;
            match &layout.content {
                Content::Space(reserve) => reserve_as_asked(&room, file, *reserve)?,
                Content::Data(buffers) => self.fill(&room, file, buffers)?,
            }
            self.made.insert(file.path.clone());
        }
        Ok(())
    }

    /// Asked again where it is laid out: a file may have come or changed since the step was planned.
    fn refuse_foreign(&self, job: &str, file: &LayoutFile) -> Result<(), FioError> {
        if file.replaces == Replaces::Anything || self.made.contains(&file.path) {
            return Ok(());
        }
        let found = std::fs::metadata(&file.path).ok().filter(std::fs::Metadata::is_file);
        match found {
            Some(found) if !is_laid_out(&file.path) => Err(FioError::NotOurs(Lacking {
                job: job.to_owned(),
                path: file.path.clone(),
                there: Some(found.len()),
                wanted: file.bytes,
            })),
            _ => Ok(()),
        }
    }

    /// A file that is too short for what will be read is made anew, as fio does, so that whatever else has it by another
    /// name keeps it as it is. The guard looks first: a file in use is left alone.
    fn make_way(&mut self, path: &Path) -> Result<(), FioError> {
        drop(self.named.permit(path).map_err(|error| trouble::guard(&error))?);
        self.named.forget(path);
        let is_file = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        match is_file {
            true => std::fs::remove_file(path).map_err(trouble::call("unlink", path)),
            false => Ok(()),
        }
    }

    /// Writes real data over the whole file, past the page cache as far as that goes.
    fn fill(&mut self, room: &OpenFile, file: &LayoutFile, buffers: &Buffers) -> Result<(), FioError> {
        kernel::set_length(room, Bytes(file.bytes)).map_err(trouble::call("ftruncate", &file.path))?;
        self.named.fill(room, Bytes(file.bytes), buffers).map_err(|error| match error {
            FillError::Guard(error) => trouble::guard(&error),
            FillError::CannotRun(text) => FioError::CannotRun(text),
            FillError::Open(error) => trouble::open(&error),
            FillError::Call(name, error) => trouble::call(name, &file.path)(error),
        })
    }
}

fn reserve_as_asked(room: &OpenFile, file: &LayoutFile, reserve: Reserve) -> Result<(), FioError> {
    let bytes = Bytes(file.bytes);
    let done = match reserve {
        Reserve::None => Ok(()),
        Reserve::Truncate => kernel::set_length(room, bytes),
        // A file system without fallocate gets the length alone, as fio leaves it.
        Reserve::Native | Reserve::Posix | Reserve::Keep => {
            kernel::reserve_space(room, bytes).or_else(|error| match error.kind() {
                std::io::ErrorKind::StorageFull => Err(error),
                _ => kernel::set_length(room, bytes),
            })
        }
    };
    done.map_err(trouble::call("fallocate", &file.path))
}
