//! Recommended loads: the depth for each block with its rate, and the greatest depth at which a latency bound holds.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, MapRequest, Nanos, StepKind};

use super::knees::Knee;
use super::surface::{Basis, MapCell, Surface};
use crate::latency;
use crate::points::point;
use crate::step_figures::Point;

/// A row for one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Bytes of an I/O.
    pub block: u64,
    /// Whether this block was requested.
    pub asked: bool,
    /// The cell of the least depth, measured or predicted, with 90 % of the block's cap; with a bound, of the greatest
    /// depth measured to keep it, for this block or a larger one.
    pub cell: Option<MapCell>,
    /// Whether the bound holds; `None` without a bound.
    pub bound: Option<BoundAnswer>,
}

/// Whether a bound on the 99th percentile holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "bound", rename_all = "snake_case")]
pub enum BoundAnswer {
    /// The bound holds at `depth`, and not at `fails`; `None` if it surely fails at no greater depth measured.
    Holds {
        /// The greatest depth at which the bound surely holds.
        depth: u32,
        /// The least greater depth at which the bound surely fails.
        fails: Option<u32>,
    },
    /// The bound holds at no depth measured.
    Nowhere {
        /// The least depth measured.
        least: u32,
    },
    /// Unknown: too few I/Os were timed, or they waited for each other too much.
    Open,
    /// This block was not measured.
    NotMeasured,
}

/// The inputs for the rows of a direction.
pub(super) struct RowSources<'k> {
    pub points: &'k [&'k Point],
    pub knees: &'k [Knee],
    pub surface: &'k Surface<'k>,
}

/// Returns a row for each block of the map's cells.
pub(super) fn rows(run: &Run, asked: &MapRequest, known: &RowSources<'_>) -> Vec<Row> {
    let mut blocks: Vec<u64> = known.surface.cells(asked.block).iter().map(|cell| cell.block).collect();
    blocks.dedup();
    let measured: Vec<Row> = blocks.into_iter().map(|block| row(run, asked, (known, block))).collect();
    let from_longer = |(at, row): (usize, &Row)| from_longer(row, &measured[at + 1..], known);
    measured.iter().enumerate().map(from_longer).collect()
}

/// Takes over the depth of a larger block: a smaller block keeps the bound there too, because its I/Os take no longer.
fn from_longer(row: &Row, longer: &[Row], known: &RowSources<'_>) -> Row {
    let holds = |row: &Row| match row.bound {
        Some(BoundAnswer::Holds { depth, .. }) => Some(depth),
        _ => None,
    };
    let fails = match row.bound {
        Some(BoundAnswer::Nowhere { least }) => Some(least),
        Some(BoundAnswer::Open | BoundAnswer::NotMeasured) => None,
        Some(BoundAnswer::Holds { .. }) | None => return row.clone(),
    };
    let deepest = longer.iter().filter_map(holds).max();
    match deepest.filter(|depth| fails.is_none_or(|fails| *depth < fails)) {
        Some(depth) => Row {
            bound: Some(BoundAnswer::Holds { depth, fails }),
            cell: Some(known.surface.cell(row.block, depth)),
            ..row.clone()
        },
        None => row.clone(),
    }
}

fn row(run: &Run, asked: &MapRequest, (known, block): (&RowSources<'_>, u64)) -> Row {
    let bound = asked.p99.map(|p99| bound(run, p99, (known, block)));
    let cell = match bound {
        Some(BoundAnswer::Holds { depth, .. }) => Some(known.surface.cell(block, depth)),
        Some(_) => None,
        None => filling(known, block),
    };
    Row { block, asked: asked.block.is_some_and(|asked| asked.0 == block), cell, bound }
}

/// Returns the cell whose depth fills the cap of a block: by its own knee, or else the least such doubling by the
/// model.
fn filling(known: &RowSources<'_>, block: u64) -> Option<MapCell> {
    let own = known.knees.iter().find(|knee| knee.block == block);
    if let Some(ninety) = own.and_then(|knee| knee.ninety) {
        return Some(known.surface.cell(block, ninety.high as u32));
    }
    let deepest = known.points.iter().map(|point| point.depth).max()?;
    let cells: Vec<MapCell> =
        (0..=deepest.ilog2()).map(|power| known.surface.cell(block, 1 << power)).collect();
    let rate = |cell: &MapCell| cell.iops.map_or(0.0, |iops| iops.value);
    let most = cells.iter().map(rate).fold(0.0, f64::max);
    cells.into_iter().find(|cell| most > 0.0 && rate(cell) >= 0.9 * most && cell.basis == Basis::Predicted)
}

/// Returns whether the steps of a block keep a bound.
fn bound(run: &Run, p99: Nanos, (known, block): (&RowSources<'_>, u64)) -> BoundAnswer {
    let Some(direction) = known.points.first().map(|point| point.direction) else {
        return BoundAnswer::NotMeasured;
    };
    let mut seen: Vec<(u32, Holds)> = known
        .points
        .iter()
        .filter(|point| point.block == block)
        .filter_map(|point| {
            let step = run.steps.iter().find(|step| step.plan.name == point.step)?;
            Some((point.depth, holds(step, direction, p99)))
        })
        .collect();
    seen.sort_by_key(|(depth, _)| *depth);
    let Some(least) = seen.first().map(|(depth, _)| *depth) else { return BoundAnswer::NotMeasured };
    let kept = seen.iter().take_while(|(_, holds)| *holds != Holds::No);
    let deepest = kept.filter(|(_, holds)| *holds == Holds::Yes).last().map(|(depth, _)| *depth);
    let fails = seen.iter().find(|(_, holds)| *holds == Holds::No).map(|(depth, _)| *depth);
    match (deepest, fails) {
        (Some(depth), fails) => BoundAnswer::Holds { depth, fails },
        (None, Some(fails)) if fails == least => BoundAnswer::Nowhere { least },
        (None, _) => BoundAnswer::Open,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Yes,
    No,
    Open,
}

/// Returns whether a step keeps a bound, by the interval of the percentile.
fn holds(step: &StepRecord, direction: Direction, p99: Nanos) -> Holds {
    debug_assert!(step.plan.kind != StepKind::OpenLoad, "arrivals have no depth");
    let most = p99.0 as f64;
    let Some(told) = latency::percentile(step, direction, 99.0) else {
        // Too few I/Os for an interval; but if half of them exceeded the bound, it failed.
        return match point(step, direction) {
            Some(point) if point.latency_ns_p50 as f64 > most => Holds::No,
            _ => Holds::Open,
        };
    };
    match told.estimate {
        within if within.high <= most && !told.open => Holds::Yes,
        within if within.low > most => Holds::No,
        _ => Holds::Open,
    }
}
