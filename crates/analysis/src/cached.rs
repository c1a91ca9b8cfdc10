//! Reads that a cache in front of a volume answers, told by latency: far below that of any read of the volume itself.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::level::Strays;
use workload::{Direction, StepKind};

use crate::estimate::Estimate;
use crate::plateaus::{Cap, Plateau, full_rungs};
use crate::step_figures::Point;

/// Share of the upper quartile of one read at a time within which a read came from a cache: behind a full queue, those
/// of the volume take longer still.
const FAST: f64 = 0.5;
/// Greatest number of reads around that latency, of each that is faster, for the two to be apart.
const BETWEEN: f64 = 0.1;
/// Multiple of that quartile within which a read has not queued: where a limiter lets a whole queue pass at times, many of the
/// volume's do, and its fast ones are of no cache.
const UNQUEUED: f64 = 1.25;
/// Percentile of one read at a time that is taken for one of the volume.
const UPPER: f64 = 75.0;
/// Fewest reads from a cache that tell its share.
const READS: f64 = 50.0;

/// How a cache in front of a volume raises the rate of random reads over all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheShare {
    /// Size of the cache, bytes; `None` if it was not looked for.
    #[serde(default)]
    pub size: Option<Estimate>,
    /// Share of the reads that the cache answers (0 to 1).
    pub share: f64,
    /// Rate of the reads beyond the cache, operations per second.
    pub beyond: Estimate,
}

/// Random reads of which a cache answers a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedReads {
    /// Share of the reads that the cache answers (0 to 1).
    pub share: f64,
    /// Level of the other reads, operations per second.
    pub beyond: Cap,
}

impl CachedReads {
    /// Looks for them among the loads with a full queue of the smallest block; `None` if no cache answers a part of each.
    pub fn of(run: &Run, small: &[Point], strays: &Strays) -> Option<CachedReads> {
        let full = full_rungs(small, Direction::Read);
        let hits = CacheHits::of(run)?;
        let shares: Vec<f64> = full.iter().map(|point| hits.share(point)).collect();
        if shares.is_empty() || shares.contains(&0.0) {
            return None;
        }
        let missed = |(point, share): (&&Point, &f64)| point.times(1.0 - share);
        let missed: Vec<Point> = full.iter().zip(&shares).map(missed).collect();
        let beyond = Plateau::of(&missed.iter().collect::<Vec<_>>(), |_| 1.0).cap(strays)?;
        Some(CachedReads { share: shares.iter().sum::<f64>() / shares.len() as f64, beyond })
    }

    /// Returns the figures as a finding states them.
    pub fn shared(&self) -> CacheShare {
        CacheShare { size: None, share: self.share, beyond: self.beyond.level }
    }
}

/// Tells reads of a cache from those of the volume.
pub(crate) struct CacheHits<'r> {
    run: &'r Run,
    /// Latency within which a read came from a cache, nanoseconds.
    within_ns: f64,
}

impl<'r> CacheHits<'r> {
    /// Takes the latency of the volume from the steps with one read at a time; `None` without one.
    fn of(run: &'r Run) -> Option<CacheHits<'r>> {
        let alone = |step: &&StepRecord| {
            let [worker] = step.plan.workers.as_slice() else { return false };
            step.plan.kind == StepKind::Latency && worker.depth == 1
        };
        let quartile = |step: &StepRecord| step.latency(Direction::Read).percentile(UPPER);
        let least = run.steps.iter().filter(alone).filter_map(quartile).min();
        Some(CacheHits { run, within_ns: FAST * least? as f64 })
    }

    /// Returns the share of the reads of a point that a cache answered; 0 if none are apart from the rest.
    fn share(&self, point: &Point) -> f64 {
        let step = self.run.steps.iter().find(|step| step.plan.name == point.step);
        let latency = step.map(|step| step.latency(Direction::Read)).unwrap_or_default();
        let within = |ns: f64| latency.share_within(ns as u64).unwrap_or_default();
        let (at, aside) = (self.within_ns, FAST.sqrt());
        let (fast, between) = (within(at), within(UNQUEUED * at / FAST) - within(at * aside));
        let are_apart = fast * latency.count() as f64 >= READS && between <= BETWEEN * fast;
        // Where more are fast than that percentile, it was of no ordinary read.
        if are_apart && fast < UPPER / 100.0 { fast } else { 0.0 }
    }
}
