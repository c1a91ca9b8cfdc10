//! What is asked for: jobs that combine when, where, what, by which means, and until when.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    Access, BackendKind, Batching, BlockSizes, Bounds, Buffers, ByDirection, Bytes, Calls, Exit, Flow, Nanos,
    OnError, Overlap, Pace, Priority, RingWays, Start, Steering, StopRule, SyncMode, Think, Totals, Urgent,
    UrgentLength, Verify, WhenFull,
};

/// What is asked for, before planning has filled in what was left open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Jobs that run side by side.
    pub jobs: Vec<Job>,
    /// When the step ends; several rules: whichever holds first. Empty where every job has its own.
    pub stop: Vec<StopRule>,
    /// Time at the start that is run but not counted.
    pub ramp: Nanos,
}

/// One job: `clones` workers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its name in results.
    pub name: String,
    /// Files or devices it works on; empty for a simulated volume or null.
    pub files: Vec<PathBuf>,
    /// First byte of the region in each file.
    pub offset: Bytes,
    /// Bytes of the region in each file; `None`: to the end of what is there.
    pub size: Option<Bytes>,
    /// The same file by file, where they differ; empty: all have `size`.
    #[serde(default)]
    pub sizes: Vec<Bytes>,
    /// Where the next I/O goes.
    pub access: Access,
    /// Length of an I/O by direction.
    pub blocks: BlockSizes,
    /// I/Os in flight a worker.
    pub depth: u32,
    /// How they go to the kernel and come back.
    #[serde(default)]
    pub batching: Batching,
    /// The ways of its rings, where the backend is one.
    pub ring: RingWays,
    /// What goes along with its calls.
    #[serde(default)]
    pub calls: Calls,
    /// What a write that finds no space does.
    #[serde(default)]
    pub when_full: WhenFull,
    /// What an I/O does while another on the same bytes is in flight.
    #[serde(default)]
    pub overlap: Overlap,
    /// Bytes after which a worker empties the page cache of its files; `None`: never.
    #[serde(default)]
    pub forget_each: Option<Bytes>,
    /// Workers of this kind.
    pub clones: u32,
    /// When the next I/O becomes due.
    pub pace: Pace,
    /// The same of its writes, where they have a pace of their own; `pace` is then that of its reads.
    pub write_pace: Option<Pace>,
    /// What ends a worker because its volume is too slow.
    #[serde(default)]
    pub bounds: Bounds,
    /// A depth up to `depth` that is searched for by the latency it brings.
    #[serde(default)]
    pub steering: Option<Steering>,
    /// A proportion that its workers keep to others.
    #[serde(default)]
    pub flow: Option<Flow>,
    /// When it rests.
    pub think: Option<Think>,
    /// What it begins with.
    pub start: Start,
    /// From there to its own start.
    pub delay: Nanos,
    /// Time after its own start that is run but not counted; `None`: up to the end of the workload's.
    pub ramp: Option<Nanos>,
    /// Its own ends, beside those of the workload; time counts from its own start past its ramp.
    pub stop: Vec<StopRule>,
    /// Time after its end that is run but not counted.
    pub cool: Nanos,
    /// Who ends with it.
    pub exit: Exit,
    /// What a failed I/O does.
    pub on_error: OnError,
    /// By which means.
    pub backend: BackendAsk,
    /// Past the page cache.
    pub direct: bool,
    /// Whether each write is stable when it is done.
    pub sync: SyncMode,
    /// How urgent its I/O is to the kernel; `None`: as that of any process.
    pub priority: Option<Priority>,
    /// I/Os that are more urgent, or less, than the others, where the backend can say so.
    #[serde(default)]
    pub urgent: ByDirection<Option<Urgent>>,
    /// The same by the length of an I/O; where there is any, it alone says.
    #[serde(default)]
    pub urgent_lengths: ByDirection<Vec<UrgentLength>>,
    /// What is written.
    pub buffers: Buffers,
    /// Flushes between writes.
    pub flush: Flush,
    /// Whether what is read is compared with what was written.
    pub verify: Verify,
    /// Seed of every random choice of the job.
    pub seed: u64,
    /// CPUs the workers may run on; empty: any.
    pub cpus: Vec<u32>,
    /// Whether every I/O is told to the step's watcher.
    pub trace: bool,
    /// The same when it is issued, in that order.
    #[serde(default)]
    pub tells_issues: bool,
    /// Whether totals are kept by file too.
    pub totals: Totals,
}

/// By which means I/O is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendAsk {
    /// The first of io_uring, libaio and pread that works here.
    #[default]
    Best,
    /// This one or none.
    Only(BackendKind),
}

/// Flushes between writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// None.
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
