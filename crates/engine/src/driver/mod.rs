//! The two drivers of a step: real time with a thread per worker, and virtual time on one thread.

mod backend;
mod dump;
#[cfg(test)]
mod faulty;
mod journal;
mod passes;
mod real;
mod silence;
mod simulated;
mod thread;

pub use backend::Null;
pub use real::run_real;
pub use simulated::{Volume, VolumeAnswer, run_simulated};

use workload::Io;

use crate::worker::WorkerError;

/// ETIMEDOUT, the error recorded for an I/O that did not complete in time.
const IN_VAIN: i32 = 110;

/// Why a step could not run or had to be given up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A worker's plan contains no work.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The queue could not be opened or stopped working.
    #[error(transparent)]
    Queue(#[from] kernel::QueueError),
    /// The backend refused an I/O.
    #[error("{} of {} bytes at byte {} was refused: {reason}", io.kind.name(), io.bytes, io.offset)]
    Refused {
        /// The I/O.
        io: Io,
        /// The reason.
        reason: kernel::QueueRefusal,
    },
    /// The number of file lists differs from the number of workers.
    #[error("the plan has {workers} workers, but files were opened for {given}; open one list a worker")]
    Files {
        /// Number of workers in the plan.
        workers: usize,
        /// Number of file lists given.
        given: usize,
    },
    /// The state of verification cannot be saved.
    #[error("the verify state cannot be kept in {}: {source}; give a directory that can be written, or verify_state_save=0", path.display())]
    State {
        /// The file.
        path: std::path::PathBuf,
        /// The kernel's error.
        source: std::io::Error,
    },
    /// Wrong data cannot be dumped.
    #[error("a block that is wrong cannot be kept in {}: {source}; start it in a directory that can be written, or leave verify_dump out", path.display())]
    Dump {
        /// The file.
        path: std::path::PathBuf,
        /// The kernel's error.
        source: std::io::Error,
    },
    /// A worker's thread could not be started.
    #[error("a thread for a worker cannot be started: {0}; ask for fewer workers")]
    Thread(std::io::Error),
    /// A worker cannot be pinned to its CPU.
    #[error("a worker cannot stay on CPU {cpu}: {source}; name a CPU that this process may use")]
    Pin {
        /// The CPU.
        cpu: u32,
        /// The kernel's error.
        source: std::io::Error,
    },
    /// The kernel refuses the I/O priority.
    #[error(
        "the kernel refuses the I/O priority that is asked for: {0}; real time needs root, the others nothing"
    )]
    Priority(std::io::Error),
    /// A file was not opened with the planned stability of writes.
    #[error("{}: was not opened for {sync:?} writes, as job '{job}' plans; open it so", path.display())]
    Unsynced {
        /// The job.
        job: String,
        /// The file.
        path: std::path::PathBuf,
        /// The planned mode.
        sync: workload::SyncMode,
    },
    /// A worker's thread ended without a result, which is a fault of plimsoll.
    #[error("a worker's thread ended without a result; this is a fault of plimsoll, please report it")]
    Lost,
    /// A worker's thread panicked, which is a fault of plimsoll.
    #[error(
        "worker {number} of job '{job}' panicked: {message}; this is a fault of plimsoll, please report it"
    )]
    Panicked {
        /// The worker's index in the plan.
        number: usize,
        /// Job of the worker.
        job: String,
        /// The panic's message.
        message: String,
    },
    /// A job on a simulated volume was given to the real-time driver.
    #[error("job '{job}' is planned for a simulated volume, which cannot run in real time")]
    Simulated {
        /// The job.
        job: String,
    },
}
