//! The six charts of a device: series of a recording as panels, with phases, gaps and the levels that the analysis
//! found.

use analysis::findings::{HeldBytes, HeldOperations, ThrottledAboveNominal};
use analysis::{Meaning, Quantity};
use record::{Bucket, Phase, Unit};
use workload::{Direction, Nanos};

use super::definitions::{CHARTS, ChartDefinition, LineDefinition};
use super::drawing::{Canvas, Drawing};
use super::engineering;
use super::ink::Ink;
use super::over_time::phase_band;
use super::panel::{Area, Band, Dots, Level, Line, Panel, Segment, Shape, Side, TIMED_SIDES, WIDTH};
use super::panels::{Sheet, draw_sheet};
use super::view::View;
use crate::words::messages::device_message;
use crate::words::numbers;

/// Height of a panel in a separate chart, in pixels.
const HEIGHT: i32 = 190;

/// A drawing of a device against time.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceChart {
    /// Kernel name; empty for the CPUs.
    pub device: String,
    /// Definition of the chart.
    pub definition: ChartDefinition,
    /// Title, with the device.
    pub title: String,
    /// Figure number from file, device and chart: `#112`.
    pub number: String,
    /// Explanation of the shading, appended to the title; empty if every value is drawn.
    pub note: String,
    /// Names of lines left out because they are zero: `zero throughout: d/s, drqm/s`; empty if there are none.
    pub zeros: String,
    /// The drawing.
    pub drawing: Drawing,
}

impl View<'_> {
    /// Returns the chart of the CPUs; `None` if no CPU data was recorded.
    pub fn cpu(&self) -> Option<DeviceChart> {
        let definition = CHARTS.iter().find(|chart| chart.is_of_cpu())?;
        self.chart(definition, "", 0)
    }

    /// Returns the charts of a device that have something to draw, without the CPU chart.
    pub fn charts(&self, device: &str) -> Vec<DeviceChart> {
        let own = CHARTS.iter().enumerate().filter(|(_, chart)| !chart.is_of_cpu());
        own.filter_map(|(at, chart)| self.chart(chart, device, at)).collect()
    }

    /// Returns the charts of a device that have something to draw, each with its title, without drawing them.
    pub fn titles(&self, device: &str) -> Vec<(ChartDefinition, String)> {
        let own = CHARTS.iter().filter(|chart| chart.is_of_cpu() == device.is_empty());
        let any = |chart: &&ChartDefinition| {
            chart.panels().iter().any(|(_, lines)| lines.iter().any(|line| self.has_value(line, device)))
        };
        own.filter(any).map(|chart| (*chart, self.title(chart, device))).collect()
    }

    fn has_value(&self, line: &LineDefinition, device: &str) -> bool {
        self.spans(line, device).is_some_and(|spans| spans.iter().any(|span| span.min.is_finite()))
    }

    /// Returns the message of a finding that the chart shows, or else the chart's subject.
    fn title(&self, definition: &ChartDefinition, device: &str) -> String {
        self.message(definition.id, device).unwrap_or_else(|| self.subject(definition, device))
    }

    fn subject(&self, definition: &ChartDefinition, device: &str) -> String {
        match device.is_empty() {
            true => format!("{} of the machine", definition.title),
            false => format!("{}: {}", self.name_of(device), definition.title),
        }
    }

    fn chart(&self, definition: &ChartDefinition, device: &str, at: usize) -> Option<DeviceChart> {
        let panels = self.panels(definition, device, WIDTH);
        // If the CPUs were idle throughout, as on a simulated volume, the chart would be empty.
        if panels.iter().flat_map(|panel| &panel.lines).all(|line| line.ink == Ink::Idle) {
            return None;
        }
        let subject = self.subject(definition, device);
        let description = format!("{subject} against time; figures by phase stand in the tables.");
        let title = self.title(definition, device);
        let sheet = Sheet {
            title: &title,
            description: &description,
            head: (Canvas::default(), 0),
            cell: (WIDTH, HEIGHT),
            columns: 1,
        };
        Some(DeviceChart {
            device: device.to_owned(),
            definition: *definition,
            number: self.number(device, at),
            note: self.shade_words(),
            zeros: zero_words(&self.zeros(definition, device)),
            drawing: draw_sheet(sheet, &panels),
            title,
        })
    }

    /// Returns the message of a finding that this chart shows; adds the device if the message does not name it.
    fn message(&self, id: &str, device: &str) -> Option<String> {
        let message = device_message(device, id, self.analysis)?;
        let named = message.split([' ', ':', ',']).any(|word| word == device);
        Some(if named { message } else { format!("{}: {message}", self.name_of(device)) })
    }

    /// Returns the lines that would be visible.
    fn seen(&self, lines: &[LineDefinition], device: &str) -> Vec<LineDefinition> {
        let recorded = |line: &&LineDefinition| self.spans(line, device).is_some();
        let known: Vec<LineDefinition> = lines.iter().filter(recorded).copied().collect();
        seen(known, |line| self.is_zero(line, device))
    }

    /// Returns names of the lines of a chart that are left out because they are zero throughout.
    fn zeros(&self, definition: &ChartDefinition, device: &str) -> Vec<&'static str> {
        let panels = definition.panels();
        let left_out = |(_, lines): &(Unit, Vec<LineDefinition>)| -> Vec<&'static str> {
            let seen = self.seen(lines, device);
            let zero = lines.iter().filter(|line| self.is_zero(line, device) && !seen.contains(line));
            zero.map(LineDefinition::name).collect()
        };
        panels.iter().flat_map(left_out).collect()
    }

    /// Whether a line was recorded and was always zero.
    fn is_zero(&self, line: &LineDefinition, device: &str) -> bool {
        let Some(spans) = self.spans(line, device) else { return false };
        let known = || spans.iter().filter(|span| span.min.is_finite());
        known().next().is_some() && known().all(|span| span.min == 0.0 && span.max == 0.0)
    }

    /// Returns ` (shade: least to greatest of each 7 min)`; empty if every value is drawn.
    fn shade_words(&self) -> String {
        let length = self.bucket_seconds();
        length.map_or_else(String::new, |seconds| {
            format!(" (shade: least to greatest of each {})", numbers::span(seconds))
        })
    }

    /// Returns the figure number from file, device and chart: `#112`, or with dots between them if any exceeds 9.
    pub(super) fn number(&self, device: &str, chart: usize) -> String {
        let place = self.devices().iter().position(|known| *known == device).map_or(0, |place| place + 1);
        let parts = [self.options.file, place.max(1), chart + 1];
        let dot = if parts.iter().any(|part| *part > 9) { "." } else { "" };
        format!("#{}", parts.map(|part| part.to_string()).join(dot))
    }

    /// Returns the panels of a chart, each `wide` pixels, without headings.
    pub(super) fn panels(&self, definition: &ChartDefinition, device: &str, wide: i32) -> Vec<Panel> {
        let panel = |(unit, lines): (Unit, Vec<LineDefinition>)| {
            let seen = self.seen(&lines, device);
            let lines: Vec<Line> = seen.iter().filter_map(|line| self.line_of(line, device)).collect();
            let levels = self.levels(definition, unit, device);
            self.panel(unit, (lines, levels), wide)
        };
        definition.panels().into_iter().map(panel).collect()
    }

    /// Returns a panel over the view's time.
    fn panel(&self, unit: Unit, (lines, mut levels): (Vec<Line>, Vec<Level>), wide: i32) -> Panel {
        let top = Panel::top(&lines);
        // A claim far above everything else would flatten the lines.
        levels.retain(|level| level.value <= top * 4.0 || top == 0.0);
        let highest = levels.iter().map(|level| level.value).fold(top, f64::max);
        let y = match unit {
            Unit::Share => engineering::axis(unit, highest.max(1.0), 4),
            Unit::Bytes => engineering::sizes(&lines, highest),
            _ => engineering::axis(unit, highest * 1.08, 4),
        };
        let gaps = self.recording.gaps().iter();
        Panel {
            levels,
            bands: self.bands(),
            gaps: gaps.filter_map(|(from, to)| self.line.clipped(*from, *to)).collect(),
            least_sides: if wide < WIDTH { (0, 26) } else { (TIMED_SIDES.0 + 12, 40) },
            ..Panel::of(
                Side::new(self.line.title(), self.line.axis(wide)),
                Side::new(engineering::title(unit), y),
                lines,
            )
        }
    }

    fn line_of(&self, line: &LineDefinition, device: &str) -> Option<Line> {
        let buckets = self.spans(line, device)?;
        let middle = |from, to| (self.line.place(from) + self.line.place(to)) / 2.0;
        let spans = buckets.split(|bucket| bucket.min.is_nan());
        let shade = if line.is_of_merges() { Area::Open } else { Area::Shaded };
        let segment = |span: &[Bucket]| outline(span, &middle, shade);
        let segments: Vec<Segment> = spans.filter(|span| !span.is_empty()).map(segment).collect();
        let is_empty = segments.is_empty();
        let drawn = Line { dots: shape(line.ink()), ..Line::of(line.name(), line.ink(), segments) };
        (!is_empty).then_some(drawn)
    }

    fn bands(&self) -> Vec<Band> {
        let band = |phase: &Phase| {
            let ends = self.line.clipped(phase.from, phase.to)?;
            Some(phase_band(phase, ends))
        };
        self.run.phases.iter().filter_map(band).collect()
    }

    /// Returns the levels that the analysis found on the device, and the claims if the device carries the load.
    pub(crate) fn levels(&self, definition: &ChartDefinition, unit: Unit, device: &str) -> Vec<Level> {
        let mut levels: Vec<Level> = match (definition.id, unit) {
            ("iops", _) => [self.held(device), self.claims(Quantity::Iops, device)].concat(),
            ("latency", _) => self.claims(Quantity::MeanLatency, device),
            ("traffic", _) => {
                [self.held_bytes(device), self.claims(Quantity::BytesPerSecond, device)].concat()
            }
            _ => Vec::new(),
        };
        levels.sort_by(|a, b| b.value.total_cmp(&a.value));
        levels.dedup_by(|a, b| a.label == b.label);
        levels.truncate(LEVELS_MAX);
        levels
    }

    fn held(&self, device: &str) -> Vec<Level> {
        let levels = self.analysis.findings.iter().filter_map(|finding| match &finding.meaning {
            Meaning::HeldOperations(HeldOperations { device: place, level, .. })
            | Meaning::ThrottledAboveNominal(ThrottledAboveNominal {
                device: place,
                level,
                bytes: false,
                ..
            }) if place.name == device => Some(level),
            _ => None,
        });
        levels.flat_map(|level| named_levels(level, Unit::PerSecond)).collect()
    }

    fn held_bytes(&self, device: &str) -> Vec<Level> {
        let levels = self.analysis.findings.iter().filter_map(|finding| match &finding.meaning {
            Meaning::HeldBytes(HeldBytes { device: place, level, .. })
            | Meaning::ThrottledAboveNominal(ThrottledAboveNominal {
                device: place,
                level,
                bytes: true,
                ..
            }) if place.name == device => Some(level),
            _ => None,
        });
        levels.flat_map(|level| named_levels(level, Unit::BytesPerSecond)).collect()
    }

    /// Returns the claims if the device carries plimsoll's load.
    fn claims(&self, quantity: Quantity, device: &str) -> Vec<Level> {
        let Some(watched) = &self.analysis.watched else { return Vec::new() };
        if watched.load_device.as_ref().is_none_or(|place| place.name != device) {
            return Vec::new();
        }
        let (unit, factor) = match quantity {
            Quantity::Iops => (Unit::PerSecond, 1.0),
            Quantity::BytesPerSecond => (Unit::BytesPerSecond, 1.0),
            Quantity::MeanLatency | Quantity::PercentileLatency => (Unit::Seconds, 1e-9),
        };
        let by = crate::words::terminal::claimed_by(self.run);
        let rows = watched.contract.iter().filter(|row| row.quantity == quantity);
        rows.map(|row| {
            let value = row.claimed.value * factor;
            let way = match row.direction {
                Some(Direction::Read) => "read ",
                Some(Direction::Write) => "write ",
                _ => "",
            };
            Level { value, label: format!("{by} {way}{}", engineering::value(unit, value)), ink: Ink::Claim }
        })
        .collect()
    }
}

/// Returns the visible lines: drops lines that are zero throughout, whose names and marks would hide the others. If
/// all lines are zero, keeps the first.
pub(crate) fn seen<T>(mut known: Vec<T>, is_zero: impl Fn(&T) -> bool) -> Vec<T> {
    if known.iter().all(&is_zero) {
        known.truncate(1);
    } else {
        known.retain(|line| !is_zero(line));
    }
    known
}

/// Returns `zero throughout: d/s, drqm/s`; empty without names.
fn zero_words(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!("zero throughout: {}", names.join(", ")) }
}

/// Most levels in a chart: more lines across it would hide the data.
const LEVELS_MAX: usize = 4;

/// Returns the levels of a measured limit: for reads and writes if they are limited separately, or else for both
/// together.
fn named_levels(level: &analysis::Level, unit: Unit) -> Vec<Level> {
    let ways = [("read", level.read), ("write", level.write)];
    let mut found: Vec<(&str, f64)> =
        ways.iter().filter_map(|(way, held)| held.map(|held| (*way, held.value))).collect();
    if found.is_empty() {
        found.push(("all", level.all.value));
    }
    let held = |(way, value): (&str, f64)| Level {
        value,
        label: format!("{way} held {}", engineering::value(unit, value)),
        ink: Ink::Marker,
    };
    found.into_iter().map(held).collect()
}

/// Returns a line through spans that have one value each, or else the closed outline of their greatest and least
/// values.
fn outline(spans: &[Bucket], middle: &dyn Fn(Nanos, Nanos) -> f64, area: Area) -> Segment {
    let mut upper = Vec::new();
    spans.iter().for_each(|span| push(&mut upper, (middle(span.from, span.to), span.max)));
    if spans.iter().all(|span| span.min == span.max) {
        return upper.into();
    }
    if let [span] = spans {
        return vec![(upper[0].0, span.min), upper[0]].into();
    }
    let mut lower = Vec::new();
    spans.iter().rev().for_each(|span| push(&mut lower, (middle(span.from, span.to), span.min)));
    let start = upper.first().copied();
    Segment { points: upper.into_iter().chain(lower).chain(start).collect(), area }
}

/// Adds a point; keeps only the two ends of a level stretch.
fn push(line: &mut Vec<(f64, f64)>, point: (f64, f64)) {
    match line.as_mut_slice() {
        [.., before, last] if before.1 == point.1 && last.1 == point.1 => *last = point,
        _ => line.push(point),
    }
}

/// Returns shapes along a line, so that lines can be distinguished in print without colour.
fn shape(ink: Ink) -> Dots {
    match ink {
        Ink::Read | Ink::User => Dots::Along(Shape::Circle),
        Ink::Write | Ink::System => Dots::Along(Shape::Square),
        Ink::Discard | Ink::Nice => Dots::Along(Shape::Triangle),
        Ink::ReadMerged | Ink::Iowait => Dots::Along(Shape::Ring),
        Ink::WriteMerged | Ink::Steal => Dots::Along(Shape::Frame),
        Ink::DiscardMerged => Dots::Along(Shape::Cross),
        _ => Dots::None,
    }
}
