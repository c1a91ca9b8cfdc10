//! `where` as a procedure: a strip of places over the volume, working sets that grow, what a cache and what is beyond it move,
//! the strip once more, the edges of regions, and sequences at several places.
//!
//! Places of a strip are read in shuffled order, each again soon after, so that neither drift nor a neighbour is taken for a
//! place: what differs between them differs at the same time.

mod budgets;
mod forecast;
mod ladder;
mod strip;

use record::StepRecord;
use workload::{Ending, Job, Nanos, PlacesAsked, StepKind, StopRule, Workload};

pub use forecast::places_seconds;

use crate::layout::layout_step;
use crate::step::{Layout, Step};

/// Shares of the time that is asked for, in the order of the parts: the strip, the ladder of working sets at most, the strip once
/// more, the edges at most, the sequences at most.
const STRIP: f64 = 0.25;
const LADDER: f64 = 0.4;
const AGAIN: f64 = 0.15;
const EDGES: f64 = 0.1;
const TRACKS: f64 = 0.1;
/// Most time of the layout of a file of ours.
const LAYOUT_MOST: Nanos = Nanos::from_secs(600);

/// What the procedure goes by.
#[derive(Clone, Debug)]
pub struct PlacesAsk {
    /// What was asked.
    pub asked: PlacesAsked,
    /// What is written before, where the file is ours.
    pub layout: Layout,
}

impl PlacesAsk {
    /// A share of the time that was asked for.
    fn share(&self, share: f64) -> Nanos {
        Nanos::from_secs_f64(self.asked.time.as_secs_f64() * share)
    }
}

/// The next step, `None` when everything is known or the run was stopped.
pub fn next_places_step(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let over = |step: &StepRecord| matches!(step.ending, Ending::Failed | Ending::Interrupted);
    if done.last().is_some_and(over) {
        return None;
    }
    let ran = |step: &Step| done.iter().any(|record| record.plan.name == step.name);
    let fresh = |step: Option<Step>| step.filter(|step| !ran(step));
    fresh(layout_step(ask.layout, ask.asked.seed, LAYOUT_MOST))
        .or_else(|| fresh(strip::first(ask)))
        .or_else(|| ladder::next(ask, done))
        .or_else(|| fresh(budgets::next(ask, done)))
        .or_else(|| fresh(strip::again(ask, done)))
        .or_else(|| strip::edge(ask, done))
        .or_else(|| fresh(strip::tracks(ask)))
}

/// A step of the procedure.
fn step(name: &str, jobs: Vec<Job>, stop: Vec<StopRule>) -> Step {
    let workload = Workload { jobs, stop, ramp: Nanos::ZERO };
    Step { name: name.to_owned(), kind: StepKind::Place, workload, interval: None }
}
