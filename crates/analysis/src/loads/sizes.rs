//! Sizes of single I/Os from counters, which have only their number and their sum.

use workload::Direction;

use super::Unknown;

/// Least readings from which a spread of sizes is estimated (chosen by us: its own error is then below a half).
const READINGS: usize = 10;
/// Spread, as a share of the mean, below which sizes count as equal (chosen by us).
const SPREAD: f64 = 0.02;
/// Ratio of the spread of all readings to that of neighbouring ones above which sizes change with time (chosen by us: four
/// times the variance is far outside chance from ten readings on).
const OVER_TIME: f64 = 4.0;
/// Most sizes of a load that changes with time (chosen by us).
const GROUPS: usize = 8;
/// Largest size that the kernel issues by itself: more is taken for an error of the estimate.
const LARGEST: f64 = 4_194_304.0;
/// Least length of an I/O, and the step of all.
const SECTOR: u64 = 512;
/// A page: devices and file systems divide I/O by it.
const PAGE: u64 = 4096;

/// I/Os and bytes of a reading.
pub(super) type Counted = (f64, f64);

/// Returns the sizes with their shares, and what is not known of them.
pub(super) fn sizes(readings: &[Counted], direction: Direction) -> (Vec<(u64, f64)>, Option<Unknown>) {
    let worked: Vec<Counted> =
        readings.iter().copied().filter(|(ios, bytes)| *ios >= 1.0 && *bytes > 0.0).collect();
    let (ios, bytes) = worked.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    if ios == 0.0 {
        return (Vec::new(), None);
    }
    let mean = bytes / ios;
    let unit = unit(&worked);
    if worked.iter().all(|(ios, bytes)| bytes / ios == mean)
        && (mean as u64).is_multiple_of(SECTOR)
        && mean.fract() == 0.0
    {
        // Sizes that differed would give the same mean again and again only by chance.
        return (vec![(mean as u64, 1.0)], None);
    }
    let means = || (about(mean, unit), Some(Unknown::SizesMean { direction }));
    if worked.len() < READINGS {
        return means();
    }
    let single = single_variance(&worked);
    let overall = worked.iter().map(|(ios, bytes)| ios * (bytes / ios - mean).powi(2)).sum::<f64>()
        / (worked.len() - 1) as f64;
    if overall > OVER_TIME * single.max((SPREAD * mean).powi(2)) {
        return (groups(&worked, unit), Some(Unknown::SizesOverTime { direction }));
    }
    match two(mean, single, (unit, worked.len())) {
        Some(two) => (two, Some(Unknown::SizesSpread { direction })),
        None => means(),
    }
}

/// Returns the greatest power of two that divides the bytes of every reading: sizes have no other factor that sums could
/// not have by chance.
fn unit(worked: &[Counted]) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let common = worked.iter().fold(0, |unit, (_, bytes)| gcd(unit, *bytes as u64));
    (1u64 << common.trailing_zeros().min(63)).max(SECTOR)
}

/// Returns the variance of single sizes: that of the means of neighbouring readings times the I/Os behind them, so that
/// what changes slowly does not count.
fn single_variance(worked: &[Counted]) -> f64 {
    let of = |pair: &[Counted]| {
        let [(a, first), (b, other)] = pair else { return 0.0 };
        (first / a - other / b).powi(2) / (1.0 / a + 1.0 / b)
    };
    let differences: Vec<f64> = worked.windows(2).map(of).collect();
    differences.iter().sum::<f64>() / differences.len().max(1) as f64
}

/// Returns two sizes with this mean and variance, the smaller of which is the unit of all: no smaller one divides the
/// counts. The larger becomes a power of two if the error of the estimate allows it.
fn two(mean: f64, variance: f64, (unit, readings): (u64, usize)) -> Option<Vec<(u64, f64)>> {
    if variance.sqrt() < SPREAD * mean {
        return None;
    }
    // Bytes of a whole second may share a greater divisor than its I/Os: then the least size is a page.
    let low = if (unit as f64) < mean { unit as f64 } else { PAGE as f64 };
    if mean <= low {
        return None;
    }
    let beyond = variance / (mean - low);
    let high = mean + beyond;
    if high > LARGEST {
        return None;
    }
    let error = 2.0 * (2.0 / readings as f64).sqrt() * beyond;
    let power = 2f64.powf(high.log2().round());
    let fits = (power - high).abs() <= error && power > mean;
    let step = low.min(PAGE as f64);
    let high = if fits { power } else { ((high / step).round() * step).max(mean + step) };
    let share = (mean - low) / (high - low);
    Some(vec![(low as u64, 1.0 - share), (((high / SECTOR as f64).round()) as u64 * SECTOR, share)])
}

/// Returns the one or two neighbouring sizes with this mean.
fn about(mean: f64, unit: u64) -> Vec<(u64, f64)> {
    let step = if unit as f64 <= mean { unit.min(PAGE) } else { SECTOR };
    let low = ((mean / step as f64).floor() as u64 * step).max(SECTOR);
    let share = ((mean - low as f64) / step as f64).clamp(0.0, 1.0);
    // A few bytes off by counting at the edges of readings are no second size.
    match share {
        share if share < 1e-3 => vec![(low, 1.0)],
        share if share > 1.0 - 1e-3 => vec![(low + step, 1.0)],
        share => vec![(low, 1.0 - share), (low + step, share)],
    }
}

/// Returns the mean sizes of the readings, gathered by powers of two.
fn groups(worked: &[Counted], unit: u64) -> Vec<(u64, f64)> {
    let all: f64 = worked.iter().map(|(ios, _)| ios).sum();
    let mut groups: Vec<(i32, Counted)> = Vec::new();
    for (ios, bytes) in worked {
        let power = (bytes / ios).log2().round() as i32;
        match groups.iter_mut().find(|(known, _)| *known == power) {
            Some((_, sum)) => *sum = (sum.0 + ios, sum.1 + bytes),
            None => groups.push((power, (*ios, *bytes))),
        }
    }
    groups.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
    groups.truncate(GROUPS);
    let sizes = groups.iter().flat_map(|(_, (ios, bytes))| {
        about(bytes / ios, unit).into_iter().map(move |(size, share)| (size, share * ios / all))
    });
    let mut sizes: Vec<(u64, f64)> = sizes.collect();
    sizes.sort_by_key(|(size, _)| *size);
    let same = sizes.chunk_by(|a, b| a.0 == b.0);
    same.map(|same| (same[0].0, same.iter().map(|(_, share)| share).sum())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use statistics::Stream;

    fn counted(sizes: &[(u64, f64)], readings: usize) -> Vec<Counted> {
        let mut stream = Stream::new(3, 3);
        let mut draw = || {
            let mut left = stream.unit_f64();
            let drawn = sizes.iter().find(|(_, share)| {
                left -= share;
                left < 0.0
            });
            drawn.unwrap_or(&sizes[0]).0 as f64
        };
        (0..readings).map(|_| (500.0, (0..500).map(|_| draw()).sum())).collect()
    }

    #[test]
    fn one_size_is_known_because_it_never_varies() {
        assert_eq!(sizes(&counted(&[(8192, 1.0)], 30), Direction::Read), (vec![(8192, 1.0)], None));
    }

    #[test]
    fn two_sizes_are_found_by_the_spread_of_the_means() {
        let (found, unknown) = sizes(&counted(&[(4096, 0.7), (65536, 0.3)], 60), Direction::Read);
        assert_eq!(found.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [4096, 65536]);
        assert!((found[1].1 - 0.3).abs() < 0.01, "{found:?}");
        assert_eq!(unknown, Some(Unknown::SizesSpread { direction: Direction::Read }));
    }

    #[test]
    fn sizes_that_change_with_time_are_not_taken_for_a_spread() {
        let readings = [counted(&[(4096, 1.0)], 20), counted(&[(65536, 1.0)], 20)].concat();
        let (found, unknown) = sizes(&readings, Direction::Write);
        assert_eq!(found, [(4096, 0.5), (65536, 0.5)]);
        assert_eq!(unknown, Some(Unknown::SizesOverTime { direction: Direction::Write }));
    }

    #[test]
    fn of_few_readings_the_mean_is_kept_and_said_to_be_one() {
        let (found, unknown) = sizes(&[(3.0, 20480.0), (5.0, 20480.0)], Direction::Read);
        let mean: f64 = found.iter().map(|(size, share)| *size as f64 * share).sum();
        assert!((mean - 5120.0).abs() < 1.0, "{found:?}");
        assert_eq!(unknown, Some(Unknown::SizesMean { direction: Direction::Read }));
    }
}
