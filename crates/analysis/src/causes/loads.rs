//! The loads of a run, classified by their plans and not by their names.

use record::{Run, StepRecord};
use statistics::metered::{Meter, Window, metered_at_one_level};
use workload::{Direction, Mix, Order, Pace, StepKind};

use crate::counts::window;
use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::finding::Evidence;
use crate::points::point;
use crate::step_figures::Point;

/// Share of a step above which a worker's time on a CPU was itself the limit (method 6.3).
const WORKER_BUSY: f64 = 0.9;

/// A load in one direction that kept its depth.
#[derive(Debug)]
pub(crate) struct Load<'r> {
    pub step: &'r StepRecord,
    pub point: Point,
}

/// A load of reads and writes that kept its depth.
#[derive(Debug)]
pub(crate) struct MixedLoad<'r> {
    pub step: &'r StepRecord,
    /// Share of reads.
    pub reads: f64,
    /// Block size, bytes.
    pub block: u64,
    /// I/Os per second, both directions.
    pub rate: Estimate,
    /// Mean latency of both directions, nanoseconds.
    pub latency_ns: f64,
}

/// The loads of a run, each kind in the order they ran.
#[derive(Debug, Default)]
pub(crate) struct Loads<'r> {
    /// Random loads of one direction.
    pub random: Vec<Load<'r>>,
    /// Sequential loads of one direction.
    pub sequential: Vec<Load<'r>>,
    /// Loads of both directions.
    pub mixed: Vec<MixedLoad<'r>>,
}

impl<'r> Loads<'r> {
    /// Returns the loads of `run` in its last regime: loads before and after a change are not compared.
    pub fn of(run: &'r Run, figures: &Figures) -> Loads<'r> {
        let mut loads = Loads::default();
        let here = |step: &&StepRecord| {
            figures.regimes.of_span(step.counted_from, step.ended) == Some(figures.regimes.last())
        };
        let cells: Vec<&str> = figures.full_cells().map(|point| point.step.as_str()).collect();
        let is_cell = |step: &StepRecord| cells.contains(&step.plan.name.as_str());
        for step in run.steps.iter().filter(|step| saturates(step) || is_cell(step)).filter(here) {
            loads.add(step);
        }
        loads
    }

    fn add(&mut self, step: &'r StepRecord) {
        let Some(worker) = step.plan.workers.first() else { return };
        let Some(direction) = only(worker.access.mix) else {
            self.mixed.extend(mixed(step, worker.access.mix));
            return;
        };
        let load = point(step, direction).map(|point| Load { step, point });
        match worker.access.order {
            Order::Sequential => self.sequential.extend(load),
            Order::Random(_) => self.random.extend(load),
        }
    }

    /// Returns the random loads of one direction.
    pub fn of_direction(&self, direction: Direction) -> impl Iterator<Item = &Load<'r>> {
        self.random.iter().filter(move |load| load.point.direction == direction)
    }

    /// Returns the deepest load of one direction for each block size, sizes rising.
    pub fn deepest(&self, direction: Direction) -> Vec<&Load<'r>> {
        let mut all: Vec<&Load<'r>> = self.of_direction(direction).collect();
        all.sort_by_key(|load| (load.point.block, std::cmp::Reverse(load.point.depth)));
        all.dedup_by_key(|load| load.point.block);
        all
    }
}

/// Returns the random loads of one direction that kept their depth, from all regimes of `run`.
pub(super) fn ever(run: &Run, direction: Direction) -> impl Iterator<Item = Load<'_>> {
    let mut loads = Loads::default();
    run.steps.iter().filter(|step| saturates(step)).for_each(|step| loads.add(step));
    loads.random.into_iter().filter(move |load| load.point.direction == direction)
}

/// Returns the only direction of a mix, if it has one.
fn only(mix: Mix) -> Option<Direction> {
    let mut directions = mix.directions();
    directions.next().filter(|_| directions.next().is_none())
}

/// Whether all workers of a measuring step do the same, and keep their depth whatever the volume does.
fn saturates(step: &StepRecord) -> bool {
    use StepKind::{Again, BlockLadder, DepthLadder, Probe, Reference};
    let kind = matches!(step.plan.kind, DepthLadder | BlockLadder | Reference | Probe | Again);
    let mut workers = step.plan.workers.iter();
    let Some(first) = workers.next() else { return false };
    let alike = workers.all(|worker| worker.access == first.access && worker.blocks == first.blocks);
    kind && alike && step.plan.workers.iter().all(|worker| worker.pace == Pace::Closed)
}

fn mixed(step: &StepRecord, mix: Mix) -> Option<MixedLoad<'_>> {
    let (read, write) = (point(step, Direction::Read)?, point(step, Direction::Write)?);
    let rate = sum(&read.iops, &write.iops);
    let waited = read.iops.value * read.latency_ns_mean + write.iops.value * write.latency_ns_mean;
    (read.block == write.block && rate.value > 0.0).then(|| MixedLoad {
        step,
        reads: f64::from(mix.read_percent()) / 100.0,
        block: read.block,
        rate,
        latency_ns: waited / rate.value,
    })
}

/// Adds two rates. They vary against each other, as the shares of a mix do, so the sum is at least this precise.
fn sum(one: &Estimate, other: &Estimate) -> Estimate {
    Estimate { value: one.value + other.value, low: one.low + other.low, high: one.high + other.high }
}

/// Whether a meter pins the counts of these loads, which have one block size and one level.
pub(super) fn meter(loads: &[&Load<'_>]) -> Meter {
    let windows: Vec<Window> = loads.iter().map(|load| window(load.step)).collect();
    metered_at_one_level(&windows)
}

/// Returns the step with the busiest worker CPU, if above `WORKER_BUSY`, with that share of the time.
pub(super) fn cpu_bound(loads: &[&Load<'_>]) -> Option<(String, f64)> {
    let share = |load: &Load<'_>| {
        let wall_ns = load.step.ended.since(load.step.counted_from).0 as f64;
        let spent = load.step.workers.iter().map(|worker| worker.user_cpu_ns + worker.system_cpu_ns);
        spent.max().map_or(0.0, |spent| spent as f64 / wall_ns)
    };
    let shares = loads.iter().map(|load| (load.step.plan.name.clone(), share(load)));
    shares.filter(|(_, share)| *share > WORKER_BUSY).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the counted parts of the steps of these loads.
pub(crate) fn evidence(loads: &[&Load<'_>]) -> Vec<Evidence> {
    loads.iter().map(|load| Evidence::of_step(load.step, "rate")).collect()
}
