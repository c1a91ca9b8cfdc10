//! A comparison: what differs between the runs, what each reached at the same work, and what that shows and does not.

mod asked;
mod items;
mod parameters;
mod price;
mod ratio;
mod reading;
mod work;

use policy::Limits;
use record::Run;
use serde::{Deserialize, Serialize};
use workload::Bytes;

pub use parameters::Difference;
pub use price::{Cheapest, Period, Price, PriceError, PriceRow};
pub use ratio::{Answer as RatioAnswer, Basis, RUNS_PROPOSED, Ratio, Sample, ratio};
pub use reading::{Reading, ReadingFinding};
pub use work::Work;

use items::{Item, items};

/// One side of a comparison: runs of one volume, and what its owner says of it.
#[derive(Clone, Debug)]
pub struct Side {
    /// What it is called.
    pub label: String,
    /// Measured or imported; several of the same work are repeats.
    pub runs: Vec<Run>,
    /// The policy that its owner declares.
    pub limits: Option<Limits>,
    /// What it costs.
    pub price: Option<Price>,
    /// Its size; `None`: as the policy or the runs say.
    pub size: Option<Bytes>,
    /// The machine type that its owner declares, such as `t2.small`.
    pub machine: Option<String>,
}

/// What a comparison found. Sides are in the order given; the first is what the others are held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What each side is.
    pub sides: Vec<SideFacts>,
    /// Parameters that differ between the sides.
    pub differing: Vec<Difference>,
    /// The same work on two sides at least.
    pub rows: Vec<Row>,
    /// Work of one side alone: the side's index and what it reached.
    pub alone: Vec<(usize, Work)>,
    /// Price per unit, where prices are given.
    pub prices: Vec<PriceRow>,
    /// What the figures show of each volume, and what they do not.
    pub readings: Vec<ReadingFinding>,
}

/// What a side is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideFacts {
    /// What it is called.
    pub label: String,
    /// What measured it: `plimsoll 0.1.0`, `fio 1.59 text`.
    pub tools: Vec<String>,
    /// Runs or results.
    pub runs: usize,
    /// The policy that was declared.
    pub policy: Option<String>,
    /// Its size in bytes, and who says so.
    pub size: Option<(u64, SizeFrom)>,
    /// Its price as typed.
    pub price: Option<Price>,
}

/// Who says how large a volume is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeFrom {
    /// The command line.
    Typed,
    /// The declared policy.
    Policy,
    /// The run: the device that was measured.
    Run,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// I/Os a second; more is better.
    Iops,
    /// Bytes a second; more is better.
    BytesPerSecond,
    /// Mean latency in nanoseconds; less is better.
    MeanLatency,
}

/// The same work, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The work.
    pub work: Work,
    /// What is compared.
    pub measure: Measure,
    /// One a side: the mean of its runs, and each of them; `None` where it was not measured there.
    pub figures: Vec<Option<SideFigure>>,
    /// One a side, to the first side that has a figure; `None` for that one.
    pub ratios: Vec<Option<Ratio>>,
}

/// What a side reached at one work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideFigure {
    /// Mean of its runs.
    pub value: f64,
    /// Each run.
    pub runs: Vec<f64>,
    /// How far the tool's own figure may lie from what it printed, as a share; 0 where it was measured here.
    pub rounding: f64,
    /// Seconds that were measured, all runs together; `None` where an import does not say.
    pub seconds: Option<f64>,
}

/// Compares `sides`, two at least.
pub fn compare(sides: &[Side]) -> Comparison {
    let measured: Vec<Vec<Item>> = sides.iter().map(items).collect();
    let (rows, alone) = rows(&measured);
    Comparison {
        sides: sides.iter().map(facts).collect(),
        differing: parameters::differing(sides, &measured),
        prices: price::rows(sides, &rows),
        readings: reading::readings(sides, &measured),
        rows,
        alone,
    }
}

fn facts(side: &Side) -> SideFacts {
    SideFacts {
        label: side.label.clone(),
        tools: parameters::tools(side),
        runs: side.runs.len(),
        policy: side.limits.as_ref().map(|limits| limits.policy.to_string()),
        size: size(side),
        price: side.price.clone(),
    }
}

/// How large the volume is: as typed, else as its policy says, else the device that was measured.
pub(crate) fn size(side: &Side) -> Option<(u64, SizeFrom)> {
    let typed = side.size.map(|size| (size.0, SizeFrom::Typed));
    let of_policy = || {
        let parameters = &side.limits.as_ref()?.policy.parameters;
        let (_, words) = parameters.iter().find(|(name, _)| name == "size")?;
        workload::size(words).ok().map(|size| (size.0, SizeFrom::Policy))
    };
    let of_run = || {
        let device = side.runs.iter().find_map(|run| run.target.as_ref()?.devices.first())?;
        (device.size.0 > 0).then_some((device.size.0, SizeFrom::Run))
    };
    typed.or_else(of_policy).or_else(of_run)
}

/// Rows of work that two sides did at least, in the order of the first side that did it; and what one side did alone.
fn rows(measured: &[Vec<Item>]) -> (Vec<Row>, Vec<(usize, Work)>) {
    let mut works: Vec<Work> = Vec::new();
    for item in measured.iter().flatten() {
        match works.iter_mut().find(|work| work.same(&item.work)) {
            Some(known) => known.learn(&item.work),
            None => works.push(item.work.clone()),
        }
    }
    // Latencies of single requests come last, as what they are: another kind of figure.
    works.sort_by_key(|work| work.spaced);
    let mut rows = Vec::new();
    let mut alone = Vec::new();
    for work in works {
        let of = |side: &Vec<Item>| -> Vec<Item> {
            side.iter().filter(|item| item.work.same(&work)).cloned().collect()
        };
        let sides: Vec<Vec<Item>> = measured.iter().map(of).collect();
        let there: Vec<usize> = (0..sides.len()).filter(|&side| !sides[side].is_empty()).collect();
        match there.as_slice() {
            [only] => alone.push((*only, work)),
            _ => rows.extend(rows_of(&work, &sides)),
        }
    }
    (rows, alone)
}

/// Blocks from here on are compared by their bytes a second, smaller ones by their number.
const LARGE: u64 = 64 << 10;

/// The row of the rate, and one of the latency where I/Os came one at a time or no rate is known.
fn rows_of(work: &Work, sides: &[Vec<Item>]) -> Vec<Row> {
    let rate =
        if work.block.is_some_and(|block| block >= LARGE) { Measure::BytesPerSecond } else { Measure::Iops };
    let mut rows: Vec<Row> = row(work, rate, sides).into_iter().collect();
    if rows.is_empty() || work.depth == Some(1) {
        rows.extend(row(work, Measure::MeanLatency, sides));
    }
    rows
}

/// `None` where fewer than two sides have a figure.
fn row(work: &Work, measure: Measure, sides: &[Vec<Item>]) -> Option<Row> {
    let samples: Vec<Vec<Sample>> = sides.iter().map(|side| items::samples(side, measure)).collect();
    let first = samples.iter().position(|side| !side.is_empty())?;
    if samples.iter().filter(|side| !side.is_empty()).count() < 2 {
        return None;
    }
    let to_first = |side: usize| (side != first).then(|| ratio(&samples[first], &samples[side])).flatten();
    Some(Row {
        work: work.clone(),
        measure,
        figures: samples.iter().map(|side| figure(side)).collect(),
        ratios: (0..samples.len()).map(to_first).collect(),
    })
}

fn figure(samples: &[Sample]) -> Option<SideFigure> {
    let runs: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    let seconds = samples.iter().map(|sample| sample.seconds).sum::<Option<f64>>();
    (!runs.is_empty()).then(|| SideFigure {
        value: runs.iter().sum::<f64>() / runs.len() as f64,
        runs,
        rounding: samples.iter().map(|sample| sample.rounding).fold(0.0, f64::max),
        seconds,
    })
}
