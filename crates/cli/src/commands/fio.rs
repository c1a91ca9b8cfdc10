//! `plimsoll fio`, and plimsoll under the name fio: reads fio's command line and prints fio's output.

mod against;
mod exec;
pub mod jobs;
mod state;
mod told;
mod traces;
pub mod trouble;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use fio::{FioError, FioRequest, Request, Surroundings, opening, parse, steps};
use kernel::guard;
use workload::{Bytes, Nanos};

use session::files::{Output, Over};
use session::named_input::{JOB_FILE, NamedInput};
use session::signals::StopFlag;
use session::{named, watchdog};

use told::{FioOutput, out, refused};

/// Runs fio's command line; returns fio's exit code.
pub fn run(words: &[OsString], patience: Nanos) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match parse(&words, &surroundings()) {
        Ok(Request::Say(text)) => out(&text),
        Ok(Request::Check(program)) => against::run(&words, &program, patience),
        Ok(Request::Run(asked)) if asked.presentation.parse_only => 0,
        Ok(Request::Run(mut asked)) => match place_for_output(&asked) {
            Err(error) => refused(&error),
            Ok(output) => load(&mut asked, output, patience),
        },
        Err(error) => refused(&error),
    }
}

/// Returns what job files may refer to on this machine.
pub fn surroundings() -> Surroundings<'static> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let host = sampler::host_facts(&sampler::Root::real());
    Surroundings {
        read: &|path| Ok(NamedInput::typed(path, JOB_FILE).text()?),
        bytes: &|path| first_bytes(Path::new(path)),
        below: &|path| files_below(Path::new(path)),
        variable: &|name| std::env::var(name).ok(),
        entropy: since_1970.as_nanos() as u64,
        cpus: host.cpus,
        memory: host.memory,
        // Page size of x86-64 and of the usual arm64 kernels.
        page: Bytes::kib(4),
    }
}

/// Reads the file at `path`, and of one that is too long for a pattern a byte more than a pattern may have.
fn first_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    Ok(NamedInput::plain(path, Bytes(fio::PATTERN_MOST as u64 + 1)).beginning()?)
}

/// Returns the regular files at any depth below `place`, in the order of their names; links are not followed.
fn files_below(place: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut entries = std::fs::read_dir(place)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files.append(&mut files_below(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Returns the output file, if there is one, checked for writing before anything runs.
fn place_for_output(asked: &FioRequest) -> Result<Option<Output<'static>>, FioError> {
    let Some(path) = asked.presentation.output.as_deref() else { return Ok(None) };
    let output = Output::ask(path, Over::default());
    output.map(Some).map_err(|error| FioError::OutputFile { errno: error.errno(), why: error.to_string() })
}

fn load(asked: &mut FioRequest, output: Option<Output<'static>>, patience: Nanos) -> u8 {
    // Before signals are caught, so that Ctrl-C during a long trace ends the program as usual.
    traces::read(asked);
    let asked = &*asked;
    let stop = StopFlag::on_signals(patience);
    kernel::allow_open_files();
    let mut told = FioOutput::new(asked, output);
    let planned = match watchdog::over("looking at the files", &stop, || steps(asked, &look)) {
        Ok(planned) => planned,
        Err(error) => return refused(&error),
    };
    told.say(&opening(asked));
    for unrunnable in &planned.unrunnable {
        told.failed(unrunnable.jobs.iter().copied(), &unrunnable.error);
    }
    told.presented.notes.extend(planned.notes);
    jobs::run(planned.steps, &stop, &mut told);
    told.note_not_run();
    told.present(&stop)
}

/// Returns facts about the file at `path`.
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
