//! The terms on which a worker works: when it begins, ends and rests, how it treats errors, and what is reported of it.

use serde::{Deserialize, Serialize};

use crate::{
    Batching, Bounds, ByDirection, Bytes, Calls, Flow, Job, Nanos, Pace, RingWays, Steering, StopRule,
};

/// Terms of one worker, all of them decided; the default is a worker that begins with its step, ends as the step says, and
/// stops at its first error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// The event with which it begins.
    pub start: Start,
    /// Delay from that event to its own start.
    pub delay: Nanos,
    /// Time after its own start that runs but is not counted; `None`: to the end of the step's ramp.
    pub ramp: Option<Nanos>,
    /// Time after its end that runs but is not counted.
    pub cool: Nanos,
    /// Stop rules of its own, beside those of the step.
    pub stop: Vec<StopRule>,
    /// Jobs that end with it.
    pub exit: Exit,
    /// When it rests.
    pub think: Option<Think>,
    /// Pace of its writes, if it differs from that of its reads.
    pub write_pace: Option<Pace>,
    /// Bounds that end it because its volume is too slow.
    pub bounds: Bounds,
    /// Search for a queue depth.
    pub steering: Option<Steering>,
    /// Proportion that it keeps to other workers.
    pub flow: Option<Flow>,
    /// What happens when an I/O fails.
    pub on_error: OnError,
    /// Whether each write is stable when it completes.
    pub sync: SyncMode,
    /// I/O priority for the kernel; `None`: the process's own.
    pub priority: Option<Priority>,
    /// Share of I/Os with a priority of their own, if the backend can set one per I/O.
    pub urgent: ByDirection<Option<Urgent>>,
    /// The same by length of the I/O; if not empty, it replaces `urgent`.
    #[serde(default)]
    pub urgent_lengths: ByDirection<Vec<UrgentLength>>,
    /// How its I/Os are submitted and reaped.
    pub batching: Batching,
    /// How its ring is served, if the backend has one.
    pub ring: RingWays,
    /// Requests that accompany its calls.
    pub calls: Calls,
    /// What happens to a write that finds no space.
    pub when_full: WhenFull,
    /// What happens to an I/O that overlaps one in flight.
    pub overlap: Overlap,
    /// Bytes after which it drops its files from the page cache; `None`: never.
    pub forget_each: Option<Bytes>,
    /// Whether each of its completed I/Os is passed to the step's observer.
    pub trace: bool,
    /// Whether each of its I/Os is passed to the observer when it is issued.
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

/// The event with which a job begins; its delay counts from there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// The start of the step.
    #[default]
    WithStep,
    /// The end of these jobs of the step, all listed before it.
    After(Vec<String>),
}

/// Jobs that end with a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// Number that the jobs of one group share.
    pub group: u32,
    /// Which jobs end when it has done its work.
    pub done: Reach,
    /// Which jobs end when an I/O of it fails and it stops for that.
    pub failed: Reach,
}

impl Default for Exit {
    /// Each job ends by itself, but an error ends the step, because what the others measure after it means nothing.
    fn default() -> Self {
        Exit { group: 0, done: Reach::Itself, failed: Reach::Step }
    }
}

/// How far the end of a job reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The job itself.
    Itself,
    /// All jobs of its group.
    Group,
    /// All jobs of the step.
    Step,
}

/// When and how a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Think {
    /// Number of I/Os between rests; `u32::MAX`: I/Os bring no rest.
    pub every: u32,
    /// Which I/Os count towards `every`.
    pub counted: ThinkCount,
    /// Working time since the last rest after which it rests.
    pub after: Option<Nanos>,
    /// Length of the rest.
    pub pause: Nanos,
    /// How long the CPU is kept busy at the beginning of the rest.
    pub spin: Nanos,
    /// What happens to the queue.
    pub queue: ThinkQueue,
    /// What happens to the due times of a pace.
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

/// Which I/Os count towards a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkCount {
    /// Completed I/Os.
    Done,
    /// Issued I/Os.
    Issued,
}

/// What happens to the queue when a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkQueue {
    /// It drains first; the pause begins when the last I/O is done.
    Drained,
    /// It goes on; the pause begins at once.
    Kept,
}

/// What happens to the due times of a pace while a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkPace {
    /// They stay: what became due in the pause is issued after it.
    Kept,
    /// They move by the length of the pause.
    Moved,
}

/// What happens when an I/O fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// It ends the worker and the jobs its [`Exit`] names.
    #[default]
    Stop,
    /// It is counted and passed over if its errno is listed; any other ends the worker.
    Continue {
        /// Errors of reads that are passed over.
        reads: Errnos,
        /// Errors of writes, trims and flushes that are passed over.
        writes: Errnos,
    },
}

/// What happens to a write that finds no space left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// It fails like any other.
    #[default]
    Fails,
    /// It ends its worker as an amount that is done, because the job was meant to fill the volume.
    Ends,
}

/// What happens to an I/O that overlaps another of its worker's in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It goes to the device all the same; which of two writes is last is undefined.
    #[default]
    Allowed,
    /// It waits, with all after it, until the other has ended.
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
    /// No: only a flush makes it stable.
    #[default]
    None,
    /// Its data is (`O_DSYNC`).
    Dsync,
    /// Its data and the file's metadata are (`O_SYNC`).
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

/// A share of I/Os with a priority of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Urgent {
    /// Percent of the I/Os.
    pub percent: u8,
    /// Their priority; the rest have the worker's.
    pub priority: Priority,
}

/// A share of the I/Os of one length with a priority of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrgentLength {
    /// Their length.
    pub length: Bytes,
    /// Percent of these I/Os; entries for one length add up to at most 100.
    pub percent: u8,
    /// Their priority; the rest have the worker's.
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

/// What is kept of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Totals {
    /// One set of totals per worker.
    #[default]
    Worker,
    /// Totals per worker, and per worker and file.
    WorkerAndFile,
    /// One set of totals per worker, and each of its I/Os.
    WorkerAndEachIo,
}
