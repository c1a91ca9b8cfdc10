//! Steady state of a job in fio's terms: the options, and the detector that receives intervals as they arrive.

use std::collections::VecDeque;

use record::{Interval, StepRecord};
use workload::{Direction, Nanos};

pub mod options;
pub mod rule;

pub use options::SteadyOptions;
pub(crate) use rule::{Measure, SteadyBound, SteadyRule};

use crate::asked::FioRequest;

/// The rates of one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes: f64,
}

/// The detector of a unit's steady state, with its latest samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Steadiness {
    /// The options.
    pub options: SteadyOptions,
    /// The rule for the steady state.
    pub rule: SteadyRule,
    /// The latest samples, as many as the rule considers.
    pub samples: VecDeque<Sample>,
    /// Whether the load was ever steady.
    pub attained: bool,
    members: Vec<u16>,
    began: Option<Nanos>,
    /// Sums for the next sample: nanoseconds of the members, I/Os, bytes.
    sum: (u64, u64, u64),
    /// End of the last interval, and number of members that have reached it.
    edge: (Nanos, usize),
    passed: u64,
}

impl Steadiness {
    /// Returns the detector for the jobs with these numbers in a step; `None` if no steady state is requested.
    pub fn new(options: &SteadyOptions, members: Vec<u16>) -> Option<Steadiness> {
        Some(Steadiness {
            rule: options.rule?,
            options: options.clone(),
            samples: VecDeque::new(),
            attained: false,
            members,
            began: None,
            sum: (0, 0, 0),
            edge: (Nanos::ZERO, 0),
            passed: 0,
        })
    }

    /// Adds an interval of any job, in the order of time.
    pub fn take(&mut self, interval: &Interval) {
        if self.attained || !interval.counted || !self.members.contains(&interval.job) {
            return;
        }
        let began = *self.began.get_or_insert(interval.start);
        self.sum.0 += interval.end.since(interval.start).0;
        for way in [Direction::Read, Direction::Write, Direction::Trim] {
            let tally = &interval.of(way).tally;
            self.sum.1 += tally.ops;
            self.sum.2 += tally.bytes;
        }
        let came = if self.edge.0 == interval.end { self.edge.1 + 1 } else { 1 };
        self.edge = (interval.end, came);
        let due = self.options.every * (self.passed + 1);
        if came == self.members.len() && interval.end.since(began) >= due {
            self.sample(interval.end.since(began));
        }
    }

    fn sample(&mut self, gone: Nanos) {
        let (length, ios, bytes) = std::mem::take(&mut self.sum);
        self.passed = gone.0 / self.options.every.0.max(1);
        // fio leaves out the first sample after a ramp, during which the load may still rise.
        let ramp = self.options.ramp;
        if ramp > Nanos::ZERO && gone <= ramp + self.options.every {
            return;
        }
        let seconds = length as f64 / 1e9 / self.members.len().max(1) as f64;
        if seconds <= 0.0 {
            return;
        }
        self.samples.push_back(Sample { iops: ios as f64 / seconds, bytes: bytes as f64 / seconds });
        if self.samples.len() > self.options.count() {
            self.samples.pop_front();
        }
        self.attained = self.samples.len() == self.options.count() && self.criterion() <= self.rule.limit;
    }

    fn values(&self) -> Vec<f64> {
        let of =
            |sample: &Sample| if self.rule.measure == Measure::Iops { sample.iops } else { sample.bytes };
        self.samples.iter().map(of).collect()
    }

    /// Mean of the samples, in the unit of the rule.
    pub fn mean(&self) -> f64 {
        mean(&self.values())
    }

    /// Greatest deviation of a sample from the mean.
    pub fn deviation(&self) -> f64 {
        let (values, mean) = (self.values(), self.mean());
        values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max)
    }

    /// Slope of the least-squares line, per sample.
    pub fn slope(&self) -> f64 {
        let values = self.values();
        let (middle, mean) = ((values.len() as f64 - 1.0) / 2.0, self.mean());
        let (mut products, mut squares) = (0.0, 0.0);
        for (at, value) in values.iter().enumerate() {
            let step = at as f64 - middle;
            products += step * (value - mean);
            squares += step * step;
        }
        if squares > 0.0 { products / squares } else { 0.0 }
    }

    /// The value that is compared with the limit; a slope keeps its sign.
    pub fn signed_criterion(&self) -> f64 {
        let value = if self.rule.spread == SteadyBound::Slope { self.slope() } else { self.deviation() };
        match (self.rule.percent, self.mean()) {
            (true, mean) if mean > 0.0 => 100.0 * value / mean,
            (true, _) => 0.0,
            (false, _) => value,
        }
    }

    fn criterion(&self) -> f64 {
        self.signed_criterion().abs()
    }

    /// Means of I/Os and of bytes a second.
    pub fn means(&self) -> (f64, f64) {
        let of = |rate: fn(&Sample) -> f64| mean(&self.samples.iter().map(rate).collect::<Vec<_>>());
        (of(|sample| sample.iops), of(|sample| sample.bytes))
    }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Watches a step until all units that have a rule for the steady state have reached it.
#[derive(Clone, Debug, Default)]
pub struct SteadyWatch(Vec<Steadiness>);

impl SteadyWatch {
    /// Watches the units of the report that run in step `step`; `jobs` are the names of the jobs in its record.
    pub fn new(asked: &FioRequest, step: usize, jobs: &[String]) -> SteadyWatch {
        let member = |at: usize| jobs.iter().position(|name| *name == asked.jobs[at].label);
        let of = |unit: Vec<usize>| {
            let first = asked.jobs.get(*unit.first()?)?;
            let members = unit.iter().filter_map(|&at| member(at)).map(|at| at as u16).collect();
            Steadiness::new(&first.options.steady, members).filter(|_| first.step == step)
        };
        SteadyWatch(asked.units().into_iter().filter_map(of).collect())
    }

    /// Adds an interval of any job.
    pub fn take(&mut self, interval: &Interval) {
        self.0.iter_mut().for_each(|unit| unit.take(interval));
    }

    /// Whether some units have a rule for the steady state, and all of those have reached it.
    pub fn is_over(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|unit| unit.attained)
    }
}

/// Returns the steady state of the jobs with these numbers in `step`.
pub fn steadiness(options: &SteadyOptions, step: &StepRecord, members: &[usize]) -> Option<Steadiness> {
    let members = members.iter().map(|&at| at as u16).collect();
    let mut steadiness = Steadiness::new(options, members)?;
    step.intervals.iter().for_each(|interval| steadiness.take(interval));
    Some(steadiness)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(job: u16, at: u64, ops: u64) -> Interval {
        let start = Nanos::from_millis(500 * at);
        let mut interval = Interval::empty(job, start, start + Nanos::from_millis(500));
        let tally = &mut interval.directions[Direction::Read.index()].tally;
        (tally.ops, tally.bytes) = (ops, ops * 4096);
        interval
    }

    fn options(rule: &str) -> SteadyOptions {
        SteadyOptions {
            rule: Some(SteadyRule::read(rule).unwrap()),
            duration: Nanos::from_secs(3),
            ramp: Nanos::SECOND,
            ..crate::options::JobOptions::untyped().steady
        }
    }

    /// fio 3.33 needs five seconds for three samples after a ramp of one second.
    #[test]
    fn a_level_rate_is_steady_when_the_samples_behind_the_ramp_are_full() {
        for members in [1u16, 2] {
            let mut steadiness = Steadiness::new(&options("iops:2%"), (0..members).collect()).unwrap();
            let mut at = 0;
            while !steadiness.attained && at < 40 {
                (0..members).for_each(|job| steadiness.take(&half(job, at, 500)));
                at += 1;
            }
            assert_eq!(at, 10, "halves of a second");
            assert_eq!(steadiness.mean(), 1000.0 * f64::from(members));
        }
    }

    /// fio 3.33 ends after three seconds: only what follows a ramp is left out.
    #[test]
    fn without_a_ramp_the_first_sample_counts() {
        let without = SteadyOptions { ramp: Nanos::ZERO, ..options("iops:2%") };
        let mut steadiness = Steadiness::new(&without, vec![0]).unwrap();
        let taken = (0..40).take_while(|&at| {
            steadiness.take(&half(0, at, 500));
            !steadiness.attained
        });
        assert_eq!(taken.count(), 5, "halves of a second before the last");
    }

    #[test]
    fn a_rate_that_falls_has_a_slope_and_is_not_steady() {
        let mut falling = Steadiness::new(&options("iops_slope:1%"), vec![0]).unwrap();
        (0..20).for_each(|at| falling.take(&half(0, at, 1000 - 20 * (at / 2))));
        assert!(!falling.attained);
        assert_eq!((falling.slope(), falling.deviation()), (-40.0, 40.0));
        assert!(falling.signed_criterion() < -1.0);
    }

    /// fio 3.33 takes a single sample as steady, and prints its slope as "-nan".
    #[test]
    fn one_sample_has_a_deviation_but_no_slope() {
        let fault =
            |rule, millis| SteadyOptions { duration: Nanos::from_millis(millis), ..options(rule) }.fault();
        assert_eq!(fault("iops:50%", 1000), None);
        assert!(fault("iops_slope:50%", 1000).is_some_and(|fault| fault.contains("two samples")));
        assert_eq!(fault("iops_slope:50%", 2000), None);
        assert!(fault("iops:50%", 1500).is_some_and(|fault| fault.contains("whole")));
        let single = SteadyOptions { duration: Nanos::SECOND, ramp: Nanos::ZERO, ..options("iops:50%") };
        let mut steadiness = Steadiness::new(&single, vec![0]).unwrap();
        (0..4).for_each(|at| steadiness.take(&half(0, at, 500)));
        assert!(steadiness.attained);
    }

    #[test]
    fn a_bound_reads_and_prints_as_in_fio() {
        assert_eq!(SteadyRule::read("iops:50%").unwrap().words(), "iops:50.000000%");
        assert_eq!(SteadyRule::read("bw_slope:10").unwrap().words(), "bw_slope:10.000000");
        for word in ["iops", "lat:3%", "iops:x%", "iops:-1", "iops:inf"] {
            assert!(SteadyRule::read(word).is_err(), "{word}");
        }
    }
}
