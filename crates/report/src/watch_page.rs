//! The sections of a watched machine: contract, phases, the chart that decides, overload, every device, the load of ours.

use analysis::{Analysis, Meaning, Place, Watched};
use record::Run;

use crate::charts::{Chart, DeviceChart, PictureOptions, View};
use crate::markup::{Table, escape};
use crate::watch_tables;

/// With more devices than this their charts are folded, but for the one that matters.
const OPEN_MAX: usize = 4;

/// What paper cannot show.
const FOLDED: &str = "<p class=\"note paper\">The tables and charts of devices that are folded are not printed: open them in the page first.</p>\n";

/// True where the machine was watched, by us or by another tool.
pub(crate) fn is_watch(run: &Run) -> bool {
    !run.phases.is_empty() || !run.devices.is_empty() || run.observed.is_some()
}

/// The sections below the findings, what was asked and decided before what every device did; `figure` writes a chart with its table.
pub(crate) fn sections(
    (run, analysis): (&Run, &Analysis),
    options: &PictureOptions,
    figure: &dyn Fn(&Chart) -> String,
) -> String {
    let page = Page { view: View::of(run, analysis, options.clone()), analysis, figure };
    let none = Watched::default();
    let watched = analysis.watched.as_ref().unwrap_or(&none);
    let decisive = page.decisive();
    [
        contract(watched),
        titled("The load", &watch_tables::load(watched)),
        decisive.as_ref().map_or_else(String::new, |chart| {
            format!("<h2>The chart that decides</h2>\n{}", series_figure(chart))
        }),
        page.overload(),
        page.phases(watched),
        page.relations(),
        page.machine(),
        page.devices(watched, decisive.as_ref()),
    ]
    .concat()
}

struct Page<'p> {
    view: View<'p>,
    analysis: &'p Analysis,
    figure: &'p dyn Fn(&Chart) -> String,
}

impl Page<'_> {
    /// The chart that shows what the weightiest finding rests on; without one the rates of the device under our load.
    fn decisive(&self) -> Option<DeviceChart> {
        let found = self.analysis.findings.iter().find_map(|finding| shown(&finding.meaning));
        let load = self.analysis.watched.as_ref().and_then(|watched| watched.load_device.as_ref());
        let (device, id) = found.or(load.map(|place| (place, "iops")))?;
        self.view.charts(&device.name).into_iter().find(|chart| chart.definition.id == id)
    }

    /// What devices did by phase: the device under load where there is one, else all of them over the whole watch.
    fn phases(&self, watched: &Watched) -> String {
        match (&watched.load_device, watched.phases.as_slice()) {
            (Some(place), _) => {
                let head = format!("{} by phase", self.view.name_of(&place.name));
                titled(&head, &watch_tables::device(watched, &place.name))
            }
            (None, []) => String::new(),
            (None, phases) => {
                let called = |name: &str| self.view.name_of(name);
                let table = |phase: &analysis::PhaseFigures| {
                    let head = match phase.kind {
                        None => "Devices over the whole time".to_owned(),
                        Some(_) => format!("Devices: {}", phase.name),
                    };
                    titled(&head, &watch_tables::devices(phase, self.view.devices(), &called))
                };
                phases.iter().map(table).collect()
            }
        }
    }

    fn overload(&self) -> String {
        let charts = [self.view.summary(), self.view.overload()];
        let figures: String = charts.iter().flatten().map(self.figure).collect();
        if figures.is_empty() { figures } else { format!("<h2>Overload</h2>\n{figures}") }
    }

    fn relations(&self) -> String {
        let Some(drawing) = self.view.relations() else { return String::new() };
        let lines = self.view.relation_words();
        let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
        format!(
            "<h2>How the devices stand on each other</h2>\n<figure id=\"relations\">\n{drawing}\n<details><summary>The same in words</summary><ul>{items}</ul></details>\n</figure>\n"
        )
    }

    fn machine(&self) -> String {
        let chart = self.view.cpu();
        chart.map_or_else(String::new, |chart| format!("<h2>The machine</h2>\n{}", series_figure(&chart)))
    }

    fn devices(&self, watched: &Watched, decisive: Option<&DeviceChart>) -> String {
        let devices = self.view.devices();
        let folded = devices.len() > OPEN_MAX;
        let section = |device: &&str| {
            let open = !folded || decisive.is_some_and(|chart| chart.device == **device);
            self.device(device, watched, (open, decisive))
        };
        let sections: String = devices.iter().map(section).collect();
        let word = if folded { FOLDED } else { "" };
        if sections.is_empty() { sections } else { format!("<h2>Devices</h2>\n{word}{sections}") }
    }

    fn device(&self, device: &str, watched: &Watched, shown: (bool, Option<&DeviceChart>)) -> String {
        let (open, decisive) = shown;
        let figure = |chart: &DeviceChart| match decisive == Some(chart) {
            true => format!(
                "<p class=\"note\">{}: <a href=\"#{}\">above</a>.</p>\n",
                escape(&chart.title),
                name(chart)
            ),
            false => series_figure(chart),
        };
        let figures: String = self.view.charts(device).iter().map(figure).collect();
        if figures.is_empty() {
            return String::new();
        }
        let table = watch_tables::device(watched, device);
        let table = if watched.load_device.as_ref().is_some_and(|place| place.name == device) {
            String::new()
        } else {
            scrolled(&table)
        };
        format!(
            "<details class=\"device\"{}><summary>{}</summary>\n{table}{figures}</details>\n",
            if open { " open" } else { "" },
            escape(&self.view.name_of(device))
        )
    }
}

/// The claims where they count, and a sentence on the phases where more was asked than is claimed.
fn contract(watched: &Watched) -> String {
    let table = titled("The contract", &watch_tables::contract(watched));
    match watch_tables::beyond(watched) {
        None => table,
        Some(words) if table.is_empty() => {
            format!("<h2>The contract</h2>\n<p class=\"note\">{}</p>\n", escape(&words))
        }
        Some(words) => format!("{table}<p class=\"note\">{}</p>\n", escape(&words)),
    }
}

/// A figure whose drawing the zoom replaces.
fn series_figure(chart: &DeviceChart) -> String {
    format!(
        "<figure class=\"series\" id=\"{}\" data-device=\"{}\" data-chart=\"{}\">\n<figcaption><span class=\"where\">{}</span> {}<span class=\"where drawn\">{}</span></figcaption>\n{}\n</figure>\n",
        name(chart),
        escape(&chart.device),
        chart.definition.id,
        chart.number,
        escape(&chart.title),
        chart.note,
        chart.svg
    )
}

fn name(chart: &DeviceChart) -> String {
    match chart.device.is_empty() {
        true => format!("machine-{}", chart.definition.id),
        false => escape(&format!("{}-{}", chart.device, chart.definition.id)),
    }
}

/// The device and the chart that show what a finding says.
fn shown(meaning: &Meaning) -> Option<(&Place, &'static str)> {
    match meaning {
        Meaning::HeldOperations { device, .. }
        | Meaning::ThrottledAboveNominal { device, bytes: false, .. }
        | Meaning::HeldLevelFell { device, bytes: false, .. } => Some((device, "iops")),
        Meaning::HeldBytes { device, .. }
        | Meaning::ThrottledAboveNominal { device, .. }
        | Meaning::HeldLevelFell { device, .. } => Some((device, "traffic")),
        Meaning::SerialApplication { device, .. }
        | Meaning::ThrottledAboveDevice { device, .. }
        | Meaning::BackendSlow { device, .. }
        | Meaning::FlushBound { device, .. }
        | Meaning::CpuStarved { device, .. } => Some((device, "latency")),
        Meaning::QueueFull { device, .. } => Some((device, "sizes")),
        Meaning::StorageIdle { device, .. } => Some((device, "utilisation")),
        _ => None,
    }
}

fn scrolled(table: &Table) -> String {
    if table.rows.is_empty() {
        String::new()
    } else {
        format!("<div class=\"scroll\">{}</div>\n", table.html())
    }
}

/// A table under its heading; nothing where it has no row. Columns in which nothing stands are left out.
fn titled(head: &str, table: &Table) -> String {
    let table = filled(table);
    match table.rows.is_empty() {
        true => String::new(),
        false => format!("<h2>{}</h2>\n{}", escape(head), scrolled(&table)),
    }
}

fn filled(table: &Table) -> Table {
    let kept =
        |column: &usize| table.rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()));
    let columns: Vec<usize> = (0..table.head.len()).filter(kept).collect();
    let of = |row: &Vec<String>| columns.iter().filter_map(|&column| row.get(column).cloned()).collect();
    Table { head: of(&table.head), rows: table.rows.iter().map(of).collect() }
}
