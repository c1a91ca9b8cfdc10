//! iostat's reports of one host column by column, as they were printed.

use record::CpuMetric;

use super::keys::{Column, column};

/// What one call of iostat printed of one host.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Offset of its beginning.
    pub at: usize,
    /// `JSON` or `text`.
    pub form: &'static str,
    /// The host's own words: `nodename`, `release`, `number-of-cpus`, `date`.
    pub said: Vec<(String, String)>,
    /// True where something shows that the report since boot was left out (`-y`).
    pub skips_boot: bool,
    /// Each report's time as printed; empty where there is none.
    pub reports: Vec<String>,
    /// By the order of [`CpuMetric::ALL`], shares as printed (per cent), NaN where nothing stands.
    pub cpu: [Vec<f64>; 6],
    /// In the order in which they first appear.
    pub devices: Vec<Printed>,
    /// Every key that was met.
    pub keys: Vec<Key>,
    /// The device that was last entered, which tells where the next one stands.
    last: usize,
}

/// A key and what it means.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub name: String,
    pub column: Option<Column>,
}

/// A device.
#[derive(Clone, Debug, Default)]
pub(super) struct Printed {
    pub name: String,
    /// By the order of [`Sheet::keys`]; shorter, or empty, where nothing stands.
    pub columns: Vec<Vec<f64>>,
}

impl Sheet {
    /// An empty one that begins at an offset.
    pub fn of(form: &'static str, at: usize) -> Sheet {
        Sheet { at, form, ..Sheet::default() }
    }

    /// True where there is a figure in it.
    pub fn says_something(&self) -> bool {
        self.cpu.iter().any(|column| !column.is_empty()) || !self.devices.is_empty()
    }

    /// The words after `name`.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.said.iter().find(|(known, _)| known == name).map(|(_, words)| words.as_str())
    }

    /// True where any device has `key`.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known.name == key)
    }

    /// Begins a report.
    pub fn begin(&mut self) {
        self.reports.push(String::new());
        self.last = 0;
    }

    /// The number of `key`, which is looked for first where the last row had it.
    pub fn key(&mut self, name: &str, hint: usize) -> usize {
        if self.keys.get(hint).is_some_and(|key| key.name == name) {
            return hint;
        }
        self.keys.iter().position(|key| key.name == name).unwrap_or_else(|| {
            self.keys.push(Key { name: name.to_owned(), column: column(name) });
            self.keys.len() - 1
        })
    }

    /// Enters a device's row into the current report. A device that a report names twice counts once.
    pub fn enter(&mut self, name: &str, row: &[(usize, f64)]) {
        let Some(report) = self.reports.len().checked_sub(1) else { return };
        let device = self.device(name);
        for &(key, value) in row {
            if device.columns.len() <= key {
                device.columns.resize(key + 1, Vec::new());
            }
            set(&mut device.columns[key], report, value);
        }
    }

    fn device(&mut self, name: &str) -> &mut Printed {
        let hit = self.devices.get(self.last).is_some_and(|device| device.name == name);
        let place = match hit {
            true => self.last,
            false => self.devices.iter().position(|device| device.name == name).unwrap_or_else(|| {
                self.devices.push(Printed { name: name.to_owned(), columns: Vec::new() });
                self.devices.len() - 1
            }),
        };
        self.last = place + 1;
        &mut self.devices[place]
    }

    /// Enters a share of the CPUs, per cent.
    pub fn enter_cpu(&mut self, metric: CpuMetric, value: f64) {
        if let Some(report) = self.reports.len().checked_sub(1) {
            set(&mut self.cpu[metric as usize], report, value);
        }
    }

    /// Makes every column as long as there are reports.
    pub fn even_out(&mut self) {
        let (reports, keys) = (self.reports.len(), self.keys.len());
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
