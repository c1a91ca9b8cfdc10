//! The figures of many runs of the same work, one after the other.

use record::Run;

use super::items::{Item, Source, items};
use super::limits::limits;
use super::row::{Measure, Row, rate};
use super::side::Side;
use super::work::Work;
use super::{row, rows};

/// The figures of one run.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// The limits that its analysis states; empty if it went up no ladders.
    limits: Vec<Item>,
    /// Its work, if it went up no ladders: a check chooses its loads by what it finds.
    work: Vec<Item>,
}

impl RunFigures {
    /// Takes the figures of a run.
    #[must_use]
    pub fn of(run: Run) -> RunFigures {
        let side = Side::of_runs(String::new(), vec![run]);
        let limits = limits(&side);
        let work = if limits.is_empty() { items(&side) } else { Vec::new() };
        RunFigures { limits, work }
    }
}

/// Returns a row for each figure that at least two runs have: limits if the last has any, or else its work.
pub(crate) fn over_time(runs: &[&RunFigures]) -> Vec<Row> {
    let by_limits = runs.last().is_some_and(|last| !last.limits.is_empty());
    let of = |run: &&RunFigures| if by_limits { run.limits.clone() } else { run.work.clone() };
    let measured: Vec<Vec<Item>> = runs.iter().map(of).collect();
    // Rates and latencies of limits apart, as in a comparison: a rate at any depth may be taken for that of a latency.
    let kinds: &[Option<bool>] = if by_limits { &[Some(false), Some(true)] } else { &[None] };
    let of_kind = |kind: &Option<bool>| -> Vec<Row> {
        let is_of = |item: &&Item| kind.is_none_or(|latency| item.latency_ns.is_some() == latency);
        let sides: Vec<Vec<Item>> =
            measured.iter().map(|side| side.iter().filter(is_of).map(own).collect()).collect();
        rows(&sides, &figures_of).0
    };
    kinds.iter().flat_map(of_kind).collect()
}

/// Returns the item as one of the only run of its side.
fn own(item: &Item) -> Item {
    Item { source: Source { run: 0, ..item.source }, ..item.clone() }
}

/// Returns the rows of one work: the rate unless it was offered, and the latency where the load does not follow from it.
fn figures_of(work: &Work, sides: &[Vec<Item>]) -> Vec<Row> {
    let is_offered = work.offered.is_some_and(|rate| rate > 0);
    let rate = (!is_offered).then(|| row(work, rate(work), sides)).flatten();
    let one = work.depth == Some(1) || is_offered || rate.is_none();
    let mean = one.then(|| row(work, Measure::MeanLatency, sides)).flatten();
    let p99 = is_offered.then(|| row(work, Measure::LatencyP99, sides)).flatten();
    [rate, mean, p99].into_iter().flatten().collect()
}
