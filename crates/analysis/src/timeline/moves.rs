//! Moves: changes from one level to another, within a step or between two steps of one shape.

use statistics::segments::{Change, Rule, Sample};
use workload::Direction;

use super::earned::Moves;
use super::level_change::Move;
use super::levels::{Levels, Stretch};
use super::place::placed;

/// Least share by which a level moves between steps: the smallest published burst is a ninth above its baseline.
const SHARE: f64 = 0.08;
/// Least share by which a level moves between different depths: a busy device may lose a tenth to a deeper queue.
const SHARE_DEPTHS: f64 = 0.15;
/// Standard errors by which two moments must differ, for about ten comparisons per run (one in a thousand each).
const ERRORS: f64 = 3.5;
/// Standard errors by which levels within a step must differ, once the change is significant against its neighbours.
const WITHIN_ERRORS: f64 = 2.0;
/// Seconds beyond which a wandering level cannot be distinguished from noise between moments.
const MEMORY_S: f64 = 60.0;
/// Multiple of the shortest latency of their shape from which I/Os wait for the volume's limit, not for its latency.
const QUEUED: f64 = 1.5;
/// Share by which a level is above another that does not limit it.
const ABOVE: f64 = 0.1;
/// Seconds at a level below which it is only passed on the way from one level to another.
const PASSING_S: f64 = 3.0;

/// Time by which a meter that passes I/O in slices may be early or late in a stretch: one slice of this kernel's
/// throttle. (On constant volumes whose process waited for a CPU, slices slipped into the next interval: 196 and then
/// 100 I/Os instead of 150 each.)
const SLIPPED_S: f64 = 0.1;
/// Seconds of a stretch from which a single wait is no level.
const LASTS_S: f64 = 1.5;
/// Longest round of servers, in seconds: with deep queues only, the latency of one I/O alone is hardly known.
const ROUND_MOST_S: f64 = 0.5;
/// Greatest share of a stretch that such a slice takes up, however short the stretch.
const SLIPPED_MOST: f64 = 0.9;

/// Returns the moves of a run in the order of time.
pub(crate) fn moves(levels: &Levels<'_>, rule: &Rule) -> Vec<Move> {
    let within = |(number, change): &(usize, Change)| {
        let (before, after) = (levels.stretches[number - 1], levels.stretches[*number]);
        let found = Move { at: change.at, low: change.low, high: change.high, ..between(&before, &after) };
        Move { bytes: by_bytes(levels.stretches.iter().map(LoadRate::of), &found), ..found }
    };
    let is_change = |(number, change): &(usize, Change)| {
        let one = within(&(*number, *change));
        let pair = [&levels.stretches[number - 1], &levels.stretches[*number]];
        let least = slipped(levels, pair);
        let is_large = one.ratio.abs() >= (1.0 + rule.share).ln().max(WITHIN_ERRORS * one.error).max(least);
        (is_large && !in_rounds(levels, pair)).then_some(one)
    };
    let mut found: Vec<Move> = levels.within.iter().filter_map(is_change).collect();
    for (number, later) in levels.stretches.iter().enumerate() {
        let Some(earlier) = compared_with(&levels.stretches[..number], later) else { continue };
        let lasts = later.seconds() >= LASTS_S || is_confirmed(&levels.stretches, number, earlier);
        if let Some(unseen) = unseen(levels, [earlier, later], &found).filter(|_| lasts) {
            add(&mut found, refined(levels, unseen, [earlier, later]));
        }
    }
    found.sort_by(|a, b| a.at.total_cmp(&b.at));
    passing(found, &levels.stretches, rule)
}

/// Whether a later load of the same shape is nearer to the level of this brief stretch than to the earlier level: one
/// wait of half a second looks like a level in a step of a second.
fn is_confirmed(stretches: &[Stretch<'_>], number: usize, earlier: &Stretch<'_>) -> bool {
    let brief = &stretches[number];
    let agrees = |one: &Stretch<'_>| {
        one.spell.shape == brief.spell.shape
            && one.spell.comparable
            && (one.log() - brief.log()).abs() < (one.log() - earlier.log()).abs()
    };
    stretches[number + 1..].iter().any(agrees)
}

/// Returns the logarithm of the apparent ratio of equal levels if a slice slipped in each of two stretches. If an I/O
/// alone takes longer than such a slice, servers in step complete a whole round at once, and a round slips. (With 32
/// servers of 158 ms each, half a second had three rounds or four, which was reported as a wave.)
fn slipped(levels: &Levels<'_>, beside: [&Stretch<'_>; 2]) -> f64 {
    let at_most = SLIPPED_S.max(round_s(levels));
    let of = |stretch: &Stretch<'_>| -(-(at_most / stretch.seconds()).min(SLIPPED_MOST)).ln_1p();
    beside.map(of).iter().sum()
}

/// Returns how long servers may stay in step, in seconds: as long as an I/O alone takes.
fn round_s(levels: &Levels<'_>) -> f64 {
    levels.stretches.iter().map(Stretch::latency).fold(f64::INFINITY, f64::min).min(ROUND_MOST_S)
}

/// Whether two levels differ by no more than the rounds of servers in step: the median of a few samples is then off by
/// a round per sample, and the mean of all samples by one at each end.
fn in_rounds(levels: &Levels<'_>, beside: [&Stretch<'_>; 2]) -> bool {
    let mean = |stretch: &Stretch<'_>| {
        let (sum, number) = stretch.samples().fold((0.0, 0.0), |(sum, n), one| (sum + one.value, n + 1.0));
        (sum / number).max(f64::MIN_POSITIVE).ln()
    };
    let [before, after] = beside.map(mean);
    round_s(levels) > SLIPPED_S && (after - before).abs() < slipped(levels, beside)
}

/// Drops falls after which the level went on to sink: a later load like the one that fell had less than the new level by more than half
/// of the fall, so that this was a moment of a decline and no level that the volume has.
pub(crate) fn lasting(found: Moves, levels: &Levels<'_>) -> Moves {
    let lasts = |number: &usize| {
        let one = &found.moves[*number];
        let until = found.moves.get(number + 1).map_or(f64::INFINITY, |next| next.low);
        let is_alike = |stretch: &&Stretch<'_>| {
            let larger = stretch.spell.bytes_each / one.bytes_each;
            stretch.spell.comparable
                && stretch.spell.direction == one.direction
                && (1.0 / ALIKE..=ALIKE).contains(&larger)
                && stretch.segment.from >= one.high
                && stretch.segment.to <= until
                && stretch.seconds() >= LASTS_S
        };
        let least = one.levels[1].level.ln() + one.ratio / 2.0;
        one.ratio > 0.0 || !levels.stretches.iter().filter(is_alike).any(|stretch| stretch.log() < least)
    };
    let moves = (0..found.moves.len()).filter(lasts).map(|number| found.moves[number]).collect();
    Moves { moves, ..found }
}

/// Returns a fall of operations with the level that smaller I/Os had until then, if that is higher: the load that showed the fall may have
/// been held by its bytes before.
pub(crate) fn from_full_rate(fall: &Move, levels: &Levels<'_>) -> Move {
    let is_small = |stretch: &&Stretch<'_>| {
        stretch.spell.comparable
            && stretch.spell.direction == fall.direction
            && stretch.spell.bytes_each * ALIKE < fall.bytes_each
            && stretch.segment.to <= fall.high
            && stretch.seconds() >= LASTS_S
    };
    let is_of_operations = fall.ratio < 0.0 && !fall.bytes;
    let last = levels.stretches.iter().rev().find(is_small).filter(|_| is_of_operations);
    match last.map(Stretch::told).filter(|told| told.level > (1.0 + ABOVE) * fall.levels[0].level) {
        Some(before) => Move {
            ratio: (fall.levels[1].level / before.level).ln(),
            levels: [before, fall.levels[1]],
            ..*fall
        },
        None => *fall,
    }
}

fn between(before: &Stretch<'_>, after: &Stretch<'_>) -> Move {
    let (low, high) = (before.segment.to, after.segment.from);
    Move {
        at: 0.5 * (low + high),
        low,
        high,
        ratio: after.log() - before.log(),
        error: before.error().hypot(after.error()),
        levels: [before.told(), after.told()],
        bytes_each: after.spell.bytes_each,
        bytes: false,
        direction: after.spell.direction,
    }
}

/// Returns the last stretch before `later` that would have its level if nothing had changed: of the same shape and
/// another step.
pub(super) fn compared_with<'l, 's>(
    before: &'l [Stretch<'s>],
    later: &Stretch<'s>,
) -> Option<&'l Stretch<'s>> {
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

/// Returns how much of a gain, as a logarithm, a deeper queue may explain, or of a loss a shallower one: as much as on
/// a device with the softest corner that queues have, on which every I/O takes its own time and that of all that wait
/// with it (rate = depth / (latency + depth / cap)). A meter has a sharp corner, but may not apply here.
fn by_depth(levels: &Levels<'_>, [earlier, later]: [&Stretch<'_>; 2]) -> f64 {
    let alike = levels.stretches.iter().filter(|stretch| stretch.spell.shape == later.spell.shape);
    let alone = alike.map(Stretch::latency).fold(f64::INFINITY, f64::min);
    let (from, to) = (earlier.spell.depth, later.spell.depth);
    let waits = earlier.latency() / from - alone / from;
    let softest = (earlier.latency() / from / (alone / to + waits.max(0.0))).ln();
    let gain = later.log() - earlier.log();
    if to > from { gain.clamp(0.0, softest.max(0.0)) } else { gain.clamp(softest.min(0.0), 0.0) }
}

/// Returns the least ratio between two stretches that is noticed as a change, and its standard error, both in
/// logarithms.
pub(super) fn noticed(levels: &Levels<'_>, [earlier, later]: [&Stretch<'_>; 2]) -> (f64, f64) {
    let apart = (later.segment.from - earlier.segment.to).clamp(0.0, MEMORY_S);
    let error = earlier.error().hypot(later.error()).hypot(levels.wander * apart.sqrt());
    let share = if earlier.spell.depth == later.spell.depth { SHARE } else { SHARE_DEPTHS };
    ((ERRORS * error).max((1.0 + share).ln()).max(slipped(levels, [earlier, later])), error)
}

/// Returns the move between two stretches that no known move explains.
fn unseen(levels: &Levels<'_>, [earlier, later]: [&Stretch<'_>; 2], known: &[Move]) -> Option<Move> {
    let found = between(earlier, later);
    let found = Move { ratio: found.ratio - by_depth(levels, [earlier, later]), ..found };
    let (least, error) = noticed(levels, [earlier, later]);
    let inside = || known.iter().filter(|one| one.at >= earlier.segment.to && one.at <= later.segment.from);
    let felt = |one: &&Move| feels(later, one);
    let sum = |felt: f64, one: &Move| felt + one.ratio;
    let certain = found.ratio - inside().filter(felt).fold(0.0, sum);
    // Moves that this load may have felt count only if they explain more of the ratio.
    let with_others = certain - inside().filter(|one| !felt(one)).fold(0.0, sum);
    let ratio = if with_others.abs() < certain.abs() { with_others } else { certain };
    let returned = ratio * found.ratio <= 0.0 || found.ratio.abs() < least;
    let last = inside().filter(felt).map(|one| one.high).fold(found.low, f64::max).min(found.high);
    let low = if returned { last } else { found.low };
    let is_move = ratio.abs() >= least && !in_rounds(levels, [earlier, later]);
    is_move.then_some(Move { ratio, error, low, at: 0.5 * (low + found.high), ..found })
}

/// Whether a move shown by another load of its direction surely affects `load`: a move of operations affects smaller
/// blocks too, one of bytes larger blocks.
fn feels(load: &Stretch<'_>, one: &Move) -> bool {
    let larger = load.spell.bytes_each / one.bytes_each;
    let as_large = if one.bytes { larger >= 1.0 / ALIKE } else { larger <= ALIKE };
    one.direction == load.spell.direction && as_large
}

/// The rate of a load over a span of time, in seconds of the run's clock.
pub(super) struct LoadRate {
    pub from: f64,
    pub to: f64,
    pub direction: Option<Direction>,
    pub bytes_each: f64,
    /// Operations per second.
    pub rate: f64,
    /// Bytes per second.
    pub bytes: f64,
}

impl LoadRate {
    fn of(stretch: &Stretch<'_>) -> LoadRate {
        LoadRate {
            from: stretch.segment.from,
            to: stretch.segment.to,
            direction: stretch.spell.direction,
            bytes_each: stretch.spell.bytes_each,
            rate: stretch.segment.level,
            bytes: stretch.bytes(),
        }
    }
}

/// Whether bytes moved: more loads of other sizes are nearer to the lower level in bytes than in operations. If equally many
/// are, whether smaller operations of the direction were clearly more frequent, before or after.
pub(super) fn by_bytes(loads: impl Iterator<Item = LoadRate>, one: &Move) -> bool {
    let [before, after] = one.levels;
    let is_other = |load: &LoadRate| {
        let ratio = load.bytes_each / one.bytes_each;
        load.direction == one.direction && !(1.0 / ALIKE..=ALIKE).contains(&ratio)
    };
    let others: Vec<LoadRate> = loads.filter(is_other).collect();
    let falls = one.ratio < 0.0;
    let lower = if falls { after.level } else { before.level };
    let beside = |load: &&LoadRate| if falls { load.from >= one.high } else { load.to <= one.low };
    let off = |rate: f64, level: f64| (rate.max(f64::MIN_POSITIVE) / level).ln().abs();
    let in_bytes = |load: &LoadRate| {
        let offs = [off(load.bytes, lower * one.bytes_each), off(load.rate, lower)];
        (offs[0].min(offs[1]) <= 2.0 * ABOVE).then_some(offs[0] < offs[1])
    };
    let beside: Vec<bool> = others.iter().filter(beside).filter_map(in_bytes).collect();
    let bytes = beside.iter().filter(|in_bytes| **in_bytes).count();
    let operations = beside.len() - bytes;
    if bytes != operations {
        return bytes > operations;
    }
    others.iter().any(|load| {
        let level = if load.to <= one.high { before.level } else { after.level };
        load.bytes_each < one.bytes_each && load.rate > (1.0 + ABOVE) * level
    })
}

/// Factor within which sizes count as equal.
const ALIKE: f64 = 1.1;

/// Narrows a move between two stretches: not before the last sample at the old level nor after the first at the new
/// one, and within what the steps between them show.
fn refined(levels: &Levels<'_>, found: Move, [earlier, later]: [&Stretch<'_>; 2]) -> Move {
    let middle = 0.5 * (earlier.log() + later.log());
    let falls = found.ratio < 0.0;
    let old = |sample: &&Sample| (sample.value.max(f64::MIN_POSITIVE).ln() > middle) == falls;
    let mut found = Move { bytes: by_bytes(levels.stretches.iter().map(LoadRate::of), &found), ..found };
    if let Some(last) = earlier.samples().chain(later.samples()).rfind(old) {
        found.low = last.from;
    }
    if let Some(first) = earlier.samples().chain(later.samples()).find(|sample| !old(sample)) {
        found.high = first.to;
    }
    if found.low > found.high {
        (found.low, found.high) = (earlier.segment.to, later.segment.from);
    }
    found.at = 0.5 * (found.low + found.high);
    placed(levels, found)
}

fn add(found: &mut Vec<Move>, new: Move) {
    match found.iter_mut().find(|one| one.meets(&new)) {
        Some(one) => *one = one.joined(&new),
        None => found.push(new),
    }
}

/// Joins moves whose level was seen only briefly: one on the way is part of the change, one left again is no change.
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
