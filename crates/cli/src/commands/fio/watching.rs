//! Whoever is told while a step of a fio run goes on: the live line, results in between, a wish to stop.

use std::time::{Duration, Instant};

use fio::{FioStep, SteadyWatch};
use kernel::Clock;
use record::{Interval, IoTrace, Observer, Silence, StepRecord};
use sampler::Sampler;
use workload::{Nanos, StepPlan};

use super::line::Line;
use super::log_files::LogFiles;
use super::results::Results;
use super::so_far::SoFar;
use session::output;
use session::signals::StopFlag;

/// What must be at hand while a step runs.
pub struct Around<'a> {
    /// The run's clock.
    pub clock: Clock,
    /// A wish to stop.
    pub stop: &'a StopFlag,
    /// Counters of the disks; `None` where the machine tells none.
    pub sampler: Option<&'a mut Sampler>,
    /// The logs.
    pub logs: &'a mut LogFiles,
}

/// Watches one step.
pub struct Watching<'w, 'a> {
    around: Around<'w>,
    line: Line<'a>,
    steady: SteadyWatch,
    between: Option<Between<'w, 'a>>,
}

/// Results while the step goes on.
struct Between<'w, 'a> {
    results: &'w mut Results<'a>,
    every: Duration,
    next: Instant,
    so_far: SoFar,
}

impl<'w, 'a> Watching<'w, 'a> {
    /// Watches `step` with the number `number`, planned as `plan`.
    pub fn new(
        around: Around<'w>,
        results: &'w mut Results<'a>,
        (number, step): (usize, &FioStep),
        plan: &StepPlan,
    ) -> Watching<'w, 'a> {
        let asked = results.asked;
        let jobs = asked.jobs.iter().filter(|job| job.step == number).collect();
        let line = Line::new(asked, jobs, step);
        let steady = SteadyWatch::new(asked, number, SoFar::new(plan).jobs());
        let between = asked.presentation.status_interval.map(|every| {
            let every = Duration::from_nanos(every.0);
            Between { results, every, next: Instant::now() + every, so_far: SoFar::new(plan) }
        });
        Watching { around, line, steady, between }
    }

    /// Writes results in between where it is time.
    fn report(&mut self) {
        let Some(between) = self.between.as_mut().filter(|between| Instant::now() >= between.next) else {
            return;
        };
        between.next += between.every;
        let now = self.around.clock.now();
        let sample = self.around.sampler.as_mut().map(|sampler| sampler.read(now));
        let written = between.results.write_between(between.so_far.record(), sample);
        if let Err(failure) = written {
            output::people(&format!("fio: {failure}"));
            self.between = None;
        }
    }

    /// The step is over: takes the live line away, and ends the logs.
    pub fn end(self, record: &StepRecord) {
        self.line.clear();
        self.around.logs.end(record);
    }
}

impl Observer for Watching<'_, '_> {
    fn interval(&mut self, interval: &Interval) {
        self.line.take(interval);
        if let Some(between) = &mut self.between {
            between.so_far.take(interval);
        }
        self.around.logs.interval(interval);
        self.steady.take(interval);
        self.report();
    }

    fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        self.around.logs.traced(worker, ios);
    }

    fn silence(&mut self, silence: &Silence) {
        self.line.clear();
        self.around.stop.tell(silence);
    }

    fn patience(&self) -> Nanos {
        self.around.stop.patience()
    }

    fn interrupted(&self) -> bool {
        self.around.stop.raised() || self.steady.is_over()
    }
}
