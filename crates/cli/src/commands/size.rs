//! `plimsoll size`: which volume a recorded load needs.

use std::path::{Path, PathBuf};

use analysis::size::{Allowed, SizeAsk, SizedLoads, offered, size};
use policy::{Catalogue, Limits, Policy, PriceList};
use record::{Metric, Recording};
use workload::PolicyName;

use super::export::put;
use super::newest::or_newest_that;
use super::own;
use crate::arguments::{self, SizeArguments, SizeFormat, typed};
use session::browser;
use session::failure::Failure;
use session::files::{Output, Over, PAGE};
use session::inputs::{InputRun, Reader, limits};
use session::named_input::{NamedInput, WRITTEN};
use session::output;
use session::place::{Place, short};

/// Answers for each device of each recording.
pub fn run(arguments: &SizeArguments) -> Result<u8, Failure> {
    let over = Over { kind: Some(PAGE), inputs: &[] };
    let mut html = arguments.html.as_deref().map(|html| Output::ask(html, over)).transpose()?;
    let allowed = arguments.allow.as_deref().map(Allowed::parse).transpose().map_err(Failure::refused)?;
    let capacity = arguments::size(arguments.capacity.as_deref())?;
    let policies = policies(arguments)?;
    if let Some(name) = &arguments.instance {
        known_instance(name, &policies)?;
    }
    let present = arguments.present.as_deref().map(present).transpose()?;
    let prices = prices(arguments)?;
    let region = arguments.region.as_deref().map(|region| prices.region(region)).transpose();
    let region = region.map_err(Failure::refused)?;
    let reader = Reader::packed(typed());
    let is_load = |path: &Path| {
        let read = reader.recordings(&[path.to_owned()]);
        read.is_ok_and(|read| read.runs.iter().any(|recorded| recorded.run.asked.is_none()))
    };
    let inputs = reader.recordings(&or_newest_that(&arguments.inputs, &is_load)?)?;
    if arguments.device.is_none() {
        inputs.runs.iter().try_for_each(no_procedure)?;
    }
    let mut sizings = SizedLoads::default();
    for recorded in &inputs.runs {
        let asked = SizeAsk {
            device: arguments.device.as_deref(),
            capacity,
            instance: arguments.instance.as_deref(),
            allowed: allowed.clone(),
            policies: policies.clone(),
            present: present.clone().or_else(|| of_run(recorded)),
            prices: &prices,
            region,
        };
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let recording = if inputs.runs.len() > 1 { name(&recorded.path) } else { String::new() };
        sizings.add(size(&recorded.run, &asked), &recording);
    }
    if sizings.volumes.is_empty() {
        return Err(nothing(arguments, &inputs.runs));
    }
    let page = page(arguments, &sizings, html.as_mut())?;
    let settings = || export::settings(&sizings);
    let table = arguments.parquet.as_ref().map(|folder| put(&[settings()], folder)).transpose()?;
    output::result(&match arguments.format {
        SizeFormat::Text => report::size_text(&sizings, arguments.extent()),
        SizeFormat::Json => report::size_json(&sizings),
        SizeFormat::Csv => settings().csv(),
    })?;
    table.iter().for_each(|table| output::people(table.trim_end()));
    if let Some(page) = page {
        output::people(&format!("report  {}", short(&page)));
        if arguments.open {
            browser::open(&page);
        }
    }
    Ok(report::size_exit_code(&sizings).max(u8::from(inputs.unread > 0)))
}

/// Writes the page into the file that was named, or, if it is only to be opened, into a new one; returns its path.
fn page(
    arguments: &SizeArguments,
    sizings: &SizedLoads,
    named: Option<&mut Output<'_>>,
) -> Result<Option<PathBuf>, Failure> {
    if let Some(named) = named {
        named.write(report::size_html(sizings).as_bytes())?;
        return Ok(arguments.html.clone());
    }
    if !arguments.open {
        return Ok(None);
    }
    let devices: Vec<&str> = sizings.volumes.iter().map(|sizing| sizing.load.device.as_str()).collect();
    let place = Place::new(None, (&devices.join(" "), "size"), &[])?;
    place.put_report(&report::size_html(sizings))?;
    Ok(Some(place.report()))
}

/// Returns the policies to try.
fn policies(arguments: &SizeArguments) -> Result<Vec<&'static Policy>, Failure> {
    let mut named = Vec::new();
    for words in &arguments.policy {
        let name = own::policy(words)?;
        if !name.parameters.is_empty() {
            return Err(Failure::refused(format!(
                "--policy {words}: its parameters are what is searched; name the policy alone, and what the volume has now with --present"
            )));
        }
        named.push(Catalogue::builtin().find(&name.id).map_err(Failure::refused)?);
    }
    if !named.is_empty() {
        return Ok(named);
    }
    let offered = offered(&arguments.provider);
    if offered.is_empty() {
        let known: std::collections::BTreeSet<&str> =
            Catalogue::builtin().list().iter().map(|policy| policy.provider.as_str()).collect();
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Failure::refused(format!(
            "--provider {}: the catalogue has no such provider; it has {}",
            arguments.provider.join(", "),
            known.join(", ")
        )));
    }
    Ok(offered)
}

/// Returns the price list, with the user's own rows in front if a file is named.
fn prices(arguments: &SizeArguments) -> Result<PriceList, Failure> {
    let Some(file) = &arguments.prices else { return Ok(PriceList::builtin().clone()) };
    let text = NamedInput::typed(file, WRITTEN).text().map_err(|error| {
        error.failure(format!("{file}: cannot be read: {error}; name a TOML file with prices"))
    })?;
    PriceList::with_own(file, &text).map_err(Failure::refused)
}

/// Checks that the machine is known to the provider of some policy.
fn known_instance(name: &str, policies: &[&Policy]) -> Result<(), Failure> {
    let mut errors = Vec::new();
    for policy in policies {
        match Catalogue::builtin().instance(&policy.provider, name) {
            Ok(_) => return Ok(()),
            Err(error) => errors.push(error),
        }
    }
    errors.into_iter().next().map_or(Ok(()), |error| Err(Failure::refused(error)))
}

fn present(words: &str) -> Result<Limits, Failure> {
    let name = own::policy(words)?;
    policy::evaluate(&name).map_err(Failure::refused)
}

/// Returns the limits of the policy that a recording was checked against.
fn of_run(recorded: &InputRun) -> Option<Limits> {
    let words = recorded.run.policy.as_ref()?;
    let name = PolicyName::parse(words).ok()?;
    limits(&name.to_string()).ok()
}

/// Refuses the run of a procedure, which asks for all that a volume does.
fn no_procedure(recorded: &InputRun) -> Result<(), Failure> {
    if recorded.run.asked.is_none() {
        return Ok(());
    }
    let (path, command) = (short(&recorded.path), recorded.run.words.get(1).map_or("check", String::as_str));
    Err(Failure::refused(format!(
        "{path}: plimsoll {command} asks for all that a volume does, which no application needs; record the application: plimsoll \
         watch --for 1h. Another device of this recording: --device NAME. Which published volume has these figures: plimsoll policy match {path}"
    )))
}

/// Says why there is nothing to answer.
fn nothing(arguments: &SizeArguments, runs: &[InputRun]) -> Failure {
    let recorded = runs.iter().map(|recorded| Recording::of(&recorded.run));
    let devices: Vec<String> = recorded
        .flat_map(|one| one.devices().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        .collect();
    Failure::refused(match &arguments.device {
        Some(name) if !devices.is_empty() => format!(
            "--device {name}: nothing of it is recorded; the recording has {}",
            devices.join(", ")
        ),
        _ if !devices.is_empty() && !has_operations(runs) => format!(
            "nothing that was recorded of {} counts operations a second; record both reads and writes, or their sum",
            devices.join(", ")
        ),
        _ => "no disk did any I/O in this recording; record while the application works: plimsoll watch --for 10m".to_owned(),
    })
}

/// Whether some recording has the operations of some disk: of reads and of writes, or their sum.
fn has_operations(runs: &[InputRun]) -> bool {
    let of_run = |recorded: &InputRun| {
        let recording = Recording::of(&recorded.run);
        let has = |name: &str, metrics: &[Metric]| metrics.iter().all(|metric| recording.has(name, *metric));
        let each = [&[Metric::ReadOps, Metric::WriteOps][..], &[Metric::Ops]];
        recording.devices().iter().any(|name| each.iter().any(|metrics| has(name, metrics)))
    };
    runs.iter().any(of_run)
}
