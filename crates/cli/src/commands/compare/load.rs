//! Loads of a comparison in turns: a profile, built in or the user's own, or a fio job file.

use std::path::Path;

use experiments::{Profile, Step, WatchLoad};
use fio::FioStep;
use session::failure::Failure;
use session::named_input::{NamedInput, WRITTEN};
use session::output;
use workload::{Bytes, Nanos, Start, StepKind, StopRule, Workload};

use crate::arguments::TurnsArguments;
use crate::commands::watch::load::{
    JobFile, NamedJobFile, Whose, as_elsewhere, in_milliseconds, is_job_file, read_job_file,
};

/// The profile that runs unless another load is named.
const USUAL: &str = "side-by-side";
/// Default measured time of a turn, for a job without a runtime.
const TURN: Nanos = Nanos::from_secs(10);

/// A load that runs once in each block.
pub struct Load {
    /// The name of the load in errors.
    pub name: String,
    /// Bytes to measure on, if a region is created.
    pub size: Option<Bytes>,
    /// The steps of the load; never empty.
    pub steps: Vec<Step>,
}

/// Reads the load that `word` names.
pub fn load(word: Option<&str>, arguments: &TurnsArguments) -> Result<Load, Failure> {
    let word = word.unwrap_or(USUAL);
    let turn = arguments.turn.as_deref().map(workload::duration).transpose().map_err(Failure::refused)?;
    if turn == Some(Nanos(0)) {
        return Err(Failure::refused("--turn 0 measures nothing; give each turn a second or more"));
    }
    if is_job_file(word) {
        return job(word, turn);
    }
    let profile = if is_profile_file(word) {
        let text = NamedInput::typed(word, WRITTEN).text().map_err(|error| {
            error.failure(format!("{word}: cannot be read: {error}; name a profile written in TOML"))
        })?;
        Profile::read(word, &text).map_err(Failure::refused)?
    } else {
        Profile::builtin(word).map_err(Failure::refused)?
    };
    let steps = profile.steps.iter().map(experiments::ProfileStep::step).collect();
    let load = Load { name: profile.name.clone(), size: profile.size, steps };
    Ok(match turn {
        Some(turn) => lasting(load, turn),
        None => load,
    })
}

/// Reads the jobs of a file: those that run side by side are one load, and each stonewall begins another.
fn job(path: &str, turn: Option<Nanos>) -> Result<Load, Failure> {
    let options: Vec<String> = turn
        .iter()
        .flat_map(|turn| [format!("--runtime={}", in_milliseconds(*turn)), "--time_based".into()])
        .collect();
    let JobFile { steps, .. } = read_job_file(NamedJobFile { path, text: None }, &options, Whose::Target)?;
    let steps: Vec<Step> =
        steps.iter().filter(|step| !step.workload.jobs.is_empty()).map(|step| of_step(path, step)).collect();
    if steps.is_empty() {
        return Err(Failure::refused(format!("{path}: it runs no I/O, so it is no load")));
    }
    let jobs = steps.iter().flat_map(|step| &step.workload.jobs);
    let size = jobs.filter_map(|job| Some(Bytes(job.offset.0 + job.size?.0))).max();
    Ok(Load { name: path.to_owned(), size, steps: called_apart(steps) })
}

/// Turns a fio step into a load of a block, with the job's own time limit. On the target it bypasses the page cache,
/// with which this machine would be measured.
fn of_step(path: &str, step: &FioStep) -> Step {
    let jobs = step.workload.jobs.iter().map(as_elsewhere).collect();
    let mut load = WatchLoad::of_jobs(path, jobs, Vec::new());
    load.go_past_the_cache();
    load.notes.iter().for_each(|note| output::people(report::wrap("  ", note).trim_end()));
    let ramp = load.jobs.iter().filter_map(|job| job.ramp).fold(step.workload.ramp, Nanos::max);
    load.jobs.iter_mut().for_each(|job| (job.ramp, job.start) = (None, Start::WithStep));
    let counted = step.most().map_or(TURN, |most| Nanos(most.0.saturating_sub(ramp.0).max(1)));
    let mut names: Vec<&str> = load.jobs.iter().map(|job| job.name.as_str()).collect();
    names.dedup();
    let name = names.join(" + ");
    let workload = Workload { jobs: load.jobs.clone(), stop: vec![StopRule::Time(counted)], ramp };
    Step { name, kind: StepKind::Job, workload, interval: None }
}

/// Numbers loads that have the same name.
fn called_apart(mut steps: Vec<Step>) -> Vec<Step> {
    let names: Vec<String> = steps.iter().map(|step| step.name.clone()).collect();
    for (at, step) in steps.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == step.name).count() > 1 {
            step.name = format!("{} ({})", step.name, at + 1);
        }
    }
    steps
}

fn is_profile_file(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|end| end == "toml")
}

fn lasting(mut load: Load, turn: Nanos) -> Load {
    load.steps.iter_mut().for_each(|step| step.workload.stop = vec![StopRule::Time(turn)]);
    load
}
