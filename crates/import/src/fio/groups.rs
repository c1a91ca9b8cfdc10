//! The lines of fio's text that cover several jobs: groups, and the disks below them.

use record::{Figure, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::super::found::{add, set, way as way_of};
use super::super::pieces::near;
use super::super::quantity::{self, Prefixes};
use super::super::scan::{Entry, entries, matched, word_end};
use super::walk::{Style, Walk};

/// Reads `Run status group 0 (all jobs):`.
pub(super) fn group(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let text = walk.text;
    let digits = text.plain[at..].bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = text.plain[at..at + digits].parse().ok()?;
    // A repeated group number is from another run: pages put the last lines of several runs below one another.
    let of_group = |part: &ReportedPart| part.scope == Scope::Group && part.group == Some(number);
    let is_kept = text.bounds.parts_beyond() == 0;
    if walk.open && is_kept && walk.found.last().is_some_and(|found| found.parts.iter().any(of_group)) {
        walk.open_at(at);
    }
    walk.closing = true;
    let mut part = ReportedPart::named(Scope::Group, format!("group {number}"), text.line(at));
    part.group = Some(number);
    let found = walk.found.last_mut()?;
    if walk.is_below && found.parts.iter().all(|part| part.scope != Scope::Job) {
        found.notes.extend(walk.before.ask(&mut part, text));
    }
    text.bounds.add(&mut found.parts, part);
    Some(matched(&text.plain, at + digits, " (all jobs) : ").unwrap_or(at + digits))
}

/// Returns the current group, if it is kept.
fn current<'w>(walk: &'w mut Walk<'_>) -> Option<&'w mut ReportedPart> {
    (walk.text.bounds.parts_beyond() == 0).then_some(())?;
    walk.found.last_mut()?.parts.iter_mut().rev().find(|part| part.scope == Scope::Group)
}

/// Whether the line of a direction whose label ends at `behind` is not the current result's: fio prints directions in one
/// order, directly below each other. The lines of another file, as `grep` names it, are another run's too.
pub(super) fn is_of_another(walk: &mut Walk<'_>, direction: Option<Direction>, behind: usize) -> bool {
    let rank = |direction: Option<Direction>| (direction.is_none(), direction);
    let last = match current(walk) {
        Some(group) if group.directions.is_empty() => return false,
        group => group.and_then(|group| group.directions.last()).map(|way| rank(way.direction)),
    };
    let plain = walk.plain();
    let start = plain[..behind].rfind('\n').map_or(0, |end| end + 1);
    let above = plain[..start].trim_end();
    let line_above = above.rsplit('\n').next().unwrap_or_default().trim_start();
    // The words of a line that a page has wrapped have equals signs.
    let is_apart = walk.text.line(above.len()) > walk.last_line && !line_above.contains('=');
    let is_label = |c: char| c.is_ascii_uppercase() || c == ':';
    let file = plain[start..behind].trim_end().trim_end_matches(is_label).trim();
    let is_elsewhere = file.ends_with(':') && !file.contains(' ') && !line_above.starts_with(file);
    let is_again = last.is_some_and(|last| last >= rank(direction));
    // Jobs of a further group show that the line is still their result's.
    let is_next = is_again && !is_apart && !is_elsewhere && next_of_jobs(walk).is_some();
    if is_next {
        add_group(walk, behind);
    }
    let is_another = !is_next && (is_again || is_apart || is_elsewhere);
    walk.closing |= is_another;
    is_another
}

/// Returns the number of the first group of the result's jobs that has no lines yet.
fn next_of_jobs(walk: &Walk<'_>) -> Option<u32> {
    let parts = &walk.found.last()?.parts;
    let groups = |scope| parts.iter().filter(move |part| part.scope == scope).filter_map(|part| part.group);
    groups(Scope::Job).filter(|job| groups(Scope::Group).all(|group| group != *job)).min()
}

/// Adds a group without its line 'Run status group', as after grep.
fn add_group(walk: &mut Walk<'_>, at: usize) {
    let number = next_of_jobs(walk);
    let name = format!("group {}", number.unwrap_or(0));
    let part = ReportedPart { group: number, ..ReportedPart::named(Scope::Group, name, walk.text.line(at)) };
    if let Some(found) = walk.found.last_mut() {
        walk.text.bounds.add(&mut found.parts, part);
    }
}

/// Reads `io=3070.5MB, aggrb=132861KB/s, minb=136050KB/s, …` or
/// `bw=301MiB/s (316MB/s), 301MiB/s-301MiB/s (…), io=…, run=…`.
pub(super) fn way(walk: &mut Walk<'_>, direction: Option<Direction>, at: usize) -> Option<usize> {
    let text = walk.text;
    let (list, end) = entries(&text.plain, at);
    let first = list.first().filter(|first| matches!(first.key, "bw" | "io") || current(walk).is_some())?;
    if current(walk).is_none() {
        add_group(walk, at);
    }
    current(walk)?;
    walk.closing = true;
    if first.key == "bw" {
        return new_way(walk, direction, first);
    }
    for entry in &list {
        let figure = match entry.key {
            "io" => walk.take(entry, "a size like 3070.5MB", |v| quantity::bytes(v, Prefixes::Binary)),
            "aggrb" | "minb" | "maxb" => {
                walk.take(entry, "a rate like 132861KB/s", |v| quantity::byte_rate(v, Prefixes::Binary))
            }
            "mint" | "maxt" => walk.take(entry, "a time like 23665msec", quantity::time),
            other => {
                walk.expected(entry, format!("io, aggrb, minb, maxb, mint or maxt instead of '{other}'"));
                continue;
            }
        };
        put(walk, direction, entry.key, figure);
    }
    Some(end)
}

fn put(walk: &mut Walk<'_>, direction: Option<Direction>, key: &str, figure: Option<Figure>) {
    let Some(group) = current(walk) else { return };
    if key == "maxt" {
        group.runtime = group.runtime.max(figure.as_ref().map(quantity::nanos));
    }
    let way = way_of(group, direction);
    match key {
        "io" => set(&mut way.bytes, figure),
        "aggrb" | "bw" => set(&mut way.bytes_per_second, figure),
        "minb" => add(&mut way.figures, "bandwidth.job_min", ReportedUnit::BytesPerSecond, figure),
        "maxb" => add(&mut way.figures, "bandwidth.job_max", ReportedUnit::BytesPerSecond, figure),
        "mint" => add(&mut way.figures, "runtime.job_min", ReportedUnit::Nanoseconds, figure),
        _ => {
            set(&mut way.runtime, figure.clone());
            add(&mut way.figures, "runtime.job_max", ReportedUnit::Nanoseconds, figure);
        }
    }
}

/// Reads the line since fio 2.17, piece by piece: each rate is repeated in brackets.
fn new_way(walk: &mut Walk<'_>, direction: Option<Direction>, first: &Entry<'_>) -> Option<usize> {
    let text = walk.text;
    walk.style.get_or_insert(Style::New);
    let rate = |value: &str| quantity::byte_rate(value, Prefixes::Named);
    let whole = walk.take(first, "a rate like 301MiB/s", rate);
    put(walk, direction, "bw", whole);
    let mut end = past_brackets(&text.plain, first.at + first.value.len());
    let start = matched(&text.plain, end, " , ").unwrap_or(end);
    let stop = start + near(&text.plain, start, 256).find([' ', ',', '\n']).unwrap_or(0);
    if let Some((least, most)) = text.plain[start..stop].split_once('-') {
        put(walk, direction, "minb", rate(least));
        put(walk, direction, "maxb", rate(most));
        end = past_brackets(&text.plain, stop);
    }
    let (io, after) = entries(&text.plain, end);
    end = past_brackets(&text.plain, after);
    let (run, after) = entries(&text.plain, end);
    for entry in io.iter().chain(&run) {
        match entry.key {
            "io" => {
                let bytes = walk.take(entry, "a size like 603MiB", |v| quantity::bytes(v, Prefixes::Named));
                put(walk, direction, "io", bytes);
            }
            "run" => span(walk, direction, entry),
            _ => {}
        }
    }
    Some(if run.is_empty() { end } else { after })
}

/// Reads `run=2001-2001msec`.
fn span(walk: &mut Walk<'_>, direction: Option<Direction>, entry: &Entry<'_>) {
    let (least, most) = entry.value.split_once('-').unwrap_or((entry.value, entry.value));
    let longest = quantity::time(most);
    let unit = most.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let shortest = quantity::time(&format!("{}{unit}", least.trim_end_matches(unit)));
    if longest.is_none() || shortest.is_none() {
        walk.expected(entry, "times like 2001-2001msec");
    }
    put(walk, direction, "mint", shortest);
    put(walk, direction, "maxt", longest);
}

fn past_brackets(text: &str, at: usize) -> usize {
    let Some(open) = matched(text, at, " (") else { return at };
    let line = near(text, open, 256).split('\n').next().unwrap_or_default();
    line.find(')').map_or(at, |length| open + length + 1)
}

/// Reads `vda: ios=779743/260397, merge=0/6, ticks=400068/754896, in_queue=1154500, util=99.55%`.
pub(super) fn disk(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    if !walk.open {
        return None;
    }
    let text = walk.text;
    let colon = at + text.plain[at..word_end(&text.plain, at)].rfind(':')?;
    let behind = matched(&text.plain, colon, ": ")?;
    text.plain[behind..].starts_with("ios=").then_some(())?;
    walk.closing = true;
    let mut part = ReportedPart::named(Scope::Disk, &text.plain[at..colon], text.line(at));
    let (list, end) = entries(&text.plain, behind);
    for entry in &list {
        disk_entry(walk, &mut part, entry);
    }
    text.bounds.add(&mut walk.found.last_mut()?.parts, part);
    Some(end)
}

fn disk_entry(walk: &mut Walk<'_>, part: &mut ReportedPart, entry: &Entry<'_>) {
    let (below, key) = match entry.key.strip_prefix("aggr") {
        Some(key) => ("members.", key),
        None => ("", entry.key),
    };
    let (name, unit, factor) = match key {
        "ios" => ("ios", ReportedUnit::Count, 1.0),
        "sectors" => ("sectors", ReportedUnit::Count, 1.0),
        "merge" | "rmerge" => ("merges", ReportedUnit::Count, 1.0),
        "ticks" => ("time", ReportedUnit::Nanoseconds, 1e6),
        "in_queue" => ("queue_time", ReportedUnit::Nanoseconds, 1e6),
        "util" => ("utilisation", ReportedUnit::Percent, 1.0),
        _ => {
            return walk.expected(entry, "ios, sectors, merge, ticks, in_queue or util");
        }
    };
    let one = |value: &str| match unit {
        ReportedUnit::Percent => quantity::percent(value),
        _ => quantity::plain(value, factor),
    };
    let halves = entry.value.split_once('/').map(|(read, write)| [("read", read), ("write", write)]);
    let wanted: Vec<(String, &str)> = match halves {
        Some(halves) => halves.map(|(way, value)| (format!("{below}{name}.{way}"), value)).to_vec(),
        None => vec![(format!("{below}{name}"), entry.value)],
    };
    for (name, value) in wanted {
        let entry = Entry { value, ..*entry };
        let figure = walk.take(&entry, "whole numbers or a share", one);
        add(&mut part.figures, name, unit, figure);
    }
}
