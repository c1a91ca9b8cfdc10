//! A quick look: the rates at which the volume writes and reads in one stream, and those that only the cache
//! reaches.

use analysis::{QuickRow, Whose};
use record::{Run, TargetFacts};
use schemars::JsonSchema;
use serde::Serialize;
use workload::Direction;

use crate::words::document::{Object, document_json};
use crate::words::numbers::{self, Unit};
use crate::words::wrap::{beside, wrap};

/// Column from which the remark on a figure starts.
const SAID_FROM: usize = 50;

/// Returns the table and its conclusion, in 80 columns.
pub fn quick_text(rows: &[QuickRow]) -> String {
    let unit = unit(rows);
    let mut text: String = rows.iter().map(|row| line(row, unit)).collect();
    text.push('\n');
    text += &wrap("", &conclusion(rows));
    text += &wrap(
        "",
        "One stream, one I/O of 1 MiB at a time, as dd and cp do. Deeper queues and small blocks: plimsoll check.",
    );
    text
}

/// Returns one unit for all rows.
fn unit(rows: &[QuickRow]) -> Unit {
    Unit::of_bandwidths(rows.iter().map(|row| row.cell.bytes_per_second))
}

fn line(row: &QuickRow, unit: Unit) -> String {
    let figure = numbers::in_unit(row.cell.bytes_per_second, unit);
    let first = format!("  {:<34}{figure:>12}  ", name(row));
    beside(&first, SAID_FROM, &said(row))
}

/// Describes a row: `write, through the cache, flushed`.
fn name(row: &QuickRow) -> String {
    let way = row.direction.name();
    let by = if row.cell.pattern.direct { "past the cache" } else { "through the cache" };
    let flushed = if row.cell.pattern.flush_every.is_some() { ", flushed" } else { "" };
    format!("{way}, {by}{flushed}")
}

fn said(row: &QuickRow) -> String {
    let share = row.device_share.map(|share| numbers::share(share.min(1.0)));
    match (row.whose, share) {
        (Whose::Volume, _) => "the volume's".to_owned(),
        (Whose::Cache, Some(share)) => format!("the CACHE's: the volume moved {share} of it"),
        (Whose::Both, Some(share)) => format!("partly the CACHE's: the volume moved {share} of it"),
        (Whose::Cache | Whose::Both, None) => "the CACHE's".to_owned(),
        (Whose::Memory, _) => "MEMORY's: there is no volume below".to_owned(),
        (Whose::Unknown, _) => "perhaps the CACHE's: no device is seen below".to_owned(),
    }
}

/// Returns a sentence on the rates that can be relied on.
fn conclusion(rows: &[QuickRow]) -> String {
    if rows.iter().any(|row| row.whose == Whose::Memory) {
        return "No figure here is a volume's: the folder lies in memory.".to_owned();
    }
    let rates: Vec<String> = [Direction::Write, Direction::Read]
        .into_iter()
        .filter_map(|direction| {
            let row = of_volume(rows, direction)?;
            let stored = if is_flushed(row) { " safely stored" } else { "" };
            let rate = numbers::in_unit(row.cell.bytes_per_second, unit(rows));
            Some(format!("{}s {rate}{stored}", direction.name()))
        })
        .collect();
    if rates.is_empty() {
        return "No figure here is the volume's own: all went through a cache.".to_owned();
    }
    format!("The volume itself {} in one stream.", rates.join(", "))
}

/// Returns a row that shows the volume itself, a flushed one if possible.
fn of_volume(rows: &[QuickRow], direction: Direction) -> Option<&QuickRow> {
    let own = || rows.iter().filter(move |row| row.whose == Whose::Volume && row.direction == direction);
    own().find(|row| is_flushed(row)).or_else(|| own().next())
}

fn is_flushed(row: &QuickRow) -> bool {
    row.cell.pattern.flush_every.is_some()
}

/// A quick look.
#[derive(Serialize, JsonSchema)]
pub struct QuickDocument<'r> {
    /// Version that measured.
    plimsoll_version: &'r str,
    /// The target.
    #[schemars(with = "Object")]
    target: &'r Option<TargetFacts>,
    /// Each stream, in the order they ran.
    rows: &'r [QuickRow],
    /// Which rates can be relied on, in words.
    sentence: String,
}

/// Returns the same as one JSON document.
pub fn quick_json(rows: &[QuickRow], run: &Run) -> String {
    let (plimsoll_version, target) = (run.version.as_str(), &run.target);
    document_json("quick", &QuickDocument { plimsoll_version, target, rows, sentence: conclusion(rows) })
}
