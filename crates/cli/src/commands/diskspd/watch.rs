//! What is looked at while a timespan runs: the wish to stop, the CPUs where measuring begins and ends, dots.

use std::cell::RefCell;
use std::collections::VecDeque;

use diskspd::{CpuUse, Format, Profile};
use kernel::Clock;
use record::{Interval, Observer, Silence};
use workload::{Direction, Nanos};

use super::machine::{between, cpu_times};
use session::output;
use session::signals::StopFlag;

/// How often CPUs are read around the two edges of the measurement.
const EVERY: Nanos = Nanos::from_millis(40);
/// How long before and after the expected time an edge may lie.
const AROUND: Nanos = Nanos::from_secs(3);

/// Readings of the CPUs, with their times.
type Readings = VecDeque<(Nanos, Vec<CpuUse>)>;

/// Watches one timespan.
pub struct Watch<'a> {
    stop: &'a StopFlag,
    clock: Clock,
    /// When measuring is expected to begin and to end.
    edges: [Nanos; 2],
    readings: RefCell<Readings>,
    dots: Option<Dots>,
}

/// A dot for every so many I/Os of a thread.
struct Dots {
    every: u64,
    format: Format,
    /// By job.
    ops: Vec<u64>,
}

impl<'a> Watch<'a> {
    /// Watches a timespan of `profile` that starts now, with this long to warm up and to measure.
    pub fn new(
        profile: &Profile,
        (stop, clock): (&'a StopFlag, Clock),
        (ramp, time): (Nanos, Nanos),
    ) -> Watch<'a> {
        let from = clock.now() + ramp;
        let dots = (profile.progress > 0).then(|| Dots {
            every: u64::from(profile.progress),
            format: profile.format,
            ops: Vec::new(),
        });
        Watch { stop, clock, edges: [from, from + time], readings: RefCell::default(), dots }
    }

    fn read(&self, now: Nanos) {
        let mut readings = self.readings.borrow_mut();
        if readings.back().is_none_or(|(last, _)| now.since(*last) >= EVERY) {
            readings.push_back((now, cpu_times()));
        }
    }

    /// What the CPUs did between two times, as near as they were read.
    pub fn cpus(&self, from: Nanos, until: Nanos) -> Vec<CpuUse> {
        self.readings.borrow_mut().push_back((self.clock.now(), cpu_times()));
        let readings = self.readings.borrow();
        let nearest = |at: Nanos| {
            let distance = |reading: &&(Nanos, Vec<CpuUse>)| reading.0.0.abs_diff(at.0);
            readings.iter().min_by_key(distance).map(|(_, cpus)| cpus.clone()).unwrap_or_default()
        };
        between(&nearest(from), &nearest(until))
    }
}

impl Observer for Watch<'_> {
    fn interval(&mut self, interval: &Interval) {
        let Some(dots) = &mut self.dots else { return };
        let job = usize::from(interval.job);
        if dots.ops.len() <= job {
            dots.ops.resize(job + 1, 0);
        }
        let before = dots.ops[job] / dots.every;
        dots.ops[job] +=
            [Direction::Read, Direction::Write].map(|way| interval.of(way).tally.ops).iter().sum::<u64>();
        let fresh = ".".repeat((dots.ops[job] / dots.every - before) as usize);
        match dots.format {
            // A lost dot is no lost result.
            Format::Text => drop(output::result(&fresh)),
            Format::Xml => output::beside(&fresh),
        }
    }

    fn silence(&mut self, silence: &Silence) {
        self.stop.tell(silence);
    }

    fn patience(&self) -> Nanos {
        self.stop.patience()
    }

    fn interrupted(&self) -> bool {
        let now = self.clock.now();
        let near = |edge: &Nanos| now + AROUND > *edge && now < *edge + AROUND;
        if self.edges.iter().any(near) || self.readings.borrow().is_empty() {
            self.read(now);
        }
        self.stop.raised()
    }
}
