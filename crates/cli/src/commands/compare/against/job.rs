//! The job that both tools run: the user's text, on the named target and nothing else.

use std::path::{Path, PathBuf};

use experiments::Writes;
use fio::{FioRequest, FioStep, Request, Surroundings, parse, steps};
use session::Setup;
use session::failure::Failure;
use session::named_input::{JOB_FILE, NamedInput};

use crate::commands::fio::{look, surroundings};

/// Options by which a job touches more than its files, or depends on other programs.
const ELSEWHERE: [&str; 5] = ["read_iolog", "exec_prerun", "exec_postrun", "opendir", "replay_redirect"];

/// A job that both tools can run.
#[derive(Debug)]
pub(super) struct SameJob {
    /// The name of the job file.
    pub name: String,
    /// The text that both tools read.
    pub text: String,
    /// Maximum runtime in seconds; `None` if the job's size determines it.
    pub seconds: Option<f64>,
}

/// Reads the job file at `path` for `target`; refuses it if it would touch anything else, or write to what may only be read.
pub(super) fn same_job(path: &str, target: &Path, setup: &Setup) -> Result<SameJob, Failure> {
    let own = NamedInput::typed(path, JOB_FILE)
        .text()
        .map_err(|error| error.failure(format!("{path}: cannot be read: {error}; name a job file of fio")))?;
    let place = if target.is_dir() { "directory" } else { "filename" };
    let text = format!("[global]\n{place}={}\n{own}\n", target.display().to_string().replace(':', "\\:"));
    let asked = asked(path, &text)?;
    if let Some(option) = elsewhere(&asked) {
        let text = format!(
            "{path}: {option} lets the job touch more than {}; leave it out to compare",
            target.display()
        );
        return Err(Failure::refused(text));
    }
    let planned = steps(&asked, &look).and_then(fio::PlannedSteps::whole);
    let planned = planned.map_err(|error| Failure::refused(format!("{path}: {error}")))?;
    stays_there(path, target, &planned)?;
    writes_what_it_may(path, target, (&planned, setup))?;
    Ok(SameJob {
        name: path.to_owned(),
        text,
        seconds: planned.iter().map(|step| step.most().map(|time| time.as_secs_f64())).sum(),
    })
}

fn asked(path: &str, text: &str) -> Result<FioRequest, Failure> {
    let around = surroundings();
    let read = |name: &str| if name == "-" { Ok(text.to_owned()) } else { (around.read)(name) };
    let around = Surroundings { read: &read, ..surroundings() };
    match parse(&["-".to_owned()], &around) {
        Ok(Request::Run(asked)) => Ok(*asked),
        Ok(Request::Say(_) | Request::Check(_)) => {
            Err(Failure::refused(format!("{path} asks for no load; name a job file of fio")))
        }
        Err(error) => Err(Failure::refused(format!("{path}: {error}"))),
    }
}

fn elsewhere(asked: &FioRequest) -> Option<&'static str> {
    let own = asked.jobs.iter().flat_map(|job| &job.echo);
    let names: Vec<&String> = asked.globals.iter().chain(own).map(|(name, _)| name).collect();
    ELSEWHERE.into_iter().find(|option| names.iter().any(|name| name == option))
}

fn stays_there(path: &str, target: &Path, steps: &[FioStep]) -> Result<(), Failure> {
    let files: Vec<&PathBuf> =
        steps.iter().flat_map(|step| &step.workload.jobs).flat_map(|job| &job.files).collect();
    let inside = |file: &PathBuf| {
        let clean = !file.components().any(|part| part == std::path::Component::ParentDir);
        file == target || (target.is_dir() && clean && file.starts_with(target))
    };
    match files.iter().find(|file| !inside(file)) {
        Some(file) => Err(Failure::refused(format!(
            "{path}: the job names {} itself, and {} was named for it; take filename and directory out of the job",
            file.display(),
            target.display()
        ))),
        None => Ok(()),
    }
}

fn writes_what_it_may(
    path: &str,
    target: &Path,
    (steps, setup): (&[FioStep], &Setup),
) -> Result<(), Failure> {
    let writes = steps.iter().flat_map(|step| &step.workload.jobs).any(|job| !job.access.mix.reads_only());
    if writes && !target.is_dir() && setup.writes == Writes::LeftOut {
        return Err(Failure::refused(format!(
            "{path} writes, and {} is only read; name a folder, or a device with --allow-destroy {}",
            target.display(),
            target.display()
        )));
    }
    Ok(())
}
