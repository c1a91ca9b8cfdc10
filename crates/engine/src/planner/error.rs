//! Why a workload cannot be planned on its target.

use std::path::PathBuf;

use workload::{BackendKind, Bytes, Disagreement};

/// Why a workload cannot be planned on its target; every message names a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Parts of the workload contradict each other.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// A job names no file or device.
    #[error("job '{job}' names no file or device; give it at least one")]
    NoFile {
        /// The job.
        job: String,
    },
    /// A trace is to be replayed where its files do not exist.
    #[error("job '{job}' replays a trace, which needs the files that it names; a simulated volume has none")]
    Replay {
        /// The job.
        job: String,
    },
    /// A file was not examined before planning.
    #[error("job '{job}': nothing is known of {}; open it first", path.display())]
    UnknownFile {
        /// The job.
        job: String,
        /// The file.
        path: PathBuf,
    },
    /// A job writes to a file without permission to write.
    #[error("job '{job}' writes, but {} may only be read; measure reads alone, or allow writing to it", path.display())]
    ReadOnly {
        /// The job.
        job: String,
        /// The file.
        path: PathBuf,
    },
    /// The region ends beyond the end of the file.
    #[error(
        "job '{job}': {} bytes from byte {} reach beyond the end of {}, which holds {}; take a region of at most {}",
        region.0, offset.0, path.display(), size, Bytes(size.0.saturating_sub(offset.0))
    )]
    RegionBeyondEnd {
        /// The job.
        job: String,
        /// The file.
        path: PathBuf,
        /// Start of the region.
        offset: Bytes,
        /// Length of the region.
        region: Bytes,
        /// Size of the file.
        size: Bytes,
    },
    /// Not even one block fits into the region.
    #[error(
        "job '{job}': a block of {block} does not fit into the {region} that {} offers each worker; \
         take smaller blocks or a larger region", path.display()
    )]
    BlockAboveRegion {
        /// The job.
        job: String,
        /// The file.
        path: PathBuf,
        /// The block.
        block: Bytes,
        /// The region of one worker.
        region: Bytes,
    },
    /// An offset or length that direct I/O does not allow.
    #[error(
        "job '{job}': {what} of {} bytes is not a multiple of {} bytes, which direct I/O on {} needs; \
         take {}, or go through the page cache",
        value.0, alignment.0, path.display(), nearest.iter().map(|n| n.0.to_string()).collect::<Vec<_>>().join(" or ")
    )]
    Misaligned {
        /// The job.
        job: String,
        /// The file.
        path: PathBuf,
        /// The misaligned value: `a read block`, `an offset`.
        what: &'static str,
        /// The misaligned value in bytes.
        value: Bytes,
        /// The unit of which the value must be a multiple.
        alignment: Bytes,
        /// The nearest suitable values, ascending.
        nearest: Vec<Bytes>,
    },
    /// A block is longer than an I/O can be.
    #[error("job '{job}': a block of {block} is more than one I/O can carry; take at most 1 GiB")]
    BlockTooLong {
        /// The job.
        job: String,
        /// The block.
        block: Bytes,
    },
    /// The amount is less than the first block.
    #[error("job '{job}': {amount} hold no block of {block}; ask for at least {block}")]
    AmountBelowBlock {
        /// The job.
        job: String,
        /// The amount.
        amount: Bytes,
        /// The longest block.
        block: Bytes,
    },
    /// The requested backend does not work here.
    #[error("job '{job}': {} does not work here: {reason}", backend.name())]
    Backend {
        /// The job.
        job: String,
        /// The backend.
        backend: BackendKind,
        /// The reason, with the remedy.
        reason: String,
    },
    /// No backend works here.
    #[error("job '{job}': no means of I/O works here: {reasons}")]
    NoBackend {
        /// The job.
        job: String,
        /// Each backend with the reason.
        reasons: String,
    },
    /// Blocks cannot be verified as requested.
    #[error("job '{job}': its data cannot be verified: {reason}")]
    Verify {
        /// The job.
        job: String,
        /// The reason, with the remedy.
        reason: String,
    },
    /// This process may not use the CPU named.
    #[error("job '{job}': CPU {cpu} is not one that this process may use; those are {cpus:?}")]
    NoSuchCpu {
        /// The job.
        job: String,
        /// The CPU.
        cpu: u32,
        /// CPUs that this process may use.
        cpus: Vec<u32>,
    },
}

impl PlanError {
    /// The job that cannot be planned; `None` if several contradict each other.
    pub fn job(&self) -> Option<&str> {
        match self {
            PlanError::NoFile { job, .. }
            | PlanError::Replay { job, .. }
            | PlanError::UnknownFile { job, .. }
            | PlanError::ReadOnly { job, .. }
            | PlanError::RegionBeyondEnd { job, .. }
            | PlanError::BlockAboveRegion { job, .. }
            | PlanError::Misaligned { job, .. }
            | PlanError::BlockTooLong { job, .. }
            | PlanError::AmountBelowBlock { job, .. }
            | PlanError::Backend { job, .. }
            | PlanError::NoBackend { job, .. }
            | PlanError::Verify { job, .. }
            | PlanError::NoSuchCpu { job, .. } => Some(job),
            PlanError::Disagreement(_) => None,
        }
    }
}
