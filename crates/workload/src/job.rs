//! The workload requested: jobs that combine when, where, what, by which means, and until when.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    Access, BackendKind, Batching, BlockSizes, Bounds, Buffers, ByDirection, Bytes, Calls, Exit, Flow, Nanos,
    OnError, Overlap, Pace, Priority, RingWays, Start, Steering, StopRule, SyncMode, Think, Totals, Urgent,
    UrgentLength, Verify, WhenFull,
};

/// A request, before planning has decided the open choices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Jobs that run side by side.
    pub jobs: Vec<Job>,
    /// When the step ends: at the first of these rules that is met. Empty if every job has its own rules.
    pub stop: Vec<StopRule>,
    /// Time at the start that runs but is not counted.
    pub ramp: Nanos,
}

/// One job: `clones` workers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Name of the job in results.
    pub name: String,
    /// Files or devices of the job; empty for a simulated volume or the null target.
    pub files: Vec<PathBuf>,
    /// First byte of the region in each file.
    pub offset: Bytes,
    /// Length of the region in each file; `None`: to the file's end.
    pub size: Option<Bytes>,
    /// Length of the region by file, if the lengths differ; empty: all have `size`.
    #[serde(default)]
    pub sizes: Vec<Bytes>,
    /// How the place and direction of the next I/O are chosen.
    pub access: Access,
    /// Length of an I/O by direction.
    pub blocks: BlockSizes,
    /// Queue depth of each worker.
    pub depth: u32,
    /// How I/Os are submitted and reaped.
    #[serde(default)]
    pub batching: Batching,
    /// How the rings of the workers are served, if the backend has rings.
    pub ring: RingWays,
    /// Requests that accompany the calls.
    #[serde(default)]
    pub calls: Calls,
    /// The reaction to a write that finds no space.
    #[serde(default)]
    pub when_full: WhenFull,
    /// The treatment of an I/O that overlaps one in flight.
    #[serde(default)]
    pub overlap: Overlap,
    /// Bytes after which a worker drops its files from the page cache; `None`: never.
    #[serde(default)]
    pub forget_each: Option<Bytes>,
    /// Number of workers.
    pub clones: u32,
    /// When the next I/O becomes due.
    pub pace: Pace,
    /// When the next write becomes due, if writes have a separate pace; `pace` then applies to reads.
    pub write_pace: Option<Pace>,
    /// Bounds that end a worker because its volume is too slow.
    #[serde(default)]
    pub bounds: Bounds,
    /// Search for a depth, up to `depth`, at which a latency is kept.
    #[serde(default)]
    pub steering: Option<Steering>,
    /// Proportion between the job's workers and others.
    #[serde(default)]
    pub flow: Option<Flow>,
    /// When the workers rest.
    pub think: Option<Think>,
    /// The event with which the job begins.
    pub start: Start,
    /// Delay from that event to the job's start.
    pub delay: Nanos,
    /// Time after the job's start that runs but is not counted; `None`: to the end of the workload's ramp.
    pub ramp: Option<Nanos>,
    /// Stop rules of the job, in addition to those of the workload; time counts from the end of the job's ramp.
    pub stop: Vec<StopRule>,
    /// Time after the job's end that runs but is not counted.
    pub cool: Nanos,
    /// Jobs that end with this job.
    pub exit: Exit,
    /// The reaction to a failed I/O.
    pub on_error: OnError,
    /// Backend that does the I/O.
    pub backend: BackendAsk,
    /// Whether I/O bypasses the page cache.
    pub direct: bool,
    /// Whether each write is stable when it completes.
    pub sync: SyncMode,
    /// I/O priority for the kernel; `None`: the process's own.
    pub priority: Option<Priority>,
    /// Share of I/Os with a separate priority, if the backend can set one per I/O.
    #[serde(default)]
    pub urgent: ByDirection<Option<Urgent>>,
    /// Shares of I/Os with a separate priority by length of the I/O; if not empty, they replace `urgent`.
    #[serde(default)]
    pub urgent_lengths: ByDirection<Vec<UrgentLength>>,
    /// Data that the writes contain.
    pub buffers: Buffers,
    /// How often writes are followed by a flush.
    pub flush: Flush,
    /// Whether data read is compared with data written.
    pub verify: Verify,
    /// Seed of every random choice of the job.
    pub seed: u64,
    /// CPUs on which the workers may run; empty: any.
    pub cpus: Vec<u32>,
    /// Whether every completed I/O is passed to the step's observer.
    pub trace: bool,
    /// Whether every I/O is passed to the observer when it is issued, in that order.
    #[serde(default)]
    pub tells_issues: bool,
    /// Whether totals are also kept by file or by I/O.
    pub totals: Totals,
}

/// Backend requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendAsk {
    /// The first of io_uring, libaio and pread that works here.
    #[default]
    Best,
    /// This backend or none.
    Only(BackendKind),
}

/// How often writes are followed by a flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// Never.
    #[default]
    Never,
    /// One after every this many writes.
    Every(u32),
}

impl Job {
    /// A job with the defaults of plimsoll's own commands: 4 KiB random reads at depth 1, direct, unique data.
    pub fn named(name: &str) -> Job {
        Job {
            name: name.to_owned(),
            files: Vec::new(),
            offset: Bytes(0),
            size: None,
            sizes: Vec::new(),
            access: Access::random(crate::Mix::READ),
            blocks: BlockSizes::all(Bytes::kib(4)),
            depth: 1,
            batching: Batching::BEST,
            ring: RingWays::default(),
            calls: Calls::default(),
            when_full: WhenFull::Fails,
            overlap: Overlap::Allowed,
            forget_each: None,
            clones: 1,
            pace: Pace::Closed,
            write_pace: None,
            bounds: Bounds::default(),
            steering: None,
            flow: None,
            think: None,
            start: Start::WithStep,
            delay: Nanos::ZERO,
            ramp: None,
            stop: Vec::new(),
            cool: Nanos::ZERO,
            exit: Exit::default(),
            on_error: OnError::Stop,
            backend: BackendAsk::Best,
            direct: true,
            sync: SyncMode::None,
            priority: None,
            urgent: ByDirection::default(),
            urgent_lengths: ByDirection::default(),
            buffers: Buffers::Unique,
            flush: Flush::Never,
            verify: Verify::Off,
            seed: 1,
            cpus: Vec::new(),
            trace: false,
            tells_issues: false,
            totals: Totals::Worker,
        }
    }
}
