//! A depth that is not rate × latency: the generator was measured (Little's law).

use record::{Interval, Run};
use serde::{Deserialize, Serialize};
use workload::{Direction, Pace, StepKind};

use crate::figures::Figures;
use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::step_figures::Point;

/// Share by which depth and rate × latency may differ (method 4.1).
const OFF: f64 = 0.03;
/// Share by which they may differ at depth 1 and 2, where nothing is in flight while the next I/O is made: on a
/// device of 20 µs that alone is some percent.
const OFF_SHALLOW: f64 = 0.15;
/// I/Os for each in flight up to which filling and draining the queue are too large a part of them.
const ROUNDS: u64 = 20;

/// Depth is not rate × latency: the generator, not the volume, was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LittleMismatch {
    pub step: String,
    pub depth: f64,
    pub product: f64,
}

impl LittleMismatch {
    fn off(&self) -> f64 {
        (self.depth - self.product).abs() / self.depth
    }
}

impl Kind for LittleMismatch {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 7, device: None, badness: Some(self.off()), doubt: None, level: false }
    }
}

/// Returns the closed-loop steps of the ladders in which depth is not rate × latency.
pub(super) fn rule(run: &Run, figures: &Figures) -> Vec<FindingOf<LittleMismatch>> {
    figures.ladders().filter_map(|point| of_point(run, point)).collect()
}

fn of_point(run: &Run, point: &Point) -> Option<FindingOf<LittleMismatch>> {
    let step = run.steps.iter().find(|step| step.plan.name == point.step)?;
    let closed = step.plan.workers.iter().all(|worker| worker.pace == Pace::Closed);
    let one_way = [Direction::Read, Direction::Write].iter().filter(|&&d| step.tally(d).ops > 0).count() == 1;
    // Of the same I/Os: the rate of the figures leaves out intervals in which plimsoll waited for a CPU.
    let counted: f64 = step.counted().iter().map(Interval::seconds).sum();
    let product = step.tally(point.direction).latency_ns_sum as f64 / 1e9 / counted.max(f64::MIN_POSITIVE);
    let meaning = LittleMismatch { step: point.step.clone(), depth: f64::from(point.depth), product };
    // What lies across either end of the step may count with its whole latency or not at all.
    let edges = step.tally(point.direction).latency_ns_max as f64 / 1e9 / counted.max(f64::MIN_POSITIVE);
    let off = meaning.off() > edges + if point.depth <= 2 { OFF_SHALLOW } else { OFF };
    let counted = step.tally(point.direction).ops > ROUNDS * u64::from(point.depth);
    (closed && one_way && counted && off && step.plan.kind != StepKind::Layout)
        .then(|| FindingOf::in_step(meaning, step, "latency", Confidence::Possible))
}
