//! fio's JSON of 2.x and 3.x, JSON+ with its histograms, and the joint output of several clients.

use record::{PRINTED_AT, ReportedPart, Scope};
use serde_json::Value;

use super::super::documents::Document;
use super::super::fields::Fields;
use super::super::found::{ImportedResult, add};
use super::super::text::Text;
use super::super::trouble::Troubles;
use super::figures::{error, longest};
use super::json_parts::{disk, job_figures, ways};

/// Memory that a pair of words takes in addition to its characters, in bytes.
const REPEATED: usize = 48;
/// Most options read: more than fio has.
const OPTIONS_MOST: usize = 512;

/// Whether a document is fio's.
pub(crate) fn is_fio(document: &Document) -> bool {
    let has = |key| document.value.get(key).is_some();
    let listed = || document.value["jobs"].is_array() && !has("sysstat");
    has("fio version") || has("client_stats") || listed() || is_job(&document.value)
}

/// Whether a value is a job without the document around it.
fn is_job(value: &Value) -> bool {
    let has = |key| value.get(key).is_some();
    has("jobname") && (has("read") || has("write") || has("trim") || has("mixed"))
}

/// Reads one document as a result.
pub(crate) fn json(document: &Document, text: &Text, troubles: &mut Troubles) -> Option<ImportedResult> {
    let root = Fields::root(&document.value, text, document.at)?;
    let mut found = ImportedResult { at: document.at, ..ImportedResult::default() };
    let version = root.word("fio version").unwrap_or_default();
    let unit = if is_in_bytes(version) { 1.0 } else { 1024.0 };
    let global = options(root.object("global options").as_ref());
    for fields in root.objects("jobs").into_iter().chain(root.objects("client_stats")) {
        if !text.bounds.keeps_part() {
            continue;
        }
        let bytes = global.iter().map(|(option, value)| option.len() + value.len() + REPEATED).sum();
        let common = if text.may_repeat(bytes) { global.as_slice() } else { &[] };
        found.parts.push(job(&fields, common, unit, troubles));
    }
    if is_job(&document.value) {
        found.parts.push(job(&root, &[], unit, troubles));
        let line = text.raw_place(document.at).0;
        found.notes.push(format!(
            "line {line}: the document around this job is not there, or not whole: its version, time and global options are not known"
        ));
    }
    if found.parts.is_empty() {
        let expected = "'jobs' with at least one job in fio's JSON";
        troubles.push(text.raw_trouble(document.at, expected, ""));
    }
    for fields in root.objects("disk_util") {
        if text.bounds.keeps_part() {
            found.parts.push(disk(&fields, troubles));
        }
    }
    let seconds = root.number("timestamp", 1e3, troubles);
    let printed = root.number("timestamp_ms", 1.0, troubles).or(seconds);
    found.printed_unix_ms = printed.map(|time| time.value.max(0.0) as u64);
    let time = root.word("time").map(|time| time.trim().to_owned()).or_else(|| date(found.printed_unix_ms?));
    if let (Some(time), Some(first)) = (time, found.parts.first_mut()) {
        first.said.push((PRINTED_AT.to_owned(), time));
    }
    found.started_unix_ms = started(&root, troubles);
    found.tool = tool(&root, &found);
    Some(found)
}

/// Whether a version such as `fio-3.36-17-gafdde5` counts `io_bytes` in bytes: fio does since 2.21.
fn is_in_bytes(version: &str) -> bool {
    let numbers =
        version.trim_start_matches("fio-").split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    numbers.take(2).ge([2, 21])
}

/// Returns a time in milliseconds since 1970 as fio prints a date, `Sat Jan 13 06:24:16Z 2024`.
fn date(unix_ms: u64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).ok()?).ok()?;
    Some(time.strftime("%a %b %e %H:%M:%SZ %Y").to_string())
}

/// Returns `fio 3.33 JSON`, or `JSON+` if there are histograms.
fn tool(root: &Fields<'_>, found: &ImportedResult) -> String {
    let version = root.word("fio version").unwrap_or("fio of an unknown version");
    let bins = found.parts.iter().flat_map(|part| &part.directions).flat_map(|way| &way.latencies);
    let form = if bins.into_iter().any(|latency| !latency.bins.is_empty()) { "JSON+" } else { "JSON" };
    format!("{} {form}", version.replacen("fio-", "fio ", 1))
}

/// Returns the start of the first job, in milliseconds since 1970; 0 if fio (before 3.36) does not print it.
fn started(root: &Fields<'_>, troubles: &mut Troubles) -> u64 {
    let jobs = root.objects("jobs");
    let starts = jobs.iter().filter_map(|job| job.number("job_start", 1.0, troubles));
    starts.map(|start| start.value as u64).min().unwrap_or(0)
}

fn options(fields: Option<&Fields<'_>>) -> Vec<(String, String)> {
    let pairs = fields.into_iter().flat_map(|fields| fields.map.iter());
    pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// Reads a job; `unit` is the number of bytes in one of its `io_bytes`, if nothing beside shows it.
fn job(fields: &Fields<'_>, global: &[(String, String)], unit: f64, troubles: &mut Troubles) -> ReportedPart {
    let name = fields.word("jobname").unwrap_or_default();
    let scope = if name == "All clients" { Scope::Whole } else { Scope::Job };
    let mut part = ReportedPart::named(scope, name, fields.line());
    part.group = fields.number("groupid", 1.0, troubles).map(|figure| figure.value.max(0.0) as u32);
    part.asked = options(fields.object("job options").as_ref());
    let own = part.asked.len();
    let known: std::collections::HashSet<String> =
        part.asked.iter().map(|(option, _)| option.clone()).collect();
    part.asked.extend(global.iter().filter(|(option, _)| !known.contains(option)).cloned());
    part.asked.truncate(own.max(OPTIONS_MOST));
    part.error = fields.number("error", 1.0, troubles).and_then(|code| error(code.value));
    for (key, name) in [("hostname", "host"), ("desc", "description")] {
        if let Some(word) = fields.word(key) {
            part.said.push((name.to_owned(), word.to_owned()));
        }
    }
    part.directions = ways(fields, unit, troubles);
    part.runtime = longest(&part);
    for (name, unit, figure) in job_figures(fields, troubles) {
        add(&mut part.figures, name, unit, Some(figure));
    }
    part
}
