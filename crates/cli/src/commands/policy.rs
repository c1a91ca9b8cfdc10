//! `plimsoll policy`: the catalogue of published limits, for reading.

pub mod list;
pub mod matched;

use std::path::Path;

use policy::{BurstLength, Catalogue, Limit, Limits, Parameter, Policy, Resource};
use workload::PolicyName;

use crate::arguments::{Format, PolicyAction, PolicyArguments};
use session::failure::Failure;
use session::named_input::{NamedInput, WRITTEN};
use session::output;

/// Lists the catalogue, or shows one policy with its parameters filled in.
pub fn run(arguments: &PolicyArguments) -> Result<u8, Failure> {
    match &arguments.action {
        PolicyAction::List { words, format } => return list::run(words, *format),
        PolicyAction::Show { policy, format } => show(policy, *format)?,
        PolicyAction::Check { file, parameters, format } => {
            checked(file, parameters.as_deref().unwrap_or_default(), *format)?;
        }
        PolicyAction::Match { run, format } => return matched::run(run.as_ref(), *format),
    }
    Ok(0)
}

fn show(words: &str, format: Format) -> Result<(), Failure> {
    let name = PolicyName::parse(words).map_err(Failure::refused)?;
    tell(Catalogue::builtin().find(&name.id).map_err(Failure::refused)?, name, format)
}

/// Reads and prints a policy of the user's own.
fn checked(file: &Path, parameters: &str, format: Format) -> Result<(), Failure> {
    let called = file.display().to_string();
    let text = NamedInput::typed(file, WRITTEN).text();
    let text =
        text.map_err(|error| error.failure(format!("{called}: cannot be read: {error}; name a TOML file")))?;
    let row = Policy::own(&called, &text).map_err(Failure::refused)?;
    let words = if parameters.is_empty() { row.id.clone() } else { format!("{},{parameters}", row.id) };
    let name = PolicyName::parse(&words).map_err(Failure::refused)?;
    tell(&row, name, format)
}

/// Prints what a policy says with these parameters.
fn tell(row: &Policy, name: PolicyName, format: Format) -> Result<(), Failure> {
    match format {
        Format::Text => output::result(&told(row, name)?),
        Format::Json => list::one(row, name),
    }
}

/// Formats what a policy says with these parameters.
fn told(row: &Policy, name: PolicyName) -> Result<String, Failure> {
    let (name, example) = with_examples(row, name);
    let limits = row.evaluate(&name).map_err(Failure::refused)?;
    let mut text = format!("{} ({}, {})\n", limits.policy, limits.title, limits.provider);
    if example {
        text.push_str(&report::wrap(
            "",
            "Its figures depend on its parameters; these hold for the example above.",
        ));
    }
    text.push_str(&format!("as of {}\n\n", limits.as_of.as_deref().unwrap_or("an unknown date")));
    limits.limits.iter().for_each(|limit| text.push_str(&limit_lines(limit)));
    text.push_str(&parameters(row));
    text.push_str(&closing(&limits));
    Ok(text)
}

/// Fills in example values for the parameters on which the figures depend, if only the id was typed.
fn with_examples(row: &Policy, mut name: PolicyName) -> (PolicyName, bool) {
    if !name.parameters.is_empty() {
        return (name, false);
    }
    let needed = row.required_parameters();
    let example = |parameter: &&Parameter| needed.contains(&parameter.name.as_str());
    name.parameters = row
        .parameters
        .iter()
        .filter(example)
        .map(|parameter| (parameter.name.clone(), parameter.example()))
        .collect();
    (name, !needed.is_empty())
}

fn parameters(row: &Policy) -> String {
    let names = row.parameter_names();
    if names.is_empty() {
        return String::new();
    }
    let needed = row.required_parameters();
    let word = |name: &String| match needed.contains(&name.as_str()) {
        true => format!("{name} (needed)"),
        false => name.clone(),
    };
    let words: Vec<String> = names.iter().map(word).collect();
    report::wrap("\nParameters: ", &words.join(", "))
}

fn limit_lines(limit: &Limit) -> String {
    let unit = limit.written.unit.name();
    let covers = format!("{:?}", limit.direction).to_lowercase();
    let mut text = format!(
        "  {:<8} {covers:<6} {} {unit}",
        resource(limit),
        report::numbers::count(limit.written.baseline)
    );
    if let Some(burst) = &limit.burst {
        let factor = limit.baseline / limit.written.baseline;
        text.push_str(&format!(", bursts to {} {unit}", report::numbers::count(burst.rate / factor)));
        match limit.burst_length() {
            BurstLength::Ends(length) => {
                text.push_str(&format!(
                    " for {} s from full credit",
                    report::numbers::count(length.as_secs_f64())
                ));
            }
            BurstLength::Unknown => text.push_str(" for a time that is not published"),
            BurstLength::None => {}
        }
    }
    if let Some(accounting) = &limit.accounting {
        text.push_str(&format!("\n           one charged operation a {}", accounting.unit));
    }
    if limit.unit_ambiguous {
        text.push_str("\n           the provider's MB may be 10^6 bytes or MiB: either is accepted");
    }
    text.push('\n');
    text
}

fn resource(limit: &Limit) -> &'static str {
    if limit.resource == Resource::Iops { "IOPS" } else { "bytes" }
}

fn closing(limits: &Limits) -> String {
    let mut text = String::from("\n");
    if let Some(note) = &limits.note {
        text.push_str(&report::wrap("", note));
    }
    limits.billing_notes().iter().for_each(|note| text.push_str(&format!("{note}\n")));
    if limits.sources.is_empty() {
        return text;
    }
    text.push_str("\nSources:\n");
    for source in &limits.sources {
        let date = source.date.as_deref().unwrap_or("undated");
        text.push_str(&report::wrap("  ", &format!("{}, {date}", source.title)));
        source.url.iter().for_each(|url| text.push_str(&format!("    {url}\n")));
    }
    text
}
