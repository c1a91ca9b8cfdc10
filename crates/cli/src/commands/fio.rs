//! `plimsoll fio`, and plimsoll under the name fio: fio's words in, fio's words out.

mod disks;
pub mod files;
mod line;
mod log_files;
mod results;
mod running;
mod so_far;
pub mod trouble;
mod watching;

use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use dialects::fio::{
    Asked, FioError, FioStep, INTERRUPTED, Request, Surroundings, capped_depths, messages, opening, parse,
    steps,
};
use kernel::guard;
use workload::{Bytes, Nanos};

use crate::signals::StopFlag;
use crate::{output, real_data, vigil};

use files::Files;
use results::Results;

/// The errno of a job whose file turned out to be held when it was opened.
const EBUSY: i32 = 16;

/// Runs fio's command line; the exit code is fio's.
pub fn run(words: &[OsString], patience: Nanos) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match parse(&words, &surroundings()) {
        Ok(Request::Say(text)) => out(&text),
        Ok(Request::Run(asked)) if asked.presentation.parse_only => 0,
        Ok(Request::Run(asked)) => match no_place_for_output(&asked) {
            Some(error) => refused(&error),
            None => load(&asked, patience),
        },
        Err(error) => refused(&error),
    }
}

/// What job files are read against: this machine.
pub fn surroundings() -> Surroundings<'static> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let host = sampler::host_facts(&sampler::Root::real());
    Surroundings {
        read: &|path| match path {
            "-" => std::io::read_to_string(std::io::stdin()),
            path => std::fs::read_to_string(path),
        },
        variable: &|name| std::env::var(name).ok(),
        entropy: since_1970.as_nanos() as u64,
        cpus: host.cpus,
        memory: host.memory,
        // x86-64 and the usual arm64 kernels.
        page: Bytes::kib(4),
    }
}

/// Why the result could not be written, known before anything runs.
fn no_place_for_output(asked: &Asked) -> Option<FioError> {
    let path = asked.presentation.output.as_deref()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let error = std::fs::read_dir(folder.unwrap_or(Path::new("."))).err()?;
    let errno = error.raw_os_error().unwrap_or_default();
    Some(FioError::OutputFile { path: path.display().to_string(), errno })
}

/// Writes to stdout; the exit code is 1 where that is not possible.
fn out(text: &str) -> u8 {
    let written = output::result(text);
    if let Err(failure) = &written {
        output::people(&format!("fio: {failure}"));
    }
    u8::from(written.is_err())
}

fn refused(error: &FioError) -> u8 {
    out(&error.stdout());
    complain(error);
    error.exit_code()
}

fn complain(error: &FioError) {
    output::people(error.to_string().trim_end());
    if let Some(hint) = error.hint() {
        output::people(hint.trim_end());
    }
}

fn load(asked: &Asked, patience: Nanos) -> u8 {
    let stop = StopFlag::on_signals(patience);
    let mut results = Results::new(asked);
    let planned = vigil::over("looking at the files", &stop, || steps(asked, &look));
    let late = planned.as_ref().err().is_none_or(FioError::is_after_the_banner);
    if asked.presentation.is_normal() && late {
        say(asked, &opening(asked));
    }
    let ran = planned.and_then(|planned| running::run(&planned, &stop, &mut results));
    match &ran {
        Err(error) if !late => return refused(error),
        Err(error) => failed(asked, error, &mut results),
        Ok(()) => {}
    }
    present(asked, &mut results, &stop)
}

/// An error that fio notices after its banner: it still prints the results that there are.
fn failed(asked: &Asked, error: &FioError, results: &mut Results) {
    if asked.presentation.is_normal() {
        say(asked, &error.stdout());
    }
    complain(error);
    // What the error does not ascribe to a job ends the first one of the step that was to come.
    let first = asked.jobs.iter().position(|job| job.step == results.records.len()).unwrap_or(0);
    let mut ended = error.failed(asked);
    if ended.is_empty() {
        ended.push((0, EBUSY));
    }
    results.failed.extend(ended.into_iter().map(|(job, errno)| (first + job, errno)));
}

/// Text that comes before the result: into the output file with it, or on stdout.
fn say(asked: &Asked, text: &str) {
    if asked.presentation.output.is_none() {
        out(text);
    }
}

fn present(asked: &Asked, results: &mut Results, stop: &StopFlag) -> u8 {
    let presented = results.presented();
    let (to_stdout, to_stderr) = messages(&presented);
    let exit_code = presented.exit_code();
    let (stopped, interrupted) = INTERRUPTED;
    if asked.presentation.is_normal() {
        say(asked, if stop.raised() && !stop.gave_up() { stopped } else { "" });
        say(asked, &to_stdout);
    }
    if !to_stderr.is_empty() {
        output::people(to_stderr.trim_end());
    }
    match results.write() {
        Err(failure) => {
            output::people(&format!("fio: {failure}"));
            1
        }
        Ok(()) if stop.gave_up() => exit_code.max(1),
        Ok(()) if stop.raised() => interrupted,
        Ok(()) => exit_code,
    }
}

/// What is at `path`.
pub fn look(path: &Path) -> Option<dialects::fio::OnDisk> {
    use dialects::fio::{OnDisk, OnDiskKind};
    let facts = kernel::target_facts(path).ok()?;
    let kind = match facts.kind {
        kernel::PathKind::Directory => OnDiskKind::Directory,
        kernel::PathKind::BlockDevice => {
            let number = facts.devices.first().map(kernel::BlockFacts::number);
            let holds = number.map(|number| guard::holds(Path::new("/"), number)).unwrap_or_default();
            OnDiskKind::Device { held_by: holds.first().map(ToString::to_string) }
        }
        kernel::PathKind::File | kernel::PathKind::Other => OnDiskKind::File,
    };
    let laid_out = kind == OnDiskKind::File && real_data::is_laid_out(path);
    Some(OnDisk { bytes: facts.size.0, kind, laid_out })
}

/// Runs the layouts of all steps, as fio does before the first one starts.
fn lay_out(asked: &Asked, planned: &[FioStep], files: &mut Files) -> Result<(), FioError> {
    for layout in planned.iter().flat_map(|step| &step.layouts) {
        if asked.presentation.is_normal() {
            say(asked, &layout.announcement());
        }
        files.lay_out(layout)?;
    }
    if asked.presentation.is_normal() {
        say(asked, &capped_depths(asked));
    }
    Ok(())
}
