//! Conversion of a sheet to the series of a run: base units, NaN for unknown values, and notes on corrections and
//! omissions.

use record::{CpuMetric, HostFacts, Metric, ObservedDevice, ObservedMachine, Unit};

use super::super::found::ImportedResult;
use super::clock;
use super::keys::{Column, SECTOR, WAYS};
use super::sectors;
use super::sheet::{DeviceColumns, Key, Sheet};
use super::spans::{Spans, spans};

/// Returns the result of one host of one document. `name` is the name of the input.
pub(super) fn found(sheet: &Sheet, name: &str) -> ImportedResult {
    let times: Vec<&str> = sheet.reports.iter().map(String::as_str).collect();
    let spans = spans(sheet, clock::read(&times, sheet.word("date"), name));
    let mut notes = Notes::default();
    notes.spans(sheet, &spans);
    notes.keys(sheet);
    notes.left_out(sheet);
    let drawn = SheetSeries { sheet, first: spans.first, throughput: notes.unit(sheet) };
    let devices = sheet.devices.iter().map(|device| drawn.series(device, &mut notes)).collect();
    let shares = CpuMetric::ALL.into_iter().zip(&sheet.cpu).filter(|(_, column)| !column.is_empty());
    let cpu = shares.map(|(metric, column)| (metric, cpu(column, spans.first))).collect();
    let observed = ObservedMachine { source: name.to_owned(), intervals: spans.intervals, cpu, devices };
    ImportedResult {
        tool: tool(sheet),
        notes: notes.told(&tool(sheet)),
        started_unix_ms: spans.started_unix_ms,
        at: sheet.at,
        host: host(sheet),
        observed: (!observed.intervals.is_empty()).then_some(observed),
        ..ImportedResult::default()
    }
}

fn host(sheet: &Sheet) -> Option<HostFacts> {
    let word = |name| sheet.word(name).unwrap_or_default().to_owned();
    (!sheet.said.is_empty()).then(|| HostFacts {
        hostname: word("nodename"),
        kernel: word("release"),
        cpus: word("number-of-cpus").parse().unwrap_or(0),
        ..HostFacts::default()
    })
}

/// Whether iostat itself printed the sheet.
fn is_of_iostat(sheet: &Sheet) -> bool {
    matches!(sheet.form, "text" | "JSON")
}

/// Returns the tool, the versions that print these keys, and the form.
pub(super) fn tool(sheet: &Sheet) -> String {
    if !is_of_iostat(sheet) {
        return sheet.form.to_owned();
    }
    let any = |tail: &str| sheet.keys.iter().any(|key| key.name.ends_with(tail));
    let told = [
        (sheet.has("f/s"), "12.3.1 or later"),
        (sheet.has("d/s"), "12.1.2 to 12.2"),
        (sheet.has("avgrq-sz") && sheet.form == "text", "up to 11.5.6"),
        (sheet.has("avgrq-sz") || any("_per_sec"), "11.5.1 to 11.5.6"),
        (sheet.has("svctm"), "11.5.7 to 12.1.1"),
        (any("_dscd/s"), "12.1.2 or later"),
        (sheet.has("areq-sz"), "11.5.7 or later"),
        (any("_wrtn/s") && sheet.form == "text", "up to 12.1.1"),
        (any("_wrtn/s"), "11.5.7 to 12.1.1"),
    ];
    let versions =
        told.into_iter().find(|(holds, _)| *holds).map_or("of an unknown version", |(_, told)| told);
    format!("iostat {versions} {}", sheet.form)
}

/// Notes that accompany the figures.
#[derive(Default)]
struct Notes {
    told: Vec<String>,
    /// Number of impossible values.
    absurd: usize,
    /// Devices with impossible values.
    absurd_of: Vec<String>,
    example: f64,
}

impl Notes {
    fn spans(&mut self, sheet: &Sheet, spans: &Spans) {
        if spans.first > 0 && is_of_iostat(sheet) {
            self.told.push("the first report tells of the whole time since boot, and is left out".to_owned());
        }
        let date = sheet.word("date").filter(|date| spans.started_unix_ms == 0 && !date.is_empty());
        let dated =
            date.map(|date| format!("the reports have no times; the line above them has the date {date}"));
        let gaps =
            if sheet.gaps == 1 { "one stretch".to_owned() } else { format!("{} stretches", sheet.gaps) };
        let gaps = (sheet.gaps > 0)
            .then(|| format!("{gaps} of time between the tables left empty: nothing is printed of it"));
        self.told.extend(spans.notes.iter().cloned().chain(dated).chain(gaps));
    }

    fn left_out(&mut self, sheet: &Sheet) {
        if sheet.left_out > 0 {
            self.told.push(format!(
                "{} rows of devices are left out: there are more devices, or more of them come and go, than are drawn; cut the \
                 input, or leave devices out when iostat is called",
                sheet.left_out
            ));
        }
    }

    fn keys(&mut self, sheet: &Sheet) {
        let names = |wanted: fn(&Key) -> bool| -> Vec<String> {
            let keys = sheet.keys.iter().filter(|key| wanted(key));
            keys.map(|key| format!("'{}'", key.name)).collect()
        };
        let dropped = names(|key| key.column == Some(Column::Dropped));
        if !dropped.is_empty() {
            self.told.push(format!("{} is not kept: it says nothing of a device", dropped.join(", ")));
        }
        let unknown = names(|key| key.column.is_none());
        if !unknown.is_empty() {
            self.told.push(format!("no meaning is known of {}; left out", unknown.join(", ")));
        }
    }

    /// Returns the factor to apply to every throughput, and adds a note on the reason.
    fn unit(&mut self, sheet: &Sheet) -> f64 {
        let named = sheet
            .keys
            .iter()
            .any(|key| matches!(key.column, Some(Column::Throughput(_, worth)) if worth != SECTOR));
        match sectors::unit(sheet) {
            sectors::Unit::Sectors(times) => {
                self.told.push(format!(
                    "every throughput stood there {times} times too large, in sectors whatever its key says (sysstat 12.1.2 to \
                     12.2.0), as rates times request sizes show; corrected"
                ));
                1.0 / times
            }
            sectors::Unit::Untold if named && may_be_sectors(sheet) => {
                self.told.push(
                    "whether throughputs are in sectors whatever their keys say (sysstat 12.1.2 to 12.2.0) cannot be told: \
                     there is no request size to hold them against; they are taken as the keys say"
                        .to_owned(),
                );
                1.0
            }
            sectors::Unit::Neither => {
                self.told.push(
                    "throughputs do not agree with rates times request sizes; they are taken as printed"
                        .to_owned(),
                );
                1.0
            }
            _ => 1.0,
        }
    }

    fn told(mut self, tool: &str) -> Vec<String> {
        if self.absurd > 0 {
            let values =
                if self.absurd == 1 { "one value".to_owned() } else { format!("{} values", self.absurd) };
            let tool = tool.split(' ').next().unwrap_or_default();
            self.told.push(format!(
                "{values} of {} left empty: a counter fell there, and {tool} printed numbers such as {}",
                self.absurd_of.join(", "),
                self.example
            ));
        }
        self.told
    }
}

/// Whether a version from 12.1.2 to 12.2.0 may have printed the sheet.
fn may_be_sectors(sheet: &Sheet) -> bool {
    let has = |tail: &str| sheet.keys.iter().any(|key| key.name.ends_with(tail));
    sheet.form == "JSON" && !sheet.has("f/s") && (sheet.has("d/s") || has("_dscd/s") || sheet.has("areq-sz"))
}

/// Returns the shares of the CPUs, 0 to 1; NaN for an impossible share.
fn cpu(column: &[f64], first: usize) -> Vec<f64> {
    let share = |percent: &f64| if (0.0..=100.5).contains(percent) { percent / 100.0 } else { f64::NAN };
    column.iter().skip(first).map(share).collect()
}

/// Reads series from a sheet: from report `first` on, throughputs times `throughput`.
struct SheetSeries<'s> {
    sheet: &'s Sheet,
    first: usize,
    throughput: f64,
}

impl SheetSeries<'_> {
    fn series(&self, device: &DeviceColumns, notes: &mut Notes) -> ObservedDevice {
        let SheetSeries { sheet, first, throughput } = *self;
        let shares = sheet.has("r/s") || sheet.has("rrqm/s") || sheet.has("wrqm/s");
        let mut metrics: Vec<(Metric, Vec<f64>)> = Vec::new();
        for (key, column) in sheet.keys.iter().zip(&device.columns).filter(|(_, column)| !column.is_empty()) {
            let (metric, factor) = match key.column {
                Some(Column::Figure(metric, factor)) => (metric, factor),
                Some(Column::Throughput(metric, worth)) => (metric, worth * throughput),
                Some(Column::Merged { share, .. }) if shares => (share, 0.01),
                Some(Column::Merged { rate, .. }) => (rate, 1.0),
                Some(Column::Amount(..) | Column::Dropped) | None => continue,
            };
            let values = column.iter().skip(first).map(|value| in_base_units(*value, factor)).collect();
            if metrics.iter().all(|(known, _)| *known != metric) {
                metrics.push((metric, values));
            }
        }
        metrics.sort_by_key(|(metric, _)| *metric);
        let absurd = absurd(&mut metrics, notes);
        if absurd > 0 {
            notes.absurd += absurd;
            notes.absurd_of.push(device.name.trim().to_owned());
        }
        means_of_nothing(&mut metrics);
        ObservedDevice { name: device.name.trim().to_owned(), metrics }
    }
}

/// Converts a value; divides if the base unit is larger, so that 1.29 ms become 0.00129 s without the rounding
/// error of a product.
fn in_base_units(value: f64, factor: f64) -> f64 {
    if factor < 1.0 { value / (1.0 / factor) } else { value * factor }
}

/// Returns the greatest possible value in a unit; iostat's values after a counter fell are far greater.
fn most(unit: Unit) -> f64 {
    match unit {
        Unit::PerSecond | Unit::Count => 1e9,
        Unit::BytesPerSecond => 1e14,
        Unit::Share => 1e3,
        // More than a week.
        Unit::Seconds => 1e6,
        Unit::Bytes => 1e13,
    }
}

/// Replaces by NaN the values that iostat prints after a counter fell (2^64 less a little, or negative). If it is a
/// counter of I/Os, the device began to count anew, and its whole row is replaced: other differences may be possible
/// numbers, such as 2^32 less a little. A time that fell takes along the values of its direction. Returns the number
/// of values replaced.
fn absurd(metrics: &mut [(Metric, Vec<f64>)], notes: &mut Notes) -> usize {
    let reports = metrics.first().map_or(0, |(_, values)| values.len());
    let mut emptied = 0;
    for report in 0..reports {
        let wrong = |(metric, values): &(Metric, Vec<f64>)| {
            let value = values[report];
            value < 0.0 || value > most(metric.unit())
        };
        let fallen: Vec<Metric> =
            metrics.iter().filter(|row| wrong(row)).map(|(metric, _)| *metric).collect();
        if fallen.is_empty() {
            continue;
        }
        for (metric, values) in metrics.iter_mut().filter(|(metric, _)| falls_with(*metric, &fallen)) {
            if fallen.contains(metric) && notes.example < values[report] / scale(*metric) {
                notes.example = values[report] / scale(*metric);
            }
            emptied += usize::from(!values[report].is_nan());
            values[report] = f64::NAN;
        }
    }
    emptied
}

/// Returns the size of a metric's printed unit, to repeat a number as it was printed.
fn scale(metric: Metric) -> f64 {
    match metric.unit() {
        Unit::PerSecond | Unit::Count => 1.0,
        Unit::BytesPerSecond | Unit::Bytes => 1024.0,
        Unit::Share => 0.01,
        Unit::Seconds => 0.001,
    }
}

fn falls_with(metric: Metric, fallen: &[Metric]) -> bool {
    let of = |way: &super::keys::Way| {
        way.metrics().any(|own| own == metric) && way.metrics().any(|own| fallen.contains(&own))
    };
    let is_rate = |metric: &Metric| matches!(metric.unit(), Unit::PerSecond | Unit::BytesPerSecond);
    fallen.contains(&metric) || fallen.iter().any(is_rate) || WAYS.iter().any(of)
}

fn empty_zero(value: &mut f64) {
    if *value == 0.0 {
        *value = f64::NAN;
    }
}

/// Marks means over no I/O as missing: iostat prints 0.00 for mean wait and size when there was no I/O, and for the
/// merged share when there was no request.
fn means_of_nothing(metrics: &mut [(Metric, Vec<f64>)]) {
    for way in &WAYS {
        let column = |wanted: Option<Metric>| metrics.iter().position(|(metric, _)| Some(*metric) == wanted);
        let mut ops: Vec<usize> = column(Some(way.ops)).into_iter().collect();
        if way.ops == Metric::Ops && ops.is_empty() {
            // `iostat -x` prints a wait of all requests beside the rates of each direction.
            ops = WAYS.iter().filter_map(|other| column(Some(other.ops))).collect();
        }
        let Some(&first) = ops.first() else { continue };
        let merges = column(way.merges);
        let means: Vec<usize> = [column(way.size), column(Some(way.wait))].into_iter().flatten().collect();
        let share = column(way.share);
        for report in 0..metrics[first].1.len() {
            if ops.iter().any(|&ops| metrics[ops].1[report] != 0.0) {
                continue;
            }
            let merged = merges.is_some_and(|merges| metrics[merges].1[report] > 0.0);
            for &mean in means.iter().chain(share.iter().filter(|_| !merged)) {
                empty_zero(&mut metrics[mean].1[report]);
            }
        }
    }
}
