//! Spells: steps whose load keeps the queue full, each as a series of rates.

use record::{Interval, StepRecord};
use statistics::parted::Bounded;
use statistics::segments::{Rule, Sample};
use workload::{Access, BlockSizes, Direction, Flush, Nanos, StepKind, StopRule, WorkerPlan};

use crate::clean::touched;
use crate::pulses::{SpanCount, gathered};

/// A load except for its depth. Levels are compared only between spells of one shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    access: Access,
    blocks: BlockSizes,
    flush: Flush,
}

/// A step that asks for as much as the volume gives.
#[derive(Clone, Debug)]
pub(crate) struct Spell {
    /// Index of the step.
    pub step: usize,
    pub shape: Shape,
    pub depth: f64,
    /// Reads and writes per second, in the order of time, ramp included.
    pub samples: Vec<Sample>,
    /// Rates by interval, however few operations each contains: they locate a known change in time.
    pub fine: Vec<Sample>,
    /// Rates of spans of at least `Rule::cell`, with those in which a worker waited for a CPU.
    pub bounded: Vec<Bounded>,
    /// Mean bytes per operation.
    pub bytes_each: f64,
    /// Whether the load accesses the same volume as others of its shape: a probe may access blocks for the first time.
    pub comparable: bool,
    /// The direction of the I/O, if there is only one.
    pub direction: Option<Direction>,
}

/// Share of the step's interval below which the rate of an interval is not that of the load: the queue drains in it.
const WHOLE: f64 = 0.5;

/// Longest ramp whose intervals are samples: in a longer one, a limit may still charge for the load before.
const OWED: Nanos = Nanos::from_secs(1);

/// Share of an interval without a CPU above which its rate and the next are ignored: as large as the least reported
/// change.
const WAITED: f64 = 0.05;
/// Share of a whole step without a CPU above which the step is ignored, if its intervals do not store theirs.
const WAITED_STEP: f64 = 0.1;

/// Returns the spells of a run, in the order of time.
pub(crate) fn spells(steps: &[StepRecord]) -> Vec<Spell> {
    steps.iter().enumerate().filter_map(|(number, step)| spell(number, step)).collect()
}

fn spell(number: usize, step: &StepRecord) -> Option<Spell> {
    let kind = step.plan.kind;
    // Cells of a map keep their depth, but that depth need not fill the queue. A drain makes the volume fall on
    // purpose; places and volumes differ by nature; a soak is judged over hours: these have answers of their own.
    let no_level = [
        StepKind::Idle,
        StepKind::Layout,
        StepKind::Latency,
        StepKind::OpenLoad,
        StepKind::Cell,
        StepKind::Drain,
        StepKind::Place,
        StepKind::Together,
        StepKind::Soak,
    ];
    if no_level.contains(&kind) {
        return None;
    }
    let workers = &step.plan.workers;
    let first = workers.first()?;
    let shape = shape(first);
    let alike = workers.iter().all(|worker| keeps_the_queue_full(worker) && self::shape(worker) == shape);
    if !alike || starved(step) {
        return None;
    }
    let Rates { samples, fine, bounded, bytes_each } = rates(number, step)?;
    Some(Spell {
        step: number,
        depth: workers.iter().map(|worker| f64::from(worker.depth)).sum(),
        samples,
        fine,
        bounded,
        bytes_each,
        comparable: !matches!(kind, StepKind::Probe | StepKind::Job),
        direction: direction(step),
        shape,
    })
}

fn shape(worker: &WorkerPlan) -> Shape {
    Shape { access: worker.access.clone(), blocks: worker.blocks.clone(), flush: worker.flush }
}

fn keeps_the_queue_full(worker: &WorkerPlan) -> bool {
    let terms = &worker.terms;
    worker.pace.rate().is_none()
        && terms.write_pace.is_none_or(|pace| pace.rate().is_none())
        && terms.think.is_none()
}

/// Whether a worker had no CPU for so long that the step is ignored, and no interval shows when.
fn starved(step: &StepRecord) -> bool {
    let told = step.intervals.iter().any(|interval| interval.waited > Nanos::ZERO);
    let wall = step.ended.since(step.counted_from).0 as f64;
    let waited = step.workers.iter().map(|worker| worker.run_delay_ns).max().unwrap_or(0) as f64;
    !told && waited > WAITED_STEP * wall
}

fn direction(step: &StepRecord) -> Option<Direction> {
    let ops = |direction| step.tally(direction).ops;
    match (ops(Direction::Read), ops(Direction::Write)) {
        (read, 0) if read > 0 => Some(Direction::Read),
        (0, write) if write > 0 => Some(Direction::Write),
        _ => None,
    }
}

/// The rates of a step, from its intervals.
struct Rates {
    samples: Vec<Sample>,
    fine: Vec<Sample>,
    bounded: Vec<Bounded>,
    bytes_each: f64,
}

/// Operations of a span, jobs added up, and the seconds of it in which a worker had no CPU.
#[derive(Clone, Copy)]
struct Part {
    from: Nanos,
    to: Nanos,
    ops: f64,
    waited: f64,
}

impl Part {
    fn sample(&self) -> Sample {
        let (from, to) = (self.from.as_secs_f64(), self.to.as_secs_f64());
        Sample { from, to, value: self.ops / (to - from) }
    }

    fn bounded(&self, depth: f64, load: usize) -> Bounded {
        let Sample { from, to, value } = self.sample();
        Bounded { from, to, low: value, high: self.ops / (to - from - self.waited), depth, load }
    }
}

impl SpanCount for Part {
    fn span(&self) -> (Nanos, Nanos) {
        (self.from, self.to)
    }

    fn ops(&self) -> f64 {
        self.ops
    }

    fn joined(parts: &[Part]) -> Option<Part> {
        let (first, last) = (parts.first()?, parts.last()?);
        Some(Part {
            from: first.from,
            to: last.to,
            ops: parts.iter().map(|part| part.ops).sum(),
            waited: parts.iter().map(|part| part.waited).sum(),
        })
    }
}

/// Returns the rates of the intervals, with jobs added up, and the bytes per operation.
fn rates(number: usize, step: &StepRecord) -> Option<Rates> {
    let owed = step.counted_from.since(step.started) > OWED;
    let until = busy_until(step);
    let asks =
        |interval: &&Interval| (!owed || interval.start >= step.counted_from) && interval.start < until;
    let asked: Vec<&Interval> = step.intervals.iter().filter(asks).collect();
    let mut waited = false;
    // Completions during a wait were noticed late: in that interval, or in the next.
    let is_whole = |interval: &&&Interval| {
        let before = std::mem::replace(&mut waited, touched(interval) > WAITED);
        !before && !waited
    };
    let whole: Vec<&Interval> = asked.iter().filter(is_whole).copied().collect();
    let [ops, bytes] = amounts_of(&whole);
    let least = WHOLE * step.plan.interval.as_secs_f64();
    let long = |parts: Vec<Part>| -> Vec<Part> {
        let length = |part: &Part| part.to.since(part.from).as_secs_f64();
        parts.into_iter().filter(|part| length(part) >= least && part.to > part.from).collect()
    };
    let samples = |parts: Vec<Part>| -> Vec<Sample> { long(parts).iter().map(Part::sample).collect() };
    let merged = gathered(merged(&whole));
    let (samples, fine) = (samples(of_enough(&merged, ops)), samples(merged));
    // A ramp by itself shows no level: what a throttle had saved up for an idle direction is part of it.
    let is_seen = samples.iter().any(|sample| sample.to > step.counted_from.as_secs_f64() + 1e-6);
    let (samples, fine) = if ops >= OPS_LEAST && is_seen { (samples, fine) } else { (vec![], vec![]) };

    let half: Vec<&Interval> =
        asked.into_iter().filter(|interval| touched(interval) <= 1.0 - WHOLE).collect();
    let [of_half, bytes_of_half] = amounts_of(&half);
    if of_half < OPS_LEAST {
        return None;
    }
    let depth = step.plan.workers.iter().map(|worker| f64::from(worker.depth)).sum();
    let bounded = in_cells(long(gathered(self::merged(&half))), of_half);
    let bounded = bounded.iter().map(|part| part.bounded(depth, number)).collect();
    let bytes_each = if samples.is_empty() { bytes_of_half / of_half } else { bytes / ops };
    Some(Rates { samples, fine, bounded, bytes_each })
}

/// Adds up the jobs of intervals that begin together.
fn merged(intervals: &[&Interval]) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::new();
    for interval in intervals {
        let [ops, _] = amounts(interval);
        let waited = interval.waited.as_secs_f64();
        match merged.last_mut() {
            Some(part) if interval.start < part.to && interval.start >= part.from => {
                part.to = interval.end.max(part.to);
                part.ops += ops;
                part.waited = part.waited.max(waited);
            }
            _ => merged.push(Part { from: interval.start, to: interval.end, ops, waited }),
        }
    }
    merged
}

/// Joins adjoining `parts` until each is as long as a cell and has enough of the `ops` of all for a level.
fn in_cells(parts: Vec<Part>, ops: f64) -> Vec<Part> {
    let length = |part: &Part| part.to.since(part.from).as_secs_f64();
    let whole: f64 = parts.iter().map(length).sum();
    let cell = Rule::default().cell.max(OPS_CELL * whole / ops);
    let long = |parts: &[Part]| (cell / parts.first().map_or(cell, length) - 1e-6).ceil().max(1.0) as usize;
    let adjoining = parts.chunk_by(|a, b| a.to == b.from);
    adjoining.flat_map(|run| run.chunks_exact(long(run))).filter_map(Part::joined).collect()
}

fn amounts_of(intervals: &[&Interval]) -> [f64; 2] {
    intervals
        .iter()
        .map(|interval| amounts(interval))
        .fold([0.0, 0.0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
}

/// Returns when the queue of a step had nearly drained after its end, if the plan sets that end: the last I/Os that the
/// step waits for show no rate.
fn busy_until(step: &StepRecord) -> Nanos {
    let most = |rule: &StopRule| match rule {
        StopRule::Time(most) | StopRule::Certain { most, .. } | StopRule::Fallen { most, .. } => Some(*most),
        _ => None,
    };
    let Some(most) = step.plan.stop.iter().filter_map(most).min() else { return Nanos::MAX };
    let few = step.plan.workers.iter().map(|worker| f64::from(worker.depth)).sum::<f64>() * FEW;
    let mut left = 0.0;
    let behind = step.intervals.iter().rev().take_while(|one| one.start >= step.counted_from + most);
    let last = behind.take_while(|one| {
        left += amounts(one)[0];
        left <= few
    });
    last.last().map_or(Nanos::MAX, |first| first.start)
}

/// Share of a queue up to which its rest does not keep a volume busy.
const FEW: f64 = 0.125;

/// Least mean number of operations in a sample: with fewer, integer counts make the rate jump by as much as a change. A
/// step with fewer is ignored.
const OPS_LEAST: f64 = 50.0;

/// Least mean number of operations in a cell of which only the quartiles count.
const OPS_CELL: f64 = 10.0;

/// Joins adjoining `parts` in groups with enough of the `ops` of all; a remainder has too few, and is dropped.
fn of_enough(parts: &[Part], ops: f64) -> Vec<Part> {
    let many = (OPS_LEAST * parts.len() as f64 / ops.max(1.0)).ceil().max(1.0) as usize;
    let adjoining = parts.chunk_by(|a, b| a.to == b.from);
    adjoining.flat_map(|run| run.chunks_exact(many)).filter_map(Part::joined).collect()
}

/// Returns the operations and bytes of reads and writes together.
fn amounts(interval: &Interval) -> [f64; 2] {
    let [read, write] = [Direction::Read, Direction::Write].map(|direction| interval.of(direction).tally);
    [read.ops as f64 + write.ops as f64, read.bytes as f64 + write.bytes as f64]
}
