//! The sections of a watched machine: contract, phases, the decisive chart, overload, every device, plimsoll's own
//! load.

use analysis::{Analysis, Finding, Place, WatchFigures};
use record::Run;

use super::findings::found;
use super::parts::{above, figure, note, scrolled_as, section};
use super::shown::Figures;
use crate::charts::{DeviceChart, Part, PictureOptions, RELATIONS, Source, View, drawn};
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::findings::{FindingChart, told};
use crate::words::sentence::capital;
use crate::words::watch_tables;

/// Most devices whose charts are all unfolded; with more, only the decisive device's charts are.
const OPEN_MAX: usize = 4;

/// Note for paper, which cannot unfold anything.
const FOLDED: &str =
    "The tables and charts of devices that are folded are not printed: open them in the page first.";

/// Whether the machine was watched, by plimsoll or by another tool.
pub(super) fn is_watch(run: &Run) -> bool {
    !run.phases.is_empty() || !run.devices.is_empty() || run.observed.is_some()
}

/// Returns the sections below the tiles: those that answer the user's question, the findings, then every device.
pub(super) fn sections((run, analysis): (&Run, &Analysis), options: &PictureOptions) -> Markup {
    let page = Page { view: View::of(run, analysis, options.clone()), run, analysis };
    let none = WatchFigures::default();
    let watched = analysis.watched.as_ref().unwrap_or(&none);
    let decisive = page.decisive();
    let overload = page.overload();
    // Overload has its own charts, which then lead; the device's series follow further down.
    let first = if overload.is_empty() { decisive.as_ref() } else { None };
    markup![
        overload,
        section("The chart that decides", first.map(series_figure).into()),
        contract(watched),
        headed("The load", &watch_tables::load(watched)),
        found(analysis, &page.figures()),
        page.glance(),
        page.phases(watched),
        page.relations(),
        section("The machine", page.view.cpu().as_ref().map(series_figure).into()),
        page.devices(watched, (decisive.as_ref(), first)),
    ]
}

struct Page<'p> {
    view: View<'p>,
    run: &'p Run,
    analysis: &'p Analysis,
}

impl Page<'_> {
    /// Returns the chart that the weightiest finding rests on; without one, the rates of the device under
    /// plimsoll's load.
    fn decisive(&self) -> Option<DeviceChart> {
        let found = self.analysis.findings.iter().find_map(shown);
        let load = self.analysis.watched.as_ref().and_then(|watched| watched.load_device.as_ref());
        let told = found.or(load.map(|place| (place, "iops"))).map(|(place, id)| (place.name.as_str(), id));
        // Otherwise the busiest device is the one that matters.
        let (device, id) = told.or_else(|| Some((self.view.busiest()?, "iops")))?;
        self.view.charts(device).into_iter().find(|chart| chart.definition.id == id)
    }

    /// Returns the figures of devices by phase: of the device under load if there is one, or else of all devices
    /// over the whole watch.
    fn phases(&self, watched: &WatchFigures) -> Markup {
        match (&watched.load_device, watched.phases.as_slice()) {
            (Some(place), _) => {
                let head = format!("{} by phase", self.view.name_of(&place.name));
                headed(&head, &watch_tables::device(watched, &place.name))
            }
            (None, []) => Markup::default(),
            (None, phases) => {
                let called = |name: &str| self.view.name_of(name);
                let table = |phase: &analysis::PhaseFigures| {
                    let head = match phase.kind {
                        None => "Devices over the whole time".to_owned(),
                        Some(_) => format!("Devices: {}", phase.name),
                    };
                    headed(&head, &watch_tables::devices(phase, self.view.devices(), &called))
                };
                phases.iter().map(table).collect()
            }
        }
    }

    /// Returns every figure that the page draws, of devices and of the machine.
    fn figures(&self) -> Figures {
        let of = |device: &str| {
            let named = self.view.titles(device).into_iter();
            named.map(|(chart, title)| (figure_name(device, chart.id), title)).collect::<Vec<_>>()
        };
        // The CPUs are listed as a device without a name.
        let devices = self.view.devices().iter().copied().chain([""]);
        Figures::of(self.run, devices.flat_map(of).collect())
    }

    fn overload(&self) -> Markup {
        let source = Source { run: self.run, analysis: self.analysis, view: Some(&self.view) };
        let charts = drawn(&source, &[Part::Asked, Part::SideBySide]);
        section("Overload", charts.iter().map(figure).collect())
    }

    /// Returns small charts of every device but the busiest; nothing if the device under plimsoll's load is known.
    fn glance(&self) -> Markup {
        let source = Source { run: self.run, analysis: self.analysis, view: Some(&self.view) };
        section("All devices", drawn(&source, &[Part::Devices]).iter().map(figure).collect())
    }

    fn relations(&self) -> Option<Markup> {
        let drawing = self.view.relations()?;
        let lines = self.view.relation_words();
        let items: Markup = lines.iter().map(|line| element("li").holding(line)).collect();
        let summary = element("summary").holding("The same in words");
        let words = element("details").line(markup![summary, element("ul").holding(items)]);
        let figure = element("figure").with("id", "relations");
        Some(section(RELATIONS, figure.line(markup!["\n", drawing.svg(), "\n", words])))
    }

    /// Returns every device, unfolded if there are few or if it has the decisive chart. The chart `first` is shown
    /// further up, so it becomes a link here.
    fn devices(
        &self,
        watched: &WatchFigures,
        (decisive, first): (Option<&DeviceChart>, Option<&DeviceChart>),
    ) -> Markup {
        let devices = self.view.devices();
        let folded = devices.len() > OPEN_MAX;
        let device = |device: &&str| {
            let open = !folded || decisive.is_some_and(|chart| chart.device == **device);
            self.device(device, watched, (open, first))
        };
        let sections: Markup = devices.iter().map(device).collect();
        let word = folded.then(|| element("p").with("class", "note paper").line(FOLDED));
        if sections.is_empty() { sections } else { section("Devices", markup![word, sections]) }
    }

    fn device(
        &self,
        device: &str,
        watched: &WatchFigures,
        shown: (bool, Option<&DeviceChart>),
    ) -> Option<Markup> {
        let (open, first) = shown;
        let figure = |chart: &DeviceChart| match first == Some(chart) {
            true => above(&chart.title, &name(chart)),
            false => series_figure(chart),
        };
        let figures: Markup = self.view.charts(device).iter().map(figure).collect();
        if figures.is_empty() {
            return None;
        }
        let told = watched.load_device.as_ref().is_some_and(|place| place.name == device);
        let table = watch_tables::device(watched, device);
        let table = (!told).then(|| scrolled_as(&table, &format!("{} by phase", self.view.name_of(device))));
        let details = element("details").with("class", "device");
        let details = if open { details.flag("open") } else { details };
        let summary = element("summary").line(self.view.name_of(device));
        Some(details.line(markup![summary, table, figures]))
    }
}

/// Returns the claims in the phases to which they apply, and a sentence on the phases in which more was asked than
/// is claimed.
fn contract(watched: &WatchFigures) -> Markup {
    let rows = scrolled_as(&filled(&watch_tables::contract(watched)), "The contract by phase");
    section("The contract", markup![rows, watch_tables::beyond(watched).map(note)])
}

/// Returns a figure whose drawing the zoom script replaces.
fn series_figure(chart: &DeviceChart) -> Markup {
    let figure = element("figure")
        .with("class", "series")
        .with("id", name(chart))
        .with("data-device", &chart.device)
        .with("data-chart", chart.definition.id);
    let caption = markup![
        element("span").with("class", "where").holding(&chart.number),
        " ",
        &chart.title,
        element("span").with("class", "where drawn").holding(&chart.note),
    ];
    let zeros = (!chart.zeros.is_empty()).then(|| note(format!("{}.", capital(&chart.zeros))));
    figure.line(markup![
        "\n",
        element("figcaption").line(caption),
        chart.drawing.on_page(&name(chart)),
        "\n",
        zeros
    ])
}

fn name(chart: &DeviceChart) -> String {
    figure_name(&chart.device, chart.definition.id)
}

/// Returns the id of a chart's element.
fn figure_name(device: &str, id: &str) -> String {
    if device.is_empty() { format!("machine-{id}") } else { format!("{device}-{id}") }
}

/// Returns the device and the chart that show what a finding says.
fn shown(finding: &Finding) -> Option<(&Place, &'static str)> {
    match told(finding).shown {
        FindingChart::OfDevice(place, chart) => Some((place, chart)),
        FindingChart::OfRun(_) | FindingChart::Nowhere => None,
    }
}

/// Returns a table under its heading without its empty columns; nothing without rows.
fn headed(head: &str, table: &Table) -> Markup {
    section(head, scrolled_as(&filled(table), head))
}

fn filled(table: &Table) -> Table {
    let kept =
        |column: &usize| table.rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()));
    let columns: Vec<usize> = (0..table.head.len()).filter(kept).collect();
    let of = |row: &Vec<String>| columns.iter().filter_map(|&column| row.get(column).cloned()).collect();
    Table { head: of(&table.head), rows: table.rows.iter().map(of).collect() }
}
