//! The plan of a run: nothing is left open, and each resolved choice carries its reason.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Access, BlockSizes, Buffers, Bytes, Flush, Nanos, Pace, StopRule, Terms, Verify};

/// Backend that does I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// io_uring.
    IoUring,
    /// Linux native asynchronous I/O (`io_submit`).
    Libaio,
    /// `pread` and `pwrite`, one I/O at a time.
    Pread,
    /// No backend: every I/O succeeds at once.
    Null,
    /// A simulated volume in virtual time.
    Simulated,
}

impl BackendKind {
    /// Customary name of the backend.
    pub const fn name(self) -> &'static str {
        match self {
            BackendKind::IoUring => "io_uring",
            BackendKind::Libaio => "libaio",
            BackendKind::Pread => "pread",
            BackendKind::Null => "null",
            BackendKind::Simulated => "simulated",
        }
    }
}

/// Purpose of a step. The analysis reads it: a step's purpose is data and never guessed from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// No I/O is issued; the target is watched for I/O of other programs.
    Idle,
    /// Real data is written over the region.
    Layout,
    /// Latency of one I/O at a time.
    Latency,
    /// One step of the ladder of queue depths.
    DepthLadder,
    /// One step of the ladder of block sizes.
    BlockLadder,
    /// A brief repetition of a load that also runs elsewhere in the run; differences between repetitions are due to the
    /// volume.
    Reference,
    /// A load that distinguishes between two causes of the same level.
    Probe,
    /// One block size at one depth of a map, in which deep and shallow cells differ by design.
    Cell,
    /// A repetition of an earlier load, after a change or at the end, to check whether the rate is still the same.
    Again,
    /// Arrivals at a pace that does not wait for completions, for the latency that users of the volume see.
    OpenLoad,
    /// Load that spends the credits of a burst, or checks how many are left.
    Drain,
    /// Reads that compare one place of the volume with another, or a small working set with a large one.
    Place,
    /// A load on one or more of several volumes, to find the resources that they share.
    Together,
    /// A part of a load that goes on for hours; the parts differ only in the time of day.
    Soak,
    /// A workload that the user described.
    Job,
}

/// A choice made by planning and its reason, for `--dry-run` and the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The open choice: `backend`, `region size`, `direct`.
    pub what: String,
    /// Value chosen.
    pub value: String,
    /// Reason for the choice.
    pub reason: String,
}

/// One step of a run: workers that start together and end by one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    /// Name, unique in the run: `depth 4`, `64 KiB reads`.
    pub name: String,
    /// Purpose of the step.
    pub kind: StepKind,
    /// Workers of the step.
    pub workers: Vec<WorkerPlan>,
    /// When the step ends: at the first of these rules that is met. Empty if every worker has its own rules.
    pub stop: Vec<StopRule>,
    /// Time at the start that runs but is not counted.
    pub ramp: Nanos,
    /// Length of an interval in the record.
    pub interval: Nanos,
    /// Choices of planning with their reasons.
    pub choices: Vec<Choice>,
}

/// A file or device with the region that a worker uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePlan {
    /// Path of the file; for an unnamed file, its directory.
    pub path: PathBuf,
    /// First byte of the region.
    pub offset: Bytes,
    /// Length of the region.
    pub size: Bytes,
}

/// One worker: all its parameters, already decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerPlan {
    /// Name of the worker's job.
    pub job: String,
    /// The worker's files; never empty (null and simulated volumes have one with an invented path).
    pub files: Vec<FilePlan>,
    /// How the place and direction of the next I/O are chosen.
    pub access: Access,
    /// Length of an I/O by direction.
    pub blocks: BlockSizes,
    /// Queue depth.
    pub depth: u32,
    /// When the next I/O becomes due.
    pub pace: Pace,
    /// Backend that does the I/O.
    pub backend: BackendKind,
    /// Whether I/O bypasses the page cache.
    pub direct: bool,
    /// Data that the writes contain.
    pub buffers: Buffers,
    /// How often writes are followed by a flush.
    pub flush: Flush,
    /// Whether data read is compared with data written.
    #[serde(default)]
    pub verify: Verify,
    /// Seed of every random choice; differs between workers.
    pub seed: u64,
    /// CPU to which the worker is pinned, if any.
    pub cpu: Option<u32>,
    /// When the worker begins, ends and rests, and how it treats errors.
    #[serde(default)]
    pub terms: Terms,
}
