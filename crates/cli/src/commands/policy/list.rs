//! `plimsoll policy list`: the catalogue, one policy a line, with the figures that people compare.

use policy::{Catalogue, Covers, Limit, Limits, Policy, Resource};
use report::numbers;
use schemars::JsonSchema;
use serde::Serialize;
use session::failure::Failure;
use session::output;
use workload::PolicyName;

use super::with_examples;
use crate::arguments::Format;

/// Policies.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct PoliciesDocument<'p> {
    /// Each policy.
    policies: Vec<PolicyRow<'p>>,
}

/// A policy.
#[derive(Serialize, JsonSchema)]
struct PolicyRow<'p> {
    /// Id in the catalogue.
    id: &'p str,
    /// The provider's name for it.
    name: &'p str,
    /// The provider.
    provider: &'p str,
    /// Date of the figures, if the source has one.
    as_of: Option<&'p str>,
    /// Id and parameters as they may be typed.
    example: String,
    /// Whether other parameters give other figures: those here are the example's.
    depends_on_parameters: bool,
    /// Everything that it says about one volume.
    limits: &'p Limits,
}

/// A policy with the figures of its example.
struct PolicyEntry<'p> {
    policy: &'p Policy,
    limits: Limits,
    /// Whether other parameters give other figures.
    is_example: bool,
}

/// Prints the policies that have every word in their id, name or provider.
pub fn run(words: &[String], format: Format) -> Result<u8, Failure> {
    let catalogue = Catalogue::builtin();
    let wanted: Vec<PolicyEntry> =
        catalogue.list().iter().filter(|policy| fits(policy, words)).filter_map(listed).collect();
    if wanted.is_empty() {
        return Err(Failure::refused(format!(
            "no policy of the catalogue has '{}' in its id, name or provider; plimsoll policy list names them all",
            words.join(" ")
        )));
    }
    match format {
        Format::Text => output::result(&text(&wanted))?,
        Format::Json => output::result(&document(&wanted))?,
    }
    Ok(0)
}

/// Prints one policy as a document of the same form, with the parameters that were typed.
pub fn one(policy: &Policy, typed: PolicyName) -> Result<(), Failure> {
    let (name, is_example) = with_examples(policy, typed);
    let limits = policy.evaluate(&name).map_err(Failure::refused)?;
    output::result(&document(&[PolicyEntry { policy, limits, is_example }]))
}

fn fits(policy: &Policy, words: &[String]) -> bool {
    let all = format!("{} {} {}", policy.id, policy.name, policy.provider).to_lowercase();
    words.iter().all(|word| all.contains(&word.to_lowercase()))
}

fn listed(policy: &Policy) -> Option<PolicyEntry<'_>> {
    let bare = PolicyName { id: policy.id.clone(), parameters: Vec::new() };
    let (name, is_example) = with_examples(policy, bare);
    Some(PolicyEntry { policy, limits: policy.evaluate(&name).ok()?, is_example })
}

/// Returns the limit that applies to reads: that on reads alone, else one on both directions.
fn of(limits: &Limits, resource: Resource) -> Option<&Limit> {
    let counted = || limits.limits.iter().filter(move |limit| limit.resource == resource);
    counted().find(|limit| limit.direction == Covers::Read).or_else(|| counted().next())
}

/// Formats a figure, marked if it is an example.
fn figure(listed: &PolicyEntry, resource: Resource) -> String {
    let mark = if listed.is_example { "*" } else { "" };
    match of(&listed.limits, resource) {
        Some(limit) if resource == Resource::Iops => {
            format!("{}{mark}", numbers::count(limit.written.baseline))
        }
        Some(limit) => {
            format!("{} {}{mark}", numbers::count(limit.written.baseline), limit.written.unit.name())
        }
        None => "-".to_owned(),
    }
}

/// Returns the burst rate, in operations if both operations and bytes burst.
fn burst(limits: &Limits) -> String {
    let bursts = |resource| {
        let limit = of(limits, resource)?;
        let rate = limit.burst.as_ref()?.rate / (limit.baseline / limit.written.baseline);
        Some(match resource {
            Resource::Iops => numbers::count(rate),
            _ => format!("{} {}", numbers::count(rate), limit.written.unit.name()),
        })
    };
    bursts(Resource::Iops).or_else(|| bursts(Resource::Bytes)).unwrap_or_else(|| "-".to_owned())
}

fn text(all: &[PolicyEntry]) -> String {
    let line = |[id, iops, bytes, burst, as_of]: [&str; 5]| {
        format!("{id:<34} {iops:>8}  {bytes:>11}  {burst:>9}  {as_of}").trim_end().to_owned() + "\n"
    };
    let mut text = line(["id", "IOPS", "bytes", "bursts to", "as of"]);
    for listed in all {
        let (iops, bytes) = (figure(listed, Resource::Iops), figure(listed, Resource::Bytes));
        let as_of =
            listed.policy.as_of.as_deref().and_then(|words| words.split(' ').next()).unwrap_or("undated");
        text += &line([&listed.policy.id, &iops, &bytes, &burst(&listed.limits), as_of]);
    }
    if all.iter().any(|listed| listed.is_example) {
        text += "\n* by its parameters; this is the example of plimsoll policy show ID.\n";
    }
    text += "\nplimsoll policy show ID      limits, parameters and sources\n\
             plimsoll policy list aws gp  those with these words\n\
             plimsoll check sim:ID        measures a simulated one\n\
             custom,iops=...,mbps=...     figures of your own: plimsoll policy show custom\n";
    text
}

fn document(all: &[PolicyEntry]) -> String {
    let policies = all.iter().map(|listed| PolicyRow {
        id: &listed.policy.id,
        name: &listed.policy.name,
        provider: &listed.policy.provider,
        as_of: listed.policy.as_of.as_deref(),
        example: listed.limits.policy.to_string(),
        depends_on_parameters: listed.is_example,
        limits: &listed.limits,
    });
    report::document_json("policies", &PoliciesDocument { policies: policies.collect() })
}
