//! One result of another tool as it was found in an input, on its way to a run.

use record::{
    Along, Figure, HostFacts, LatencyKind, Measure, NamedFigure, Observed, Reported, ReportedDirection,
    ReportedLatency, ReportedSeries, ReportedUnit, Sample, Scope,
};
use workload::Direction;

/// One result: what one call of the tool printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// `fio 1.59 text`.
    pub tool: String,
    /// Whether the version is told by the form alone, as no line names it.
    pub tool_is_guessed: bool,
    /// In the order of the input.
    pub parts: Vec<Reported>,
    /// What a reader should know beside the figures.
    pub notes: Vec<String>,
    /// When it started, zero where that is not said.
    pub started_unix_ms: u64,
    /// When it was printed, where that is said.
    pub printed_unix_ms: Option<u64>,
    /// The machine, where it is told.
    pub host: Option<HostFacts>,
    /// Series of the machine, where the tool watched one.
    pub observed: Option<Observed>,
    /// Raw counters of the machine, where those are what was printed.
    pub samples: Vec<Sample>,
    /// Where it begins: an offset that orders results of one input.
    pub at: usize,
}

impl Found {
    /// True where there is a figure in it.
    pub fn says_something(&self) -> bool {
        let reported = self.parts.iter().any(|part| {
            !part.figures.is_empty() || !part.series.is_empty() || part.directions.iter().any(has_figures)
        });
        reported || self.observed.is_some() || !self.samples.is_empty()
    }

    /// Names of its jobs with their process ids: what two prints of the same run have in common.
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

/// Several times as many as any tool prints of one thing; those beyond are left out.
const FIGURES_MOST: usize = 512;

/// Adds `figure` under `name`, unless there is none or the name is taken: what stands first counts.
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

/// The part of `direction`, made where there is none.
pub(crate) fn way(part: &mut Reported, direction: Option<Direction>) -> &mut ReportedDirection {
    let index = part.directions.iter().position(|known| known.direction == direction).unwrap_or_else(|| {
        part.directions.push(ReportedDirection::new(direction));
        part.directions.len() - 1
    });
    &mut part.directions[index]
}

/// The latencies of `kind`, made where there are none.
pub(crate) fn latency(way: &mut ReportedDirection, kind: LatencyKind) -> &mut ReportedLatency {
    let index = way.latencies.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
        way.latencies.push(ReportedLatency::new(kind));
        way.latencies.len() - 1
    });
    &mut way.latencies[index]
}

/// The series of that direction along that axis, made where there is none.
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

/// Puts a percentile in its place: the least and the greatest are moments.
pub(crate) fn percentile(latency: &mut ReportedLatency, percent: f64, figure: Figure) {
    match percent {
        0.0 => set(&mut latency.min, Some(figure)),
        100.0 => set(&mut latency.max, Some(figure)),
        between => latency.percentiles.push((between, figure)),
    }
}

/// Keeps what was found before.
pub(crate) fn set(place: &mut Option<Figure>, figure: Option<Figure>) {
    if place.is_none() {
        *place = figure;
    }
}
