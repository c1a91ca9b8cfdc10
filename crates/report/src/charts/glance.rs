//! All devices at a glance: the busiest one, and three small panels for each other device on a common time axis.

use std::cmp::Ordering;

use record::{Metric, Unit};

use super::chart::{Chart, figures_below};
use super::definitions::{ChartDefinition, LineDefinition};
use super::drawing::Canvas;
use super::ink::Ink;
use super::panel::{Panel, WIDTH};
use super::panels::{Sheet, draw_sheet};
use super::view::View;
use crate::words::Table;
use crate::words::numbers;

/// Height of a panel in pixels.
const HEIGHT: i32 = 128;
/// Most devices drawn; each device has its own charts further down.
const ROWS_MAX: usize = 12;

/// Panels drawn for each device.
const COLUMNS: [ChartDefinition; 3] = [
    ChartDefinition {
        id: "utilisation",
        title: "time busy",
        unit: Unit::Share,
        lines: &[LineDefinition::Device(Metric::Busy, "util", Ink::Busy)],
    },
    ChartDefinition {
        id: "iops",
        title: "IOPS",
        unit: Unit::PerSecond,
        lines: &[
            LineDefinition::Device(Metric::ReadOps, "r/s", Ink::Read),
            LineDefinition::Device(Metric::WriteOps, "w/s", Ink::Write),
            LineDefinition::Device(Metric::Ops, "tps", Ink::Busy),
        ],
    },
    ChartDefinition {
        id: "latency",
        title: "latency",
        unit: Unit::Seconds,
        lines: &[
            LineDefinition::Device(Metric::ReadAwait, "r_await", Ink::Read),
            LineDefinition::Device(Metric::WriteAwait, "w_await", Ink::Write),
            LineDefinition::Device(Metric::Await, "await", Ink::Busy),
        ],
    },
];

impl View<'_> {
    /// Returns the device that was busy for the greatest share of the time, with ties broken by I/Os a second;
    /// `None` if no device did anything.
    pub fn busiest(&self) -> Option<&str> {
        self.by_work().first().copied()
    }

    /// Returns the devices that did anything, the busiest first.
    fn by_work(&self) -> Vec<&str> {
        let mut worked: Vec<(&str, (f64, f64))> =
            self.devices().iter().map(|device| (*device, self.work_of(device))).collect();
        worked.retain(|(_, (busy, rate))| *busy > 0.0 || *rate > 0.0);
        worked.sort_by(|(_, one), (_, other)| other.partial_cmp(one).unwrap_or(Ordering::Equal));
        worked.into_iter().map(|(device, _)| device).collect()
    }

    /// Returns the mean share of the time that the device was busy, in whole percent, and its mean I/Os a second.
    fn work_of(&self, device: &str) -> (f64, f64) {
        let busy = self.mean(device, &[Metric::Busy]).unwrap_or(0.0);
        ((busy * 100.0).round(), self.rate_of(device).unwrap_or(0.0))
    }

    fn rate_of(&self, device: &str) -> Option<f64> {
        self.mean(device, &[Metric::Ops]).or_else(|| self.mean(device, &[Metric::ReadOps, Metric::WriteOps]))
    }

    /// Returns the sum of the means of these metrics over the drawn window; `None` if none of them was recorded.
    fn mean(&self, device: &str, metrics: &[Metric]) -> Option<f64> {
        let of = |metric: &Metric| {
            let values = self.recording.device(device, *metric)?;
            let known: Vec<f64> =
                values.get(self.window.clone())?.iter().copied().filter(|value| value.is_finite()).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        let means: Vec<f64> = metrics.iter().filter_map(of).collect();
        (!means.is_empty()).then(|| means.iter().sum())
    }

    /// Returns three small panels for each device but the busiest. `None` if the device under plimsoll's own load
    /// is known, because that is the one that matters, and if no other device did anything.
    pub fn at_a_glance(&self) -> Option<Chart> {
        if self.analysis.watched.as_ref().is_some_and(|watched| watched.load_device.is_some()) {
            return None;
        }
        let all = self.by_work();
        let others = all.get(1..).filter(|others| !others.is_empty())?;
        let drawn = &others[..others.len().min(ROWS_MAX)];
        let panels: Vec<Panel> = drawn.iter().flat_map(|device| self.small_panels(device)).collect();
        let title = match others.len() - drawn.len() {
            0 => "The other devices: time busy, IOPS and latency".to_owned(),
            more => format!(
                "The {ROWS_MAX} next busiest of {} devices: time busy, IOPS and latency",
                ROWS_MAX + more
            ),
        };
        let sheet = Sheet {
            title: &title,
            description: &figures_below(&title),
            head: (Canvas::default(), 0),
            cell: (WIDTH / COLUMNS.len() as i32, HEIGHT),
            columns: COLUMNS.len(),
        };
        Some(Chart::of(&title, draw_sheet(sheet, &panels), self.glance_table(&all)))
    }

    fn small_panels(&self, device: &str) -> Vec<Panel> {
        let wide = WIDTH / COLUMNS.len() as i32;
        let panel = |column: &ChartDefinition| {
            let first = self.panels(column, device, wide).into_iter().next()?;
            let heading = format!("{}: {}", self.name_of(device), column.title);
            Some(Panel { heading, x_title: String::new(), y_title: String::new(), ..first })
        };
        COLUMNS.iter().filter_map(panel).collect()
    }

    fn glance_table(&self, devices: &[&str]) -> Table {
        let mut table = Table::headed(&["device", "time busy", "IOPS"]);
        for device in devices {
            let busy = self.mean(device, &[Metric::Busy]).map_or_else(String::new, numbers::share);
            let rate = self.rate_of(device).map_or_else(String::new, numbers::figure);
            table.rows.push(vec![self.name_of(device), busy, rate]);
        }
        table
    }
}
