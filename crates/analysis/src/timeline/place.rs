//! Where in time a move lies: after the last sample that had more than the lower level gives and before the next
//! that is at it, whatever load they are of.

use statistics::segments::Sample;

use super::flow::Earning;
use super::level_change::Move;
use super::levels::Levels;
use super::spells::Spell;

/// Share above the lower level beyond which a sample is not limited by it, but at least `ABOVE_DEVIATIONS` of the noise.
const ABOVE: f64 = 0.1;
const ABOVE_DEVIATIONS: f64 = 4.0;
/// Share within which a sample is at the lower level, or `AT_DEVIATIONS` of the noise if that is more.
const AT: f64 = 0.03;
const AT_DEVIATIONS: f64 = 2.0;
/// Operations by which the edges of a sample cut: one at each end.
const EDGES: f64 = 2.0;
/// Seconds within which its samples must place a fall; otherwise all that came through does.
const WIDE_S: f64 = 2.0;
/// Seconds within which two times are one.
const TOUCH: f64 = 1e-3;

/// On which side of a move a sample lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// It had more than the lower level gives.
    Above,
    /// It had just what the lower level gives.
    At,
    /// Not known: its load may have asked for no more, or something else limited it.
    Unknown,
}

/// What the lower level of a move gives, in what moved.
#[derive(Clone, Copy)]
pub(super) struct Lower {
    pub rate: f64,
    pub bytes: bool,
    /// Factor above which a sample is not limited by it; `at` is the share within which it is.
    above: f64,
    at: f64,
    /// The middle between it and the higher level.
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
        // However large the noise is: what is beyond the middle is nearer to the other level.
        Lower { rate, bytes: found.bytes, above: above.min(middle / rate), at, middle }
    }

    /// Returns what it has earned since a time.
    fn earning(&self, since: f64) -> Earning {
        Earning { since, rate: self.rate, bytes: self.bytes }
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

/// Returns `found`, as narrow as the samples between its bounds make it.
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

/// The times between which a move lies, and the likeliest if that is known.
struct Edge {
    low: f64,
    high: f64,
    at: Option<f64>,
}

/// Returns the samples between the bounds of a move, of its direction, and of the other if that shares what fell.
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

/// Whether both directions share what moved: what they have taken together since is no more than the lower level gives.
fn is_shared(levels: &Levels<'_>, found: &Move, lower: &Lower) -> bool {
    lower.earning(found.high).explains(&levels.flows, f64::INFINITY)
}

/// Places a fall after a sample that had more, if all that came later is explained by what the lower level earned meanwhile.
fn fall(levels: &Levels<'_>, found: &Move, seen: &[WindowSample<'_>], lower: &Lower) -> Option<Edge> {
    let is_last = |at: &usize| {
        let next = seen.get(at + 1).map(|next| next.side);
        let since = seen[*at].sample.to;
        seen[*at].side == Side::Above
            && next != Some(Side::Above)
            && lower.earning(since).explains(&levels.flows, found.high)
    };
    let last = (0..seen.len()).find(is_last)?;
    let behind = seen[last + 1..].iter().position(|seen| seen.side == Side::At).map(|at| last + 1 + at);
    let high = behind.map_or(found.high, |at| seen[at].sample.to);
    let low = seen[last].sample.from;
    // Of samples with a few operations, hardly one surely had more; all that came since shows when no more was left.
    let spent = || lower.earning(low).spent_up(&levels.flows, high);
    let wide = high - low > WIDE_S && is_shared(levels, found, lower);
    let at = if wide { spent() } else { None }.or_else(|| moment(seen, last, behind));
    Some(Edge { low, high, at })
}

/// Returns the moment within the last sample that had more, by how much more it had; if no other followed at once,
/// the middle between it and the next at the level.
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
    // At its end if this sample had as much as the one before it: the next then holds what is left of it.
    Some(one.sample.from + share.clamp(0.0, 1.0) * (one.sample.to - one.sample.from))
}

/// Places a rise before the first sample that had more, and after the last one before it that was at the lower level.
fn rise(seen: &[WindowSample<'_>]) -> Option<Edge> {
    let first = seen.iter().position(|seen| seen.side == Side::Above)?;
    let before = seen[..first].iter().rev().find(|seen| seen.side == Side::At)?;
    Some(Edge { low: before.sample.from, high: seen[first].sample.to, at: None })
}
