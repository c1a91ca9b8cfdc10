//! Moves: where a level became another one, within a step or between two steps of one shape.

use statistics::segments::{Rule, Sample, Segment};
use workload::Direction;

use super::levels::{Levels, Stretch};

/// Least share by which a level moves between steps: the smallest published burst is a ninth above its baseline.
const SHARE: f64 = 0.08;
/// The same between depths that differ: a busy device may lose a tenth to a deeper queue.
const SHARE_DEPTHS: f64 = 0.15;
/// Standard errors by which two moments must differ, of ten comparisons or so a run (one in a thousand each).
const ERRORS: f64 = 3.5;
/// Wandering that is remembered for longer than this, in seconds, is not distinguished from noise between moments.
const MEMORY_S: f64 = 60.0;
/// I/Os that wait so many times as long as the shortest of their shape wait for the volume's limit, not for its latency.
const QUEUED: f64 = 1.5;
/// Levels within this share are the same: a stretch may be told by it from others that a cap holds.
const SAME: f64 = 0.03;
/// A level above another by this share is not held by it.
const ABOVE: f64 = 0.1;
/// Less time at a level than this, in seconds, is on the way from one to another.
const PASSING_S: f64 = 3.0;

/// A level became another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    /// The likeliest time, and between which it was, in seconds on the run's clock.
    pub at: f64,
    pub low: f64,
    pub high: f64,
    /// Logarithm of the level after over that before, and its standard error.
    pub ratio: f64,
    pub error: f64,
    /// What the load that showed it had before and after, operations a second with their 95 % intervals.
    pub levels: [Segment; 2],
    /// Bytes of an operation of that load.
    pub bytes_each: f64,
    /// The one direction that it moved, where only one.
    pub direction: Option<Direction>,
}

impl Move {
    fn meets(&self, other: &Move) -> bool {
        self.low <= other.high && other.low <= self.high && self.ratio * other.ratio > 0.0
    }

    /// One change that two loads show: it lies where both have it.
    fn joined(&self, other: &Move) -> Move {
        let sharper = if self.high - self.low <= other.high - other.low { self } else { other };
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Move { low, high, at: sharper.at.clamp(low, high), ..*sharper }
    }
}

/// The moves of a run in the order of time.
pub(crate) fn moves(levels: &Levels<'_>, rule: &Rule) -> Vec<Move> {
    let mut found: Vec<Move> = levels
        .within
        .iter()
        .map(|(number, change)| {
            let (before, after) = (levels.stretches[number - 1], levels.stretches[*number]);
            Move { at: change.at, low: change.low, high: change.high, ..between(&before, &after) }
        })
        .collect();
    for (number, later) in levels.stretches.iter().enumerate() {
        let Some(earlier) = earlier(&levels.stretches[..number], later) else { continue };
        if let Some(unseen) = unseen(levels, [earlier, later], &found) {
            add(&mut found, refined(levels, unseen, [earlier, later]));
        }
    }
    found.sort_by(|a, b| a.at.total_cmp(&b.at));
    passing(found, &levels.stretches, rule)
}

fn between(before: &Stretch<'_>, after: &Stretch<'_>) -> Move {
    let (low, high) = (before.segment.to, after.segment.from);
    Move {
        at: 0.5 * (low + high),
        low,
        high,
        ratio: after.log() - before.log(),
        error: before.error().hypot(after.error()),
        levels: [before.segment, after.segment],
        bytes_each: after.spell.bytes_each,
        direction: after.spell.direction,
    }
}

/// The last stretch before `later` that should be at its level if nothing has changed: of the same shape and another step.
fn earlier<'l, 's>(before: &'l [Stretch<'s>], later: &Stretch<'s>) -> Option<&'l Stretch<'s>> {
    let first = before.last().is_none_or(|last| last.spell.step != later.spell.step);
    let alike = |stretch: &&Stretch<'s>| stretch.spell.shape == later.spell.shape && stretch.spell.comparable;
    let least =
        before.iter().filter(alike).chain([later]).map(Stretch::latency).fold(f64::INFINITY, f64::min);
    let comparable = |stretch: &&Stretch<'s>| {
        let deeper = later.spell.depth / stretch.spell.depth;
        let queued = stretch.latency().min(later.latency()) >= QUEUED * least;
        let gain = later.log() - stretch.log();
        deeper == 1.0 || queued || (deeper > 1.0 && gain < 0.0) || (deeper < 1.0 && gain > 0.0)
    };
    (first && later.spell.comparable).then(|| before.iter().rev().filter(alike).find(comparable)).flatten()
}

/// The move between two stretches that no known one explains.
fn unseen(levels: &Levels<'_>, [earlier, later]: [&Stretch<'_>; 2], known: &[Move]) -> Option<Move> {
    let found = between(earlier, later);
    let apart = (found.high - found.low).clamp(0.0, MEMORY_S);
    let error = found.error.hypot(levels.wander * apart.sqrt());
    let share = if earlier.spell.depth == later.spell.depth { SHARE } else { SHARE_DEPTHS };
    let least = (ERRORS * error).max((1.0 + share).ln());
    let inside = || known.iter().filter(|one| one.at >= earlier.segment.to && one.at <= later.segment.from);
    let felt = |one: &&Move| feels(levels, later, one);
    let sum = |felt: f64, one: &Move| felt + one.ratio;
    let certain = found.ratio - inside().filter(felt).fold(0.0, sum);
    // What this load may have felt explains what is there, and asks for nothing that is not.
    let with_others = certain - inside().filter(|one| !felt(one)).fold(0.0, sum);
    let ratio = if with_others.abs() < certain.abs() { with_others } else { certain };
    let returned = ratio * found.ratio <= 0.0 || found.ratio.abs() < least;
    let last = inside().filter(felt).map(|one| one.high).fold(found.low, f64::max).min(found.high);
    let low = if returned { last } else { found.low };
    (ratio.abs() >= least).then_some(Move { ratio, error, low, at: 0.5 * (low + found.high), ..found })
}

/// Whether a load surely feels what moved another one of its direction: operations are felt by smaller ones too, and bytes by
/// larger ones.
fn feels(levels: &Levels<'_>, load: &Stretch<'_>, one: &Move) -> bool {
    let larger = load.spell.bytes_each / one.bytes_each;
    let as_large = if by_bytes(levels, one) { larger >= 1.0 / ALIKE } else { larger <= ALIKE };
    one.direction == load.spell.direction && as_large
}

/// Whether it was bytes that moved: smaller operations of the direction came clearly more often, before or after.
pub(crate) fn by_bytes(levels: &Levels<'_>, one: &Move) -> bool {
    let [before, after] = one.levels;
    levels.stretches.iter().any(|stretch| {
        let level = if stretch.segment.to <= one.high { before.level } else { after.level };
        stretch.spell.direction == one.direction
            && stretch.spell.bytes_each < one.bytes_each / ALIKE
            && stretch.segment.level > (1.0 + ABOVE) * level
    })
}

/// Sizes within this factor are alike.
const ALIKE: f64 = 1.1;

/// Where a move between two stretches lies: not before the last sample at the old level nor after the first at the new one, and
/// not where steps between them show more than the lower level allows.
fn refined(levels: &Levels<'_>, found: Move, [earlier, later]: [&Stretch<'_>; 2]) -> Move {
    let middle = 0.5 * (earlier.log() + later.log());
    let falls = found.ratio < 0.0;
    let old = |sample: &&Sample| (sample.value.max(f64::MIN_POSITIVE).ln() > middle) == falls;
    let mut found = found;
    if let Some(last) = earlier.samples().chain(later.samples()).filter(old).next_back() {
        found.low = last.from;
    }
    if let Some(first) = earlier.samples().chain(later.samples()).find(|sample| !old(sample)) {
        found.high = first.to;
    }
    if found.low > found.high {
        (found.low, found.high) = (earlier.segment.to, later.segment.from);
    }
    let lower = if falls { later } else { earlier };
    bounded(levels, found, lower)
}

/// The move held to what steps between its bounds show: one that has more than the lower level allows is on the side of the
/// higher one, and one just at the lower level is likely on its side.
fn bounded(levels: &Levels<'_>, mut found: Move, lower: &Stretch<'_>) -> Move {
    let falls = found.ratio < 0.0;
    let (low, high) = (found.low, found.high);
    let among = levels.stretches.iter().filter(|stretch| {
        stretch.segment.from >= low
            && stretch.segment.to <= high
            && stretch.spell.direction == lower.spell.direction
    });
    let mut told = None;
    for stretch in among {
        let over = over(stretch, lower);
        if over > ABOVE && falls {
            (found.low, told) = (found.low.max(stretch.segment.to - LAST_S), None);
        } else if over > ABOVE {
            found.high = found.high.min(stretch.segment.from + LAST_S);
        } else if over.abs() <= SAME && falls && told.is_none() {
            told = Some(stretch.segment.from);
        } else if over.abs() <= SAME && !falls && stretch.segment.to <= found.high {
            told = Some(stretch.segment.to);
        }
    }
    let middle = 0.5 * (found.low + found.high);
    found.at = told.unwrap_or(middle).clamp(found.low.min(found.high), found.high);
    found
}

/// An edge of a step is known to this many seconds: the first and the last interval of a step may be another's.
const LAST_S: f64 = 0.5;

/// How far a stretch is above the level that binds where `lower` is, in operations where those bind there and in bytes where
/// larger ones do.
fn over(stretch: &Stretch<'_>, lower: &Stretch<'_>) -> f64 {
    match stretch.spell.bytes_each >= lower.spell.bytes_each {
        // Larger operations: no more of them than of small ones.
        true => stretch.segment.level / lower.segment.level - 1.0,
        // Smaller ones: no more bytes than of large ones.
        false => stretch.bytes() / lower.bytes() - 1.0,
    }
}

fn add(found: &mut Vec<Move>, new: Move) {
    match found.iter_mut().find(|one| one.meets(&new)) {
        Some(one) => *one = one.joined(&new),
        None => found.push(new),
    }
}

/// Of levels that were seen for a moment only: one on the way is part of the change, one that was left again no change at all.
fn passing(found: Vec<Move>, stretches: &[Stretch<'_>], rule: &Rule) -> Vec<Move> {
    let seen = |from: f64, to: f64| -> f64 {
        let inside =
            |stretch: &Stretch<'_>| (stretch.segment.to.min(to) - stretch.segment.from.max(from)).max(0.0);
        stretches.iter().map(inside).sum()
    };
    let mut kept: Vec<Move> = Vec::new();
    for one in found {
        let Some(last) = kept.last().copied() else {
            kept.push(one);
            continue;
        };
        if seen(last.at, one.at) >= PASSING_S {
            kept.push(one);
            continue;
        }
        kept.pop();
        let ratio = last.ratio + one.ratio;
        if ratio.abs() >= (1.0 + rule.share).ln() {
            let at = if last.ratio.abs() >= one.ratio.abs() { last.at } else { one.at };
            let levels = [last.levels[0], one.levels[1]];
            kept.push(Move {
                at,
                low: last.low.min(one.low),
                high: last.high.max(one.high),
                ratio,
                levels,
                ..one
            });
        }
    }
    kept
}
