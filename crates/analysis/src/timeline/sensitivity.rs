//! The smallest change of the level that a run would have shown, whenever it came.

use super::levels::{Levels, Stretch};
use super::moves::{compared_with, noticed};

/// Standard errors by which a change must exceed the least that is noticed, to be missed in one run of twenty.
const SURE: f64 = 1.645;

/// Share of the time for which the printed change surely shows: at the end, few loads are left to compare with.
const MOST: f64 = 0.9;

/// Two stretches of one load that are compared: a change between them shows.
struct Compared {
    from: f64,
    to: f64,
    /// Logarithm of the ratio that is surely noticed.
    least: f64,
}

/// Returns the smallest change that surely shows, as a share of the level, at nearly any time between the first and the
/// last stretch: of the smallest operations, and of the largest; `None` if nothing is measured twice.
pub(crate) fn sensitivity(levels: &Levels<'_>) -> [Option<f64>; 2] {
    let sizes = || levels.stretches.iter().map(|stretch| stretch.spell.bytes_each);
    let ends = [sizes().reduce(f64::min), sizes().reduce(f64::max)];
    let of_size = |size: f64| {
        let pairs = pairs(levels, |stretch| (stretch.spell.bytes_each / size - 1.0).abs() < 0.01);
        (!pairs.is_empty()).then(|| -(-worst(&pairs)).exp_m1())
    };
    ends.map(|size| of_size(size?))
}

fn pairs(levels: &Levels<'_>, alike: impl Fn(&Stretch<'_>) -> bool) -> Vec<Compared> {
    let pair = |number: usize| {
        let later = &levels.stretches[number];
        let earlier = compared_with(&levels.stretches[..number], later).filter(|_| alike(later))?;
        let (least, error) = noticed(levels, [earlier, later]);
        Some(Compared { from: earlier.segment.to, to: later.segment.from, least: least + SURE * error })
    };
    (0..levels.stretches.len()).filter_map(pair).collect()
}

/// Returns the least change that is noticed during `MOST` of the time between the first and the last pair.
fn worst(pairs: &[Compared]) -> f64 {
    let mut times: Vec<f64> = pairs.iter().flat_map(|pair| [pair.from, pair.to]).collect();
    times.sort_by(f64::total_cmp);
    // Where no pair lies about a time, a stretch does, within which a change shows.
    let noticed = |ends: &[f64]| {
        let middle = 0.5 * (ends[0] + ends[1]);
        let there = pairs.iter().filter(|pair| pair.from <= middle && middle <= pair.to);
        Some((there.map(|pair| pair.least).reduce(f64::min)?, ends[1] - ends[0]))
    };
    let mut noticed: Vec<(f64, f64)> = times.windows(2).filter_map(noticed).collect();
    noticed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = noticed.iter().map(|(_, seconds)| seconds).sum();
    let mut passed = 0.0;
    let at = noticed.iter().find(|(_, seconds)| {
        passed += seconds;
        passed >= MOST * all
    });
    at.map_or(f64::INFINITY, |(least, _)| *least)
}
