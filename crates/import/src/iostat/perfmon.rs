//! CSV of performance counters: ESXi's `esxtop -b`, and what Windows' typeperf, logman and relog write. A column is
//! a counter of an instance of an object, a row is a time.

use std::collections::HashMap;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use record::Metric;

use super::super::bounds::RESULTS_MOST;
use super::super::text::Text;
use super::super::trouble::Troubles;
use super::keys::{Column, KIB, MS, PERCENT};
use super::sheet::{Key, Sheet};

const ESXTOP: &str = "esxtop CSV";
const WINDOWS: &str = "Windows performance counters CSV";

/// Objects whose instances are devices, and the form of the sheets with them. Paths, partitions and worlds of ESXi
/// are left out: their figures are parts of those of its devices.
const OBJECTS: [(&str, &str); 7] = [
    ("PhysicalDisk", WINDOWS),
    ("LogicalDisk", WINDOWS),
    ("Physical Disk", ESXTOP),
    ("Physical Disk SCSI Device", ESXTOP),
    ("Physical Disk Adapter", ESXTOP),
    ("Physical Disk NFS Volume", ESXTOP),
    ("Virtual Disk", ESXTOP),
];
/// Instance for all devices together.
const TOTAL: &str = "_Total";

/// The counter whose complement is the busy share.
const IDLE: &str = "% Idle Time";

/// Counters and their meaning. Windows' `% Disk Time` is left out, because it is no share: it adds up the times of
/// concurrent requests. Of ESXi's waits, those of the guest are kept, which include the kernel's and the driver's.
#[rustfmt::skip]
const COUNTERS: [(&str, Metric, f64); 26] = {
    use Metric::*;
    [
        ("Disk Reads/sec", ReadOps, 1.0), ("Disk Writes/sec", WriteOps, 1.0), ("Disk Transfers/sec", Ops, 1.0),
        ("Disk Read Bytes/sec", ReadBytes, 1.0), ("Disk Write Bytes/sec", WriteBytes, 1.0),
        ("Disk Bytes/sec", Bytes, 1.0), ("Avg. Disk sec/Read", ReadAwait, 1.0),
        ("Avg. Disk sec/Write", WriteAwait, 1.0), ("Avg. Disk sec/Transfer", Await, 1.0),
        ("Avg. Disk Bytes/Read", ReadSize, 1.0), ("Avg. Disk Bytes/Write", WriteSize, 1.0),
        ("Avg. Disk Bytes/Transfer", Size, 1.0), ("Avg. Disk Queue Length", QueueDepth, 1.0),
        ("Current Disk Queue Length", InFlight, 1.0), (IDLE, Busy, PERCENT),
        ("Reads/sec", ReadOps, 1.0), ("Writes/sec", WriteOps, 1.0), ("Commands/sec", Ops, 1.0),
        ("MBytes Read/sec", ReadBytes, KIB * KIB), ("MBytes Written/sec", WriteBytes, KIB * KIB),
        ("Average Guest MilliSec/Read", ReadAwait, MS), ("Average Guest MilliSec/Write", WriteAwait, MS),
        ("Average Guest MilliSec/Command", Await, MS), ("Average MilliSec/Read", ReadAwait, MS),
        ("Average MilliSec/Write", WriteAwait, MS), ("Active Commands", InFlight, 1.0),
    ]
};

/// Most reports read, of all hosts together.
const REPORTS_MOST: usize = 1 << 20;

const NO_DISK: &str = "a counter of one disk (not '_Total') by its English name, such as '\\PhysicalDisk(0 C:)\\Disk Reads/sec'";
/// Parts of the word for a disk in English and other languages.
const DISKS: [&str; 8] = ["dis", "Dis", "datentr", "schijf", "dysk", "lemez", "диск", "磁"];

/// Reads every host's recording in `text`; adds a trouble for a header without disks and for each damaged cell.
pub(super) fn read(text: &Text, troubles: &mut Troubles) -> Vec<Sheet> {
    if !text.raw.contains("(PDH-") {
        return Vec::new();
    }
    let mut reader = Reader { text, troubles, sheets: Vec::new(), table: None, reports: 0 };
    let mut start = 0;
    for line in text.raw.split_inclusive('\n') {
        let trimmed = line.trim_start_matches(' ');
        reader.line(trimmed.trim_end(), start + line.len() - trimmed.len());
        start += line.len();
    }
    reader.sheets
}

struct Reader<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    sheets: Vec<Sheet>,
    table: Option<Table>,
    /// Number of reports of all sheets.
    reports: usize,
}

/// The columns of disks, as a header names them.
struct Table {
    /// The sign between fields.
    sign: char,
    /// Minutes by which the times are behind those of UTC, if known.
    behind_utc: Option<i32>,
    /// The first sheet of this header; a sheet follows for each other host.
    first: usize,
    /// Index of each kept field, ascending, and of its counter in [`COUNTERS`].
    kept: Vec<(usize, usize)>,
    devices: Vec<Device>,
}

/// A device of a table.
struct Device {
    /// Index of its host's sheet.
    sheet: usize,
    name: String,
    /// Indices in [`Table::kept`].
    cells: Vec<usize>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let first = line.trim_start_matches('"');
        if first.starts_with("(PDH-") {
            self.table = self.header(line, start);
        } else if (line.starts_with('"') || first.starts_with(|c: char| c.is_ascii_digit()))
            && let Some(table) = self.table.take()
        {
            self.row(&table, line, start);
            self.table = Some(table);
        }
    }

    /// Reads the header; `None`, with a trouble, if no column is of a disk.
    fn header(&mut self, line: &str, start: usize) -> Option<Table> {
        let sign = if line.contains("(PDH-TSV") { '\t' } else { ',' };
        let mut fields = Fields { line, at: 0, sign };
        let zone = fields.next()?.words?.rsplit_once('(').map(|(_, zone)| zone.trim_end_matches(')'));
        let behind_utc = zone.and_then(|zone| zone.parse().ok());
        let (first, kept, devices) = (self.sheets.len(), Vec::new(), Vec::new());
        let mut table = Table { sign, behind_utc, first, kept, devices };
        let (mut hosts, mut places) = (HashMap::new(), HashMap::new());
        for (index, field) in fields.clone().enumerate() {
            let Some(path) = field.words.and_then(Path::of_disk) else { continue };
            if self.sheets.len() == RESULTS_MOST && !hosts.contains_key(path.host) {
                continue;
            }
            let sheet = *hosts.entry(path.host).or_insert_with(|| {
                self.sheets.push(begun(path.form, start, path.host));
                self.sheets.len() - 1
            });
            let device = *places.entry((sheet, path.instance)).or_insert_with(|| {
                table.devices.push(Device { sheet, name: path.instance.to_owned(), cells: Vec::new() });
                table.devices.len() - 1
            });
            table.devices[device].cells.push(table.kept.len());
            table.kept.push((index + 1, path.counter));
        }
        if table.kept.is_empty() {
            let named = |field: &Field<'_>| DISKS.iter().any(|disk| field.words.unwrap_or("").contains(disk));
            let shown = fields.clone().find(named).or_else(|| fields.next())?;
            let words = shown.words.unwrap_or_default();
            self.troubles.push(self.text.raw_trouble(start + shown.at, NO_DISK, words));
            return None;
        }
        Some(table)
    }

    fn row(&mut self, table: &Table, line: &str, start: usize) {
        let mut fields = Fields { line, at: 0, sign: table.sign };
        let time = fields.next().and_then(|field| time(field.words?, table.behind_utc));
        let Some(time) = time else {
            return self.troubles.push(self.text.raw_trouble(
                start,
                "a time like 11/24/2026 10:00:01.123",
                line,
            ));
        };
        self.reports += self.sheets.len() - table.first;
        if self.reports > REPORTS_MOST {
            return;
        }
        let figures = self.figures(table, fields, start);
        for sheet in &mut self.sheets[table.first..] {
            // Without a rate, the first row only begins the first interval, as a report since boot does for iostat.
            sheet.skips_boot &= !sheet.reports.is_empty() || table.has_rates(&figures);
            sheet.begin(time.clone());
        }
        for device in &table.devices {
            let known = |&cell: &usize| {
                let figure = figures.get(cell).copied().filter(|figure| !figure.is_nan())?;
                Some((table.kept[cell].1, figure))
            };
            let row: Vec<(usize, f64)> = device.cells.iter().filter_map(known).collect();
            self.sheets[device.sheet].enter(&device.name, &row);
        }
    }

    /// Returns the figure of each kept field that the row has; NaN if it is missing.
    fn figures(&mut self, table: &Table, fields: Fields<'_>, start: usize) -> Vec<f64> {
        let mut figures = Vec::with_capacity(table.kept.len());
        for (index, field) in fields.enumerate() {
            let Some((_, counter)) = table.kept.get(figures.len()).filter(|kept| kept.0 == index + 1) else {
                continue;
            };
            let figure = field.figure().unwrap_or_else(|| {
                let expected = "a number in quotation marks, or nothing between them";
                let found = field.words.unwrap_or_default();
                self.troubles.push(self.text.raw_trouble(start + field.at, expected, found));
                f64::NAN
            });
            // The maximum of NaN and zero would be zero.
            let is_idle = COUNTERS[*counter].0 == IDLE && !figure.is_nan();
            figures.push(if is_idle { (100.0 - figure).max(0.0) } else { figure });
        }
        figures
    }
}

impl Table {
    /// Whether a row has the figure of a rate, or none is recorded.
    fn has_rates(&self, figures: &[f64]) -> bool {
        let is_rate = |cell: usize| COUNTERS[self.kept[cell].1].1 != Metric::InFlight;
        let mut cells = 0..self.kept.len();
        !cells.clone().any(is_rate)
            || cells.any(|cell| is_rate(cell) && figures.get(cell).is_some_and(|figure| !figure.is_nan()))
    }
}

fn begun(form: &'static str, start: usize, host: &str) -> Sheet {
    let mut sheet = Sheet::of(form, start);
    sheet.skips_boot = true;
    sheet.said.extend((!host.is_empty()).then(|| ("nodename".to_owned(), host.to_owned())));
    let keys =
        COUNTERS.iter().map(|&(name, metric, factor)| (name.to_owned(), Column::Figure(metric, factor)));
    sheet.keys = keys.map(|(name, column)| Key { name, column: Some(column) }).collect();
    sheet
}

/// The path of a counter of a disk, `\\HOST\Object(Instance)\Counter`.
struct Path<'t> {
    host: &'t str,
    /// Form of the sheets with the object.
    form: &'static str,
    instance: &'t str,
    /// Index in [`COUNTERS`].
    counter: usize,
}

impl<'t> Path<'t> {
    fn of_disk(words: &'t str) -> Option<Path<'t>> {
        let (host, rest) = match words.strip_prefix("\\\\") {
            Some(rest) => rest.split_once('\\')?,
            None => ("", words.strip_prefix('\\')?),
        };
        let (place, counter) = rest.rsplit_once(")\\")?;
        let (object, instance) = place.split_once('(')?;
        let (_, form) = OBJECTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(object))?;
        let counter = COUNTERS.iter().position(|(known, ..)| known.eq_ignore_ascii_case(counter))?;
        (!instance.eq_ignore_ascii_case(TOTAL)).then_some(Path { host, form, instance, counter })
    }
}

/// The fields of a line.
#[derive(Clone)]
struct Fields<'t> {
    line: &'t str,
    at: usize,
    sign: char,
}

/// A field: its offset in the line, and its words without quotation marks; none if the closing mark is missing.
struct Field<'t> {
    at: usize,
    words: Option<&'t str>,
}

impl<'t> Iterator for Fields<'t> {
    type Item = Field<'t>;

    fn next(&mut self) -> Option<Field<'t>> {
        let (at, rest) = (self.at, self.line.get(self.at..)?);
        let inside = rest.strip_prefix('"');
        let closing = inside.and_then(|inside| inside.find('"'));
        let words = match inside {
            Some(inside) => closing.map(|end| &inside[..end]),
            None => rest.split(self.sign).next(),
        };
        let quoted = closing.map_or(inside.map_or(0, |_| rest.len()), |end| end + 2);
        let end = rest[quoted..].find(self.sign).map_or(rest.len(), |end| quoted + end);
        self.at += end + 1;
        Some(Field { at, words })
    }
}

impl Field<'_> {
    /// Returns the figure; NaN if the field is empty or holds -1, the mark of a missing figure; `None` if it is damaged.
    fn figure(&self) -> Option<f64> {
        let words = self.words?.trim();
        if words.is_empty() {
            return Some(f64::NAN);
        }
        let figure: f64 = words.replace(',', ".").parse().ok()?;
        Some(if figure >= 0.0 && figure.is_finite() { figure } else { f64::NAN })
    }
}

/// Converts `11/24/2026 10:00:01.123`, always month, day and year, to ISO 8601; to UTC if the zone is known.
fn time(words: &str, behind_utc: Option<i32>) -> Option<String> {
    let local = DateTime::strptime("%m/%d/%Y %H:%M:%S%.f", words.trim()).ok()?;
    let utc = local.checked_add(SignedDuration::from_mins(behind_utc.unwrap_or_default().into())).ok()?;
    let zone = if behind_utc.is_some() { "Z" } else { "" };
    Some(format!("{}{zone}", utc.strftime("%Y-%m-%dT%H:%M:%S%.3f")))
}
