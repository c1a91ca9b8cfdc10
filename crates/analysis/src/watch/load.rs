//! Requested and achieved rates of plimsoll's own load.

use record::{Distribution, Interval, StepRecord};
use workload::{Direction, Nanos, Pace, WorkerPlan};

use super::shape::{Latency, LoadFigures, LoadFlow};
use crate::estimate::Estimate;
use crate::points::{point, whole_rates};

/// A percentile that is stored.
struct KeptPercentile {
    percent: f64,
    /// Fewest values that must lie beyond the percentile for it to count.
    beyond: f64,
}

/// Percentiles that are stored (method 7.1): for the 99th, a few values suffice to judge a contract.
const PERCENTILES: [KeptPercentile; 4] = [
    KeptPercentile { percent: 50.0, beyond: 1.0 },
    KeptPercentile { percent: 90.0, beyond: 2.0 },
    KeptPercentile { percent: 99.0, beyond: 2.0 },
    KeptPercentile { percent: 99.9, beyond: 10.0 },
];

/// Returns the figures of `steps`, which ran one load in turn; `None` if nothing completed or nothing was asked for.
pub(crate) fn load_figures(
    steps: &[&StepRecord],
    scale: Option<f64>,
    bound_ns: Option<u64>,
) -> Option<LoadFigures> {
    let first = steps.first()?;
    let read = flow(steps, &[Direction::Read], bound_ns);
    let write = flow(steps, &[Direction::Write], bound_ns);
    let all = flow(steps, &[Direction::Read, Direction::Write], bound_ns)?;
    let in_flight = all.issued.mean_ns.unwrap_or(0.0) / 1e9 * all.got.map_or(0.0, |got| got.value);
    Some(LoadFigures { step: first.plan.name.clone(), scale, read, write, all, in_flight })
}

fn flow(steps: &[&StepRecord], ways: &[Direction], bound_ns: Option<u64>) -> Option<LoadFlow> {
    let asked = steps.first().and_then(|step| asked(step, ways));
    let ops: u64 = steps.iter().flat_map(|step| ways.iter().map(|&way| step.tally(way).ops)).sum();
    if ops == 0 && asked.is_none() {
        return None;
    }
    let mut due = Distribution::default();
    let mut issued = Distribution::default();
    let mut latency_sum = 0.0;
    for (step, &way) in steps.iter().flat_map(|step| ways.iter().map(move |way| (step, way))) {
        due.merge(&step.latency(way));
        step.workers.iter().for_each(|worker| issued.merge(&worker.directions[way.index()].service));
        latency_sum += step.tally(way).latency_ns_sum as f64;
    }
    if issued.is_empty() {
        issued = due.clone();
    }
    let exact = (ops > 0).then(|| latency_sum / ops as f64);
    let due = Latency { mean_ns: exact, ..latency(&due, bound_ns) };
    let bytes: u64 = steps.iter().flat_map(|step| ways.iter().map(|&way| step.tally(way).bytes)).sum();
    let size = (ops > 0).then(|| bytes as f64 / ops as f64);
    Some(LoadFlow { asked, got: got(steps, ways), ops, size, due, issued: latency(&issued, bound_ns) })
}

fn latency(found: &Distribution, bound_ns: Option<u64>) -> Latency {
    let count = found.count() as f64;
    let supported = |kept: &&KeptPercentile| count * (1.0 - kept.percent / 100.0) >= kept.beyond;
    let value = |kept: &KeptPercentile| Some((kept.percent, found.percentile(kept.percent)?));
    Latency {
        mean_ns: found.mean(),
        percentiles: PERCENTILES.iter().filter(supported).filter_map(value).collect(),
        max_ns: found.ns_max(),
        bound_ns,
        within: bound_ns.and_then(|bound| found.share_within(bound)),
    }
}

/// Returns the rate over all steps: the mean of their rates, each over its whole intervals.
fn got(steps: &[&StepRecord], ways: &[Direction]) -> Option<Estimate> {
    let of_step = |step: &&StepRecord| {
        let parts: Vec<Estimate> =
            ways.iter().filter_map(|&way| point(step, way).map(|point| point.iops)).collect();
        (!parts.is_empty()).then(|| sum(&parts))
    };
    let all: Vec<Estimate> = steps.iter().filter_map(of_step).collect();
    let count = all.len() as f64;
    let total = sum(&all);
    (!all.is_empty()).then(|| Estimate {
        value: total.value / count,
        low: total.low / count,
        high: total.high / count,
    })
}

fn sum(parts: &[Estimate]) -> Estimate {
    parts.iter().fold(Estimate { value: 0.0, low: 0.0, high: 0.0 }, |sum, part| Estimate {
        value: sum.value + part.value,
        low: sum.low + part.low,
        high: sum.high + part.high,
    })
}

/// Returns the rate that all workers ask for in these directions together; `None` if one runs as fast as it can.
fn asked(step: &StepRecord, ways: &[Direction]) -> Option<f64> {
    let workers = || step.plan.workers.iter();
    let issues = |worker: &WorkerPlan, way: Direction| worker.access.mix.issues(way);
    let each = workers().flat_map(|worker| {
        ways.iter().filter(move |&&way| issues(worker, way)).map(move |&way| asked_of(worker, way))
    });
    let rates: Option<Vec<f64>> = each.collect();
    rates.filter(|rates| !rates.is_empty()).map(|rates| rates.iter().sum())
}

/// Returns the rate of one direction of a worker: its own pace, or its share of the pace of both.
fn asked_of(worker: &WorkerPlan, way: Direction) -> Option<f64> {
    let mixed = worker.access.mix.issues(Direction::Read) && worker.access.mix.issues(Direction::Write);
    let reads = f64::from(worker.access.mix.read_percent()) / 100.0;
    let share = if way == Direction::Read { reads } else { 1.0 - reads };
    match (worker.terms.write_pace, way) {
        (Some(pace), Direction::Write) => pace.rate().map(|rate| rate.0),
        (Some(_), _) => worker.pace.rate().map(|rate| rate.0),
        (None, _) => worker.pace.rate().map(|rate| rate.0 * if mixed { share } else { 1.0 }),
    }
}

/// Whether the load runs as fast as it can.
pub(crate) fn closed(step: &StepRecord) -> bool {
    step.plan.workers.iter().all(|worker| worker.pace == Pace::Closed && worker.terms.write_pace.is_none())
}

/// Returns the I/Os per second in each whole second of the step, both directions or one.
pub(crate) fn seconds_of(step: &StepRecord, way: Option<Direction>) -> Vec<f64> {
    rates_in(&step.counted(), way)
}

/// Returns the I/Os per second in each whole second of the step whose middle is within `from` and `to`, of both
/// directions or one.
pub(crate) fn seconds_within(
    step: &StepRecord,
    way: Option<Direction>,
    (from, to): (Nanos, Nanos),
) -> Vec<f64> {
    let mut counted = step.counted();
    let middle = |interval: &Interval| interval.start.0 / 2 + interval.end.0 / 2;
    counted.retain(|interval| (from.0..to.0).contains(&middle(interval)));
    rates_in(&counted, way)
}

fn rates_in(counted: &[Interval], way: Option<Direction>) -> Vec<f64> {
    match way {
        Some(way) => whole_rates(counted, way),
        None => {
            let (reads, writes) =
                (whole_rates(counted, Direction::Read), whole_rates(counted, Direction::Write));
            reads.iter().zip(&writes).map(|(read, write)| read + write).collect()
        }
    }
}
