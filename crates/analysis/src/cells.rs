//! Results of every job of a run in each direction: rows that need no ladder.

use record::{Run, StepRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Direction, Flush, Order, StepKind, WorkerPlan};

use crate::points::point;
use crate::step_figures::Point;

/// One job of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Name of the step.
    pub step: String,
    /// Name of the job.
    pub job: String,
    /// The load on the volume.
    pub pattern: Pattern,
    /// Reads and writes, each if there were any.
    pub directions: Vec<Point>,
    /// I/Os per second, both directions.
    pub iops: f64,
    /// Bytes per second, both directions.
    pub bytes_per_second: f64,
    /// Mean latency of all I/Os from due to completion, nanoseconds.
    pub latency_ns_mean: f64,
}

/// What a job asks of a volume, whatever it is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pattern {
    /// Whether blocks follow each other; otherwise they are at random places.
    pub sequential: bool,
    /// Share of reads in percent.
    pub read_percent: u8,
    /// I/Os in flight per worker.
    pub depth: u32,
    /// Number of workers.
    pub workers: u32,
    /// I/Os per second asked for; `None`: as fast as they complete.
    pub offered: Option<f64>,
    /// Writes between two flushes; `None` without flushes.
    pub flush_every: Option<u32>,
    /// Whether the page cache is bypassed.
    pub direct: bool,
}

/// Returns the cells of all steps that measured, in the order they ran; layouts and idle steps are left out.
pub fn cells(run: &Run) -> Vec<Cell> {
    let measured = |step: &&StepRecord| !matches!(step.plan.kind, StepKind::Layout | StepKind::Idle);
    run.steps.iter().filter(measured).flat_map(of_step).collect()
}

fn of_step(step: &StepRecord) -> Vec<Cell> {
    (0..step.jobs.len() as u16).filter_map(|job| cell(&only(step, job)?)).collect()
}

/// Returns the step as if `job` had been alone in it; `None` if the plan has no worker of it.
pub(crate) fn only(step: &StepRecord, job: u16) -> Option<StepRecord> {
    let name = step.jobs.get(usize::from(job))?.clone();
    let mut plan = step.plan.clone();
    plan.workers.retain(|worker| worker.job == name);
    if plan.workers.is_empty() {
        return None;
    }
    Some(StepRecord {
        plan,
        intervals: step.intervals.iter().filter(|interval| interval.job == job).cloned().collect(),
        workers: step.workers.iter().filter(|worker| worker.job == job).cloned().collect(),
        jobs: vec![name],
        failures: Vec::new(),
        notes: Vec::new(),
        ..*step
    })
}

/// Returns the cell of a step with one job; `None` if no I/O completed.
pub(crate) fn cell(step: &StepRecord) -> Option<Cell> {
    let points: Vec<Point> =
        [Direction::Read, Direction::Write].into_iter().filter_map(|way| point(step, way)).collect();
    let sums: Vec<_> = points.iter().map(|point| step.tally(point.direction)).collect();
    let ops: u64 = sums.iter().map(|tally| tally.ops).sum();
    let waited: u64 = sums.iter().map(|tally| tally.latency_ns_sum).sum();
    (ops > 0).then(|| Cell {
        step: step.plan.name.clone(),
        job: step.jobs.first().cloned().unwrap_or_default(),
        pattern: pattern(&step.plan.workers),
        iops: points.iter().map(|point| point.iops.value).sum(),
        bytes_per_second: points.iter().map(|point| point.bytes_per_second.value).sum(),
        latency_ns_mean: waited as f64 / ops as f64,
        directions: points,
    })
}

/// Returns the pattern of a job, whose workers are all the same.
fn pattern(workers: &[WorkerPlan]) -> Pattern {
    let first = &workers[0];
    Pattern {
        sequential: first.access.order == Order::Sequential,
        read_percent: first.access.mix.read_percent(),
        depth: first.depth,
        workers: workers.len() as u32,
        offered: first.pace.rate().map(|rate| rate.0),
        flush_every: match first.flush {
            Flush::Every(writes) => Some(writes),
            Flush::Never => None,
        },
        direct: first.direct,
    }
}
