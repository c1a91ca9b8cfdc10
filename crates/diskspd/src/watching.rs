//! What is gathered while a timespan runs: dots, and the CPUs where measuring begins and ends.

use std::collections::VecDeque;

use record::Interval;
use workload::{Direction, Nanos};

use super::results::CpuUse;

/// How often CPUs are read around the two edges of the measurement.
const EVERY: Nanos = Nanos::from_millis(40);
/// How long before and after the expected time an edge may lie.
const AROUND: Nanos = Nanos::from_secs(3);

/// A dot for every so many I/Os of a thread.
#[derive(Clone, Debug, Default)]
pub struct Dots {
    every: u64,
    /// By job.
    ops: Vec<u64>,
}

impl Dots {
    /// A dot for `every` I/Os; none for 0.
    pub fn new(every: u32) -> Dots {
        Dots { every: u64::from(every), ops: Vec::new() }
    }

    /// The dots of an interval; nothing where none are asked for.
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

/// Readings of the CPUs around the edges of a measurement.
#[derive(Clone, Debug, Default)]
pub struct CpuReadings {
    /// When measuring is expected to begin and to end.
    edges: [Nanos; 2],
    readings: VecDeque<(Nanos, Vec<CpuUse>)>,
}

impl CpuReadings {
    /// None yet of a measurement that is expected to last from `from` to `until`.
    pub fn around(from: Nanos, until: Nanos) -> CpuReadings {
        CpuReadings { edges: [from, until], readings: VecDeque::new() }
    }

    /// Whether it is time for a reading.
    pub fn wants(&self, now: Nanos) -> bool {
        let near = |edge: &Nanos| now + AROUND > *edge && now < *edge + AROUND;
        match self.readings.back() {
            Some((last, _)) => self.edges.iter().any(near) && now.since(*last) >= EVERY,
            None => true,
        }
    }

    /// Takes in a reading.
    pub fn add(&mut self, now: Nanos, cpus: Vec<CpuUse>) {
        self.readings.push_back((now, cpus));
    }

    /// What the CPUs did between two times, as near as they were read.
    pub fn between(&self, from: Nanos, until: Nanos) -> Vec<CpuUse> {
        let nearest = |at: Nanos| {
            let distance = |reading: &&(Nanos, Vec<CpuUse>)| reading.0.0.abs_diff(at.0);
            self.readings.iter().min_by_key(distance).map(|(_, cpus)| cpus.as_slice()).unwrap_or_default()
        };
        CpuUse::between(nearest(from), nearest(until))
    }
}
