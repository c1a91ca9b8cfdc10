//! iostat's reports of one host, column by column, as printed.

use std::collections::HashMap;

use record::CpuMetric;

use super::keys::{Column, column};

/// Reports of one call of iostat on one host.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Offset of the beginning.
    pub at: usize,
    /// The form: `JSON`, `text`, or that of sar or sadf.
    pub form: &'static str,
    /// The facts in the host's line: `nodename`, `release`, `number-of-cpus`, `date`.
    pub said: Vec<(String, String)>,
    /// Whether there is evidence that the report since boot was omitted (`-y`).
    pub skips_boot: bool,
    /// The command line above the reports, if the page has it.
    pub command: Option<Command>,
    /// Printed time of each report; empty if there is none.
    pub reports: Vec<String>,
    /// Number of reports without figures, which stand for a time of which nothing is printed.
    pub gaps: usize,
    /// Shares as printed (per cent), in the order of [`CpuMetric::ALL`]; NaN if a report has none.
    pub cpu: [Vec<f64>; 6],
    /// Devices in the order in which they first appear.
    pub devices: Vec<DeviceColumns>,
    /// All keys.
    pub keys: Vec<Key>,
    /// Index at which the next row's device is expected: one after the device of the last row.
    last: usize,
    /// Index in `devices` of each device.
    places: HashMap<String, usize>,
    /// Number of figures entered.
    entered: usize,
    /// Number of cells without a figure before, between and after them.
    empty: usize,
    /// Rows dropped because they, or the gaps around them, would take more memory than the printed text.
    pub left_out: usize,
}

/// The options of an iostat command line that affect the reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Command {
    /// Seconds between reports.
    pub interval_s: f64,
    /// Number of reports; `None` if unlimited.
    pub count: Option<usize>,
    /// Whether the report since boot is omitted (`-y`).
    pub skips_boot: bool,
}

impl Command {
    /// Returns the command that prints intervals of this length alone.
    pub fn every(interval_s: f64) -> Command {
        Command { interval_s, count: None, skips_boot: true }
    }
}

/// Most devices kept: more than any machine has had.
const DEVICES_MOST: usize = 4096;
/// Most keys kept: more than any version prints.
const KEYS_MOST: usize = 256;
/// Cells without a figure that any sheet may have. Devices that are added and removed leave gaps; with a hundred
/// thousand devices of one report each, nearly all cells would be gaps.
const EMPTY_LEAST: usize = 1 << 20;
/// Cells without a figure allowed for each figure, beyond [`EMPTY_LEAST`].
const EMPTY: usize = 2;

/// A key and its meaning.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub name: String,
    pub column: Option<Column>,
}

/// A device.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceColumns {
    pub name: String,
    /// Columns in the order of [`Sheet::keys`]; a column is shorter, or empty, if reports lack the figure.
    pub columns: Vec<Vec<f64>>,
}

impl Sheet {
    /// Returns an empty sheet that begins at an offset.
    pub fn of(form: &'static str, at: usize) -> Sheet {
        Sheet { at, form, ..Sheet::default() }
    }

    /// Whether the sheet has any figure.
    pub fn says_something(&self) -> bool {
        self.cpu.iter().any(|column| !column.is_empty()) || !self.devices.is_empty()
    }

    /// Returns the words under `name`.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.said.iter().find(|(known, _)| known == name).map(|(_, words)| words.as_str())
    }

    /// Whether any device has `key`.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known.name == key)
    }

    /// Begins a report with its printed time, which may be empty.
    pub fn begin(&mut self, time: String) {
        self.reports.push(time);
        self.last = 0;
    }

    /// Whether the current report has a figure under `key`, an index, for a device.
    pub fn has_row(&self, name: &str, key: usize) -> bool {
        let device = self.places.get(name).and_then(|&place| self.devices.get(place));
        let column = device.and_then(|device| device.columns.get(key));
        column.is_some_and(|column| column.len() == self.reports.len())
    }

    /// Returns the index of `key`, looking first at `hint`, its index in the last row; `None` if there are
    /// more keys than iostat has.
    pub fn key(&mut self, name: &str, hint: usize) -> Option<usize> {
        if self.keys.get(hint).is_some_and(|key| key.name == name) {
            return Some(hint);
        }
        let known = self.keys.iter().position(|key| key.name == name);
        if known.is_none() && self.keys.len() < KEYS_MOST {
            self.keys.push(Key { name: name.to_owned(), column: column(name) });
            return Some(self.keys.len() - 1);
        }
        known
    }

    /// Adds a device's row to the current report. If a report names a device twice, its first row counts.
    pub fn enter(&mut self, name: &str, row: &[(usize, f64)]) {
        if let Some(report) = self.reports.len().checked_sub(1) {
            self.enter_at(report, name, row);
        }
    }

    /// Adds a device's row to a report; the rows of one device must be added in ascending order of reports.
    pub fn enter_at(&mut self, report: usize, name: &str, row: &[(usize, f64)]) {
        let Some(place) = self.place(name) else {
            self.left_out += 1;
            return;
        };
        let device = &mut self.devices[place];
        let gap = |key: usize| report.saturating_sub(device.columns.get(key).map_or(0, Vec::len));
        let gaps: usize = row.iter().map(|&(key, _)| gap(key)).sum();
        if self.empty + gaps > EMPTY_LEAST + EMPTY * (self.entered + row.len()) {
            self.left_out += 1;
            return;
        }
        self.entered += row.len();
        self.empty += gaps;
        for &(key, value) in row {
            if device.columns.len() <= key {
                device.columns.resize(key + 1, Vec::new());
            }
            set(&mut device.columns[key], report, value);
        }
    }

    /// Returns the index of the device in [`Sheet::devices`], added if new; `None` if there are too many.
    fn place(&mut self, name: &str) -> Option<usize> {
        let hit = self.devices.get(self.last).is_some_and(|device| device.name == name);
        let place = match hit {
            true => self.last,
            false => match self.places.get(name) {
                Some(&place) => place,
                None if self.devices.len() >= DEVICES_MOST => return None,
                None => {
                    self.devices.push(DeviceColumns { name: name.to_owned(), columns: Vec::new() });
                    self.places.insert(name.to_owned(), self.devices.len() - 1);
                    self.devices.len() - 1
                }
            },
        };
        self.last = place + 1;
        Some(place)
    }

    /// Adds a share of the CPUs, in per cent, under the column that has it.
    pub fn enter_cpu(&mut self, column: &str, value: f64) {
        if let Some(report) = self.reports.len().checked_sub(1) {
            self.enter_cpu_at(report, column, value);
        }
    }

    /// Adds a share of the CPUs to a report; shares must be added in ascending order of reports. An unknown column
    /// becomes a key without a meaning, of which a note is made.
    pub fn enter_cpu_at(&mut self, report: usize, column: &str, value: f64) {
        match CpuMetric::of_column(column) {
            Some(metric) => set(&mut self.cpu[metric as usize], report, value),
            None => _ = self.key(column, 0),
        }
    }

    /// Drops reports at the end without a figure, which a cut has left; fills every column up to the number of reports; and
    /// drops devices whose gaps would take too much memory.
    pub fn even_out(&mut self) {
        let columns = self.devices.iter().flat_map(|device| &device.columns).chain(&self.cpu);
        self.reports.truncate(columns.map(Vec::len).max().unwrap_or(0));
        let (reports, keys) = (self.reports.len(), self.keys.len());
        let (mut empty, most) = (self.empty, EMPTY_LEAST + EMPTY * self.entered);
        let (mut rows, places) = (0, &mut self.places);
        self.devices.retain(|device| {
            let columns = device.columns.iter().filter(|column| !column.is_empty());
            empty += columns.clone().map(|column| reports - column.len().min(reports)).sum::<usize>();
            let fits = empty <= most;
            rows += if fits { 0 } else { columns.map(Vec::len).max().unwrap_or(0).min(1) };
            fits
        });
        self.left_out += rows;
        places.clear();
        for device in &mut self.devices {
            device.columns.resize(keys, Vec::new());
            for column in device.columns.iter_mut().filter(|column| !column.is_empty()) {
                column.resize(reports, f64::NAN);
            }
        }
        for column in self.cpu.iter_mut().filter(|column| !column.is_empty()) {
            column.resize(reports, f64::NAN);
        }
    }
}

fn set(column: &mut Vec<f64>, report: usize, value: f64) {
    if column.len() <= report {
        column.resize(report, f64::NAN);
        column.push(value);
    }
}
