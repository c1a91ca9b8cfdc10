//! What is true of a volume, and what the report has wrong.

use std::collections::BTreeSet;

use super::Wrong;
use super::told::{Change, CheckReport, Estimate, Level, QUANTITIES, Quantity};
use super::witness::CounterSample;

/// Largest accepted error of a level, as a share.
const LEVEL: f64 = 0.01;
/// Largest accepted error of a level that is printed as "about".
const ABOUT: f64 = 0.1;
/// Largest accepted error of a time, in seconds.
const TIME_S: f64 = 2.0;
/// Share by which what QEMU counted in a bucket may differ from what the kernel did, and the seconds in which a load
/// may make up for it.
const COUNTS: f64 = 0.02;
const SOON_S: f64 = 30.0;
/// Seconds of a check after a fall in which it can be found.
const LASTS_S: f64 = 10.0;
/// Seconds on either side of a fall, in which QEMU lets even large blocks through several times, and the least share of
/// the fall that they show.
const SIDE_S: f64 = 1.5;
const FALLS: f64 = 0.8;
/// The limit of what has none.
pub const FREE: u64 = 0;

/// What is true of a volume.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Operations and bytes a second, of reads and of writes; after a burst, those that last.
    caps: [[u64; 2]; 2],
    /// Whether reads and writes together have that much.
    shared: bool,
    /// Bytes of a charged operation.
    unit: Option<u64>,
    burst: Option<Burst>,
    /// Whether the rate is constant but for a burst.
    is_steady: bool,
    /// Whether the volume can be measured.
    is_measurable: bool,
}

/// QEMU's bucket: it fills at this rate within its length, and drains at the rate that lasts.
#[derive(Clone, Copy, Debug)]
struct Burst {
    rate: f64,
    length_s: f64,
}

/// Returns the truth of operations and bytes a second in each direction.
pub fn limits(operations: u64, bytes: u64) -> Truth {
    let caps = [[operations, bytes]; 2];
    Truth { caps, shared: false, unit: None, burst: None, is_steady: true, is_measurable: true }
}

/// Returns the truth of a volume that no limiter holds.
pub fn unlimited() -> Truth {
    limits(FREE, FREE)
}

/// Returns the truth of a volume whose rate others change.
pub fn changing() -> Truth {
    Truth { is_steady: false, ..unlimited() }
}

/// Returns the truth of a volume that hides in the page cache.
pub fn cached() -> Truth {
    Truth { is_measurable: false, ..changing() }
}

impl Truth {
    pub fn writes(self, operations: u64, bytes: u64) -> Truth {
        Truth { caps: [self.caps[0], [operations, bytes]], ..self }
    }

    pub fn shared(self) -> Truth {
        Truth { shared: true, ..self }
    }

    pub fn charged_by(self, unit: u64) -> Truth {
        Truth { unit: Some(unit), ..self }
    }

    pub fn after(self, rate: u64, seconds: u64) -> Truth {
        Truth { burst: Some(Burst { rate: rate as f64, length_s: seconds as f64 }), ..self }
    }

    fn cap(&self, direction: usize, quantity: Quantity) -> Option<f64> {
        // QEMU charges a long operation by its size, as a cap of bytes does.
        let cap = match (quantity, self.unit) {
            (Quantity::Bytes, Some(unit)) => self.caps[direction][0] * unit,
            _ => self.caps[direction][quantity as usize],
        };
        (cap != FREE).then_some(cap as f64)
    }

    /// Returns the greatest rate of a load with blocks that suit the quantity: of 4 KiB for operations.
    fn level(&self, direction: usize, quantity: Quantity) -> Option<f64> {
        let [operations, bytes] = self.caps[direction];
        match quantity {
            Quantity::Operations if operations != FREE && bytes != FREE => {
                Some(operations.min(bytes / 4096) as f64)
            }
            _ => self.cap(direction, quantity),
        }
    }

    /// Returns what the burst counts, and the rate that lasts.
    fn base(&self) -> (Quantity, f64) {
        let quantity = if self.caps[0][0] == FREE { Quantity::Bytes } else { Quantity::Operations };
        (quantity, self.caps[0][quantity as usize] as f64)
    }

    /// Returns when the bucket was nearly full, in seconds since 1970, computed from what passed: QEMU's leaky bucket
    /// holds the burst for its length and drains at the base rate all the time.
    fn full_at(&self, seen: &[CounterSample]) -> Option<f64> {
        let burst = self.burst?;
        let (quantity, base) = self.base();
        let mut level: f64 = 0.0;
        let full = |pair: &&[CounterSample]| {
            let passed = pair[1].both(quantity) - pair[0].both(quantity);
            level = (level + passed - base * (pair[1].at - pair[0].at)).max(0.0);
            level >= (1.0 - COUNTS) * burst.rate * burst.length_s
        };
        seen.windows(2).find(full).map(|pair| pair[1].at)
    }

    /// Returns when the rate may have fallen to the one that lasts, soon after the bucket was nearly full: moments
    /// between seconds at the rate of the burst and seconds at the base rate. More than one if a load of large blocks
    /// reached hardly more than the base rate.
    fn falls_at(&self, seen: &[CounterSample]) -> Vec<f64> {
        let (Some(full_at), Some(burst), (quantity, base)) = (self.full_at(seen), self.burst, self.base())
        else {
            return Vec::new();
        };
        let of = |from: f64| rate(seen, (from, from + SIDE_S), |sample| sample.both(quantity));
        let shows = |at: &f64| {
            let (before, after) = (of(at - SIDE_S), of(*at));
            let soon = (-1.0..SOON_S).contains(&(at - full_at));
            soon && before - after > FALLS * (burst.rate - base) && (after / base - 1.0).abs() < 1.0 - FALLS
        };
        let last = seen.last().map_or(0.0, |sample| sample.at);
        seen.iter().map(|sample| sample.at).filter(|at| last - at > LASTS_S).filter(shows).collect()
    }

    /// Whether the truth showed in what passed: a bucket that is not used up shows nothing.
    pub fn was_seen(&self, seen: &[CounterSample]) -> bool {
        self.burst.is_none() || !self.falls_at(seen).is_empty()
    }
}

/// Describes the truth in the message of a failure.
pub fn words(truth: &Truth, seen: &[CounterSample]) -> String {
    let since = |at: f64| at - seen.first().map_or(at, |first| first.at);
    let (full, fell) =
        (truth.full_at(seen).map(since), truth.falls_at(seen).into_iter().map(since).collect::<Vec<f64>>());
    let most = [0, 1].map(|direction| QUANTITIES.map(|quantity| greatest(seen, direction, quantity)));
    format!(
        "{truth:?}; the bucket was nearly full {full:.1?} s after the witness began and the rate fell at {fell:.1?} s; \
         counted at most {most:.0?} a second"
    )
}

/// How a report compares with the truth.
#[derive(Debug, Default)]
pub struct Judged {
    pub wrong: BTreeSet<Wrong>,
    /// Caps that are reported and exist.
    pub named: usize,
    /// Caps, units and shared caps that exist and are not reported.
    pub open: usize,
    /// Caps that are reported and do not exist.
    pub invented: usize,
}

/// Compares the report with the truth.
pub fn judged(truth: &Truth, told: &CheckReport, seen: &[CounterSample]) -> Judged {
    let mut judged = Judged::default();
    let wrong = &mut judged.wrong;
    wrong.extend((!truth.is_measurable && told.answer != "cannot_tell").then_some(Wrong::Verdict));
    wrong.extend(told.headline.iter().filter_map(|level| of_headline(truth, level, seen)));
    let cap = |level: &Level| truth.cap(level.direction, level.quantity);
    let blamed = |level: &&Level| cap(level).is_some() && level.by.1 != "possible";
    wrong.extend(told.causes.iter().filter(blamed).map(|_| Wrong::Cause));
    wrong.extend(told.units.iter().filter(|unit| truth.unit != Some(**unit)).map(|_| Wrong::Unit));
    let sharing = told
        .shared
        .iter()
        .filter(|(quantity, shared)| truth.cap(0, *quantity).is_some() && *shared != truth.shared);
    wrong.extend(sharing.map(|_| Wrong::Total));
    wrong.extend(of_changes(truth, told, seen));
    // Until the bucket is full, the rate of the burst is a limit too.
    let burst = truth.burst.filter(|_| !truth.was_seen(seen)).map(|burst| burst.rate);
    let exists = |level: &&Level| {
        let limits = [cap(level), cap(level).and(burst)];
        limits.into_iter().flatten().any(|limit| is_right(level.rate, limit))
    };
    judged.named = told.caps.iter().filter(exists).count();
    judged.invented = told.caps.len() - judged.named;
    judged.wrong.extend((judged.invented > 0).then_some(Wrong::FalseLimit));
    let caps = truth.caps.iter().flatten().filter(|cap| **cap != FREE).count();
    let unit = usize::from(truth.unit.is_some() && told.units.is_empty());
    let shared = usize::from(truth.shared && told.shared.is_empty());
    judged.open = caps.saturating_sub(judged.named) + unit + shared;
    judged
}

fn is_near(told: Estimate, truth: f64, share: f64) -> bool {
    (told.value / truth - 1.0).abs() <= share
}

fn is_right(told: Estimate, truth: f64) -> bool {
    // A wider interval is not printed.
    let is_printed = told.high - told.low < told.value;
    let is_inside = is_printed && (told.low..=told.high).contains(&truth);
    is_inside || is_near(told, truth, if is_printed { LEVEL } else { ABOUT })
}

fn of_headline(truth: &Truth, level: &Level, seen: &[CounterSample]) -> Option<Wrong> {
    if level.rate.value > greatest(seen, level.direction, level.quantity) * (1.0 + LEVEL) {
        return Some(Wrong::Uncounted);
    }
    // While a burst lasts, a load decides which rate is reached.
    let known = truth.level(level.direction, level.quantity).filter(|_| truth.was_seen(seen))?;
    (!is_right(level.rate, known)).then_some(Wrong::Headline)
}

/// Returns the rate between two times; NaN if there are not two readings.
fn rate(seen: &[CounterSample], (from, to): (f64, f64), of: impl Fn(&CounterSample) -> f64) -> f64 {
    let inside = |time: f64| seen.partition_point(|sample| sample.at < time);
    let (first, last) = (seen.get(inside(from)), seen.get(inside(to)));
    first.zip(last).map_or(f64::NAN, |(a, b)| (of(b) - of(a)) / (b.at - a.at))
}

/// Returns the greatest rate over half a second.
fn greatest(seen: &[CounterSample], direction: usize, quantity: Quantity) -> f64 {
    let from = |at: f64| rate(seen, (at, at + 0.5), |sample| sample.of(direction, quantity));
    seen.iter().map(|sample| from(sample.at)).fold(0.0, f64::max)
}

fn of_changes(truth: &Truth, told: &CheckReport, seen: &[CounterSample]) -> BTreeSet<Wrong> {
    let first = truth.full_at(seen).map_or(f64::INFINITY, |at| at - TIME_S);
    let invented = told.changes.iter().filter(|change| truth.is_steady && change.at < first);
    let mut wrong: BTreeSet<Wrong> = invented.map(|_| Wrong::FalseFall).collect();
    let (Some(burst), falls) = (truth.burst, truth.falls_at(seen)) else { return wrong };
    let far = |change: &Change| falls.iter().map(|at| (change.at - at).abs()).fold(f64::INFINITY, f64::min);
    // A bucket that did not surely run full may have shown anything.
    if falls.is_empty() {
        return wrong;
    }
    let Some(change) = told.changes.iter().min_by(|a, b| far(a).total_cmp(&far(b))) else {
        return [Wrong::Silent].into();
    };
    // They are printed without their intervals.
    let levels = is_near(change.before, burst.rate, LEVEL) && is_near(change.after, truth.base().1, LEVEL);
    let (from, to) = change.between;
    let inside = falls.iter().any(|at| (from - 0.2..to + 0.2).contains(at));
    let all = [(levels, Wrong::Level), (far(change) <= TIME_S, Wrong::Time), (inside, Wrong::Interval)];
    wrong.extend(all.into_iter().filter(|(right, _)| !right).map(|(_, wrong)| wrong));
    wrong
}
