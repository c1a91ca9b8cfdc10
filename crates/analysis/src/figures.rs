//! Points and rows of a run, before anything is concluded from them.

use record::Run;
use workload::{Direction, StepKind};

use crate::plateaus::{best_known, iops_cap};
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
}

impl Figures {
    /// Points of both ladders.
    pub fn ladders(&self) -> impl Iterator<Item = &Point> {
        self.depths.iter().chain(&self.blocks)
    }
}

/// The depth ladder also gives the small end of the block ladder: the rung of its plateau that is known best.
pub(crate) fn figures(run: &Run) -> Figures {
    let depths = sorted(points::points(run, StepKind::DepthLadder), |point| u64::from(point.depth));
    let mut blocks = points::points(run, StepKind::BlockLadder);
    for direction in [Direction::Read, Direction::Write] {
        let laddered = blocks.iter().any(|point| point.direction == direction);
        blocks.extend(best_known(&depths, direction).filter(|_| laddered).cloned());
    }
    assert!(depths.is_sorted_by_key(|point| (point.direction, point.depth)), "rungs rise in each direction");
    Figures {
        latencies: points::latencies(run),
        fallen: points::points(run, StepKind::Again).into_iter().find(|point| fell(point, &depths)),
        depths,
        blocks: sorted(blocks, |point| point.block),
        jobs: points::points(run, StepKind::Job),
        regimes: Regimes::of(&run.steps),
    }
}

fn fell(again: &Point, depths: &[Point]) -> bool {
    iops_cap(depths, again.direction).is_some_and(|cap| {
        again.iops.high < cap.level.low && again.iops.value < (1.0 - FALL) * cap.level.value
    })
}

fn sorted(mut points: Vec<Point>, key: fn(&Point) -> u64) -> Vec<Point> {
    points.sort_by_key(|point| (point.direction, key(point)));
    points
}
