//! The terms of a worker: when it begins, ends and rests, how it treats errors, and what is reported about it.

use serde::{Deserialize, Serialize};

use crate::{
    Batching, Bounds, ByDirection, Bytes, Calls, Flow, Job, Nanos, Pace, RingWays, Steering, StopRule,
};

/// Terms of one worker, all of them decided; the default is a worker that begins with its step, ends with the step, and
/// stops at its first error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// The event with which the worker begins.
    pub start: Start,
    /// Time after the start of the step before which the worker does not start.
    pub delay: Nanos,
    /// Time after the worker's start that runs but is not counted; `None`: to the end of the step's ramp.
    pub ramp: Option<Nanos>,
    /// Time after the worker's end that runs but is not counted.
    pub cool: Nanos,
    /// Stop rules of the worker, in addition to those of the step.
    pub stop: Vec<StopRule>,
    /// Jobs that end with the worker's job.
    pub exit: Exit,
    /// When the worker rests.
    pub think: Option<Think>,
    /// Pace of the writes, if it differs from that of the reads.
    pub write_pace: Option<Pace>,
    /// Bounds that end the worker because its volume is too slow.
    pub bounds: Bounds,
    /// Search for a queue depth.
    pub steering: Option<Steering>,
    /// Proportion between this worker and others.
    pub flow: Option<Flow>,
    /// The reaction to a failed I/O.
    pub on_error: OnError,
    /// Whether each write is stable when it completes.
    pub sync: SyncMode,
    /// I/O priority for the kernel; `None`: the process's own.
    pub priority: Option<Priority>,
    /// Share of I/Os with a separate priority, if the backend can set one per I/O.
    pub urgent: ByDirection<Option<Urgent>>,
    /// Shares of I/Os with a separate priority by length of the I/O; if not empty, they replace `urgent`.
    #[serde(default)]
    pub urgent_lengths: ByDirection<Vec<UrgentLength>>,
    /// How the worker's I/Os are submitted and reaped.
    pub batching: Batching,
    /// How the worker's ring is served, if the backend has one.
    pub ring: RingWays,
    /// Requests that accompany the worker's calls.
    pub calls: Calls,
    /// The reaction to a write that finds no space.
    pub when_full: WhenFull,
    /// The treatment of an I/O that overlaps one in flight.
    pub overlap: Overlap,
    /// Bytes after which the worker drops its files from the page cache; `None`: never.
    pub forget_each: Option<Bytes>,
    /// Whether each completed I/O is passed to the step's observer.
    pub trace: bool,
    /// Whether each I/O is passed to the observer when it is issued.
    pub tells_issues: bool,
    /// Whether totals are also kept by file or by I/O.
    pub totals: Totals,
}

impl Terms {
    /// The terms that `job` requests.
    pub fn of(job: &Job) -> Terms {
        Terms {
            start: job.start.clone(),
            delay: job.delay,
            ramp: job.ramp,
            cool: job.cool,
            stop: job.stop.clone(),
            exit: job.exit,
            think: job.think,
            write_pace: job.write_pace,
            bounds: job.bounds,
            steering: job.steering,
            flow: job.flow,
            on_error: job.on_error.clone(),
            sync: job.sync,
            priority: job.priority,
            urgent: job.urgent,
            urgent_lengths: job.urgent_lengths.clone(),
            batching: job.batching,
            ring: job.ring,
            calls: job.calls,
            when_full: job.when_full,
            overlap: job.overlap,
            forget_each: job.forget_each,
            trace: job.trace || job.totals == Totals::WorkerAndEachIo,
            tells_issues: job.tells_issues,
            totals: job.totals,
        }
    }
}

/// The event with which a job begins, though not before its delay is over, which counts from the start of the step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// The start of the step.
    #[default]
    WithStep,
    /// The end of these jobs of the step, all listed before the job.
    After(Vec<String>),
}

/// Jobs that end with a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// Number that the jobs of one group share.
    pub group: u32,
    /// Jobs that end when this job has done its work.
    pub done: Reach,
    /// Jobs that end when this job stops because an I/O failed.
    pub failed: Reach,
}

impl Default for Exit {
    /// Each job ends by itself, but an error ends the step, because the results of other jobs after it are meaningless.
    fn default() -> Self {
        Exit { group: 0, done: Reach::Itself, failed: Reach::Step }
    }
}

/// The jobs that end when a job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The job itself.
    Itself,
    /// All jobs of the job's group.
    Group,
    /// All jobs of the step.
    Step,
}

/// When and how a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Think {
    /// Number of I/Os between rests; `u32::MAX`: I/Os cause no rest.
    pub every: u32,
    /// The I/Os that count towards `every`.
    pub counted: ThinkCount,
    /// Working time since the last rest after which the worker rests.
    pub after: Option<Nanos>,
    /// Length of the rest.
    pub pause: Nanos,
    /// Time for which the CPU is kept busy at the beginning of the rest.
    pub spin: Nanos,
    /// The treatment of the queue.
    pub queue: ThinkQueue,
    /// The treatment of the due times of a pace.
    pub pace: ThinkPace,
}

impl Think {
    /// A pause of `pause` after every `every` completed I/Os, with an empty queue.
    pub const fn each(every: u32, pause: Nanos) -> Think {
        Think {
            every,
            counted: ThinkCount::Done,
            after: None,
            pause,
            spin: Nanos::ZERO,
            queue: ThinkQueue::Drained,
            pace: ThinkPace::Kept,
        }
    }

    /// A pause of `pause` after every burst of `ios` I/Os, while those in flight go on.
    pub const fn burst(ios: u32, pause: Nanos) -> Think {
        Think { counted: ThinkCount::Issued, queue: ThinkQueue::Kept, ..Think::each(ios, pause) }
    }
}

/// The I/Os that count towards a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkCount {
    /// Completed I/Os.
    Done,
    /// Issued I/Os.
    Issued,
}

/// The treatment of the queue when a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkQueue {
    /// The queue drains first; the pause begins when the last I/O has completed.
    Drained,
    /// I/Os in flight go on; the pause begins at once.
    Kept,
}

/// The treatment of the due times of a pace while a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkPace {
    /// Due times stay: I/Os that became due in the pause are issued after it.
    Kept,
    /// Due times move by the length of the pause, those of a fixed rate so that an I/O is due at its end.
    Moved,
}

/// The reaction to a failed I/O.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The error ends the worker and the jobs that its [`Exit`] names.
    #[default]
    Stop,
    /// The error is counted and passed over if its errno is listed; any other ends the worker.
    Continue {
        /// Errors of reads that are passed over.
        reads: Errnos,
        /// Errors of writes, trims and flushes that are passed over.
        writes: Errnos,
    },
}

/// The reaction to a write that finds no space left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// The write fails like any other.
    #[default]
    Fails,
    /// The write ends its worker as if its amount were done, because the job was meant to fill the volume.
    Ends,
}

/// The treatment of an I/O that overlaps another I/O in flight of the same worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The I/O goes to the device all the same; which of two writes is last is undefined.
    #[default]
    Allowed,
    /// The I/O waits, with all after it, until the other has ended.
    HeldBack,
}

/// A set of errnos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Errnos {
    /// All errnos.
    Any,
    /// These positive errnos; empty: none.
    These(Vec<i32>),
}

impl Errnos {
    /// Whether `errno` is in the set.
    pub fn contain(&self, errno: i32) -> bool {
        match self {
            Errnos::Any => true,
            Errnos::These(list) => list.contains(&errno),
        }
    }
}

/// Whether each write is stable when it completes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// The write is not stable: only a flush makes it so.
    #[default]
    None,
    /// The data of the write is stable (`O_DSYNC`).
    Dsync,
    /// The data of the write and the file's metadata are stable (`O_SYNC`).
    Sync,
}

/// I/O priority of a worker for the kernel's scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Priority {
    /// Priority class.
    pub class: PriorityClass,
    /// Level within a class: 0 is the highest, 7 the lowest; idle I/O has no levels.
    pub level: u8,
}

/// A share of I/Os with a separate priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Urgent {
    /// Percent of the I/Os.
    pub percent: u8,
    /// Priority of these I/Os; the rest have the worker's.
    pub priority: Priority,
}

/// A share of the I/Os of one length with a separate priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrgentLength {
    /// Length of the I/Os.
    pub length: Bytes,
    /// Percent of these I/Os; entries for one length add up to at most 100.
    pub percent: u8,
    /// Priority of these I/Os; the rest have the worker's.
    pub priority: Priority,
}

/// Class of I/O priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorityClass {
    /// Before all others; needs root.
    Realtime,
    /// The usual class.
    BestEffort,
    /// Only when the disk is otherwise idle.
    Idle,
}

/// The records kept of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Totals {
    /// One set of totals per worker.
    #[default]
    Worker,
    /// Totals per worker, and per worker and file.
    WorkerAndFile,
    /// Totals per worker, and per worker and priority: in place of files its own priority, then [`Terms::priorities`].
    WorkerAndPriority,
    /// One set of totals per worker, and each of its I/Os.
    WorkerAndEachIo,
}
