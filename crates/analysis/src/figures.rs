//! Points and rows of a run, before anything is concluded from them.

use record::Run;
use statistics::level::{Between, Level};
use workload::{Direction, StepKind};

use crate::level::shared;
use crate::plateaus::{Cap, bandwidth_cap, base_latency_ns, best_known, iops_cap};
use crate::{LatencyRow, Point, Regimes, points};

/// A fall of less than this share may be the volume's restlessness; the smallest published burst is a ninth above its baseline.
const FALL: f64 = 0.08;

/// Points and rows of a run.
pub(crate) struct Figures {
    pub latencies: Vec<LatencyRow>,
    pub depths: Vec<Point>,
    pub blocks: Vec<Point>,
    pub jobs: Vec<Point>,
    /// How the run falls into spans that may be compared.
    #[allow(dead_code, reason = "read by the parts that follow")]
    pub regimes: Regimes,
    /// The rung that ran once more at the end, where its rate had fallen well below the plateau of the beginning.
    pub fallen: Option<Point>,
    /// Caps of reads, then of writes: of operations, then of bytes.
    caps: [[Option<Cap>; 2]; 2],
}

const WAYS: [Direction; 2] = [Direction::Read, Direction::Write];

impl Figures {
    /// Points of both ladders.
    pub fn ladders(&self) -> impl Iterator<Item = &Point> {
        self.depths.iter().chain(&self.blocks)
    }

    /// The cap on operations, fitted to all that ran at it.
    pub fn iops_cap(&self, direction: Direction) -> Option<Cap> {
        self.caps[usize::from(direction == Direction::Write)][0]
    }

    /// The cap on bytes, likewise.
    pub fn bandwidth_cap(&self, direction: Direction) -> Option<Cap> {
        self.caps[usize::from(direction == Direction::Write)][1]
    }
}

/// The depth ladder also gives the small end of the block ladder: the deepest rung of its plateau.
pub(crate) fn figures(run: &Run) -> Figures {
    let regimes = Regimes::of(&run.steps);
    let latencies = points::latencies(run);
    let between = between(&points::points(run, StepKind::Reference, &regimes));
    let of = |kind| based(points::straying(points::points(run, kind, &regimes), &between), &latencies);
    let depths = sorted(of(StepKind::DepthLadder), |point| u64::from(point.depth));
    let mut blocks = of(StepKind::BlockLadder);
    for direction in WAYS {
        let laddered = blocks.iter().any(|point| point.direction == direction);
        blocks.extend(best_known(&depths, direction).filter(|_| laddered).cloned());
    }
    let blocks = sorted(blocks, |point| point.block);
    let again = of(StepKind::Again);
    let beside: Vec<Point> = [of(StepKind::Reference), again.clone()].concat();
    // A cap is fitted to the ladder and to what else ran its block, between the rungs and after them.
    let small = with(&depths, &beside);
    let large = with(&blocks, &beside);
    assert!(depths.is_sorted_by_key(|point| (point.direction, point.depth)), "rungs rise in each direction");
    let caps = WAYS.map(|direction| {
        let base = base_latency_ns(&latencies, &depths, direction);
        [iops_cap(&small, direction), bandwidth_cap(&large, &small, direction, base)]
    });
    Figures {
        fallen: again.into_iter().find(|point| fell(point, &depths)),
        jobs: points::straying(points::points(run, StepKind::Job, &regimes), &between),
        latencies,
        depths,
        blocks,
        regimes,
        caps,
    }
}

/// What the references say of how levels stray between moments: those of a direction and block together are one level.
fn between(references: &[Point]) -> Between {
    let mut kinds: Vec<(Direction, u64)> =
        references.iter().map(|point| (point.direction, point.block)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let level = |(direction, block): &(Direction, u64)| -> Option<Level> {
        let alike = references.iter().filter(|point| point.direction == *direction && point.block == *block);
        let last = alike.clone().filter_map(|point| point.seen.regime).max();
        let alike: Vec<&Point> = alike.filter(|point| point.seen.regime == last).collect();
        shared(&alike, |_| 1.0)
    };
    Between::of(&kinds.iter().filter_map(level).collect::<Vec<_>>())
}

/// `points` that know the latency of one I/O at a time in their direction.
fn based(mut points: Vec<Point>, latencies: &[LatencyRow]) -> Vec<Point> {
    for point in &mut points {
        let rows = latencies.iter().filter(|row| row.direction == point.direction);
        point.seen.base_ns = rows.map(|row| row.mean_ns).reduce(f64::min);
    }
    points
}

/// `ladder` and those of `beside` that ran a block of it in its direction.
fn with(ladder: &[Point], beside: &[Point]) -> Vec<Point> {
    let alike = |point: &&Point| {
        ladder.iter().any(|rung| rung.direction == point.direction && rung.block == point.block)
    };
    ladder.iter().chain(beside.iter().filter(alike)).cloned().collect()
}

fn fell(again: &Point, depths: &[Point]) -> bool {
    // A look at another block than that of the ladder says nothing of its plateau.
    let of_ladder =
        depths.iter().any(|point| (point.direction, point.block) == (again.direction, again.block));
    of_ladder
        && iops_cap(depths, again.direction).is_some_and(|cap| {
            again.iops.high < cap.level.low && again.iops.value < (1.0 - FALL) * cap.level.value
        })
}

fn sorted(mut points: Vec<Point>, key: fn(&Point) -> u64) -> Vec<Point> {
    points.sort_by_key(|point| (point.direction, key(point)));
    points
}
