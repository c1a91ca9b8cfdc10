//! The parts of a check's JSON that the gate examines.

use serde_json::Value;

/// A rate and its interval.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Operations,
    Bytes,
}

pub const QUANTITIES: [Quantity; 2] = [Quantity::Operations, Quantity::Bytes];

/// A rate of a direction: 0 for reads, 1 for writes.
#[derive(Clone, Debug)]
pub struct Level {
    pub direction: usize,
    pub quantity: Quantity,
    pub rate: Estimate,
    /// Kind of the finding that reports it, and its confidence.
    pub by: (String, String),
}

/// A change of the rate.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Time of the change, in seconds since 1970.
    pub at: f64,
    /// The interval that contains the change.
    pub between: (f64, f64),
    pub before: Estimate,
    pub after: Estimate,
}

/// What a check reports.
#[derive(Clone, Debug)]
pub struct CheckReport {
    pub sentence: String,
    pub answer: String,
    /// Figures of the headline.
    pub headline: Vec<Level>,
    /// Levels that a limiter is found to set.
    pub caps: Vec<Level>,
    /// Levels that are put down to something else.
    pub causes: Vec<Level>,
    pub changes: Vec<Change>,
    /// The accounting units in bytes.
    pub units: Vec<u64>,
    /// Whether reads and writes share a limit of a quantity, as far as reported.
    pub shared: Vec<(Quantity, bool)>,
}

/// Kinds of findings with the key of their level.
const CAPS: [(&str, &str); 3] =
    [("iops_cap", "cap"), ("bandwidth_cap", "cap"), ("accounting_unit", "operations")];
const CAUSES: [(&str, &str); 5] = [
    ("saturation", "level"),
    ("depth_bound", "level"),
    ("in_flight_bound", "level"),
    ("machine_limit", "level"),
    ("kernel_queue", "level"),
];

pub fn of_document(document: &Value) -> CheckReport {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let findings = list(&document["findings"]);
    let started = document["run"]["started_unix_ms"].as_f64().unwrap_or(f64::NAN) / 1e3;
    let verdict = &document["verdict"];
    let claims = list(&verdict["claims"]);
    let of_kinds = |kinds: &[(&str, &str)]| {
        let found = findings.iter().filter_map(|finding| {
            let (_, key) = kinds.iter().find(|(kind, _)| finding["kind"] == *kind)?;
            level(finding, key)
        });
        found.collect()
    };
    let of_kind = |kind: &'static str| findings.iter().filter(move |finding| finding["kind"] == kind);
    let sharing = |kind, shared| of_kind(kind).map(move |finding| (quantity(finding), shared));
    CheckReport {
        sentence: verdict["sentence"].as_str().unwrap_or_default().to_owned(),
        answer: verdict["answer"].as_str().unwrap_or_default().to_owned(),
        headline: claims.iter().filter_map(|claim| level(claim, "measured")).collect(),
        caps: of_kinds(&CAPS),
        causes: of_kinds(&CAUSES),
        changes: list(&document["regimes"]["changes"]).iter().filter_map(|it| change(it, started)).collect(),
        units: of_kind("accounting_unit").filter_map(|finding| finding["unit"].as_u64()).collect(),
        shared: sharing("shared_budget", true).chain(sharing("separate_budgets", false)).collect(),
    }
}

fn estimate(value: &Value) -> Option<Estimate> {
    let part = |name: &str| value[name].as_f64();
    Some(Estimate { value: part("value")?, low: part("low")?, high: part("high")? })
}

fn quantity(value: &Value) -> Quantity {
    let bytes = value["counted"] == "bytes"
        || value["quantity"] == "bytes_per_second"
        || value["kind"] == "bandwidth_cap"
        || value["kind"] == "in_flight_bound";
    if bytes { Quantity::Bytes } else { Quantity::Operations }
}

fn level(value: &Value, key: &str) -> Option<Level> {
    let direction = usize::from(value["direction"] == "write");
    let by = ["kind", "confidence"].map(|key| value[key].as_str().unwrap_or_default().to_owned()).into();
    Some(Level { direction, quantity: quantity(value), rate: estimate(&value[key])?, by })
}

fn change(change: &Value, started: f64) -> Option<Change> {
    let seconds = |ns: &Value| ns.as_f64().map(|ns| started + ns / 1e9);
    Some(Change {
        at: seconds(&change["likeliest"])?,
        between: (seconds(&change["at"][0])?, seconds(&change["at"][1])?),
        before: estimate(&change["before"])?,
        after: estimate(&change["after"])?,
    })
}
