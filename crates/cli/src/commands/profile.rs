//! `plimsoll profile`: the built-in workloads, and what each tells and leaves out.

use experiments::{Profile, profile_names, profile_text};

use crate::arguments::{ProfileAction, ProfileArguments};
use session::failure::Failure;
use session::output;

/// Lists the profiles, or shows one.
pub fn run(arguments: &ProfileArguments) -> Result<u8, Failure> {
    match &arguments.action {
        ProfileAction::List => list()?,
        ProfileAction::Show { profile, toml: true } => {
            output::result(profile_text(profile).map_err(Failure::refused)?)?;
        }
        ProfileAction::Show { profile, toml: false } => {
            let profile = Profile::builtin(profile).map_err(Failure::refused)?;
            output::result(&shown(&profile))?;
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

/// A profile in words: what it imitates, what its figures tell, what it leaves out, and its steps.
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
