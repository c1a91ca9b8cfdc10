//! One open load of a search: its arrivals, and how many of them exceeded the bounds.

use record::{Distribution, Interval, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::crossing::Trial;
use workload::{Direction, Ending, LatencyBound, Nanos, StopRule};

use super::claimed::{asked, keeps_up};
use crate::latency::{CLUSTERS, SURE};

/// Fewest late I/Os from which a load shows their clustering.
const SHOWS: f64 = 5.0;
/// Number of neighbouring intervals whose late I/Os may be correlated.
const LAGS: usize = 3;
/// Factor within which a share of late I/Os is near the allowed one.
const NEAR: f64 = 4.0;
/// The percentiles that are reported for a load.
pub(super) const PERCENTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// Results of one open load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoad {
    /// I/Os per second that arrived; for a load that was cut short, that should have arrived. In a Poisson process the
    /// requested rate affects the results only through the number of arrivals, so the results apply to this rate.
    pub rate: f64,
    /// I/Os completed per second.
    pub served: f64,
    /// Counted time, seconds.
    pub seconds: f64,
    /// Whether all arrivals were completed, except for chance.
    pub keeps_up: bool,
    /// Whether the load was ended because it had fallen behind.
    pub cut_short: bool,
    /// Mean latency, nanoseconds.
    pub mean_ns: f64,
    /// Percentiles of latency with their values, nanoseconds: 50, 90, 99 and 99.9.
    pub percentiles_ns: Vec<(f64, u64)>,
    /// The outcome for each bound, in their order.
    pub held: Vec<BoundOutcome>,
    /// I/Os that should have arrived in the whole time.
    #[serde(skip)]
    planned: f64,
    /// Least clustering of late I/Os by which each bound was judged.
    #[serde(skip)]
    clusters: Vec<f64>,
    /// All latencies of the load, for figures over several loads.
    #[serde(skip)]
    latency: Distribution,
}

/// The outcome of one load for one bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundOutcome {
    /// Number of I/Os that arrived, including those that were never issued.
    pub count: f64,
    /// Number of I/Os over the bound; for a mean, its share in the sum of mean and bound, times the number of arrivals.
    pub beyond: f64,
    /// Ratio of the variance of that number to that of independent I/Os.
    pub dispersion: f64,
    /// Whether the bound held.
    pub answer: Holds,
}

/// Whether a bound held under a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// The bound surely held.
    Surely,
    /// The bound probably held.
    Seemingly,
    /// The bound probably did not hold.
    SeeminglyNot,
    /// The bound surely did not hold.
    SurelyNot,
}

impl BoundOutcome {
    /// Judges the counts if the share `may` is allowed to exceed the bound, and late I/Os cluster by at least `least`.
    fn judged(&self, may: f64, least: f64) -> Holds {
        let share = self.beyond / self.count;
        let of = |share: f64| share * (1.0 - share);
        // At least the error at the allowed share: no late I/O at all does not prove an error of zero.
        let error = (of(share).max(of(may)) * self.dispersion.max(least) / self.count).sqrt();
        let sure = (share - may).abs() > SURE * error;
        match (share <= may, sure) {
            (true, true) => Holds::Surely,
            (true, false) => Holds::Seemingly,
            (false, false) => Holds::SeeminglyNot,
            (false, true) => Holds::SurelyNot,
        }
    }

    /// Adds up the outcomes of two loads for a bound.
    fn with(&self, other: &BoundOutcome, may: f64) -> BoundOutcome {
        let (count, beyond) = (self.count + other.count, self.beyond + other.beyond);
        let weighed = self.beyond * self.dispersion + other.beyond * other.dispersion;
        let dispersion = if beyond > 0.0 { weighed / beyond } else { 1.0 };
        // Each was judged by the clustering in all loads: equal answers stand, otherwise the sum is judged by itself.
        let held = BoundOutcome { count, beyond, dispersion, answer: Holds::Seemingly };
        let alone = held.judged(may, CLUSTERS.max(dispersion));
        let answer = match (self.answer, other.answer) {
            (mine, theirs) if mine == theirs => mine,
            _ => alone,
        };
        BoundOutcome { answer, ..held }
    }
}

impl OpenLoad {
    /// Returns the load of `step` judged by `bounds`; `None` if no I/O completed.
    pub(super) fn of(step: &StepRecord, bounds: &[LatencyBound]) -> Option<OpenLoad> {
        let (reads, writes) = (step.tally(Direction::Read), step.tally(Direction::Write));
        let done = (reads.ops + writes.ops) as f64;
        let latency = together(|direction| step.latency(direction));
        let keeps_up = keeps_up(step);
        let parts: Vec<Distribution> = step.counted().iter().map(of_interval).collect();
        let seen = StepLatencies { latency: &latency, parts: &parts, unissued: unissued(step), keeps_up };
        let cut_short = step.ending == Ending::Amount;
        Some(OpenLoad {
            rate: arrived(step).filter(|_| !cut_short).unwrap_or_else(|| asked(step)),
            served: done / step.seconds(),
            seconds: step.seconds(),
            keeps_up,
            cut_short,
            mean_ns: latency.mean()?,
            percentiles_ns: percentiles(&latency),
            held: bounds.iter().map(|bound| seen.held(bound)).collect(),
            planned: asked(step) * planned(step),
            clusters: Vec::new(),
            latency,
        })
    }

    /// Whether every bound surely or probably held.
    pub fn holds(&self) -> bool {
        self.held.iter().all(|held| matches!(held.answer, Holds::Surely | Holds::Seemingly))
    }

    /// Whether every bound surely held.
    pub fn surely_holds(&self) -> bool {
        self.held.iter().all(|held| held.answer == Holds::Surely)
    }

    /// Whether one of the bounds surely did not hold.
    pub fn surely_fails(&self) -> bool {
        self.held.iter().any(|held| held.answer == Holds::SurelyNot)
    }

    /// Whether the answer for the worst bound may be chance.
    pub fn is_open(&self) -> bool {
        let worst = self.held.iter().map(|held| held.answer).max();
        matches!(worst, Some(Holds::Seemingly | Holds::SeeminglyNot))
    }

    /// Returns the late I/Os of a bound and their clustering, if the load shows it: their share is near the allowed
    /// one. A queue that is always long says nothing about one that seldom is.
    pub(super) fn clusters(&self, at: usize, bound: LatencyBound) -> Option<(f64, f64)> {
        let held = self.held.get(at).filter(|held| self.is_whole() && held.beyond >= SHOWS)?;
        let near = held.beyond / held.count / bound.may_exceed();
        (1.0 / NEAR..NEAR).contains(&near).then_some((held.beyond, held.dispersion))
    }

    /// Judges the load again, with late I/Os of each bound clustering by at least `least`.
    pub(super) fn clustering(mut self, least: &[f64], bounds: &[LatencyBound]) -> OpenLoad {
        for ((held, least), bound) in self.held.iter_mut().zip(least).zip(bounds) {
            let judged = held.judged(bound.may_exceed(), least.max(CLUSTERS));
            held.answer = if self.keeps_up { judged } else { Holds::SurelyNot };
        }
        self.clusters = least.to_vec();
        self
    }

    /// Whether surely a greater share of I/Os exceeded a bound than in `other`, by the error of both.
    pub(super) fn is_surely_later(&self, other: &OpenLoad) -> bool {
        let share = |load: &OpenLoad, at: usize| load.held[at].beyond / load.held[at].count;
        let of_one = |load: &OpenLoad, at: usize| {
            let least = load.clusters.get(at).map_or(CLUSTERS, |least| least.max(CLUSTERS));
            load.held[at].dispersion.max(least) / load.held[at].count
        };
        (0..self.held.len().min(other.held.len())).any(|at| {
            let (mine, theirs) = (&self.held[at], &other.held[at]);
            let both = (mine.beyond + theirs.beyond) / (mine.count + theirs.count);
            let error = (both * (1.0 - both) * (of_one(self, at) + of_one(other, at))).sqrt();
            share(self, at) - share(other, at) > SURE * error
        })
    }

    /// Whether the load ran to its end, and all arrivals were completed.
    pub fn is_whole(&self) -> bool {
        self.keeps_up && !self.cut_short
    }

    /// Joins both into one load, at their mean rate.
    pub(super) fn with(&self, other: &OpenLoad, bounds: &[LatencyBound]) -> OpenLoad {
        let seconds = self.seconds + other.seconds;
        let mean = |of: fn(&OpenLoad) -> f64| (of(self) * self.seconds + of(other) * other.seconds) / seconds;
        let mut latency = self.latency.clone();
        latency.merge(&other.latency);
        let both = self.held.iter().zip(&other.held).zip(bounds);
        OpenLoad {
            rate: mean(|load| load.rate),
            served: mean(|load| load.served),
            seconds,
            keeps_up: true,
            cut_short: false,
            mean_ns: latency.mean().unwrap_or(self.mean_ns),
            percentiles_ns: percentiles(&latency),
            held: both.map(|((mine, other), bound)| mine.with(other, bound.may_exceed())).collect(),
            planned: self.planned + other.planned,
            clusters: self.clusters.clone(),
            latency,
        }
    }

    /// Returns the load as a trial of a bound. For a load that was cut short, all I/Os that would have arrived count,
    /// but only those late until then count as late: being ended for its results must not strengthen them.
    pub(super) fn trial(&self, bound: usize) -> Option<Trial> {
        let held = self.held.get(bound)?;
        let count = if self.cut_short { held.count.max(self.planned) } else { held.count };
        Some(Trial { at: self.rate, count, events: held.beyond, dispersion: held.dispersion })
    }
}

/// The latencies of a step, judged by a bound.
struct StepLatencies<'s> {
    latency: &'s Distribution,
    /// The latencies by interval.
    parts: &'s [Distribution],
    unissued: f64,
    keeps_up: bool,
}

impl StepLatencies<'_> {
    fn held(&self, bound: &LatencyBound) -> BoundOutcome {
        let (may, most) = (bound.may_exceed(), bound.most);
        let done = self.latency.count() as f64;
        let count = done + self.unissued;
        let (beyond, dispersion) = match (bound.percent, self.latency.mean()) {
            (None, Some(mean)) => {
                let share = mean / (mean + most.0 as f64);
                (share * done + self.unissued, self.dispersion_of_mean(mean, share))
            }
            _ => {
                let beyond = beyond(self.latency, most) + self.unissued;
                (beyond, self.dispersion(most, beyond / count))
            }
        };
        let held = BoundOutcome { count, beyond, dispersion, answer: Holds::Seemingly };
        let answer = if self.keeps_up { held.judged(may, CLUSTERS) } else { Holds::SurelyNot };
        BoundOutcome { answer, ..held }
    }

    /// Estimates the dispersion from the variance of intervals and the covariance of neighbours (Bartlett's window;
    /// Newey, West: Econometrica 55, 1987); 1 if there are too few intervals. The estimate is rough, meant to be summed
    /// over loads, and used without a prior.
    fn dispersion(&self, most: Nanos, share: f64) -> f64 {
        let excess = |part: &Distribution| beyond(part, most) - share * part.count() as f64;
        let series: Vec<f64> = self.parts.iter().map(excess).collect();
        let independent = self.counted() * share * (1.0 - share);
        long_run(&series).filter(|_| independent > 0.0).map_or(1.0, |sum| (sum / independent).max(1.0))
    }

    /// Estimates the dispersion of a mean that is expressed by its `share` in the sum of mean and bound. The log odds
    /// of that share are the logarithm of the mean, whose variance is that of the sum over intervals, divided by the
    /// square of the sum itself.
    fn dispersion_of_mean(&self, mean: f64, share: f64) -> f64 {
        let excess = |part: &Distribution| (part.mean().unwrap_or(mean) - mean) * part.count() as f64;
        let series: Vec<f64> = self.parts.iter().map(excess).collect();
        let count = self.counted();
        let relative = |sum: f64| sum / (count * mean).powi(2);
        long_run(&series).map_or(1.0, |sum| relative(sum) * count * share * (1.0 - share))
    }

    fn counted(&self) -> f64 {
        self.parts.iter().map(|part| part.count() as f64).sum()
    }
}

/// Returns the variance of the sum of a series with correlated neighbours; `None` if the series is too short.
fn long_run(series: &[f64]) -> Option<f64> {
    let length = series.len() as f64;
    if length <= 4.0 * LAGS as f64 {
        return None;
    }
    let products = |lag: usize| series.iter().zip(&series[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let weight = |lag: usize| 2.0 * (1.0 - lag as f64 / (LAGS + 1) as f64);
    let sum = products(0) + (1..=LAGS).map(|lag| weight(lag) * products(lag)).sum::<f64>();
    // Deviations from the series' own mean are too small by about this factor.
    let own = length / (length - LAGS as f64 - 1.0);
    Some(own * sum)
}

fn percentiles(latency: &Distribution) -> Vec<(f64, u64)> {
    let told = |percent: f64| Some((percent, latency.percentile(percent)?));
    PERCENTILES.into_iter().filter_map(told).collect()
}

fn beyond(latency: &Distribution, most: Nanos) -> f64 {
    latency.share_within(most.0).map_or(0.0, |within| (1.0 - within) * latency.count() as f64)
}

/// Merges reads and writes.
fn together(of: impl Fn(Direction) -> Distribution) -> Distribution {
    let mut all = of(Direction::Read);
    all.merge(&of(Direction::Write));
    all
}

fn of_interval(interval: &Interval) -> Distribution {
    together(|direction| interval.of(direction).latency.clone())
}

/// Returns the I/Os per second that arrived in the planned time; `None` if the step ended before.
fn arrived(step: &StepRecord) -> Option<f64> {
    let time = planned(step);
    let done = (step.tally(Direction::Read).ops + step.tally(Direction::Write).ops) as f64;
    (time > 0.0 && step.ending == Ending::Time).then(|| (done + unissued(step)) / time)
}

/// Returns the planned counted seconds of a step.
fn planned(step: &StepRecord) -> f64 {
    let time = step.plan.stop.iter().find_map(|rule| match rule {
        StopRule::Time(time) => Some(time.as_secs_f64()),
        _ => None,
    });
    time.unwrap_or_default()
}

/// Returns the number of I/Os that were due and never issued, because the queue was full.
fn unissued(step: &StepRecord) -> f64 {
    step.workers.iter().map(|worker| worker.unissued as f64).sum()
}
