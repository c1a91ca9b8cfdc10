//! Detects whether a meter pins a series of counts, by how the ratio of their variance to their mean falls with the
//! length of the window.
//!
//! A meter pins the cumulative count: an excess in one second is taken from the next, so the error of the count over
//! any window is that of its two edges, and the Fano factor (variance over mean) falls in inverse proportion to the
//! window's length. Without a meter every second adds a separate error: the factor is level, or grows if seconds
//! resemble each other. No threshold at one length distinguishes the two; the slope over lengths does.

use crate::quantile::{median, robust_deviation};

mod exact;
mod fit;
mod sizes;
#[cfg(test)]
mod tests;

pub use exact::{ExactRate, exact_rate};
use fit::{MeterFit, Stretch};

/// Slope that separates pinned (-1) from level (0).
const BORDER: f64 = -0.5;
/// Fano factor below which a level series may be due to a few servers of even pace, or to a meter with a fluctuating
/// rate: independent arrivals have 1, and devices without a throttle had 6 to 104 at 1 to 8 s.
const DRIFTING: f64 = 1.0;
/// Fano factor below which, at any length, the counts are a meter's, whatever the slope: for busy servers it is at
/// least the square of the coefficient of variation of one server's service time, which no device keeps within 5 %.
const EVEN: f64 = 0.0025;
/// The same for items that are known to wait, whose evenness depends on the device alone (method 12.2, R3).
const EVEN_WAITING: f64 = 0.1;
/// Number of clean counts of waiting items below which the factor itself must be below `EVEN_FEW` at all lengths.
pub const COUNTS_MANY: usize = 16;
const EVEN_FEW: f64 = 0.02;
/// Longest window, in seconds.
const LONGEST_S: f64 = 16.0;
/// Fewest clean counts, over all windows together.
const COUNTS_MIN: usize = 8;
/// Fewest clean counts of the longest stretch, which must be long enough to show a fall.
const STRETCH_MIN: usize = 4;
/// Distance from the middle, in standard deviations of the bulk of its window, from which a count is an accident (a stall,
/// a slice that slipped into the next interval) and not the pace, if it is also more than two.
const ACCIDENT: f64 = 6.0;
/// One count in this many may be an accident; if more are out of line, they are the pace.
const ACCIDENT_IN: usize = 7;

/// Number of whole items (I/Os, units of accounting) in one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// The number.
    pub number: f64,
    /// Whether the interval shows the pace; false if the load itself fell short.
    pub clean: bool,
}

/// A stretch of one load at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Seconds per interval.
    pub seconds: f64,
    /// Items in flight, of which a whole round may complete at once.
    pub depth: f64,
    /// Amount that one I/O counts: one, unless windows of several sizes are compared.
    pub unit: f64,
    /// Counts of the intervals, in time order.
    pub counts: Vec<Count>,
}

impl Window {
    /// Returns the items per second of the clean counts without accidents.
    #[must_use]
    pub fn usual_rates(&self) -> Vec<f64> {
        let counts = trimmed(std::slice::from_ref(self)).into_iter().flat_map(|window| window.counts);
        counts.filter(|count| count.clean).map(|count| count.number / self.seconds).collect()
    }
}

/// The answer to whether a meter pins the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metering {
    /// The cumulative count is pinned: a meter of an even rate.
    Metered,
    /// The cumulative count drifts by more than independent arrivals would: no meter of an even rate. A throttle whose
    /// rate varies looks the same.
    NotMetered,
    /// Too few counts, or a level but small Fano factor, as from a few even servers or a meter with a fluctuating rate.
    #[default]
    Unclear,
}

/// The answer with its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meter {
    /// The answer.
    pub answer: Metering,
    /// Seconds of a window, and variance over mean of the counts in windows of that length; in rising order.
    pub fano: Vec<(f64, f64)>,
    /// Slope of log F over log T between the shortest and the longest window: -1 pinned, 0 level. `None` for too few
    /// counts.
    pub slope: Option<Slope>,
    /// Whether a meter pins the counts if their items are known to wait.
    pub if_waiting: bool,
}

/// A slope with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The likeliest slope.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Meter {
    /// Whether it is certain that nothing pins the cumulative count.
    pub fn drifts(&self) -> bool {
        self.slope.is_some_and(|slope| slope.low > BORDER)
    }
}

/// Tests whether a meter pins the counts of `windows`, which are at one level but may lie apart: each is compared with
/// its own mean.
#[must_use]
pub fn metered(windows: &[Window]) -> Meter {
    of_levels(&windows.iter().map(std::slice::from_ref).map(trimmed).collect::<Vec<_>>())
}

/// [`metered`] for levels that may have several windows each.
fn of_levels(levels: &[Vec<Window>]) -> Meter {
    let stretches: Vec<Vec<Stretch<'_>>> =
        levels.iter().map(|windows| windows.iter().flat_map(stretches).collect()).collect();
    let longest = stretches.iter().flatten().map(|stretch| stretch.counts.len()).max().unwrap_or(0);
    let clean: usize = stretches.iter().flatten().map(|stretch| stretch.counts.len()).sum();
    if longest < STRETCH_MIN || clean < COUNTS_MIN {
        return Meter::default();
    }
    let scales = Scales::of(&stretches);
    let fano = fanos(&stretches, &scales);
    let Some(fit) = fit::fit(&stretches) else { return Meter { fano, ..Meter::default() } };
    let slope = scales.slope(&fit);
    let answer = answer(&slope, &fit, &scales);
    let even = match clean < COUNTS_MANY {
        true => fano.iter().all(|(_, fano)| *fano < EVEN_FEW),
        false => fit.loose_high < EVEN_WAITING,
    };
    Meter { answer, fano, slope: Some(slope), if_waiting: even || answer == Metering::Metered }
}

/// [`metered`] for windows whose steps ran at different times at what should be one level. Under an even meter their
/// means agree as closely as the seconds of a window do, which shows more than each window by itself; a meter whose
/// rate changed between the windows still shows in each. Where waits hide all that, counts that agree exactly show it:
/// a load that fell short makes counts uneven but never even, so for these all counts are used.
#[must_use]
pub fn metered_at_one_level(windows: &[Window]) -> Meter {
    let apart = metered(windows);
    let meter = if apart.answer == Metering::Metered || windows.len() < 2 {
        apart
    } else {
        of_levels(&[trimmed(windows)])
    };
    let answer = if exact_rate(windows).is_some() { Metering::Metered } else { meter.answer };
    Meter { answer, ..meter }
}

fn answer(slope: &Slope, fit: &MeterFit, scales: &Scales) -> Metering {
    let fano = fit.variance(scales.longest) / (fit.rate * scales.longest);
    if slope.high < BORDER || fit.loose_high < EVEN {
        Metering::Metered
    } else if slope.low > BORDER && fano >= DRIFTING {
        Metering::NotMetered
    } else {
        Metering::Unclear
    }
}

/// Shortest and longest window that the counts allow, in seconds.
struct Scales {
    shortest: f64,
    longest: f64,
}

impl Scales {
    /// The longest window is half of the longest stretch: there are too few longer ones.
    fn of(stretches: &[Vec<Stretch<'_>>]) -> Scales {
        let all = || stretches.iter().flatten();
        let shortest = all().map(|stretch| stretch.seconds).fold(f64::INFINITY, f64::min);
        let half = |stretch: &Stretch<'_>| (stretch.counts.len() / 2) as f64 * stretch.seconds;
        Scales {
            shortest,
            longest: all().map(half).fold(2.0 * shortest, f64::max).min(LONGEST_S.max(2.0 * shortest)),
        }
    }

    fn slope(&self, fit: &MeterFit) -> Slope {
        let of = |drift: f64| {
            let variance = |seconds: f64| 2.0 + drift * seconds;
            (variance(self.longest) / variance(self.shortest)).ln() / (self.longest / self.shortest).ln()
                - 1.0
        };
        Slope { value: of(fit.drift), low: of(fit.drift_low), high: of(fit.drift_high) }
    }
}

/// The windows of one level, with accidents marked as unclean.
fn trimmed(windows: &[Window]) -> Vec<Window> {
    let windows = || windows.iter().filter(|window| window.seconds > 0.0);
    let clean = |window: &Window| -> Vec<(f64, f64)> {
        let clean = window.counts.iter().filter(|count| count.clean);
        clean.map(|count| (count.number, window.seconds)).collect()
    };
    let clean: Vec<(f64, f64)> = windows().flat_map(clean).collect();
    let rates: Vec<f64> = clean.iter().map(|(number, seconds)| number / seconds).collect();
    let Some(rate) = median(&rates) else { return windows().cloned().collect() };
    let off: Vec<f64> = clean.iter().map(|(number, seconds)| number - rate * seconds).collect();
    let bound = (ACCIDENT * robust_deviation(&off).unwrap_or(0.0)).max(2.0);
    if off.iter().filter(|off| off.abs() > bound).count() * ACCIDENT_IN > off.len() {
        return windows().cloned().collect();
    }
    let trim = |window: &Window| {
        let fits = |count: &Count| (count.number - rate * window.seconds).abs() <= bound;
        let counts = window.counts.iter().map(|count| Count { clean: count.clean && fits(count), ..*count });
        Window { counts: counts.collect(), ..*window }
    };
    windows().map(trim).collect()
}

/// The clean stretches of a window.
fn stretches(window: &Window) -> impl Iterator<Item = Stretch<'_>> {
    let clean = window.counts.split(|count| !count.clean).filter(|counts| !counts.is_empty());
    clean.map(|counts| Stretch { seconds: window.seconds, counts })
}

/// The Fano factor at doubling lengths.
fn fanos(stretches: &[Vec<Stretch<'_>>], scales: &Scales) -> Vec<(f64, f64)> {
    let lengths = std::iter::successors(Some(scales.shortest), |seconds| Some(2.0 * seconds));
    let reached = lengths.take_while(|seconds| *seconds <= scales.longest * 1.001);
    reached.filter_map(|seconds| Some((seconds, fano_at(stretches, seconds)?))).collect()
}

/// Fano factor over all overlapping windows of `seconds` in clean stretches; each is compared with the mean of its whole
/// level, and corrected for being part of that mean.
fn fano_at(stretches: &[Vec<Stretch<'_>>], seconds: f64) -> Option<f64> {
    let (mut squares, mut means) = (0.0, 0.0);
    for level in stretches {
        let all: f64 = level.iter().map(|stretch| stretch.seconds * stretch.counts.len() as f64).sum();
        let numbers = level.iter().flat_map(|stretch| stretch.counts).map(|count| count.number);
        let rate = numbers.sum::<f64>() / all;
        for stretch in level {
            let taken = (seconds / stretch.seconds).round().max(1.0) as usize;
            let length = taken as f64 * stretch.seconds;
            let share = 1.0 - length / all;
            for counts in stretch.counts.windows(taken).filter(|_| share > 1e-9) {
                let sum: f64 = counts.iter().map(|count| count.number).sum();
                squares += (sum - length * rate).powi(2) / share;
                means += length * rate;
            }
        }
    }
    (means > 0.0).then(|| squares / means)
}
