//! A measured level with its interval, and the source of the figure that it equals.

use policy::{Limits, MeasuredPlateaus, Resource, Specificity};
use record::LocalLimit;
use statistics::distribution::t_quantile;
use workload::{Bytes, BytesPerSecond, Direction, Iops};

use super::limits::concerns;
use super::shape::{Level, LevelOrigin};
use super::ticks::Way;
use super::watched_run::WatchedRun;
use crate::device_place::Place;
use crate::estimate::Estimate;
use crate::finding::Confidence;

/// Share within which a level equals a figure (method 6.1).
const FITS: f64 = 0.03;
/// Least half-width of a level, as a share: clocks and sampling agree no better.
const CLOCKS_AGREE: f64 = 0.000_5;
/// Confidence of the interval of a mean.
const CONFIDENCE: f64 = 0.95;

/// Returns the mean of rates with its 95 % interval, computed as for independent values: the counts of a meter repay
/// each other, so their mean is known better. Never the median: counts are integers, and a meter passes several at
/// once.
pub(crate) fn estimate(rates: &[f64]) -> Option<Estimate> {
    let count = rates.len() as f64;
    let value = rates.iter().sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (rate - value).powi(2)).sum();
    let error = match rates.len() {
        0 => return None,
        1 => 0.0,
        _ => (squares / (count - 1.0) / count).sqrt() * t_quantile(0.5 + CONFIDENCE / 2.0, count - 1.0),
    };
    let half = error.max(CLOCKS_AGREE * value);
    Some(Estimate { value, low: (value - half).max(0.0), high: value + half })
}

/// The limited quantity: I/Os or their bytes, with the mean bytes of an I/O.
#[derive(Clone, Copy)]
pub(crate) struct MeteredQuantity {
    pub what: Resource,
    pub size: f64,
}

/// Returns the level of rates by direction and together, and the source of its figure; `None` for an unlimited
/// direction.
pub(crate) fn level(
    watch: &WatchedRun<'_>,
    place: &Place,
    rates: [Option<&[f64]>; 3],
    of: MeteredQuantity,
) -> Option<Level> {
    let [read, write, all] = rates.map(|rates| rates.and_then(estimate));
    let mut level = Level { read, write, all: all?, named: None };
    level.named = named(watch, place, &level, of);
    Some(level)
}

/// Whether a level is surely this volume's: the source is a limit of this machine, or the policy named for the volume.
pub(crate) fn is_sure(named: &LevelOrigin) -> bool {
    match named {
        LevelOrigin::Local(_) => true,
        LevelOrigin::Policy { declared, .. } => *declared,
        LevelOrigin::Round { .. } => false,
    }
}

/// Returns the source of a level's figure: a limit of this machine, the named policy, a published one, or a round
/// figure.
fn named(watch: &WatchedRun<'_>, place: &Place, level: &Level, of: MeteredQuantity) -> Option<LevelOrigin> {
    local(watch, place, level, of.what)
        .map(|limit| LevelOrigin::Local(limit.clone()))
        .or_else(|| declared(watch.limits?, level, of))
        .or_else(|| published(level, of))
        .or_else(|| round(level))
}

/// Returns the confidence in a limited level, by the source of its figure (method 6.4).
pub(crate) fn confidence(named: Option<&LevelOrigin>) -> Confidence {
    match named {
        Some(LevelOrigin::Local(_)) => Confidence::Certain,
        Some(LevelOrigin::Policy { declared: true, .. }) => Confidence::Strong,
        // Many policies share figures, and none of them may apply to this volume.
        Some(LevelOrigin::Policy { .. } | LevelOrigin::Round { .. }) => Confidence::Likely,
        None => Confidence::Possible,
    }
}

/// Returns the level of the rates of one direction alone.
pub(crate) fn level_of_one(way: Way, rates: &[f64]) -> Option<Level> {
    let all = estimate(rates)?;
    let of = |one: Way| (one == way).then_some(all);
    Some(Level { read: of(Way::Read), write: of(Way::Write), all, named: None })
}

fn fits(measured: f64, figure: f64) -> bool {
    figure > 0.0 && (measured / figure - 1.0).abs() <= FITS
}

/// Returns a limit of this machine, on the device or on one below it, whose value a limited direction is at.
pub(crate) fn local<'s>(
    watch: &WatchedRun<'s>,
    place: &Place,
    level: &Level,
    what: Resource,
) -> Option<&'s LocalLimit> {
    let words = if what == Resource::Iops { ["riops", "wiops"] } else { ["rbps", "wbps"] };
    let [read, write] = [level.read, level.write].map(|found| found.map(|found| found.value));
    let alone = read.is_none() && write.is_none();
    let at = |limit: &LocalLimit| {
        let rate = if limit.what == words[0] { read } else { write };
        let rate = rate.or(alone.then_some(level.all.value));
        words.contains(&limit.what.as_str()) && rate.is_some_and(|rate| fits(rate, limit.value as f64))
    };
    watch.run.limits.iter().find(|limit| concerns(place, limit) && at(limit))
}

/// Returns the limited rates with the direction that a rule must cover to explain each; a total needs a rule of both.
fn parts(level: &Level) -> Vec<(Direction, f64)> {
    let ways = [(Direction::Read, level.read), (Direction::Write, level.write)];
    let held: Vec<(Direction, f64)> =
        ways.iter().filter_map(|(way, rate)| rate.map(|rate| (*way, rate.value))).collect();
    match held.len() {
        1 => held,
        _ => vec![(Direction::Read, level.all.value)],
    }
}

fn declared(limits: &Limits, level: &Level, of: MeteredQuantity) -> Option<LevelOrigin> {
    let charge = |limit: &policy::Limit| match of.what {
        Resource::Iops => limit.charge(block(of.size), policy::Locality::Random),
        Resource::Bytes => 1.0,
    };
    let rules = limits.limits.iter().filter(|limit| limit.resource == of.what);
    let figures = rules.flat_map(|limit| {
        let burst = limit.burst.as_ref().map(|_| limit.rate(policy::Level::Burst));
        [Some(limit.rate(policy::Level::Baseline)), burst, limit.alternative().map(|rate| rate.0)]
            .into_iter()
            .flatten()
            .map(move |figure| (limit, figure))
    });
    let mut found = figures.filter(|(limit, figure)| {
        parts(level)
            .iter()
            .any(|(way, rate)| limit.direction.covers(*way) && fits(rate * charge(limit), *figure))
    });
    found.next().map(|(_, value)| LevelOrigin::Policy {
        policy: limits.policy.to_string(),
        value,
        declared: true,
    })
}

fn block(size: f64) -> Bytes {
    Bytes(((size / 512.0).round().max(1.0) * 512.0) as u64)
}

/// Returns a policy that publishes this figure for every volume; a fit to some size of volume only is no evidence.
fn published(level: &Level, of: MeteredQuantity) -> Option<LevelOrigin> {
    let (way, rate) = parts(level).into_iter().next()?;
    let measured = match of.what {
        Resource::Iops => MeasuredPlateaus::new(way).with_iops(Iops(rate), block(of.size)),
        Resource::Bytes => MeasuredPlateaus::new(way).with_bandwidth(BytesPerSecond(rate)),
    };
    let found = policy::matches(&measured);
    let best = found.iter().find(|hit| hit.specificity == Specificity::Published)?;
    let fit = if of.what == Resource::Iops { &best.iops } else { &best.bandwidth };
    let value = fit.as_ref().map_or(rate, |fit| fit.expected);
    Some(LevelOrigin::Policy { policy: best.policy.to_string(), value, declared: false })
}

/// Returns a figure that somebody chose: of at most two digits and within the interval, which must be narrower than the
/// steps between such figures; otherwise every rate would match one.
fn round(level: &Level) -> Option<LevelOrigin> {
    let held = [level.read, level.write];
    let rates = if held == [None; 2] { [Some(level.all), None] } else { held };
    let of = |rate: Estimate| {
        let step = 10f64.powf(rate.value.log10().floor() - 1.0);
        let value = policy::round_figure(rate.value)?;
        let within = (rate.low..=rate.high).contains(&value);
        (within && rate.high - rate.low < step).then_some(value)
    };
    let value = rates.into_iter().flatten().find_map(of).or_else(|| of(level.all))?;
    Some(LevelOrigin::Round { value })
}
