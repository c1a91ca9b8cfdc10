//! What an iostat command asks for, in words.

use super::figures::count;
use iostat::{Asked, ROWS, Source};

/// What it asks for; `gaps` are its words that the shell alone knows, as the number of reports may be.
pub fn asks(asked: &Asked, gaps: &[String]) -> Vec<String> {
    let interval = asked.interval_s;
    let how_often = match asked.count {
        _ if interval == 0 => "one report with averages since the machine started".to_owned(),
        Some(reports) => format!("{} reports, one every {interval} s", count(reports)),
        None if !gaps.is_empty() => format!("a report every {interval} s, as often as the shell says"),
        None => format!("a report every {interval} s until it is stopped"),
    };
    let mut said = vec![format!("Makes no load: reads the kernel's counters and prints {how_often}.")];
    said.push(match (asked.extended, asked.devices) {
        (true, _) => {
            "Per device, for reads, writes, discards and flushes apart: rates, merges, average wait and size of a \
             request; queue and utilisation of the device as a whole."
                .to_owned()
        }
        (false, false) => "CPU alone.".to_owned(),
        (false, true) => "Per device: transfers and kilobytes a second.".to_owned(),
    });
    if asked.source == Source::Everything {
        let others = if asked.names.is_empty() { "" } else { "; those that are named come first" };
        said.push(format!("Every device and partition that the kernel counts{others}."));
    }
    if asked.is_chosen() {
        let devices: Vec<&str> =
            asked.names.iter().chain(&asked.with_partitions).map(String::as_str).collect();
        said.push(format!("Devices: {}.", devices.join(", ")));
    }
    if asked.json {
        said.push("The result is one JSON document, complete when it ends.".to_owned());
    }
    said
}

/// What a word means.
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
