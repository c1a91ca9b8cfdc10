//! Runners in real time: on one or several files or devices of this machine, sampled during the load, and on the
//! null target.

use std::path::PathBuf;

use engine::{FileFacts, PlanTarget, PlanTargetKind};
use experiments::Step;
use kernel::{Clock, Direct, OpenFile};
use record::{Interval, IoTrace, Observer, Sample, Silence, StepRecord, WorkerTotals};
use sampler::Sampler;
use workload::{BackendKind, Bytes, Direction, Nanos, StepKind, StepPlan, TracedIo};

use super::drive::drive;
use super::{Runner, RunnerError, Shares, failed, ground, look_for_others, planned};
use crate::idle::Use;
use crate::opening::OneFile;

/// Least time between two readings of the counters.
const SAMPLE_APART: Nanos = Nanos::from_millis(300);

/// A file or device of this machine.
pub struct RealVolume {
    /// Name of the jobs that load this volume, if there are several.
    pub label: String,
    /// The open file.
    pub file: OneFile,
    /// Path as shown to the user.
    pub path: PathBuf,
    /// Size of the region.
    pub size: Bytes,
}

/// Runner on one or several files or devices of this machine.
pub struct RealRunner {
    clock: Clock,
    /// Facts for the planner; its files are those of `volumes`, in the same order.
    ground: PlanTarget,
    /// Never empty.
    volumes: Vec<RealVolume>,
    backend: String,
    sampler: Option<Sampler>,
    /// When the counters were last read.
    sampled: Nanos,
}

impl RealRunner {
    /// Returns a runner on `file`, shown as `path`, with a region of `size`; `devices` are sampled, the topmost
    /// first.
    pub fn new(file: OneFile, path: PathBuf, size: Bytes, devices: &[String]) -> RealRunner {
        RealRunner::on(vec![RealVolume { label: String::new(), file, path, size }], devices)
    }

    /// Returns a runner on several volumes; a job loads the volume whose label is the job's name. `devices` are
    /// sampled, the topmost first.
    pub fn on(volumes: Vec<RealVolume>, devices: &[String]) -> RealRunner {
        let clock = Clock::start();
        let probes = kernel::probe();
        let backend = backend_words(&probes);
        let facts = |volume: &RealVolume| FileFacts {
            path: volume.path.clone(),
            size: volume.size,
            direct_alignment: volume.file.reader.alignment().offset,
            writable: volume.file.writer.is_some(),
        };
        let ground = ground(PlanTargetKind::Machine(probes), volumes.iter().map(facts).collect());
        let sampler = Sampler::new(&sampler::Root::real(), devices.iter().map(String::as_str).collect()).ok();
        RealRunner { clock, ground, volumes, backend, sampler, sampled: Nanos::ZERO }
    }

    /// Returns the index of the volume that the job `job` works on.
    fn number(&self, job: &str) -> Result<usize, RunnerError> {
        if self.volumes.len() == 1 {
            return Ok(0);
        }
        let number = self.volumes.iter().position(|volume| volume.label == job);
        number.ok_or_else(|| RunnerError::Refused(format!("job {job} names none of the volumes")))
    }

    /// Returns the files of each worker: writable ones only for workers that write.
    fn files(&self, plan: &StepPlan) -> Result<Vec<Vec<OpenFile>>, RunnerError> {
        plan.workers
            .iter()
            .map(|worker| {
                let file = &self.volumes[self.number(&worker.job)?].file;
                let past = worker.direct || file.reader.direct() == Direct::No;
                let cached = file.through_cache.as_ref().filter(|_| !past);
                if worker.access.mix.reads_only() {
                    return Ok(vec![cached.map_or(&file.reader, |(reader, _)| reader).clone()]);
                }
                let writer = cached.map(|(_, writer)| writer).or(file.writer.as_ref()).cloned();
                let writer =
                    writer.ok_or_else(|| RunnerError::Refused("this target is only read".to_owned()))?;
                Ok(vec![writer])
            })
            .collect()
    }
}

/// Describes the backend that is used, and why earlier ones are not.
fn backend_words(probes: &[(BackendKind, Result<(), String>)]) -> String {
    let mut passed_over = Vec::new();
    for (kind, usable) in probes {
        match usable {
            Ok(()) if passed_over.is_empty() => return kind.name().to_owned(),
            Ok(()) => return format!("{} ({})", kind.name(), passed_over.join("; ")),
            Err(reason) => passed_over.push(format!("no {}: {reason}", kind.name())),
        }
    }
    "no usable backend".to_owned()
}

impl Runner for RealRunner {
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn go_on_from(&mut self, at: Nanos) -> bool {
        let clock = Clock::showing(at);
        (self.clock, self.sampled) = (clock.unwrap_or(self.clock), Nanos::ZERO);
        clock.is_some()
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        let mut workload = step.workload.clone();
        for job in &mut workload.jobs {
            let number = self.number(&job.name)?;
            let file = &self.volumes[number].file;
            job.files = vec![self.ground.files[number].path.clone()];
            if !job.direct && file.through_cache.is_none() {
                let words =
                    "only a file of ours in a directory is measured through the page cache; name a directory";
                return Err(RunnerError::Refused(words.to_owned()));
            }
            job.direct &= file.reader.direct() == Direct::Yes;
        }
        planned(step, &workload, &self.ground)
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        let files = self.files(plan)?;
        let mut sampling = Sampling {
            observer,
            sampler: self.sampler.as_mut(),
            clock: self.clock,
            sampled: &mut self.sampled,
        };
        sampling.take();
        let record = drive(plan, &files, self.clock, &mut sampling).map_err(failed(plan))?;
        sampling.take();
        if plan.kind == StepKind::Layout {
            self.lay_out(&record);
        }
        Ok(record)
    }

    fn backend(&self) -> &str {
        &self.backend
    }

    fn clock(&self) -> Option<Clock> {
        Some(self.clock)
    }

    fn watch_idle(&mut self, interrupted: &dyn Fn() -> bool) -> Option<Use> {
        look_for_others(self.sampler.as_mut()?, self.clock, interrupted)
    }

    fn shares(&self) -> Shares {
        let most = |of: fn(&RealVolume) -> Option<f64>| {
            self.volumes.iter().map(of).reduce(|one, other| Some(one?.max(other?))).flatten()
        };
        Shares {
            unwritten: most(|volume| volume.file.unwritten_share(volume.size)),
            cached: most(|volume| volume.file.cached_share(volume.size)),
        }
    }
}

impl RealRunner {
    /// Shrinks each region to the part that was laid out: a layout that ran out of time left the rest without data.
    fn lay_out(&mut self, record: &StepRecord) {
        for worker in &record.workers {
            let job = record.jobs.get(usize::from(worker.job)).map_or("", String::as_str);
            let Ok(number) = self.number(job) else { continue };
            let written =
                Bytes(worker.directions[Direction::Write.index()].tally.bytes).round_down(Bytes::MIB);
            if written.0 > 0 && written < self.volumes[number].size {
                self.volumes[number].size = written;
                self.ground.files[number].size = written;
            }
        }
    }
}

/// Passes everything on and reads the machine's counters at every interval edge.
struct Sampling<'a> {
    observer: &'a mut dyn Observer,
    sampler: Option<&'a mut Sampler>,
    clock: Clock,
    sampled: &'a mut Nanos,
}

impl Sampling<'_> {
    /// Reads the counters, unless they have just been read: differences over a very short time are noise.
    fn take(&mut self) {
        let now = self.clock.now();
        let fresh = *self.sampled > Nanos::ZERO && now.since(*self.sampled) < SAMPLE_APART;
        if let Some(sampler) = self.sampler.as_mut().filter(|_| !fresh) {
            *self.sampled = now;
            let sample: Sample = sampler.read(now);
            self.observer.sample(&sample);
        }
    }
}

impl Observer for Sampling<'_> {
    fn interval(&mut self, interval: &Interval) {
        self.observer.interval(interval);
        if interval.job == 0 {
            self.take();
        }
    }

    fn so_far(&mut self, totals: &dyn Fn() -> Vec<WorkerTotals>) {
        self.observer.so_far(totals);
    }

    fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        self.observer.traced(worker, ios);
    }

    fn issued(&mut self, worker: usize, ios: &[TracedIo]) {
        self.observer.issued(worker, ios);
    }

    fn restarted(&mut self, job: u16, at: Nanos) {
        self.observer.restarted(job, at);
    }

    fn silence(&mut self, silence: &Silence) {
        self.observer.silence(silence);
    }

    fn patience(&self) -> Nanos {
        self.observer.patience()
    }

    fn interrupted(&self) -> bool {
        self.observer.interrupted()
    }
}

/// Runner on nothing: every I/O succeeds at once, in real time, which shows the generator's own speed.
pub struct NullRunner {
    clock: Clock,
    ground: PlanTarget,
}

impl NullRunner {
    /// Returns a runner whose jobs use offsets below `size`.
    pub fn new(size: Bytes) -> NullRunner {
        NullRunner { clock: Clock::start(), ground: ground(PlanTargetKind::Null(size), Vec::new()) }
    }
}

impl Runner for NullRunner {
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        planned(step, &step.workload, &self.ground)
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        let files = vec![Vec::new(); plan.workers.len()];
        drive(plan, &files, self.clock, observer).map_err(failed(plan))
    }

    fn backend(&self) -> &str {
        "null"
    }

    fn clock(&self) -> Option<Clock> {
        Some(self.clock)
    }
}
