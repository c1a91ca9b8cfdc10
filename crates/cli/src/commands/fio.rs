//! `plimsoll fio`, and plimsoll under the name fio: fio's words in, fio's words out.

mod files;
mod running;

use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use dialects::fio::{
    Asked, Clock, FioError, FioStep, Presented, Request, Surroundings, capped_depths, human, json, messages,
    opening, parse, steps,
};
use kernel::guard;
use record::{Sample, StepRecord};
use workload::{Bytes, Nanos};

use crate::output;
use crate::signals::StopFlag;

use files::Files;

/// What a run has brought, for the presentation.
#[derive(Default)]
struct Outcome {
    records: Vec<StepRecord>,
    samples: Vec<Sample>,
    disks: Vec<String>,
    failed: Vec<(usize, i32)>,
    notes: Vec<String>,
}

/// Exit code of a run that a signal ended, as fio has it.
const INTERRUPTED: u8 = 128;

/// Runs fio's command line; the exit code is fio's.
pub fn run(words: &[OsString]) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match parse(&words, &surroundings()) {
        Ok(Request::Say(text)) => out(&text),
        Ok(Request::Run(asked)) if asked.presentation.parse_only => 0,
        Ok(Request::Run(asked)) => load(&asked),
        Err(error) => refused(&error),
    }
}

fn surroundings() -> Surroundings<'static> {
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
    output::people(error.to_string().trim_end());
    if let Some(hint) = error.hint() {
        output::people(hint.trim_end());
    }
    error.exit_code()
}

fn load(asked: &Asked) -> u8 {
    let stop = StopFlag::on_signals();
    let began = std::time::Instant::now();
    let started_unix_ms = unix_ms();
    let planned = steps(asked, &look);
    let late = planned.as_ref().err().is_none_or(FioError::is_after_the_banner);
    if asked.presentation.is_normal() && late {
        say(asked, &opening(asked));
    }
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => return refused_late(asked, &error, late),
    };
    let mut outcome = Outcome::default();
    if let Err(error) = running::run(asked, &planned, &stop, &mut outcome) {
        output::people(&format!("fio: {error}"));
        return 1;
    }
    let presented = Presented {
        asked,
        steps: &outcome.records,
        clock: Clock::local(unix_ms()),
        started_unix_ms,
        elapsed: Nanos(began.elapsed().as_nanos() as u64),
        pid: std::process::id(),
        disks: files::disk_use(&outcome),
        failed: outcome.failed.clone(),
        notes: outcome.notes.clone(),
    };
    present(asked, &presented, &stop)
}

/// An error that fio notices after its banner: it still prints an empty group status.
fn refused_late(asked: &Asked, error: &FioError, late: bool) -> u8 {
    let code = refused(error);
    if late {
        let presented = Presented {
            asked,
            steps: &[],
            clock: Clock::local(unix_ms()),
            started_unix_ms: unix_ms(),
            elapsed: Nanos::ZERO,
            pid: std::process::id(),
            disks: Vec::new(),
            failed: error.failed(asked),
            notes: Vec::new(),
        };
        write_out(asked, &result_text(asked, &presented));
    }
    code
}

fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// Text that comes before the result: into the output file with it, or on stdout.
fn say(asked: &Asked, text: &str) {
    if asked.presentation.output.is_none() {
        out(text);
    }
}

fn result_text(asked: &Asked, presented: &Presented<'_>) -> String {
    let mut text = String::new();
    if asked.presentation.is_normal() {
        if asked.presentation.output.is_some() {
            text.push_str(&opening(asked));
        }
        text.push_str(&human(presented));
    }
    if asked.presentation.json().is_some() {
        text.push_str(&json(presented));
    }
    text
}

fn write_out(asked: &Asked, text: &str) -> bool {
    let Some(path) = &asked.presentation.output else {
        return out(text) == 0;
    };
    let written = crate::place::write_whole(path, text);
    if let Err(failure) = &written {
        output::people(&format!("fio: {failure}"));
    }
    written.is_ok()
}

fn present(asked: &Asked, presented: &Presented<'_>, stop: &StopFlag) -> u8 {
    let (to_stdout, to_stderr) = messages(presented);
    if asked.presentation.is_normal() {
        say(asked, &to_stdout);
    }
    if !to_stderr.is_empty() {
        output::people(to_stderr.trim_end());
    }
    let written = write_out(asked, &result_text(asked, presented));
    match presented.exit_code() {
        _ if !written => 1,
        _ if stop.raised() => INTERRUPTED,
        code => code,
    }
}

/// What is at `path`.
fn look(path: &Path) -> Option<dialects::fio::OnDisk> {
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
    Some(OnDisk { bytes: facts.size.0, kind })
}

/// Runs the layouts of all steps, as fio does before the first one starts.
fn lay_out(asked: &Asked, planned: &[FioStep], files: &mut Files) -> Result<(), String> {
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
