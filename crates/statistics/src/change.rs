//! Change points: where a series leaves one level for another.

use crate::quantile::median_in_place;
use crate::random::Stream;
use crate::usable;

/// How to look for change points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// Fewest values between two changes and at either end; at least 1 counts.
    pub min_segment: usize,
    /// Smallest difference of two neighbouring medians that counts, as a share of the smaller one.
    pub min_magnitude: f64,
    /// Values that are shuffled as one: twice the autocorrelation time, so that dependence makes no changes; at least 1 counts.
    pub block: usize,
    /// Largest chance at which a series without a change may show one in one search.
    pub p_max: f64,
    /// Shufflings a search; 1 / `p_max` - 1 are the least that can reach `p_max`.
    pub permutations: usize,
    /// Seed of the shuffling: the same seed finds the same changes.
    pub seed: u64,
}

impl Default for Detection {
    /// Segments of 15 values, 3 %, single values, 1 % with 299 shufflings.
    fn default() -> Detection {
        Detection { min_segment: 15, min_magnitude: 0.03, block: 1, p_max: 0.01, permutations: 299, seed: 0 }
    }
}

/// One change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value of the new level.
    pub at: usize,
    /// Median of the values since the change before, or the start.
    pub before: f64,
    /// Median of the values up to the next change, or the end.
    pub after: f64,
    /// Share of shuffled series that showed as large a change, (1 + found) / (1 + shufflings).
    pub p: f64,
}

/// All changes of level in the order of time; none for a series that is too short or holds values that are not finite.
///
/// Binary segmentation: the series is cut where the standardised rank sum of one side is farthest from its expectation (Pettitt:
/// Applied Statistics 28(2), 1979, weighted so that changes near the ends count as much), which no wild value can fake; the cut
/// stands if few shufflings of whole blocks reach it (the filter of Matteson, James: JASA 109, 2014); both sides are searched in
/// turn. Cuts between medians closer than the magnitude are then taken back, the smallest first.
#[must_use]
pub fn change_points(values: &[f64], how: &Detection) -> Vec<ChangePoint> {
    let mut cuts = Vec::new();
    if usable(values) {
        let mut search = Search { values, how, stream: Stream::new(how.seed, 0), cuts: &mut cuts };
        search.segments();
    }
    cuts.sort_unstable_by_key(|cut| cut.0);
    loop {
        let changes = between(values, &cuts);
        let share = |c: &ChangePoint| (c.after - c.before).abs() / c.before.abs().min(c.after.abs());
        // A level of 0 on one side makes the share infinite, and on both sides not a number: no change.
        let smallest = changes
            .iter()
            .enumerate()
            .map(|(i, c)| (i, share(c)))
            .map(|(i, s)| (i, if s.is_nan() { 0.0 } else { s }));
        match smallest.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((i, least)) if least < how.min_magnitude => cuts.remove(i),
            _ => return changes,
        };
    }
}

/// The changes at these cuts, with the medians between them.
fn between(values: &[f64], cuts: &[(usize, f64)]) -> Vec<ChangePoint> {
    let edges: Vec<usize> = [0].into_iter().chain(cuts.iter().map(|c| c.0)).chain([values.len()]).collect();
    let level = |part: usize| median_in_place(&mut values[edges[part]..edges[part + 1]].to_vec());
    cuts.iter()
        .enumerate()
        .map(|(i, &(at, p))| ChangePoint { at, before: level(i), after: level(i + 1), p })
        .collect()
}

struct Search<'a> {
    values: &'a [f64],
    how: &'a Detection,
    stream: Stream,
    cuts: &'a mut Vec<(usize, f64)>,
}

impl Search<'_> {
    fn segments(&mut self) {
        let mut open = vec![(0, self.values.len())];
        while let Some((start, end)) = open.pop() {
            let Some((cut, p)) = self.cut(&self.values[start..end]) else { continue };
            self.cuts.push((start + cut, p));
            open.push((start, start + cut));
            open.push((start + cut, end));
        }
    }

    /// The most likely cut of a segment and its chance, if that is small enough.
    fn cut(&mut self, segment: &[f64]) -> Option<(usize, f64)> {
        let least = self.how.min_segment.max(1);
        let mut ranks = centred_ranks(segment);
        let (cut, found) = farthest(&ranks, least)?;
        let needed = found * (1.0 - 1e-9);
        let block = self.how.block.max(1);
        let allowed = (self.how.p_max * (self.how.permutations + 1) as f64).floor() as usize;
        let original = ranks.clone();
        let mut order: Vec<usize> = (0..segment.len().div_ceil(block)).collect();
        let mut reached = 1;
        for _ in 0..self.how.permutations {
            self.stream.shuffle(&mut order);
            ranks.clear();
            for piece in &order {
                ranks.extend_from_slice(&original[piece * block..((piece + 1) * block).min(original.len())]);
            }
            reached += usize::from(farthest(&ranks, least).is_some_and(|(_, score)| score >= needed));
            if reached > allowed {
                return None;
            }
        }
        (reached <= allowed).then(|| (cut, reached as f64 / (self.how.permutations + 1) as f64))
    }
}

/// Ranks minus their mean; equal values share the mean of their ranks.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = first as f64 + (tied.len() - 1) as f64 / 2.0 - (values.len() - 1) as f64 / 2.0;
        tied.iter().for_each(|&i| ranks[i] = rank);
        first += tied.len();
    }
    ranks
}

/// The cut with the largest standardised sum of centred ranks on one side, at least `least` from either end, and the square
/// of that sum. `None` where no cut is possible or all ranks are equal.
fn farthest(ranks: &[f64], least: usize) -> Option<(usize, f64)> {
    let n = ranks.len();
    let mut sum = 0.0;
    let mut best = (0, 0.0);
    for (k, rank) in (1..n).zip(ranks) {
        sum += rank;
        let score = sum * sum / (k as f64 * (n - k) as f64);
        if k >= least && n - k >= least && score > best.1 {
            best = (k, score);
        }
    }
    (best.1 > 0.0).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn levels(parts: &[(usize, f64)], cv: f64, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, 1);
        let all = parts.iter().flat_map(|&(n, level)| std::iter::repeat_n(level, n));
        all.map(|level| level * (1.0 + cv * stream.normal())).collect()
    }

    fn places(values: &[f64], how: &Detection) -> Vec<usize> {
        change_points(values, how).iter().map(|c| c.at).collect()
    }

    #[test]
    fn credits_run_out_at_the_second_they_do() {
        let found = change_points(&levels(&[(200, 3000.0), (100, 300.0)], 0.0, 1), &Detection::default());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].before, found[0].after), (200, 3000.0, 300.0));
        assert!(found[0].p <= 0.01);
    }

    #[test]
    fn bursts_that_come_back_are_all_found() {
        let series = levels(&[(60, 7500.0), (60, 5000.0), (60, 7500.0), (60, 5000.0)], 0.002, 2);
        assert_eq!(places(&series, &Detection::default()), [60, 120, 180]);
    }

    #[test]
    fn a_step_of_four_per_cent_under_two_per_cent_of_noise_is_placed_closely() {
        let found = places(&levels(&[(100, 1000.0), (80, 960.0)], 0.02, 3), &Detection::default());
        assert_eq!(found.len(), 1);
        assert!(found[0].abs_diff(100) <= 3, "{found:?}");
    }

    #[test]
    fn wild_values_and_small_steps_are_no_changes() {
        let mut series = levels(&[(200, 1000.0)], 0.005, 4);
        series[40] = 0.0;
        series[41] = 90_000.0;
        assert_eq!(places(&series, &Detection::default()), []);
        assert_eq!(places(&levels(&[(100, 1000.0), (100, 1020.0)], 0.001, 5), &Detection::default()), []);
    }

    #[test]
    fn noise_alone_seldom_shows_a_change() {
        let how = Detection { min_magnitude: 0.0, ..Detection::default() };
        let alarms =
            (0..200).filter(|&seed| !places(&levels(&[(120, 100.0)], 0.1, seed), &how).is_empty()).count();
        assert!(alarms <= 7, "{alarms} of 200 at 1 %");
    }

    #[test]
    fn degenerate_series_have_no_changes() {
        let how = Detection { min_segment: 0, block: 0, ..Detection::default() };
        for series in [&[][..], &[1.0], &[f64::NAN, 1.0, 2.0], &[5.0; 50], &[0.0; 50]] {
            assert_eq!(places(series, &how), []);
        }
        assert_eq!(places(&levels(&[(40, 0.0), (40, 10.0)], 0.0, 1), &how), [40], "a stall that ends");
    }

    proptest! {
        #[test]
        fn any_series_gives_ordered_changes_with_room_between(values in prop::collection::vec(-1e3f64..1e3, 0..80), seed: u64) {
            let how = Detection { min_segment: 5, min_magnitude: 0.01, p_max: 0.2, permutations: 49, seed, block: 2 };
            let found = places(&values, &how);
            let edges: Vec<usize> = [0].into_iter().chain(found.iter().copied()).chain([values.len()]).collect();
            prop_assert!(found.is_empty() || edges.windows(2).all(|w| w[1] >= w[0] + 5));
            prop_assert_eq!(&found, &places(&values, &how));
        }
    }
}
