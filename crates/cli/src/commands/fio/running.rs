//! The steps of a fio run, one after the other.

use std::os::fd::AsFd;
use std::path::Path;

use dialects::fio::{FioError, FioStep};
use engine::{idle_plan, plan, run_real};
use kernel::{Clock, OpenFile};
use sampler::{Root, Sampler};
use workload::{Ending, Nanos, StepKind};

use super::disks::Disk;
use super::files::Files;
use super::log_files::LogFiles;
use super::results::Results;
use super::watching::{Around, Watching};
use super::{lay_out, trouble};
use crate::output;
use crate::real_data::Announcement;
use crate::signals::StopFlag;
use crate::unwritten::Unwritten;
use crate::vigil;

/// Lays out and runs all steps into `results`.
pub fn run(steps: &[FioStep], stop: &StopFlag, results: &mut Results) -> Result<(), FioError> {
    let clock = Clock::start();
    let mut files = Files::new(clock, stop.clone(), Announcement::Now);
    let mut logs = LogFiles::new(results.asked)?;
    lay_out(results.asked, steps, &mut files)?;
    results.disks = Disk::under(steps);
    let devices = results.disks.iter().flat_map(Disk::names).collect();
    let mut sampler = Sampler::new(&Root::real(), devices).ok();
    results.samples.extend(sampler.as_mut().map(|sampler| sampler.read(clock.now())));
    for (number, step) in steps.iter().enumerate() {
        if stop.raised() || failed(results) {
            break;
        }
        let around = Around { clock, stop, sampler: sampler.as_mut(), logs: &mut logs };
        run_step((number, step), &mut files, around, results)?;
        if step.last {
            break;
        }
    }
    results.samples.extend(sampler.as_mut().map(|sampler| sampler.read(clock.now())));
    results.notes.extend(logs.trouble().map(str::to_owned));
    for path in steps.iter().flat_map(|step| &step.remove_at_end) {
        // A device is never removed, whatever the option says: only its node would go.
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
            std::fs::remove_file(path).map_err(trouble::call("unlink", path))?;
        }
    }
    Ok(())
}

fn failed(results: &Results) -> bool {
    results.records.last().is_some_and(|record| record.ending == Ending::Failed)
}

fn run_step(
    (number, step): (usize, &FioStep),
    files: &mut Files,
    around: Around,
    results: &mut Results,
) -> Result<(), FioError> {
    let ground = files.ground(step);
    let first = results.records.first().map(|record| record.started);
    let workload = step.workload_after(first.map_or(Nanos::ZERO, |first| around.clock.now().since(first)));
    let name = format!("step {}", number + 1);
    let plan = match step.workload.jobs.is_empty() {
        // Only files were asked for.
        true => idle_plan(&name, Nanos::ZERO, step.interval),
        false => {
            plan(&workload, &name, StepKind::Job, &ground).map_err(|error| trouble::plan(&error, step))?
        }
    };
    let open = || plan.workers.iter().map(|worker| files.open(worker)).collect::<Result<Vec<_>, _>>();
    let opened = vigil::over("opening the files", around.stop, open)?;
    for file in opened.iter().flatten().filter(|file| step.drop_cache.iter().any(|path| path == file.path()))
    {
        forget_cache(file);
    }
    for path in &step.read_ahead {
        read_through(path).map_err(trouble::call("read", path))?;
    }
    let unwritten = Unwritten::of(&plan);
    unwritten.before().for_each(|line| output::people(&format!("fio: {line}")));
    let (clock, stop) = (around.clock, around.stop);
    around.logs.begin(results.asked, &plan, Results::zero_unix_ms(clock))?;
    let mut watching = Watching::new(around, results, (number, step), &plan);
    let mut record = run_real(&plan, &opened, clock, &mut watching)
        .map_err(|error| FioError::CannotRun(error.to_string()))?;
    watching.end(&record);
    if let Some(line) = unwritten.behind(&record) {
        output::people(&format!("fio: {line}"));
    }
    // Which features of its engine were used is nothing that fio's users ask for.
    let engines = plan.workers.iter().map(|worker| worker.backend.name()).collect::<Vec<_>>();
    record.notes.retain(|note| !engines.iter().any(|engine| note.starts_with(engine)));
    for file in
        opened.iter().flatten().filter(|file| step.flush_at_end.iter().any(|path| path == file.path()))
    {
        match vigil::flush(file, stop) {
            Some(flushed) => flushed.map_err(trouble::call("fsync", file.path()))?,
            None => {
                results.notes.push(format!("the last fsync of {} was not waited for", file.path().display()))
            }
        }
    }
    results.records.push(record);
    Ok(())
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
