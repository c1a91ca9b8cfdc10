//! Points and rows of a run, before anything is concluded from them.

use record::Run;
use statistics::level::Strays;
use workload::{Direction, StepKind};

use crate::cached::CachedReads;
use crate::level::{FittedLevel, SharedLevel, strays};
use crate::plateaus::{
    Cap, Plateau, base_latency_ns, best_known, bytes, is_full, largest, operations, operations_of_any_size,
};
use crate::points;
use crate::regimes::Regimes;
use crate::step_figures::{LatencyRow, Point};

/// Points and rows of a run.
pub(crate) struct Figures {
    pub latencies: Vec<LatencyRow>,
    /// Points of the last regime: those before a change say nothing about the time after it.
    pub depths: Vec<Point>,
    pub blocks: Vec<Point>,
    /// The rungs of all regimes, as they are shown.
    pub all: Ladders,
    pub jobs: Vec<Point>,
    /// Loads repeated between the rungs and after them, if nothing changed, and the full cells of a map.
    pub beside: Vec<Point>,
    /// Step names of the points in `beside` that are cells of a map.
    cells: Vec<String>,
    /// The regimes of the run: spans whose figures may be compared.
    pub regimes: Regimes,
    /// Caps of reads, then of writes; for each, on operations, then on bytes.
    caps: [[Option<Cap>; 2]; 2],
    /// The caps on operations as fitted to all counts: what this run got, with whatever held it up.
    delivered: [Option<Cap>; 2],
    /// Reads of which a cache answers a part.
    pub cached: Option<CachedReads>,
    /// Level of the largest block in bytes per second, of reads, then of writes.
    largest: [Option<FittedLevel>; 2],
}

/// Rungs of the two ladders.
pub(crate) struct Ladders {
    pub depths: Vec<Point>,
    pub blocks: Vec<Point>,
}

const WAYS: [Direction; 2] = [Direction::Read, Direction::Write];

impl Figures {
    /// Returns the cells of a map that surely kept a queue at the volume.
    pub fn full_cells(&self) -> impl Iterator<Item = &Point> {
        self.beside.iter().filter(|point| self.cells.contains(&point.step))
    }

    /// Returns the points of both ladders.
    pub fn ladders(&self) -> impl Iterator<Item = &Point> {
        self.depths.iter().chain(&self.blocks)
    }

    /// Returns the cap on operations, fitted to all loads that ran at it.
    pub fn iops_cap(&self, direction: Direction) -> Option<Cap> {
        self.caps[usize::from(direction == Direction::Write)][0]
    }

    /// Returns the operations per second that the loads at the cap got, whatever held them up.
    pub fn delivered_iops(&self, direction: Direction) -> Option<Cap> {
        self.delivered[usize::from(direction == Direction::Write)]
    }

    /// Returns the cap on bytes, fitted to all loads that ran at it.
    pub fn bandwidth_cap(&self, direction: Direction) -> Option<Cap> {
        self.caps[usize::from(direction == Direction::Write)][1]
    }

    /// Returns the bytes per second of the largest block, whatever limits it, from all loads that ran it.
    pub fn largest(&self, direction: Direction) -> Option<&FittedLevel> {
        self.largest[usize::from(direction == Direction::Write)].as_ref()
    }

    /// Whether the largest block since the last change is as large as any before it.
    pub fn has_largest(&self, direction: Direction) -> bool {
        let largest = |points: &[Point]| {
            points.iter().filter(|point| point.direction == direction).map(|point| point.block).max()
        };
        largest(&self.blocks) >= largest(&self.all.blocks)
    }
}

/// Makes the points and rows of a run. The deepest rung of the depth ladder's plateau is also the small end of the
/// block ladder.
pub(crate) fn figures(run: &Run) -> Figures {
    let regimes = Regimes::of(&run.steps);
    let latencies = points::latencies(run);
    let of = |kind| based(points::points(run, kind, &regimes), &latencies);
    let all = ladders(of(StepKind::DepthLadder), of(StepKind::BlockLadder));
    // A cap is fitted to the ladder and to other loads of its block size, between the rungs and after them; after a
    // change, the ladders contain these loads.
    let (Ladders { depths, blocks }, beside) = match regimes.changes.is_empty() {
        true => {
            let beside = [of(StepKind::Reference), of(StepKind::Again)].concat();
            (ladders(all.depths.clone(), of(StepKind::BlockLadder)), beside)
        }
        false => (lasting(run, &regimes, &of), Vec::new()),
    };
    // Cells of a map that kept a queue are at the level, as rungs are, and have block sizes that no rung had.
    let full = if regimes.changes.is_empty() { full_cells(of(StepKind::Cell)) } else { Vec::new() };
    let beside: Vec<Point> = [beside, full.clone()].concat();
    let (small, large) = (with(&depths, &beside), with_all(with(&blocks, &beside), &full));
    let plateaus = WAYS.map(|direction| {
        let base = base_latency_ns(&latencies, &depths, direction);
        [operations(&small, direction), bytes(&large, &small, direction, base)]
    });
    let strays = volume(&plateaus);
    let straying = |points: Vec<Point>| points::straying(points, &strays);
    let delivered = plateaus.each_ref().map(|[operations, _]| operations.as_ref()?.cap(&strays));
    let of_any_size = WAYS.map(|direction| operations_of_any_size(&large, &small, direction));
    let exact = |plateau: &Plateau, wider: Option<&Plateau>| {
        let exact = plateau.exact(run).or_else(|| wider?.exact(run));
        tighter(exact, plateau.cap(&strays))
    };
    Figures {
        depths: straying(depths),
        blocks: straying(blocks),
        all: Ladders { depths: straying(all.depths), blocks: straying(all.blocks) },
        jobs: straying(points::points(run, StepKind::Job, &regimes)),
        beside: straying(beside),
        cells: full.into_iter().map(|cell| cell.step).collect(),
        caps: std::array::from_fn(|way| {
            let [operations, bytes] = plateaus[way].each_ref().map(Option::as_ref);
            let operations = operations.and_then(|one| exact(one, of_any_size[way].as_ref()));
            [operations, bytes.and_then(|one| exact(one, None))]
        }),
        delivered,
        cached: CachedReads::of(run, &small, &strays),
        largest: WAYS.map(|direction| largest(&large, direction)?.shared.level(&strays)),
        latencies,
        regimes,
    }
}

/// How many times narrower the interval of a fitted level must be to be preferred: only without waits it is.
const CALM: f64 = 2.0;

/// Returns the exact level if there is one, or the fitted one where that agrees and is far narrower.
fn tighter(exact: Option<Cap>, fitted: Option<Cap>) -> Option<Cap> {
    let (Some(exact), Some(fitted)) = (exact, fitted) else { return exact.or(fitted) };
    let agrees = (exact.level.low..=exact.level.high).contains(&fitted.level.value);
    let is_narrower = CALM * fitted.level.half_width() < exact.level.half_width();
    if agrees && is_narrower && !fitted.at_least {
        Some(Cap { exact: true, throughout: exact.throughout, ..fitted })
    } else {
        Some(exact)
    }
}

/// Returns the noise of the volume, from its levels; nothing if no level was measured a second time.
fn volume(plateaus: &[[Option<Plateau>; 2]; 2]) -> Strays {
    let levels: Vec<&SharedLevel> =
        plateaus.iter().flatten().flatten().map(|plateau| &plateau.shared).collect();
    if levels.iter().any(|shared| shared.moments() > 1) { strays(&levels) } else { Strays::default() }
}

/// Returns `points` with the latency of one I/O at a time in their direction.
fn based(mut points: Vec<Point>, latencies: &[LatencyRow]) -> Vec<Point> {
    for point in &mut points {
        let rows = latencies.iter().filter(|row| row.direction == point.direction);
        point.seen.base_ns = rows.map(|row| row.mean_ns).reduce(f64::min);
    }
    points
}

/// Returns `ladder` and the points of `beside` that ran one of its block sizes in its direction.
fn with(ladder: &[Point], beside: &[Point]) -> Vec<Point> {
    let alike = |point: &&Point| {
        ladder.iter().any(|rung| rung.direction == point.direction && rung.block == point.block)
    };
    ladder.iter().chain(beside.iter().filter(alike)).cloned().collect()
}

/// Returns `large` with the points of `cells` whose block size no rung of their direction had.
fn with_all(large: Vec<Point>, cells: &[Point]) -> Vec<Point> {
    let is_new = |cell: &&Point| {
        let mut of_way = large.iter().filter(|point| point.direction == cell.direction).peekable();
        of_way.peek().is_some() && of_way.all(|point| point.block != cell.block)
    };
    let new: Vec<Point> = cells.iter().filter(is_new).cloned().collect();
    [large, new].concat()
}

/// Returns the points of `cells` that surely kept a queue at the volume.
fn full_cells(cells: Vec<Point>) -> Vec<Point> {
    cells.into_iter().filter(is_full).collect()
}

fn ladders(depths: Vec<Point>, mut blocks: Vec<Point>) -> Ladders {
    let depths = sorted(depths, |point| u64::from(point.depth));
    for direction in WAYS {
        let laddered = blocks.iter().any(|point| point.direction == direction);
        blocks.extend(best_known(&depths, direction).filter(|_| laddered).cloned());
    }
    assert!(depths.is_sorted_by_key(|point| (point.direction, point.depth)), "rungs rise in each direction");
    Ladders { depths, blocks: sorted(blocks, |point| point.block) }
}

/// Returns the points since the last change: rungs and repeated loads. Of the repeated loads, those of the smallest
/// block of a direction count as rungs of depth, all others as rungs of block size.
fn lasting(run: &Run, regimes: &Regimes, of: &dyn Fn(StepKind) -> Vec<Point>) -> Ladders {
    let since = |kind: StepKind| of(kind).into_iter().filter(|point| lies(run, regimes, point));
    let smallest = |direction: Direction| {
        let rungs = of(StepKind::DepthLadder).into_iter();
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
