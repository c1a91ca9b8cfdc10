//! Everything that is exposed, added up from the beginning of a run on.

use std::collections::BTreeMap;
use std::sync::Arc;

use record::{DiskCounters, Distribution, Interval, Pressure, Sample};
use workload::Direction;

/// What a run has done so far, and what the machine's counters showed last.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    pub(crate) step: String,
    /// How many steps have begun.
    pub(crate) steps: u64,
    jobs: Vec<Arc<str>>,
    pub(crate) loads: BTreeMap<(Arc<str>, usize), Load>,
    pub(crate) machine: Option<Machine>,
}

/// One job in one direction, ramps included: a counter does not go back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Load {
    pub(crate) operations: u64,
    pub(crate) bytes: u64,
    pub(crate) errors: u64,
    /// Due→done.
    pub(crate) latency_ns_sum: u64,
    pub(crate) latency: Distribution,
}

/// The last sample, as far as it is exposed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) disks: Vec<(Arc<str>, DiskCounters)>,
    pub(crate) pressure: Option<Pressure>,
    pub(crate) blocked: u32,
    /// Ticks of 1/100 s.
    pub(crate) iowait: u64,
}

impl Counted {
    /// A step of this name has begun; intervals are of these jobs from here on, by the place of each. A job is named once for
    /// each of its workers.
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

    /// An interval of one of its jobs.
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

    /// The machine's counters were read.
    pub fn sample(&mut self, sample: &Sample) {
        self.machine = Some(Machine {
            disks: sample.disks.clone(),
            pressure: sample.pressure,
            blocked: sample.blocked,
            iowait: sample.cpu.iowait,
        });
    }
}
