//! The parts of a check's JSON that the gate examines.

use serde_json::Value;

/// A change of the rate.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Time of the change, in seconds since 1970.
    pub at: f64,
    /// The interval that contains the change, if one is reported.
    pub between: Option<(f64, f64)>,
    pub before: f64,
    pub after: f64,
}

/// What a check reports.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    pub sentence: String,
    /// Reads a second in the headline.
    pub iops: Option<f64>,
    /// Bytes read a second in the headline.
    pub bytes_per_second: Option<f64>,
    /// A cap on bytes, if one is reported.
    pub bytes_per_second_cap: Option<f64>,
    pub changes: Vec<Change>,
    /// The accounting unit in bytes.
    pub unit: Option<u64>,
    /// Whether reads and writes share a cap.
    pub shared: bool,
}

pub fn of_document(document: &Value) -> CheckReport {
    let findings = document["findings"].as_array().map_or(&[][..], Vec::as_slice);
    let of_kind = |kind: &str| findings.iter().find(|finding| finding["kind"] == kind);
    let started = document["run"]["started_unix_ms"].as_f64().unwrap_or(f64::NAN) / 1e3;
    CheckReport {
        sentence: document["verdict"]["sentence"].as_str().unwrap_or_default().to_owned(),
        iops: headline(document, "iops"),
        bytes_per_second: headline(document, "bytes_per_second"),
        bytes_per_second_cap: of_kind("bandwidth_cap").and_then(|finding| value(&finding["cap"])),
        changes: changes(document, findings, started),
        unit: of_kind("accounting_unit").and_then(|finding| finding["unit"].as_u64()),
        shared: of_kind("shared_cap").is_some(),
    }
}

/// Returns the value of an estimate, or a bare number.
fn value(estimate: &Value) -> Option<f64> {
    estimate["value"].as_f64().or(estimate.as_f64())
}

fn headline(document: &Value, quantity: &str) -> Option<f64> {
    let rows = document["verdict"]["claims"].as_array()?;
    let row = rows.iter().find(|row| row["quantity"] == quantity && row["direction"] == "read")?;
    value(&row["measured"])
}

/// Returns the changes of the timeline or, if there is none, the single fall among the findings.
fn changes(document: &Value, findings: &[Value], started: f64) -> Vec<Change> {
    let seconds = |ns: &Value| ns.as_f64().map(|ns| started + ns / 1e9);
    let of_timeline = |change: &Value| {
        let (from, to) = (seconds(&change["at"][0])?, seconds(&change["at"][1])?);
        let at = seconds(&change["likeliest"])?;
        let (before, after) = (value(&change["before"])?, value(&change["after"])?);
        Some(Change { at, between: Some((from, to)), before, after })
    };
    let of_finding = |finding: &Value| {
        let at = seconds(&finding["at"])?;
        let (before, after) = (value(&finding["before"])?, value(&finding["after"])?);
        Some(Change { at, between: None, before, after })
    };
    match document["regimes"]["changes"].as_array() {
        Some(changes) => changes.iter().filter_map(of_timeline).collect(),
        None => {
            let falls = findings.iter().filter(|finding| finding["kind"] == "step_down");
            falls.filter_map(of_finding).collect()
        }
    }
}
