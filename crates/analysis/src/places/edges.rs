//! Where the level of a series over position changes: found by segments of the series, then placed between two readings.

use statistics::quantile::{median, quantile};
use statistics::segments::{Rule, Sample, segments};

use super::looks::Span;
use super::readings::UNIT;

/// Readings that make one value of the series: a median over so many is not moved by a slow one or two.
const READINGS: usize = 6;
/// Shortest region, in values of the series.
const LEAST: f64 = 3.0;
/// Least share by which a level must change: smaller ones are within what tails and neighbours do.
const SHARE: f64 = 0.3;
/// Noise below this share of a level is not believed.
const FLOOR: f64 = 0.02;
/// Most values of a series, as elsewhere.
const MOST: usize = 2000;

/// A reading at a place, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) offset: u64,
    pub(crate) ns: f64,
}

/// The edge between two levels: it lies behind `after`, and not behind `before`.
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

/// The edges of `readings`, which rise in their offsets.
pub(crate) fn edges(readings: &[Reading]) -> Vec<Edge> {
    let values: Vec<&[Reading]> = readings.chunks(READINGS).collect();
    let samples: Vec<Sample> =
        values.iter().enumerate().filter_map(|(at, chunk)| sample(at, chunk)).collect();
    let rule = Rule { least: LEAST, share: SHARE, cell: 1.0, most: MOST, floor: noise(&samples).max(FLOOR) };
    let cut = segments(&samples, &rule);
    let level = |number: usize| {
        let segment = &cut.segments[number];
        let (from, to) = (segment.from.ceil() as usize, segment.to.floor() as usize);
        let held: Vec<f64> = values[from.min(to)..to.min(values.len())]
            .iter()
            .copied()
            .flatten()
            .map(|reading| reading.ns)
            .collect();
        median(&held)
    };
    let placed = |change: &statistics::segments::Change| {
        let levels = (level(change.segment - 1)?, level(change.segment)?);
        let from = (change.low.floor() as usize).saturating_sub(1) * READINGS;
        let to = ((change.high.ceil() as usize + 1) * READINGS).min(readings.len());
        place(&readings[from..to], levels)
    };
    cut.changes.iter().filter_map(placed).collect()
}

/// The noise of the noisier parts of the series, as a share of its level: parts that answer from nothing have none, and beside them
/// that of the rest would look like edges.
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

/// The edge among `readings` around it: where the fewest lie on the wrong side of the geometric mean of both levels. All
/// places that are as good belong to its interval.
fn place(readings: &[Reading], (left, right): (f64, f64)) -> Option<Edge> {
    let middle = (left * right).sqrt();
    let is_left = |reading: &Reading| (reading.ns < middle) == (left < right);
    let mut wrong = readings.iter().filter(|reading| is_left(reading)).count();
    let mut costs = vec![wrong];
    for reading in readings {
        wrong = if is_left(reading) { wrong - 1 } else { wrong + 1 };
        costs.push(wrong);
    }
    let least = *costs.iter().min()?;
    // One reading that went astray beside the edge moves it: where some did, one more is allowed for.
    let most = if least == 0 { 0 } else { least + 1 };
    let good = |cost: &usize| *cost <= most;
    let (first, last) = (costs.iter().position(good)?, costs.iter().rposition(good)?);
    let after = readings.get(first.checked_sub(1).unwrap_or(first))?.offset;
    let before = readings.get(last).or(readings.last())?.offset;
    // What loads as one may have been loaded from the other side of a reading.
    (before > after).then(|| Edge { after: after.saturating_sub(UNIT), before: before + UNIT })
}

/// The edges between parts that hold `least` readings or more: what is shorter belongs to one uncertain edge.
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

/// One list of edges of several: of those that overlap, the narrowest.
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
    fn one_level_has_no_edge() {
        assert_eq!(edges(&series(&[(0, 8e5)], 0.02)), []);
        assert_eq!(edges(&[]), []);
    }
}
