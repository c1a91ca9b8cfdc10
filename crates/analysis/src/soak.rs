//! The answer of a soak: the share of the time in which the volume reached the promised rate, how its rate varied with
//! the time of day, and the latency of a modest load.

use policy::{Limits, Load};
use record::{Distribution, Run, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::daily::{DailyEstimate, daily};
use statistics::quantile::{median, quantile};
use statistics::share::share_of_time;
use workload::{Direction, Ending, SoakRequest, StepKind};

use crate::estimate::Estimate;
use crate::verdict::Answer;

/// Least share of the promised rate at which a second of a look counts as full: I/Os are cut off at the ends of a look.
const WHOLE: f64 = 0.99;
/// Least share of the volume's own median, or of the rate of a policy without a promise, for a second to count.
const OWN: f64 = 0.9;
/// Confidence level of every interval.
const LEVEL: f64 = 0.95;
/// Seconds in a day.
const DAY_S: f64 = 86_400.0;
/// Number of spells into which a soak is divided; the worst is reported.
const SPELLS: usize = 24;
/// Share of the due I/Os below which an interval of the modest load fell short.
const SHORT: f64 = 0.8;

/// The answer of a soak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakAnswer {
    /// Seconds from the first look to the last.
    pub seconds: f64,
    /// Bytes per I/O.
    pub block: u64,
    /// The looks, in the order of time.
    pub probes: Vec<SoakProbe>,
    /// I/Os per second of the looks: their median, with the 5th and the 95th percentile.
    pub middle: Option<Estimate>,
    /// Share of the time in which the volume reached nine tenths of its own median.
    pub steady: Option<Estimate>,
    /// The provider's promise, and the share of the time in which it was kept.
    pub promise: Option<PromiseOutcome>,
    /// Linear change of the rate from the beginning to the end, as a share of the mean.
    pub trend: Option<Drift>,
    /// Amplitude of the rate's daily swing, as a sine; `None` for a soak shorter than three quarters of a day.
    pub swing: Option<Drift>,
    /// Seconds from the beginning of the run to the highest point of the swing.
    pub highest_s: f64,
    /// Rates and latencies of the modest load.
    pub duty: Option<DutyFigures>,
    /// Whether the run was stopped before its end.
    pub cut_short: bool,
}

/// One look at full load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoakProbe {
    /// Seconds on the run's clock.
    pub at_s: f64,
    /// I/Os per second.
    pub iops: f64,
    /// Share of its seconds at the promised rate; without a promise, at the rate of [`SoakAnswer::steady`].
    pub kept: f64,
}

/// A share of the mean rate, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// The share, with its interval.
    pub share: Estimate,
    /// Whether chance gives as much in less than one case in a thousand.
    pub sure: bool,
}

/// A provider's promise, with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromiseOutcome {
    /// Name of the policy.
    pub policy: String,
    /// I/Os per second that the policy allows such a load when no burst is left.
    pub iops: f64,
    /// The share of this rate that is promised.
    pub fraction: f64,
    /// The share of the time for which that is promised; `None` if the provider promises none.
    pub time: Option<f64>,
    /// Share of the time in which the promised rate was reached.
    pub share: Estimate,
    /// Whether the promise was kept.
    pub answer: Answer,
    /// Hours of soak after which a volume that never missed the promise could be reported as keeping it.
    pub hours_needed: Option<f64>,
}

/// Rates and latencies of the modest load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DutyFigures {
    /// I/Os completed per second.
    pub iops: f64,
    /// Median latency from due to completion, nanoseconds.
    pub latency_ns_p50: u64,
    /// 99th percentile of latency from due to completion, nanoseconds.
    pub latency_ns_p99: u64,
    /// The spell with the highest 99th percentile: start and end in seconds, and the percentile.
    pub worst: (f64, f64, u64),
    /// Seconds of intervals with clearly fewer completions than were due.
    pub short_s: f64,
}

/// Returns the answer of `run`.
pub(crate) fn answer(run: &Run, asked: &SoakRequest, limits: Option<&Limits>) -> SoakAnswer {
    let looks: Vec<Look> = run.steps.iter().filter_map(Look::of).collect();
    let duty = duty(&run.steps);
    let cut_short = run.steps.last().is_none_or(|step| step.ending == Ending::Interrupted)
        || looks.len() < asked.cycles as usize;
    let rates: Vec<f64> = looks.iter().map(Look::rate).collect();
    let times: Vec<f64> = looks.iter().map(|look| look.at_s).collect();
    let Some(middle) = median(&rates) else {
        return SoakAnswer { block: asked.block.0, duty, cut_short, ..SoakAnswer::default() };
    };
    let ends = |part: f64| quantile(&rates, part).unwrap_or(middle);
    let own = OWN * middle;
    let promised = limits.and_then(|limits| promised(limits, asked));
    let threshold = promised.as_ref().map_or(own, |promise| WHOLE * promise.fraction * promise.iops);
    let fit = daily(&times, &rates, DAY_S);
    let drift = |told: DailyEstimate, mean: f64| {
        let (value, half) = (told.value / mean, told.half_width / mean);
        Drift { share: Estimate::around(value, half), sure: told.sure }
    };
    SoakAnswer {
        seconds: times.last().zip(times.first()).map_or(0.0, |(last, first)| last - first),
        block: asked.block.0,
        probes: looks.iter().map(|look| look.probe(threshold)).collect(),
        middle: Some(Estimate { value: middle, low: ends(0.05), high: ends(0.95) }),
        steady: share(&looks, own),
        promise: promised.and_then(|promise| {
            let share = share(&looks, threshold)?;
            Some(promise.judged(share, asked))
        }),
        trend: fit.map(|fit| drift(fit.trend, fit.mean)),
        swing: fit.and_then(|fit| Some(drift(fit.swing?, fit.mean))),
        highest_s: fit.map_or(0.0, |fit| times.first().copied().unwrap_or(0.0) + fit.highest),
        duty,
        cut_short,
    }
}

/// The counted seconds of one look, each as I/Os per second.
struct Look {
    at_s: f64,
    seconds: Vec<f64>,
}

impl Look {
    fn of(step: &StepRecord) -> Option<Look> {
        let worker = step.plan.workers.first()?;
        let full = step.plan.kind == StepKind::Soak && worker.pace.rate().is_none();
        // The first look has no ramp, and its time is not drawn at random.
        if !full || step.counted_from <= step.started || step.ending == Ending::Failed {
            return None;
        }
        let whole = |interval: &&record::Interval| {
            interval.counted && interval.end.since(interval.start) >= step.plan.interval
        };
        let seconds: Vec<f64> = step.intervals.iter().filter(whole).map(record::Interval::iops).collect();
        (!seconds.is_empty()).then(|| Look { at_s: step.counted_from.as_secs_f64(), seconds })
    }

    fn rate(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len() as f64
    }

    fn kept(&self, threshold: f64) -> f64 {
        let kept = self.seconds.iter().filter(|rate| **rate >= threshold).count();
        kept as f64 / self.seconds.len() as f64
    }

    fn probe(&self, threshold: f64) -> SoakProbe {
        SoakProbe { at_s: self.at_s, iops: self.rate(), kept: self.kept(threshold) }
    }
}

fn share(looks: &[Look], threshold: f64) -> Option<Estimate> {
    let kept: Vec<f64> = looks.iter().map(|look| look.kept(threshold)).collect();
    let share = share_of_time(&kept, LEVEL)?;
    Some(Estimate { value: share.value, low: share.low, high: share.high })
}

/// A promise before it is judged.
struct SoakPromise {
    policy: String,
    iops: f64,
    fraction: f64,
    time: Option<f64>,
}

/// Returns the promise to this load; `None` if no rule covers it.
fn promised(limits: &Limits, asked: &SoakRequest) -> Option<SoakPromise> {
    let phases = limits.overload(&Load::random(Direction::Read, asked.block));
    let last = phases.last()?;
    let promise = limits.promise;
    let fraction = promise.map_or(Some(OWN), |promise| promise.fraction).unwrap_or(1.0);
    let time = promise.map(|promise| promise.time);
    Some(SoakPromise { policy: limits.policy.to_string(), iops: last.iops.0, fraction, time })
}

impl SoakPromise {
    /// Judges the promise; the answer is certain only if the whole interval lies on one side.
    fn judged(self, share: Estimate, asked: &SoakRequest) -> PromiseOutcome {
        let SoakPromise { policy, iops, fraction, time } = self;
        let answer = match time {
            None => Answer::Measured,
            Some(time) if share.low >= time => Answer::Meets,
            Some(time) if share.high < time => Answer::Below,
            Some(_) => Answer::CannotTell,
        };
        // If all of n looks kept the promise, the interval begins at 0.025 to the power of 1/n.
        let looks = time.map(|time| 0.025f64.ln() / time.ln());
        let hours_needed = looks.map(|looks| looks * asked.cycle().as_secs_f64() / 3600.0);
        PromiseOutcome { policy, iops, fraction, time, share, answer, hours_needed }
    }
}

/// Returns the rates and latencies of the modest load.
fn duty(steps: &[StepRecord]) -> Option<DutyFigures> {
    let paced = |step: &&StepRecord| {
        step.plan.kind == StepKind::Soak
            && step.plan.workers.first().is_some_and(|worker| worker.pace.rate().is_some())
    };
    let steps: Vec<&StepRecord> = steps.iter().filter(paced).collect();
    let each = steps.len().div_ceil(SPELLS).max(1);
    let spells = steps.chunks(each).filter_map(spell);
    let worst = spells.max_by_key(|spell| spell.2)?;
    let all = merged(&steps);
    let seconds: f64 = steps.iter().map(|step| step.seconds()).sum();
    let ops: u64 = steps.iter().map(|step| step.tally(Direction::Read).ops).sum();
    Some(DutyFigures {
        iops: ops as f64 / seconds.max(f64::MIN_POSITIVE),
        latency_ns_p50: all.percentile(50.0)?,
        latency_ns_p99: all.percentile(99.0)?,
        worst,
        short_s: steps.iter().map(|step| short(step)).sum(),
    })
}

fn merged(steps: &[&StepRecord]) -> Distribution {
    let mut all = Distribution::default();
    steps.iter().for_each(|step| all.merge(&step.latency(Direction::Read)));
    all
}

fn spell(steps: &[&StepRecord]) -> Option<(f64, f64, u64)> {
    let (first, last) = (steps.first()?, steps.last()?);
    let p99 = merged(steps).percentile(99.0)?;
    Some((first.counted_from.as_secs_f64(), last.ended.as_secs_f64(), p99))
}

/// Returns the seconds of whole intervals with clearly fewer completions than were due: beyond five standard deviations
/// of random arrivals.
fn short(step: &StepRecord) -> f64 {
    let Some(rate) = step.plan.workers.first().and_then(|worker| worker.pace.rate()) else { return 0.0 };
    let is_short = |interval: &&record::Interval| {
        let due = rate.0 * interval.seconds();
        interval.counted
            && interval.end.since(interval.start) >= step.plan.interval
            && interval.iops() * interval.seconds() < (SHORT * due).min(due - 5.0 * due.sqrt())
    };
    step.intervals.iter().filter(is_short).map(record::Interval::seconds).sum()
}
