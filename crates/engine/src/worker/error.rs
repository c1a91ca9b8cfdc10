//! Why a plan cannot become a worker.

use workload::Bytes;

/// Why a plan cannot become a worker; the planner refuses such plans beforehand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// A worker has no file to work on.
    #[error("job '{job}' has a worker without a file; give it at least one")]
    NoFile {
        /// The job.
        job: String,
    },
    /// A region cannot hold a single block.
    #[error("{path}: a region of {region} holds no block; take smaller blocks or a larger region")]
    NoBlock {
        /// The file.
        path: std::path::PathBuf,
        /// The region.
        region: Bytes,
    },
    /// A worker has no slot to issue in.
    #[error("job '{job}' has a queue depth of 0; it must be at least 1")]
    NoDepth {
        /// The job.
        job: String,
    },
}
