//! The stage of a watch in virtual time: a simulated volume that is sampled like a disk.

use engine::{Clones, Ground, GroundKind, plan, run_simulated};
use record::{DeviceFacts, Interval, StepRecord, Watcher};
use volumes::SimulatedVolume;
use workload::{Bytes, Nanos, StepPlan};

use super::counted::{Counted, DEVICE};
use crate::check::Step;
use crate::conductor::{Audience, Stage, StageError};

/// A simulated volume whose counters are sampled; the samples reach the audience with what happens beside them.
pub struct SampledStage {
    volume: Counted,
    ground: Ground,
    now: Nanos,
}

impl SampledStage {
    /// A stage on `volume`, sampled `every` so much virtual time.
    pub fn new(volume: SimulatedVolume, every: Nanos) -> SampledStage {
        let ground = Ground {
            files: Vec::new(),
            kind: GroundKind::Simulated(volume.size()),
            cpus: kernel::available_cpus(),
            interval: Nanos::SECOND,
            clones: Clones::Apart,
        };
        SampledStage { volume: Counted::new(Box::new(volume), every), ground, now: Nanos::ZERO }
    }

    /// The made-up device of a volume of this size, under the name that it has in the samples.
    pub fn device(size: Bytes) -> DeviceFacts {
        DeviceFacts {
            name: DEVICE.to_owned(),
            size,
            model: "simulated volume".to_owned(),
            logical_block: Bytes(512),
            physical_block: Bytes(4096),
            ..DeviceFacts::default()
        }
    }

    fn reach(&mut self, to: Nanos, audience: &mut dyn Audience) {
        self.volume.advance(to);
        self.now = to;
        self.volume.taken().iter().for_each(|sample| audience.sample(sample));
    }
}

impl Stage for SampledStage {
    fn now(&self) -> Nanos {
        self.now
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, StageError> {
        plan(&step.workload, &step.name, step.kind, &self.ground)
            .map_err(|error| StageError::Refused(error.to_string()))
    }

    fn run(&mut self, plan: &StepPlan, audience: &mut dyn Audience) -> Result<StepRecord, StageError> {
        let mut telling = Telling(audience);
        let record = run_simulated(plan, &mut self.volume, self.now, &mut telling)
            .map_err(|error| StageError::Failed(format!("step '{}': {error}", plan.name)))?;
        self.reach(record.ended, audience);
        Ok(record)
    }

    fn backend(&self) -> &str {
        "simulated in virtual time"
    }

    fn rest(&mut self, until: Nanos, audience: &mut dyn Audience) {
        if !audience.interrupted() {
            self.reach(until.max(self.now), audience);
        }
    }
}

/// Passes intervals and the wish to stop on.
struct Telling<'a>(&'a mut dyn Audience);

impl Watcher for Telling<'_> {
    fn interval(&mut self, interval: &Interval) {
        self.0.interval(interval);
    }

    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}
