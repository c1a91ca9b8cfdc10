//! When a comparison looks whether its answers are certain, and what it then sees.

use analysis::compare::{RatioAnswer, Side, compare};
use record::{Run, StepRecord};
use workload::ProcedureRequest;

use super::{BLOCKS_MIN, TurnsAsk};

/// Blocks before the first look of a comparison that may stop early; with fewer, a part of the error gives no interval.
const FIRST: u32 = 10;

/// Numbers of blocks after which to look if `most` fit into the time: doubling each time, so that looks are few and each
/// keeps a good part of the error. `None` if not even the fewest blocks fit.
pub fn look_at(most: u32) -> Option<Vec<u32>> {
    let mut looks: Vec<u32> = std::iter::successors(Some(FIRST), |blocks| Some(blocks * 2))
        .take_while(|blocks| blocks * 3 / 2 <= most)
        .collect();
    looks.push(most);
    (most >= BLOCKS_MIN).then_some(looks)
}

/// Whether a look was planned after `block` blocks, and every row has its answer.
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

/// The run of a side so far.
fn so_far(ask: &TurnsAsk, side: u8, steps: &[StepRecord]) -> Run {
    let mut run = Run::started(Vec::new(), 0);
    run.steps = steps.to_vec();
    let mut in_turns = ask.in_turns.clone();
    in_turns.side = side;
    run.asked = Some(ProcedureRequest::Turns(in_turns));
    run
}
