//! The limits of a side, as the analysis of its own runs states them: the most operations and bytes per second, and the
//! latency without load. Checks of two volumes choose their depths by what they find, so their limits can be compared
//! where their rungs cannot.

use record::Run;
use workload::{Direction, StepKind};

use super::items::{Item, Source, ends};
use super::side::Side;
use super::work::Work;
use crate::cells::cell;
use crate::estimate::Estimate;
use crate::figures::{Figures, figures};
use crate::latency::mean;
use crate::step_figures::{LatencyRole, LatencyRow};

/// Whether a run went up ladders.
pub(super) fn has_ladders(run: &Run) -> bool {
    run.steps.iter().any(|step| step.plan.kind == StepKind::DepthLadder)
}

/// Returns the limits of all runs of a side that went up ladders: operations, bytes, latency, by direction.
pub(super) fn limits(side: &Side) -> Vec<Item> {
    let of_run = |(number, run): (usize, &Run)| {
        let figures = figures(run);
        let ways = [Direction::Read, Direction::Write];
        let rates = ways.map(|way| [operations(&figures, way), bytes(&figures, way)]);
        let latencies = ways.map(|way| latency(run, &figures.latencies, way));
        let all = rates.into_iter().flatten().chain(latencies).flatten();
        all.enumerate()
            .map(move |(group, item)| Item { source: Source { run: number, group, block: 0 }, ..item })
    };
    side.runs.iter().enumerate().filter(|(_, run)| has_ladders(run)).flat_map(of_run).collect()
}

/// Returns an item of random I/O of `block` bytes, at as much depth as it takes.
fn at_limit(direction: Direction, block: u64) -> Item {
    Item::of(Work {
        direction: Some(direction),
        sequential: Some(false),
        read_percent: Some(if direction == Direction::Read { 100 } else { 0 }),
        block: Some(block),
        depth: None,
        flush_every: Some(0),
        offered: Some(0),
        spaced: false,
    })
}

fn operations(figures: &Figures, direction: Direction) -> Option<Item> {
    let rung = figures.depths.iter().find(|point| point.direction == direction)?;
    let cap = figures.iops_cap(direction)?;
    let level = in_this_run(cap.level, cap.in_span, cap.wanders);
    let rate_ends = ends(level, level.value).filter(|_| stayed(figures));
    Some(Item { iops: Some(level.value), rate_ends, ..at_limit(direction, rung.block) })
}

fn bytes(figures: &Figures, direction: Direction) -> Option<Item> {
    let ladder = figures.blocks.iter().filter(|point| point.direction == direction);
    let block = ladder.map(|point| point.block).max()?;
    let cap = figures.bandwidth_cap(direction).filter(|cap| !cap.at_least);
    let level = match cap {
        Some(cap) => in_this_run(cap.level, cap.in_span, cap.wanders),
        None => {
            let largest = figures.largest(direction)?;
            in_this_run(largest.estimate, largest.in_span, largest.wanders)
        }
    };
    let rate_ends = ends(level, level.value).filter(|_| stayed(figures));
    Some(Item { bytes_per_second: Some(level.value), rate_ends, ..at_limit(direction, block) })
}

/// Whether no other level of the run may return: otherwise the hour at which a load ran decides its rate, and one run says
/// little of the volume.
fn stayed(figures: &Figures) -> bool {
    figures.regimes.course.spread().is_none()
}

/// Returns the level with the interval of its mean over this run: how another hour of the volume may differ, a comparison of
/// single runs says beside the figure. A level that wanders has no such interval.
fn in_this_run(level: Estimate, in_span: Estimate, wanders: bool) -> Estimate {
    if wanders { level } else { in_span }
}

/// Returns the latency of one I/O at a time, of the spaced step if there is one.
fn latency(run: &Run, rows: &[LatencyRow], direction: Direction) -> Option<Item> {
    let own = || rows.iter().filter(|row| row.direction == direction);
    let row = own().find(|row| row.role == LatencyRole::Spaced).or_else(|| own().next())?;
    let step = run.steps.iter().find(|step| step.plan.name == row.step)?;
    let block = cell(step)?.directions.iter().find(|point| point.direction == direction)?.block;
    let latency_ends = mean(step, direction).and_then(|mean| ends(mean.estimate, 1.0));
    let item = at_limit(direction, block);
    let work = Work { depth: Some(1), ..item.work };
    Some(Item { work, latency_ns: Some(row.mean_ns), latency_ends, ..item })
}
