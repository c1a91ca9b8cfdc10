//! The output of `sadf -x`: a report for each time, with devices and CPUs as attributes of elements.

use super::super::text::Text;
use super::super::trouble::Troubles;
use super::sheet::{Command, Sheet};

/// The form of these sheets.
pub(super) const FORM: &str = "sadf XML";

/// Longest element of sadf, in bytes.
const LONGEST: usize = 4096;
/// Most attributes read of an element.
const ATTRIBUTES_MOST: usize = 64;
/// Most reports read of a host.
const REPORTS_MOST: usize = 1 << 20;

/// Reads every host's recording in `text`, element by element, so that an incomplete one is read as far as
/// possible.
pub(super) fn read(text: &Text, troubles: &mut Troubles) -> Vec<Sheet> {
    let raw = text.raw.as_str();
    let mut sheets: Vec<Sheet> = Vec::new();
    if !(raw.contains("<sysstat") || raw.contains("<disk-device ")) {
        return sheets;
    }
    for (start, _) in raw.match_indices('<') {
        let Some(element) = Element::at(raw, start) else { continue };
        if element.name == "host" || (sheets.is_empty() && element.name == "timestamp") {
            sheets.push(begun(&element, start));
        }
        let Some(sheet) = sheets.last_mut() else { continue };
        let entered = match element.name {
            "release" | "number-of-cpus" => {
                sheet.said.push((element.name.to_owned(), element.behind.trim().to_owned()));
                true
            }
            "timestamp" => report(sheet, &element),
            "disk-device" => device(sheet, &element),
            "cpu" => processor(sheet, &element),
            _ => true,
        };
        if !entered {
            troubles.push(text.raw_trouble(start, "figures in the attributes", element.attributes));
        }
    }
    sheets
}

fn begun(element: &Element<'_>, start: usize) -> Sheet {
    let mut sheet = Sheet::of(FORM, start);
    sheet.skips_boot = true;
    let host = element.pairs().find(|(name, _)| *name == "nodename");
    sheet.said.extend(host.map(|(name, value)| (name.to_owned(), value.to_owned())));
    sheet
}

/// Reads `<timestamp date="2024-01-02" time="00:10:01" utc="1" interval="600">`.
fn report(sheet: &mut Sheet, element: &Element<'_>) -> bool {
    let word = |name: &str| element.pairs().find(|(known, _)| *known == name).map(|(_, value)| value);
    let (Some(date), Some(time)) = (word("date"), word("time")) else { return false };
    let is_utc = word("utc") == Some("1") || word("tz") == Some("UTC");
    if sheet.reports.len() < REPORTS_MOST {
        sheet.reports.push(if is_utc { format!("{date}T{time}+0000") } else { format!("{date} {time}") });
    }
    let interval = word("interval").and_then(|interval| interval.parse().ok()).filter(|s: &f64| *s > 0.0);
    sheet.command = sheet.command.or(interval.map(Command::every));
    true
}

fn device(sheet: &mut Sheet, element: &Element<'_>) -> bool {
    let Some((_, name)) = element.pairs().find(|(name, _)| *name == "dev") else { return false };
    let mut figures = Vec::new();
    for (key, words) in element.pairs().filter(|(key, _)| *key != "dev") {
        let Some(number) = number(words) else { return false };
        figures.extend(sheet.key(key, figures.len()).map(|key| (key, number)));
    }
    sheet.enter(name, &figures);
    true
}

fn processor(sheet: &mut Sheet, element: &Element<'_>) -> bool {
    let all = element.pairs().any(|(name, value)| name == "number" && value == "all");
    let Some(report) = sheet.reports.len().checked_sub(1).filter(|_| all) else { return true };
    for (name, words) in element.pairs() {
        if let Some(number) = number(words) {
            sheet.enter_cpu_at(report, name, number);
        }
    }
    true
}

fn number(words: &str) -> Option<f64> {
    words.replace(',', ".").parse().ok().filter(|number: &f64| number.is_finite())
}

/// The start tag of an element, and the text after it.
struct Element<'t> {
    name: &'t str,
    attributes: &'t str,
    /// Text up to the next element.
    behind: &'t str,
}

impl<'t> Element<'t> {
    fn at(raw: &'t str, start: usize) -> Option<Element<'t>> {
        let rest = super::super::pieces::near(raw, start + 1, LONGEST);
        let end = rest.find('>')?;
        let inside = rest[..end].trim_end_matches('/');
        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        let behind = rest[end + 1..].split('<').next().unwrap_or_default();
        Some(Element { name, attributes, behind })
    }

    fn pairs(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let mut parts = self.attributes.split('"');
        std::iter::from_fn(move || {
            let name = parts.next()?.trim().strip_suffix('=')?;
            Some((name.trim_end(), parts.next()?))
        })
        .take(ATTRIBUTES_MOST)
    }
}
