//! What comes in pulses longer than an interval: intervals put together so that each holds whole pulses.
//!
//! A throttle that lets what waits pass at the end of a slice (this kernel's: 100 ms) shows intervals of 50 ms as
//! full and empty by turns. Their mean hangs on whether the last one was full, and their spread says nothing of the rate.

use record::Interval;
use workload::Direction;

/// An interval with less than this share of what the fullest holds is empty, but for the end of a pulse or what a meter let through
/// by itself.
const EMPTY: f64 = 0.3;
/// Pulses where so many of all intervals are empty: a lone stall is none.
const EMPTY_SHARE: f64 = 0.2;
/// So many pulses are seen to be some.
const PULSES_LEAST: usize = 3;
/// Slower than this, in seconds, it is no slice of a throttle: the rate itself comes and goes.
const SLOWEST_S: f64 = 0.25;

/// How many intervals with these `counts`, each of so many `seconds`, hold one pulse: one, where nothing comes in pulses.
pub(crate) fn every(counts: &[f64], seconds: f64) -> usize {
    let most = counts.iter().copied().fold(0.0, f64::max);
    let full = |count: &f64| *count > EMPTY * most;
    let empty = counts.iter().filter(|count| !full(count)).count();
    let begins: Vec<usize> = (1..counts.len()).filter(|&at| begins(counts, at, most)).collect();
    let (Some(first), Some(last)) = (begins.first(), begins.last()) else { return 1 };
    if begins.len() < PULSES_LEAST || (empty as f64) < EMPTY_SHARE * counts.len() as f64 {
        return 1;
    }
    let every = (last - first) as f64 / (begins.len() - 1) as f64;
    // They come as regularly as a clock does: no gap is as long as two.
    let regular = begins.windows(2).all(|pair| ((pair[1] - pair[0]) as f64) < 2.0 * every);
    if regular && every * seconds <= SLOWEST_S { every.round() as usize } else { 1 }
}

fn begins(counts: &[f64], at: usize, most: f64) -> bool {
    counts[at] > EMPTY * most && counts[at - 1] <= EMPTY * most
}

/// Where among `counts` the first pulse begins that was seen to begin.
pub(crate) fn first(counts: &[f64]) -> usize {
    let most = counts.iter().copied().fold(0.0, f64::max);
    (1..counts.len()).find(|&at| begins(counts, at, most)).unwrap_or(0)
}

/// The intervals of a step in the order of time, put together where they are shorter than its pulses; what is left at both
/// ends of a span without a gap is left out.
pub(crate) fn gathered(intervals: Vec<Interval>) -> Vec<Interval> {
    let seconds = intervals.first().map_or(0.0, Interval::seconds);
    let counts: Vec<f64> = intervals.iter().map(ops).collect();
    let every = every(&counts, seconds);
    if every == 1 {
        return intervals;
    }
    let adjoining = intervals.chunk_by(|a, b| a.end == b.start);
    adjoining.flat_map(|span| of_span(span, every)).collect()
}

fn of_span(span: &[Interval], every: usize) -> Vec<Interval> {
    let counts: Vec<f64> = span.iter().map(ops).collect();
    span[first(&counts)..].chunks_exact(every).map(joined).collect()
}

/// Adjoining intervals as one.
fn joined(parts: &[Interval]) -> Interval {
    let mut whole = parts[0].clone();
    for part in &parts[1..] {
        let waited = whole.waited + part.waited;
        whole.merge(part);
        (whole.end, whole.waited) = (part.end, waited);
    }
    whole
}

fn ops(interval: &Interval) -> f64 {
    [Direction::Read, Direction::Write].iter().map(|way| interval.of(*way).tally.ops as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::Nanos;

    /// Intervals of so many milliseconds with these writes.
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
        gathered(intervals).iter().map(|one| (ops(one) / one.seconds()).round()).collect()
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
