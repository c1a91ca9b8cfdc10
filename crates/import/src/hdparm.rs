//! hdparm's timings: `-T` of the page cache, `-t` of the device, with or without `--direct`.

use record::{Figure, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, way};
use super::pieces::unquoted;
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

/// hdparm's MB in bytes: 1024 times 1024.
const MB: f64 = 1_048_576.0;

/// The first word of a timing.
const TIMING: &str = "Timing ";

/// Words between the first and the colon, and the name of the rate after it.
const TIMINGS: [(&str, &str); 5] = [
    ("cached reads", "cached reads"),
    ("buffer-cache reads", "cached reads"),
    ("buffered disk reads", "buffered disk reads"),
    ("O_DIRECT cached reads", "O_DIRECT cached reads"),
    ("O_DIRECT disk reads", "O_DIRECT disk reads"),
];

/// Reads every timing in `text`; those below one device's name are one result.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk { text, troubles, found: Vec::new(), device: None, apart: false, asked: None };
    text.lines().for_each(|(start, line)| walk.line(line.trim(), start));
    walk.found.retain(|found| !found.parts.is_empty());
    walk.found
}

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    /// The device whose name came last.
    device: Option<&'t str>,
    /// Whether the next timing begins a result although no name of a device stands above it.
    apart: bool,
    /// The command line above, up to other text below its timings, and the number of results above it.
    asked: Option<(&'t str, usize)>,
}

impl<'t> Walk<'t> {
    /// Reads a line, which has several timings, and names of devices between them, if line breaks are lost.
    fn line(&mut self, line: &'t str, start: usize) {
        let has_served = self.asked.is_some_and(|(_, above)| self.found.len() > above);
        let is_over = has_served && self.found.last().is_some_and(|found| !found.parts.is_empty());
        if let Some((_, command)) = line.split_once("hdparm -") {
            let command = &line[line.len() - command.len() - "hdparm -".len()..];
            // A sentence names the program without a device.
            let is_whole = |command: &&str| command.contains(['/', '$', '{']);
            self.asked = Some(unquoted(command)).filter(is_whole).map(|command| (command, self.found.len()));
            self.begins_anew();
        } else if is_over && !line.is_empty() && !line.contains(TIMING) && !line.starts_with("/dev/") {
            self.asked = None;
            self.begins_anew();
        }
        for (index, piece) in line.split(TIMING).enumerate() {
            // Prose names a timing too, but within a line and without figures.
            let begins = index == 1 && line.starts_with(TIMING);
            let is_printed =
                |rest: &str| begins || rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
            let timing = timing(piece).filter(|(_, rest)| index > 0 && is_printed(rest));
            if let Some((what, rest)) = timing {
                self.timing(what, rest, start);
            }
            let last = piece.split_whitespace().last().and_then(|word| word.strip_suffix(':'));
            if let Some(name) = last.filter(|name| name.starts_with("/dev/")) {
                self.device = Some(name);
                self.apart = false;
                self.text.bounds.begin(&mut self.found, ImportedResult::begun("hdparm", start));
            }
        }
    }

    /// Timings below are of no device that was named before, and no part of a result above.
    fn begins_anew(&mut self) {
        self.device = None;
        self.apart = true;
    }

    fn timing(&mut self, what: &str, rest: &str, start: usize) {
        let Some((bytes, seconds, rate)) = figures(rest) else {
            let expected = "a timing like '1178 MB in  3.00 seconds = 392.62 MB/sec'";
            return self.troubles.push(self.text.trouble(start, expected));
        };
        if std::mem::take(&mut self.apart) {
            self.text.bounds.begin(&mut self.found, ImportedResult::begun("hdparm", start));
        }
        let name = self.device.map_or(what.to_owned(), |device| format!("{device}: {what}"));
        let mut part = ReportedPart::named(Scope::Job, name, self.text.line(start));
        part.asked.extend(self.asked.map(|(command, _)| ("command".to_owned(), command.to_owned())));
        let way = way(&mut part, Some(Direction::Read));
        (way.bytes, way.runtime, way.bytes_per_second) = (Some(bytes), Some(seconds), Some(rate));
        if what.contains("cache") {
            part.said.push(("measures".to_owned(), "the page cache, not the device".to_owned()));
        }
        match self.found.last_mut() {
            Some(last) => self.text.bounds.add(&mut last.parts, part),
            None => self
                .found
                .push(ImportedResult { parts: vec![part], ..ImportedResult::begun("hdparm", start) }),
        }
    }
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
    // A page may put other text after the unit.
    let units = [("MB/s", MB), ("kB/s", 1024.0)];
    let (unit, worth) = units.into_iter().find(|(name, _)| unit.trim_start().starts_with(name))?;
    let rate = Figure { printed: format!("{number} {unit}"), ..quantity::plain(number, worth)? };
    Some((Figure { printed: amount.trim().to_owned(), ..bytes }, seconds, rate))
}
