//! When a job is steady in fio's terms: the options, and the judge that is told of intervals as they come.

use std::collections::VecDeque;

use record::{Interval, StepRecord};
use workload::{Direction, Nanos};

use super::asked::Asked;
use super::number::NumberError;
use super::shapes::Shaped;
use super::value::{Value, ValueError};

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

/// What must be small enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// The greatest distance from the mean.
    Deviation,
    /// The slope of the line through the samples, a sample a step, whichever way it points.
    Slope,
}

/// What makes a job steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// What is looked at.
    pub measure: Measure,
    /// What must be small enough.
    pub spread: Spread,
    /// The bound.
    pub limit: f64,
    /// True where the bound is percent of the mean.
    pub percent: bool,
}

impl SteadyRule {
    /// Reads `iops:2%`, `bw_slope:0.1%` and their like.
    ///
    /// # Errors
    /// [`ValueError`] with what would do.
    pub fn read(word: &str) -> Result<SteadyRule, ValueError> {
        let wrong = |why: &str| -> ValueError {
            NumberError::Misread { word: word.to_owned(), why: why.to_owned(), write: None }.into()
        };
        let (name, bound) = word.split_once(':').ok_or_else(|| wrong("write for example iops:2%"))?;
        let (measure, spread) = match name.trim() {
            "iops" => (Measure::Iops, Spread::Deviation),
            "iops_slope" => (Measure::Iops, Spread::Slope),
            "bw" => (Measure::Bandwidth, Spread::Deviation),
            "bw_slope" => (Measure::Bandwidth, Spread::Slope),
            _ => {
                return Err(wrong("write iops, iops_slope, bw or bw_slope and a bound, for example iops:2%"));
            }
        };
        let bare = bound.trim().strip_suffix('%');
        match bare.unwrap_or(bound.trim()).parse::<f64>() {
            Ok(limit) if limit.is_finite() && limit >= 0.0 => {
                Ok(SteadyRule { measure, spread, limit, percent: bare.is_some() })
            }
            _ => Err(wrong("the bound is a number from 0 on, with % where it is a share of the mean")),
        }
    }

    /// As fio prints it in JSON.
    pub fn words(&self) -> String {
        let spread = if self.spread == Spread::Slope { "_slope" } else { "" };
        format!("{}{spread}:{:.6}{}", self.name(), self.limit, self.unit())
    }

    /// `iops` or `bw`.
    pub fn name(&self) -> &'static str {
        if self.measure == Measure::Iops { "iops" } else { "bw" }
    }

    /// What stands behind its numbers.
    pub fn unit(&self) -> &'static str {
        if self.percent { "%" } else { "" }
    }
}

/// Options of steadiness; fio's defaults stand in the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SteadyOptions {
    /// What makes the job steady; `None`: it is not asked.
    pub rule: Option<SteadyRule>,
    /// For how long it must hold.
    pub duration: Nanos,
    /// Time from the start before it is looked at.
    pub ramp: Nanos,
    /// Length of a sample.
    pub every: Nanos,
}

impl SteadyOptions {
    /// Takes the rule.
    pub fn set(&mut self, value: &Value) {
        if let Value::Shape(Shaped::Steady(rule)) = value {
            self.rule = Some(*rule);
        }
    }

    /// Samples that are looked at together.
    fn count(&self) -> usize {
        (self.duration.0 / self.every.0.max(1)) as usize
    }

    /// Why these options cannot be; `None` where they can.
    pub fn fault(&self) -> Option<&'static str> {
        let whole = self.every.0 > 0 && self.duration.0.is_multiple_of(self.every.0);
        let rule = self.rule.filter(|_| self.duration > Nanos::ZERO)?;
        match rule.spread {
            _ if !whole => Some("give steadystate_duration as whole steadystate_check_intervals"),
            Spread::Slope if self.count() < 2 => Some(
                "a slope needs two samples: give steadystate_duration as two or more steadystate_check_intervals",
            ),
            _ => None,
        }
    }

    /// Leaves the rule out where nobody says for how long it must hold, as fio does in silence; true where it was.
    pub fn left_out(&mut self) -> bool {
        let without = self.duration == Nanos::ZERO;
        without && self.rule.take().is_some()
    }
}

/// Rates in one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes: f64,
}

/// How steady it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// What is asked.
    pub options: SteadyOptions,
    /// What makes it steady.
    pub rule: SteadyRule,
    /// The last samples, as many as are looked at together.
    pub samples: VecDeque<Sample>,
    /// Whether it was ever steady.
    pub attained: bool,
    members: Vec<u16>,
    began: Option<Nanos>,
    /// What has been added up for the next sample: members' nanoseconds, I/Os, bytes.
    sum: (u64, u64, u64),
    /// Members whose interval up to this time has come.
    edge: (Nanos, usize),
    passed: u64,
}

impl Steadiness {
    /// Of the jobs with these numbers in a step; `None` where it is not asked.
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

    /// Takes in an interval of any job, in the order of time.
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
        // fio leaves out a sample behind the ramp, in which the load may still rise.
        if gone <= self.options.ramp + self.options.every {
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

    /// The mean of what is looked at.
    pub fn mean(&self) -> f64 {
        mean(&self.values())
    }

    /// The greatest distance from the mean.
    pub fn deviation(&self) -> f64 {
        let (values, mean) = (self.values(), self.mean());
        values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max)
    }

    /// The slope of the line of least squares, a sample a step.
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

    /// What is held against the bound, with its sign where it is a slope.
    pub fn signed_criterion(&self) -> f64 {
        let value = if self.rule.spread == Spread::Slope { self.slope() } else { self.deviation() };
        match (self.rule.percent, self.mean()) {
            (true, mean) if mean > 0.0 => 100.0 * value / mean,
            (true, _) => 0.0,
            (false, _) => value,
        }
    }

    fn criterion(&self) -> f64 {
        self.signed_criterion().abs()
    }

    /// Means of I/Os and bytes a second.
    pub fn means(&self) -> (f64, f64) {
        let of = |rate: fn(&Sample) -> f64| mean(&self.samples.iter().map(rate).collect::<Vec<_>>());
        (of(|sample| sample.iops), of(|sample| sample.bytes))
    }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Watches a step until all that were asked to become steady are.
#[derive(Clone, Debug, Default)]
pub struct SteadyWatch(Vec<Steadiness>);

impl SteadyWatch {
    /// The units of the report that run in the step with this number, whose jobs the record names `jobs`.
    pub fn new(asked: &Asked, step: usize, jobs: &[String]) -> SteadyWatch {
        let member = |at: usize| jobs.iter().position(|name| *name == asked.jobs[at].label);
        let of = |unit: Vec<usize>| {
            let first = asked.jobs.get(*unit.first()?)?;
            let members = unit.iter().filter_map(|&at| member(at)).map(|at| at as u16).collect();
            Steadiness::new(&first.options.steady, members).filter(|_| first.step == step)
        };
        SteadyWatch(asked.units().into_iter().filter_map(of).collect())
    }

    /// Takes in an interval of any job.
    pub fn take(&mut self, interval: &Interval) {
        self.0.iter_mut().for_each(|unit| unit.take(interval));
    }

    /// True where steadiness is asked of some and all of those have it.
    pub fn is_over(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|unit| unit.attained)
    }
}

/// How steady the jobs with these numbers were in `step`.
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

    /// fio 3.33 needs five seconds for three samples behind a ramp of one.
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

    #[test]
    fn a_rate_that_falls_has_a_slope_and_is_not_steady() {
        let mut falling = Steadiness::new(&options("iops_slope:1%"), vec![0]).unwrap();
        (0..20).for_each(|at| falling.take(&half(0, at, 1000 - 20 * (at / 2))));
        assert!(!falling.attained);
        assert_eq!((falling.slope(), falling.deviation()), (-40.0, 40.0));
        assert!(falling.signed_criterion() < -1.0);
    }

    /// fio 3.33 takes one sample as steady, and prints a slope of one as "-nan".
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
