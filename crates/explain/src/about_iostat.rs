//! Sentences on an iostat command as a whole: the number of reports, the time that they cover, and the figures of each.

use super::figures::count;
use iostat::{IostatRequest, Source, Units};

/// Returns sentences on the requested reports; `gaps` are words that only the shell knows, such as their number.
pub fn asks(asked: &IostatRequest, gaps: &[String]) -> Vec<String> {
    vec![format!("Makes no load: reads counters and prints {}.", how_often(asked, gaps)), figures(asked)]
}

fn how_often(asked: &IostatRequest, gaps: &[String]) -> String {
    let interval = asked.interval_s;
    let first = if asked.skip_first { ", without the one since the machine started" } else { "" };
    let reports = match asked.count {
        Some(1) if asked.skip_first && interval > 0 => return format!("one report, over {interval} s"),
        Some(1) => return "one report with averages since the machine started".to_owned(),
        _ if interval == 0 => return "one report with averages since the machine started".to_owned(),
        Some(reports) => format!("{} reports, one every {interval} s", count(reports)),
        None if !gaps.is_empty() => format!("a report every {interval} s, as often as the shell says"),
        None => format!("a report every {interval} s until it is stopped"),
    };
    format!("{reports}{first}")
}

/// The figures of a report: which are left out, and which a device has without `-x`.
fn figures(asked: &IostatRequest) -> String {
    let cpu = match asked.cpu {
        true => "CPU: shares of user, nice, system, waiting for I/O, stolen and idle time.",
        false => "No CPU.",
    };
    let unit = match asked.units {
        Some(Units::Megabytes) => "megabytes (1,048,576 bytes)",
        Some(Units::Sectors) => "sectors of 512 bytes",
        _ => "kilobytes",
    };
    let devices = match (asked.devices, asked.extended) {
        (false, _) => "No devices.".to_owned(),
        (true, true) => format!("Per device: extended figures, with amounts in {unit}."),
        (true, false) => {
            format!(
                "Per device: transfers a second; {unit} read, written and discarded, a second and in all."
            )
        }
    };
    let first = match asked.source {
        Source::Everything if !asked.names.is_empty() => " The named devices come first.",
        Source::Everything | Source::Disks => "",
    };
    format!("{cpu} {devices}{first}")
}
