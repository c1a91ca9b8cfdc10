//! When a comparison looks whether its answers are certain, and what it then sees.

use analysis::compare::{RatioAnswer, Side, compare};
use record::{Run, StepRecord};
use workload::Asked;

use super::{BLOCKS_MIN, TurnsAsk};

/// The first look of a comparison that may stop early; with fewer blocks a part of the error buys no interval.
const FIRST: u32 = 10;

/// After which blocks to look, where `most` fit into the time: each time twice as many, so that the looks are few and each
/// keeps a good part of the error. `None` where not even the least number of blocks fits.
pub fn look_at(most: u32) -> Option<Vec<u32>> {
    let mut looks: Vec<u32> = std::iter::successors(Some(FIRST), |blocks| Some(blocks * 2))
        .take_while(|blocks| blocks * 3 / 2 <= most)
        .collect();
    looks.push(most);
    (most >= BLOCKS_MIN).then_some(looks)
}

/// Whether it was planned to look after `block` blocks, and every row has its answer.
pub(super) fn is_certain(ask: &TurnsAsk, done: &[Vec<StepRecord>], block: u32) -> bool {
    if !ask.in_turns.look_at.contains(&block) {
        return false;
    }
    let side = |(side, steps): (usize, &Vec<StepRecord>)| {
        let label = ask.in_turns.labels.get(side).cloned().unwrap_or_default();
        Side::of_runs(label, vec![so_far(ask, side as u8, steps)])
    };
    let sides: Vec<Side> = done.iter().enumerate().map(side).collect();
    let rows = compare(&sides).rows;
    let open = |answer: &RatioAnswer| matches!(answer, RatioAnswer::Undecided { .. } | RatioAnswer::Repeat);
    let mut answers = rows.iter().flat_map(|row| row.ratios.iter().flatten()).map(|ratio| ratio.answer);
    !rows.is_empty() && !answers.any(|answer| open(&answer))
}

/// The run of a side as far as it went.
fn so_far(ask: &TurnsAsk, side: u8, steps: &[StepRecord]) -> Run {
    let mut run = Run::started(Vec::new(), 0);
    run.steps = steps.to_vec();
    let mut in_turns = ask.in_turns.clone();
    in_turns.side = side;
    run.asked = Some(Asked::InTurns(in_turns));
    run
}
