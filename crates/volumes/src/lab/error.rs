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
        /// The name as typed.
        name: String,
        /// The policy.
        policy: String,
        /// The nearest of the lab's parameters.
        near: Option<String>,
    },
    /// A parameter of the lab has a value that is not allowed.
    #[error("lab: {name}={value}: write {wanted}")]
    Value {
        /// Name of the parameter.
        name: String,
        /// The value as typed.
        value: String,
        /// The allowed values.
        wanted: String,
    },
    /// The kernel's throttle cannot express the policy.
    #[error("lab:{policy}: this kernel cannot throttle so: {problem}; {remedy}")]
    Inexpressible {
        /// The policy.
        policy: String,
        /// The part of the policy that the throttle cannot express.
        problem: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The volume would be too small to measure, or not whole blocks.
    #[error("lab: a volume of {size} cannot be made; ask for a multiple of 4 KiB of at least 16 MiB")]
    Size {
        /// The requested size.
        size: Bytes,
    },
    /// The data would not fit.
    #[error(
        "{dir}: {wanted} are needed but only {free} are free; ask for a smaller volume (--size) or another directory"
    )]
    NoSpace {
        /// The directory for the data.
        dir: PathBuf,
        /// The requested size.
        wanted: Bytes,
        /// Free space.
        free: Bytes,
    },
    /// The file behind the volume cannot be made, filled or removed.
    #[error(
        "{path}: the file behind a lab volume {what}: {source}; choose a directory that root may write to"
    )]
    Backing {
        /// The file, or the directory for it.
        path: PathBuf,
        /// The operation that failed.
        what: &'static str,
        /// The kernel's error.
        source: io::Error,
    },
    /// A loop device failed.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// The throttle failed.
    #[error(transparent)]
    Throttle(#[from] ThrottleError),
    /// The guard gave no permit to write.
    #[error(transparent)]
    Guard(Box<GuardError>),
    /// There is no such volume.
    #[error("{device}: is no lab volume; plimsoll lab list shows all")]
    NoLab {
        /// The device that was named.
        device: PathBuf,
    },
    /// A stop was requested while the volume was made.
    #[error("lab: stopped while the volume was made; nothing of it is left")]
    Interrupted,
    /// The process that cleans up after a crash could not be started.
    #[error(
        "lab: sh cannot be started, which is to clean up if this process is killed: {source}; install a shell"
    )]
    Cleanup {
        /// The kernel's error.
        source: io::Error,
    },
    /// The counters of the device cannot be read.
    #[error("{path}: {source}; credits are counted by it: leave speed= out, or use a kernel with sysfs")]
    Counters {
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The note of a keeper cannot be made, or another keeper has locked it.
    #[error(
        "{path}: {source}; the keeper of a lab volume notes its credits there: is another one running, or /run not writable?"
    )]
    Note {
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The volume is in use.
    #[error("{device}: {}; release it first", .holds.iter().map(Hold::to_string).collect::<Vec<_>>().join(", "))]
    InUse {
        /// The device.
        device: PathBuf,
        /// The uses of the device.
        holds: Vec<Hold>,
    },
    /// The volume belongs to a run.
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
