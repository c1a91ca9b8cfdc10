//! Helpers of these tests: read a text, find a figure by its path, compare it with what was typed in.

use import::{Import, Input, read};
use record::{Figure, LatencyKind, Origin, ReportedPart, Run};
use workload::Direction;

/// Reads everything in `text`.
pub fn imported(text: &str) -> Import {
    named("input.txt", text)
}

/// Reads everything in a file of this name.
pub fn named(name: &str, text: &str) -> Import {
    read(Input { name, bytes: text.as_bytes() }, &[]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the words of the refusal.
pub fn refused(text: &str) -> String {
    match read(Input { name: "input.txt", bytes: text.as_bytes() }, &[]) {
        Ok(import) => panic!("read as {:?}", tools(&import)),
        Err(error) => error.to_string(),
    }
}

/// Returns the tool of a run.
pub fn tool(run: &Run) -> &str {
    match &run.origin {
        Origin::Imported { tool, .. } => tool,
        Origin::Measured => panic!("not imported"),
    }
}

/// Returns the tools of all runs.
pub fn tools(import: &Import) -> Vec<&str> {
    import.runs.iter().map(tool).collect()
}

/// Returns what a run lacks.
pub fn lacks(run: &Run) -> Vec<&str> {
    match &run.origin {
        Origin::Imported { lacks, .. } => lacks.iter().map(String::as_str).collect(),
        Origin::Measured => panic!("not imported"),
    }
}

/// Returns the part of that name.
pub fn part<'r>(run: &'r Run, name: &str) -> &'r ReportedPart {
    let found = run.reported.iter().find(|part| part.job == name);
    found.unwrap_or_else(|| panic!("no part '{name}' in {:?}", names(run)))
}

fn names(run: &Run) -> Vec<&str> {
    run.reported.iter().map(|part| part.job.as_str()).collect()
}

/// Returns a figure by its path: `read iops`, `write clat mean`, `read lat p99`, `all short`, or a name of
/// the part's own figures.
pub fn figure<'r>(part: &'r ReportedPart, path: &str) -> Option<&'r Figure> {
    let words: Vec<&str> = path.split(' ').collect();
    let direction = match words[0] {
        "read" => Some(Direction::Read),
        "write" => Some(Direction::Write),
        "trim" => Some(Direction::Trim),
        "flush" => Some(Direction::Flush),
        "all" => None,
        own => return part.figure(own),
    };
    let way = part.of(direction)?;
    let kind = match words[1] {
        "bytes" => return way.bytes.as_ref(),
        "ops" => return way.ops.as_ref(),
        "iops" => return way.iops.as_ref(),
        "rate" => return way.bytes_per_second.as_ref(),
        "runtime" => return way.runtime.as_ref(),
        "slat" => LatencyKind::Submission,
        "clat" => LatencyKind::Completion,
        "lat" => LatencyKind::Total,
        own => return way.figure(own),
    };
    let latency = way.latency(kind)?;
    match words[2] {
        "min" => latency.min.as_ref(),
        "max" => latency.max.as_ref(),
        "mean" => latency.mean.as_ref(),
        "stddev" => latency.stddev.as_ref(),
        "count" => latency.count.as_ref(),
        percent => latency.percentile(percent.strip_prefix('p')?.parse().unwrap()),
    }
}

/// Returns the worth of one `unit` in base units.
pub fn worth(unit: &str) -> f64 {
    match unit {
        "" | "%" | "B" | "ns" | "B/s" => 1.0,
        "KiB" | "KiB/s" => 1024.0,
        "MiB" | "MiB/s" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "kB" | "kB/s" => 1000.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => panic!("'{other}' is no unit of this table"),
    }
}

/// One row of a table typed in by hand: part, path, value, unit.
pub type Row = (&'static str, &'static str, f64, &'static str);

/// Panics unless `run` holds every row as typed in.
pub fn holds(run: &Run, rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|&(name, path, value, unit)| {
            let wanted = value * worth(unit);
            let found = figure(part(run, name), path);
            let right = found.is_some_and(|found| (found.value - wanted).abs() <= wanted.abs() * 1e-12);
            (!right).then(|| format!("{name}, {path}: {value} {unit}, found {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} figures:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Returns every figure of a part with its path.
pub fn figures(part: &ReportedPart) -> Vec<(String, Figure)> {
    let mut found: Vec<(String, Figure)> =
        part.figures.iter().map(|named| (named.name.clone(), named.figure.clone())).collect();
    for way in &part.directions {
        let word = way.direction.map_or("all", Direction::name);
        let rates =
            [("bytes", &way.bytes), ("ops", &way.ops), ("iops", &way.iops), ("rate", &way.bytes_per_second)];
        let own = rates.into_iter().chain([("runtime", &way.runtime)]);
        found.extend(own.filter_map(|(name, figure)| Some((format!("{word} {name}"), figure.clone()?))));
        found
            .extend(way.figures.iter().map(|named| (format!("{word} {}", named.name), named.figure.clone())));
        for latency in &way.latencies {
            let kind = match latency.kind {
                LatencyKind::Submission => "slat",
                LatencyKind::Completion => "clat",
                LatencyKind::Total => "lat",
            };
            let moments = [
                ("min", &latency.min),
                ("max", &latency.max),
                ("mean", &latency.mean),
                ("stddev", &latency.stddev),
            ];
            found.extend(
                moments
                    .into_iter()
                    .filter_map(|(name, figure)| Some((format!("{word} {kind} {name}"), figure.clone()?))),
            );
            found.extend(
                latency
                    .percentiles
                    .iter()
                    .map(|(percent, figure)| (format!("{word} {kind} p{percent}"), figure.clone())),
            );
        }
    }
    found
}

/// Panics if a figure of `poorer` differs from that of `richer` by more than its last digit allows, or is
/// missing there. Returns how many were compared.
pub fn agree(poorer: &Run, richer: &Run, left_out: &[&str]) -> usize {
    let (mut compared, mut wrong) = (0, Vec::new());
    for mine in poorer.reported.iter().filter(|part| part.scope != record::Scope::Group) {
        let theirs = part(richer, &mine.job);
        for (path, value) in figures(mine) {
            if left_out.contains(&path.as_str()) {
                continue;
            }
            compared += 1;
            let other = figure(theirs, &path);
            // A printed figure is rounded, cut or (percentiles) rounded up: it is off by less than one of its last digit.
            let near = other
                .is_some_and(|other| (value.value - other.value).abs() <= value.step.max(other.step) * 1.01);
            if !near {
                wrong.push(format!("{}, {path}: {value:?} beside {other:?}", mine.job));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    compared
}
