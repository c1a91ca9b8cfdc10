//! `plimsoll fio`, and plimsoll under the name fio: fio's words in, fio's words out.

mod disks;
mod failing;
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

use fio::{Asked, FioError, INTERRUPTED, Request, Surroundings, messages, not_run, opening, parse, steps};
use kernel::guard;
use workload::{Bytes, Nanos};

use session::signals::StopFlag;
use session::{named, output, vigil};

use failing::Failures;
use results::Results;

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
    complain(error, error.hint().as_deref());
    error.exit_code()
}

fn complain(error: &FioError, hint: Option<&str>) {
    output::people(error.to_string().trim_end());
    if let Some(hint) = hint {
        output::people(hint.trim_end());
    }
}

fn load(asked: &Asked, patience: Nanos) -> u8 {
    let stop = StopFlag::on_signals(patience);
    let mut results = Results::new(asked);
    let planned = match vigil::over("looking at the files", &stop, || steps(asked, &look)) {
        Ok(planned) => planned,
        Err(error) => return refused(&error),
    };
    if asked.presentation.is_normal() {
        say(asked, &opening(asked));
    }
    let mut failures = Failures::default();
    for unrunnable in &planned.unrunnable {
        failures.note(&unrunnable.jobs, &unrunnable.error, &mut results);
    }
    running::run(planned.steps, &stop, &mut results, &mut failures);
    results.notes.extend(not_run(&results.presented()));
    present(asked, &mut results, &stop)
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
pub fn look(path: &Path) -> Option<fio::OnDisk> {
    use fio::{OnDisk, OnDiskKind};
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
    let laid_out = kind == OnDiskKind::File && named::is_laid_out(path);
    Some(OnDisk { bytes: facts.size.0, kind, laid_out })
}
