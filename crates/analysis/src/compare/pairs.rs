//! Sides that were loaded in turns: which of their figures make pairs, and what the pairs show.
//!
//! Whatever drifts slowly (a neighbour, the hour, a cache that fills) affects both sides of a pair, and the order
//! within a pair is drawn: so the sign of a difference between two equal volumes is that of a coin, whatever the
//! distribution, and the signed rank test is exact (method 11).

use std::collections::{BTreeMap, BTreeSet};

use statistics::Stream;
use statistics::compare::Shift;
use statistics::distribution::{t_cdf, t_quantile};
use statistics::paired::{
    detectable, false_discovery, paired_shift, pairs_needed, signed_rank_p, spread, typical,
};
use statistics::wander::levels;
use workload::TurnsRequest;

use super::ratio::{Answer, Basis, Pairs, Ratio, Sample};
use super::row::Row;
use super::side::Side;
use super::straying;
use crate::significance::{ALPHA, POWER, of_one_load};

/// Turns of pure noise on which a plan is tried to forecast what it shows, in the number of comparisons that `TRIED` bounds.
const TRIED_TURNS: usize = 20_000;
const TRIED: (usize, usize) = (40, 200);
/// Most blocks that are ever proposed.
const BLOCKS_MOST: usize = 1000;

/// A figure's place among the pairs: the comparison and the block within it.
pub(super) type Block = (String, u32);

/// The figures of one side, block by block.
pub(super) type ByBlock = BTreeMap<Block, Sample>;

/// Forecasts the least difference in the figures of one load alone, out of `loads`, that such a plan shows in four
/// comparisons of five, as a multiple of the coefficient of variation between turns. The plan is tried on noise: to
/// believe a difference, such a comparison needs one as large as its interval reaches. `None` if no difference would
/// suffice.
pub fn reach(blocks: usize, looks: usize, loads: usize) -> Option<f64> {
    let alpha = of_one_load(ALPHA / looks.max(1) as f64, loads);
    let tried = (TRIED_TURNS / (blocks * loads).max(1)).clamp(TRIED.0, TRIED.1);
    let mut stream = Stream::new(1, blocks as u64);
    let mut needed_once = |_| {
        let mut of_load = |_| (0..blocks).map(|_| std::f64::consts::SQRT_2 * stream.normal()).collect();
        let noise: Vec<Vec<f64>> = (0..loads.max(1)).map(&mut of_load).collect();
        let ranked = paired_shift(&noise[0], 1.0 - alpha)?;
        let level = levels(&noise)?.swap_remove(0);
        Some(-ranked.lo.min(level.quantile(alpha / 2.0)))
    };
    let needed: Option<Vec<f64>> = (0..tried).map(&mut needed_once).collect();
    statistics::quantile::quantile(&needed?, POWER)
}

/// Returns what the runs of all sides were asked, if every one of them was loaded in turns with the others.
pub(super) fn asked(sides: &[Side]) -> Option<&TurnsRequest> {
    let of = |side: &'_ Side| -> Option<(BTreeSet<String>, BTreeSet<u8>)> {
        let asks: Option<Vec<&TurnsRequest>> = side.runs.iter().map(|run| run.in_turns()).collect();
        let asks = asks?;
        Some((
            asks.iter().map(|ask| ask.comparison.clone()).collect(),
            asks.iter().map(|ask| ask.side).collect(),
        ))
    };
    let told: Option<Vec<_>> = sides.iter().map(of).collect();
    let told = told?;
    let (comparisons, _) = told.first()?;
    let numbers: BTreeSet<u8> = told.iter().flat_map(|(_, numbers)| numbers.iter().copied()).collect();
    // Each side is one side of the same comparisons, and no two are the same side.
    let paired = told.iter().all(|(of, number)| of == comparisons && number.len() == 1)
        && numbers.len() == sides.len();
    paired.then(|| sides.first()?.runs.first()?.in_turns()).flatten()
}

/// Returns how `other` compares with `first`, block by block; `None` if no block has both.
pub(super) fn ratio((first, other): (&ByBlock, &ByBlock), ask: &TurnsRequest) -> Option<Ratio> {
    let mut by_comparison: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (block, a) in first {
        if let Some(b) = other.get(block) {
            by_comparison.entry(&block.0).or_default().push((b.value / a.value).ln());
        }
    }
    let groups: Vec<Vec<f64>> = by_comparison.into_values().collect();
    match groups.as_slice() {
        [] => None,
        [only] => Some(of_one(only, ask)),
        _ => of_several(&groups, ask),
    }
}

/// Returns the ratio of one comparison: the median of the Walsh averages of the logarithms, with the interval that
/// inverts the signed rank test.
fn of_one(logs: &[f64], ask: &TurnsRequest) -> Ratio {
    // If the result is looked at several times, each look has its part of the error (Bonferroni): valid whatever
    // happens in between.
    let looks = ask.look_at.len().max(1) as f64;
    let alpha = ALPHA / looks;
    let alone = of_one_load(alpha, ask.loads.len());
    let noise = spread(logs);
    let shown = noise.and_then(|noise| detectable(noise, logs.len(), (alone, POWER)));
    let pairs = Pairs {
        blocks: logs.len(),
        comparisons: 1,
        p: (signed_rank_p(logs) * looks).min(1.0),
        false_discovery: 1.0,
        equivalence: paired_shift(logs, 1.0 - 2.0 * alpha).map(ends),
        margin: ask.margin,
        detectable: shown.map(f64::exp_m1),
        wanders: 0.0,
        strays_slowly: false,
        between: None,
    };
    let needed =
        noise.and_then(|noise| pairs_needed(ask.margin.ln_1p() / noise, (alone, POWER), BLOCKS_MOST));
    Ratio {
        value: typical(logs).unwrap_or_default().exp(),
        interval: paired_shift(logs, 1.0 - alpha).map(ends),
        by_rounding: None,
        basis: Basis::Pairs { blocks: logs.len(), comparisons: 1 },
        answer: Answer::Undecided { runs: needed.unwrap_or(BLOCKS_MOST).max(logs.len() + 1) },
        pairs: Some(pairs),
    }
}

fn ends(shift: Shift) -> (f64, f64) {
    (shift.lo.exp(), shift.hi.exp())
}

/// Returns the ratio of several comparisons (other volumes, other hours). Volume and hour are drawn too, so the
/// comparison is the unit: the mean of the shifts, with a t interval over them that covers what differs between
/// volumes and between hours.
fn of_several(groups: &[Vec<f64>], ask: &TurnsRequest) -> Option<Ratio> {
    let shifts: Vec<f64> = groups.iter().filter_map(|logs| typical(logs)).collect();
    let (count, blocks) = (shifts.len(), groups.iter().map(Vec::len).sum());
    let mean = shifts.iter().sum::<f64>() / count as f64;
    let between = spread(&shifts)?;
    let (error, df) = (between / (count as f64).sqrt(), (count - 1) as f64);
    let within = |level: f64| {
        let half = t_quantile(f64::midpoint(level, 1.0), df) * error;
        ((mean - half).exp(), (mean + half).exp())
    };
    let p = match error > 0.0 {
        true => 2.0 * t_cdf(-(mean / error).abs(), df),
        false if mean == 0.0 => 1.0,
        false => 0.0,
    };
    let reach = (t_quantile(1.0 - ALPHA / 2.0, df) + t_quantile(POWER, df)) * error;
    let pairs = Pairs {
        blocks,
        comparisons: count,
        p,
        false_discovery: 1.0,
        equivalence: Some(within(1.0 - 2.0 * ALPHA)),
        margin: ask.margin,
        detectable: Some(reach.exp_m1()),
        wanders: 0.0,
        strays_slowly: false,
        between: Some(between.exp_m1()),
    };
    Some(Ratio {
        value: mean.exp(),
        interval: Some(within(1.0 - ALPHA)),
        by_rounding: None,
        basis: Basis::Pairs { blocks, comparisons: count },
        // `decide` raises this to the number that the rows require.
        answer: Answer::Undecided { runs: blocks + 1 },
        pairs: Some(pairs),
    })
}

/// Decides on all rows together: of many rows some differ by chance, so each is believed by its share of false
/// alarms among all that are believed.
pub(super) fn decide(rows: &mut [Row], ask: &TurnsRequest) {
    straying::widen(rows, ask.look_at.len(), ask.loads.len());
    let mut ratios: Vec<&mut Ratio> =
        rows.iter_mut().flat_map(|row| row.ratios.iter_mut().flatten()).collect();
    let p: Vec<f64> = ratios.iter().map(|ratio| ratio.pairs.map_or(1.0, |pairs| pairs.p)).collect();
    let least = least_blocks(p.len());
    for (ratio, share) in ratios.iter_mut().zip(false_discovery(&p)) {
        let Some(pairs) = &mut ratio.pairs else { continue };
        pairs.false_discovery = share;
        ratio.answer = match (is_within(pairs), share <= ALPHA, ratio.answer) {
            (true, ..) => Answer::Same,
            (false, true, _) => Answer::Differs,
            (false, false, Answer::Undecided { runs }) => Answer::Undecided { runs: runs.max(least) },
            (false, false, other) => other,
        };
    }
}

/// Returns the fewest blocks with which a single one of `rows` rows can be believed: the signed rank test has no
/// smaller error than 2/2ⁿ.
fn least_blocks(rows: usize) -> usize {
    1 + (rows.max(1) as f64 / ALPHA).log2().ceil() as usize
}

/// Whether the equivalence interval lies within the margin.
fn is_within(pairs: &Pairs) -> bool {
    let inside = |(low, high): (f64, f64)| low > 1.0 - pairs.margin && high < 1.0 + pairs.margin;
    pairs.equivalence.is_some_and(inside)
}
