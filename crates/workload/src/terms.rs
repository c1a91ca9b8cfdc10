//! On which terms a worker works: when it begins and ends, when it rests, what it does about errors, and what is told of
//! it.

use serde::{Deserialize, Serialize};

use crate::{
    Batching, Bounds, ByDirection, Bytes, Calls, Flow, Job, Nanos, Pace, RingWays, Steering, StopRule,
};

/// The terms of one worker, all of them decided; the default is a worker that begins with its step, ends as the step
/// says, and stops at its first error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// What it begins with.
    pub start: Start,
    /// From there to its own start.
    pub delay: Nanos,
    /// Time after its own start that is run but not counted; `None`: up to the end of the step's.
    pub ramp: Option<Nanos>,
    /// Time after its end that is run but not counted.
    pub cool: Nanos,
    /// Its own ends, beside those of the step.
    pub stop: Vec<StopRule>,
    /// Who ends with it.
    pub exit: Exit,
    /// When it rests.
    pub think: Option<Think>,
    /// The pace of its writes, where it is not that of its reads.
    pub write_pace: Option<Pace>,
    /// What ends it because its volume is too slow.
    pub bounds: Bounds,
    /// A depth that is searched for.
    pub steering: Option<Steering>,
    /// A proportion that it keeps to others.
    pub flow: Option<Flow>,
    /// What a failed I/O does.
    pub on_error: OnError,
    /// Whether each write is stable when it is done.
    pub sync: SyncMode,
    /// How urgent its I/O is to the kernel; `None`: as that of any process.
    pub priority: Option<Priority>,
    /// I/Os that are more urgent, or less, than the others, where the backend can say so.
    pub urgent: ByDirection<Option<Urgent>>,
    /// The same by the length of an I/O; where there is any, it alone says.
    #[serde(default)]
    pub urgent_lengths: ByDirection<Vec<UrgentLength>>,
    /// How its I/Os go to the kernel and come back.
    pub batching: Batching,
    /// The ways of its ring, where the backend is one.
    pub ring: RingWays,
    /// What goes along with its calls.
    pub calls: Calls,
    /// What a write that finds no space does.
    pub when_full: WhenFull,
    /// What an I/O does while another on the same bytes is in flight.
    pub overlap: Overlap,
    /// Bytes after which it empties the page cache of its files; `None`: never.
    pub forget_each: Option<Bytes>,
    /// Whether each of its I/Os is told to the watcher of the step.
    pub trace: bool,
    /// The same when it is issued.
    pub tells_issues: bool,
    /// Whether its totals are kept by file too.
    pub totals: Totals,
}

impl Terms {
    /// The terms that `job` asks for.
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

/// What a job begins with; its delay counts from there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// The step.
    #[default]
    WithStep,
    /// The end of these jobs of the step, each of which stands before it.
    After(Vec<String>),
}

/// Who ends with a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exit {
    /// Jobs of one group have the same number.
    pub group: u32,
    /// Who ends when it has done what it was asked to do.
    pub done: Reach,
    /// Who ends when one of its I/Os has failed and it stops for that.
    pub failed: Reach,
}

impl Default for Exit {
    /// Each job ends for itself, but an error ends the step: what the others measure beside it means nothing.
    fn default() -> Self {
        Exit { group: 0, done: Reach::Itself, failed: Reach::Step }
    }
}

/// How far the end of a job reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Not beyond itself.
    Itself,
    /// All jobs of its group.
    Group,
    /// All jobs of the step.
    Step,
}

/// When a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Think {
    /// After every so many I/Os; `u32::MAX`: never for that.
    pub every: u32,
    /// Which I/Os are counted.
    pub counted: ThinkCount,
    /// After working so long since the last rest.
    pub after: Option<Nanos>,
    /// How long.
    pub pause: Nanos,
    /// How much of the pause the CPU is kept busy, at its beginning.
    pub spin: Nanos,
    /// What becomes of the queue.
    pub queue: ThinkQueue,
    /// What becomes of the due times of a pace.
    pub pace: ThinkPace,
}

impl Think {
    /// A pause of `pause` after every `every` I/Os are done, with an empty queue.
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

/// Which I/Os bring a rest nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkCount {
    /// Those that are done.
    Done,
    /// Those that were issued.
    Issued,
}

/// What becomes of the queue when a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkQueue {
    /// It runs empty first; the pause begins when the last I/O is done.
    Drained,
    /// The pause begins at once, and what is in flight goes on.
    Kept,
}

/// What becomes of the due times of a pace while a worker rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkPace {
    /// They stay: what fell due in the pause is issued after it.
    Kept,
    /// They move by the length of the pause.
    Moved,
}

/// What a failed I/O does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// It ends the worker, and whom its [`Exit`] names.
    #[default]
    Stop,
    /// It is counted and passed over where it is one of these; any other ends the worker.
    Continue {
        /// Of reads.
        reads: Errnos,
        /// Of writes, trims and flushes.
        writes: Errnos,
    },
}

/// What a write does that finds no space left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// It fails like any other.
    #[default]
    Fails,
    /// It ends its worker as an amount that is done: to fill the volume was what was asked.
    Ends,
}

/// What an I/O does while another of its worker on the same bytes is in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It goes to the device beside it; which of two writes is last nobody knows.
    #[default]
    Allowed,
    /// It waits, and all behind it, until the other has ended.
    HeldBack,
}

/// A set of error numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Errnos {
    /// All.
    Any,
    /// These, as positive errno; empty: none.
    These(Vec<i32>),
}

impl Errnos {
    /// Whether `errno` is among them.
    pub fn contain(&self, errno: i32) -> bool {
        match self {
            Errnos::Any => true,
            Errnos::These(list) => list.contains(&errno),
        }
    }
}

/// Whether each write is stable when it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// Only what a flush makes stable is.
    #[default]
    None,
    /// Its data is (`O_DSYNC`).
    Dsync,
    /// Its data and the file's times are (`O_SYNC`).
    Sync,
}

/// How urgent a worker's I/O is to the kernel's scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Priority {
    /// Its class.
    pub class: PriorityClass,
    /// 0 first, 7 last, within a class; idle I/O has no levels.
    pub level: u8,
}

/// A share of I/Os that is urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Urgent {
    /// Percent of the I/Os.
    pub percent: u8,
    /// How urgent they are; the others are as urgent as their worker.
    pub priority: Priority,
}

/// A share of the I/Os of one length that is urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrgentLength {
    /// Their length.
    pub length: Bytes,
    /// Percent of them; of one length no more than 100 in all.
    pub percent: u8,
    /// How urgent they are; what is left is as urgent as its worker.
    pub priority: Priority,
}

/// Classes of I/O priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorityClass {
    /// Before everybody else's; needs root.
    Realtime,
    /// As everybody's.
    BestEffort,
    /// Only when nobody else wants the disk.
    Idle,
}

/// What is kept of a worker beside its sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Totals {
    /// One sum a worker.
    #[default]
    Worker,
    /// One a worker and file besides.
    WorkerAndFile,
    /// One sum a worker, and each of its I/Os is kept beside it.
    WorkerAndEachIo,
}
