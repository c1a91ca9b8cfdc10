//! What an iostat command asks for, in words.

use super::figures::count;
use iostat::{IostatRequest, ROWS, Source, Units};

/// Options that need no sentence, because they change nothing.
pub const SILENT: &[(&str, &str)] = &[("-k", "kilobytes are the unit where none is chosen")];

/// Sentences on what the command asks for; `gaps` are words that only the shell knows, such as the number of reports.
pub fn asks(asked: &IostatRequest, gaps: &[String]) -> Vec<String> {
    let mut said =
        vec![format!("Makes no load: reads {} and prints {}.", counters(asked), how_often(asked, gaps))];
    said.push(figures(asked));
    said.extend(devices(asked));
    said.extend(groups(asked));
    said.extend(form(asked));
    said
}

fn counters(asked: &IostatRequest) -> String {
    match (&asked.folder, &asked.folder_besides) {
        (Some(folder), _) => format!("the counters of the file diskstats in {folder}"),
        (None, Some(folder)) => format!("the kernel's counters and those of the file diskstats in {folder}"),
        (None, None) => "the kernel's counters".to_owned(),
    }
}

fn how_often(asked: &IostatRequest, gaps: &[String]) -> String {
    let interval = asked.interval_s;
    let first = if asked.skip_first { ", without the one since the machine started" } else { "" };
    let reports = match asked.count {
        _ if interval == 0 => return "one report with averages since the machine started".to_owned(),
        Some(1) if asked.skip_first => return format!("one report, over {interval} s"),
        Some(1) => return "one report with averages since the machine started".to_owned(),
        Some(reports) => format!("{} reports, one every {interval} s", count(reports)),
        None if !gaps.is_empty() => format!("a report every {interval} s, as often as the shell says"),
        None => format!("a report every {interval} s until it is stopped"),
    };
    format!("{reports}{first}")
}

fn figures(asked: &IostatRequest) -> String {
    const CPU: &str = "CPU: shares of user, nice, system, waiting for I/O, stolen and idle time.";
    let unit = match asked.units {
        Some(Units::Megabytes) => "megabytes (1,048,576 bytes)",
        Some(Units::Sectors) => "sectors of 512 bytes",
        _ => "kilobytes",
    };
    let devices = match (asked.extended, asked.short) {
        (true, false) => format!(
            "Per device, for reads, writes, discards and flushes apart: rates in I/Os and {unit}, merges, average wait and \
             size of a request; queue and utilisation of the device as a whole."
        ),
        (true, true) => format!(
            "Per device, reads and writes together: rates in I/Os and {unit}, average wait and size of a request, queue and \
             utilisation."
        ),
        (false, true) => {
            format!(
                "Per device: transfers a second; {unit} read, and written or discarded, a second and in all."
            )
        }
        (false, false) => {
            format!(
                "Per device: transfers a second; {unit} read, written and discarded, a second and in all."
            )
        }
    };
    match (asked.cpu, asked.devices) {
        (true, true) => format!("{CPU} {devices}"),
        (true, false) => format!("{CPU} No devices."),
        (false, _) => format!("{devices} No CPU."),
    }
}

fn devices(asked: &IostatRequest) -> Option<String> {
    if !asked.devices {
        return None;
    }
    let mut said = Vec::new();
    let names = asked.names.join(", ");
    match (asked.source, asked.names.is_empty()) {
        (Source::Everything, true) => {
            said.push("Every device and partition that the kernel counts.".to_owned())
        }
        (Source::Everything, false) => said.push(format!(
            "Every device and partition that the kernel counts; those that are named ({names}) come first."
        )),
        (Source::Disks, false) => said.push(format!("Devices: {names}.")),
        (Source::Disks, true) => {}
    }
    if !asked.with_partitions.is_empty() {
        said.push(format!("With their partitions: {}.", asked.with_partitions.join(", ")));
    }
    if asked.never_used_too {
        said.push("Also devices that were never used.".to_owned());
    }
    if asked.skip_idle {
        said.push("Devices without activity in an interval are left out.".to_owned());
    }
    if asked.mapper_names {
        said.push("Devices of the device mapper have their own names.".to_owned());
    }
    if let Some(kind) = &asked.persistent {
        said.push(format!("Devices have their persistent names ({kind})."));
    }
    Some(said.join(" ")).filter(|words| !words.is_empty())
}

fn groups(asked: &IostatRequest) -> Option<String> {
    let others = !asked.is_chosen() || asked.never_used_too || asked.source == iostat::Source::Everything;
    let last = asked.groups.last();
    let of = |group: &iostat::Group| {
        let typed = group.members.iter().chain(&group.disks).cloned();
        let rest =
            (others && Some(group) == last).then_some(if asked.is_chosen() { "all others" } else { "all" });
        let members: Vec<String> = typed.chain(rest.map(str::to_owned)).collect();
        let members = if members.is_empty() { "none".to_owned() } else { members.join(", ") };
        format!("{} ({members})", group.name)
    };
    let names: Vec<String> = asked.groups.iter().map(of).collect();
    let alone = if asked.only_groups { ", and none for its members" } else { "" };
    (!names.is_empty()).then(|| format!("A line for each group: {}{alone}.", names.join(", ")))
}

fn form(asked: &IostatRequest) -> Option<String> {
    let decimals = asked.decimals.map(|decimals| format!("Figures have {decimals} decimals."));
    let said = [
        (asked.json, "The result is one JSON document, complete when it ends."),
        (asked.timestamp, "The time stands before each report."),
        (asked.human, "Units stand beside the figures."),
        (asked.pretty, "Names of devices stand at the end of the line."),
        (asked.compact, "Extended figures in pretty form stand in one table."),
        (decimals.is_some(), decimals.as_deref().unwrap_or_default()),
    ];
    let said: Vec<&str> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect();
    Some(said.join(" ")).filter(|words| !words.is_empty())
}

/// Meaning of a word.
pub fn meaning(word: &str) -> String {
    let help = |name: &str| ROWS.iter().find(|row| row.name == name).map(|row| row.help);
    let name = word.split('=').next().unwrap_or_default();
    match (help(name), word.strip_prefix('-')) {
        (Some(help), _) => help.to_owned(),
        (None, Some(letters)) => {
            let told: Option<Vec<&str>> = letters.chars().map(|letter| help(&format!("-{letter}"))).collect();
            told.map_or_else(|| "See iostat(1).".to_owned(), |told| told.join(" "))
        }
        (None, None) if word.bytes().all(|byte| byte.is_ascii_digit()) => {
            "First the seconds between reports, then how many.".to_owned()
        }
        (None, None) => "A device.".to_owned(),
    }
}
