//! Errors while a fio run is set up, in fio's terms.

use std::io;
use std::path::Path;

use engine::PlanError;
use fio::{FioError, Lacking, Waits};
use kernel::guard::GuardError;
use kernel::{OpenError, OutletError};
use session::RunnerError;
use session::named::{FileError, LayoutError};
use workload::{BackendAsk, BackendKind, Job, LayoutFile};

const ENOENT: i32 = 2;
const EIO: i32 = 5;
const EACCES: i32 = 13;
const EEXIST: i32 = 17;
const ENOTBLK: i32 = 15;
const EISDIR: i32 = 21;
const EPERM: i32 = 1;
const EROFS: i32 = 30;

/// The system call `name` failed on `path`.
pub fn call(name: &'static str, path: &Path) -> impl Fn(io::Error) -> FioError {
    let path = path.display().to_string();
    move |error| {
        let errno = error.raw_os_error().unwrap_or(EIO);
        let why = match error.kind() {
            io::ErrorKind::StorageFull => {
                format!("{path}: there is not enough space; make room, or give a smaller size")
            }
            _ => path.clone(),
        };
        FioError::Setup { call: name, errno, why }
    }
}

/// The log at `path` cannot be created.
pub fn log(path: &Path) -> impl Fn(OutletError) -> FioError {
    let path = path.to_owned();
    move |error| {
        let (errno, path) = (error.errno(), path.display());
        let why = match error {
            OutletError::System(error) => return call("fopen", Path::new(&path.to_string()))(error),
            OutletError::Link => {
                format!(
                    "{path} is a link, and no log is written through one; remove it, or give another name"
                )
            }
            error => format!("{path}: {error}; give another name"),
        };
        FioError::Setup { call: "fopen", errno, why }
    }
}

/// The trace at `path` cannot be written.
pub fn recording(path: &Path) -> impl Fn(OutletError) -> FioError {
    let path = path.to_owned();
    move |error| match error {
        OutletError::System(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let why =
                format!("{} is no trace of fio's, and is left as it is; name another file", path.display());
            FioError::Setup { call: "fopen", errno: EEXIST, why }
        }
        error => log(&path)(error),
    }
}

/// A file that a job names could not be opened.
fn file(error: &FileError) -> FioError {
    match error {
        FileError::Guard(error) => guard(error),
        FileError::Open(error) => open(error),
    }
}

/// `file` of `job` could not be laid out.
pub fn layout(error: LayoutError, job: &str, file: &LayoutFile) -> FioError {
    match error {
        LayoutError::CannotRun(why) => FioError::CannotRun(why),
        LayoutError::File(error) => self::file(&error),
        LayoutError::Folder(folder, error) => call("mkdir", &folder)(error),
        LayoutError::Call(done, error) => call(done.name(), &file.path)(error),
        LayoutError::NotOurs(there) => FioError::NotOurs(Lacking {
            job: job.to_owned(),
            path: file.path.clone(),
            there: Some(there.0),
            wanted: file.bytes,
        }),
    }
}

/// The step of `jobs` cannot be run.
pub fn step(error: &RunnerError, jobs: &[Job]) -> FioError {
    match error {
        RunnerError::Plan(error) => plan(error, jobs),
        RunnerError::File { error, .. } => file(error),
        RunnerError::Refused(why) => FioError::CannotRun(why.clone()),
        RunnerError::Engine { error, .. } => FioError::CannotRun(error.to_string()),
    }
}

/// A file could not be opened.
fn open(error: &OpenError) -> FioError {
    let errno = match error {
        OpenError::NoDirect { path } => {
            return FioError::DirectRefused { path: path.display().to_string() };
        }
        OpenError::NotFound { .. } => ENOENT,
        OpenError::Permission { .. } => EACCES,
        OpenError::Kind { what: "a directory", .. } => EISDIR,
        OpenError::Kind { path, what: "a character device" } => {
            return not_measured(path, "a character device");
        }
        OpenError::Kind { .. } => ENOTBLK,
        OpenError::ReadOnly { .. } => EROFS,
        OpenError::Other { source, .. } => source.raw_os_error().unwrap_or(EIO),
    };
    FioError::Setup { call: "open", errno, why: error.to_string() }
}

/// I/O on `path`, which is `what`, measures no storage.
fn not_measured(path: &Path, what: &str) -> FioError {
    let why = format!(
        "{} is {what}, which plimsoll does not measure: name a file or a block device; to move no data at all give ioengine=null",
        path.display()
    );
    FioError::Setup { call: "open", errno: ENOTBLK, why }
}

/// The guard denies permission to write.
fn guard(error: &GuardError) -> FioError {
    let held = |path: &Path, by: String| FioError::Mounted { path: path.display().to_string(), by };
    match error {
        GuardError::Open(error) => open(error),
        GuardError::InUse { path, holds } => {
            held(path, holds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        GuardError::Busy { path } => held(path, "another program or the kernel holds it".to_owned()),
        GuardError::Blind { .. } => FioError::Setup { call: "open", errno: EPERM, why: error.to_string() },
        other => FioError::Setup { call: "open", errno: EROFS, why: other.to_string() },
    }
}

/// `jobs` cannot be planned.
fn plan(error: &PlanError, jobs: &[Job]) -> FioError {
    let PlanError::Misaligned { job, path, .. } = error else {
        return FioError::CannotRun(error.to_string());
    };
    let Some(job) = jobs.iter().find(|known| known.name == *job) else {
        return FioError::CannotRun(error.to_string());
    };
    let reads = !job.access.mix.writes_only();
    let (direction, lengths) =
        if reads { ("read", &job.blocks.lengths.read) } else { ("write", &job.blocks.lengths.write) };
    let waits = job.backend == BackendAsk::Only(BackendKind::Pread);
    FioError::Misaligned {
        path: path.display().to_string(),
        direction,
        offset: job.offset.0,
        bytes: lengths.shortest().0,
        engine: if waits { Waits::ForEach } else { Waits::ForNone },
        why: error.to_string(),
    }
}
