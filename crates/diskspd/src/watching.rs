//! Observations while a timespan runs: progress dots, and readings of the CPUs when measuring begins and ends.

use std::collections::VecDeque;

use record::Interval;
use workload::{Direction, Nanos};

use super::results::CpuUse;

/// Interval between readings of the CPUs near the start and the end of the measurement.
const EVERY: Nanos = Nanos::from_millis(40);
/// Largest distance in time between the actual and the expected start or end of the measurement.
const AROUND: Nanos = Nanos::from_secs(3);

/// Progress dots for the I/Os of a thread.
#[derive(Clone, Debug, Default)]
pub struct Dots {
    every: u64,
    /// Number of I/Os, by job.
    ops: Vec<u64>,
}

impl Dots {
    /// Returns a counter with a dot for every `every` I/Os; 0: no dots.
    pub fn new(every: u32) -> Dots {
        Dots { every: u64::from(every), ops: Vec::new() }
    }

    /// Adds an interval, and returns its dots.
    pub fn take(&mut self, interval: &Interval) -> String {
        let job = usize::from(interval.job);
        if self.ops.len() <= job {
            self.ops.resize(job + 1, 0);
        }
        let before = self.ops[job];
        self.ops[job] +=
            [Direction::Read, Direction::Write].map(|way| interval.of(way).tally.ops).iter().sum::<u64>();
        let dots = |ops: u64| ops.checked_div(self.every).unwrap_or(0);
        ".".repeat((dots(self.ops[job]) - dots(before)) as usize)
    }
}

/// Readings of the CPUs near the start and the end of a measurement.
#[derive(Clone, Debug, Default)]
pub struct CpuReadings {
    /// Expected start and end of the measurement.
    edges: [Nanos; 2],
    readings: VecDeque<(Nanos, Vec<CpuUse>)>,
}

impl CpuReadings {
    /// Returns an empty collection of readings, for a measurement that is expected to last from `from` to `until`.
    pub fn around(from: Nanos, until: Nanos) -> CpuReadings {
        CpuReadings { edges: [from, until], readings: VecDeque::new() }
    }

    /// Whether a reading is due.
    pub fn wants(&self, now: Nanos) -> bool {
        let near = |edge: &Nanos| now + AROUND > *edge && now < *edge + AROUND;
        match self.readings.back() {
            Some((last, _)) => self.edges.iter().any(near) && now.since(*last) >= EVERY,
            None => true,
        }
    }

    /// Adds a reading.
    pub fn add(&mut self, now: Nanos, cpus: Vec<CpuUse>) {
        self.readings.push_back((now, cpus));
    }

    /// Use of the CPUs between two times, from the nearest readings.
    pub fn between(&self, from: Nanos, until: Nanos) -> Vec<CpuUse> {
        let nearest = |at: Nanos| {
            let distance = |reading: &&(Nanos, Vec<CpuUse>)| reading.0.0.abs_diff(at.0);
            self.readings.iter().min_by_key(distance).map(|(_, cpus)| cpus.as_slice()).unwrap_or_default()
        };
        CpuUse::between(nearest(from), nearest(until))
    }
}
