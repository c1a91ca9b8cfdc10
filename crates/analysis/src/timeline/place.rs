//! The time of a move: after the last sample above the lower level and before the next at that level, of any load.

use statistics::segments::Sample;

use super::flow::Earning;
use super::level_change::Move;
use super::levels::Levels;
use super::spells::Spell;

/// Share above the lower level beyond which a sample is not limited by it; at least `ABOVE_DEVIATIONS` of the noise.
const ABOVE: f64 = 0.1;
const ABOVE_DEVIATIONS: f64 = 4.0;
/// Share within which a sample is at the lower level; at least `AT_DEVIATIONS` of the noise.
const AT: f64 = 0.03;
const AT_DEVIATIONS: f64 = 2.0;
/// Operations that the edges of a sample may cut off: one at each end.
const EDGES: f64 = 2.0;
/// Greatest uncertainty in seconds with which samples alone locate a fall; with more, all I/O since is used.
const WIDE_S: f64 = 2.0;
/// Seconds within which two times count as equal.
const TOUCH: f64 = 1e-3;

/// The side of a move on which a sample lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Above: the rate exceeds the lower level.
    Above,
    /// At the lower level.
    At,
    /// Unknown: the load may have asked for no more, or something else limited it.
    Unknown,
}

/// The lower level of a move, in the unit that moved.
#[derive(Clone, Copy)]
pub(super) struct Lower {
    pub rate: f64,
    pub bytes: bool,
    /// Factor above which a sample is not limited by the level; `at`: share within which it is.
    above: f64,
    at: f64,
    /// The middle between the lower and the higher level.
    middle: f64,
}

impl Lower {
    pub fn of(levels: &Levels<'_>, found: &Move) -> Lower {
        let [before, after] = found.levels.map(|segment| segment.level);
        let scale = if found.bytes { found.bytes_each } else { 1.0 };
        let above = (1.0 + ABOVE).ln().max(ABOVE_DEVIATIONS * levels.noise).exp();
        let at = (1.0 + AT).ln().max(AT_DEVIATIONS * levels.noise).exp_m1();
        let middle = (before * after).sqrt() * scale;
        let rate = before.min(after) * scale;
        // However large the noise: a rate beyond the middle is nearer to the other level.
        Lower { rate, bytes: found.bytes, above: above.min(middle / rate), at, middle }
    }

    /// Returns the earning of the lower level since a time.
    fn earning(&self, since: f64) -> Earning {
        Earning { since, rate: self.rate, bytes: self.bytes, direction: None }
    }

    pub fn side(&self, spell: &Spell, sample: &Sample) -> Side {
        let each = if self.bytes { spell.bytes_each } else { 1.0 };
        let (rate, edges) = (sample.value * each, EDGES * each / (sample.to - sample.from));
        let at = (rate - self.rate).abs() <= self.at * self.rate + edges;
        if rate - edges > self.rate * self.above {
            return Side::Above;
        }
        if at && rate + edges < self.middle { Side::At } else { Side::Unknown }
    }
}

/// A sample in the window of a move.
#[derive(Clone, Copy)]
struct WindowSample<'s> {
    spell: &'s Spell,
    sample: Sample,
    side: Side,
}

/// Returns `found`, narrowed by the samples between its bounds.
pub(crate) fn placed(levels: &Levels<'_>, found: Move) -> Move {
    let lower = Lower::of(levels, &found);
    let seen = window(levels, &found, &lower);
    let edge = if found.ratio < 0.0 { fall(levels, &found, &seen, &lower) } else { rise(&seen) };
    let Some((low, high, at)) =
        edge.map(|edge| (edge.low.max(found.low), edge.high.min(found.high), edge.at))
    else {
        return found;
    };
    if low >= high {
        return found;
    }
    Move { low, high, at: at.unwrap_or(0.5 * (low + high)).clamp(low, high), ..found }
}

/// The times between which a move lies, and the likeliest time if known.
struct Edge {
    low: f64,
    high: f64,
    at: Option<f64>,
}

/// Returns the samples between the bounds of a move, of its direction, and of the other if that shares the limit.
fn window<'s>(levels: &Levels<'s>, found: &Move, lower: &Lower) -> Vec<WindowSample<'s>> {
    let sides = |spell: &'s Spell| {
        spell.fine.iter().map(move |sample| WindowSample {
            spell,
            sample: *sample,
            side: lower.side(spell, sample),
        })
    };
    let own = |spell: &&Spell| spell.direction == found.direction;
    let all = found.ratio < 0.0 && is_shared(levels, found, lower);
    let within = |seen: &WindowSample<'_>| seen.sample.to > found.low && seen.sample.from < found.high;
    let spells = levels.spells.iter().filter(|spell| all || own(spell));
    spells.flat_map(sides).filter(within).collect()
}

/// Whether both directions share the limit: together they have taken no more since than the lower level allows.
fn is_shared(levels: &Levels<'_>, found: &Move, lower: &Lower) -> bool {
    lower.earning(found.high).explains(&levels.flows, f64::INFINITY)
}

/// Locates a fall after a sample above, if the earnings of the lower level since explain all that came later.
fn fall(levels: &Levels<'_>, found: &Move, seen: &[WindowSample<'_>], lower: &Lower) -> Option<Edge> {
    let is_last = |at: &usize| {
        let next = seen.get(at + 1);
        // What was served between the two may have been of either level.
        let since = next.map_or(f64::MIN, |next| next.sample.from).max(seen[*at].sample.to);
        seen[*at].side == Side::Above
            && next.map(|next| next.side) != Some(Side::Above)
            && lower.earning(since).explains(&levels.flows, found.high)
    };
    let last = (0..seen.len()).find(is_last)?;
    let behind = seen[last + 1..].iter().position(|seen| seen.side == Side::At).map(|at| last + 1 + at);
    let high = behind.map_or(found.high, |at| seen[at].sample.to);
    let low = seen[last].sample.from;
    // In samples of few operations, hardly any is surely above; all I/O since shows when the savings were spent.
    let spent = || lower.earning(low).spent_up(&levels.flows, high);
    let wide = high - low > WIDE_S && is_shared(levels, found, lower);
    let at = if wide { spent() } else { None }.or_else(|| moment(seen, last, behind));
    Some(Edge { low, high, at })
}

/// Returns the moment within the last sample above, by its excess; if no other sample adjoins it, the middle between it
/// and the next at the level.
fn moment(seen: &[WindowSample<'_>], last: usize, behind: Option<usize>) -> Option<f64> {
    let one = seen[last];
    let joins = |a: &WindowSample<'_>, b: &WindowSample<'_>| {
        a.spell.step == b.spell.step && (b.sample.from - a.sample.to).abs() < TOUCH
    };
    let next = seen.get(last + 1).filter(|next| joins(&one, next));
    let before = last.checked_sub(1).map(|at| &seen[at]).filter(|before| joins(before, &one));
    let (Some(next), Some(before)) = (next, before) else {
        let next = seen[behind?].sample;
        return Some(0.5 * (one.sample.to + next.from.max(one.sample.to)));
    };
    let share = (one.sample.value - next.sample.value) / (before.sample.value - next.sample.value);
    // At the end of the sample if it had as much as the one before: the next then contains the rest.
    Some(one.sample.from + share.clamp(0.0, 1.0) * (one.sample.to - one.sample.from))
}

/// Locates a rise before the first sample above, and after the last one before it that was at the lower level.
fn rise(seen: &[WindowSample<'_>]) -> Option<Edge> {
    let first = seen.iter().position(|seen| seen.side == Side::Above)?;
    let before = seen[..first].iter().rev().find(|seen| seen.side == Side::At)?;
    Some(Edge { low: before.sample.from, high: seen[first].sample.to, at: None })
}
