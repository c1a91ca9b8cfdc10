//! The steps of a drain as stretches of equal cells: the amount served in each, and where the rate fell.

use policy::Resource;
use record::{Interval, Note, StepRecord};
use statistics::fall::{Falling, Rule};
use workload::{Direction, Mix, Pace, StepKind, StopRule};

use super::answer::Asking;

/// Seconds between two loads up to which they count as one drain.
const TOGETHER_S: f64 = 2.0;
/// Seconds of load that a killed run may not have stored, besides the open interval: the run is stored once a second.
const UNSTORED_S: f64 = 1.1;
/// Least share of the planned length for a cell to be whole.
const WHOLE: f64 = 0.9;

/// The amount served in an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Start, in seconds on the run's clock.
    pub from: f64,
    /// Length, seconds.
    pub length: f64,
    /// Operations or bytes.
    pub amount: f64,
}

impl Cell {
    pub fn rate(&self) -> f64 {
        self.amount / self.length
    }

    pub fn to(&self) -> f64 {
        self.from + self.length
    }
}

/// A step that spends credits.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    pub from: f64,
    pub to: f64,
    /// Seconds without load before it, at most; `None` for the first load of the run.
    pub rested: Option<f64>,
    /// Seconds at the beginning of that rest in which the load before it may have gone on unrecorded, because the
    /// run was killed.
    pub unseen: f64,
    /// Whether the load before it laid data out, which spent an unknown amount.
    pub laid_out: bool,
    pub asking: Asking,
    /// Whether the step only observes the rate, without waiting for a fall.
    pub looks: bool,
    /// Cells in the order of time, without a gap.
    pub cells: Vec<Cell>,
    /// Number of whole cells at the beginning.
    pub whole: usize,
    /// The cell of the fall, with the rates and the number of cells at the end that are at the rate that is left.
    pub fall: Option<FallPoint>,
}

/// A fall.
#[derive(Clone, Copy, Debug)]
pub(super) struct FallPoint {
    pub at: usize,
    pub before: f64,
    pub after: f64,
    pub left: usize,
}

impl Stretch {
    /// Whether this stretch continues the load before it.
    pub fn goes_on(&self) -> bool {
        self.rested.is_some_and(|rested| rested < TOGETHER_S) && !self.laid_out
    }

    /// Returns the whole cells.
    pub fn level(&self) -> &[Cell] {
        &self.cells[..self.whole]
    }

    /// Returns the cells after the fall, at the rate that is left.
    pub fn left(&self) -> &[Cell] {
        let left = self.fall.map_or(0, |fall| fall.left);
        &self.level()[self.whole.saturating_sub(left)..]
    }
}

/// Returns the steps that spend `resource` with blocks of `block` bytes, read and written in the ratio of `mix`.
pub(super) fn stretches(steps: &[StepRecord], (resource, block): (Resource, u64), mix: Mix) -> Vec<Stretch> {
    let mut all = Vec::new();
    let mut loaded: Option<&StepRecord> = None;
    for step in steps.iter().filter(|step| !step.plan.workers.is_empty()) {
        let rest = loaded.map(|loaded| Rest::between(loaded, step));
        loaded = Some(step);
        let of_mix = step.plan.workers.iter().all(|worker| worker.access.mix == mix);
        if step.plan.kind == StepKind::Drain && of_mix && block_of(step) == Some(block) {
            all.push(stretch(step, resource, rest));
        }
    }
    all
}

/// The time between two loads.
struct Rest {
    /// Seconds between the loads.
    most: f64,
    /// Seconds at the beginning of the rest that may have been load.
    unseen: f64,
    laid_out: bool,
}

impl Rest {
    fn between(loaded: &StepRecord, next: &StepRecord) -> Rest {
        let most = next.started.since(loaded.ended).as_secs_f64();
        let lost = UNSTORED_S + loaded.plan.interval.as_secs_f64();
        let unseen = if loaded.notes.contains(&Note::CutOff) { lost.min(most) } else { 0.0 };
        Rest { most, unseen, laid_out: loaded.plan.kind == StepKind::Layout }
    }
}

fn block_of(step: &StepRecord) -> Option<u64> {
    let worker = step.plan.workers.first()?;
    let ways = [Direction::Read, Direction::Write];
    let way = ways.into_iter().find(|way| worker.access.mix.issues(*way))?;
    Some(worker.blocks.longest_of(way).0)
}

fn stretch(step: &StepRecord, resource: Resource, rest: Option<Rest>) -> Stretch {
    let cells: Vec<Cell> = step.counted().iter().map(|interval| cell(interval, resource)).collect();
    let cells: Vec<Cell> = cells.into_iter().filter(|cell| cell.length > 0.0).collect();
    let least = WHOLE * step.plan.interval.as_secs_f64();
    let whole = cells.iter().take_while(|cell| cell.length >= least).count();
    let paced = step.plan.workers.iter().any(|worker| worker.pace != Pace::Closed);
    let fall = fall(step, &cells[..whole], resource);
    Stretch {
        from: step.started.as_secs_f64(),
        to: step.ended.as_secs_f64(),
        rested: rest.as_ref().map(|rest| rest.most),
        unseen: rest.as_ref().map_or(0.0, |rest| rest.unseen),
        laid_out: rest.is_some_and(|rest| rest.laid_out),
        asking: if paced { Asking::Half } else { Asking::All },
        looks: !step.plan.stop.iter().any(|rule| matches!(rule, StopRule::Fallen { .. })),
        cells,
        whole,
        fall,
    }
}

fn cell(interval: &Interval, resource: Resource) -> Cell {
    let of = |direction| interval.of(direction).tally;
    let (read, write) = (of(Direction::Read), of(Direction::Write));
    let amount = match resource {
        Resource::Iops => read.ops + write.ops,
        Resource::Bytes => read.bytes + write.bytes,
    };
    Cell { from: interval.start.as_secs_f64(), length: interval.seconds(), amount: amount as f64 }
}

/// Returns the last fall of a step, by the rule that would have ended the step.
fn fall(step: &StepRecord, cells: &[Cell], resource: Resource) -> Option<FallPoint> {
    let interval = step.plan.interval.as_secs_f64();
    let (share, half_width, settled) = step.plan.stop.iter().find_map(|rule| match *rule {
        StopRule::Fallen { share, half_width, settled, .. } => Some((share, half_width, settled)),
        _ => None,
    })?;
    let each = match resource {
        Resource::Iops => 1.0,
        Resource::Bytes => block_of(step)? as f64,
    };
    let settled = (settled.as_secs_f64() / interval).ceil() as usize;
    let mut falling = Falling::new(Rule { share, half_width, settled, resolution: each / interval });
    for cell in cells {
        if falling.push(cell.rate()) {
            break;
        }
    }
    // A fall that did not last may be a stall in which the step ended.
    let fall = falling.fall().filter(|_| falling.left() >= settled)?;
    Some(FallPoint { at: fall.at, before: fall.before, after: fall.after, left: falling.left() })
}
