//! The answer of a soak: for what share of the time the volume gave what was promised, how its rate moved with the
//! time of day, and how long a modest load waited.

use policy::{Limits, Load};
use record::{Distribution, Run, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::daily::{DailyEstimate, daily};
use statistics::quantile::{median, quantile};
use statistics::share::share_of_time;
use workload::{Direction, Ending, SoakRequest, StepKind};

use crate::estimate::Estimate;
use crate::verdict::Answer;

/// Least share of what is promised with which a second of a look had all of it: a look's ends cut I/Os off.
const WHOLE: f64 = 0.99;
/// Share that a second must have of the volume's own median, or of the rate of a policy that promises nothing.
const OWN: f64 = 0.9;
/// Confidence level of every interval.
const LEVEL: f64 = 0.95;
/// Seconds in a day.
const DAY_S: f64 = 86_400.0;
/// Spells into which a soak is divided, of which the worst is reported.
const SPELLS: usize = 24;
/// Share of what was due below which an interval of the modest load fell short.
const SHORT: f64 = 0.8;

/// The answer of a soak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakAnswer {
    /// Seconds from the first look to the last.
    pub seconds: f64,
    /// Bytes of an I/O.
    pub block: u64,
    /// The looks, in the order of time.
    pub probes: Vec<SoakProbe>,
    /// I/Os per second of the looks: their median, with the 5th and the 95th percentile.
    pub middle: Option<Estimate>,
    /// The share of the time in which the volume reached nine tenths of its own median.
    pub steady: Option<Estimate>,
    /// What was promised, and for what share of the time it was kept.
    pub promise: Option<PromiseOutcome>,
    /// Linear change of the rate from the beginning to the end, as a share of the mean.
    pub trend: Option<Drift>,
    /// How far the rate swung to either side in a day, as a sine; `None` for a soak shorter than three quarters of one.
    pub swing: Option<Drift>,
    /// Seconds from the beginning of the run to the highest point of the swing.
    pub highest_s: f64,
    /// What the modest load reached.
    pub duty: Option<DutyFigures>,
    /// Whether it was stopped before its end.
    pub cut_short: bool,
}

/// One look at all there is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoakProbe {
    /// Seconds on the run's clock.
    pub at_s: f64,
    /// I/Os per second.
    pub iops: f64,
    /// The share of its seconds that had what was promised; without a promise, what [`SoakAnswer::steady`] asks.
    pub kept: f64,
}

/// A share of the mean rate, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// The share, with its interval.
    pub share: Estimate,
    /// Whether chance gives as much less than once in a thousand cases.
    pub sure: bool,
}

/// A provider's promise, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromiseOutcome {
    /// Name of the policy.
    pub policy: String,
    /// I/Os per second that it gives to such a load when no burst is left.
    pub iops: f64,
    /// The share of this rate that is promised.
    pub fraction: f64,
    /// The share of the time for which that is promised; `None` if the provider promises none.
    pub time: Option<f64>,
    /// Share of the time in which the promised rate was reached.
    pub share: Estimate,
    /// Whether it was kept.
    pub answer: Answer,
    /// Hours of soak after which a volume that never missed it could be reported to keep it.
    pub hours_needed: Option<f64>,
}

/// What the modest load reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DutyFigures {
    /// I/Os per second that came through.
    pub iops: f64,
    /// Median latency from due to done, nanoseconds.
    pub latency_ns_p50: u64,
    /// 99th percentile of latency from due to done, nanoseconds.
    pub latency_ns_p99: u64,
    /// The spell with the highest 99th percentile: start and end in seconds, and the percentile.
    pub worst: (f64, f64, u64),
    /// Seconds of intervals in which clearly less came through than was due.
    pub short_s: f64,
}

/// Returns the answer that `run` gives.
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
        Drift { share: Estimate { value, low: value - half, high: value + half }, sure: told.sure }
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

/// Returns what is promised to this load; `None` if no rule covers it.
fn promised(limits: &Limits, asked: &SoakRequest) -> Option<SoakPromise> {
    let phases = limits.overload(&Load::random(Direction::Read, asked.block));
    let last = phases.last()?;
    let promise = limits.promise;
    let fraction = promise.map_or(Some(OWN), |promise| promise.fraction).unwrap_or(1.0);
    let time = promise.map(|promise| promise.time);
    Some(SoakPromise { policy: limits.policy.to_string(), iops: last.iops.0, fraction, time })
}

impl SoakPromise {
    /// Judges the promise; the answer is sure only if the whole interval lies on one side.
    fn judged(self, share: Estimate, asked: &SoakRequest) -> PromiseOutcome {
        let SoakPromise { policy, iops, fraction, time } = self;
        let answer = match time {
            None => Answer::Measured,
            Some(time) if share.low >= time => Answer::Meets,
            Some(time) if share.high < time => Answer::Below,
            Some(_) => Answer::CannotTell,
        };
        // If all of n looks kept it, the interval begins at 0.025 to the power of 1/n.
        let looks = time.map(|time| 0.025f64.ln() / time.ln());
        let hours_needed = looks.map(|looks| looks * asked.cycle().as_secs_f64() / 3600.0);
        PromiseOutcome { policy, iops, fraction, time, share, answer, hours_needed }
    }
}

/// Returns what the modest load reached.
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

/// Returns the seconds of whole intervals in which clearly less came through than was due: beyond five standard
/// deviations of random arrivals.
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
