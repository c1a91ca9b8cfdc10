//! A comparison: how the runs differ, their figures for the same work, and the conclusions from them.

mod asked;
mod conclusion;
mod exact;
mod items;
mod limits;
mod over_time;
mod pairs;
mod parameters;
mod price;
mod ratio;
mod reading;
mod row;
mod side;
mod straying;
mod unit_prices;
mod work;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Nanos, TurnsRequest};

pub use crate::odd::{Deviation, farthest};
pub use crate::significance::ALPHA;
pub use conclusion::{Fall, Outcome};
pub use items::IN_BLOCK;
pub(crate) use items::tool;
pub use over_time::RunFigures;
pub(crate) use over_time::over_time;
pub use pairs::reach;
pub use parameters::Difference;
pub use price::{Period, Price, PriceError};
pub use ratio::{Answer as RatioAnswer, Basis, Pairs, RUNS_PROPOSED, Ratio, Sample, Shown, ratio};
pub use reading::{Reading, ReadingFinding};
pub use row::{Measure, Row, SideFigure};
pub use side::{Side, SizeFrom};
pub use unit_prices::{Cheapest, PriceRow, RateWithinLatency, Within};
pub use work::Work;

use crate::estimate::Estimate;
use crate::odd::deviations;
use items::{Item, items};
use pairs::{Block, ByBlock};
use row::rate;
use side::size;

/// The result of a comparison. Sides are in the order given; the others are compared with the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Facts about each side.
    pub sides: Vec<SideFacts>,
    /// Parameters that differ between the sides.
    pub differing: Vec<Difference>,
    /// The limits that the analysis of each side's own runs states: operations, bytes, latency of one I/O at a time.
    pub limits: Vec<Row>,
    /// Figures of work that at least two sides have; limits are left out.
    pub rows: Vec<Row>,
    /// Each figure of more than two sides against the median of all; empty for two.
    pub deviations: Vec<Deviation>,
    /// Sides whose rate will fall when their burst credits end.
    pub falls: Vec<Fall>,
    /// What follows from all of it.
    pub outcome: Outcome,
    /// Work that only one side has, with the side's index.
    pub alone: Vec<(usize, Work)>,
    /// Price per unit, if prices are given.
    pub prices: Vec<PriceRow>,
    /// Conclusions about each volume.
    pub readings: Vec<ReadingFinding>,
    /// The request, if the sides were loaded in turns: rows are then compared block by block.
    pub in_turns: Option<TurnsRequest>,
}

/// What a side is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideFacts {
    /// Name of the side.
    pub label: String,
    /// File or target of a side to which nobody gave a name, and whose label is therefore a letter.
    pub source: Option<String>,
    /// Tools that measured it, such as `plimsoll 0.1.0` or `fio 1.59 text`.
    pub tools: Vec<String>,
    /// Number of runs or results.
    pub runs: usize,
    /// The policy that was declared.
    pub policy: Option<String>,
    /// Size in bytes, and the source of that figure.
    pub size: Option<(u64, SizeFrom)>,
    /// Price as typed.
    pub price: Option<Price>,
}

/// Compares at least two sides.
pub fn compare(sides: &[Side]) -> Comparison {
    compare_within(sides, None)
}

/// Compares at least two sides, and prices the rates whose 99th percentile of latency stayed within `latency`.
pub fn compare_within(sides: &[Side], latency: Option<Nanos>) -> Comparison {
    let measured: Vec<Vec<Item>> = sides.iter().map(items).collect();
    let in_turns = pairs::asked(sides);
    let (mut rows, alone) = rows(&measured, &|work, own| match in_turns {
        Some(ask) => TurnsComparison { work, measured: own, sides, ask }.rows(),
        None => rows_of(work, own),
    });
    if let Some(ask) = in_turns {
        pairs::decide(&mut rows, ask);
    }
    let limits = limits(sides);
    rows.retain(|row| limits.iter().all(|limit| (&limit.work, limit.measure) != (&row.work, row.measure)));
    let readings = reading::readings(sides, &measured);
    let mut differing = parameters::differing(sides, &measured);
    if !limits.is_empty() {
        // A check chooses these by what it finds.
        differing.retain(|difference| !parameters::FOUND.contains(&difference.what.as_str()));
        rows.sort_by_key(|row| row.work.order());
    }
    let mut comparison = Comparison {
        sides: sides.iter().map(facts).collect(),
        differing,
        prices: latency
            .map_or_else(Vec::new, |latency| unit_prices::within(sides, &measured, latency.0))
            .into_iter()
            .chain(unit_prices::rows(sides, &rows))
            .collect(),
        falls: conclusion::falls(&readings),
        readings,
        limits,
        rows,
        alone,
        deviations: Vec::new(),
        outcome: Outcome::CannotTell,
        in_turns: in_turns.cloned(),
    };
    comparison.deviations = deviations(&estimates(comparison.deciding()));
    comparison.outcome = conclusion::outcome(&comparison);
    comparison
}

/// Returns the figures of each row, with the intervals that they have.
fn estimates(rows: &[Row]) -> Vec<Vec<Option<Estimate>>> {
    let of = |figure: &SideFigure| {
        let (low, high) = figure.interval.unwrap_or((figure.value, figure.value));
        Estimate { value: figure.value, low, high }
    };
    rows.iter().map(|row| row.figures.iter().map(|figure| figure.as_ref().map(of)).collect()).collect()
}

/// Returns the limits that at least two sides have: rates, then latencies. At a limit no depth is left unrecorded.
fn limits(sides: &[Side]) -> Vec<Row> {
    let own: Vec<Vec<Item>> = sides.iter().map(limits::limits).collect();
    let of = |is_latency: bool| -> Vec<Vec<Item>> {
        let kind = |item: &&Item| item.latency_ns.is_some() == is_latency;
        own.iter().map(|side| side.iter().filter(kind).cloned().collect()).collect()
    };
    // Apart, because a rate at any depth may be taken for one at the depth of a latency.
    let mut found = [rows(&of(false), &rows_of).0, rows(&of(true), &rows_of).0].concat();
    found.iter_mut().flat_map(|row| &mut row.unrecorded).for_each(Vec::clear);
    found.sort_by_key(|row| (row.measure.is_latency(), row.measure == Measure::BytesPerSecond));
    found
}

fn facts(side: &Side) -> SideFacts {
    SideFacts {
        label: side.label.clone(),
        source: side.source.clone(),
        tools: parameters::tools(side),
        runs: side.runs.len(),
        policy: side.limits.as_ref().map(|limits| limits.policy.to_string()),
        size: size(side),
        price: side.price.clone(),
    }
}

/// A function that makes the rows of one work from each side's items of it.
type RowsOf<'a> = &'a dyn Fn(&Work, &[Vec<Item>]) -> Vec<Row>;

/// Returns the rows of work that at least two sides have, in the order of the first side with it, and all other work.
fn rows(measured: &[Vec<Item>], rows_of: RowsOf<'_>) -> (Vec<Row>, Vec<(usize, Work)>) {
    let mut works = works(measured);
    // Latencies of single requests come last, because they are a different kind of figure.
    works.sort_by_key(|work| work.spaced);
    let mut rows = Vec::new();
    let mut alone = Vec::new();
    for (number, work) in works.iter().enumerate() {
        let of = |side: &Vec<Item>| -> Vec<Item> {
            side.iter().filter(|item| place(&works, &item.work) == Some(number)).cloned().collect()
        };
        let sides: Vec<Vec<Item>> = measured.iter().map(of).collect();
        let there: Vec<usize> = (0..sides.len()).filter(|&side| !sides[side].is_empty()).collect();
        match there.as_slice() {
            [only] => alone.push((*only, work.clone())),
            _ => rows.extend(rows_of(work, &sides)),
        }
    }
    (rows, alone)
}

/// Returns each work once, in the order of the items. Works with the most recorded fields are matched first, because
/// one with fewer can only be recognized by them.
fn works(measured: &[Vec<Item>]) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    let mut items: Vec<&Work> = measured.iter().flatten().map(|item| &item.work).collect();
    items.sort_by_key(|work| work.unrecorded().len());
    for work in items {
        if place(&works, work).is_none() {
            works.push(work.clone());
        }
    }
    let first = |work: &Work| {
        measured.iter().flatten().position(|item| place(&works, &item.work) == place(&works, work))
    };
    let mut ordered: Vec<(Option<usize>, Work)> =
        works.iter().map(|work| (first(work), work.clone())).collect();
    ordered.sort_by_key(|(first, _)| *first);
    ordered.into_iter().map(|(_, work)| work).collect()
}

/// Returns the index in `works` of the same work, or else of the only one with more recorded fields that may be it;
/// `None` if there is not exactly one.
fn place(works: &[Work], work: &Work) -> Option<usize> {
    let same = works.iter().position(|known| known.same(work));
    let may_be = || {
        let says_more = |known: &Work| known.unrecorded().len() < work.unrecorded().len();
        let mut found = works.iter().enumerate().filter(|(_, known)| says_more(known) && known.may_be(work));
        let only = found.next()?.0;
        found.next().is_none().then_some(only)
    };
    same.or_else(may_be)
}

/// Returns the row of the rate, and one of the latency if I/Os ran one at a time or no rate is known.
fn rows_of(work: &Work, sides: &[Vec<Item>]) -> Vec<Row> {
    let mut rows: Vec<Row> = row(work, rate(work), sides).into_iter().collect();
    if rows.is_empty() || work.depth == Some(1) {
        rows.extend(row(work, Measure::MeanLatency, sides));
    }
    rows
}

/// Distance of a mean size from that of the work, as a share, from which sizes differ (chosen by us: counting at the ends of
/// a step makes less).
const ONE_SIZE: f64 = 0.01;

/// The items of one work on all sides, compared block by block.
struct TurnsComparison<'a> {
    work: &'a Work,
    measured: &'a [Vec<Item>],
    sides: &'a [Side],
    ask: &'a TurnsRequest,
}

impl TurnsComparison<'_> {
    /// Returns rate, mean latency and percentiles of the blocks that all sides have.
    fn rows(&self) -> Vec<Row> {
        let latencies = [Measure::MeanLatency, Measure::LatencyP50, Measure::LatencyP99];
        let rates = match self.is_of_one_size() {
            true => vec![rate(self.work)],
            false => vec![Measure::Iops, Measure::BytesPerSecond],
        };
        rates.into_iter().chain(latencies).filter_map(|measure| self.row(measure)).collect()
    }

    /// Whether every I/O has the size of the work: then either rate gives the other.
    fn is_of_one_size(&self) -> bool {
        let has = |item: &Item| {
            let (Some(block), Some(ios), Some(bytes)) = (item.work.block, item.iops, item.bytes_per_second)
            else {
                return true;
            };
            (bytes / ios / block as f64 - 1.0).abs() < ONE_SIZE
        };
        self.measured.iter().flatten().all(has)
    }

    fn row(&self, measure: Measure) -> Option<Row> {
        let own = self.measured.iter().zip(self.sides);
        let mut blocks: Vec<ByBlock> =
            own.map(|(items, side)| items::by_block(items, measure, side)).collect();
        // A block that only one side has is no pair.
        let everywhere = |block: &&Block| blocks.iter().all(|side| side.contains_key(*block));
        let shared: Vec<Block> = blocks.first()?.keys().filter(everywhere).cloned().collect();
        blocks.iter_mut().for_each(|side| side.retain(|block, _| shared.contains(block)));
        let exact = |side: usize| exact::exact(&self.measured[side], measure);
        let to_first = |side: usize| {
            let paired = pairs::ratio((&blocks[0], &blocks[side]), self.ask)?;
            let rates = (!measure.is_latency()).then(|| exact(0).zip(exact(side))).flatten();
            let looks = self.ask.look_at.len().max(1) as f64;
            Some(rates.map_or(paired, |rates| exact::decided(paired, rates, looks)))
        };
        let ratios: Vec<Option<Ratio>> =
            (0..self.sides.len()).map(|side| (side > 0).then(|| to_first(side)).flatten()).collect();
        let by_rate = ratios.iter().flatten().any(|ratio| ratio.basis == Basis::ExactRates);
        let figures = |(side, of): (usize, &ByBlock)| {
            let figure = figure(&of.values().cloned().collect::<Vec<Sample>>())?;
            let exact = by_rate.then(|| exact(side)).flatten();
            Some(SideFigure {
                value: exact.map_or(figure.value, |(rate, _)| rate),
                interval: exact.map(|(_, ends)| ends),
                ..figure
            })
        };
        ratios.iter().any(Option::is_some).then(|| Row {
            work: self.work.clone(),
            measure,
            figures: blocks.iter().enumerate().map(figures).collect(),
            ratios,
            unrecorded: self.measured.iter().map(|side| unrecorded(side)).collect(),
        })
    }
}

/// Returns the row of one measure; `None` if fewer than two sides have a figure.
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
        unrecorded: sides.iter().map(|side| unrecorded(side)).collect(),
    })
}

/// Returns the fields that any of the items does not record, in the order of [`Work::unrecorded`].
fn unrecorded(items: &[Item]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for what in items.iter().flat_map(|item| item.work.unrecorded()) {
        if !found.iter().any(|known| known == what) {
            found.push(what.to_owned());
        }
    }
    found
}

fn figure(samples: &[Sample]) -> Option<SideFigure> {
    let runs: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    let seconds = samples.iter().map(|sample| sample.seconds).sum::<Option<f64>>();
    (!runs.is_empty()).then(|| SideFigure {
        value: runs.iter().sum::<f64>() / runs.len() as f64,
        runs,
        interval: if let [only] = samples { only.interval } else { None },
        rounding: samples.iter().map(|sample| sample.rounding).fold(0.0, f64::max),
        seconds,
    })
}
