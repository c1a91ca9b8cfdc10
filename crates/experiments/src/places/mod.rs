//! The procedure of `where`: a strip of places over the volume, growing working sets, the speed of a cache and of the
//! volume beyond it, the strip once more, the edges of regions, and sequences at several places.
//!
//! Places of a strip are read in shuffled order, each again soon after, so that neither drift nor a neighbour is mistaken
//! for a difference between places: places that differ do so at the same time.

mod budgets;
mod forecast;
mod ladder;
mod strip;

use record::StepRecord;
use workload::{Bytes, Direction, Job, Nanos, PlacesRequest, StepKind, StopRule, Workload};

pub use budgets::places_written;
pub use forecast::places_seconds;

use crate::layout::layout_step;
use crate::step::{Layout, Step, Writes, was_cut_short};

/// Share of the requested time for the strip.
const STRIP: f64 = 0.25;
/// Largest share for the ladder of working sets.
const LADDER: f64 = 0.4;
/// Share for the second strip.
const AGAIN: f64 = 0.15;
/// Largest share for the edges.
const EDGES: f64 = 0.1;
/// Largest share for the sequences.
const TRACKS: f64 = 0.1;
/// Maximum time for laying out a test file.
const LAYOUT_MOST: Nanos = Nanos::from_secs(600);

/// Request for the procedure, fitted to the target.
#[derive(Clone, Debug)]
pub struct PlacesAsk {
    /// Parameters of the procedure.
    pub asked: PlacesRequest,
    /// Data to lay out first, if plimsoll created the file.
    pub layout: Layout,
    /// Whether writes beside a cache are measured.
    pub writes: Writes,
}

impl PlacesAsk {
    /// A share of the requested time.
    fn share(&self, share: f64) -> Nanos {
        Nanos::from_secs_f64(self.asked.time.as_secs_f64() * share)
    }
}

/// The request for as much of the volume as was laid out: a layout that ran out of time left the rest without data.
pub(crate) fn within_layout(ask: &PlacesAsk, done: &[StepRecord]) -> PlacesAsk {
    let layout = done.iter().rfind(|step| step.plan.kind == StepKind::Layout);
    let written = |step: &StepRecord| -> u64 {
        step.workers.iter().map(|totals| totals.directions[Direction::Write.index()].tally.bytes).sum()
    };
    let laid_out =
        layout.map(written).filter(|bytes| *bytes > 0).map(|bytes| Bytes(bytes).round_down(Bytes::MIB));
    let size = laid_out.map_or(ask.asked.size, |laid_out| laid_out.min(ask.asked.size));
    PlacesAsk { asked: PlacesRequest { size, ..ask.asked.clone() }, ..ask.clone() }
}

/// The next step; `None` when all answers are known or the run was stopped.
pub fn next_places_step(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let ask = &within_layout(ask, done);
    if done.last().is_some_and(was_cut_short) {
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
