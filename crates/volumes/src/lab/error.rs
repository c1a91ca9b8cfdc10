//! Why a lab volume could not be made or taken down.

use std::io;
use std::path::PathBuf;

use kernel::guard::{GuardError, Hold};
use kernel::lab::{LoopError, ThrottleError};
use workload::Bytes;

/// Why a lab volume could not be made or taken down; every message names cause and remedy.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The policy or one of its parameters is wrong.
    #[error(transparent)]
    Policy(Box<policy::PolicyError>),
    /// Neither the policy nor the lab knows the parameter.
    #[error(
        "lab: '{name}' is no parameter of {policy} nor of the lab{}; the lab takes rate (baseline or burst), speed, \
         credits, and --size", .near.iter().map(|near| format!(", did you mean {near}?")).collect::<String>()
    )]
    Unknown {
        /// What was typed.
        name: String,
        /// The policy.
        policy: String,
        /// The nearest of the lab's.
        near: Option<String>,
    },
    /// A parameter of the lab has a value that it does not take.
    #[error("lab: {name}={value}: write {wanted}")]
    Value {
        /// The parameter.
        name: String,
        /// What was typed.
        value: String,
        /// What it takes.
        wanted: String,
    },
    /// The kernel's throttle has no words for the policy.
    #[error("lab:{policy}: this kernel cannot throttle so: {problem}; {remedy}")]
    Inexpressible {
        /// The policy.
        policy: String,
        /// What it has no words for.
        problem: String,
        /// What would do.
        remedy: &'static str,
    },
    /// The volume would be too small to measure, or not whole blocks.
    #[error("lab: a volume of {size} cannot be made; ask for a multiple of 4 KiB of at least 16 MiB")]
    Size {
        /// What was asked for.
        size: Bytes,
    },
    /// The data would not fit.
    #[error(
        "{dir}: {wanted} are needed but only {free} are free; ask for a smaller volume (--size) or another directory"
    )]
    NoSpace {
        /// Where it was to lie.
        dir: PathBuf,
        /// What was asked for.
        wanted: Bytes,
        /// What is free.
        free: Bytes,
    },
    /// The file behind the volume cannot be made, filled or removed.
    #[error(
        "{path}: the file behind a lab volume {what}: {source}; choose a directory that root may write to"
    )]
    Backing {
        /// The file, or the directory for it.
        path: PathBuf,
        /// What failed.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// The loop devices.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// The throttle.
    #[error(transparent)]
    Throttle(#[from] ThrottleError),
    /// The guard gives no leave to write.
    #[error(transparent)]
    Guard(Box<GuardError>),
    /// There is no such volume.
    #[error("{device}: is no lab volume; plimsoll lab list shows all")]
    NoLab {
        /// What was named.
        device: PathBuf,
    },
    /// Somebody asked to stop while it was made.
    #[error("lab: stopped while the volume was made; nothing of it is left")]
    Interrupted,
    /// Nothing could be started that cleans up after a crash.
    #[error(
        "lab: sh cannot be started, which is to clean up if this process is killed: {source}; install a shell"
    )]
    Cleanup {
        /// What the kernel said.
        source: io::Error,
    },
    /// The counters of the device cannot be read.
    #[error("{path}: {source}; credits are counted by it: leave speed= out, or use a kernel with sysfs")]
    Counters {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The note of a keeper cannot be made or is held by another.
    #[error(
        "{path}: {source}; the keeper of a lab volume notes its credits there: is another one running, or /run not writable?"
    )]
    Note {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Somebody uses it.
    #[error("{device}: {}; release it first", .holds.iter().map(Hold::to_string).collect::<Vec<_>>().join(", "))]
    InUse {
        /// The device.
        device: PathBuf,
        /// By what.
        holds: Vec<Hold>,
    },
    /// It belongs to a run.
    #[error("{device}: belongs to a run that is going on and ends with it; interrupt that run instead")]
    OfARun {
        /// The device.
        device: PathBuf,
    },
}

impl From<policy::PolicyError> for LabError {
    fn from(error: policy::PolicyError) -> LabError {
        LabError::Policy(Box::new(error))
    }
}

impl From<GuardError> for LabError {
    fn from(error: GuardError) -> LabError {
        LabError::Guard(Box::new(error))
    }
}
