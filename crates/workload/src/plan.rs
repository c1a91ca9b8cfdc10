//! What will run: nothing optional is left, and each resolved choice carries its reason.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Access, BlockSizes, Buffers, Bytes, Flush, Nanos, Pace, StopRule, Terms, Verify};

/// By which means I/O is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// io_uring.
    IoUring,
    /// Linux native asynchronous I/O (`io_submit`).
    Libaio,
    /// `pread` and `pwrite`, one I/O at a time.
    Pread,
    /// Nothing: every I/O succeeds at once.
    Null,
    /// A simulated volume in virtual time.
    Simulated,
}

impl BackendKind {
    /// The name people know.
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

/// What a step is for; the analysis reads it, so a step's purpose is data and never guessed from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Nothing is issued; the target is watched for load that is not ours.
    Idle,
    /// Real data is written over the region.
    Layout,
    /// Latency of one I/O at a time.
    Latency,
    /// One step of the ladder of queue depths.
    DepthLadder,
    /// One step of the ladder of block sizes.
    BlockLadder,
    /// A short moment of a load that ran before or will run again: what differs between such moments is the volume's doing.
    Reference,
    /// A load that tells two causes of the same level apart.
    Probe,
    /// A block size at a depth, of a map: what is deep and what is shallow differ by design.
    Cell,
    /// A load that ran before once more, after a change or at the end: does the level still hold?
    Again,
    /// Arrivals at a pace that does not wait for completions, for the latency that users of the volume see.
    OpenLoad,
    /// Load that spends the credits of a burst, or looks how much of them is there.
    Drain,
    /// Reads that tell one place of the volume from another, or a small working set from a large one.
    Place,
    /// A load of one or more of several volumes, to tell what they share.
    Together,
    /// A part of a load that goes on for hours: what differs between them is the time of day.
    Soak,
    /// A workload of the user's own.
    Job,
}

/// A choice that planning made, with its reason, for `--dry-run` and the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What was open: `backend`, `region size`, `direct`.
    pub what: String,
    /// What was chosen.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// One step of a run: workers that start together and end by one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    /// A name that is unique in the run: `depth 4`, `64 KiB reads`.
    pub name: String,
    /// What it is for.
    pub kind: StepKind,
    /// Its workers.
    pub workers: Vec<WorkerPlan>,
    /// When it ends; several rules: whichever holds first. Empty where every worker has its own.
    pub stop: Vec<StopRule>,
    /// Time at the start that is run but not counted.
    pub ramp: Nanos,
    /// Length of an interval of the record.
    pub interval: Nanos,
    /// Choices with their reasons.
    pub choices: Vec<Choice>,
}

/// A file or device with the region a worker uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePlan {
    /// Its path; of an unnamed file the directory it lives in.
    pub path: PathBuf,
    /// First byte of the region.
    pub offset: Bytes,
    /// Bytes of the region.
    pub size: Bytes,
}

/// One worker: everything it needs to know, all of it decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerPlan {
    /// Name of its job.
    pub job: String,
    /// Its files; never empty (null and simulated volumes have one with a made-up path).
    pub files: Vec<FilePlan>,
    /// Where the next I/O goes.
    pub access: Access,
    /// Length of an I/O by direction.
    pub blocks: BlockSizes,
    /// I/Os in flight.
    pub depth: u32,
    /// When the next I/O becomes due.
    pub pace: Pace,
    /// By which means.
    pub backend: BackendKind,
    /// Past the page cache.
    pub direct: bool,
    /// What is written.
    pub buffers: Buffers,
    /// Flushes between writes.
    pub flush: Flush,
    /// Whether what is read is compared with what was written.
    #[serde(default)]
    pub verify: Verify,
    /// Seed of every random choice; differs between workers.
    pub seed: u64,
    /// CPU to stay on.
    pub cpu: Option<u32>,
    /// When it begins, ends and rests, and what it does about errors.
    #[serde(default)]
    pub terms: Terms,
}
