//! The procedure of `check`: decides the next step, or the end, from the steps so far.
//!
//! In this order (method 10.1): latency at depth 1, a ladder of depths, writes at the depth that fills the cap, a
//! ladder of block sizes, probes for unclear causes, and open load. References, always the same four short loads, run
//! between all these; after a change, and at the end, loads are repeated. If a claim is open then, its load goes on.

mod again;
mod asks;
mod decide;
pub(crate) mod draft;
mod forecast;
pub(crate) mod known;
pub(crate) mod ladders;
mod large;
pub(crate) mod open_load;
pub(crate) mod probes;
mod references;
mod units;

use record::StepRecord;
use statistics::random::mix;
use workload::{Direction, Job, Nanos, StepKind};

pub use asks::{CheckAsk, Effort, Span};
pub use draft::OmissionReason;
pub(crate) use forecast::{Forecast, outlined};
pub use forecast::{Group, GroupForecast, foreseen, outline, seconds_left, seconds_most, seconds_usual};
pub use open_load::{AS_CLAIMED, AS_CLAIMED_EVEN};

use crate::layout::layout_step;
use crate::step::{Step, was_cut_short};
use draft::{Ahead, Draft, Rank};
use known::CheckState;

/// The next step of a check; `None` when the check is done.
///
/// Pure: the same records give the same step. A step that failed or was interrupted ends the check.
pub fn next_step(ask: &CheckAsk, done: &[StepRecord]) -> Option<Step> {
    next_of(ask, done, &chain)
}

/// Returns the steps of a procedure in order, as far as they are known, without references and repeated looks.
pub(crate) type Chain<'c> = &'c dyn Fn(&CheckState<'_>) -> Vec<Draft>;

/// The next step of a procedure with this chain; layout, references, repeated looks, time and bytes are handled as in a
/// check.
pub(crate) fn next_of(ask: &CheckAsk, done: &[StepRecord], chain: Chain<'_>) -> Option<Step> {
    if done.last().is_some_and(was_cut_short) {
        return None;
    }
    if done.is_empty()
        && let Some(layout) = layout_step(ask.layout, ask.seed, ask.effort.layout_most)
    {
        return Some(layout);
    }
    let known = CheckState::of(ask, done);
    let chain = chain(&known);
    let coming = Coming::of(&known, rest(&known, &chain));
    let next = first_fit(&coming, &coming.round)
        .or_else(|| first_fit(&coming, &after_change(&known)))
        .or_else(|| first_fit(&coming, &between(&known)))
        .or_else(|| first_fit(&coming, &coming.chain))
        .or_else(|| first_fit(&coming, &references::wanted(&known)))
        .or_else(|| first_fit(&coming, &again::at_the_end(&known)))
        .or_else(|| first_fit(&coming, &decide::wanted(&known)));
    next.map(|(draft, step)| seeded(&known, draft, step))
}

/// Steps of the chain that were wanted but did not run in a finished check, with the reason.
pub fn left_out(ask: &CheckAsk, done: &[StepRecord]) -> Vec<(String, OmissionReason)> {
    left_out_of(ask, done, &chain)
}

/// Steps of this chain that were wanted but did not run, with the reason.
pub(crate) fn left_out_of(
    ask: &CheckAsk,
    done: &[StepRecord],
    chain: Chain<'_>,
) -> Vec<(String, OmissionReason)> {
    if done.last().is_some_and(was_cut_short) {
        return Vec::new();
    }
    let known = CheckState::of(ask, done);
    let missing = [references::ahead(&known), again::rest_of_round(&known)].concat();
    let chain = chain(&known);
    let wanted: Vec<&Draft> = chain.iter().chain(&missing).filter(|draft| !known.ran(&draft.name)).collect();
    let shares: f64 = wanted.iter().map(|draft| draft.share).sum();
    let why = |draft: &Draft| {
        // There may be enough time for the step now, but there was not while others were still to come.
        let ahead = Ahead { share: shares - draft.share, ..Ahead::default() };
        draft.lacks_bytes(&known, &ahead).unwrap_or(OmissionReason::Time)
    };
    wanted.into_iter().map(|draft| (draft.name.clone(), why(draft))).collect()
}

/// All steps in order, as far as they are known, without references and repeated looks.
fn chain(known: &CheckState<'_>) -> Vec<Draft> {
    let parts = [
        probes::touches(known),
        ladders::latency(known),
        climbed(known),
        open_load::claimed_loads(known),
        probed(known),
        open_load::usual_load(known),
        open_load::headroom(known),
        probes::tiny(known),
        probes::sequential(known),
    ];
    parts.into_iter().flatten().collect()
}

/// The ladders: depths, then blocks; reads before writes.
pub(crate) fn climbed(known: &CheckState<'_>) -> Vec<Draft> {
    let each = |of: fn(&CheckState<'_>, Direction) -> Vec<Draft>| -> Vec<Draft> {
        known.directions().iter().flat_map(|&direction| of(known, direction)).collect()
    };
    let depths = |known: &CheckState<'_>, direction| {
        [ladders::depths(known, direction), ladders::spaced(known, direction).into_iter().collect()].concat()
    };
    [each(depths), each(ladders::blocks)].concat()
}

/// Probes that identify budgets of bytes in flight, units, and caps shared by both directions.
pub(crate) fn probed(known: &CheckState<'_>) -> Vec<Draft> {
    [probes::in_flight_budgets(known), probes::units(known), probes::mixes(known)].concat()
}

/// The part of the chain after its last completed step. Steps that were skipped stay skipped.
fn rest<'d>(known: &CheckState<'_>, chain: &'d [Draft]) -> &'d [Draft] {
    let passed = chain.iter().rposition(|draft| known.ran(&draft.name)).map_or(0, |at| at + 1);
    &chain[passed..]
}

/// A reference after each other step, once the depths that fill the caps are known.
fn between(known: &CheckState<'_>) -> Vec<Draft> {
    let follows = known.done.last().is_some_and(|last| {
        matches!(
            last.plan.kind,
            StepKind::BlockLadder | StepKind::Probe | StepKind::OpenLoad | StepKind::Cell
        )
    });
    if follows && has_depths(known) { references::wanted(known) } else { Vec::new() }
}

/// A round of repeated looks if a change was seen and the depths that fill the caps are known.
fn after_change(known: &CheckState<'_>) -> Vec<Draft> {
    if has_depths(known) { again::after_change(known) } else { Vec::new() }
}

fn has_depths(known: &CheckState<'_>) -> bool {
    known.of_kind(StepKind::BlockLadder).next().is_some()
}

/// Steps that may still run in a check. Nothing is reserved for steps that would not fit even on their own.
struct Coming<'k> {
    known: &'k CheckState<'k>,
    /// Steps of the chain, in order.
    chain: Vec<Draft>,
    references: Vec<Draft>,
    /// Missing steps of a round that has begun.
    round: Vec<Draft>,
    /// The round after that; empty if that round is the last.
    next_round: Vec<Draft>,
}

impl<'k> Coming<'k> {
    fn of(known: &'k CheckState<'k>, rest: &[Draft]) -> Coming<'k> {
        let fits = |draft: &&Draft| !known.ran(&draft.name) && draft.fit(known, &Ahead::default()).is_ok();
        let chain: Vec<Draft> = rest.iter().filter(fits).cloned().collect();
        let references: Vec<Draft> = references::ahead(known).iter().filter(fits).cloned().collect();
        let round = again::rest_of_round(known);
        let is_last = chain.is_empty() && references.is_empty() && !round.is_empty();
        let next_round = if is_last { Vec::new() } else { again::round(known, again::rounds(known) + 1) };
        Coming { known, chain, references, round, next_round }
    }

    /// Needs of the steps after `draft`: the rest of the chain, references, and the look at the end.
    fn ahead(&self, draft: &Draft) -> Ahead {
        let at = self.chain.iter().position(|other| other.name == draft.name);
        let chain = &self.chain[at.map_or(0, |at| at + 1)..];
        let rounds = self.round.iter().chain(&self.next_round);
        let is_other = |other: &&Draft| other.name != draft.name;
        let mut ahead = Ahead::default();
        for other in rounds.filter(is_other) {
            ahead.look += other.least(self.known);
            ahead.share += other.share;
        }
        for other in chain.iter().chain(&self.references).filter(is_other) {
            let must = if other.rank == Rank::Must { other.least(self.known) } else { Nanos::ZERO };
            ahead.must += must;
            ahead.may += other.least(self.known).since(must);
            ahead.share += other.share;
        }
        ahead
    }
}

/// The first of `drafts` that time and bytes allow.
fn first_fit(coming: &Coming<'_>, drafts: &[Draft]) -> Option<(Draft, Step)> {
    drafts.iter().find_map(|draft| {
        let step = draft.fit(coming.known, &coming.ahead(draft)).ok()?;
        Some((draft.clone(), step))
    })
}

/// Gives each step different blocks, so that it is not served from a cache that an earlier step filled. A second touch
/// visits the blocks of the first.
fn seeded(known: &CheckState<'_>, draft: Draft, step: Step) -> Step {
    let number = if probes::visits_the_same(&draft) { 0 } else { known.done.len() as u64 };
    let seed = mix(known.ask.seed).wrapping_add(number);
    let jobs = step.workload.jobs.into_iter().map(|job| Job { seed, ..job }).collect();
    Step { workload: workload::Workload { jobs, ..step.workload }, ..step }
}
