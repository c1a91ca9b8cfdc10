//! `plimsoll profile`: the built-in workloads, with what each measures and leaves out, and those made from recordings.

mod from;
mod recorded;
mod verify;

use experiments::{Profile, ProfileStep, profile_names, profile_text};
use schemars::JsonSchema;
use serde::Serialize;

use crate::arguments::{Format, ProfileAction, ProfileArguments};
use session::failure::Failure;
use session::output;

/// Profiles.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProfilesDocument<'p> {
    /// Each profile.
    profiles: Vec<ProfileRow<'p>>,
}

/// A profile.
#[derive(Serialize, JsonSchema)]
struct ProfileRow<'p> {
    /// Name by which it is run.
    name: &'p str,
    /// What it imitates.
    title: &'p str,
    /// What it does.
    about: &'p str,
    /// What its figures mean.
    measures: &'p str,
    /// What it leaves out.
    left_out: &'p str,
    /// Steps in the order they run.
    steps: Vec<StepRow<'p>>,
}

/// A step of a profile.
#[derive(Serialize, JsonSchema)]
struct StepRow<'p> {
    /// Name of the step.
    name: &'p str,
    /// Seconds that count.
    seconds: f64,
    /// Its jobs in words.
    jobs: Vec<String>,
}

/// Lists the profiles, or shows one.
pub fn run(arguments: &ProfileArguments) -> Result<u8, Failure> {
    match &arguments.action {
        ProfileAction::List { format: Format::Text } => list()?,
        ProfileAction::List { format: Format::Json } => {
            let all = profile_names().map(Profile::builtin).collect::<Result<Vec<_>, _>>();
            output::result(&document(&all.map_err(Failure::failed)?))?;
        }
        ProfileAction::From(arguments) => return from::run(arguments),
        ProfileAction::Show { profile, toml: true, .. } => {
            output::result(profile_text(profile).map_err(Failure::refused)?)?;
        }
        ProfileAction::Show { profile, format, .. } => {
            let profile = Profile::builtin(profile).map_err(Failure::refused)?;
            output::result(&match format {
                Format::Text => shown(&profile),
                Format::Json => document(&[profile]),
            })?;
        }
    }
    Ok(0)
}

fn list() -> Result<(), Failure> {
    let mut text = String::new();
    for name in profile_names() {
        let profile = Profile::builtin(name).map_err(Failure::failed)?;
        text += &report::wrap(&format!("{name:<17}"), &profile.title);
    }
    output::result(&text)
}

/// Returns profiles as one JSON document.
fn document(all: &[Profile]) -> String {
    let profiles = all.iter().map(|profile| ProfileRow {
        name: &profile.name,
        title: &profile.title,
        about: &profile.about,
        measures: &profile.measures,
        left_out: &profile.left_out,
        steps: profile.steps.iter().map(step_row).collect(),
    });
    report::document_json("profiles", &ProfilesDocument { profiles: profiles.collect() })
}

fn step_row(step: &ProfileStep) -> StepRow<'_> {
    let jobs = step.jobs.iter().map(report::job_words).collect();
    StepRow { name: &step.name, seconds: step.time.as_secs_f64(), jobs }
}

/// Describes a profile: what it imitates, what its figures mean, what it leaves out, and its steps.
fn shown(profile: &Profile) -> String {
    let mut text = report::wrap("", &format!("{}: {}", profile.name, profile.title));
    for (head, words) in [
        ("  does          ", &profile.about),
        ("  tells         ", &profile.measures),
        ("  leaves out    ", &profile.left_out),
    ] {
        if !words.is_empty() {
            text += &report::wrap(head, words);
        }
    }
    for step in &profile.steps {
        let words = step.jobs.iter().map(report::job_words).collect::<Vec<_>>().join("; ");
        let span = report::numbers::span(step.time.as_secs_f64());
        text += &report::wrap("  step          ", &format!("{}, {span}: {words}", step.name));
    }
    text += &report::wrap("  run it        ", &format!("plimsoll run {} DIR", profile.name));
    text += &report::wrap(
        "  change it     ",
        &format!("plimsoll profile show {} --toml > mine.toml; plimsoll run mine.toml DIR", profile.name),
    );
    text
}
