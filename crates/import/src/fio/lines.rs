//! The lines of one job in fio's text: rates, latencies, percentiles, bands, depths, counts.

use record::{Figure, LatencyKind, NamedFigure, ReportedLatency, ReportedUnit};
use workload::Direction;

use super::super::found::{add, latency, set, way};
use super::super::pieces::near;
use super::super::quantity::{self, Prefixes};
use super::super::scan::{Entry, blanks, entries, matched, word_end};
use super::figures::CPU;
use super::walk::{Kind, Label, Style, Walk};

/// Longest line of fio, in bytes; a longer one lacks its end.
const LINE: usize = 4096;

const NUMBER: &str = "a number";

/// Reads the text after a label of a job; returns its end, or `None` if the text does not fit the label, which was
/// then an ordinary word.
pub(super) fn read(walk: &mut Walk<'_>, label: Label, at: usize) -> Option<usize> {
    match label {
        Label::Way(direction) => direction_line(walk, direction, at),
        Label::Percentiles(kind) => percentiles(walk, kind, at),
        Label::Latency(kind) => latency_line(walk, kind, at),
        Label::PriorityPercentiles => priorities(walk, at),
        Label::Bandwidth => bandwidth(walk, at),
        Label::IopsSamples => samples(walk, "iops", at, |value| quantity::scaled(value, 1.0)),
        Label::Cpu => cpu(walk, at),
        Label::Shares(name) => shares(walk, name, at),
        Label::Issued => issued(walk, at),
        Label::Errors => errors(walk, at),
        Label::Target => target(walk, at),
        Label::SyncHead => {
            walk.way = Some(Direction::Flush);
            Some(at + near(walk.plain(), at, LINE).find(':').map_or(0, |colon| colon + 1))
        }
        Label::Steady => Some(entries(walk.plain(), at).1.max(word_end(walk.plain(), at))),
        Label::Description => description(walk, at),
        Label::Group | Label::GroupWay(_) | Label::Disks | Label::Eta => None,
    }
}

/// Skips the live line up to the last of its brackets; its first print has none.
pub(super) fn eta(walk: &Walk<'_>, at: usize) -> Option<usize> {
    let plain = walk.plain();
    let line = near(plain, at, LINE).split('\n').next().unwrap_or_default();
    let Some(open) = line.find('[') else {
        return line.trim_end().ends_with(')').then_some(at + line.len());
    };
    let mut end = at + open;
    while plain[end..].starts_with('[') {
        end = blanks(plain, end + near(plain, end, LINE).find(']')? + 1);
    }
    Some(end)
}

/// Reads `io=3070.5MB, bw=132862KB/s, iops=33215 , runt= 23665msec` or
/// `IOPS=77.1k, BW=301MiB/s (316MB/s)(603MiB/2001msec)`.
fn direction_line(walk: &mut Walk<'_>, direction: Option<Direction>, at: usize) -> Option<usize> {
    let text = walk.text;
    let (list, end) = entries(&text.plain, at);
    let Some(first) = list.first() else {
        // What is below it is this direction's all the same.
        let line = near(&text.plain, at, LINE).split('\n').next().unwrap_or_default();
        if ["IOPS=", "BW=", "io=", "bw="].iter().any(|key| line.contains(key)) {
            walk.way = direction;
        }
        return None;
    };
    walk.way = direction;
    walk.style = Some(if matches!(first.key, "IOPS" | "BW") { Style::New } else { Style::Old });
    let prefixes = walk.prefixes();
    let mut runtime = None;
    for entry in &list {
        let figure = match entry.key {
            "io" => walk.take(entry, "a size like 3070.5MB", |v| quantity::bytes(v, prefixes)),
            "bw" | "BW" => walk.take(entry, "a rate like 132862KB/s", |v| quantity::byte_rate(v, prefixes)),
            "iops" | "IOPS" => walk.take(entry, "a number like 33215", |v| quantity::scaled(v, 1.0)),
            "runt" => walk.take(entry, "a time like 23665msec", quantity::time),
            other => {
                walk.expected(entry, format!("io, bw, iops or runt instead of '{other}'"));
                continue;
            }
        };
        if entry.key == "runt" {
            runtime.clone_from(&figure);
        }
        let Some(job) = walk.job() else { continue };
        let way = way(job, direction);
        let place = match entry.key {
            "io" => &mut way.bytes,
            "bw" | "BW" => &mut way.bytes_per_second,
            "iops" | "IOPS" => &mut way.iops,
            _ => &mut way.runtime,
        };
        set(place, figure);
    }
    let wanted: &[&str] =
        if walk.style == Some(Style::New) { &["IOPS", "BW"] } else { &["io", "bw", "iops", "runt"] };
    note_lost(walk, &list, wanted);
    let end = brackets(walk, end, &mut runtime);
    note_runtime(walk, runtime.as_ref());
    Some(end)
}

/// Adds a note on words that fio always prints on such a line but that a page has lost.
fn note_lost(walk: &mut Walk<'_>, list: &[Entry<'_>], wanted: &[&str]) {
    let Some(first) = list.first() else { return };
    // What stands further on in the line is not lost, but could not be read.
    let rest = near(walk.plain(), first.at, LINE).split('\n').next().unwrap_or_default();
    let is_lost =
        |key: &&str| list.iter().all(|entry| entry.key != *key) && !rest.contains(&format!("{key}="));
    let lost: Vec<&str> = wanted.iter().copied().filter(is_lost).collect();
    if lost.is_empty() {
        return;
    }
    let line = walk.text.line(first.at);
    let name = walk.job().map_or_else(String::new, |job| job.job.clone());
    if let Some(found) = walk.found.last_mut() {
        found.notes.push(format!("line {line}, job '{name}': the text has lost {}", lost.join(" and ")));
    }
}

/// Reads `(316MB/s)(603MiB/2001msec); 0 zone resets`: the rate again, the bytes and the time.
fn brackets(walk: &mut Walk<'_>, mut end: usize, runtime: &mut Option<Figure>) -> usize {
    let text = walk.text;
    while walk.style == Some(Style::New)
        && let Some(open) = matched(&text.plain, end, " (")
        && let Some(length) = near(&text.plain, open, LINE).find([')', '\n'])
    {
        let inside = &text.plain[open..open + length];
        end = (open + length + 1).min(text.plain.len());
        let Some((size, time)) = inside.split_once('/').filter(|(_, time)| *time != "s") else { continue };
        let (bytes, span) = (quantity::bytes(size, Prefixes::Named), quantity::time(time));
        if bytes.is_none() || span.is_none() {
            walk.troubles.push(text.trouble(open, "bytes and time like 603MiB/2001msec"));
        }
        *runtime = span;
        let (direction, span) = (walk.way, runtime.clone());
        if let Some(job) = walk.job() {
            let way = way(job, direction);
            set(&mut way.bytes, bytes);
            set(&mut way.runtime, span);
        }
    }
    let Some(number) = matched(&text.plain, end, " ; ") else { return end };
    let after = word_end(&text.plain, number);
    match matched(&text.plain, after, " zone resets") {
        Some(done) => {
            let figure = quantity::plain(&text.plain[number..after], 1.0);
            with_way(walk, |list| add(list, "zone_resets", ReportedUnit::Count, figure));
            done
        }
        None => end,
    }
}

/// Records a runtime: the job ran as long as the longest of its directions.
fn note_runtime(walk: &mut Walk<'_>, runtime: Option<&Figure>) {
    if let (Some(runtime), Some(job)) = (runtime, walk.job()) {
        job.runtime = job.runtime.max(Some(quantity::nanos(runtime)));
    }
}

/// Changes the figures of the current direction.
fn with_way(walk: &mut Walk<'_>, change: impl FnOnce(&mut Vec<NamedFigure>)) {
    let direction = walk.way;
    if let Some(job) = walk.job() {
        change(&mut way(job, direction).figures);
    }
}

/// Returns the factor of the unit and the offset past `usec):`.
fn unit(walk: &mut Walk<'_>, at: usize) -> Option<(f64, usize)> {
    let plain = walk.plain();
    let close = near(plain, at, 12).find(')')?;
    let name = plain[at..at + close].trim();
    let factor = quantity::time_unit(name);
    if factor.is_none() {
        walk.troubles.push(walk.text.trouble(at, "a unit: nsec, usec, msec or sec"));
    }
    Some((factor?, matched(plain, at + close, ") : ")?))
}

/// Reads `(usec): min=54, max=622, avg=135.46, stdev=23.21`, or bands of all I/Os: `(msec) : 10=0.01%, 20=0.03%`.
fn latency_line(walk: &mut Walk<'_>, kind: Kind, at: usize) -> Option<usize> {
    let name = near(walk.plain(), at, 12).split(')').next().unwrap_or_default().trim().to_owned();
    let (factor, at) = unit(walk, at)?;
    let text = walk.text;
    let (list, end) = entries(&text.plain, at);
    let first = list.first()?;
    if kind == Kind::Io(LatencyKind::Total) && first.key.trim_start_matches(">=").parse::<u32>().is_ok() {
        bands(walk, &name, &list);
        return Some(end);
    }
    note_lost(walk, &list, &["min", "max", "avg", "stdev"]);
    for entry in &list {
        let place: fn(&mut ReportedLatency) -> &mut Option<Figure> = match entry.key {
            "min" => |latency| &mut latency.min,
            "max" => |latency| &mut latency.max,
            "avg" => |latency| &mut latency.mean,
            "stdev" => |latency| &mut latency.stddev,
            other => {
                walk.expected(entry, format!("min, max, avg or stdev instead of '{other}'"));
                continue;
            }
        };
        let figure = walk.take(entry, "a time like 135.46", |value| quantity::scaled(value, factor));
        with_latency(walk, kind, |latency| set(place(latency), figure));
    }
    Some(end)
}

fn with_latency(walk: &mut Walk<'_>, kind: Kind, change: impl FnOnce(&mut ReportedLatency)) {
    let (direction, kind) = match kind {
        Kind::Io(kind) => (walk.way, kind),
        Kind::Sync => (Some(Direction::Flush), LatencyKind::Total),
    };
    if let Some(job) = walk.job() {
        change(latency(way(job, direction), kind));
    }
}

fn bands(walk: &mut Walk<'_>, unit: &str, list: &[Entry<'_>]) {
    for entry in list {
        let figure = walk.take(entry, "a share like 97.55%", quantity::percent);
        let name = format!("latency_{}.{}", unit.trim_end_matches("ec"), entry.key);
        walk.add(&name, ReportedUnit::Percent, figure);
    }
}

/// Reads `(usec): |  1.00th=[  101],  5.00th=[  155], …`.
fn percentiles(walk: &mut Walk<'_>, kind: Kind, at: usize) -> Option<usize> {
    let (factor, at) = unit(walk, at)?;
    let text = walk.text;
    let (list, end) = entries(&text.plain, at);
    for entry in &list {
        let percent = entry.key.strip_suffix("th").and_then(|number| number.parse::<f64>().ok());
        let Some(percent) = percent.filter(|percent| (0.0..=100.0).contains(percent)) else {
            walk.expected(entry, "a percentile like 99.00th=[  306]");
            continue;
        };
        let figure = walk.take(entry, "a time like [  306]", |value| quantity::scaled(value, factor));
        if let Some(figure) = figure {
            with_latency(walk, kind, |latency| latency.percentiles.push((percent, figure)));
        }
    }
    Some(end)
}

/// Skips the percentiles of I/Os of one priority, and adds a note.
fn priorities(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let plain = walk.plain();
    let line = near(plain, at, LINE).split('\n').next()?;
    let what = if line.contains("percentiles (") { "percentiles" } else { "latencies" };
    let colon = at + line.find("sec)")? + line[line.find("sec)")?..].find(':')?;
    let end = entries(plain, colon + 1).1;
    let note = format!("{what} by priority stand there too; they were left out");
    if let Some(found) = walk.found.last_mut().filter(|found| !found.notes.contains(&note)) {
        found.notes.push(note);
    }
    Some(end)
}

/// Reads `(KB  /s): min=137730, max=254485, per=100.00%, avg=195681.88, stdev=9590.24`.
fn bandwidth(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let plain = walk.plain();
    let close = near(plain, at, 16).find(')')?;
    let unit: String = plain[at..at + close].chars().filter(|c| !c.is_whitespace()).collect();
    let behind = matched(plain, at + close, ") : ")?;
    let Some(one) = quantity::byte_rate(&format!("1{unit}"), walk.prefixes()).map(|one| one.value) else {
        walk.troubles.push(walk.text.trouble(at, "a unit like KiB/s"));
        return None;
    };
    samples(walk, "bandwidth", behind, |value| quantity::scaled(value, one))
}

/// Reads the samples of a rate that fio took while the job ran.
fn samples(
    walk: &mut Walk<'_>,
    name: &str,
    at: usize,
    read: impl Fn(&str) -> Option<Figure>,
) -> Option<usize> {
    let text = walk.text;
    let (list, end) = entries(&text.plain, at);
    list.first().filter(|entry| entry.key == "min")?;
    let own = if name == "iops" { ReportedUnit::PerSecond } else { ReportedUnit::BytesPerSecond };
    for entry in &list {
        let (part, unit) = match entry.key {
            "min" => ("min", own),
            "max" => ("max", own),
            "avg" => ("mean", own),
            "stdev" => ("stddev", own),
            "per" => ("share", ReportedUnit::Percent),
            "samples" => ("samples", ReportedUnit::Count),
            _ => continue,
        };
        let figure = match unit {
            ReportedUnit::Percent => walk.take(entry, "a share like 98.58%", quantity::percent),
            ReportedUnit::Count => walk.take(entry, NUMBER, |value| quantity::plain(value, 1.0)),
            _ => walk.take(entry, NUMBER, &read),
        };
        with_way(walk, |list| add(list, format!("{name}.{part}"), unit, figure));
    }
    Some(end)
}

/// Reads `usr=14.62%, sys=45.22%, ctx=30449, majf=0, minf=17`.
fn cpu(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let (list, end) = entries(&walk.text.plain, at);
    list.first()?;
    for entry in &list {
        match CPU.iter().find(|(key, ..)| key.trim_end_matches("_cpu") == entry.key) {
            Some(&(_, name, unit, _)) => walk.named(entry, name, unit),
            None => walk.expected(entry, format!("usr, sys, ctx, majf or minf instead of '{}'", entry.key)),
        }
    }
    Some(end)
}

/// Reads `1=0.1%, 2=0.1%, …, >=64=0.0%`.
fn shares(walk: &mut Walk<'_>, name: &str, at: usize) -> Option<usize> {
    let (list, end) = entries(&walk.text.plain, at);
    list.first()?;
    for entry in &list {
        walk.named(entry, &format!("{name}.{}", entry.key), ReportedUnit::Percent);
    }
    Some(end)
}

/// Reads four forms: `r/w/d: total=1/2/0, short=0/0/0`, `: total=r=1/w=2/d=0, …`, `rwt: total=1,2,0, …`,
/// `rwts: total=1,2,0,3 …`.
fn issued(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let text = walk.text;
    let total = near(&text.plain, at, 24 + "total=".len()).find("total=").filter(|&length| length < 24)?;
    let (list, end) = entries(&text.plain, at + total);
    for entry in &list {
        let counts: Vec<&str> = entry.value.split(['/', ',']).filter(|count| !count.is_empty()).collect();
        for (index, count) in counts.into_iter().enumerate() {
            let digits = count.split_once('=').map_or(count, |(_, digits)| digits);
            let Some(figure) = quantity::plain(digits, 1.0) else {
                walk.expected(entry, format!("whole numbers after '{}='", entry.key));
                break;
            };
            let ways = [Direction::Read, Direction::Write, Direction::Trim, Direction::Flush];
            put_count(walk, entry.key, ways.get(index).copied(), figure);
        }
    }
    Some(end)
}

/// Adds a count to a direction that has figures; for any other direction, a zero means nothing.
fn put_count(walk: &mut Walk<'_>, key: &str, direction: Option<Direction>, figure: Figure) {
    let Some(job) = walk.job() else { return };
    if direction.is_none() || (job.of(direction).is_none() && figure.value == 0.0) {
        return;
    }
    // Counts of directions that fio has added up (unified_rw_reporting=1) are printed under the first direction.
    let is_mixed = job.of(direction).is_none() && job.directions.iter().all(|way| way.direction.is_none());
    let direction = if is_mixed && !job.directions.is_empty() { None } else { direction };
    let way = way(job, direction);
    match key {
        "total" => set(&mut way.ops, Some(figure)),
        "short" => add(&mut way.figures, "short", ReportedUnit::Count, Some(figure)),
        "drop" | "dropped" => add(&mut way.figures, "dropped", ReportedUnit::Count, Some(figure)),
        _ => {}
    }
}

/// Reads `total=0, first_error=0/<Success>`.
fn errors(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let (list, end) = entries(&walk.text.plain, at);
    list.first().filter(|entry| entry.key == "total")?;
    for entry in &list {
        let number = entry.value.split('/').next().unwrap_or_default();
        let name = if entry.key == "total" { "errors.total" } else { "errors.first" };
        walk.named(&Entry { value: number, ..*entry }, name, ReportedUnit::Count);
    }
    let line = near(walk.plain(), end, LINE).split('\n').next().unwrap_or_default();
    Some(end + line.find('>').map_or(0, |close| close + 1))
}

/// Reads `target=0, window=0, percentile=100.00%, depth=32`; times have units since fio 3.42.
fn target(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let (list, end) = entries(&walk.text.plain, at);
    list.first().filter(|entry| entry.key == "target")?;
    // Since 2.99 fio prints the target in nanoseconds, but the window still in microseconds.
    let target_unit = if walk.style == Some(Style::New) { 1.0 } else { 1e3 };
    let time = |value: &str, factor| quantity::time(value).or_else(|| quantity::scaled(value, factor));
    for entry in &list {
        let (name, factor) = match entry.key {
            "target" => ("target.latency", target_unit),
            "window" => ("target.window", 1e3),
            "percentile" => {
                walk.named(entry, "target.percentile", ReportedUnit::Percent);
                continue;
            }
            _ => {
                walk.named(entry, "target.depth", ReportedUnit::Count);
                continue;
            }
        };
        let figure = walk.take(entry, "a time", |value| time(value, factor));
        walk.add(name, ReportedUnit::Nanoseconds, figure);
    }
    Some(end)
}

/// Reads `[text]`.
fn description(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let plain = walk.plain();
    let inside = plain.get(at..)?.strip_prefix('[')?;
    let line = near(inside, 0, LINE).split('\n').next().unwrap_or_default();
    let length = line.rfind(']')?;
    let words = line[..length].to_owned();
    if let Some(job) = walk.job() {
        job.said.push(("description".to_owned(), words));
    }
    Some(at + length + 2)
}
