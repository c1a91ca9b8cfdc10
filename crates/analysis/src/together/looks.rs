//! One step of a look at several volumes: which of them it loaded, how, and the rate of each.

use record::{Interval, StepRecord};
use statistics::level::{Moment, Series, Strays, level};
use workload::{Direction, StepKind, TogetherLoad, TogetherRequest, WorkerPlan};

use crate::estimate::Estimate;

/// Share of the planned length below which an interval is the one in which the queue drains.
const WHOLE: f64 = 0.9;

/// How a step loads the volumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// One of them, at full depth.
    Alone(usize),
    /// One of them, at the depth of a modest user.
    Shallow(usize),
    /// Some of them, at full depth.
    Part(Vec<usize>),
    /// All of them, at full depth.
    All,
    /// All of them: this one at full depth, the others as modest users.
    Greedy(usize),
    /// All of them at full depth, but this one at a pace below its previous rate.
    Paced(usize),
}

/// One step of such a look.
#[derive(Clone, Debug)]
pub struct Look<'r> {
    /// Record of the step.
    pub step: &'r StepRecord,
    /// Load on each volume that the step loads.
    pub load: TogetherLoad,
    /// How the step loads the volumes.
    pub role: Role,
    /// Operations per second by interval, for each volume in the order requested; empty if it was not loaded.
    pub rates: Vec<Vec<f64>>,
}

/// Returns the look that `step` is; `None` for any other step.
pub fn look_together<'r>(step: &'r StepRecord, asked: &TogetherRequest) -> Option<Look<'r>> {
    let workers = &step.plan.workers;
    let first = workers.first().filter(|_| step.plan.kind == StepKind::Together)?;
    let direction = if first.access.mix.reads_only() { Direction::Read } else { Direction::Write };
    let load = TogetherLoad { direction, block: first.blocks.longest_of(direction) };
    let number = |label: &str| asked.volumes.iter().position(|volume| volume.label == label);
    let loaded: Vec<usize> = workers.iter().filter_map(|worker| number(&worker.job)).collect();
    let role = role(asked, workers, &loaded)?;
    let mut rates = vec![Vec::new(); asked.volumes.len()];
    for (job, name) in step.jobs.iter().enumerate() {
        if let Some(volume) = number(name) {
            rates[volume] = rates_of(step, job as u16, direction);
        }
    }
    Some(Look { step, load, role, rates })
}

fn role(asked: &TogetherRequest, workers: &[WorkerPlan], loaded: &[usize]) -> Option<Role> {
    let deepest = workers.iter().map(|worker| worker.depth).max()?;
    let paced = workers.iter().position(|worker| worker.pace.rate().is_some());
    let uneven = workers.iter().any(|worker| worker.depth != deepest);
    Some(match (loaded, paced) {
        ([one], _) if deepest <= asked.shallow => Role::Shallow(*one),
        ([one], _) => Role::Alone(*one),
        (some, _) if some.len() < asked.volumes.len() => Role::Part(some.to_vec()),
        (_, Some(paced)) => Role::Paced(loaded[paced]),
        (_, None) if uneven => {
            Role::Greedy(loaded[workers.iter().position(|worker| worker.depth == deepest)?])
        }
        _ => Role::All,
    })
}

/// Returns the operations per second of one job, by whole interval after the ramp.
fn rates_of(step: &StepRecord, job: u16, direction: Direction) -> Vec<f64> {
    let planned = step.plan.interval.as_secs_f64();
    let whole = |interval: &&Interval| {
        interval.job == job && interval.counted && interval.seconds() >= WHOLE * planned
    };
    let rate = |interval: &Interval| interval.of(direction).tally.ops as f64 / interval.seconds();
    step.intervals.iter().filter(whole).map(rate).collect()
}

impl Look<'_> {
    /// Returns the operations per second of all volumes together, by interval.
    pub fn total(&self) -> Vec<f64> {
        let loaded: Vec<&Vec<f64>> = self.rates.iter().filter(|rates| !rates.is_empty()).collect();
        let shortest = loaded.iter().map(|rates| rates.len()).min().unwrap_or(0);
        (0..shortest).map(|at| loaded.iter().map(|rates| rates[at]).sum()).collect()
    }

    /// Returns the mean rate of one volume, operations per second.
    pub fn rate(&self, volume: usize) -> Option<f64> {
        mean(self.rates.get(volume)?)
    }

    /// Returns the mean latency of one volume's I/Os, nanoseconds.
    pub fn latency_ns(&self, label: &str) -> Option<f64> {
        let job = self.step.jobs.iter().position(|name| name == label)?;
        let workers = self.step.workers.iter().filter(|worker| usize::from(worker.job) == job);
        let tallies = workers.map(|worker| &worker.directions[self.load.direction.index()].tally);
        tallies.filter_map(record::Tally::latency_ns_mean).next()
    }
}

/// Returns the mean of some values; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Rates from several steps, each with its start.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    moments: Vec<(f64, f64, Vec<f64>)>,
}

impl Rates {
    /// Collects what `of` returns for each of these looks.
    pub fn of<'l, 'r: 'l>(
        looks: impl Iterator<Item = &'l Look<'r>>,
        of: impl Fn(&Look<'r>) -> Vec<f64>,
    ) -> Rates {
        let moment = |look: &'l Look<'r>| {
            let seconds = look.step.plan.interval.as_secs_f64();
            (look.step.counted_from.as_secs_f64(), seconds, of(look))
        };
        Rates { moments: looks.map(moment).filter(|moment| !moment.2.is_empty()).collect() }
    }

    fn series(&self) -> Series<'_> {
        let moments =
            self.moments.iter().map(|(at, seconds, values)| Moment { at: *at, seconds: *seconds, values });
        Series { moments: moments.collect(), unit: 1.0 }
    }

    /// Returns the level with its interval; `strays` is the noise of the run's levels.
    pub fn level(&self, strays: &Strays) -> Option<Estimate> {
        let found = level(&self.series(), strays)?;
        let half = found.half_width.min(found.mean.abs());
        let told = Estimate::around(found.mean, half);
        half.is_finite().then_some(told)
    }
}

/// Returns the noise of levels that were measured in turn.
pub fn strays(all: &[Rates]) -> Strays {
    Strays::of(&all.iter().map(Rates::series).collect::<Vec<_>>())
}
