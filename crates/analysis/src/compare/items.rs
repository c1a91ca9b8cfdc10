//! The figures of a side, one for each run, direction and work, whoever measured them.

use record::{Origin, RateBasis, Reported, ReportedDirection, Run, Scope, StepRecord};
use workload::{Direction, Nanos, StepKind};

use super::{Measure, Sample, Side, Work};
use crate::cells::{cell, only};
use crate::points::whole_rates;

/// One direction of one job of one run.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// What was done.
    pub work: Work,
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub bytes_per_second: Option<f64>,
    /// Mean latency in nanoseconds.
    pub latency_ns: Option<f64>,
    /// I/Os that ended.
    pub ops: Option<f64>,
    /// Seconds that it ran.
    pub seconds: Option<f64>,
    /// I/Os a second in each whole interval, where there is a series.
    pub series: Vec<f64>,
    /// How far the tool's own rate may lie from what it printed, as a share; 0 where it was measured here.
    pub rounding: f64,
    /// The same of the mean latency.
    pub latency_rounding: f64,
    /// Index of the run within its side, and of the job within the run: directions of one job share both.
    pub source: (usize, usize),
}

impl Item {
    /// What ratios are made of; `None` where the figure is not known.
    pub fn sample(&self, measure: Measure) -> Option<Sample> {
        let value = match measure {
            Measure::Iops => self.iops,
            Measure::BytesPerSecond => self.bytes_per_second,
            Measure::MeanLatency => self.latency_ns,
        }?;
        // A series of counts says how well the rate is known; of the latency there is no such series.
        let series = if measure == Measure::MeanLatency { Vec::new() } else { self.series.clone() };
        let rounding = if measure == Measure::MeanLatency { self.latency_rounding } else { self.rounding };
        (value > 0.0).then_some(Sample { value, seconds: self.seconds, series, rounding })
    }

    /// Bytes of an I/O as charged; unknown blocks count as one unit.
    pub fn block(&self) -> u64 {
        self.work.block.unwrap_or(1)
    }
}

/// Everything that the runs of `side` measured.
pub(super) fn items(side: &Side) -> Vec<Item> {
    side.runs.iter().enumerate().flat_map(|(number, run)| of_run(run, number)).collect()
}

fn of_run(run: &Run, number: usize) -> Vec<Item> {
    // The rung that a check runs again at its end is a repeat in time, not of the run.
    let measured =
        |step: &&StepRecord| !matches!(step.plan.kind, StepKind::Layout | StepKind::Idle | StepKind::Again);
    let mut found: Vec<Item> = Vec::new();
    let mut source = 0;
    for step in run.steps.iter().filter(measured) {
        for job in 0..step.jobs.len() as u16 {
            found.extend(only(step, job).map_or(Vec::new(), |step| of_job(&step, (number, source))));
            source += 1;
        }
    }
    let tool = tool(run);
    for part in run.reported.iter().filter(|part| part.scope == scope(run)) {
        found.extend(part.directions.iter().map(|way| of_reported((part, way), &tool, (number, source))));
        source += 1;
    }
    found
}

/// Jobs, where the tool prints any; else what it says of the whole.
fn scope(run: &Run) -> Scope {
    let has =
        |scope: Scope| run.reported.iter().any(|part| part.scope == scope && !part.directions.is_empty());
    [Scope::Job, Scope::Whole, Scope::Group].into_iter().find(|&scope| has(scope)).unwrap_or(Scope::Thread)
}

/// What measured it.
pub(super) fn tool(run: &Run) -> String {
    match &run.origin {
        Origin::Measured => format!("plimsoll {}", run.version),
        Origin::Imported { tool, .. } => tool.clone(),
    }
}

fn of_job(step: &StepRecord, source: (usize, usize)) -> Vec<Item> {
    let Some(cell) = cell(step) else { return Vec::new() };
    let counted = step.counted();
    let item = |point: &crate::Point| Item {
        work: Work::of_cell(&cell, point),
        iops: Some(point.iops.value),
        bytes_per_second: Some(point.bytes_per_second.value),
        latency_ns: Some(point.latency_ns_mean),
        ops: Some(issued(step, point.direction) as f64),
        seconds: Some(step.ended.since(step.started).as_secs_f64()),
        series: whole_rates(&counted, point.direction),
        rounding: 0.0,
        latency_rounding: 0.0,
        source,
    };
    cell.directions.iter().map(item).collect()
}

/// All I/Os of the direction, ramp included: they are charged too.
fn issued(step: &StepRecord, direction: Direction) -> u64 {
    step.intervals.iter().map(|interval| interval.of(direction).tally.ops).sum()
}

fn of_reported((part, way): (&Reported, &ReportedDirection), tool: &str, source: (usize, usize)) -> Item {
    let work = Work::of_reported(part, way, tool);
    let value = |figure: &Option<record::Figure>| figure.as_ref().map(|figure| figure.value);
    let half_step = |figure: Option<&record::Figure>| {
        figure.map_or(0.0, |f| (f.step / 2.0 / f.value.abs().max(1e-9)).min(1.0))
    };
    let latency = way.waited().and_then(|latency| latency.mean.as_ref());
    // A rate made of latencies is what depth 1 without a pause would reach, not what was done.
    let elapsed = way.basis == RateBasis::Elapsed && !work.spaced;
    Item {
        iops: value(&way.iops).filter(|_| elapsed),
        bytes_per_second: value(&way.bytes_per_second).filter(|_| elapsed),
        latency_ns: latency.map(|figure| figure.value),
        ops: value(&way.ops).or_else(|| Some(value(&way.bytes)? / work.block? as f64)),
        seconds: value(&way.runtime)
            .filter(|_| elapsed)
            .map(|ns| ns / 1e9)
            .or(part.runtime.map(Nanos::as_secs_f64)),
        series: Vec::new(),
        rounding: half_step(way.iops.as_ref()),
        latency_rounding: half_step(latency),
        work,
        source,
    }
}
