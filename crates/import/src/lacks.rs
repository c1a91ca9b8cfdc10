//! Data that another tool's output does not contain, listed so that nobody mistakes an import for a measurement.

use record::{
    Along, Measure, Metric, ObservedDevice, ObservedMachine, ReportedDirection, ReportedLatency,
    ReportedPart, Scope,
};

use super::found::ImportedResult;

/// Returns the data that `found` lacks, in words that follow "it does not hold".
pub(crate) fn lacks(found: &ImportedResult) -> Vec<String> {
    match &found.observed {
        Some(observed) => of_a_machine(observed, &found.tool),
        None if !found.samples.is_empty() => of_counters(),
        None => of_results(&found.parts),
    }
}

fn of_a_machine(observed: &ObservedMachine, tool: &str) -> Vec<String> {
    let waits = [Metric::ReadAwait, Metric::WriteAwait, Metric::Await];
    let timed = |device: &ObservedDevice| device.metrics.iter().any(|(metric, _)| waits.contains(metric));
    let no = [
        (observed.devices.is_empty(), "devices"),
        (!observed.devices.is_empty() && !observed.devices.iter().any(timed), waits_of(tool)),
        (observed.cpu.is_empty(), "the CPUs"),
        (true, "latency percentiles"),
        (true, "which device stands on which"),
        (true, "what was asked"),
    ];
    no.into_iter().filter(|(missing, _)| *missing).map(|(_, what)| what.to_owned()).collect()
}

fn waits_of(tool: &str) -> &'static str {
    if tool.starts_with("iostat") { "waits (iostat -x prints them)" } else { "waits" }
}

/// Returns the data that counters of devices alone lack.
fn of_counters() -> Vec<String> {
    let no = ["the CPUs", "latency percentiles", "which device stands on which", "what was asked"];
    no.map(str::to_owned).to_vec()
}

/// Returns the data that the results in `parts` lack.
pub(crate) fn of_results(parts: &[ReportedPart]) -> Vec<String> {
    let ways = || parts.iter().flat_map(|part| &part.directions);
    let latencies = || ways().flat_map(|way| &way.latencies);
    let has_series = |test: fn(Measure) -> bool| {
        parts.iter().flat_map(|part| &part.series).any(|series| test(series.measure))
    };
    let over_time = parts.iter().flat_map(|part| &part.series).any(|series| series.along != Along::Request);
    let per_request = |measure| matches!(measure, Measure::TotalLatency | Measure::CompletionLatency);
    let histograms = has_series(|measure| measure == Measure::Histogram);
    let is_empty = |part: &ReportedPart| part.scope == Scope::Whole && part.directions.is_empty();
    let no = [
        (ways().next().is_none() || parts.iter().any(is_empty), "totals"),
        (ways().next().is_some() && !ways().any(has_rate), "rates"),
        (latencies().next().is_none() && !has_series(per_request), "latencies"),
        (!latencies().any(has_percentiles), "latency percentiles"),
        (!latencies().any(|latency| !latency.bins.is_empty()) && !histograms, "a latency histogram"),
        (!over_time, "a series over time"),
        (!asked(parts), "what was asked"),
        (!parts.iter().any(|part| part.scope == Scope::Disk), "counters of the devices"),
        (true, "facts about the machine and the target"),
    ];
    no.into_iter().filter(|(missing, _)| *missing).map(|(_, what)| what.to_owned()).collect()
}

fn has_rate(way: &ReportedDirection) -> bool {
    way.iops.is_some() || way.bytes_per_second.is_some()
}

fn has_percentiles(latency: &ReportedLatency) -> bool {
    !latency.percentiles.is_empty()
}

/// Whether the options of a job are known.
fn asked(parts: &[ReportedPart]) -> bool {
    parts.iter().any(|part| part.asked.len() > 1 || part.asked_for("command").is_some())
}
