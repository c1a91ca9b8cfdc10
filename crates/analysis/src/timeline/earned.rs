//! Bursts that return because a bucket earned under a light load: they belong to one fall, and are no further changes.

use statistics::segments::Sample;
use workload::Direction;

use super::flow::Earning;
use super::level_change::Move;
use super::levels::Levels;
use super::place::{Lower, Side};
use super::spells::Spell;

/// Greatest share of the earnings left by bursts that end within their steps; with more left, no bucket ended them.
const LEFT: f64 = 0.4;
/// Uncertainty of an edge between two samples, in seconds of the lower level's rate.
const EDGE_S: f64 = 0.5;

/// A burst at the beginning of a step, in seconds of the run's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    pub from: f64,
    pub to: f64,
    /// Whether the burst ended before the step did.
    ends: bool,
}

impl Burst {
    /// Whether the burst overlaps the span between these times.
    pub fn meets(&self, from: f64, to: f64) -> bool {
        self.from < to && from < self.to
    }
}

/// The changes of a run, and its earned bursts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// Changes from one level to another, in the order of time.
    pub moves: Vec<Move>,
    /// Bursts after a fall that the earnings since paid for.
    pub earned: Vec<Burst>,
}

/// Returns `moves` without those of bursts that the earnings since the first fall pay for, and the spans of these
/// bursts. All of them, or none: if one burst contradicts it, no bucket explains the others.
pub(crate) fn without_earned(moves: Vec<Move>, levels: &Levels<'_>) -> Moves {
    let Some(fall) = moves.first().filter(|first| first.ratio < 0.0) else {
        return Moves { moves, earned: Vec::new() };
    };
    // A bucket for both directions, or else one for the direction that fell.
    let of_one = || fall.direction.and_then(|_| bursts(fall, levels, fall.direction));
    let Some(earned) = bursts(fall, levels, None).or_else(of_one).filter(|earned| !earned.is_empty()) else {
        return Moves { moves, earned: Vec::new() };
    };
    let of_burst = |one: &Move| {
        let near = |at: f64| one.low <= at && at <= one.high;
        let within = |burst: &Burst| one.low >= burst.from && one.high <= burst.to;
        earned.iter().any(|burst| near(burst.from) || near(burst.to) || within(burst))
    };
    let rest = moves[1..].iter().filter(|one| !of_burst(one));
    let kept: Vec<Move> = moves.iter().take(1).chain(rest).copied().collect();
    match kept.iter().all(|one| one.ratio < 0.0) {
        true => Moves { moves: kept, earned },
        false => Moves { moves, earned: Vec::new() },
    }
}

/// Returns the bursts after a fall; `None` if the earnings do not explain all I/O, or all of one direction.
fn bursts(fall: &Move, levels: &Levels<'_>, direction: Option<Direction>) -> Option<Vec<Burst>> {
    let lower = Lower::of(levels, fall);
    let earning = Earning { since: fall.high, rate: lower.rate, bytes: lower.bytes, direction };
    let mut bursts: Vec<Burst> = Vec::new();
    let is_paid = |spell: &&Spell| direction.is_none() || spell.direction == direction;
    for spell in levels.spells.iter().filter(is_paid) {
        bursts.extend(leading(spell, fall.high, &lower)?);
    }
    let balances: Option<Vec<(f64, f64)>> =
        earning.balances(&levels.flows).map(|(flow, balance)| Some((flow.to, balance?))).collect();
    let balances = balances?;
    let at = |time: f64| {
        let before = balances.iter().take_while(|(to, _)| *to <= time + 1e-3).last();
        before.map_or(0.0, |(_, balance)| *balance)
    };
    // A burst that ends leaves nothing: what the balance has then was not earned, because an I/O may be charged as several.
    let (mut missing, mut had, mut left) = (0.0, 0.0, 0.0);
    for burst in bursts.iter().filter(|burst| burst.ends) {
        (had, left) = (had + at(burst.from) - missing, left + at(burst.to) - missing);
        missing = at(burst.to);
    }
    (left <= LEFT * had + EDGE_S * lower.rate).then_some(bursts)
}

/// Returns the burst with which a spell begins, if any; `None` if a burst begins in the middle: nothing is earned while
/// more is asked for than served.
fn leading(spell: &Spell, since: f64, lower: &Lower) -> Option<Vec<Burst>> {
    let behind: Vec<_> = spell.fine.iter().filter(|sample| sample.from >= since - 1e-3).collect();
    // A count that only makes up for the one before, which came late, is not above.
    let made_up = |at: usize| {
        let before = behind[at.saturating_sub(1)];
        let mean = Sample { value: (before.value + behind[at].value) / 2.0, ..*behind[at] };
        lower.side(spell, &mean) != Side::Above
    };
    let above = |at: &usize| lower.side(spell, behind[*at]) == Side::Above && !made_up(*at);
    let burst: Vec<usize> = (0..behind.len()).filter(above).collect();
    let (Some(first), Some(last)) = (burst.first(), burst.last()) else { return Some(Vec::new()) };
    if *first > 0 || *last + 1 != burst.len() {
        return None;
    }
    // The sample in which the burst ends contains a part of it.
    let to = behind.get(last + 1).map_or(behind[*last].to, |next| next.to);
    Some(vec![Burst { from: behind[0].from, to, ends: last + 1 < behind.len() }])
}
