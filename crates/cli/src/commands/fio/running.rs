//! The steps of a fio run, one after the other.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use engine::{EngineError, PlanError, idle_plan, plan, run_real};
use fio::{FioError, FioStep, Layout, capped_depths};
use kernel::{Clock, OpenFile};
use record::{Note, StepRecord};
use sampler::{Root, Sampler};
use workload::{Ending, Job, Nanos, StepKind, StepPlan, WorkerPlan};

use super::disks::Disk;
use super::failing::{Failures, fail_users_of};
use super::files::Files;
use super::log_files::LogFiles;
use super::results::Results;
use super::watching::{Around, Watching};
use super::{say, trouble};
use session::named::Announcement;
use session::output;
use session::signals::StopFlag;
use session::unwritten::Unwritten;
use session::vigil;

/// Lays out and runs all steps into `results`. What fails is one job: it is named and left out, and the others run.
pub fn run(mut steps: Vec<FioStep>, stop: &StopFlag, results: &mut Results, failures: &mut Failures) {
    let clock = Clock::start();
    let mut files = Files::new(clock, stop.clone(), Announcement::Now);
    let mut logs = match LogFiles::new(results.asked) {
        Ok(logs) => logs,
        Err(error) => {
            let all: Vec<usize> = (0..results.asked.jobs.len()).collect();
            return failures.note(&all, &error, results);
        }
    };
    lay_out(&mut steps, &mut files, results, failures);
    results.disks = Disk::under(&steps);
    let devices = results.disks.iter().flat_map(Disk::names).collect();
    let mut sampler = Sampler::new(&Root::real(), devices).ok();
    results.samples.extend(sampler.as_mut().map(|sampler| sampler.read(clock.now())));
    for (number, step) in steps.iter_mut().enumerate() {
        if stop.raised() {
            break;
        }
        let around = Around { clock, stop, sampler: sampler.as_mut(), logs: &mut logs };
        if run_step((number, step), &mut files, around, (results, failures)) == Next::Nothing {
            break;
        }
    }
    results.samples.extend(sampler.as_mut().map(|sampler| sampler.read(clock.now())));
    results.notes.extend(logs.trouble().map(str::to_owned));
    remove_at_end(&steps, results);
}

/// Whether a step follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Step,
    Nothing,
}

/// Runs the layouts of all steps, as fio does before the first one starts.
fn lay_out(steps: &mut [FioStep], files: &mut Files, results: &mut Results, failures: &mut Failures) {
    let asked = results.asked;
    let layouts: Vec<Layout> = steps.iter().flat_map(|step| &step.layouts).cloned().collect();
    for layout in &layouts {
        if asked.presentation.is_normal() {
            say(asked, &layout.announcement());
        }
        if let Err(error) = files.lay_out(layout) {
            let paths: Vec<PathBuf> = layout.files.iter().map(|file| file.path.clone()).collect();
            failures.leave_out_users((&paths, steps), &error, results);
        }
    }
    if asked.presentation.is_normal() {
        say(asked, &capped_depths(asked));
    }
}

fn remove_at_end(steps: &[FioStep], results: &mut Results) {
    for step in steps {
        for path in &step.remove_at_end {
            // A device is never removed, whatever the option says: only its node would go.
            if !std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
                continue;
            }
            if let Err(error) = std::fs::remove_file(path).map_err(trouble::call("unlink", path)) {
                fail_users_of(path, step, &error, results);
            }
        }
    }
}

/// A step that can be run: every worker has its open files.
struct Ready {
    plan: StepPlan,
    opened: Vec<Vec<OpenFile>>,
}

/// Plans `step` and opens its files; a job for which that fails is left out, and the rest is tried again.
fn get_ready(
    (number, step): (usize, &mut FioStep),
    files: &mut Files,
    elapsed: Nanos,
    (results, failures): (&mut Results, &mut Failures),
) -> Ready {
    let name = format!("step {}", number + 1);
    for path in std::mem::take(&mut step.read_ahead) {
        if let Err(error) = read_through(&path).map_err(trouble::call("read", &path)) {
            failures.leave_out_users((&[path], std::slice::from_mut(step)), &error, results);
        }
    }
    while !step.workload.jobs.is_empty() {
        let ground = files.ground(step);
        let (labels, error) = match plan(&step.workload_after(elapsed), &name, StepKind::Job, &ground) {
            Ok(plan) => match open_all(&plan, files) {
                Ok(opened) => return Ready { plan, opened },
                Err((label, error)) => (vec![label], error),
            },
            Err(error) => (jobs_of(&error, step), trouble::plan(&error, step)),
        };
        failures.leave_out((&labels, step), &error, results);
    }
    // Only files were asked for, or nothing is left to be run.
    Ready { plan: idle_plan(&name, Nanos::ZERO, step.interval), opened: Vec::new() }
}

/// The jobs that `error` keeps from running: the one that it names, or all where it names none.
fn jobs_of(error: &PlanError, step: &FioStep) -> Vec<String> {
    let named = |job: &&Job| error.job() == Some(&*job.name);
    let jobs = &step.workload.jobs;
    let named: Vec<String> = jobs.iter().filter(named).map(|job| job.name.clone()).collect();
    match named.is_empty() {
        true => jobs.iter().map(|job| job.name.clone()).collect(),
        false => named,
    }
}

/// The open files of each worker, or the job of the first for which there are none.
fn open_all(plan: &StepPlan, files: &mut Files) -> Result<Vec<Vec<OpenFile>>, (String, FioError)> {
    let open = |worker: &WorkerPlan| files.open(worker).map_err(|error| (worker.job.clone(), error));
    plan.workers.iter().map(open).collect()
}

fn run_step(
    (number, step): (usize, &mut FioStep),
    files: &mut Files,
    around: Around,
    (results, failures): (&mut Results, &mut Failures),
) -> Next {
    let (clock, stop) = (around.clock, around.stop);
    let first = results.records.first().map(|record| record.started);
    let elapsed = first.map_or(Nanos::ZERO, |first| clock.now().since(first));
    let ready = || get_ready((number, &mut *step), files, elapsed, (&mut *results, &mut *failures));
    let Ready { plan, opened } = vigil::over("opening the files", stop, ready);
    let of_step = |paths: &[PathBuf]| -> Vec<OpenFile> {
        opened.iter().flatten().filter(|file| paths.iter().any(|path| path == file.path())).cloned().collect()
    };
    of_step(&step.drop_cache).iter().for_each(forget_cache);
    let (mut record, next) = match play((number, step), (&plan, &opened), around, results) {
        Ok(record) => {
            let failed = record.workers.iter().any(|worker| worker.ending == Some(Ending::Failed));
            (record, if step.last || (step.last_if_failed && failed) { Next::Nothing } else { Next::Step })
        }
        Err((error, next)) => {
            let labels = plan.workers.iter().map(|worker| worker.job.clone()).collect::<Vec<_>>();
            failures.leave_out((&labels, step), &error, results);
            (nothing(&plan, clock), next)
        }
    };
    // Which features of its engine were used is nothing that fio's users ask for.
    record.notes.retain(|note| !matches!(note, Note::Features { .. }));
    results.records.push(record);
    for file in of_step(&step.flush_at_end) {
        match vigil::flush(&file, stop).map(|flushed| flushed.map_err(trouble::call("fsync", file.path()))) {
            Some(Ok(())) => {}
            Some(Err(error)) => fail_users_of(file.path(), step, &error, results),
            None => {
                results.notes.push(format!("the last fsync of {} was not waited for", file.path().display()))
            }
        }
    }
    next
}

/// Runs `plan`; what keeps all of it from running comes with whether the next step may.
fn play(
    (number, step): (usize, &FioStep),
    (plan, opened): (&StepPlan, &[Vec<OpenFile>]),
    around: Around,
    results: &mut Results,
) -> Result<StepRecord, (FioError, Next)> {
    let clock = around.clock;
    let zero = Results::zero_unix_ms(clock);
    around.logs.begin(results.asked, plan, zero).map_err(|error| (error, Next::Step))?;
    let unwritten = Unwritten::of(plan);
    unwritten.before().for_each(|line| output::people(&format!("fio: {line}")));
    let mut watching = Watching::new(around, results, (number, step), plan);
    let record = run_real(plan, opened, clock, &mut watching).map_err(|error| {
        let next = if matches!(error, EngineError::Lost | EngineError::Panicked { .. }) {
            Next::Nothing
        } else {
            Next::Step
        };
        (FioError::CannotRun(error.to_string()), next)
    })?;
    watching.end(&record);
    if let Some(line) = unwritten.behind(&record) {
        output::people(&format!("fio: {line}"));
    }
    Ok(record)
}

/// The record of a step that did not come to pass.
fn nothing(plan: &StepPlan, clock: Clock) -> StepRecord {
    let now = clock.now();
    StepRecord {
        plan: StepPlan { workers: Vec::new(), ..plan.clone() },
        started: now,
        counted_from: now,
        ended: now,
        ending: Ending::Failed,
        jobs: Vec::new(),
        intervals: Vec::new(),
        workers: Vec::new(),
        failures: Vec::new(),
        notes: Vec::new(),
    }
}

/// Reads all of `path` into the page cache.
fn read_through(path: &Path) -> std::io::Result<()> {
    std::io::copy(&mut std::fs::File::open(path)?, &mut std::io::sink()).map(drop)
}

/// Empties the page cache of `file` as fio does, which goes on where the kernel refuses. Where nothing is cached nothing is
/// asked: a needless flush would be I/O of ours just before the load, from which a throttled volume begins to count.
fn forget_cache(file: &OpenFile) {
    if kernel::cached_share(file.as_fd(), 0, file.size()) == Some(0.0) {
        return;
    }
    let _ = kernel::flush_buffers(file.as_fd()).or_else(|_| kernel::drop_cache(file, 0, file.size()));
}
