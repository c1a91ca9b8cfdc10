//! Blocks that come much faster when they are read a second time.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, StepKind};

use crate::figures::Figures;
use crate::finding::{Confidence, Evidence, FindingOf, Kind, Nature};
use crate::shortage::Shortage;

/// Ratio of the median latency of the first reading to that of the second above which it is reported (method 5.5).
const FASTER: f64 = 3.0;
/// Share of a step above which a worker's waits for a processor may be all that it shows.
const WAITED: f64 = 0.1;

/// Blocks took `first_ns` when they were read first, and `second_ns` when they were read again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstTouch {
    pub step: String,
    pub first_ns: f64,
    pub second_ns: f64,
}

impl Kind for FirstTouch {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns two probes with the same reads of the same blocks, of which the later was much faster.
pub(super) fn rule(run: &Run, figures: &Figures) -> Option<FindingOf<FirstTouch>> {
    // A cache that answers a part of the reads at random does so here too.
    if figures.cached.is_some() {
        return None;
    }
    // A step in which a worker waited for a processor shows that wait.
    let calm = |step: &&StepRecord| Shortage::of(run).of_step(step).waiting <= WAITED;
    let probes: Vec<&StepRecord> = run.steps.iter().filter(|step| reads(step)).filter(calm).collect();
    let twice = probes.iter().enumerate().find_map(|(at, first)| {
        let regime = |step: &StepRecord| figures.regimes.of_span(step.started, step.ended);
        let again = |other: &&&StepRecord| {
            other.plan.workers == first.plan.workers
                && regime(first).is_some()
                && regime(first) == regime(other)
        };
        probes[at + 1..].iter().find(again).map(|second| (*first, *second))
    });
    let (first, second) = twice?;
    let (first_ns, second_ns) = (median(first)?, median(second)?);
    let meaning = FirstTouch { step: second.plan.name.clone(), first_ns, second_ns };
    (first_ns > FASTER * second_ns).then(|| FindingOf {
        meaning,
        evidence: [first, second].map(|step| Evidence::of_step(step, "latency")).to_vec(),
        confidence: Confidence::Likely,
    })
}

fn reads(step: &StepRecord) -> bool {
    let only = step.plan.workers.iter().all(|worker| worker.access.mix.reads_only());
    step.plan.kind == StepKind::Probe && only && !step.plan.workers.is_empty()
}

fn median(step: &StepRecord) -> Option<f64> {
    step.latency(Direction::Read).percentile(50.0).map(|ns| ns as f64)
}
