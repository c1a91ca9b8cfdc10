//! All exposed figures, added up from the beginning of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use record::{DiskCounters, Distribution, Interval, Pressure, Sample};
use workload::Direction;

/// Totals of a run so far, and the latest reading of the machine's counters.
#[derive(Clone, Debug, Default)]
pub struct RunCounters {
    pub(crate) step: String,
    /// Number of steps that have begun.
    pub(crate) steps: u64,
    jobs: Vec<Arc<str>>,
    pub(crate) loads: BTreeMap<(Arc<str>, usize), Load>,
    pub(crate) machine: Option<Machine>,
}

/// Totals of one job in one direction, ramps included, because a counter must not decrease.
#[derive(Clone, Debug, Default)]
pub(crate) struct Load {
    pub(crate) operations: u64,
    pub(crate) bytes: u64,
    pub(crate) errors: u64,
    /// Sum of the latencies from due to done.
    pub(crate) latency_ns_sum: u64,
    pub(crate) latency: Distribution,
}

/// The exposed part of the latest sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) disks: Vec<(Arc<str>, DiskCounters)>,
    pub(crate) pressure: Option<Pressure>,
    pub(crate) blocked: u32,
    /// Ticks of 1/100 s.
    pub(crate) iowait: u64,
}

impl RunCounters {
    /// Records that the step `name` has begun. From here on, the job number of an interval is an index into `jobs`,
    /// in which a job is named once for each of its workers.
    pub fn step_started<'j>(&mut self, name: &str, jobs: impl Iterator<Item = &'j str>) {
        name.clone_into(&mut self.step);
        self.steps += 1;
        self.jobs.clear();
        for name in jobs {
            if self.jobs.iter().all(|job| **job != *name) {
                self.jobs.push(Arc::from(name));
            }
        }
    }

    /// Adds an interval of one of the step's jobs.
    pub fn interval(&mut self, interval: &Interval) {
        let Some(job) = self.jobs.get(usize::from(interval.job)) else { return };
        for direction in Direction::ALL {
            let of = interval.of(direction);
            if of.tally.ops == 0 && of.tally.errors == 0 {
                continue;
            }
            let load = self.loads.entry((Arc::clone(job), direction.index())).or_default();
            load.operations += of.tally.ops;
            load.bytes += of.tally.bytes;
            load.errors += of.tally.errors;
            load.latency_ns_sum = load.latency_ns_sum.saturating_add(of.tally.latency_ns_sum);
            load.latency.merge(&of.latency);
        }
    }

    /// Replaces the machine's counters by those of `sample`.
    pub fn sample(&mut self, sample: &Sample) {
        self.machine = Some(Machine {
            disks: sample.disks.clone(),
            pressure: sample.pressure,
            blocked: sample.blocked,
            iowait: sample.cpu.iowait,
        });
    }
}
