//! The procedure of `map`: the steps of a check, and then block sizes at depths near the corners.
//!
//! Caps, unit and budgets come from the ladders and probes of a check. A map adds cells: each block at depth 1, which
//! gives the depth that fills its cap (method 4.1), then depths on both sides of that depth, and blocks on both sides
//! of the size at which the limit changes from operations to bytes. With `--full`, the cells are the whole grid.

mod cells;
mod grid;
mod knees;

use record::StepRecord;
use workload::{Bytes, MapRequest, Nanos};

use crate::check::draft::{Draft, OmissionReason};
use crate::check::known::CheckState;
use crate::check::{
    Forecast, GroupForecast, climbed, ladders, left_out_of, next_of, open_load, outlined, probed, probes,
};
use crate::step::{Layout, Step};
use crate::{CheckAsk, Effort, Span};

/// Request for a map, fitted to the target.
#[derive(Clone, Debug)]
pub struct MapAsk {
    /// Limits, precision and length of the steps; the claim in it is the bound in [`MapAsk::p99`].
    pub check: CheckAsk,
    /// Which cells are measured.
    pub cells: Cells,
    /// Block size for a closer look at its row, if requested.
    pub block: Option<Bytes>,
    /// Bound on the 99th percentile of the latency.
    pub p99: Option<Nanos>,
}

/// Which cells are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Cells near a corner.
    Corners,
    /// Every block at every depth in every mix.
    Grid,
}

/// Cells for a closer look at a block, in both directions.
const CLOSER: u64 = 8;
/// Cells for a closer look with a latency bound, in both directions.
const CLOSER_BOUND: u64 = 28;

impl MapAsk {
    /// Effort of a map: a rung ends slightly earlier than in a check and references are fewer, because each level is also
    /// fitted to the cells, which run between them; a cell is a look of 1.8 s.
    pub const EFFORT: Effort = Effort {
        rung: Span { least: Nanos::from_millis(2_500), most: Nanos::from_millis(3_500), half_width: 0.005 },
        again: Span { least: Nanos::from_millis(2_500), most: Nanos::from_secs(6), half_width: 0.01 },
        references: 2,
        total: Nanos::from_secs(168),
        ..Effort::QUICK
    };

    /// Default for the maximum number of bytes that a map writes besides the layout: twice the region, and at least
    /// 8 GiB, which its large blocks write in 1.5 s each at a few hundred MiB per second.
    pub fn modest(layout: Layout, region: Bytes) -> Bytes {
        let twice = Bytes(2 * CheckAsk::modest(Layout::None, region).0).max(Bytes::gib(8));
        Bytes(layout.bytes().0 + twice.0)
    }

    /// Time that a closer look at a block or for a latency bound takes beside the rest.
    pub fn closer_time(effort: &Effort, looks: &MapRequest) -> Nanos {
        let each = effort.look + effort.glance + effort.glance;
        let cells = if looks.p99.is_some() { CLOSER_BOUND } else { CLOSER };
        if looks.p99.is_none() && looks.block.is_none() { Nanos::ZERO } else { each * cells }
    }

    /// Most time that the cells of the whole grid take beside the rest.
    pub fn grid_time(effort: &Effort) -> Nanos {
        let each = effort.look + effort.glance + effort.glance;
        each * grid::CELLS_MOST as u64
    }
}

/// The next step of a map; `None` when the map is done. Pure: the same records give the same step.
pub fn next_map_step(ask: &MapAsk, done: &[StepRecord]) -> Option<Step> {
    next_of(&ask.check, done, &|known| chain(ask, known))
}

/// Cells and other steps that were wanted but did not run, with the reason.
pub fn map_left_out(ask: &MapAsk, done: &[StepRecord]) -> Vec<(String, OmissionReason)> {
    left_out_of(&ask.check, done, &|known| chain(ask, known))
}

/// All steps in order, as far as they are known, without references and repeated looks.
fn chain(ask: &MapAsk, known: &CheckState<'_>) -> Vec<Draft> {
    let latency =
        ladders::latency(known).into_iter().filter(|draft| draft.job.flush == workload::Flush::Never);
    let parts = [
        probes::touches(known),
        latency.collect(),
        climbed(known),
        probed(known),
        probes::tiny(known),
        probes::sequential(known),
        cells::crossing(known),
        knees::all(ask, known),
        open_load::headroom(known),
        grid::cells(ask, known),
        cells::again(known),
    ];
    parts.into_iter().flatten().collect()
}

/// Forecasts a map with `ask`, group by group in the order in which they begin.
pub fn map_foreseen(ask: &MapAsk, layout_bytes_per_second: f64) -> Vec<GroupForecast> {
    forecast(ask, layout_bytes_per_second, &|forecast| forecast.groups())
}

/// Usual seconds of a map with `ask`, including the layout.
pub fn map_seconds_usual(ask: &MapAsk, layout_bytes_per_second: f64) -> f64 {
    let all: f64 = map_foreseen(ask, layout_bytes_per_second).iter().map(|group| group.seconds).sum();
    all.min(map_seconds_most(ask))
}

/// Longest seconds of a map.
pub fn map_seconds_most(ask: &MapAsk) -> f64 {
    ask.check.effort.total.as_secs_f64()
}

/// Usual seconds that remain after the steps in `done`.
pub fn map_seconds_left(ask: &MapAsk, done: &[StepRecord]) -> f64 {
    forecast(ask, crate::LAYOUT_GUESS, &|forecast| forecast.seconds_left(done))
}

/// The steps of a map in words, with the bytes they may write, for a user who wants to see them before the run.
pub fn map_outline(ask: &MapAsk, layout_bytes_per_second: f64) -> String {
    outlined(&ask.check, &map_foreseen(ask, layout_bytes_per_second))
}

/// The chain with the usual steps that are not known yet, each step once.
fn foreseen(ask: &MapAsk, known: &CheckState<'_>) -> Vec<Draft> {
    let mut all = chain(ask, known);
    if known.done.is_empty() {
        for draft in knees::usual(ask, known) {
            if all.iter().all(|other| other.name != draft.name) {
                all.push(draft);
            }
        }
    }
    let mut names = Vec::new();
    all.retain(|draft| {
        !names.contains(&draft.name) && {
            names.push(draft.name.clone());
            true
        }
    });
    all
}

fn forecast<T>(ask: &MapAsk, layout_bytes_per_second: f64, of: &dyn Fn(Forecast<'_>) -> T) -> T {
    let chain = |known: &CheckState<'_>| foreseen(ask, known);
    of(Forecast { ask: &ask.check, chain: &chain, layout_bytes_per_second })
}
