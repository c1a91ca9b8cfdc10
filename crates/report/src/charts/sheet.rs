//! All charts of all devices in one picture: devices in columns or rows, with numbers, names and their relation.

use super::definitions::{CHARTS, ChartDefinition};
use super::drawing::{Canvas, Drawing, Type};
use super::ink::{Ink, UNITS, shortened, width};
use super::panel::{LETTER, MARGIN, Panel};
use super::panels::{Sheet, draw_sheet};
use super::view::{DevicesIn, View};

/// Height of the picture's title, in pixels.
const TITLE: i32 = 30;
const TITLE_LETTER: i32 = 15;

impl View<'_> {
    /// Returns the picture of everything; `None` if there is nothing to draw.
    pub fn sheet(&self) -> Option<Drawing> {
        if self.is_empty() || self.devices().is_empty() {
            return None;
        }
        let size = (self.options.panel.0 as i32, self.options.panel.1 as i32);
        let by_device: Vec<Vec<Panel>> =
            self.devices().iter().map(|device| self.device_panels(device, size.0)).collect();
        let charts = by_device.first().map_or(0, Vec::len);
        let (columns, panels): (usize, Vec<Panel>) = match self.options.devices_in {
            DevicesIn::Rows => (charts, by_device.into_iter().flatten().collect()),
            DevicesIn::Columns => (by_device.len(), turned(by_device, charts)),
        };
        let title = self.sheet_title();
        let sheet = Sheet {
            title: &title,
            description: "The six charts of every device against time.",
            head: self.sheet_head(&title, size.0 * columns as i32),
            cell: size,
            columns,
        };
        Some(draw_sheet(sheet, &panels))
    }

    /// Draws the title, and the relation of the devices if it fits `wide` pixels, and returns the height of both.
    fn sheet_head(&self, title: &str, wide: i32) -> (Canvas, i32) {
        let mut canvas = Canvas::default();
        let look = Type::from(Ink::Word, TITLE_LETTER).bold();
        canvas.words(&shortened(title, TITLE_LETTER, wide - 20), (10 * UNITS, 20 * UNITS), look);
        match self.relations_at(TITLE).filter(|relations| relations.1 <= wide) {
            None => (canvas, TITLE),
            Some((relations, _, high)) => {
                canvas.add(relations);
                (canvas, TITLE + high)
            }
        }
    }

    fn sheet_title(&self) -> String {
        match self.options.source.is_empty() {
            true => format!("Fig. {}", self.options.file),
            false => format!("Fig. {} - '{}'", self.options.file, self.options.source),
        }
    }

    /// Returns the panels of a device from the first chart to the last, including the CPU chart, which is thus
    /// beside each device's own charts.
    fn device_panels(&self, device: &str, wide: i32) -> Vec<Panel> {
        let charts = CHARTS.iter().enumerate();
        charts.flat_map(|(at, chart)| self.numbered(chart, (at, device), wide)).collect()
    }

    fn numbered(&self, chart: &ChartDefinition, (at, device): (usize, &str), wide: i32) -> Vec<Panel> {
        let number = self.number(device, at);
        let mut panels = self.panels(chart, device, wide);
        for (place, panel) in panels.iter_mut().enumerate() {
            let title = match (chart.panels().len(), place) {
                (1, _) => chart.title,
                (_, 0) => "Request sizes",
                _ => "Queue depth",
            };
            let (head, tail) = (format!("{number}  "), format!(": {title}"));
            // Long names are shortened, but never the subject of the chart.
            let room = (wide - 2 * MARGIN) * 10 / 11 - width(&head, LETTER) - width(&tail, LETTER);
            let name = shortened(&self.name_of(device), LETTER, room * 11 / 10);
            panel.heading = format!("{head}{name}{tail}");
        }
        panels
    }
}

/// Transposes the panels: rows by chart instead of by device.
fn turned(by_device: Vec<Vec<Panel>>, charts: usize) -> Vec<Panel> {
    let mut devices: Vec<_> = by_device.into_iter().map(Vec::into_iter).collect();
    (0..charts).flat_map(|_| devices.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()).collect()
}
