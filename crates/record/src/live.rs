//! How news leaves a running step: whoever stores, shows or decides is told at interval edges, and of single I/Os in
//! batches, only where a job asks for that.

use workload::{Direction, Nanos};

use crate::{Interval, Sample};

/// One I/O that is over, of a worker that is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoTrace {
    /// When it was due; in a closed loop when it was picked.
    pub due: Nanos,
    /// When it was handed over.
    pub issued: Nanos,
    /// When it was done.
    pub done: Nanos,
    /// Byte offset in its file.
    pub offset: u64,
    /// Bytes moved; of one that failed the bytes that were asked for.
    pub bytes: u32,
    /// Index into the worker's files.
    pub file: u32,
    /// Positive errno of one that failed, 0 of one that ended well.
    pub errno: i32,
    /// Which way.
    pub direction: Direction,
    /// Whether the totals count it: false in the ramp.
    pub counted: bool,
}

/// Is told of everything that has become final while a step runs.
pub trait Watcher {
    /// An interval of one job is final: every worker has passed its end.
    fn interval(&mut self, interval: &Interval);

    /// I/Os of worker `worker` (its place in the plan) are over, in the order in which they came back. Told several times
    /// a second, and at the latest when the step ends; only of workers that are traced.
    fn traced(&mut self, _worker: usize, _ios: &[IoTrace]) {}

    /// The machine's counters were read.
    fn sample(&mut self, _sample: &Sample) {}

    /// Asked several times a second; true ends the step at once.
    fn interrupted(&self) -> bool {
        false
    }
}
