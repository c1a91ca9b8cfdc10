//! What is true of a case, and what the report has wrong.

use std::collections::BTreeSet;

use super::Wrong;
use super::told::{Change, CheckReport};
use super::witness::CounterSample;

/// Largest accepted error of a level, as a share.
const LEVEL: f64 = 0.01;
/// Largest accepted error of a time, in seconds.
const TIME_S: f64 = 2.0;

/// QEMU's bucket: it fills at the burst rate within its length, and drains at the base rate.
#[derive(Clone, Copy, Debug)]
pub enum Bucket {
    Operations { base: f64, burst: f64, length_s: f64 },
    Bytes { base: f64, burst: f64, length_s: f64 },
}

/// What is true of a case.
#[derive(Clone, Copy, Debug)]
pub enum Truth {
    /// It bursts until the bucket is used up.
    Burst(Bucket),
    /// The rate is constant.
    Constant,
    /// This many operations a second, one of which is charged for each `unit` bytes.
    Unit { iops: f64, unit: u64 },
    /// This many operations a second, reads and writes together.
    Total { iops: f64 },
}

impl Bucket {
    fn levels(self) -> (f64, f64) {
        let (Bucket::Operations { base, burst, .. } | Bucket::Bytes { base, burst, .. }) = self;
        (base, burst)
    }

    fn length_s(self) -> f64 {
        let (Bucket::Operations { length_s, .. } | Bucket::Bytes { length_s, .. }) = self;
        length_s
    }

    /// Returns when the bucket was full, in seconds since 1970, computed from what passed: QEMU's leaky bucket holds
    /// the burst for its length and drains at the base rate all the time.
    fn full_at(self, seen: &[CounterSample]) -> Option<f64> {
        let (base, burst) = self.levels();
        let of =
            |seen: &CounterSample| if matches!(self, Bucket::Bytes { .. }) { seen.bytes } else { seen.ops };
        let mut level: f64 = 0.0;
        for pair in seen.windows(2) {
            level = (level + of(&pair[1]) - of(&pair[0]) - base * (pair[1].at - pair[0].at)).max(0.0);
            // Between two readings, at most a tenth of a second of the burst is missed.
            if level >= burst * (self.length_s() - 0.1) {
                return Some(pair[1].at);
            }
        }
        None
    }
}

/// Describes the truth in the message of a failure.
pub fn words(truth: &Truth, seen: &[CounterSample]) -> String {
    let full = match truth {
        Truth::Burst(bucket) => bucket.full_at(seen).zip(seen.first()).map(|(at, first)| at - first.at),
        _ => None,
    };
    format!("{truth:?}; the bucket was full {full:?} s after the witness began")
}

/// Whether the truth showed in what passed: a bucket that is not used up shows nothing.
pub fn was_seen(truth: &Truth, seen: &[CounterSample]) -> bool {
    match truth {
        Truth::Burst(bucket) => bucket.full_at(seen).is_some(),
        Truth::Constant | Truth::Unit { .. } | Truth::Total { .. } => true,
    }
}

/// Returns what the report has wrong.
pub fn wrongs(truth: &Truth, told: &CheckReport, seen: &[CounterSample]) -> BTreeSet<Wrong> {
    match *truth {
        Truth::Burst(bucket) => of_burst(bucket, told, seen),
        Truth::Constant => told.changes.iter().map(|_| Wrong::FalseFall).collect(),
        Truth::Unit { iops, unit } => of_unit((iops, unit), told),
        Truth::Total { iops } => {
            let total = (!told.shared).then_some(Wrong::Total);
            total.into_iter().chain(off(told.iops, iops).then_some(Wrong::Level)).collect()
        }
    }
}

fn off(told: Option<f64>, truth: f64) -> bool {
    told.is_none_or(|told| (told / truth - 1.0).abs() > LEVEL)
}

fn of_unit((iops, unit): (f64, u64), told: &CheckReport) -> BTreeSet<Wrong> {
    let mut wrong = BTreeSet::new();
    wrong.extend(off(told.iops, iops).then_some(Wrong::Level));
    wrong.extend((told.unit != Some(unit)).then_some(Wrong::Unit));
    wrong.extend(told.bytes_per_second_cap.map(|_| Wrong::FalseLimit));
    wrong
}

fn of_burst(bucket: Bucket, told: &CheckReport, seen: &[CounterSample]) -> BTreeSet<Wrong> {
    let mut wrong = BTreeSet::new();
    let (base, burst) = bucket.levels();
    let in_bytes = matches!(bucket, Bucket::Bytes { .. });
    let headline = if in_bytes { told.bytes_per_second } else { told.iops };
    let Some(full_at) = bucket.full_at(seen) else {
        // The burst outlasted the run, so no change may be reported.
        return told.changes.iter().map(|_| Wrong::FalseFall).collect();
    };
    wrong.extend(off(headline, base).then_some(Wrong::Headline));
    wrong.extend((!in_bytes && told.bytes_per_second_cap.is_some()).then_some(Wrong::FalseLimit));
    let Some(change) = told.changes.iter().min_by(|a, b| {
        let far = |change: &Change| (change.at - full_at).abs();
        far(a).total_cmp(&far(b))
    }) else {
        wrong.extend([Wrong::Silent, Wrong::Interval]);
        return wrong;
    };
    wrong.extend((off(Some(change.before), burst) || off(Some(change.after), base)).then_some(Wrong::Level));
    wrong.extend(((change.at - full_at).abs() > TIME_S).then_some(Wrong::Time));
    let inside = change.between.is_some_and(|(from, to)| from - 0.2 <= full_at && full_at <= to + 0.2);
    wrong.extend((!inside).then_some(Wrong::Interval));
    wrong
}
