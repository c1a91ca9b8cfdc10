//! Options for latency limits, minimum rates, latency targets, and a job's share of a flow.

use workload::{Bounds, ByDirection, Bytes, Flow, LeastRates, Nanos, Steering, WhenFound};

use super::number::{self, TimeUnit};
use super::options::JobOptions;
use super::shape::{Each, ShapeValue};
use super::value::{Value, ValueError};

/// Options as typed.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // Each field is the option of its name in the table, which says what it means.
pub struct BoundOptions {
    pub rate_min: Each<u64>,
    pub rate_iops_min: Each<u64>,
    pub rate_cycle: Nanos,
    /// Zero means no limit.
    pub max_latency: Each<Nanos>,
    pub latency_target: Nanos,
    pub latency_window: Nanos,
    pub latency_percentile: f64,
    pub latency_run: bool,
    pub flow: u32,
    pub flow_id: u32,
    pub flow_sleep: Nanos,
}

/// Time after a job's start during which fio checks no minimum rate.
const GRACE: Nanos = Nanos::from_secs(2);

impl BoundOptions {
    /// Sets the latency limits of the directions that were typed.
    pub fn set_max_latency(&mut self, value: &Value) {
        if let Value::Shape(ShapeValue::EachTime(typed)) = value {
            for (place, time) in self.max_latency.iter_mut().zip(typed) {
                *place = time.unwrap_or(*place);
            }
        }
    }

    /// Sets the latency percentile from a list with one value.
    pub fn set_percentile(&mut self, value: &Value) {
        if let Value::Floats(floats) = value {
            self.latency_percentile = floats.values.first().copied().unwrap_or(100.0);
        }
    }

    /// Whether the job searches for a depth.
    pub fn steers(&self) -> bool {
        self.latency_target > Nanos::ZERO
    }

    /// Returns the option that is invalid and the remedy, if there is one.
    pub(super) fn wrong(&self) -> Option<(&'static str, &'static str)> {
        let rated = self.rate_min.iter().chain(&self.rate_iops_min).any(|least| *least > 0);
        if rated && self.rate_cycle == Nanos::ZERO {
            return Some(("rate_cycle=0", "give the length of a window in milliseconds, such as 1000"));
        }
        if !(0.0..=100.0).contains(&self.latency_percentile) {
            return Some(("latency_percentile beyond 100", "give a percentage"));
        }
        if self.steers() && self.latency_window == Nanos::ZERO {
            return Some((
                "latency_target without latency_window",
                "fio would end after its first I/O; give the time for which each depth is tried, such as 5s",
            ));
        }
        None
    }

    /// Indices of the directions whose minimum rate exceeds their rate limit.
    pub(super) fn above(&self, rate: &Each<u64>, rate_iops: &Each<u64>) -> Vec<usize> {
        let is_above = |most: u64, least: u64| most > 0 && most < least;
        (0..3)
            .filter(|&way| {
                is_above(rate[way], self.rate_min[way]) || is_above(rate_iops[way], self.rate_iops_min[way])
            })
            .collect()
    }
}

fn each<T: Copy>([read, write, trim]: [T; 3]) -> ByDirection<T> {
    ByDirection { read, write, trim }
}

/// Limits that end a job when it crosses them.
pub(super) fn bounds(options: &JobOptions) -> Bounds {
    let BoundOptions { rate_min, rate_iops_min, rate_cycle, max_latency, .. } = options.bounds.clone();
    let rated = rate_min.iter().chain(&rate_iops_min).any(|least| *least > 0);
    let rates = LeastRates {
        ops: each(rate_iops_min),
        bytes: each(rate_min.map(Bytes)),
        window: rate_cycle,
        grace: GRACE,
    };
    Bounds {
        latency: each(max_latency.map(|most| (most > Nanos::ZERO).then_some(most))),
        rates: rated.then_some(rates),
    }
}

/// The search for a depth, if requested.
pub(super) fn steering(options: &JobOptions) -> Option<Steering> {
    let bounds = &options.bounds;
    bounds.steers().then_some(Steering {
        target: bounds.latency_target,
        window: bounds.latency_window,
        percent: bounds.latency_percentile,
        then: if bounds.latency_run { WhenFound::Followed } else { WhenFound::Measured },
    })
}

/// The job's weight relative to the other jobs of its flow.
pub(super) fn flow(options: &JobOptions) -> Option<Flow> {
    let BoundOptions { flow, flow_id, flow_sleep, .. } = options.bounds;
    (flow > 0).then_some(Flow { id: flow_id, weight: flow, rest: flow_sleep })
}

/// Reads up to three times separated by commas; a number without a unit is in microseconds.
pub(super) fn each_time(word: &str) -> Result<Each<Option<Nanos>>, ValueError> {
    let typed: Vec<&str> = word.split(',').map(str::trim).collect();
    if typed.len() > 3 {
        return Err(ValueError::TooMany(3));
    }
    let mut times = [None; 3];
    for (place, word) in times.iter_mut().zip(&typed).filter(|(_, word)| !word.is_empty()) {
        *place = Some(number::time(word, TimeUnit::Microseconds)?);
    }
    // Missing trailing values are equal to the last one.
    let last = times[typed.len() - 1];
    times.iter_mut().skip(typed.len()).for_each(|place| *place = last);
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_read_for_each_direction() {
        let us = |us| Some(Nanos::from_micros(us));
        assert_eq!(each_time("50").unwrap(), [us(50); 3]);
        assert_eq!(each_time("10s,50").unwrap(), [us(10_000_000), us(50), us(50)]);
        assert_eq!(each_time(",1ms,").unwrap(), [None, us(1000), None]);
        assert!(each_time("1,2,3,4").is_err() && each_time("soon").is_err());
    }

    #[test]
    fn a_least_rate_above_the_rate_is_named_by_direction() {
        let bounds = BoundOptions { rate_min: [8; 3], ..BoundOptions::default() };
        assert_eq!(bounds.above(&[10, 5, 0], &[0; 3]), [1]);
        assert_eq!(bounds.above(&[0; 3], &[4; 3]), [0; 0]);
    }
}
