//! Results of DiskSpd: text of 2.0 to 2.3, and XML.

mod table;
mod text;
mod xml;

pub(crate) use text::human;
pub(crate) use xml::{is_xml, xml};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use record::ReportedPart;

use super::found::ImportedResult;

/// Sets the start of a result from the words of its whole, such as `start time: 2026/11/21 10:00:00 UTC`. The time spans
/// of one call share it.
fn start(found: &mut ImportedResult) {
    let said = |whole: &ReportedPart| whole.said.iter().find_map(|(name, time)| start_of(name, time));
    let Some(whole) = found.parts.first() else { return };
    let Some(unix_ms) = said(whole) else { return };
    if !whole.job.ends_with(" 1") {
        found
            .notes
            .push("the start is that of the whole call, in which other time spans came first".to_owned());
    }
    found.started_unix_ms = unix_ms;
}

/// Returns milliseconds since 1970.
fn start_of(name: &str, time: &str) -> Option<u64> {
    let time = time.strip_suffix(" UTC").filter(|_| matches!(name, "start time" | "started"))?;
    let time = DateTime::strptime("%Y/%m/%d %H:%M:%S", time).ok()?.to_zoned(TimeZone::UTC).ok()?;
    u64::try_from(time.timestamp().as_millisecond()).ok()
}
