//! Whether counts come from a meter: by how their variance grows with the length over which they are taken.
//!
//! A meter (a rate limiter) fixes the sum of what passes: however uneven its slices are, the error of the sum stays as
//! large as one slice, so the variance over the mean (the Fano factor) falls as 1/T. Without a meter the sum drifts,
//! and the factor stays or grows. Watson's statistic shows both in the path of the sum about its own straight line.

use std::f64::consts::PI;

use statistics::quantile::{median, median_absolute_deviation};

use super::ticks::Tick;

/// Least length of a count in seconds: the slices of a meter are shorter (method 5.1).
const CELL_S: f64 = 0.5;
/// Share of a clean reading for which the device is busy.
const BUSY: f64 = 0.985;
/// Least queue of a clean reading, as a share of the usual one: with less, too little I/O was requested.
const QUEUE: f64 = 0.9;
/// Share of readings that must be clean; with fewer, all count that have `SHORT` of the usual queue and of busy time.
const ENOUGH: f64 = 0.25;
const SHORT: f64 = 0.5;
/// At most one count in this many may be odd: a pause of the host, and the catching up after it.
const ODD_ONE_IN: usize = 12;
/// Standard deviations beyond which a count is odd.
const ODD: f64 = 5.0;
/// Standard deviations in a median absolute deviation of normal values.
const DEVIATION: f64 = 1.4826;
/// Least variance of counts: they are integers.
const WHOLE: f64 = 1.0 / 12.0;
/// Fewest counts from which anything is concluded: of eight random ones, one series in a thousand would be flat.
const FEWEST: usize = 8;
/// Fano factor below which counts are pinned at any length: without a meter, a device would have to take the same time
/// for each I/O within two percent (method 12.2).
const PINNED: f64 = 0.000_5;
/// Probability of a chance result below which the path of pinned counts at least hints at a meter.
const HALF_SURE: f64 = 0.25;
/// Fano factor below which counts come from a meter if requests are known to wait (method 12.2, R3).
const FLAT: f64 = 0.05;
/// Fano factor below which counts of waiting requests come from a meter if the factor falls with the length.
const FALLING: f64 = 0.1;
/// Number of counts below which the factor must be below `FLAT_OF_FEW`.
const FEW: usize = 16;
const FLAT_OF_FEW: f64 = 0.02;
/// Ratio of the factor at the greatest length to that at the shortest below which the factor falls.
const FALLS: f64 = 0.7;
/// Lengths in seconds at which the factor is computed.
const SCALES_S: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// Fewest counts at one length.
const AT_SCALE: usize = 4;

/// Counts over equal lengths of work in the order of time, without those with too little I/O requested.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    /// The counts, each scaled to `seconds`.
    pub each: Vec<f64>,
    /// Length of one count.
    pub seconds: f64,
}

impl Counts {
    /// Collects the counts that `of` takes of `ticks`, over lengths of half a second or more.
    pub fn of(ticks: &[Tick], of: impl Fn(&Tick) -> f64) -> Counts {
        let asked = asked(ticks);
        let usual = median(&ticks.iter().map(|tick| tick.seconds).collect::<Vec<f64>>()).unwrap_or(CELL_S);
        let seconds = usual * (CELL_S / usual).ceil().max(1.0);
        let mut each = Vec::new();
        let mut open = (0.0, 0.0);
        let mut length = 0.0;
        for (at, tick) in ticks.iter().enumerate() {
            let torn = at > 0 && ticks[at - 1].to != tick.from;
            if torn || !asked[at] {
                (open, length) = ((0.0, 0.0), 0.0);
            }
            if !asked[at] {
                continue;
            }
            open = (open.0 + of(tick), open.1 + working(tick));
            length += tick.seconds;
            if length >= seconds * 0.9 {
                each.push(open.0 / open.1 * seconds);
                (open, length) = ((0.0, 0.0), 0.0);
            }
        }
        Counts { each, seconds }
    }

    /// Takes the counts per second of plimsoll's own load.
    pub fn of_seconds(each: Vec<f64>) -> Counts {
        Counts { each, seconds: 1.0 }
    }

    /// Joins the counts of several windows at one level; counts of another length than the first are left out.
    pub fn together(counts: impl Iterator<Item = Counts>) -> Counts {
        let mut all = Counts { each: Vec::new(), seconds: 0.0 };
        for counts in counts {
            if all.each.is_empty() {
                all.seconds = counts.seconds;
            }
            if counts.seconds == all.seconds {
                all.each.extend(counts.each);
            }
        }
        all
    }

    /// Returns the counts without the odd ones.
    pub fn usual(&self) -> Vec<f64> {
        let (Some(middle), Some(spread)) = (median(&self.each), median_absolute_deviation(&self.each)) else {
            return self.each.clone();
        };
        let off = |value: &f64| (value - middle).abs();
        let odd = ODD * (DEVIATION * spread).max(WHOLE.sqrt());
        let mut far: Vec<f64> = self.each.iter().map(off).filter(|off| *off > odd).collect();
        far.sort_by(|a, b| b.total_cmp(a));
        far.truncate(self.each.len() / ODD_ONE_IN);
        let least = far.last().copied().unwrap_or(f64::INFINITY);
        self.each.iter().copied().filter(|value| off(value) < least).collect()
    }

    /// Returns how even the counts are; `None` if there are too few of them.
    pub fn evenness(&self) -> Option<Evenness> {
        let usual = self.usual();
        if usual.len() < FEWEST {
            return None;
        }
        let mean = usual.iter().sum::<f64>() / usual.len() as f64;
        (mean > 0.0).then(|| Evenness {
            count: usual.len(),
            fano: variance(&usual, mean) / mean,
            by_chance: chance(watson(&usual, mean)),
            scales: scales(&usual, self.seconds),
        })
    }
}

/// Returns the seconds of an interval in which the device had work: time without a CPU for its programs shows no meter.
fn working(tick: &Tick) -> f64 {
    if tick.busy.is_nan() { tick.seconds } else { tick.seconds * tick.busy.min(1.0) }
}

/// Returns whether each reading had the usual requests: programs that lack a CPU leave a device without work.
fn asked(ticks: &[Tick]) -> Vec<bool> {
    let queues: Vec<f64> = ticks.iter().map(|tick| tick.queue).filter(|queue| queue.is_finite()).collect();
    let Some(usual) = median(&queues) else { return vec![true; ticks.len()] };
    let those = |busy: f64, queue: f64| -> Vec<bool> {
        ticks.iter().map(|tick| tick.queue >= queue * usual && tick.busy >= busy).collect()
    };
    let clean = those(BUSY, QUEUE);
    let count = clean.iter().filter(|clean| **clean).count();
    let enough = count >= FEWEST && count as f64 >= ENOUGH * ticks.len() as f64;
    if enough { clean } else { those(SHORT, SHORT) }
}

/// Returns the ticks with as much I/O requested as usual.
pub(crate) fn asked_ticks(ticks: &[Tick]) -> impl Iterator<Item = &Tick> {
    ticks.iter().zip(asked(ticks)).filter(|(_, asked)| *asked).map(|(tick, _)| tick)
}

fn variance(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (values.len() - 1) as f64
}

/// Returns Watson's statistic of the path of the sum about its straight line: 1/12 in the mean for independent counts,
/// 1/(2n) for those of a meter, more for counts that drift (Watson: Biometrika 48, 1961).
fn watson(values: &[f64], mean: f64) -> f64 {
    let count = values.len() as f64;
    let mut sum = 0.0;
    let path: Vec<f64> = values
        .iter()
        .map(|value| {
            sum += value - mean;
            sum
        })
        .collect();
    let middle = path.iter().sum::<f64>() / count;
    let squares: f64 = path.iter().map(|at| (at - middle).powi(2)).sum();
    squares / (count * count * variance(values, mean).max(WHOLE))
}

/// Returns the probability that independent counts have a statistic as small as this.
fn chance(statistic: f64) -> f64 {
    // π √u is distributed as Kolmogorov's statistic; this is the series for small values.
    let x = PI * statistic.max(1e-9).sqrt();
    let term = |k: i32| (-(f64::from(2 * k - 1) * PI / x).powi(2) / 8.0).exp();
    ((2.0 * PI).sqrt() / x * (1..=4).map(term).sum::<f64>()).min(1.0)
}

/// Returns (length in seconds, factor) for each length with enough counts.
fn scales(values: &[f64], seconds: f64) -> Vec<(f64, f64)> {
    let at = |scale: f64| {
        let each = (scale / seconds).round() as usize;
        let near = each > 0 && (each as f64 * seconds / scale - 1.0).abs() < 0.2;
        (near && values.len() / each >= AT_SCALE).then(|| (scale, factor(values, each)))
    };
    SCALES_S.into_iter().filter_map(at).collect()
}

fn factor(values: &[f64], each: usize) -> f64 {
    let sums: Vec<f64> = values.chunks_exact(each).map(|chunk| chunk.iter().sum()).collect();
    let mean = sums.iter().sum::<f64>() / sums.len() as f64;
    variance(&sums, mean).max(WHOLE) / mean
}

/// Returns the seconds for which a meter must limit the rate to be detected if readings are `each` seconds apart.
pub(crate) fn least_s(each: f64) -> f64 {
    FEW as f64 * each * (CELL_S / each).ceil().max(1.0)
}

/// How even counts are, as evidence of a meter.
#[derive(Clone, Debug)]
pub(crate) struct Evenness {
    pub count: usize,
    /// Variance over mean at the shortest length.
    pub fano: f64,
    /// Probability that the path of independent counts is as bounded.
    pub by_chance: f64,
    /// (seconds, variance over mean) at growing lengths.
    pub scales: Vec<(f64, f64)>,
}

impl Evenness {
    /// Whether the counts come from a meter, with a probability of at most `chance` of a false positive.
    pub fn is_metered(&self, chance: f64) -> bool {
        self.fano.max(self.longest()) < PINNED && self.by_chance < HALF_SURE
            || self.by_chance < chance && self.falls()
    }

    /// Whether the counts come from a meter if requests are known to wait: evenness then depends on the device alone.
    pub fn is_flat(&self, chance: f64) -> bool {
        let limit = match self.count < FEW {
            true => FLAT_OF_FEW,
            false if self.falls() => FALLING,
            false => FLAT,
        };
        self.is_metered(chance) || self.longest() < limit
    }

    /// Returns the factor at the greatest length.
    pub fn longest(&self) -> f64 {
        self.scales.last().map_or(self.fano, |scale| scale.1)
    }

    /// Whether the factor falls with the length.
    fn falls(&self) -> bool {
        match (self.scales.first(), self.scales.last()) {
            (Some(first), Some(last)) if last.0 > first.0 => last.1 < FALLS * first.1,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statistics::Stream;

    fn evenness(of: impl FnMut(usize) -> f64, count: usize) -> Evenness {
        Counts { each: (0..count).map(of).collect(), seconds: 1.0 }.evenness().unwrap()
    }

    /// Counts of a meter of 400 per second that passes `slice` at a time and is read at any moment.
    fn metered(seed: u64, slice: f64, count: usize) -> Evenness {
        let mut stream = Stream::new(seed, 1);
        let mut edge = 0.0;
        let next = |_| {
            let before = edge;
            edge = stream.unit_f64() * slice;
            400.0 + edge - before
        };
        evenness(next, count)
    }

    fn without(seed: u64, cv: f64, count: usize) -> Evenness {
        let mut stream = Stream::new(seed, 2);
        evenness(|_| (400.0 + cv * 20.0 * stream.normal()).round(), count)
    }

    #[test]
    fn a_meter_is_told_from_a_device_that_serves_evenly_whatever_its_slices() {
        let told = |of: &dyn Fn(u64) -> Evenness, chance: f64| {
            (0..400).filter(|seed| of(*seed).is_metered(chance)).count()
        };
        for slice in [4.0, 40.0] {
            let found =
                [told(&|seed| metered(seed, slice, 36), 0.01), told(&|seed| metered(seed, slice, 60), 1e-4)];
            assert!(found[0] >= 240 && found[1] >= 200, "{slice}: {found:?} of 400");
        }
        for cv in [0.05, 0.1, 0.3, 1.0] {
            for count in [36, 60, 240] {
                assert!(told(&|seed| without(seed, cv, count), 1e-4) <= 1, "{cv} {count}");
                assert!(told(&|seed| without(seed, cv, count), 0.01) <= 12, "{cv} {count}");
            }
        }
    }

    #[test]
    fn what_drifts_has_no_meter() {
        let mut stream = Stream::new(5, 1);
        let mut level = 400.0;
        let drifting = evenness(
            |_| {
                level += stream.normal();
                level
            },
            120,
        );
        assert!(!drifting.is_metered(0.05) && drifting.by_chance > 0.5, "{drifting:?}");
    }
}
