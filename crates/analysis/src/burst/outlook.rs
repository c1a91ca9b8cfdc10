//! Progress of a drain, and when its burst may end: by the named policy, or else by the published bursts of such a
//! rate. How full the bucket was is not known, so every outlook assumes that it was full.

use policy::{BurstAlike, BurstLength, Limits, Load, Resource, bursts_alike};
use record::Interval;
use serde::{Deserialize, Serialize};
use workload::{Bytes, Direction, Iops, Nanos, Pace, StepKind, StepPlan};

/// Seconds of a drain after which an outlook is first given; each later one comes after `LATER` times as many.
const FIRST_S: f64 = 15.0;
const LATER: f64 = 2.0;
/// Share of the mean below which a rate may have fallen, so that no outlook is given.
const HELD: f64 = 0.8;
/// Greatest distance of a published burst from the rate, as a share: less than for a claim (method 6.1).
const NEAR: f64 = 0.01;
/// Share above the base below which a rate is not a burst.
const ABOVE: f64 = 0.02;
/// Most published bursts that an outlook names.
const NAMED_MOST: usize = 3;

/// Progress of a drain, with the outlook for its burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outlook {
    /// The resource that is drained.
    pub resource: Resource,
    /// Seconds of load without a fall.
    pub seconds: f64,
    /// Operations or bytes completed.
    pub amount: f64,
    /// When the burst may end.
    pub end: ComingEnd,
}

/// When a burst may end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ComingEnd {
    /// The end by the named policy; if negative, the burst should have ended already.
    Named {
        /// Seconds left.
        left_s: f64,
    },
    /// The ends of published bursts of that rate.
    Alike(Vec<AlikeEnd>),
    /// No published burst of that rate lasts longer than the drain so far.
    NoneAlike,
}

/// A published burst of that rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlikeEnd {
    /// The provider's name for it.
    pub title: String,
    /// Seconds left of a burst from full credits, on the smallest and on the largest volume; `None` if not published.
    pub left_s: Option<(f64, f64)>,
}

/// Follows the steps of a `burst` run, and gives outlooks from time to time.
#[derive(Debug)]
pub struct Outlooks {
    limits: Option<Limits>,
    /// Size of the volume, if known.
    size: Option<Bytes>,
    drain: Option<Drain>,
}

/// A drain from its first load on.
#[derive(Debug)]
struct Drain {
    job: String,
    resource: Resource,
    load: Load,
    /// Bytes per I/O.
    block: f64,
    seconds: f64,
    ops: f64,
    next_s: f64,
    /// Whether a rest has ended the drain: later loads are not its first.
    rested: bool,
}

impl Outlooks {
    /// Starts for a volume of `size` with these limits, each if known.
    pub fn new(limits: Option<Limits>, size: Option<Bytes>) -> Outlooks {
        Outlooks { limits, size, drain: None }
    }

    /// Notes the start of a step.
    pub fn begun(&mut self, plan: &StepPlan) {
        let Some(worker) = plan.workers.first().filter(|_| plan.kind == StepKind::Drain) else {
            self.drain.iter_mut().for_each(|drain| drain.rested = true);
            return;
        };
        if self.drain.as_ref().is_some_and(|drain| drain.job == worker.job) {
            return;
        }
        let mix = worker.access.mix;
        let way = if mix.issues(Direction::Read) { Direction::Read } else { Direction::Write };
        let block = worker.blocks.longest_of(way);
        let bytes = block.0 >= workload::BurstRequest::LARGE.0;
        self.drain = Some(Drain {
            job: worker.job.clone(),
            resource: if bytes { Resource::Bytes } else { Resource::Iops },
            load: Load::mixed(f64::from(mix.read_percent()) / 100.0, block),
            block: block.0 as f64,
            seconds: 0.0,
            ops: 0.0,
            next_s: FIRST_S,
            rested: worker.pace != Pace::Closed,
        });
    }

    /// Adds a completed interval, and returns an outlook if one is due.
    pub fn heard(&mut self, interval: &Interval) -> Option<Outlook> {
        let drain = self.drain.as_mut().filter(|drain| !drain.rested)?;
        drain.seconds += interval.seconds();
        drain.ops += interval.iops() * interval.seconds();
        let rate = drain.ops / drain.seconds;
        if drain.seconds < drain.next_s || interval.iops() < HELD * rate {
            return None;
        }
        drain.next_s = (LATER * drain.next_s).max(drain.seconds);
        let end = drain.named(self.limits.as_ref(), rate).or_else(|| drain.alike(self.size, rate))?;
        let each = if drain.resource == Resource::Iops { 1.0 } else { drain.block };
        Some(Outlook { resource: drain.resource, seconds: drain.seconds, amount: drain.ops * each, end })
    }
}

impl Drain {
    /// Returns when the burst ends by the policy: the content of its full bucket beyond the base, less what was served
    /// beyond the base, at the rate so far.
    fn named(&self, limits: Option<&Limits>, rate: f64) -> Option<ComingEnd> {
        let phases = limits?.overload(&self.load);
        let [burst, .., base] = phases.as_slice() else { return None };
        let (BurstLength::Ends(length), base) = (limits?.burst_under(&self.load), base.iops.0) else {
            return None;
        };
        if rate < base * (1.0 + ABOVE) {
            return None;
        }
        let held = (burst.iops.0 - base) * length.as_secs_f64();
        let spent = self.ops - base * self.seconds;
        Some(ComingEnd::Named { left_s: (held - spent) / (rate - base) })
    }

    /// Returns when the published bursts of that rate end; `None` for mixes, for which none are published.
    fn alike(&self, size: Option<Bytes>, rate: f64) -> Option<ComingEnd> {
        let near = |share: f64| Iops(rate * share);
        let direction = match self.load.read_share {
            1.0 => Direction::Read,
            0.0 => Direction::Write,
            _ => return None,
        };
        let level = policy::Plateau {
            direction,
            block: Bytes(self.block as u64),
            iops: (near(1.0 - NEAR), near(1.0 + NEAR)),
        };
        let found = bursts_alike(&[level], Nanos::from_secs_f64(self.seconds), size);
        let ends: Vec<AlikeEnd> = found.iter().take(NAMED_MOST).map(|alike| self.end_of(alike)).collect();
        Some(if ends.is_empty() { ComingEnd::NoneAlike } else { ComingEnd::Alike(ends) })
    }

    fn end_of(&self, alike: &BurstAlike) -> AlikeEnd {
        let left = |length: BurstLength| match length {
            BurstLength::Ends(length) => Some((length.as_secs_f64() - self.seconds).max(0.0)),
            BurstLength::None | BurstLength::Unknown => None,
        };
        AlikeEnd { title: alike.title.clone(), left_s: left(alike.lasts.0).zip(left(alike.lasts.1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(ops: f64, seconds: f64) -> Drain {
        Drain {
            job: "operations".to_owned(),
            resource: Resource::Iops,
            load: Load::random(Direction::Read, Bytes::kib(4)),
            block: 4096.0,
            seconds,
            ops,
            next_s: FIRST_S,
            rested: false,
        }
    }

    #[test]
    fn a_named_policy_ends_when_its_bucket_is_empty() {
        let name = workload::PolicyName::parse("aws-gp2,size=100GiB").unwrap();
        let limits = policy::evaluate(&name).unwrap();
        let of = |ops, seconds| drain(ops, seconds).named(Some(&limits), ops / seconds);
        let Some(ComingEnd::Named { left_s }) = of(600_000.0, 200.0) else { panic!() };
        assert!((left_s - 1800.0).abs() < 1.0, "{left_s}");
        // At half the pace the burst lasts longer: 5.4 million, of which 1,200 per second were spent for 200 s.
        let Some(ComingEnd::Named { left_s }) = of(300_000.0, 200.0) else { panic!() };
        assert!((left_s - 4300.0).abs() < 1.0, "{left_s}");
        assert_eq!(of(60_000.0, 200.0), None, "at the base nothing is spent");
    }

    #[test]
    fn without_a_name_published_bursts_of_that_rate_are_told_with_what_is_left() {
        let told = drain(600_000.0, 200.0).alike(Some(Bytes::gib(100)), 3000.0);
        let Some(ComingEnd::Alike(ends)) = told else { panic!("{told:?}") };
        let gp2 = ends.iter().find(|end| end.title.contains("gp2")).unwrap_or_else(|| panic!("{ends:?}"));
        let (least, most) = gp2.left_s.unwrap();
        assert!((least - 1800.0).abs() < 20.0 && (most - 1800.0).abs() < 20.0, "{gp2:?}");
        assert_eq!(drain(777.0 * 20.0, 20.0).alike(None, 777.0), Some(ComingEnd::NoneAlike));
    }
}
