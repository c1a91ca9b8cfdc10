//! Other programs' I/O on the device of plimsoll's load: beside a step, in idle phases and beside the load of a watch.

use std::ops::{Add, Mul, Sub};

use record::{Interval, Run, SECTOR, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos, StepKind, WorkerPlan};

use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::shortage::within;
use crate::verdict::Doubt;
use crate::watch::device::Device;
use crate::watch::firing::{Firing, found_in};
use crate::watch::ticks::Tick;
use crate::watch::watched_run::{WatchedRun, is_watch};

/// Operations per second up to which foreign I/O counts as a disk's own housekeeping.
const LOUD_OPS: f64 = 50.0;
/// Bytes per second up to which foreign I/O counts as a disk's own housekeeping.
const LOUD_BYTES: f64 = 4.0 * 1048576.0;
/// Share of all I/O during a step of a run up to which foreign I/O counts as noise.
const SHARE_OF_STEP: f64 = 0.05;
/// Share of all I/O during a load of a watch up to which foreign I/O counts as noise: intervals of the load and of the
/// counters do not end together.
const SHARE_OF_LOAD: f64 = 0.1;
/// Least seconds of foreign I/O; in a phase shorter than twice that, half of the phase.
const LASTS_S: f64 = 3.0;
/// Least share of a phase with foreign I/O.
const LASTS_SHARE: f64 = 0.1;
/// Seconds between the first and the last counter reading below which they show nothing about a step.
const READ_FOR_S: f64 = 0.9;
/// Seconds between the pulses in which a throttle with slices (this kernel's) releases waiting I/Os: plimsoll's own I/O
/// of that time may lie on either side of a counter reading.
const PULSE_S: f64 = 0.1;
/// Bytes of the longest block that is one request at the device: the kernel splits longer I/Os, which are counted
/// several times.
const UNSPLIT: u64 = 65_536;

/// Other programs used the device at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignLoad {
    pub device: String,
    pub ops_per_second: f64,
    pub bytes_per_second: f64,
    pub share: f64,
}

impl Kind for ForeignLoad {
    fn nature(&self) -> Nature<'_> {
        let doubt = Some(Doubt::ForeignLoad);
        Nature { weight: 2, device: None, badness: None, doubt, level: false }
    }
}

/// Operations and bytes of one direction, or of all.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    ops: f64,
    bytes: f64,
}

impl Add for Work {
    type Output = Work;
    fn add(self, other: Work) -> Work {
        Work { ops: self.ops + other.ops, bytes: self.bytes + other.bytes }
    }
}

impl Sub for Work {
    type Output = Work;
    /// Subtracts `other`, but not below zero.
    fn sub(self, other: Work) -> Work {
        Work { ops: (self.ops - other.ops).max(0.0), bytes: (self.bytes - other.bytes).max(0.0) }
    }
}

impl Mul<f64> for Work {
    type Output = Work;
    fn mul(self, share: f64) -> Work {
        Work { ops: self.ops * share, bytes: self.bytes * share }
    }
}

impl Work {
    fn of_interval(interval: &Interval, way: Direction) -> Work {
        let tally = interval.of(way).tally;
        Work { ops: tally.ops as f64, bytes: tally.bytes as f64 }
    }

    fn is_loud(self, seconds: f64) -> bool {
        self.ops > LOUD_OPS * seconds || self.bytes > LOUD_BYTES * seconds
    }
}

/// Returns plimsoll's own I/O between two times by direction: each interval counts by its overlap.
fn own_between(intervals: &[Interval], from: Nanos, to: Nanos) -> [Work; 4] {
    let mut own = [Work::default(); 4];
    for interval in intervals {
        let overlap = interval.end.min(to).since(interval.start.max(from)).as_secs_f64();
        let share = if interval.seconds() > 0.0 { overlap / interval.seconds() } else { 0.0 };
        for way in Direction::ALL {
            own[way.index()] = own[way.index()] + Work::of_interval(interval, way) * share;
        }
    }
    own
}

/// Returns how much of the interval in which a reading falls may lie on its other side: nothing of an even load, and nearly
/// all of one that has a processor only now and then.
fn at_edge(step: &StepRecord, at: Nanos) -> Work {
    let all = |interval: &Interval| {
        let of = Direction::ALL.map(|way| Work::of_interval(interval, way));
        of.into_iter().fold(Work::default(), Work::add)
    };
    // The last interval is as short as what was left of the step.
    let mut whole = step.counted();
    whole.retain(|interval| 2.0 * interval.seconds() >= step.plan.interval.as_secs_f64());
    let rates: Vec<f64> = whole.iter().map(|interval| all(interval).ops / interval.seconds()).collect();
    let (least, most) = rates
        .iter()
        .fold((f64::INFINITY, f64::MIN_POSITIVE), |(least, most), rate| (rate.min(least), rate.max(most)));
    let edge = step.intervals.iter().filter(|interval| interval.start < at && at <= interval.end);
    edge.map(all).fold(Work::default(), Work::add) * (1.0 - least / most).max(0.0)
}

/// Whether the kernel may have split I/Os of a step.
fn may_be_split(step: &StepRecord) -> bool {
    step.plan.workers.iter().any(|worker| worker.blocks.longest().0 > UNSPLIT)
}

/// Returns how much the device may have completed of I/Os that were still in flight at the edge of an interval: at most
/// all of them, if it splits them.
fn in_flight(step: &StepRecord) -> Work {
    let of = |worker: &WorkerPlan| {
        let depth = f64::from(worker.depth);
        Work { ops: depth, bytes: depth * worker.blocks.longest().0 as f64 }
    };
    step.plan.workers.iter().map(of).fold(Work::default(), Work::add)
}

/// Detects I/O of the device beside the steps of a run. Layouts and flushes are left out, because they include a file
/// system's own writes. In a watch, the load's device is one of many, which `on_load_device` handles.
pub(super) fn beside_steps(run: &Run) -> Option<FindingOf<ForeignLoad>> {
    let flushes = |step: &StepRecord| step.tally(Direction::Flush).ops > 0;
    let steps = run.steps.iter().filter(|step| step.plan.kind != StepKind::Layout && !flushes(step));
    let found = steps.filter(|_| !is_watch(run)).filter_map(|step| beside(run, step));
    // One finding is reported, with the worst step as its evidence; of equal ones, the first.
    found.reduce(|worst, next| if next.meaning.share > worst.meaning.share { next } else { worst })
}

/// Returns the foreign part between the first and the last sample inside the step; plimsoll's own part is that of the
/// intervals between.
fn beside(run: &Run, step: &StepRecord) -> Option<FindingOf<ForeignLoad>> {
    let samples = within(run, step.started, step.ended);
    let (first, last) = (samples.first()?, samples.last()?);
    let seconds = last.at.since(first.at).as_secs_f64();
    if seconds < READ_FOR_S {
        return None;
    }
    let (device, then) = first.disks.first()?;
    let (_, now) = last.disks.iter().find(|(name, _)| name == device)?;
    let more = now.more_than(then)?;
    let sectors = more.sectors_read as f64 + more.sectors_written as f64;
    let all = Work { ops: more.reads as f64 + more.writes as f64, bytes: sectors * SECTOR as f64 };
    let own = own_between(&step.intervals, first.at, last.at).into_iter().fold(Work::default(), Work::add);
    // What completed before the last reading while the worker waited for a CPU was counted after it.
    let late = |interval: &Interval| {
        let length = interval.end.since(interval.start);
        interval.start <= last.at + length && interval.end + length >= last.at
    };
    let waited = step.intervals.iter().filter(|interval| late(interval)).map(|interval| interval.waited);
    let waited_s = waited.fold(0.0, |sum, waited| sum + waited.as_secs_f64());
    let at_edges =
        [first.at, last.at].map(|at| at_edge(step, at)).into_iter().fold(Work::default(), Work::add);
    let mut foreign = all - own - in_flight(step) - own * ((PULSE_S + waited_s) / seconds) - at_edges;
    if may_be_split(step) {
        foreign.ops = 0.0;
    }
    let meaning = ForeignLoad {
        device: device.to_string(),
        ops_per_second: foreign.ops / seconds,
        bytes_per_second: foreign.bytes / seconds,
        share: (foreign.bytes / all.bytes.max(1.0)).max(foreign.ops / all.ops.max(1.0)),
    };
    let loud = Work { ops: meaning.ops_per_second, bytes: meaning.bytes_per_second }.is_loud(1.0);
    (loud && meaning.share > SHARE_OF_STEP)
        .then(|| FindingOf::in_step(meaning, step, &format!("diskstats {device}"), Confidence::Certain))
}

/// A run of intervals, with the foreign I/O in it.
struct Stretch {
    firing: Firing,
    seconds: f64,
    foreign: Work,
    all: Work,
}

/// Detects foreign I/O on the device of a watch's load. The devices below a file on a loop device, or below an array,
/// count more than was requested, so only the device itself is examined.
pub(super) fn on_load_device(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<ForeignLoad>> {
    if watch.load_device.as_deref() != Some(&device.place.name) {
        return None;
    }
    let mut stretches: Vec<Stretch> =
        (0..watch.spans.len()).filter_map(|span| stretch(watch, device, span)).collect();
    stretches.sort_by_key(|stretch| stretch.firing.evidence.from);
    let total = |of: fn(&Stretch) -> Work| stretches.iter().map(of).fold(Work::default(), Work::add);
    let (foreign, all) = (total(|one| one.foreign), total(|one| one.all));
    let seconds = stretches.iter().map(|one| one.seconds).sum::<f64>();
    let share = (foreign.ops / all.ops.max(1.0)).max(foreign.bytes / all.bytes.max(1.0));
    let meaning = ForeignLoad {
        device: device.place.name.clone(),
        ops_per_second: foreign.ops / seconds,
        bytes_per_second: foreign.bytes / seconds,
        share: share.min(1.0),
    };
    let firings: Vec<Firing> = stretches.iter().map(|one| one.firing.clone()).collect();
    found_in(watch, meaning, &firings, Confidence::Certain)
}

/// Returns the I/O of other programs in one phase, if there is enough of it for long enough.
fn stretch(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<Stretch> {
    let span = &watch.spans[at];
    let first = device.ticks.partition_point(|tick| tick.from < span.from);
    let inside: Vec<&Tick> = device.ticks[first..].iter().take_while(|tick| tick.to <= span.to).collect();
    // I/Os issued before a phase may end in its first interval.
    let settled = if inside.len() > 3 { &inside[1..] } else { &inside[..] };
    let loud: Vec<(&Tick, [Work; 2])> = settled
        .iter()
        .map(|&tick| (tick, foreign_in(watch, tick)))
        .filter(|(tick, foreign)| is_loud(tick, *foreign))
        .collect();
    let seconds: f64 = loud.iter().map(|(tick, _)| tick.seconds).sum();
    let whole = span.to.since(span.from).as_secs_f64();
    let (from, to) = (loud.first()?.0.from, loud.last()?.0.to);
    let foreign = loud.iter().map(|(_, [read, write])| *read + *write).fold(Work::default(), Work::add);
    let all = loud.iter().flat_map(|(tick, _)| done_in(tick)).fold(Work::default(), Work::add);
    (seconds >= LASTS_S.min(whole / 2.0) && seconds >= LASTS_SHARE * whole).then(|| Stretch {
        firing: Firing { span: at, evidence: device.evidence(from, to), weight: foreign.ops / seconds },
        seconds,
        foreign,
        all,
    })
}

/// Returns the reads and writes of a device in an interval.
fn done_in(tick: &Tick) -> [Work; 2] {
    [0, 1].map(|way| Work { ops: tick.ops[way], bytes: tick.bytes[way] })
}

/// Whether one direction, or both together, has loud foreign I/O: few writes among many reads are a small share.
fn is_loud(tick: &Tick, foreign: [Work; 2]) -> bool {
    let more = |foreign: Work, all: Work| {
        let ops = Work { ops: foreign.ops, bytes: 0.0 }.is_loud(tick.seconds)
            && foreign.ops > SHARE_OF_LOAD * all.ops;
        let bytes = Work { ops: 0.0, bytes: foreign.bytes }.is_loud(tick.seconds);
        ops || bytes && foreign.bytes > SHARE_OF_LOAD * all.bytes
    };
    let all = done_in(tick);
    [0, 1].into_iter().any(|way| more(foreign[way], all[way]))
        || more(foreign[0] + foreign[1], all[0] + all[1])
}

/// Returns the reads and writes of a device in an interval without plimsoll's own.
fn foreign_in(watch: &WatchedRun<'_>, tick: &Tick) -> [Work; 2] {
    let steps = watch.run.steps.iter().filter(|step| step.started < tick.to && tick.from < step.ended);
    let mut own = [Work::default(); 4];
    let mut split = false;
    for step in steps {
        split |= may_be_split(step);
        let first = step.intervals.partition_point(|interval| interval.end <= tick.from);
        let until = first + step.intervals[first..].partition_point(|interval| interval.start < tick.to);
        let of_step = own_between(&step.intervals[first..until], tick.from, tick.to);
        own = std::array::from_fn(|way| own[way] + of_step[way]);
    }
    let done = done_in(tick);
    [Direction::Read, Direction::Write].map(|way| {
        let foreign = done[way.index()] - own[way.index()];
        if split { Work { ops: 0.0, ..foreign } } else { foreign }
    })
}
