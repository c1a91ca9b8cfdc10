//! Headroom: the greatest rate of arrivals at which a claimed latency holds, from the open loads of a check.

use record::{Run, StepRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Claim, Direction, Expectation, Metric, Nanos, Pace, StepKind};

use crate::estimate::Estimate;
use crate::latency;
use crate::regimes::Regimes;

/// Share of the arrivals by which completions may fall short in a load that keeps up.
const SHORT: f64 = 0.03;
/// Standard deviations of random arrivals by which they may fall short in addition.
const CHANCE: f64 = 3.0;

/// The greatest rate at which a claimed latency holds, in I/Os per second of the whole load, arriving at random.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headroom {
    /// The claim as written.
    pub claim: String,
    /// The direction of the claimed latency.
    pub direction: Direction,
    /// The bounds on the greatest rate.
    #[serde(flatten)]
    pub bound: HeadroomBound,
    /// Number of open loads behind it.
    pub loads: usize,
}

/// Where the greatest rate lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "bound", content = "rate")]
pub enum HeadroomBound {
    /// Between two rates; the interval extends beyond those between which the latency passed the claim.
    Between(Estimate),
    /// At least this: the latency held at the greatest rate tried.
    AtLeast(f64),
    /// At most this: the latency did not hold at the least rate tried.
    AtMost(f64),
}

/// One open load.
#[derive(Clone, Copy)]
struct OpenLoadPoint {
    /// I/Os per second: as requested if the load keeps up, otherwise as completed.
    rate: f64,
    /// The claimed latency, nanoseconds.
    latency: f64,
    /// Interval of the latency, as far as known.
    within: (f64, f64),
    /// Whether all arrivals were completed.
    keeps_up: bool,
}

/// Returns the headroom of every claim on latency; for a claim without a direction, of each loaded direction.
pub(crate) fn headroom(run: &Run, regimes: &Regimes, expectation: Option<&Expectation>) -> Vec<Headroom> {
    let claims = expectation.map_or(&[][..], |expectation| &expectation.claims);
    let loads: Vec<&StepRecord> = run.steps.iter().filter(|step| is_of_now(step, regimes)).collect();
    let rows = |claim| directions(claim).into_iter().filter_map(|way| of_claim(&loads, claim, way));
    claims.iter().flat_map(|claim| rows(claim).collect::<Vec<_>>()).collect()
}

/// Returns the headroom of a bound on the 99th percentile alone, in one direction; `None` without a bound or arrivals.
pub(crate) fn of_bound(
    run: &Run,
    regimes: &Regimes,
    (direction, p99): (Direction, Option<Nanos>),
) -> Option<Headroom> {
    let bound = p99?;
    let loads: Vec<&StepRecord> = run.steps.iter().filter(|step| is_of_now(step, regimes)).collect();
    let words = format!("p99 < {bound}");
    let metric = Metric::Percentile(99.0, bound);
    of_claim(&loads, &Claim { direction: Some(direction), metric, words }, direction)
}

/// Whether a step had random arrivals only, after the last change.
fn is_of_now(step: &StepRecord, regimes: &Regimes) -> bool {
    let by_chance = |pace| matches!(pace, Pace::Poisson(_));
    step.plan.kind == StepKind::OpenLoad
        && step.plan.workers.iter().all(|worker| by_chance(worker.pace))
        && regimes.of_span(step.started, step.ended) == Some(regimes.last())
}

fn directions(claim: &Claim) -> Vec<Direction> {
    claim.direction.map_or(vec![Direction::Read, Direction::Write], |direction| vec![direction])
}

fn of_claim(loads: &[&StepRecord], claim: &Claim, direction: Direction) -> Option<Headroom> {
    let (Metric::MeanLatency(most) | Metric::Percentile(_, most)) = claim.metric else { return None };
    let mut seen: Vec<OpenLoadPoint> = loads.iter().filter_map(|step| seen(step, claim, direction)).collect();
    seen.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let bound = bound(&seen, most)?;
    Some(Headroom { claim: claim.words.clone(), direction, bound, loads: seen.len() })
}

fn seen(step: &StepRecord, claim: &Claim, direction: Direction) -> Option<OpenLoadPoint> {
    let latency = claimed_latency(step, claim, direction)?;
    let told = match claim.metric {
        Metric::Percentile(percent, _) => latency::percentile(step, direction, percent),
        _ => latency::mean(step, direction),
    };
    let within = told.map_or((0.0, f64::INFINITY), |told| {
        (told.estimate.low, if told.open { f64::INFINITY } else { told.estimate.high })
    });
    // The arrivals of some seconds are random; in the long run, the requested rate determines the latency.
    let keeps_up = keeps_up(step);
    let rate = if keeps_up { asked(step) } else { served(step) / step.seconds() };
    Some(OpenLoadPoint { rate, latency, within, keeps_up })
}

impl OpenLoadPoint {
    fn surely_holds(&self, most: f64) -> bool {
        self.keeps_up && self.within.1 <= most
    }

    fn surely_fails(&self, most: f64) -> bool {
        !self.keeps_up || self.within.0 > most
    }
}

/// Returns the latency of `step` that `claim` refers to: a percentile, or the mean; nanoseconds.
pub fn claimed_latency(step: &StepRecord, claim: &Claim, direction: Direction) -> Option<f64> {
    match claim.metric {
        Metric::Percentile(percent, _) => {
            step.latency(direction).percentile(percent).map(|value| value as f64)
        }
        _ => step.tally(direction).latency_ns_mean(),
    }
}

/// Whether as much was completed as arrived, except for chance.
pub fn keeps_up(step: &StepRecord) -> bool {
    let arrived = asked(step) * step.seconds();
    served(step) >= arrived * (1.0 - SHORT) - CHANCE * arrived.sqrt()
}

/// Returns the I/Os per second that are to arrive.
pub(crate) fn asked(step: &StepRecord) -> f64 {
    step.plan.workers.iter().filter_map(|worker| worker.pace.rate()).map(|rate| rate.0).sum()
}

fn served(step: &StepRecord) -> f64 {
    (step.tally(Direction::Read).ops + step.tally(Direction::Write).ops) as f64
}

/// Returns the bound between the rates on either side; `None` if no load is certain. Between them, one over the latency
/// is assumed to fall linearly with the rate, as for the percentiles and the mean of a queue (M/M/1; nearly for M/D/1).
fn bound(seen: &[OpenLoadPoint], most: Nanos) -> Option<HeadroomBound> {
    let most = most.0 as f64;
    let holds = |seen: &OpenLoadPoint| seen.keeps_up && seen.latency <= most;
    let above = seen.iter().position(|seen| !holds(seen));
    let Some(above) = above else {
        return Some(HeadroomBound::AtLeast(seen.iter().rfind(|seen| seen.surely_holds(most))?.rate));
    };
    let high = seen[above];
    let Some(below) = above.checked_sub(1) else {
        return Some(HeadroomBound::AtMost(seen.iter().find(|seen| seen.surely_fails(most))?.rate));
    };
    let low = seen[below];
    let share = if high.keeps_up { room(low.latency, most) / room(low.latency, high.latency) } else { 0.5 };
    let apart = high.rate - low.rate;
    let value = low.rate + apart * share.clamp(0.0, 1.0);
    // A percentile over some seconds of a queue is imprecise: it may mislead unless its interval is clear of the claim.
    let surely_holds = seen[..=below].iter().rfind(|seen| seen.surely_holds(most));
    let surely_fails = seen[above..].iter().find(|seen| seen.surely_fails(most));
    let further = |at: Option<usize>| at.and_then(|at| seen.get(at)).map(|seen| seen.rate);
    let next = [
        further(below.checked_sub(1)).unwrap_or(low.rate - apart),
        further(Some(above + 1)).unwrap_or(high.rate + apart),
    ];
    let least = surely_holds.map_or(seen[0].rate - apart, |seen| seen.rate).min(next[0]);
    let most = surely_fails.map_or(seen[seen.len() - 1].rate + apart, |seen| seen.rate).max(next[1]);
    Some(HeadroomBound::Between(Estimate { value, low: least, high: most }))
}

/// Returns by how much one over the latency falls from `from` to `to`.
fn room(from: f64, to: f64) -> f64 {
    1.0 / from - 1.0 / to
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load with the 99th percentile of M/M/1 at 1,000 services per second.
    fn mm1(rate: f64) -> OpenLoadPoint {
        let latency = 100f64.ln() / (1000.0 - rate) * 1e9;
        OpenLoadPoint { rate, latency, within: (0.9 * latency, 1.1 * latency), keeps_up: true }
    }

    #[test]
    fn the_rate_lies_where_the_latency_of_a_queue_meets_the_claim() {
        let loads = [mm1(750.0), mm1(875.0)];
        let Some(HeadroomBound::Between(rate)) = bound(&loads, Nanos::from_millis(23)) else { panic!() };
        let truth = 1000.0 - 100f64.ln() / 0.023;
        assert!((rate.value - truth).abs() < 1.0, "{rate:?} of {truth}");
        assert_eq!((rate.low, rate.high), (625.0, 1000.0));
    }

    #[test]
    fn what_was_not_passed_or_not_reached_is_a_bound_of_one_side() {
        assert_eq!(bound(&[mm1(750.0)], Nanos::from_millis(23)), Some(HeadroomBound::AtLeast(750.0)));
        assert_eq!(bound(&[mm1(750.0)], Nanos::from_millis(5)), Some(HeadroomBound::AtMost(750.0)));
        assert_eq!(bound(&[], Nanos::from_millis(5)), None);
        let full = OpenLoadPoint { keeps_up: false, ..mm1(950.0) };
        assert_eq!(bound(&[full], Nanos::from_secs(9)), Some(HeadroomBound::AtMost(950.0)));
    }
}
