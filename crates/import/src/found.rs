//! One result of another tool as found in an input, before it becomes a run.

use record::{
    Along, ExceededWhile, Figure, HostFacts, LatencyKind, Measure, NamedFigure, ObservedMachine,
    ReportedDirection, ReportedLatency, ReportedPart, ReportedSeries, ReportedUnit, Sample, Scope,
};
use workload::Direction;

/// One result: the output of one call of the tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ImportedResult {
    /// The tool with its version and form, such as `fio 1.59 text`.
    pub tool: String,
    /// Whether the version is inferred from the form, because no line states it.
    pub tool_is_guessed: bool,
    /// Parts in the order of the input.
    pub parts: Vec<ReportedPart>,
    /// Notes for the reader besides the figures.
    pub notes: Vec<String>,
    /// Start in milliseconds since 1970; zero if unknown.
    pub started_unix_ms: u64,
    /// Time of printing, if known, in milliseconds since 1970.
    pub printed_unix_ms: Option<u64>,
    /// The machine, if known.
    pub host: Option<HostFacts>,
    /// Series of the machine, if the tool watched one.
    pub observed: Option<ObservedMachine>,
    /// How long volumes counted that their limits were exceeded.
    pub exceeded: Vec<ExceededWhile>,
    /// Raw counters of the machine, if the tool printed those.
    pub samples: Vec<Sample>,
    /// Offset of the beginning, by which the results of one input are ordered.
    pub at: usize,
}

impl ImportedResult {
    /// Returns a result of `tool` without parts, which begins at an offset.
    pub fn begun(tool: impl Into<String>, at: usize) -> ImportedResult {
        ImportedResult { tool: tool.into(), at, ..ImportedResult::default() }
    }

    /// Whether the result has any figure.
    pub fn says_something(&self) -> bool {
        let reported = self.parts.iter().any(|part| {
            !part.figures.is_empty() || !part.series.is_empty() || part.directions.iter().any(has_figures)
        });
        reported || self.observed.is_some() || !self.samples.is_empty()
    }

    /// Returns the names and process ids of the jobs, which two prints of the same run share.
    pub fn jobs(&self) -> Vec<(&str, &str)> {
        let jobs = self.parts.iter().filter(|part| part.scope == Scope::Job);
        jobs.map(|part| {
            let pid = part.said.iter().find(|(name, _)| name == "pid");
            (part.job.as_str(), pid.map_or("", |(_, pid)| pid.as_str()))
        })
        .collect()
    }
}

fn has_figures(part: &ReportedDirection) -> bool {
    let own = [&part.bytes, &part.ops, &part.iops, &part.bytes_per_second, &part.runtime];
    own.iter().any(|figure| figure.is_some()) || !part.figures.is_empty() || !part.latencies.is_empty()
}

/// Most figures kept in a list, several times as many as any tool prints there; the others are dropped.
const FIGURES_MOST: usize = 512;

/// Adds `figure` under `name`, unless the figure is missing or the name is taken: the first figure counts.
pub(crate) fn add(
    list: &mut Vec<NamedFigure>,
    name: impl Into<String>,
    unit: ReportedUnit,
    figure: Option<Figure>,
) {
    let name = name.into();
    let is_new = |_: &Figure| list.len() < FIGURES_MOST && list.iter().all(|named| named.name != name);
    if let Some(figure) = figure.filter(is_new) {
        list.push(NamedFigure { name, unit, figure });
    }
}

/// Returns the part of `direction`, added if missing.
pub(crate) fn way(part: &mut ReportedPart, direction: Option<Direction>) -> &mut ReportedDirection {
    let index = part.directions.iter().position(|known| known.direction == direction).unwrap_or_else(|| {
        part.directions.push(ReportedDirection::new(direction));
        part.directions.len() - 1
    });
    &mut part.directions[index]
}

/// Returns the latencies of `kind`, added if missing.
pub(crate) fn latency(way: &mut ReportedDirection, kind: LatencyKind) -> &mut ReportedLatency {
    let index = way.latencies.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
        way.latencies.push(ReportedLatency::new(kind));
        way.latencies.len() - 1
    });
    &mut way.latencies[index]
}

/// Returns the series of a direction along an axis, added if missing.
pub(crate) fn series(
    list: &mut Vec<ReportedSeries>,
    measure: Measure,
    direction: Option<Direction>,
    along: Along,
) -> &mut ReportedSeries {
    let same = |known: &ReportedSeries| known.direction == direction && known.along == along;
    let index = list.iter().position(same).unwrap_or_else(|| {
        let (points, histograms, source) = (Vec::new(), Vec::new(), String::new());
        list.push(ReportedSeries { measure, direction, along, points, histograms, source });
        list.len() - 1
    });
    &mut list[index]
}

/// Stores a percentile; the 0th and the 100th are the minimum and the maximum.
pub(crate) fn percentile(latency: &mut ReportedLatency, percent: f64, figure: Figure) {
    match percent {
        0.0 => set(&mut latency.min, Some(figure)),
        100.0 => set(&mut latency.max, Some(figure)),
        between => latency.percentiles.push((between, figure)),
    }
}

/// Sets `place` unless it already holds a figure.
pub(crate) fn set(place: &mut Option<Figure>, figure: Option<Figure>) {
    if place.is_none() {
        *place = figure;
    }
}
