//! Points and rows of a run, before anything is concluded from them.

use record::Run;
use workload::{Direction, StepKind};

use crate::plateaus::best_known;
use crate::{LatencyRow, Point, Regimes, points};

/// Points and rows of a run.
pub(crate) struct Figures {
    pub latencies: Vec<LatencyRow>,
    /// Points of the last regime: those before a change say nothing about after it.
    pub depths: Vec<Point>,
    pub blocks: Vec<Point>,
    /// The rungs of all regimes, as they are shown.
    pub all: Ladders,
    pub jobs: Vec<Point>,
    /// How the run falls into spans that may be compared.
    pub regimes: Regimes,
}

/// Rungs of the two ladders.
pub(crate) struct Ladders {
    pub depths: Vec<Point>,
    pub blocks: Vec<Point>,
}

impl Figures {
    /// Points of both ladders.
    pub fn ladders(&self) -> impl Iterator<Item = &Point> {
        self.depths.iter().chain(&self.blocks)
    }

    /// Whether no larger block was measured before the last change than since.
    pub fn has_largest(&self, direction: Direction) -> bool {
        let largest = |points: &[Point]| {
            points.iter().filter(|point| point.direction == direction).map(|point| point.block).max()
        };
        largest(&self.blocks) >= largest(&self.all.blocks)
    }
}

/// The depth ladder also gives the small end of the block ladder: the rung of its plateau that is known best.
pub(crate) fn figures(run: &Run) -> Figures {
    let regimes = Regimes::of(&run.steps);
    let all = ladders(points::points(run, StepKind::DepthLadder), points::points(run, StepKind::BlockLadder));
    let Ladders { depths, blocks } = match regimes.changes.is_empty() {
        true => ladders(all.depths.clone(), points::points(run, StepKind::BlockLadder)),
        false => lasting(run, &regimes),
    };
    let jobs = points::points(run, StepKind::Job);
    Figures { latencies: points::latencies(run), depths, blocks, all, jobs, regimes }
}

fn ladders(depths: Vec<Point>, mut blocks: Vec<Point>) -> Ladders {
    let depths = sorted(depths, |point| u64::from(point.depth));
    for direction in [Direction::Read, Direction::Write] {
        let laddered = blocks.iter().any(|point| point.direction == direction);
        blocks.extend(best_known(&depths, direction).filter(|_| laddered).cloned());
    }
    assert!(depths.is_sorted_by_key(|point| (point.direction, point.depth)), "rungs rise in each direction");
    Ladders { depths, blocks: sorted(blocks, |point| point.block) }
}

/// The points since the last change: rungs, and the loads that came again and again, of which the smallest block of a
/// direction is as a rung of depth and all others are as rungs of block.
fn lasting(run: &Run, regimes: &Regimes) -> Ladders {
    let since =
        |kind: StepKind| points::points(run, kind).into_iter().filter(|point| lies(run, regimes, point));
    let smallest = |direction: Direction| {
        let rungs = points::points(run, StepKind::DepthLadder).into_iter();
        rungs.filter(|point| point.direction == direction).map(|point| point.block).min()
    };
    let recurring = since(StepKind::Reference).chain(since(StepKind::Again));
    let (small, large): (Vec<Point>, Vec<Point>) =
        recurring.partition(|point| smallest(point.direction).is_none_or(|least| point.block <= least));
    ladders(
        since(StepKind::DepthLadder).chain(small).collect(),
        since(StepKind::BlockLadder).chain(large).collect(),
    )
}

/// Whether the step of a point lies after the last change.
fn lies(run: &Run, regimes: &Regimes, point: &Point) -> bool {
    let step = run.steps.iter().find(|step| step.plan.name == point.step);
    step.is_some_and(|step| regimes.of_span(step.counted_from, step.ended) == Some(regimes.last()))
}

fn sorted(mut points: Vec<Point>, key: fn(&Point) -> u64) -> Vec<Point> {
    points.sort_by_key(|point| (point.direction, key(point)));
    points
}
