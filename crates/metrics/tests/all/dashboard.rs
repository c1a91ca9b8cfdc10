//! `docs/grafana.json`: every query names families that are exposed, and labels that they have.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

fn dashboard() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/grafana.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Collects every `expr` in `value`.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(query)) = fields.get("expr") {
                found.push(query.clone());
            }
            fields.values().for_each(|value| queries(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| queries(value, found)),
        _ => {}
    }
}

/// Returns the words of a query that could be names.
fn words(query: &str) -> impl Iterator<Item = &str> {
    query
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

#[test]
fn every_query_of_the_dashboard_names_what_is_exposed() {
    let mut found = Vec::new();
    queries(&dashboard(), &mut found);
    assert!(found.len() >= 8, "{found:?}");
    let names: BTreeSet<&str> = metrics::words().map(|family| family.name).collect();
    for query in &found {
        let mut asked = words(query).filter(|word| word.starts_with("plimsoll_")).peekable();
        assert!(asked.peek().is_some(), "{query}");
        for name in asked {
            let family =
                ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            assert!(names.contains(family), "{name} of {query} is not exposed");
        }
    }
}

#[test]
fn every_label_that_it_shows_is_one() {
    let labels: BTreeSet<&str> =
        metrics::words().flat_map(|family| family.labels).copied().chain(["instance", "le"]).collect();
    let text = dashboard().to_string();
    for after in text.split("{{").skip(1) {
        let label = after.split("}}").next().unwrap();
        assert!(labels.contains(label), "{label}");
    }
}

#[test]
fn names_follow_the_conventions_of_prometheus() {
    for family in metrics::words() {
        let is_counter = family.form == metrics::Form::Counter;
        assert_eq!(family.name.ends_with("_total"), is_counter, "{}", family.name);
        let of = family.name.trim_end_matches("_total");
        assert_eq!(family.unit == "s", of.ends_with("_seconds"), "{}", family.name);
        assert_eq!(family.unit == "By", of.ends_with("_bytes"), "{}", family.name);
        assert!(family.help.ends_with('.') && !family.help.contains('\n'), "{}", family.help);
        assert!(!family.labels.contains(&"job"), "a scraper's own label is `job`: {}", family.name);
    }
}

/// Returns the guide's table of metrics, made from the rows.
fn table() -> String {
    let mut table = String::from("| name | labels | what |\n|---|---|---|\n");
    for family in metrics::words() {
        let labels: Vec<String> = family.labels.iter().map(|label| format!("`{label}`")).collect();
        table += &format!("| `{}` | {} | {} |\n", family.name, labels.join(", "), family.help);
    }
    table
}

#[test]
fn the_guide_lists_what_is_exposed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/metrics.md");
    let guide = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = guide.split_once("<!-- metrics:begin -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- metrics:end -->").unwrap();
    let fresh = format!("{before}<!-- metrics:begin -->\n{}<!-- metrics:end -->{after}", table());
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert!(
        guide == fresh || std::env::var_os("PLIMSOLL_REGENERATE").is_some(),
        "docs/guide/metrics.md is stale: PLIMSOLL_REGENERATE=1 ./dev test guide_lists"
    );
}
