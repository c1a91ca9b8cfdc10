//! The charts of a run as rows of data: everything that page, picture files and zoom know about each chart.
//!
//! A new chart needs a row and the function that draws it. Charts of watched devices are rows of `definitions`, in
//! which even the lines are data.

use analysis::Analysis;
use record::Run;
use workload::Nanos;

use super::chart::Chart;
use super::series::{self, MeasuredChart, Steps};
use super::view::View;
use super::{by_depth, ladders, machine, over_time, reported};
use crate::answers::{burst, headroom, map, places, soak, together};
use crate::words::messages::message;

/// A chart of a run.
pub(crate) struct ChartOfRun {
    /// Identifier within a page and in file names.
    pub id: &'static str,
    /// Section of a page that shows the chart.
    pub part: Part,
    /// Whether the chart is written to picture files.
    pub files: Files,
    /// Rank among the charts that a verdict can rest on if no finding points to a chart; of the charts that the run
    /// has, the one with the lowest rank is chosen.
    pub decides: Option<u8>,
    /// Computes the values of the chart, if a page can zoom it.
    pub zoom: Option<fn(&Steps<'_>) -> MeasuredChart>,
    /// Draws the chart; `None` if the run has no data for it.
    pub draw: fn(&Source<'_>) -> Option<Chart>,
}

/// Data from which a chart is drawn.
pub(crate) struct Source<'r> {
    pub run: &'r Run,
    pub analysis: &'r Analysis,
    /// Drawn part of the machine's recording, if the machine was watched.
    pub view: Option<&'r View<'r>>,
}

/// The parts of a page that contain charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Answer of a procedure.
    Answer,
    /// Requested and delivered rates of a watched volume.
    Asked,
    /// Every device of a watched machine, in small panels.
    Devices,
    /// The phases of an overload side by side.
    SideBySide,
    /// The load against time.
    Time,
    /// The ladder of queue depths.
    Depth,
    /// The ladder of block sizes.
    Block,
    /// The distribution of latencies.
    Latency,
    /// Counters of the machine during the load.
    Machine,
    /// Output of another tool.
    Printed,
}

/// Whether a chart is written to picture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    /// Also in picture files, SVG and PNG.
    Written,
    /// Only in the page.
    PageAlone,
}

/// Returns a row with the settings that most charts have.
const fn row(id: &'static str, part: Part, draw: fn(&Source<'_>) -> Option<Chart>) -> ChartOfRun {
    ChartOfRun { id, part, files: Files::Written, decides: None, zoom: None, draw }
}

/// The charts in the order of the files' numbers, which is also their order within each part of a page.
pub(crate) static CHARTS_OF_RUNS: [ChartOfRun; 28] = [
    row("map", Part::Answer, |of| map::charts::heat(of.analysis)),
    row("map-blocks", Part::Answer, |of| map::charts::by_block(of.analysis)),
    row("at-a-glance", Part::Devices, |of| of.view?.at_a_glance()),
    row("overload", Part::SideBySide, |of| of.view?.overload()),
    row("latency-by-rate", Part::Answer, |of| headroom::charts::latency_by_rate(of.analysis)),
    row("soak", Part::Answer, |of| soak::charts::over_time(of.analysis)),
    row("overload-summary", Part::Asked, |of| of.view?.summary()),
    row("bucket-of-operations", Part::Answer, burst::charts::operations),
    row("bucket-of-bytes", Part::Answer, burst::charts::bytes),
    ChartOfRun {
        decides: Some(3),
        zoom: Some(series::rate),
        ..row("rate", Part::Time, |of| over_time::rate(of.run, of.analysis))
    },
    ChartOfRun {
        zoom: Some(series::bandwidth),
        ..row("bandwidth", Part::Time, |of| over_time::bandwidth(of.run, of.analysis))
    },
    ChartOfRun {
        zoom: Some(series::latency),
        ..row("latency", Part::Time, |of| over_time::latency(of.run, of.analysis))
    },
    ChartOfRun { decides: Some(1), ..row("depths", Part::Depth, |of| ladders::depths(of.run, of.analysis)) },
    row("by-depth", Part::Depth, |of| by_depth::by_depth(of.run)),
    ChartOfRun {
        decides: Some(2),
        ..row("blocks", Part::Block, |of| ladders::block_sizes(of.run, of.analysis))
    },
    row("percentiles", Part::Latency, |of| ladders::percentiles(of.analysis)),
    row("strip", Part::Answer, |of| places::charts::strip(of.analysis)),
    row("working-sets", Part::Answer, |of| places::charts::working_sets(of.analysis)),
    row("sequences", Part::Answer, |of| places::charts::tracks(of.analysis)),
    row("together", Part::Answer, |of| together::charts::alone_and_together(of.analysis)),
    row("together-steps", Part::Answer, |of| together::charts::shares_over_time(of.run, of.analysis)),
    ChartOfRun { files: Files::PageAlone, ..row("cpu", Part::Machine, |of| machine::cpu(of.run)) },
    ChartOfRun { files: Files::PageAlone, ..row("devices", Part::Machine, |of| machine::devices(of.run)) },
    row("reported-rate", Part::Printed, |of| reported::rate(of.run)),
    row("reported-bandwidth", Part::Printed, |of| reported::bandwidth(of.run)),
    row("reported-latency", Part::Printed, |of| reported::latency(of.run)),
    row("reported-requests", Part::Printed, |of| reported::requests(of.run)),
    row("reported-percentiles", Part::Printed, |of| reported::percentiles(of.run)),
];

impl ChartOfRun {
    /// Draws the chart with its message as title; `None` if the run has no data for it.
    pub fn chart(&self, source: &Source<'_>) -> Option<Chart> {
        let chart = (self.draw)(source)?;
        Some(chart.saying(message(self.id, source.analysis)))
    }
}

/// A chart for which there is data, with its row.
pub(crate) struct DrawnChart {
    pub row: &'static ChartOfRun,
    pub chart: Chart,
}

/// Returns the charts of these parts for which `source` has data, part by part, each part in the order of the
/// table.
pub(crate) fn drawn(source: &Source<'_>, parts: &[Part]) -> Vec<DrawnChart> {
    let rows = parts.iter().flat_map(|part| CHARTS_OF_RUNS.iter().filter(move |row| row.part == *part));
    rows.filter_map(|row| Some(DrawnChart { row, chart: row.chart(source)? })).collect()
}

/// The charts of a run against time, as data.
pub(crate) struct MeasuredSeries {
    /// Spans of the values, in ascending order; between two steps there is a span without values.
    pub spans: Vec<(Nanos, Nanos)>,
    /// Identifier and data of each chart.
    pub charts: Vec<(&'static str, MeasuredChart)>,
}

/// Returns the series of `run`'s steps for the charts that can be zoomed; `None` if the run has none.
pub(crate) fn measured_series(run: &Run, analysis: &Analysis) -> Option<MeasuredSeries> {
    let steps = Steps::of(run, analysis);
    let made = CHARTS_OF_RUNS.iter().filter_map(|row| Some((row.id, row.zoom?(&steps))));
    let charts: Vec<_> = made.filter(|(_, chart)| !chart.lines.is_empty()).collect();
    (!charts.is_empty()).then(|| MeasuredSeries { spans: steps.spans(), charts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_every_place_is_given_once() {
        let mut ids: Vec<&str> = CHARTS_OF_RUNS.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CHARTS_OF_RUNS.len());
        let mut places: Vec<u8> = CHARTS_OF_RUNS.iter().filter_map(|row| row.decides).collect();
        places.sort_unstable();
        assert_eq!(places, [1, 2, 3]);
    }
}
