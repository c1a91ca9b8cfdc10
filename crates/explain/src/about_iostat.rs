//! Sentences on an iostat command as a whole: the reports, the time that they cover, their devices and figures.

use super::figures::{count, seconds};
use super::files_fio::enumerated;
use super::word::Piece;
use iostat::{IostatRequest, Source, Units};

/// Returns sentences on the requested reports; `unknown` is the last word, such as their number, if only the shell knows it.
pub fn asks(asked: &IostatRequest, unknown: Option<&Piece>) -> Vec<String> {
    let reports =
        format!("Makes no load: reads counters and prints {}{}.", how_often(asked, unknown), form(asked));
    let devices = match asked.devices {
        false => "No devices.".to_owned(),
        true => format!("{} {}", shown(asked), figures(asked)),
    };
    vec![reports, format!("{} {devices}", cpu(asked))]
}

/// Whether any report covers an interval.
pub fn has_intervals(asked: &IostatRequest) -> bool {
    asked.interval_s > 0 && (asked.skip_first || asked.count != Some(1))
}

/// Where the same bytes are shown more than once, in words.
pub fn layers(asked: &IostatRequest) -> Option<String> {
    let is_stacked =
        |name: &&String| ["md", "dm-", "mapper/"].iter().any(|stacked| name.strip_prefix(stacked).is_some());
    let named = || asked.with_partitions.iter().chain(&asked.names);
    let stacked: Vec<String> = named().filter(is_stacked).cloned().collect();
    let has_partitions = asked.source == Source::Everything || !asked.with_partitions.is_empty();
    let stacked = match asked.is_chosen() && asked.source == Source::Disks {
        true if stacked.is_empty() || stacked.len() == named().count() => None,
        true => Some(enumerated(&stacked)),
        false => Some("an md or dm device".to_owned()),
    };
    let layers = [
        has_partitions.then(|| "in a disk and its partitions".to_owned()),
        stacked.map(|stacked| format!("in {stacked} and the disks beneath")),
    ];
    let layers: Vec<String> = layers.into_iter().flatten().filter(|_| asked.devices).collect();
    (!layers.is_empty()).then(|| layers.join(", "))
}

fn how_often(asked: &IostatRequest, unknown: Option<&Piece>) -> String {
    let interval = asked.interval_s;
    let first = if asked.skip_first { ", without the one since the machine started" } else { "" };
    let last = |intervals: u64| seconds(intervals.saturating_mul(interval) as f64);
    let reports = match asked.count {
        Some(1) if has_intervals(asked) => return format!("one report, over {interval} s"),
        _ if !has_intervals(asked) => return "one report with averages since the machine started".to_owned(),
        Some(reports) => format!(
            "{} reports, one every {interval} s, the last after {}",
            count(reports),
            last(reports.saturating_sub(u64::from(!asked.skip_first)))
        ),
        None if unknown.is_some() => format!("a report every {interval} s, as often as the shell says"),
        None => format!("a report every {interval} s until it is stopped"),
    };
    format!("{reports}{first}")
}

/// The form of the output, as the end of a sentence.
fn form(asked: &IostatRequest) -> String {
    let forms = [
        (asked.json, "as one JSON document that ends with the last"),
        (asked.timestamp, "each with the time"),
        (asked.human && !asked.json, "with a unit beside each value"),
    ];
    forms.iter().filter(|(holds, _)| *holds).map(|(_, words)| format!(", {words}")).collect()
}

fn cpu(asked: &IostatRequest) -> &'static str {
    match asked.cpu {
        true => "CPU: shares of user, nice, system, iowait (idle with I/O in flight), stolen and idle time.",
        false => "No CPU.",
    }
}

/// The devices of a report.
fn shown(asked: &IostatRequest) -> String {
    let named = enumerated(&asked.names);
    let disks = match asked.with_partitions.len() {
        0 => String::new(),
        1 => format!("{} with its partitions", asked.with_partitions[0]),
        _ => format!("{} with their partitions", enumerated(&asked.with_partitions)),
    };
    let used = if asked.never_used_too || asked.is_chosen() { "" } else { " that was ever used" };
    let which = match (asked.source, named.is_empty(), disks.is_empty()) {
        (Source::Everything, true, true) => format!("every disk and partition{used}"),
        (Source::Everything, ..) => {
            format!("every disk and partition, {named}{disks} first")
        }
        (Source::Disks, true, true) => format!("every disk{used}, without its partitions"),
        (Source::Disks, false, false) => format!("{disks}, and {named}"),
        (Source::Disks, ..) => format!("{disks}{named}"),
    };
    let names = match (&asked.persistent, asked.mapper_names) {
        (Some(kind), _) => format!(", by {kind}"),
        (None, true) => ", by the names of device mapper".to_owned(),
        (None, false) => String::new(),
    };
    let idle = if asked.skip_idle { ", without idle ones (-z)" } else { "" };
    let groups: Vec<String> = asked.groups.iter().map(|group| group.name.clone()).collect();
    let groups = match (groups.is_empty(), asked.only_groups) {
        (true, _) => String::new(),
        (false, true) => format!(", only as sums ({})", enumerated(&groups)),
        (false, false) => format!(", with sums ({})", enumerated(&groups)),
    };
    format!("Devices: {which}{names}{idle}{groups}.")
}

/// The figures of a device.
fn figures(asked: &IostatRequest) -> String {
    let unit = match asked.units {
        Some(Units::Megabytes) => "megabytes (1,048,576 bytes)",
        Some(Units::Sectors) => "sectors of 512 bytes",
        _ => "kilobytes (1,024 bytes)",
    };
    match (asked.extended, asked.short) {
        (true, false) => format!(
            "Of each: requests and {unit} a second, merges, await and size, of reads, writes and discards; flushes, \
             queue (aqu-sz), %util."
        ),
        (true, true) => format!(
            "Of each: requests and {unit} a second, merges, await and size, of all directions together; queue \
             (aqu-sz), %util."
        ),
        (false, true) => format!(
            "Of each: transfers a second; {unit} read, and written or discarded, a second and in all."
        ),
        (false, false) => {
            format!("Of each: transfers a second; {unit} read, written and discarded, a second and in all.")
        }
    }
}
