//! Two targets loaded in turns: in blocks that run every load once on each side, in random order (method 11).

mod looks;

use record::StepRecord;
use statistics::Stream;
use statistics::random::mix;
use workload::{Nanos, StopRule, TurnsRequest};

use crate::layout::{LAYOUT_GUESS, LAYOUT_MOST, layout_step};
use crate::step::{Layout, Step, was_cut_short};

pub use looks::look_at;

/// Length of the counts of a turn: whole slices of a throttle, and short enough that some have no wait in them, by which a
/// limit shows on a busy machine (method 5.1).
const COUNT: Nanos = Nanos::from_millis(300);
/// Fewest blocks: fewer give no interval at 95 %.
pub const BLOCKS_MIN: u32 = statistics::paired::PAIRS_MIN as u32;

/// Parameters of a comparison in turns.
#[derive(Clone, Debug)]
pub struct TurnsAsk {
    /// Request, as both runs store it; `side` is that of the first.
    pub in_turns: TurnsRequest,
    /// The loads, in the order of their names in [`TurnsRequest::loads`].
    pub loads: Vec<Step>,
    /// Data to lay out on each side before anything is measured.
    pub layouts: Vec<Layout>,
}

/// A turn: a step and the side that runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Index of the side.
    pub side: usize,
    /// The step.
    pub step: Step,
}

/// The next turn, given the steps that ran on each side; `None` when all blocks are done, when a turn failed or was
/// stopped, or when a look found every answer certain.
pub fn next_turn(ask: &TurnsAsk, done: &[Vec<StepRecord>]) -> Option<Turn> {
    let over = |side: &Vec<StepRecord>| side.last().is_some_and(was_cut_short);
    if done.iter().any(over) {
        return None;
    }
    if let Some(layout) = next_layout(ask, done) {
        return Some(layout);
    }
    let turns = done.iter().flatten().filter(|step| step.plan.kind == workload::StepKind::Job).count();
    let block = (turns / turns_of_block(ask)) as u32;
    let at_its_end = turns.is_multiple_of(turns_of_block(ask));
    if block >= ask.in_turns.blocks() || (at_its_end && looks::is_certain(ask, done, block)) {
        return None;
    }
    let (load, side) = order(ask, block)[turns % turns_of_block(ask)];
    Some(Turn { side, step: of_block(&ask.loads[load], ask.in_turns.seed, block) })
}

/// Number of complete blocks.
pub fn blocks_done(ask: &TurnsAsk, done: &[Vec<StepRecord>]) -> u32 {
    let whole =
        |side: &Vec<StepRecord>| side.iter().filter(|step| step.plan.kind == workload::StepKind::Job).count();
    let least = done.iter().map(whole).min().unwrap_or(0);
    (least / ask.loads.len().max(1)) as u32
}

/// Maximum number of seconds that remain after the steps in `done`.
pub fn turns_seconds(ask: &TurnsAsk, done: &[Vec<StepRecord>]) -> f64 {
    let laid_out = |side: usize| done.get(side).is_some_and(|side| !side.is_empty());
    let layouts = ask.layouts.iter().enumerate().filter(|(side, _)| !laid_out(*side));
    let layouts: f64 = layouts.map(|(_, layout)| layout_seconds(*layout)).sum();
    let turns = done.iter().flatten().filter(|step| step.plan.kind == workload::StepKind::Job).count();
    let all = f64::from(ask.in_turns.blocks()) * block_seconds(&ask.loads, ask.layouts.len());
    let share = turns as f64 / (ask.in_turns.blocks() as usize * turns_of_block(ask)).max(1) as f64;
    layouts + all * (1.0 - share).max(0.0)
}

fn layout_seconds(layout: Layout) -> f64 {
    (layout.bytes().0 as f64 / LAYOUT_GUESS).min(LAYOUT_MOST.as_secs_f64())
}

/// Seconds of one block of `loads` on `sides` sides.
pub fn block_seconds(loads: &[Step], sides: usize) -> f64 {
    let time = |rule: &StopRule| if let StopRule::Time(time) = rule { Some(*time) } else { None };
    let of_load = |load: &Step| {
        let counted = load.workload.stop.iter().find_map(time).unwrap_or_default();
        (counted + load.workload.ramp).as_secs_f64()
    };
    loads.iter().map(of_load).sum::<f64>() * sides as f64
}

fn turns_of_block(ask: &TurnsAsk) -> usize {
    (ask.loads.len() * ask.layouts.len()).max(1)
}

fn next_layout(ask: &TurnsAsk, done: &[Vec<StepRecord>]) -> Option<Turn> {
    ask.layouts.iter().enumerate().find_map(|(side, layout)| {
        let step = layout_step(*layout, ask.in_turns.seed, LAYOUT_MOST)?;
        done.get(side).is_none_or(Vec::is_empty).then_some(Turn { side, step })
    })
}

/// Load and side of each turn of a block: loads in random order, and the sides of each consecutively in random order, so
/// that the members of a pair are adjacent in time.
fn order(ask: &TurnsAsk, block: u32) -> Vec<(usize, usize)> {
    let mut stream = Stream::new(ask.in_turns.seed, u64::from(block));
    let mut loads: Vec<usize> = (0..ask.loads.len()).collect();
    stream.shuffle(&mut loads);
    let sides = |load: usize| {
        let mut sides: Vec<usize> = (0..ask.layouts.len()).collect();
        stream.shuffle(&mut sides);
        sides.into_iter().map(move |side| (load, side)).collect::<Vec<_>>()
    };
    loads.into_iter().flat_map(sides).collect()
}

/// The load as it runs in its block: with its own name and places, the same on every side, so that no cache holds the
/// places from the previous block.
fn of_block(load: &Step, seed: u64, block: u32) -> Step {
    let mut step = load.clone();
    step.name = format!("{}, block {}", load.name, block + 1);
    step.interval = load.interval.or(Some(COUNT));
    step.workload.jobs.iter_mut().for_each(|job| job.seed = mix(seed ^ mix(u64::from(block) + 1)) >> 1);
    step
}
