//! A map of a volume: the rate of each block size at each depth, measured or predicted from measured ones.
//!
//! Caps, unit, budgets and the crossover are the findings of the run. Added here: how sharp the corners are, the depth
//! that fills each block, the cells between measured ones with an interval, sequential against random, and the
//! requested row.

mod caps;
mod corner;
pub mod cost;
mod disturbed;
mod knees;
mod loads;
mod rows;
pub(crate) mod settle;
mod surface;
mod unit;
mod way;

use record::Run;
use serde::{Deserialize, Serialize};
use workload::{Bytes, Direction, MapRequest, Nanos};

use crate::causes::cause::LevelUnit;
use crate::figures::Figures;
use crate::findings::Finding;
use crate::headroom::Headroom;
use crate::step_figures::Point;

pub use caps::{CapOfMap, Crossing, HeldBy};
pub use corner::Corner;
pub use cost::Cost;
pub use disturbed::DisturbedLoad;
pub use knees::Knee;
pub use loads::{Mixture, OrderComparison, Sharing};
pub use rows::{BoundAnswer, Row};
pub use surface::{Basis, MapCell};
pub use unit::UnitOfMap;

use way::Way;

/// The answer of `plimsoll map`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapAnswer {
    /// The requested block size.
    pub block: Option<Bytes>,
    /// Requested bound on the 99th percentile of latency, nanoseconds.
    pub p99: Option<Nanos>,
    /// Reads, then writes, if they were measured.
    pub directions: Vec<DirectionMap>,
    /// Reads and writes at once.
    pub mixtures: Vec<Mixture>,
    /// Whether reads and writes share one budget, of operations and of bytes.
    pub sharing: Vec<Sharing>,
    /// Sequential blocks compared with the same blocks at random places.
    pub ordered: Vec<OrderComparison>,
    /// Cost of the map, compared with the whole grid; `None` before the first cell.
    pub cost: Option<Cost>,
}

/// One direction of a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectionMap {
    /// Direction.
    pub direction: Direction,
    /// The greatest rate of small I/Os; `None` if no ladder was climbed.
    pub operations: Option<CapOfMap>,
    /// The greatest rate in bytes per second; `None` if operations limit every block tried.
    pub bytes: Option<CapOfMap>,
    /// The unit in which operations are charged, if a load showed it.
    pub unit: Option<UnitOfMap>,
    /// The smallest block that bytes limit and not operations; `None` if not known.
    pub crossover: Option<Crossing>,
    /// Sharpness of the corner at which operations give way to bytes.
    pub corner: Corner,
    /// Sharpness of the corner at which latency gives way to the cap, from the ladder of depths.
    pub bend: Corner,
    /// The depths that fill the caps, blocks rising.
    pub knees: Vec<Knee>,
    /// The greatest rate of randomly arriving small I/Os at which the bound holds, N_slo (method 4.1); `None`
    /// without a bound.
    pub slo: Option<Headroom>,
    /// Cells, blocks rising, and depths rising in each block.
    pub cells: Vec<MapCell>,
    /// Recommended loads: a row for each block.
    pub rows: Vec<Row>,
    /// Loads that had less than the others at their level, and are left out of all other figures here.
    pub disturbed: Vec<DisturbedLoad>,
}

/// Returns the answer of `run` to the request.
pub(crate) fn answer(
    run: &Run,
    asked: &MapRequest,
    (figures, findings): (&Figures, &[Finding]),
) -> MapAnswer {
    let loads = loads::Loads::of(run, figures);
    let of_way = |direction| direction_map(run, asked, &Way { direction, figures, findings, loads: &loads });
    MapAnswer {
        block: asked.block,
        p99: asked.p99,
        directions: [Direction::Read, Direction::Write].into_iter().filter_map(of_way).collect(),
        mixtures: loads.mixtures(),
        sharing: [LevelUnit::Operations, LevelUnit::Bytes]
            .into_iter()
            .filter_map(|counted| Sharing::of(findings, counted))
            .collect(),
        ordered: loads.ordered(),
        cost: cost::cost(run, &loads),
    }
}

impl Way<'_> {
    /// Returns the random points that kept their depth, in the last regime, by block and then depth; of two, the more
    /// precise.
    fn points(&self, disturbed: &[DisturbedLoad]) -> Vec<&Point> {
        let is_own = |point: &&Point| {
            point.direction == self.direction && !disturbed.iter().any(|off| off.step == point.step)
        };
        let mut points: Vec<&Point> = self.loads.random.iter().filter(is_own).collect();
        points.sort_by_key(|point| (point.block, point.depth));
        let same = |a: &&Point, b: &&Point| (a.block, a.depth) == (b.block, b.depth);
        points.chunk_by(same).filter_map(best_known).collect()
    }
}

/// Returns the most precise of several points of one cell, or one surely above it: a disturbance only lowers a load.
fn best_known<'p>(looks: &[&'p Point]) -> Option<&'p Point> {
    let width = |point: &Point| point.iops.half_width() / point.iops.value;
    let known = looks.iter().copied().min_by(|a, b| width(a).total_cmp(&width(b)))?;
    let more = looks.iter().copied().filter(|look| look.iops.low > known.iops.high);
    Some(more.max_by(|a, b| a.iops.value.total_cmp(&b.iops.value)).unwrap_or(known))
}

fn direction_map(run: &Run, asked: &MapRequest, way: &Way<'_>) -> Option<DirectionMap> {
    let levels = disturbed::of_levels(run, way);
    let disturbed = disturbed::names(&levels);
    let points = way.points(&disturbed);
    if points.is_empty() {
        return None;
    }
    let (operations, bytes, unit) =
        (caps::operations(way, &levels[0]), caps::bytes(way, &levels[1]), unit::unit(way));
    let caps = caps::Caps { operations: operations.as_ref(), bytes: bytes.as_ref(), unit: unit.as_ref() };
    let crossover = caps::crossover(way, caps, &points);
    let corner =
        crossover.map_or(Corner::NotMeasured, |crossing| corner::of_blocks(&points, way, crossing.at));
    let bend = corner::of_depths(way);
    let knees = knees::knees(&points, way);
    let surface = surface::Surface {
        points: &points,
        caps,
        crossover: crossover.map(|crossing| crossing.at),
        corner,
        bend,
    };
    let cells = surface.cells(asked.block);
    let rows =
        rows::rows(run, asked, &rows::RowSources { points: &points, knees: &knees, surface: &surface });
    let slo = crate::headroom::claimed::of_bound(run, &way.figures.regimes, (way.direction, asked.p99));
    Some(DirectionMap {
        direction: way.direction,
        operations,
        bytes,
        unit,
        crossover,
        corner,
        bend,
        knees,
        slo,
        cells,
        rows,
        disturbed,
    })
}
