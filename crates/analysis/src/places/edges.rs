//! The edges at which the level of a series over position changes: detected by segments of the series, then placed
//! between two readings.

use statistics::quantile::{median, quantile};
use statistics::segments::{Rule, Sample, segments};

use super::looks::Span;
use super::readings::UNIT;

/// Readings per value of the series: the median of this many is not moved by one or two slow readings.
const READINGS: usize = 6;
/// Shortest region, in values of the series.
const LEAST: f64 = 3.0;
/// Least share by which a level must change: tails and neighbours cause smaller changes.
const SHARE: f64 = 0.3;
/// Least noise assumed, as a share of the level.
const FLOOR: f64 = 0.02;
/// Greatest loss of log-likelihood (natural logarithm) against the likeliest place of an edge: seven in a thousand.
const LIKELY: f64 = 5.0;
/// Most values of a series, as in the default rule of `statistics::segments`.
const MOST: usize = 2000;

/// A reading at an offset in bytes, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) offset: u64,
    pub(crate) ns: f64,
}

/// The edge between two levels: it lies beyond `after`, and not beyond `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) after: u64,
    pub(crate) before: u64,
}

impl Edge {
    pub(crate) fn middle(self) -> u64 {
        self.after + (self.before - self.after) / 2
    }

    pub(crate) fn width(self) -> u64 {
        self.before - self.after
    }
}

/// Returns the edges of `readings`, which rise in their offsets.
pub(crate) fn edges(readings: &[Reading]) -> Vec<Edge> {
    let values: Vec<&[Reading]> = readings.chunks(READINGS).collect();
    let samples: Vec<Sample> =
        values.iter().enumerate().filter_map(|(at, chunk)| sample(at, chunk)).collect();
    let rule = Rule { least: LEAST, share: SHARE, cell: 1.0, most: MOST, floor: noise(&samples).max(FLOOR) };
    let cut = segments(&samples, &rule);
    let bounds: Vec<usize> = std::iter::once(0)
        .chain(cut.changes.iter().map(|change| (change.at.round() as usize * READINGS).min(readings.len())))
        .chain([readings.len()])
        .collect();
    bounds
        .windows(3)
        .filter_map(|around| place(&readings[around[0]..around[2]], around[1] - around[0]))
        .collect()
}

/// Returns the noise of the noisier parts of the series, as a share of its level: parts that are answered without any
/// I/O have no noise, and next to them the noise of the rest would look like edges.
fn noise(samples: &[Sample]) -> f64 {
    let differences: Vec<f64> =
        samples.windows(2).map(|pair| (pair[1].value / pair[0].value).ln().abs()).collect();
    // Four fifths of the differences of two normal values lie within 1.28 of their deviations, times the root of two.
    quantile(&differences, 0.8).unwrap_or(0.0) / (1.28 * std::f64::consts::SQRT_2)
}

fn sample(at: usize, chunk: &[Reading]) -> Option<Sample> {
    let value = median(&chunk.iter().map(|reading| reading.ns).collect::<Vec<_>>())?;
    Some(Sample { from: at as f64, to: at as f64 + 1.0, value })
}

/// Returns the edge among the `readings` of two neighbouring levels, of which about the first `left` belong to the
/// first level. The edge covers all places nearly as likely as the likeliest, given the share of each level's own
/// readings that lie beyond the middle. If latency has a second mode, some readings of one level look like the other's;
/// near the edge they must not be mistaken for it.
fn place(readings: &[Reading], left: usize) -> Option<Edge> {
    let (before, after) = readings.split_at_checked(left)?;
    let levels = (level(before)?, level(after)?);
    let middle = (levels.0 * levels.1).sqrt();
    let looks_left = |reading: &Reading| (reading.ns < middle) == (levels.0 < levels.1);
    let (stays, strays) = (share(before, looks_left), share(after, looks_left));
    // Gain in log-likelihood of "the edge lies after it" from each reading.
    let gain = |reading: &Reading| match looks_left(reading) {
        true => (stays / strays).ln(),
        false => ((1.0 - stays) / (1.0 - strays)).ln(),
    };
    // The search ends at the middle of either level, so that two edges of one series do not meet.
    let (from, to) = (left / 2, left + after.len() / 2);
    let mut sum = 0.0;
    let mut likelihoods = vec![0.0];
    for reading in &readings[from..to] {
        sum += gain(reading);
        likelihoods.push(sum);
    }
    let most = likelihoods.iter().copied().reduce(f64::max)?;
    let near = |likelihood: &f64| *likelihood >= most - LIKELY;
    let first = from + likelihoods.iter().position(near)?;
    let last = from + likelihoods.iter().rposition(near)?;
    let after = readings.get(first.saturating_sub(1))?.offset;
    let before = readings.get(last).or(readings.last())?.offset;
    // A unit loaded as one piece may reach beyond a reading, so the edge may lie one unit further out.
    (before > after).then(|| Edge { after: after.saturating_sub(UNIT), before: before + UNIT })
}

fn level(readings: &[Reading]) -> Option<f64> {
    median(&readings.iter().map(|reading| reading.ns).collect::<Vec<_>>())
}

/// Returns the share of `readings` for which `looks` holds, never 0 or 1, which a few readings cannot show.
fn share(readings: &[Reading], looks: impl Fn(&Reading) -> bool) -> f64 {
    let count = readings.iter().filter(|reading| looks(reading)).count();
    (count as f64 + 0.5) / (readings.len() as f64 + 1.0)
}

/// Keeps the edges between parts of at least `least` readings; those of a shorter part become one uncertain edge.
pub(crate) fn apart(edges: Vec<Edge>, places: &[u64], least: usize) -> Vec<Edge> {
    let within = |from: u64, to: u64| {
        places
            .partition_point(|place| *place < to)
            .saturating_sub(places.partition_point(|place| *place < from))
    };
    let mut kept: Vec<Edge> = Vec::new();
    for edge in edges {
        let from = kept.last().map_or(0, |last| last.before);
        match kept.last_mut() {
            _ if within(from, edge.after) >= least => kept.push(edge),
            Some(last) => last.before = edge.before,
            None => {}
        }
    }
    if kept.last().is_some_and(|last| within(last.before, u64::MAX) < least) {
        kept.pop();
    }
    kept
}

/// Merges several lists of edges into one; of overlapping edges, the narrowest is kept.
pub(crate) fn together(lists: &[Vec<Edge>], volume: Span) -> Vec<Edge> {
    let mut all: Vec<Edge> = lists.iter().flatten().copied().collect();
    all.sort_by_key(|edge| (edge.after, edge.width()));
    let mut kept: Vec<Edge> = Vec::new();
    for edge in all.into_iter().filter(|edge| volume.holds(edge.after)) {
        match kept.last_mut() {
            Some(last) if edge.after <= last.before => {
                if edge.width() < last.width() {
                    *last = edge;
                }
            }
            _ => kept.push(edge),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use statistics::Stream;

    fn series(levels: &[(u64, f64)], tail: f64) -> Vec<Reading> {
        let mut random = Stream::new(3, 3);
        let mut readings = Vec::new();
        for place in 0..1200u64 {
            let level = levels.iter().rev().find(|(from, _)| *from <= place).unwrap().1;
            let odd = if random.unit_f64() < tail { 20.0 } else { 1.0 };
            readings.push(Reading {
                offset: place << 20,
                ns: level * odd * (1.0 + 0.1 * random.normal()).max(0.5),
            });
        }
        readings
    }

    #[test]
    fn the_edges_of_levels_lie_between_two_readings_also_amid_tails() {
        for tail in [0.0, 0.02] {
            let found = edges(&series(&[(0, 8e5), (300, 3e7), (700, 8e5), (1000, 1e5)], tail));
            assert_eq!(found.len(), 3, "{tail}: {found:?}");
            for (edge, truth) in found.iter().zip([300u64 << 20, 700 << 20, 1000 << 20]) {
                assert!(edge.after < truth && truth <= edge.before, "{tail}: {edge:?} of {truth}");
                assert!(edge.width() <= 8 << 20, "{tail}: {edge:?}");
            }
        }
    }

    #[test]
    fn an_interval_holds_its_edge_where_some_readings_of_one_level_are_as_slow_as_the_other() {
        let (mut missed, mut widths) = (0, 0);
        for seed in 0..1000u64 {
            let mut random = Stream::new(seed, 9);
            let mut reading = |place: u64| {
                let slow = if random.unit_f64() < 0.3 { 3.0 } else { 1.0 };
                let longer = if place < 300 { 0.0 } else { 12e6 };
                let ns = 6e6 * slow * (1.0 + 0.1 * random.normal()) + longer;
                Reading { offset: place << 20, ns }
            };
            let readings: Vec<Reading> = (0..600).map(&mut reading).collect();
            // Segments of medians locate the edge within a few readings.
            let edge = place(&readings, 294 + (seed % 13) as usize).unwrap();
            missed += usize::from(edge.after >= 300 << 20 || edge.before < 300 << 20);
            widths += edge.width() >> 20;
        }
        assert!(missed <= 15 && widths < 9_000, "{missed} of 1000 intervals miss their edge, {widths} MiB");
    }

    #[test]
    fn one_level_has_no_edge() {
        assert_eq!(edges(&series(&[(0, 8e5)], 0.02)), []);
        assert_eq!(edges(&[]), []);
    }
}
