//! The objects within fio's JSON: directions, latencies, shares, disks.

use record::{Figure, LatencyKind, ReportedDirection, ReportedLatency, ReportedPart, ReportedUnit, Scope};
use serde_json::Value;
use workload::Direction;

use super::super::fields::{Fields, figure};
use super::super::found::{add, set};
use super::super::trouble::Troubles;
use super::figures::{CPU, DISK, SAMPLES};

type JobFigure = (String, ReportedUnit, Figure);

/// Most I/Os that a run can have; a greater count is damage.
const MOST_COUNT: u64 = 1 << 50;

/// Reads the directions in which anything completed; `unit` is the number of bytes in one of `io_bytes`, if nothing
/// beside shows it.
pub(super) fn ways(job: &Fields<'_>, unit: f64, troubles: &mut Troubles) -> Vec<ReportedDirection> {
    let kinds = [
        ("read", Some(Direction::Read)),
        ("write", Some(Direction::Write)),
        ("trim", Some(Direction::Trim)),
        ("mixed", None),
    ];
    let objects = kinds.into_iter().filter_map(|(key, direction)| Some((job.object(key)?, direction)));
    let mut found: Vec<ReportedDirection> =
        objects.filter_map(|(fields, direction)| way(&fields, direction, unit, troubles)).collect();
    found.extend(job.object("sync").and_then(|fields| sync(&fields, troubles)));
    found
}

fn is_zero(figure: &Option<Figure>) -> bool {
    figure.as_ref().is_none_or(|figure| figure.value == 0.0)
}

fn way(
    fields: &Fields<'_>,
    direction: Option<Direction>,
    unit: f64,
    troubles: &mut Troubles,
) -> Option<ReportedDirection> {
    let mut way = ReportedDirection::new(direction);
    // fio before 2.21, whose `io_bytes` are KiB, has none of these beside it.
    let newer = ["io_kbytes", "bw_bytes", "slat_ns", "clat_ns", "lat_ns"];
    let unit = if newer.iter().any(|key| fields.map.contains_key(*key)) { 1.0 } else { unit };
    way.bytes = fields.number("io_bytes", unit, troubles);
    set(&mut way.bytes, fields.number("io_kbytes", 1024.0, troubles));
    way.ops = fields.number("total_ios", 1.0, troubles);
    way.iops = fields.number("iops", 1.0, troubles);
    way.bytes_per_second = fields.number("bw_bytes", 1.0, troubles);
    set(&mut way.bytes_per_second, fields.number("bw", 1024.0, troubles));
    if [&way.bytes, &way.ops, &way.iops, &way.bytes_per_second].into_iter().all(is_zero) {
        return None;
    }
    way.runtime = fields.number("runtime", 1e6, troubles);
    for (name, kind) in
        [("slat", LatencyKind::Submission), ("clat", LatencyKind::Completion), ("lat", LatencyKind::Total)]
    {
        way.latencies.extend(latency(fields, name, kind, troubles));
    }
    samples(fields, &mut way, troubles);
    for (key, name) in [("short_ios", "short"), ("drop_ios", "dropped")] {
        add(&mut way.figures, name, ReportedUnit::Count, fields.number(key, 1.0, troubles));
    }
    Some(way)
}

/// Reads `clat_ns` in nanoseconds or, before fio 2.99, `clat` in microseconds; `None` if it has no values.
fn latency(
    fields: &Fields<'_>,
    name: &str,
    kind: LatencyKind,
    troubles: &mut Troubles,
) -> Option<ReportedLatency> {
    let (fields, factor) = match fields.object(&format!("{name}_ns")) {
        Some(fields) => (fields, 1.0),
        None => (fields.object(name)?, 1e3),
    };
    let mut latency = ReportedLatency::new(kind);
    latency.count = fields.number("N", 1.0, troubles);
    [latency.min, latency.max, latency.mean, latency.stddev] =
        ["min", "max", "mean", "stddev"].map(|key| fields.number(key, factor, troubles));
    let nothing = is_zero(&latency.max) && is_zero(&latency.mean);
    if latency.count.as_ref().map_or(nothing, |count| count.value == 0.0) {
        return None;
    }
    latency.percentiles = percentiles(&fields, factor, troubles);
    latency.bins = bins(&fields, factor, troubles);
    Some(latency)
}

/// Reads the percentiles; fio 2.x pads the list with `"0.00": 0`.
fn percentiles(fields: &Fields<'_>, factor: f64, troubles: &mut Troubles) -> Vec<(f64, Figure)> {
    let Some(list) = fields.object("percentile") else { return Vec::new() };
    let keys = list.map.keys().filter(|key| !key.starts_with("0.00"));
    let mut found: Vec<(f64, Figure)> = keys
        .filter_map(|key| {
            let percent = key.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent))?;
            Some((percent, list.number(key, factor, troubles)?))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

fn bins(fields: &Fields<'_>, factor: f64, troubles: &mut Troubles) -> Vec<(u64, u64)> {
    let Some(list) = fields.object("bins") else { return Vec::new() };
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (key, value) in list.map {
        let place: Option<u64> = key.parse().ok();
        match (place, value.as_u64().filter(|&count| count < MOST_COUNT)) {
            (Some(place), Some(count)) => found.push((place.saturating_mul(factor as u64), count)),
            _ => {
                let _ = list.number(key, f64::INFINITY, troubles);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Reads fio's samples of rate and bandwidth; adds nothing if there are no samples.
fn samples(fields: &Fields<'_>, way: &mut ReportedDirection, troubles: &mut Troubles) {
    let none = |key: &str| fields.map.get(key).and_then(Value::as_f64) == Some(0.0);
    for (key, name, unit, factor) in SAMPLES {
        let silent = if key.starts_with("bw") {
            none("bw_samples") || (none("bw_max") && none("bw_mean"))
        } else {
            none("iops_samples")
        };
        if !silent {
            add(&mut way.figures, name, unit, fields.number(key, factor, troubles));
        }
    }
}

/// Reads the flushes: count and latency.
fn sync(fields: &Fields<'_>, troubles: &mut Troubles) -> Option<ReportedDirection> {
    let mut way = ReportedDirection::new(Some(Direction::Flush));
    way.ops = fields.number("total_ios", 1.0, troubles);
    way.latencies.extend(latency(fields, "lat", LatencyKind::Total, troubles));
    (!is_zero(&way.ops) || !way.latencies.is_empty()).then_some(way)
}

/// Returns CPU, depths, latency bands, errors and targets of a job.
pub(super) fn job_figures(job: &Fields<'_>, troubles: &mut Troubles) -> Vec<JobFigure> {
    use ReportedUnit::{Count, Nanoseconds, Percent};
    let rows = [
        ("job_runtime", "runtime.summed", Nanoseconds, 1e6),
        ("total_err", "errors.total", Count, 1.0),
        ("first_error", "errors.first", Count, 1.0),
        ("latency_depth", "target.depth", Count, 1.0),
        ("latency_target", "target.latency", Nanoseconds, 1.0),
        ("latency_percentile", "target.percentile", Percent, 1.0),
        ("latency_window", "target.window", Nanoseconds, 1e3),
    ];
    let plain = CPU.into_iter().chain(rows).filter_map(|(key, name, unit, factor)| {
        Some((name.to_owned(), unit, job.number(key, factor, troubles)?))
    });
    let mut found: Vec<JobFigure> = plain.collect();
    for (key, name, zeros) in [
        ("iodepth_level", "depth", true),
        ("iodepth_submit", "submit", true),
        ("iodepth_complete", "complete", true),
        ("latency_ns", "latency_ns", false),
        ("latency_us", "latency_us", false),
        ("latency_ms", "latency_ms", false),
    ] {
        let Some(list) = job.object(key) else { continue };
        for (edge, value) in list.map {
            match figure(value, 1.0) {
                Some(share) if zeros || share.value != 0.0 => {
                    found.push((format!("{name}.{edge}"), Percent, share))
                }
                Some(_) => {}
                None => drop(list.number(edge, 1.0, troubles)),
            }
        }
    }
    found
}

/// Reads the counters of a device.
pub(super) fn disk(fields: &Fields<'_>, troubles: &mut Troubles) -> ReportedPart {
    let mut part = ReportedPart::named(Scope::Disk, fields.word("name").unwrap_or_default(), fields.line());
    for (prefix, below) in [("", ""), ("aggr_", "members.")] {
        for (key, name, unit, factor) in DISK {
            let figure = fields.number(&format!("{prefix}{key}"), factor, troubles);
            add(&mut part.figures, format!("{below}{name}"), unit, figure);
        }
    }
    part
}
