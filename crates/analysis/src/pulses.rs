//! Pulses longer than an interval: intervals are joined so that each contains whole pulses.
//!
//! A throttle that releases waiting I/O at the end of a slice (this kernel's: 100 ms) makes intervals of 50 ms full and
//! empty in turn. Their mean depends on whether the last one was full, and their spread says nothing about the rate.

use std::borrow::Cow;

use record::Interval;
use workload::{Direction, Nanos};

/// Share of the fullest interval's count up to which an interval is empty, but for a pulse's end or what passes by
/// itself.
const EMPTY: f64 = 0.3;
/// Least share of empty intervals if there are pulses: a single stall is not one.
const EMPTY_SHARE: f64 = 0.2;
/// Fewest pulses that are recognized as such.
const PULSES_LEAST: usize = 3;
/// Longest time between pulses, in seconds: anything slower is no throttle's slice, but a rate that comes and goes.
const SLOWEST_S: f64 = 0.25;

/// Least seconds of an interval among many empty ones without regular pulses: three slices of this kernel's throttle,
/// which a wait for a processor moves about.
const JOINED_S: f64 = 0.3;

/// Returns how many intervals with these `counts`, each `seconds` long, make one pulse, or a length over which irregular
/// ones even out: one if hardly any are empty.
fn every(counts: &[f64], seconds: f64) -> usize {
    let most = counts.iter().copied().fold(0.0, f64::max);
    let full = |count: &f64| *count > EMPTY * most;
    let empty = counts.iter().filter(|count| !full(count)).count();
    let begins: Vec<usize> = (1..counts.len()).filter(|&at| begins(counts, at, most)).collect();
    if (empty as f64) < EMPTY_SHARE * counts.len() as f64 {
        return 1;
    }
    let joined = if seconds > 0.0 { (JOINED_S / seconds).round().max(1.0) as usize } else { 1 };
    let (Some(first), Some(last)) = (begins.first(), begins.last()) else { return joined };
    if begins.len() < PULSES_LEAST {
        return joined;
    }
    let every = (last - first) as f64 / (begins.len() - 1) as f64;
    // Pulses are as regular as a clock: no gap is as long as two.
    let regular = begins.windows(2).all(|pair| ((pair[1] - pair[0]) as f64) < 2.0 * every);
    let every = if regular && every * seconds <= SLOWEST_S { every.round() as usize } else { joined };
    let is_empty = |pulse: &[f64]| pulse.iter().sum::<f64>() == 0.0;
    if counts[*first..].chunks_exact(every).any(is_empty) { every.max(joined) } else { every }
}

fn begins(counts: &[f64], at: usize, most: f64) -> bool {
    counts[at] > EMPTY * most && counts[at - 1] <= EMPTY * most
}

/// Returns the index in `counts` at which the first pulse whose start was recorded begins.
fn first(counts: &[f64]) -> usize {
    let most = counts.iter().copied().fold(0.0, f64::max);
    (1..counts.len()).find(|&at| begins(counts, at, most)).unwrap_or(0)
}

/// A count over a span of time, which can be joined with adjoining ones.
pub(crate) trait SpanCount: Sized {
    /// Returns start and end, on the run's clock.
    fn span(&self) -> (Nanos, Nanos);
    /// Returns the number of operations.
    fn ops(&self) -> f64;
    /// Joins adjoining parts into one; `None` without parts.
    fn joined(parts: &[Self]) -> Option<Self>;
}

/// Joins `parts`, in the order of time, if they are shorter than the pulses in them; remainders at both ends of a span
/// without a gap are left out.
pub(crate) fn gathered<T: SpanCount>(parts: Vec<T>) -> Vec<T> {
    let counts = |parts: &[T]| -> Vec<f64> { parts.iter().map(T::ops).collect() };
    let seconds = parts.first().map_or(0.0, |part| part.span().1.since(part.span().0).as_secs_f64());
    let every = every(&counts(&parts), seconds);
    if every == 1 {
        return parts;
    }
    let adjoining = parts.chunk_by(|a, b| a.span().1 == b.span().0);
    let whole = |span: &[T]| {
        span[first(&counts(span))..].chunks_exact(every).filter_map(T::joined).collect::<Vec<_>>()
    };
    adjoining.flat_map(whole).collect()
}

/// Returns the intervals of a step, jobs merged, in the order of time, each containing whole pulses.
pub fn in_whole_pulses(intervals: Vec<Cow<'_, Interval>>) -> Vec<Cow<'_, Interval>> {
    gathered(intervals)
}

impl SpanCount for Interval {
    fn span(&self) -> (Nanos, Nanos) {
        (self.start, self.end)
    }

    fn ops(&self) -> f64 {
        [Direction::Read, Direction::Write].iter().map(|way| self.of(*way).tally.ops as f64).sum()
    }

    fn joined(parts: &[Interval]) -> Option<Interval> {
        one_of(parts.iter())
    }
}

impl SpanCount for Cow<'_, Interval> {
    fn span(&self) -> (Nanos, Nanos) {
        self.as_ref().span()
    }

    fn ops(&self) -> f64 {
        self.as_ref().ops()
    }

    fn joined(parts: &[Self]) -> Option<Self> {
        one_of(parts.iter().map(Cow::as_ref)).map(Cow::Owned)
    }
}

fn one_of<'i>(mut parts: impl Iterator<Item = &'i Interval>) -> Option<Interval> {
    let mut whole = parts.next()?.clone();
    for part in parts {
        let waited = whole.waited + part.waited;
        whole.merge(part);
        (whole.end, whole.waited) = (part.end, waited);
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Intervals of `ms` milliseconds with these writes.
    fn intervals(ms: u64, counts: &[u64]) -> Vec<Interval> {
        let length = Nanos::from_millis(ms);
        let one = |(at, ops): (usize, &u64)| {
            let start = length * at as u64;
            let mut interval = Interval::empty(0, start, start + length);
            interval.directions[Direction::Write.index()].tally.ops = *ops;
            interval
        };
        counts.iter().enumerate().map(one).collect()
    }

    fn rates(intervals: Vec<Interval>) -> Vec<f64> {
        gathered(intervals).iter().map(|one| (one.ops() / one.seconds()).round()).collect()
    }

    #[test]
    fn full_and_empty_by_turns_is_one_rate() {
        assert_eq!(rates(intervals(50, &[0, 500, 0, 500, 0, 500, 0, 500, 0, 500])), [5000.0; 4]);
        assert_eq!(
            rates(intervals(20, &[500, 0, 0, 0, 0, 500, 0, 0, 0, 0, 500, 0, 0, 0, 0, 500, 0])),
            [5000.0; 2]
        );
    }

    #[test]
    fn irregular_pulses_are_joined_over_three_tenths_of_a_second() {
        let counts = [500, 0, 0, 500, 0, 0, 0, 500, 0, 500, 0, 0, 0, 0, 500, 0, 0, 0, 0, 500, 0, 500, 0, 0];
        let seen = rates(intervals(50, &counts));
        assert!(seen.len() == 3 && seen.iter().all(|rate| *rate > 0.0), "{seen:?}");
    }

    #[test]
    fn a_pulse_that_slips_moves_no_mean() {
        let seen = rates(intervals(50, &[0, 500, 0, 500, 0, 0, 500, 500, 0, 500, 0, 500, 0]));
        assert_eq!(seen.iter().sum::<f64>() / seen.len() as f64, 5000.0);
    }

    #[test]
    fn an_even_rate_a_stall_and_a_slow_wave_stay_as_they_are() {
        let even = intervals(50, &[250, 251, 249, 250, 250, 250]);
        assert_eq!(gathered(even.clone()), even);
        let stall = intervals(50, &[250, 251, 0, 0, 250, 250, 250, 250, 250, 250, 250, 250]);
        assert_eq!(gathered(stall.clone()), stall);
        let wave = intervals(500, &[0, 500, 0, 500, 0, 500, 0, 500]);
        assert_eq!(gathered(wave.clone()), wave);
    }
}
