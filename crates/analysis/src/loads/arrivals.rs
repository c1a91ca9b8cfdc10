//! How bursty arrivals are, and the process that is as bursty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statistics::moments::Moments;

use super::Drive;

/// Lengths over which arrivals of a trace are counted, in seconds: from what a queue absorbs to what a credit bucket does.
pub(super) const SCALES_S: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];
/// Least windows of a length for its index: the index of arrivals by chance then has an error of a third (chosen by us).
const WINDOWS: u64 = 20;
/// Index of dispersion below which arrivals are even: by chance it is 1 (chosen by us).
const EVEN: f64 = 0.5;
/// Index of dispersion above which arrivals come in bursts (chosen by us: twice that of chance).
const BURSTY: f64 = 2.0;
/// Variation of the rate between readings, as a share, from which a load has bursts (chosen by us: less leaves the queue of a
/// volume with room as it is).
const RATE_VARIES: f64 = 0.25;
/// Rounds in which the two phases are fitted, enough for four digits.
const ROUNDS: usize = 200;
/// Greatest share of a correlation that is taken for one: beyond, a phase would last longer than any trace.
const CORRELATED: f64 = 0.999_999;

/// Index of dispersion of the number of arrivals in windows of one length: their variance over their mean. It is 0 at even
/// intervals and 1 by chance (Cox, Lewis: The Statistical Analysis of Series of Events, 1966).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dispersion {
    /// Length of a window in seconds.
    pub seconds: f64,
    /// The index.
    pub index: f64,
}

/// Returns the dispersion of counts by reading, and of those of ten and of a hundred readings together.
pub(super) fn of_readings(counts: &[f64], reading_s: f64) -> Vec<Dispersion> {
    let together = [1, 10, 100].into_iter().filter_map(|several| {
        let sums: Moments = counts.chunks_exact(several).map(|few| few.iter().sum::<f64>()).collect();
        let least = if several == 1 { 3 } else { WINDOWS };
        let index = sums.fano().filter(|_| sums.count() >= least)?;
        Some(Dispersion { seconds: several as f64 * reading_s, index })
    });
    together.collect()
}

/// Returns arrivals at the rate `iops`, even or by chance; `None` if the rate itself varies. What the index has beyond that
/// of chance is the squared variation of the rate times the arrivals of a window.
pub(super) fn of_dispersion(burstiness: &[Dispersion], iops: f64) -> Option<Drive> {
    let varies = |one: &Dispersion| {
        one.index > BURSTY && (one.index - 1.0) / (iops * one.seconds) > RATE_VARIES * RATE_VARIES
    };
    if burstiness.iter().any(varies) {
        return None;
    }
    let is_even = burstiness.iter().all(|one| one.index < EVEN);
    Some(if is_even { Drive::Even } else { Drive::Poisson })
}

/// Counts arrivals in windows of several lengths.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    /// By length: number of the current window, arrivals in it, and the windows before it.
    windows: [(u64, f64, Moments); SCALES_S.len()],
}

impl Counters {
    pub fn new() -> Counters {
        Counters { windows: [(0, 0.0, Moments::default()); SCALES_S.len()] }
    }

    /// Counts one arrival.
    pub fn arrive(&mut self, at_s: f64) {
        for (length, (number, count, windows)) in SCALES_S.iter().zip(&mut self.windows) {
            let here = (at_s / length) as u64;
            if here > *number {
                windows.push(*count);
                let empty = here - *number - 1;
                windows.merge(&zeros(empty));
                (*number, *count) = (here, 0.0);
            }
            *count += 1.0;
        }
    }

    /// Returns the index at each length that has enough whole windows.
    pub fn dispersion(&self) -> Vec<Dispersion> {
        let of = |(length, (_, _, windows)): (&f64, &(u64, f64, Moments))| {
            let index = windows.fano().filter(|_| windows.count() >= WINDOWS)?;
            Some(Dispersion { seconds: *length, index })
        };
        SCALES_S.iter().zip(&self.windows).filter_map(of).collect()
    }
}

/// Returns the moments of this number of zeros.
fn zeros(count: u64) -> Moments {
    let mut all = Moments::default();
    let mut power: Moments = [0.0].into_iter().collect();
    let mut left = count;
    while left > 0 {
        if left & 1 == 1 {
            all.merge(&power);
        }
        let same = power;
        power.merge(&same);
        left >>= 1;
    }
    all
}

/// Returns the process of arrivals with these gaps in seconds and this dispersion: even, by chance, or in two phases whose
/// gaps are exponential. The phases are fitted to the gaps by expectation and maximization (Dempster, Laird, Rubin 1977);
/// how long each lasts follows from the dispersion at the greatest length that is known.
pub(super) fn fitted(gaps: &[f64], burstiness: &[Dispersion]) -> Drive {
    let moments: Moments = gaps.iter().copied().collect();
    let squared = moments.cv().unwrap_or(0.0).powi(2);
    let most = burstiness.iter().map(|one| one.index).fold(0.0, f64::max);
    match (squared, most) {
        _ if gaps.len() < 3 || moments.mean() <= 0.0 => Drive::Poisson,
        (squared, most) if squared < EVEN && most < EVEN => Drive::Even,
        (squared, most) if squared <= BURSTY && most <= BURSTY => Drive::Poisson,
        _ => phases(gaps, burstiness).unwrap_or(Drive::Poisson),
    }
}

fn phases(gaps: &[f64], burstiness: &[Dispersion]) -> Option<Drive> {
    let (share, [short, long]) = mixture(gaps)?;
    let mean = share * short + (1.0 - share) * long;
    let second = 2.0 * (share * short * short + (1.0 - share) * long * long);
    let variance = second - mean * mean;
    // Correlation of neighbouring gaps if a phase lasted for ever, and the index that independent gaps have.
    let correlation = share * (1.0 - share) * (long - short).powi(2) / variance;
    let independent = variance / (mean * mean);
    let index = burstiness.last().map_or(independent, |last| last.index);
    let sum = ((index / independent - 1.0) / (2.0 * correlation)).max(0.0);
    let stays = (sum / (1.0 + sum)).min(CORRELATED);
    let changes = 1.0 - stays;
    let ios = [1.0 / ((1.0 - share) * changes), 1.0 / (share * changes)];
    let sensible = ios.iter().all(|ios| ios.is_finite() && *ios >= 1.0);
    (sensible && short > 0.0).then_some(Drive::Phases {
        burst_iops: 1.0 / short,
        burst_ios: ios[0],
        calm_ios: ios[1],
    })
}

/// Returns the share of short gaps, and the means of short and of long ones.
fn mixture(gaps: &[f64]) -> Option<(f64, [f64; 2])> {
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    // Gaps of no time have no likelihood as exponential ones: the clock of a trace has microseconds.
    let least = mean * 1e-3;
    let (mut share, mut short, mut long) = (0.5, mean / 4.0, mean * 4.0);
    for _ in 0..ROUNDS {
        let (mut count, mut sums) = (0.0, [0.0; 2]);
        for gap in gaps {
            let (first, other) =
                (share / short * (-gap / short).exp(), (1.0 - share) / long * (-gap / long).exp());
            let own = if first + other > 0.0 { first / (first + other) } else { 0.0 };
            count += own;
            sums[0] += own * gap;
            sums[1] += (1.0 - own) * gap;
        }
        let all = gaps.len() as f64;
        if count < 1e-6 * all || count > (1.0 - 1e-6) * all {
            return None;
        }
        (share, short, long) = (count / all, (sums[0] / count).max(least), sums[1] / (all - count));
    }
    (long > short * 1.01).then_some((share, [short, long]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use statistics::Stream;

    fn seen(gaps: &[f64]) -> Vec<Dispersion> {
        let (mut counters, mut now) = (Counters::new(), 0.0);
        for gap in gaps {
            now += gap;
            counters.arrive(now);
        }
        counters.dispersion()
    }

    #[test]
    fn arrivals_by_chance_have_an_index_of_one_at_every_length() {
        let mut stream = Stream::new(1, 1);
        let gaps: Vec<f64> = (0..400_000).map(|_| stream.exponential(0.001)).collect();
        let found = seen(&gaps);
        assert_eq!(found.iter().map(|one| one.seconds).collect::<Vec<_>>(), [0.01, 0.1, 1.0, 10.0]);
        assert!(found.iter().all(|one| (one.index - 1.0).abs() < 0.5), "{found:?}");
        assert_eq!(fitted(&gaps, &found), Drive::Poisson);
    }

    #[test]
    fn even_arrivals_are_even() {
        let gaps = vec![0.001; 50_000];
        assert_eq!(fitted(&gaps, &seen(&gaps)), Drive::Even);
    }

    #[test]
    fn the_two_phases_that_made_the_gaps_are_found() {
        let mut stream = Stream::new(2, 1);
        let (mut dense, mut gaps) = (true, Vec::new());
        while gaps.len() < 400_000 {
            gaps.push(stream.exponential(if dense { 0.0005 } else { 0.02 }));
            if stream.unit_f64() < if dense { 1.0 / 200.0 } else { 1.0 / 20.0 } {
                dense = !dense;
            }
        }
        let found = fitted(&gaps, &seen(&gaps));
        let Drive::Phases { burst_iops, burst_ios, calm_ios } = found else { panic!("{found:?}") };
        for (found, wanted) in [(burst_iops, 2000.0), (burst_ios, 200.0), (calm_ios, 20.0)] {
            assert!((found / wanted - 1.0).abs() < 0.3, "{found} is not about {wanted}");
        }
    }

    #[test]
    fn windows_without_an_arrival_count_as_empty() {
        // A thousand arrivals within the first tenth of each of 30 seconds.
        let times =
            (0..30).flat_map(|second| (0..1000).map(move |one| f64::from(second) + f64::from(one) * 1e-4));
        let mut counters = Counters::new();
        times.for_each(|at| counters.arrive(at));
        let tenth = counters.dispersion().into_iter().find(|one| one.seconds == 0.1).unwrap();
        assert!((tenth.index / 900.0 - 1.0).abs() < 0.05, "{tenth:?}");
    }
}
