//! The steps of a fio run, one after the other, with the live line that fio shows on a terminal.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use dialects::fio::{Asked, DirectionRate, Eta, FioError, FioJob, FioStep, Progress, status_line};
use engine::{plan, run_real};
use kernel::{Clock, OpenFile};
use record::{Interval, Watcher};
use sampler::{Root, Sampler};
use workload::{BytesPerSecond, Direction, Ending, Iops, Nanos, StepKind, StopRule};

use super::files::{Files, devices};
use super::{Outcome, lay_out, trouble};
use crate::output;
use crate::signals::StopFlag;

/// Lays out and runs all steps into `outcome`.
pub fn run(asked: &Asked, steps: &[FioStep], stop: &StopFlag, outcome: &mut Outcome) -> Result<(), FioError> {
    let clock = Clock::start();
    let mut files = Files::new(clock, stop.clone());
    lay_out(asked, steps, &mut files)?;
    outcome.disks = devices(steps);
    let mut sampler = Sampler::new(&Root::real(), outcome.disks.iter().cloned()).ok();
    outcome.samples.extend(sampler.as_mut().map(|sampler| sampler.read(clock.now())));
    for (number, step) in steps.iter().enumerate() {
        if stop.raised() || failed(outcome) {
            break;
        }
        run_step(asked, (number, step), (&mut files, clock, stop), outcome)?;
    }
    outcome.samples.extend(sampler.as_mut().map(|sampler| sampler.read(clock.now())));
    for path in steps.iter().flat_map(|step| &step.remove_at_end) {
        // A device is never removed, whatever the option says: only its node would go.
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
            std::fs::remove_file(path).map_err(trouble::call("unlink", path))?;
        }
    }
    Ok(())
}

fn failed(outcome: &Outcome) -> bool {
    outcome.records.last().is_some_and(|record| record.ending == Ending::Failed)
}

fn run_step(
    asked: &Asked,
    step: (usize, &FioStep),
    world: (&mut Files, Clock, &StopFlag),
    outcome: &mut Outcome,
) -> Result<(), FioError> {
    let (number, step) = step;
    let (files, clock, stop) = world;
    let ground = files.ground(step);
    let name = format!("step {}", number + 1);
    let plan =
        plan(&step.workload, &name, StepKind::Job, &ground).map_err(|error| trouble::plan(&error, step))?;
    let opened = plan.workers.iter().map(|worker| files.open(worker)).collect::<Result<Vec<_>, _>>()?;
    for file in opened.iter().flatten().filter(|file| step.drop_cache.iter().any(|path| path == file.path()))
    {
        forget_cache(file);
    }
    let jobs = asked.jobs.iter().filter(|job| job.step == number).collect();
    let mut status = Status::new(asked, jobs, step, stop);
    let mut record = run_real(&plan, &opened, clock, &mut status)
        .map_err(|error| FioError::CannotRun(error.to_string()))?;
    status.clear();
    // Which features of its engine were used is nothing that fio's users ask for.
    let engines = plan.workers.iter().map(|worker| worker.backend.name()).collect::<Vec<_>>();
    record.notes.retain(|note| !engines.iter().any(|engine| note.starts_with(engine)));
    for file in
        opened.iter().flatten().filter(|file| step.flush_at_end.iter().any(|path| path == file.path()))
    {
        file.flush().map_err(trouble::call("fsync", file.path()))?;
    }
    outcome.records.push(record);
    Ok(())
}

/// Empties the page cache of `file` as fio does, which goes on where the kernel refuses. Where nothing is cached nothing is
/// asked: a needless flush would be I/O of ours just before the load, from which a throttled volume begins to count.
fn forget_cache(file: &OpenFile) {
    if kernel::cached_share(file.as_fd(), 0, file.size()) == Some(0.0) {
        return;
    }
    let _ = kernel::flush_buffers(file.as_fd()).or_else(|_| kernel::drop_cache(file, 0, file.size()));
}

/// The live line.
struct Status<'a> {
    jobs: Vec<&'a FioJob>,
    stop: &'a StopFlag,
    shown: bool,
    most: Option<Nanos>,
    started: Option<Nanos>,
    /// Interval that is being put together, and its bytes and I/Os by direction.
    at: Nanos,
    sums: [(u64, u64); 3],
}

impl<'a> Status<'a> {
    fn new(asked: &Asked, jobs: Vec<&'a FioJob>, step: &FioStep, stop: &'a StopFlag) -> Status<'a> {
        let normal = asked.presentation.is_normal();
        let shown = match asked.presentation.eta {
            Eta::Always => true,
            Eta::Never => false,
            Eta::Auto => normal && std::io::stdout().is_terminal() && std::io::stderr().is_terminal(),
        };
        let most = step.workload.stop.iter().find_map(|rule| match rule {
            StopRule::Time(time) => Some(*time + step.workload.ramp),
            _ => None,
        });
        Status { jobs, stop, shown, most, started: None, at: Nanos::ZERO, sums: Default::default() }
    }

    fn show(&self, interval: &Interval) {
        let seconds = interval.seconds().max(1e-9);
        let rate = |&(bytes, ops): &(u64, u64)| DirectionRate {
            bytes: BytesPerSecond(bytes as f64 / seconds),
            iops: Iops(ops as f64 / seconds),
        };
        let issues = |direction: Direction| {
            self.jobs.iter().any(|job| match direction {
                Direction::Read => job.options.pattern.reads,
                Direction::Write => job.options.pattern.writes,
                _ => false,
            })
        };
        let gone = interval.end.since(self.started.unwrap_or(interval.start));
        let directions = [Direction::Read, Direction::Write, Direction::Trim];
        let progress = Progress {
            states: self.jobs.iter().map(|job| job.options.pattern.letter()).collect(),
            open_files: self.jobs.len(),
            done: self.most.map(|most| gone.as_secs_f64() / most.as_secs_f64()),
            rates: std::array::from_fn(|at| issues(directions[at]).then(|| rate(&self.sums[at]))),
            left: self.most.map(|most| most.since(gone)),
        };
        output::live(&status_line(&progress));
    }

    fn clear(&self) {
        if self.shown {
            output::live("");
        }
    }
}

impl Watcher for Status<'_> {
    fn interval(&mut self, interval: &Interval) {
        if !self.shown {
            return;
        }
        self.started.get_or_insert(interval.start);
        if interval.end != self.at {
            self.at = interval.end;
            self.sums = Default::default();
        }
        for (sum, part) in self.sums.iter_mut().zip(&interval.directions) {
            sum.0 += part.tally.bytes;
            sum.1 += part.tally.ops;
        }
        self.show(interval);
    }

    fn interrupted(&self) -> bool {
        self.stop.raised()
    }
}
