//! hdparm's timings: `-T` of the page cache, `-t` of the device, with or without `--direct`.

use record::{Figure, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, way};
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

/// hdparm's MB in bytes: 1024 times 1024.
const MB: f64 = 1_048_576.0;

/// Words before the colon, and the name of the rate after it.
const TIMINGS: [(&str, &str); 5] = [
    ("Timing cached reads", "cached reads"),
    ("Timing buffer-cache reads", "cached reads"),
    ("Timing buffered disk reads", "buffered disk reads"),
    ("Timing O_DIRECT cached reads", "O_DIRECT cached reads"),
    ("Timing O_DIRECT disk reads", "O_DIRECT disk reads"),
];

/// Reads every timing in `text`; those below one device's name are one result.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut found: Vec<ImportedResult> = Vec::new();
    let mut device = None;
    for (start, line) in text.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_suffix(':').filter(|name| is_device(name)) {
            device = Some(name);
            text.bounds.begin(&mut found, begun(start));
            continue;
        }
        let Some((what, rest)) = timing(line) else { continue };
        let Some((bytes, seconds, rate)) = figures(rest) else {
            troubles.push(text.trouble(start, "a timing like '1178 MB in  3.00 seconds = 392.62 MB/sec'"));
            continue;
        };
        let name = device.map_or(what.to_owned(), |device| format!("{device}: {what}"));
        let mut part = ReportedPart::named(Scope::Job, name, text.line(start));
        let way = way(&mut part, Some(Direction::Read));
        (way.bytes, way.runtime, way.bytes_per_second) = (Some(bytes), Some(seconds), Some(rate));
        if what.contains("cache") {
            part.said.push(("measures".to_owned(), "the page cache, not the device".to_owned()));
        }
        match found.last_mut() {
            Some(last) => text.bounds.add(&mut last.parts, part),
            None => found.push(ImportedResult { parts: vec![part], ..begun(start) }),
        }
    }
    found.retain(|found| !found.parts.is_empty());
    found
}

fn begun(at: usize) -> ImportedResult {
    ImportedResult { tool: "hdparm".to_owned(), at, ..ImportedResult::default() }
}

fn is_device(name: &str) -> bool {
    name.starts_with("/dev/") && !name.contains(char::is_whitespace)
}

/// Returns the kind of timing, and the figures after it.
fn timing(line: &str) -> Option<(&'static str, &str)> {
    TIMINGS
        .iter()
        .find_map(|(head, what)| Some((*what, line.strip_prefix(head)?.trim_start().strip_prefix(':')?)))
}

/// Parses `1178 MB in  3.00 seconds = 392.62 MB/sec`: bytes, nanoseconds, bytes a second. Slow devices have kB.
fn figures(text: &str) -> Option<(Figure, Figure, Figure)> {
    let (amount, rest) = text.split_once(" in ")?;
    let (time, rate) = rest.split_once('=')?;
    let bytes = amount.trim().strip_suffix(" MB").and_then(|number| quantity::plain(number, MB))?;
    let seconds = quantity::plain(time.trim().strip_suffix("seconds")?, 1e9)?;
    let (number, unit) = rate.trim().split_once(' ')?;
    let worth = match unit.trim() {
        "MB/sec" | "MB/s" => MB,
        "kB/sec" | "kB/s" => 1024.0,
        _ => return None,
    };
    let rate_figure = quantity::plain(number, worth)?;
    let bytes = Figure { printed: amount.trim().to_owned(), ..bytes };
    Some((bytes, seconds, Figure { printed: rate.trim().to_owned(), ..rate_figure }))
}
