//! Probes: loads that distinguish two causes of one level, each run only if the cause is unclear.

use workload::{Access, BlockSizes, Bytes, Direction, Job, Mix, StepKind};

use super::asks::CheckAsk;
use super::draft::{Draft, Length, Rank};
use super::known::{CheckState, DEPTH_MAX, GAIN, depth_of, in_flight, rate};
use super::ladders::{filling, job, share};
use super::units::suspected;
use crate::step::Layout;

/// Share of the best block's bytes per second from which small blocks may be limited by bytes.
const BYTE_BOUND: f64 = 0.7;
/// Blocks below the small one.
const TINY: [Bytes; 2] = [Bytes(512), Bytes::KIB];

fn probe(known: &CheckState<'_>, what: &str, job: Job, share: f64) -> Draft {
    Draft {
        name: format!("probe {what}"),
        kind: StepKind::Probe,
        job,
        length: Length::Look(known.ask.effort.look),
        rank: Rank::May,
        share,
    }
}

/// Reads the same blocks twice before any other load: a rate that is low only at the first touch is not the volume's.
/// Data that plimsoll has laid out has already been touched.
pub(crate) fn touches(known: &CheckState<'_>) -> Vec<Draft> {
    if known.ask.layout != Layout::None {
        return Vec::new();
    }
    let draft = |which: &str, length| Draft {
        length,
        ..probe(known, &format!("{which} touch"), job(known, Direction::Read), 0.0)
    };
    let time = known.ask.effort.look;
    let first = draft("first", Length::Ios(u64::MAX, time));
    let ios = known.step(&first.name).map_or(1, |record| record.tally(Direction::Read).ops.max(1));
    vec![first, draft("second", Length::Ios(ios, time))]
}

/// Whether the draft must visit the same blocks as another one.
pub(crate) fn visits_the_same(draft: &Draft) -> bool {
    matches!(draft.length, Length::Ios(..))
}

/// Two budgets of bytes in flight at the largest block, so that plimsoll's own limit is not mistaken for a cap on
/// bytes: half, and, if half moved less, double.
pub(crate) fn in_flight_budgets(known: &CheckState<'_>) -> Vec<Draft> {
    let of = |&direction: &Direction| -> Vec<Draft> {
        let large = known.large(direction);
        let full = filling(known, direction, large);
        let what = |part: &str| format!("{part} in flight {} {large}", direction.name());
        let with = |part: &str, depth: u32| {
            probe(known, &what(part), Job { depth, ..full.clone() }, share(direction, 1.5))
        };
        let half = with("half", (full.depth / 2).max(1));
        let most = in_flight(large, known.ask.in_flight_most);
        let twice = (gained(known, direction, &half) && most > full.depth)
            .then(|| with("double", (full.depth * 2).min(most)));
        [half].into_iter().chain(twice).collect()
    };
    known.directions().iter().flat_map(of).collect()
}

/// Whether the largest block's rung moved more than `half` of its depth did.
fn gained(known: &CheckState<'_>, direction: Direction, half: &Draft) -> bool {
    let rung = known.step(&format!("{} {}", direction.name(), known.large(direction)));
    let Some((rung, half)) = rung.zip(known.step(&half.name)) else { return false };
    depth_of(&rung.plan) > depth_of(&half.plan)
        && rate(rung, direction) > rate(half, direction) * (1.0 + GAIN)
}

/// Blocks of a suspected unit and slightly above it.
pub(crate) fn units(known: &CheckState<'_>) -> Vec<Draft> {
    let read = suspected(known, Direction::Read);
    let write: Vec<Bytes> = match known.writes() {
        true => suspected(known, Direction::Write).into_iter().filter(|unit| !read.contains(unit)).collect(),
        false => Vec::new(),
    };
    let of = |direction: Direction, unit: Bytes| {
        [unit, Bytes(unit.0 + known.small().0)].map(|block| {
            let what = format!("unit {} {block}", direction.name());
            probe(known, &what, filling(known, direction, block), share(direction, 1.0))
        })
    };
    let reads = read.into_iter().flat_map(|unit| of(Direction::Read, unit));
    reads.chain(write.into_iter().flat_map(|unit| of(Direction::Write, unit))).collect()
}

/// Blocks below the small one, if the small one moves nearly as many bytes as any.
pub(crate) fn tiny(known: &CheckState<'_>) -> Vec<Draft> {
    let of = |&direction: &Direction| -> Vec<Draft> {
        let small = known.best(direction) * known.small().0 as f64;
        let block = known.large(direction);
        let large = known.last_rate(direction, block).unwrap_or(f64::MAX) * block.0 as f64;
        let blocks = TINY.into_iter().filter(|&block| block >= known.ask.block_min && block < known.small());
        let draft = |block: Bytes| {
            let deep = filling(known, direction, known.small());
            let job = Job { blocks: BlockSizes::all(block), ..deep };
            probe(known, &format!("small {} {block}", direction.name()), job, share(direction, 0.3))
        };
        if small >= BYTE_BOUND * large { blocks.map(draft).collect() } else { Vec::new() }
    };
    known.directions().iter().flat_map(of).collect()
}

/// Reads and writes at once, to see whether each direction has its own cap or both share one.
pub(crate) fn mixes(known: &CheckState<'_>) -> Vec<Draft> {
    if !known.writes() {
        return Vec::new();
    }
    let mixed = |what: &str, read_percent: u8, block: Bytes| {
        let [read, write] = [Direction::Read, Direction::Write].map(|way| filling(known, way, block));
        // Each direction needs its own full queue; if the rates differ, the slower direction takes up both queues.
        let most = in_flight(block, CheckAsk::IN_FLIGHT_USUAL.min(known.ask.in_flight_most));
        let depth = (read.depth + write.depth).min(most).min(DEPTH_MAX);
        let job = Job { depth, access: Access::random(Mix::reads(read_percent)), ..read };
        probe(known, &format!("mix {what}"), job, if block > known.small() { 1.5 } else { 0.5 })
    };
    let large = known.large_of_both();
    vec![
        mixed("70/30", 70, known.small()),
        mixed("50/50", 50, known.small()),
        mixed(&format!("50/50 {large}"), 50, large),
    ]
}

/// Sequential small blocks, to see whether a layer below merges them.
pub(crate) fn sequential(known: &CheckState<'_>) -> Vec<Draft> {
    let of = |&direction: &Direction| {
        let deep = filling(known, direction, known.small());
        let job = Job { access: Access::sequential(deep.access.mix), ..deep };
        let what = format!("sequential {} {}", direction.name(), known.small());
        probe(known, &what, job, share(direction, 0.6))
    };
    known.directions().iter().map(of).collect()
}
