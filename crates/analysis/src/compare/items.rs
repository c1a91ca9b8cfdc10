//! The figures of a side: an item for each run, direction and work, whatever tool measured them.

use std::collections::{BTreeMap, BTreeSet};

use record::{Distribution, Origin, RateBasis, ReportedDirection, ReportedPart, Run, Scope, StepRecord};
use statistics::metered::Window;
use workload::{Direction, Ending, Nanos, StepKind};

use super::asked;
use super::pairs::{Block, ByBlock};
use super::ratio::Sample;
use super::row::Measure;
use super::side::Side;
use super::work::Work;
use crate::cells::{cell, only};
use crate::counts::window;
use crate::estimate::Estimate;
use crate::latency::mean;
use crate::step_figures::Point;

/// One direction of one job of one run.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The I/O of the job.
    pub work: Work,
    /// I/Os per second.
    pub iops: Option<f64>,
    /// Bytes per second.
    pub bytes_per_second: Option<f64>,
    /// Mean latency, nanoseconds.
    pub latency_ns: Option<f64>,
    /// Median latency, nanoseconds.
    pub latency_ns_p50: Option<f64>,
    /// 99th percentile of latency, nanoseconds; `None` if too few I/Os completed.
    pub latency_ns_p99: Option<f64>,
    /// Number of I/Os completed, ramp included.
    pub ops: Option<f64>,
    /// Length of the job in seconds.
    pub seconds: Option<f64>,
    /// The ends of the 95 % interval of the rate, as shares of it, if it has one.
    pub rate_ends: Option<(f64, f64)>,
    /// The ends of the 95 % interval of the mean latency, nanoseconds, if it has one.
    pub latency_ends: Option<(f64, f64)>,
    /// Counts of the step by interval, if nothing else ran in it.
    pub counts: Option<Window>,
    /// Greatest rounding error of a printed rate, as a share; 0 if plimsoll measured it.
    pub rounding: f64,
    /// Greatest rounding error of a printed mean latency, as a share; 0 if plimsoll measured it.
    pub latency_rounding: f64,
    pub source: Source,
}

/// Origin of an item; items with equal run and group ran side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Index of the run within its side.
    pub run: usize,
    /// Index of the step or group within the run.
    pub group: usize,
    /// Block of a comparison in turns, from 0; 0 for other runs.
    pub block: u32,
}

impl Item {
    /// Returns an item of this work without figures.
    pub fn of(work: Work) -> Item {
        Item {
            work,
            iops: None,
            bytes_per_second: None,
            latency_ns: None,
            latency_ns_p50: None,
            latency_ns_p99: None,
            ops: None,
            seconds: None,
            rate_ends: None,
            latency_ends: None,
            counts: None,
            rounding: 0.0,
            latency_rounding: 0.0,
            source: Source { run: 0, group: 0, block: 0 },
        }
    }

    /// Returns the sample from which ratios are computed; `None` if the figure is not known.
    pub fn sample(&self, measure: Measure) -> Option<Sample> {
        let value = match measure {
            Measure::Iops => self.iops,
            Measure::BytesPerSecond => self.bytes_per_second,
            Measure::MeanLatency => self.latency_ns,
            Measure::LatencyP50 => self.latency_ns_p50,
            Measure::LatencyP99 => self.latency_ns_p99,
        }?;
        let rounding = if measure.is_latency() { self.latency_rounding } else { self.rounding };
        let interval = match measure {
            Measure::Iops | Measure::BytesPerSecond => {
                self.rate_ends.map(|(low, high)| (low * value, high * value))
            }
            Measure::MeanLatency => self.latency_ends,
            Measure::LatencyP50 | Measure::LatencyP99 => None,
        };
        (value > 0.0).then_some(Sample { value, seconds: self.seconds, interval, rounding })
    }

    /// Whether any figure of the item is above zero.
    fn says_something(&self) -> bool {
        [self.iops, self.bytes_per_second, self.latency_ns]
            .iter()
            .any(|figure| figure.is_some_and(|f| f > 0.0))
    }

    /// Returns the bytes per I/O; 1 if the block size is unknown.
    pub fn block(&self) -> u64 {
        self.work.block.unwrap_or(1)
    }
}

/// Returns one sample per run: the sum of the same work side by side, or the mean of the same work in sequence.
pub(super) fn samples(items: &[Item], measure: Measure) -> Vec<Sample> {
    let runs: BTreeSet<usize> = items.iter().map(|item| item.source.run).collect();
    let of_run = |run: usize| items.iter().filter(move |item| item.source.run == run);
    runs.into_iter().filter_map(|run| sample(&of_run(run).collect::<Vec<_>>(), measure)).collect()
}

/// Returns one sample per block of the comparisons that the runs of `side` took part in.
pub(super) fn by_block(items: &[Item], measure: Measure, side: &Side) -> ByBlock {
    let mut blocks: BTreeMap<Block, Vec<&Item>> = BTreeMap::new();
    for item in items {
        if let Some(ask) = side.runs[item.source.run].in_turns() {
            blocks.entry((ask.comparison.clone(), item.source.block)).or_default().push(item);
        }
    }
    blocks.into_iter().filter_map(|(block, own)| Some((block, sample(&own, measure)?))).collect()
}

fn sample(own: &[&Item], measure: Measure) -> Option<Sample> {
    let groups: BTreeSet<usize> = own.iter().map(|item| item.source.group).collect();
    let together = groups.iter().filter_map(|group| {
        let beside = own.iter().filter(|item| item.source.group == *group);
        beside.filter_map(|item| item.sample(measure)).reduce(|a, b| side_by_side(measure, a, b))
    });
    let all: Vec<Sample> = together.collect();
    let count = all.len() as f64;
    let first = all.first()?;
    // The same work several times in one run is not known better for that: the hour is the same.
    let ends: Option<Vec<(f64, f64)>> = all.iter().map(|sample| sample.interval).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| Some(ends.as_ref()?.iter().map(of).sum::<f64>() / count);
    let interval = mean(|ends| ends.0).zip(mean(|ends| ends.1));
    Some(Sample {
        value: all.iter().map(|sample| sample.value).sum::<f64>() / count,
        interval,
        ..first.clone()
    })
}

/// Adds up jobs that ran side by side: rates over the longer of their times. Of two latencies, the greater is taken.
fn side_by_side(measure: Measure, a: Sample, b: Sample) -> Sample {
    if measure.is_latency() {
        return if a.value >= b.value { a } else { b };
    }
    let (value, seconds) = match (a.seconds, b.seconds) {
        // The job that ended earlier did nothing for the rest of the time: the sum is over the longer time.
        (Some(first), Some(other)) if first.max(other) > 0.0 => {
            let longest = first.max(other);
            ((a.value * first + b.value * other) / longest, Some(longest))
        }
        _ => (a.value + b.value, a.seconds),
    };
    Sample { value, seconds, interval: None, rounding: a.rounding.max(b.rounding) }
}

/// Returns all items of the runs of `side`.
pub(super) fn items(side: &Side) -> Vec<Item> {
    side.runs.iter().enumerate().flat_map(|(number, run)| of_run(run, number)).collect()
}

fn of_run(run: &Run, number: usize) -> Vec<Item> {
    // The rung that a check repeats at its end is a repeat in time, not of the run.
    let measured =
        |step: &&StepRecord| !matches!(step.plan.kind, StepKind::Layout | StepKind::Idle | StepKind::Again);
    // A step that was cut off would be compared with a whole turn of the other side.
    let counts = |step: &&StepRecord| run.in_turns().is_none() || went_to_its_end(step);
    let mut found: Vec<Item> = Vec::new();
    let mut source = 0;
    for step in run.steps.iter().filter(measured).filter(counts) {
        let block = block(run, source);
        for job in 0..step.jobs.len() as u16 {
            let source = Source { run: number, group: source, block };
            let own = only(step, job).map_or(Vec::new(), |step| of_job(&step, source));
            // Counts of jobs side by side say nothing about either alone.
            let is_alone = step.jobs.len() == 1 && own.len() == 1;
            found.extend(
                own.into_iter().map(|item| Item { counts: item.counts.filter(|_| is_alone), ..item }),
            );
        }
        source += 1;
    }
    let tool = tool(run);
    for part in parts(run) {
        // Jobs of one group ran side by side; without groups, each ran alone.
        let group = part.group.map_or(source, |group| GROUPS + group as usize);
        let block = part_block(run, &part);
        let of_way = |way| of_reported(&part, way, &tool, Source { run: number, group, block });
        let ways = directions(&part).map(of_way);
        found.extend(ways.filter(Item::says_something));
        source += 1;
    }
    found
}

/// Name in [`ReportedPart::said`] of the block number, from 0, of the comparison in turns that printed the part.
pub const IN_BLOCK: &str = "block of the comparison";

fn part_block(run: &Run, part: &ReportedPart) -> u32 {
    let said = part.said.iter().find(|(name, _)| name == IN_BLOCK);
    let own = said.and_then(|(_, block)| block.parse().ok());
    own.unwrap_or_else(|| block(run, 0))
}

fn went_to_its_end(step: &StepRecord) -> bool {
    !matches!(step.ending, Ending::Failed | Ending::Interrupted)
}

/// Returns the block of the measured step with this number: each block runs every load once.
fn block(run: &Run, step: usize) -> u32 {
    run.in_turns().map_or(0, |ask| ask.first_block + (step / ask.loads.len().max(1)) as u32)
}

/// First number for groups that a tool counts, above those of parts without a group.
const GROUPS: usize = 1 << 32;

/// Returns reads and writes, or only their sum if the tool does not print them separately.
fn directions(part: &ReportedPart) -> impl Iterator<Item = &ReportedDirection> {
    let told = part.directions.iter().any(|way| way.direction.is_some());
    part.directions.iter().filter(move |way| way.direction.is_some() == told)
}

/// Returns the parts with figures. If a tool prints figures by thread only, its options and run time are in the part of
/// the whole, and the threads ran side by side.
fn parts(run: &Run) -> Vec<ReportedPart> {
    let scope = scope(run);
    let found = run.reported.iter().filter(|part| part.scope == scope);
    let whole = run.reported.iter().find(|part| part.scope == Scope::Whole);
    match whole.filter(|_| scope == Scope::Thread) {
        None => found.cloned().collect(),
        Some(whole) => found
            .map(|thread| ReportedPart {
                directions: thread.directions.clone(),
                group: Some(whole.group.unwrap_or(0)),
                ..whole.clone()
            })
            .collect(),
    }
}

/// Returns the first of job, whole and group for which the tool prints figures, or else thread.
fn scope(run: &Run) -> Scope {
    let has =
        |scope: Scope| run.reported.iter().any(|part| part.scope == scope && !part.directions.is_empty());
    [Scope::Job, Scope::Whole, Scope::Group].into_iter().find(|&scope| has(scope)).unwrap_or(Scope::Thread)
}

/// Returns the name and version of the tool that measured the run.
pub(crate) fn tool(run: &Run) -> String {
    match &run.origin {
        Origin::Measured => format!("plimsoll {}", run.version),
        Origin::Imported { tool, .. } => tool.clone(),
    }
}

fn of_job(step: &StepRecord, source: Source) -> Vec<Item> {
    let Some(cell) = cell(step) else { return Vec::new() };
    let rests = step.plan.workers.iter().any(|worker| worker.terms.think.is_some());
    let spaced = step.plan.kind == StepKind::Latency && rests;
    let item = |point: &Point| Item {
        // With rests between the requests there is a latency, and no rate.
        iops: (!spaced).then_some(point.iops.value),
        bytes_per_second: (!spaced).then_some(point.bytes_per_second.value),
        latency_ns: Some(point.latency_ns_mean),
        latency_ns_p50: Some(point.latency_ns_p50 as f64),
        latency_ns_p99: supports_p99(&step.latency(point.direction)).then_some(point.latency_ns_p99 as f64),
        ops: Some(issued(step, point.direction) as f64),
        seconds: Some(step.ended.since(step.started).as_secs_f64()),
        rate_ends: ends(point.iops, point.iops.value),
        latency_ends: mean(step, point.direction).and_then(|mean| ends(mean.estimate, 1.0)),
        counts: Some(window(step)),
        source,
        ..Item::of(Work { spaced, ..Work::of_cell(&cell, point) })
    };
    cell.directions.iter().map(item).collect()
}

/// Returns the ends of an interval in `unit`, if it has both.
pub(super) fn ends(Estimate { value, low, high }: Estimate, unit: f64) -> Option<(f64, f64)> {
    (0.0 < low && low <= value && value <= high).then_some((low / unit, high / unit))
}

/// Whether ten values lie beyond the 99th percentile, without which it is not meaningful (method 7.1).
fn supports_p99(latency: &Distribution) -> bool {
    latency.count() >= 1000
}

/// Counts all I/Os of the direction, ramp included: they are charged too.
fn issued(step: &StepRecord, direction: Direction) -> u64 {
    step.intervals.iter().map(|interval| interval.of(direction).tally.ops).sum()
}

fn of_reported(part: &ReportedPart, way: &ReportedDirection, tool: &str, source: Source) -> Item {
    let work = asked::work(part, way, tool);
    let value = |figure: &Option<record::Figure>| figure.as_ref().map(|figure| figure.value);
    let half_step = |figure: Option<&record::Figure>| {
        figure.map_or(0.0, |f| (f.step / 2.0 / f.value.abs().max(1e-9)).min(1.0))
    };
    let latency = way.waited().and_then(|latency| latency.mean.as_ref());
    let percentile = |wanted: f64| {
        // fio prints percentiles of one kind of latency, and the mean of every kind.
        let told = way.latencies.iter().find(|latency| !latency.percentiles.is_empty())?;
        told.percentiles.iter().find(|(percent, _)| *percent == wanted).map(|(_, figure)| figure.value)
    };
    // A rate computed from latencies is that of depth 1 without pauses, not the measured one.
    let elapsed = way.basis == RateBasis::Elapsed && !work.spaced;
    let seconds =
        value(&way.runtime).filter(|_| elapsed).map(|ns| ns / 1e9).or(part.runtime.map(Nanos::as_secs_f64));
    // If a tool prints only sums and the time, the rate is their quotient.
    let over_time = |sum: &Option<record::Figure>| Some(value(sum)? / seconds.filter(|s| *s > 0.0)?);
    Item {
        iops: value(&way.iops).or_else(|| over_time(&way.ops)).filter(|_| elapsed),
        bytes_per_second: value(&way.bytes_per_second).or_else(|| over_time(&way.bytes)).filter(|_| elapsed),
        latency_ns: latency.map(|figure| figure.value),
        latency_ns_p50: percentile(50.0),
        latency_ns_p99: percentile(99.0),
        ops: value(&way.ops).or_else(|| Some(value(&way.bytes)? / work.block? as f64)),
        seconds,
        rounding: half_step(way.iops.as_ref()),
        latency_rounding: half_step(latency),
        source,
        ..Item::of(work)
    }
}
