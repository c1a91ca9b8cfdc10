//! Runner in virtual time, on one or several simulated volumes of one machine, which are sampled like disks for a
//! watch.

use engine::{PlanTarget, PlanTargetKind, run_simulated};
use experiments::Step;
use record::{DeviceFacts, Observer, StepRecord};
use volumes::{SimulatedGroup, SimulatedVolume};
use workload::{Bytes, Job, Nanos, StepPlan};

use super::counted::{CountedVolume, DEVICE};
use super::{Runner, RunnerError, failed, ground, planned};

/// Time between two steps of a simulated run: as on a real machine, there is a gap between steps.
const PAUSE: Nanos = Nanos::from_millis(10);

/// Runner on one or several simulated volumes of one machine.
pub struct VirtualRunner {
    volume: CountedVolume,
    /// For several volumes: the name of the jobs that load each, its first byte and its size.
    regions: Vec<(String, Bytes, Bytes)>,
    ground: PlanTarget,
    now: Nanos,
    /// Time that passes between two steps.
    pause: Nanos,
}

impl VirtualRunner {
    /// Returns a runner on `volume` with a region of its size.
    pub fn new(volume: SimulatedVolume) -> VirtualRunner {
        VirtualRunner::of(volume, None)
    }

    /// Returns a runner on `volume`, sampled at intervals of `every` in virtual time; the observer receives samples
    /// and other events in order of time. There is no pause between steps, so that they keep the schedule of their
    /// phases.
    pub fn sampled(volume: SimulatedVolume, every: Nanos) -> VirtualRunner {
        VirtualRunner { pause: Nanos::ZERO, ..VirtualRunner::of(volume, Some(every)) }
    }

    /// Returns a runner on several volumes; a job loads the volume whose label is the job's name. `labels` are in the
    /// order of the volumes.
    pub fn on(group: SimulatedGroup, labels: &[String]) -> VirtualRunner {
        let ground = ground(PlanTargetKind::Simulated(group.size()), Vec::new());
        let regions = labels.iter().cloned().zip(group.regions());
        let regions = regions.map(|(label, (from, size))| (label, from, size)).collect();
        let volume = CountedVolume::new(Box::new(group), None);
        VirtualRunner { volume, regions, ground, now: Nanos::ZERO, pause: PAUSE }
    }

    fn of(volume: SimulatedVolume, every: Option<Nanos>) -> VirtualRunner {
        let ground = ground(PlanTargetKind::Simulated(volume.size()), Vec::new());
        let volume = CountedVolume::new(Box::new(volume), every);
        VirtualRunner { volume, regions: Vec::new(), ground, now: Nanos::ZERO, pause: PAUSE }
    }

    /// Puts `job` on its volume.
    fn place(&self, job: &mut Job) -> Result<(), RunnerError> {
        let Some((_, from, size)) = self.regions.iter().find(|(label, ..)| *label == job.name) else {
            return Err(RunnerError::Refused(format!("job {} names none of the volumes", job.name)));
        };
        let rest = Bytes(size.0.saturating_sub(job.offset.0));
        job.offset = Bytes(from.0 + job.offset.0);
        job.size = Some(job.size.map_or(rest, |size| size.min(rest)));
        Ok(())
    }

    /// Returns the made-up device of a volume of this size, under the name that it has in the samples.
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

    fn reach(&mut self, to: Nanos, observer: &mut dyn Observer) {
        self.volume.advance(to);
        self.now = to;
        self.volume.taken().iter().for_each(|sample| observer.sample(sample));
    }
}

impl Runner for VirtualRunner {
    fn now(&self) -> Nanos {
        self.now
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        let mut workload = step.workload.clone();
        if !self.regions.is_empty() {
            workload.jobs.iter_mut().try_for_each(|job| self.place(job))?;
        }
        planned(step, &workload, &self.ground)
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        let record = run_simulated(plan, &mut self.volume, self.now, observer).map_err(failed(plan))?;
        self.reach(record.ended + self.pause, observer);
        Ok(record)
    }

    fn backend(&self) -> &str {
        "simulated in virtual time"
    }

    fn rest(&mut self, until: Nanos, observer: &mut dyn Observer) {
        if !observer.interrupted() {
            self.reach(until.max(self.now), observer);
        }
    }
}
