//! The vocabulary of the engine's tests: plans in a few words, volumes of known truth, observers.
#![allow(dead_code)] // Each test file uses its own part.

use std::path::PathBuf;

use engine::{Volume, VolumeAnswer, run_simulated};
use record::{Interval, IoTrace, Observer, StepRecord};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, FilePlan, Flush, Io, Mix, Nanos, Pace,
    StepKind, StepPlan, StopRule, WorkerPlan,
};

pub const MS: u64 = 1_000_000;

/// 4 KiB random reads at depth 1 on one region of 1 GiB.
pub fn worker() -> WorkerPlan {
    WorkerPlan {
        job: "job".to_owned(),
        files: vec![file(Bytes(0), Bytes::GIB)],
        access: Access::random(Mix::READ),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth: 1,
        pace: Pace::Closed,
        backend: BackendKind::Simulated,
        direct: true,
        buffers: Buffers::Repeated,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: 1,
        cpu: None,
        terms: workload::Terms::default(),
    }
}

pub fn at_depth(depth: u32) -> WorkerPlan {
    WorkerPlan { depth, ..worker() }
}

pub fn file(offset: Bytes, size: Bytes) -> FilePlan {
    FilePlan { path: PathBuf::from("somewhere"), offset, size }
}

pub fn step(workers: Vec<WorkerPlan>, stop: StopRule) -> StepPlan {
    StepPlan {
        name: "step".to_owned(),
        kind: StepKind::Job,
        workers,
        stop: vec![stop],
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: Vec::new(),
    }
}

pub fn for_seconds(seconds: u64, workers: Vec<WorkerPlan>) -> StepPlan {
    step(workers, StopRule::Time(Nanos::from_secs(seconds)))
}

pub fn for_ops(ops: u64, workers: Vec<WorkerPlan>) -> StepPlan {
    step(workers, StopRule::OpsEach(ops))
}

/// Where virtual time starts in these tests: not at zero, so that nothing works by luck.
pub const START: Nanos = Nanos(7 * 1_000_000_000 + 123);

pub fn simulate(plan: &StepPlan, volume: &mut dyn Volume) -> StepRecord {
    simulate_watched(plan, volume, &mut Log::default())
}

pub fn simulate_watched(plan: &StepPlan, volume: &mut dyn Volume, watcher: &mut dyn Observer) -> StepRecord {
    match run_simulated(plan, volume, START, watcher) {
        Ok(record) => record,
        Err(error) => panic!("{error}"),
    }
}

/// Serves every I/O in the same time, however many there are.
pub struct Parallel {
    pub latency: Nanos,
}

impl Volume for Parallel {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        VolumeAnswer { done_at: now + self.latency, result: io.bytes as i32 }
    }
}

/// Serves one after the other at a fixed rate, each `latency` later still.
pub struct CappedVolume {
    pub gap: Nanos,
    pub latency: Nanos,
    free_at: Nanos,
}

impl CappedVolume {
    pub fn at(iops: u64, latency: Nanos) -> CappedVolume {
        CappedVolume { gap: Nanos(1_000_000_000 / iops), latency, free_at: Nanos::ZERO }
    }
}

impl Volume for CappedVolume {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.free_at = self.free_at.max(now) + self.gap;
        VolumeAnswer { done_at: self.free_at.max(now + self.latency), result: io.bytes as i32 }
    }
}

/// Serves in `latency`, but completes nothing between two times.
pub struct Stalling {
    pub latency: Nanos,
    pub from: Nanos,
    pub until: Nanos,
}

impl Volume for Stalling {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        let done_at = now + self.latency;
        let stalled = done_at > self.from && done_at < self.until;
        VolumeAnswer { done_at: if stalled { self.until } else { done_at }, result: io.bytes as i32 }
    }
}

/// Passes everything to `inner` and keeps what it saw, with the time of admission.
pub struct Spy<V> {
    pub inner: V,
    pub seen: Vec<(Nanos, Io)>,
}

impl<V> Spy<V> {
    pub fn on(inner: V) -> Spy<V> {
        Spy { inner, seen: Vec::new() }
    }

    pub fn offsets(&self) -> Vec<u64> {
        self.seen.iter().map(|(_, io)| io.offset).collect()
    }

    pub fn count(&self, kind: Direction) -> usize {
        self.seen.iter().filter(|(_, io)| io.kind == kind).count()
    }
}

impl<V: Volume> Volume for Spy<V> {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.seen.push((now, *io));
        self.inner.serve(now, io)
    }
}

/// A volume made from a function.
pub struct By<F>(pub F);

impl<F: FnMut(Nanos, &Io) -> VolumeAnswer> Volume for By<F> {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        (self.0)(now, io)
    }
}

/// Keeps the intervals reported, and asks to stop after a number of them.
#[derive(Default)]
pub struct Log {
    pub intervals: Vec<Interval>,
    pub stop_after: Option<usize>,
    /// With the index of the worker.
    pub traced: Vec<(usize, IoTrace)>,
}

impl Observer for Log {
    fn interval(&mut self, interval: &Interval) {
        self.intervals.push(interval.clone());
    }

    fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        self.traced.extend(ios.iter().map(|io| (worker, *io)));
    }

    fn interrupted(&self) -> bool {
        self.stop_after.is_some_and(|count| self.intervals.len() >= count)
    }
}

pub fn ops(interval: &Interval) -> u64 {
    interval.directions.iter().map(|direction| direction.tally.ops).sum()
}

/// When the last worker of `job` was over.
pub fn over(record: &StepRecord, job: u16) -> Nanos {
    let workers = record.workers.iter().filter(|worker| worker.job == job);
    workers.map(|worker| worker.ended).max().unwrap_or_default()
}

/// Asserts that the intervals of each job follow each other without gap from start to end, and add up to the totals.
pub fn assert_tiled(record: &StepRecord) {
    for job in 0..record.jobs.len() as u16 {
        let mine: Vec<&Interval> = record.intervals.iter().filter(|interval| interval.job == job).collect();
        assert_eq!(mine.first().map(|interval| interval.start), Some(record.started));
        assert_eq!(mine.last().map(|interval| interval.end), Some(over(record, job)));
        assert!(mine.windows(2).all(|pair| pair[0].end == pair[1].start), "a gap or an overlap");
        assert!(mine.iter().all(|interval| interval.counted == (interval.start >= record.counted_from)));
    }
    assert_adds_up(record);
}

/// Asserts that the counted intervals add up to the totals.
pub fn assert_adds_up(record: &StepRecord) {
    for direction in Direction::ALL {
        let mut sum = record::Tally::default();
        let counted = record.intervals.iter().filter(|interval| interval.counted);
        counted.for_each(|interval| sum.merge(&interval.of(direction).tally));
        assert_eq!(sum, record.tally(direction), "{direction:?}");
        assert_eq!(record.latency(direction).count(), sum.ops, "{direction:?}");
    }
}
