//! Effect of limits over time: length of bursts, credits that a test spends, and the time that an amount takes.

use serde::{Deserialize, Serialize};
use workload::{BytesPerSecond, Iops, Nanos};

use crate::{Bucket, Level, Limit, Limits, Load};

/// Assumed length of a burst, and of its cool-off, if the provider does not publish them: one minute, as with
/// the providers that do publish a timed burst. For simulation only; verdicts call such a burst unknown.
pub const ASSUMED_BURST: Nanos = Nanos::from_secs(60);

/// Length of a burst under full load, from a full bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BurstLength {
    /// There is no burst: the rate lasts.
    None,
    /// The burst ends after this time.
    Ends(Nanos),
    /// There is a burst of unpublished length.
    Unknown,
}

/// A stretch of time under constant load in which the same rule sets the same rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Start, from the start of the load.
    pub start: Nanos,
    /// End; `None` if, according to the policy, the stretch lasts indefinitely.
    pub end: Option<Nanos>,
    /// Operations a second.
    pub iops: Iops,
    /// Bytes a second.
    pub bandwidth: BytesPerSecond,
    /// Index into [`Limits::limits`] of the rule that sets the rate; `None` if the load is below every cap.
    pub bound_by: Option<usize>,
}

impl Limit {
    /// Whether the rule has a burst that ends.
    pub fn drains(&self) -> bool {
        self.burst.is_some_and(|burst| burst.bucket != Bucket::UnlimitedPaid)
    }

    /// Returns the time for which this rule admits more than its baseline: `size / (rate − baseline)` for credits.
    pub fn burst_length(&self) -> BurstLength {
        let Some(burst) = &self.burst else { return BurstLength::None };
        match burst.bucket {
            Bucket::Tokens { size, .. } => {
                BurstLength::Ends(Nanos::from_secs_f64(size / (burst.rate - self.baseline)))
            }
            Bucket::Timed { lasts: Some(lasts), .. } => BurstLength::Ends(lasts),
            Bucket::UnlimitedPaid => BurstLength::None,
            Bucket::Timed { lasts: None, .. } | Bucket::Unknown => BurstLength::Unknown,
        }
    }
}

impl Limits {
    /// Returns the longest burst of any rule, each under a load that saturates it.
    pub fn longest_burst(&self) -> BurstLength {
        self.limits.iter().map(Limit::burst_length).fold(BurstLength::None, longer)
    }

    /// Returns the time for which an endless `load` runs above its final rate, from full buckets.
    pub fn burst_under(&self, load: &Load) -> BurstLength {
        let bursting = self.limits.iter().filter(|limit| limit.cost(load) > 0.0);
        let binding = |limit: &&Limit| {
            let base = limit.baseline / limit.cost(load);
            self.cap(load, Level::Burst).is_some_and(|cap| base < cap.iops.0)
        };
        if bursting.filter(binding).any(|limit| limit.burst_length() == BurstLength::Unknown) {
            return BurstLength::Unknown;
        }
        match self.overload(load).last() {
            Some(phase) if phase.start > Nanos::ZERO => BurstLength::Ends(phase.start),
            _ => BurstLength::None,
        }
    }

    /// Returns the phases of an endless `load`, from full buckets: the burst, then one step down for each bucket that
    /// empties. No phases if no rule covers the load. Rates after a timed burst's cool-off are left out: no provider
    /// states them.
    pub fn overload(&self, load: &Load) -> Vec<Phase> {
        self.unfold(load, f64::INFINITY)
    }

    fn unfold(&self, load: &Load, asked: f64) -> Vec<Phase> {
        let mut rules: Vec<Unfolding> = self
            .limits
            .iter()
            .enumerate()
            .filter(|(_, limit)| limit.cost(load) > 0.0)
            .map(|(index, limit)| Unfolding::new(index, limit, load))
            .collect();
        let mut phases: Vec<Phase> = Vec::new();
        let mut now = 0.0;
        // Each iteration uses up at least one credit, so there are at most as many iterations as rules, plus one.
        for _ in 0..=rules.len() {
            let Some(tightest) = rules.iter().min_by(|a, b| a.rate().total_cmp(&b.rate())) else { break };
            let bound_by = (tightest.rate() <= asked).then_some(tightest.index);
            let iops = tightest.rate().min(asked);
            let lasts = rules.iter().map(|rule| rule.lasts(iops)).fold(f64::INFINITY, f64::min);
            let end = lasts.is_finite().then(|| Nanos::from_secs_f64(now + lasts));
            push(
                &mut phases,
                Phase {
                    start: Nanos::from_secs_f64(now),
                    end,
                    iops: Iops(iops),
                    bandwidth: BytesPerSecond(iops * load.block.0 as f64),
                    bound_by,
                },
            );
            if end.is_none() {
                break;
            }
            debug_assert!(lasts >= 0.0, "credit lasts for {lasts} s");
            rules.iter_mut().for_each(|rule| rule.pass(iops, lasts));
            now += lasts;
        }
        let follows = |pair: &[Phase]| pair[0].end == Some(pair[1].start);
        // A run file may hold any limits, so a release build does not panic.
        debug_assert!(
            phases.windows(2).all(follows),
            "a phase of a load does not begin where the last one ends"
        );
        phases
    }
}

/// Appends a phase, or extends the last one if nothing changes for the load.
fn push(phases: &mut Vec<Phase>, phase: Phase) {
    match phases.last_mut() {
        Some(last) if last.iops == phase.iops && last.bound_by == phase.bound_by => last.end = phase.end,
        _ => phases.push(phase),
    }
}

fn longer(a: BurstLength, b: BurstLength) -> BurstLength {
    match (a, b) {
        (BurstLength::Unknown, _) | (_, BurstLength::Unknown) => BurstLength::Unknown,
        (BurstLength::Ends(a), BurstLength::Ends(b)) => BurstLength::Ends(a.max(b)),
        (BurstLength::None, other) | (other, BurstLength::None) => other,
    }
}

/// A rule under a constant load, in operations of that load.
struct Unfolding {
    index: usize,
    baseline: f64,
    burst: f64,
    credit: Credit,
}

/// Remaining credit for a burst.
#[derive(Clone, Copy)]
enum Credit {
    Tokens { level: f64, size: f64 },
    Seconds(f64),
    Gone,
}

impl Unfolding {
    fn new(index: usize, limit: &Limit, load: &Load) -> Unfolding {
        let cost = limit.cost(load);
        let credit = match limit.burst.map(|burst| burst.bucket) {
            None => Credit::Gone,
            Some(Bucket::Tokens { size, initial, .. }) => {
                Credit::Tokens { level: initial / cost, size: size / cost }
            }
            Some(Bucket::UnlimitedPaid) => Credit::Seconds(f64::INFINITY),
            Some(Bucket::Timed { lasts, .. }) => {
                Credit::Seconds(lasts.unwrap_or(ASSUMED_BURST).as_secs_f64())
            }
            Some(Bucket::Unknown) => Credit::Seconds(ASSUMED_BURST.as_secs_f64()),
        };
        Unfolding { index, baseline: limit.baseline / cost, burst: limit.rate(Level::Burst) / cost, credit }
    }

    fn rate(&self) -> f64 {
        match self.credit {
            Credit::Gone => self.baseline,
            _ => self.burst,
        }
    }

    /// Returns the seconds until the credit is gone at this rate.
    fn lasts(&self, iops: f64) -> f64 {
        match self.credit {
            Credit::Tokens { level, .. } if iops > self.baseline => level / (iops - self.baseline),
            Credit::Seconds(left) if iops > self.baseline => left,
            _ => f64::INFINITY,
        }
    }

    fn pass(&mut self, iops: f64, seconds: f64) {
        let gone = self.lasts(iops) <= seconds;
        self.credit = match self.credit {
            _ if gone => Credit::Gone,
            Credit::Tokens { level, size } => {
                Credit::Tokens { level: (level + (self.baseline - iops) * seconds).clamp(0.0, size), size }
            }
            Credit::Seconds(left) if iops > self.baseline => Credit::Seconds(left - seconds),
            other => other,
        };
    }
}
