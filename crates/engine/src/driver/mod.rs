//! The two drivers of a step: real time with a thread a worker, and virtual time on one thread.

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
pub use simulated::{Served, Volume, run_simulated};

use workload::Io;

use crate::worker::WorkerError;

/// ETIMEDOUT, as which I/O is recorded that was waited for in vain.
const IN_VAIN: i32 = 110;

/// Why a step could not run or had to be given up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A worker's plan holds no work.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The means of I/O could not be had or went down.
    #[error(transparent)]
    Queue(#[from] kernel::QueueError),
    /// The backend would not take an I/O.
    #[error("{} of {} bytes at byte {} was refused: {reason}", io.kind.name(), io.bytes, io.offset)]
    Refused {
        /// The I/O.
        io: Io,
        /// Why.
        reason: kernel::Refused,
    },
    /// Each worker needs its open files.
    #[error("the plan has {workers} workers, but files were opened for {given}; open one list a worker")]
    Files {
        /// Workers of the plan.
        workers: usize,
        /// Lists of files given.
        given: usize,
    },
    /// How far the writes came cannot be kept.
    #[error("the verify state cannot be kept in {}: {source}; give a directory that can be written, or verify_state_save=0", path.display())]
    State {
        /// The file.
        path: std::path::PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// What was read and is wrong cannot be kept.
    #[error("a block that is wrong cannot be kept in {}: {source}; start it in a directory that can be written, or leave verify_dump out", path.display())]
    Dump {
        /// The file.
        path: std::path::PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// A worker's thread could not be started.
    #[error("a thread for a worker cannot be started: {0}; ask for fewer workers")]
    Thread(std::io::Error),
    /// The worker cannot stay on its CPU.
    #[error("a worker cannot stay on CPU {cpu}: {source}; name a CPU that this process may use")]
    Pin {
        /// The CPU.
        cpu: u32,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// The kernel refuses the I/O priority.
    #[error(
        "the kernel refuses the I/O priority that is asked for: {0}; real time needs root, the others nothing"
    )]
    Priority(std::io::Error),
    /// A file was not opened as the plan says.
    #[error("{}: was not opened for {sync:?} writes, as job '{job}' plans; open it so", path.display())]
    Unsynced {
        /// The job.
        job: String,
        /// The file.
        path: std::path::PathBuf,
        /// What is planned.
        sync: workload::SyncMode,
    },
    /// A worker's thread ended without a word, which is a fault of plimsoll.
    #[error("a worker's thread ended without a result; this is a fault of plimsoll, please report it")]
    Lost,
    /// A worker's thread panicked, which is a fault of plimsoll.
    #[error(
        "worker {number} of job '{job}' panicked: {message}; this is a fault of plimsoll, please report it"
    )]
    Panicked {
        /// Its place in the plan.
        number: usize,
        /// Its job.
        job: String,
        /// What it said.
        message: String,
    },
    /// Simulated volumes belong to the other driver.
    #[error("job '{job}' is planned for a simulated volume, which cannot run in real time")]
    Simulated {
        /// The job.
        job: String,
    },
}
