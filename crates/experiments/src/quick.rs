//! The procedure of `quick`: the measurement for which `dd` is often used, done honestly: one sequential stream, with
//! and without flush, through the cache and past it.

use record::StepRecord;
use workload::{
    Access, BackendAsk, BackendKind, BlockSizes, Bytes, Flush, Job, Mix, Nanos, StepKind, StopRule, Workload,
};

use crate::layout::layout_step;
use crate::step::{Layout, Step, was_cut_short};

/// Block size of `dd bs=1M`.
const BLOCK: Bytes = Bytes::MIB;
/// Writes between two flushes: few enough that a slow volume shows several flushes in five seconds, enough that a flush
/// does not cost more than the data it stores.
const FLUSH_EVERY: u32 = 16;

/// One of the streams of a quick look.
struct Stream {
    name: &'static str,
    mix: Mix,
    direct: bool,
    flush: Flush,
}

/// Streams in the order they run: those past the cache first, because content of the cache would disturb them.
const STREAMS: [Stream; 6] = [
    Stream { name: "write, past the cache", mix: Mix::WRITE, direct: true, flush: Flush::Never },
    Stream {
        name: "write, past the cache, flushed",
        mix: Mix::WRITE,
        direct: true,
        flush: Flush::Every(FLUSH_EVERY),
    },
    Stream { name: "read, past the cache", mix: Mix::READ, direct: true, flush: Flush::Never },
    Stream {
        name: "write, through the cache, flushed",
        mix: Mix::WRITE,
        direct: false,
        flush: Flush::Every(FLUSH_EVERY),
    },
    Stream { name: "write, through the cache", mix: Mix::WRITE, direct: false, flush: Flush::Never },
    Stream { name: "read, through the cache", mix: Mix::READ, direct: false, flush: Flush::Never },
];

/// Request for a quick look, fitted to the target.
#[derive(Clone, Copy, Debug)]
pub struct QuickAsk {
    /// Counted time of each stream, and longest layout.
    pub time: Nanos,
    /// Data to lay out first.
    pub layout: Layout,
    /// Whether the file system can bypass the page cache.
    pub past: PastCache,
}

/// Whether a file system can bypass the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastCache {
    /// The file system supports direct I/O.
    Possible,
    /// The file system supports only I/O through the cache.
    Impossible,
}

/// The next step of a quick look; `None` when the look is done.
pub fn next_quick_step(ask: &QuickAsk, done: &[StepRecord]) -> Option<Step> {
    if done.last().is_some_and(was_cut_short) {
        return None;
    }
    let possible = |stream: &&Stream| !stream.direct || ask.past == PastCache::Possible;
    let streams = STREAMS.iter().filter(possible).map(|stream| step(ask, stream));
    let ran = |step: &Step| done.iter().any(|record| record.plan.name == step.name);
    layout_step(ask.layout, 1, ask.time).into_iter().chain(streams).find(|step| !ran(step))
}

/// Seconds of a quick look, including the layout.
pub fn quick_seconds(ask: &QuickAsk) -> f64 {
    let streams = STREAMS.iter().filter(|stream| !stream.direct || ask.past == PastCache::Possible).count();
    let layout = usize::from(ask.layout != Layout::None);
    (streams + layout) as f64 * ask.time.as_secs_f64()
}

fn step(ask: &QuickAsk, stream: &Stream) -> Step {
    let job = Job {
        access: Access::sequential(stream.mix),
        blocks: BlockSizes::all(BLOCK),
        backend: BackendAsk::Only(BackendKind::Pread),
        direct: stream.direct,
        flush: stream.flush,
        ..Job::named(stream.name)
    };
    let workload = Workload { jobs: vec![job], stop: vec![StopRule::Time(ask.time)], ramp: Nanos::ZERO };
    Step { name: stream.name.to_owned(), kind: StepKind::Job, workload, interval: None }
}
