//! Output of another tool, figure by figure, as it was printed: nothing here was measured or computed by plimsoll.

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::Distribution;

/// One number of another tool's output in base units: bytes, bytes per second, operations, operations per second,
/// nanoseconds, per cent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The number with its prefix and unit resolved; finite.
    pub value: f64,
    /// Value of one unit in the last printed digit: 102.4 KiB for `3070.5MB`, 100 for `33.2k`. The printed number
    /// differs from the tool's own by at most half a step, or by a whole step if the tool truncates instead of
    /// rounding.
    pub step: f64,
    /// Text as printed: `132862KB/s`.
    pub printed: String,
}

/// The part of another tool's result that a [`ReportedPart`] describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A job, or its clones if the tool adds them up.
    Job,
    /// One thread on one target (a row of DiskSpd's).
    Thread,
    /// Jobs that ran together (fio's run status group).
    Group,
    /// The whole result (DiskSpd's `total:`, fio's `All clients`).
    Whole,
    /// Counters of one block device over the run.
    Disk,
    /// Time of one CPU, or the average over CPUs.
    Cpu,
}

/// The name in [`ReportedPart::said`] of the date and time that the tool printed.
pub const PRINTED_AT: &str = "printed at";

/// One part of another tool's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedPart {
    /// Scope of the part.
    pub scope: Scope,
    /// Name of the job, `group 0`, the device, or the file requested.
    pub job: String,
    /// Number of the part's group, if the tool numbers groups.
    pub group: Option<u32>,
    /// Number of processes or threads added up in the part.
    pub clones: Option<u32>,
    /// Options of the job as the tool repeats them, under the tool's own names.
    pub asked: Vec<(String, String)>,
    /// Other text about the part: process id, date as printed ([`PRINTED_AT`]).
    pub said: Vec<(String, String)>,
    /// Run time.
    pub runtime: Option<Nanos>,
    /// Error that ended the part; `None` if it succeeded or the tool does not say.
    pub error: Option<ReportedError>,
    /// One entry per direction.
    pub directions: Vec<ReportedDirection>,
    /// Figures without a direction: CPU time, depths, counters of a device.
    pub figures: Vec<NamedFigure>,
    /// Values over time, if the tool prints them.
    pub series: Vec<ReportedSeries>,
    /// Line of the input on which the part begins, counted from 1.
    pub line: u32,
}

/// Failure of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedError {
    /// The errno or the tool's own error number.
    pub code: i64,
    /// The tool's message; empty if it has none.
    pub text: String,
}

/// One direction of a [`ReportedPart`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedDirection {
    /// Direction; `None` if the tool adds directions up or does not say.
    pub direction: Option<Direction>,
    /// Bytes moved.
    pub bytes: Option<Figure>,
    /// Completed operations.
    pub ops: Option<Figure>,
    /// Operations per second, on the basis of `basis`.
    pub iops: Option<Figure>,
    /// Bytes per second, on the basis of `basis`.
    pub bytes_per_second: Option<Figure>,
    /// Divisor of the rates.
    pub basis: RateBasis,
    /// Time over which this direction was counted, in nanoseconds; with [`RateBasis::Latency`], the sum of the
    /// latencies.
    pub runtime: Option<Figure>,
    /// Latencies, at most one entry per kind.
    pub latencies: Vec<ReportedLatency>,
    /// Other figures of this direction: bandwidth samples, short I/Os.
    pub figures: Vec<NamedFigure>,
}

/// Divisor of a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateBasis {
    /// Elapsed time.
    #[default]
    Elapsed,
    /// Sum of the latencies, which gives the rate at depth 1 without a pause (ioping's first line), not the actual
    /// rate of requests.
    Latency,
}

/// Latencies of one kind, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedLatency {
    /// Span that the latencies cover.
    pub kind: LatencyKind,
    /// Number of values.
    pub count: Option<Figure>,
    /// Least value.
    pub min: Option<Figure>,
    /// Greatest value.
    pub max: Option<Figure>,
    /// Mean.
    pub mean: Option<Figure>,
    /// Standard deviation.
    pub stddev: Option<Figure>,
    /// Percentiles: per cent (0 to 100) and the value at or below which that share lies, in rising order.
    pub percentiles: Vec<(f64, Figure)>,
    /// The tool's own histogram, if it prints one: nanoseconds and count, in rising order.
    pub bins: Vec<(u64, u64)>,
}

/// The span that a latency covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyKind {
    /// From start to submission (fio's slat).
    Submission,
    /// From submission to completion (fio's clat).
    Completion,
    /// From start to completion (fio's lat; ioping and DiskSpd print this one).
    #[default]
    Total,
}

/// A figure under its name on the page on imports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedFigure {
    /// Words joined by dots, the most general first: `cpu.user`, `depth.>=64`, `bandwidth.max`.
    pub name: String,
    /// Unit of the value.
    pub unit: ReportedUnit,
    /// The figure.
    pub figure: Figure,
}

/// Unit of a [`NamedFigure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedUnit {
    /// A plain number.
    Count,
    /// Per cent, 0 to 100.
    Percent,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// Operations per second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
}

/// Values over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedSeries {
    /// The quantity measured.
    pub measure: Measure,
    /// Direction; `None` if the tool does not say.
    pub direction: Option<Direction>,
    /// Meaning of a point's first number.
    pub along: Along,
    /// Position and value, in input order; the value is in bytes per second, operations per second or nanoseconds.
    pub points: Vec<(u64, f64)>,
    /// Position and histogram (nanoseconds and count); filled only for [`Measure::Histogram`].
    pub histograms: Vec<(u64, Vec<(u64, u64)>)>,
    /// File of the series; empty if it is part of the result itself.
    pub source: String,
}

/// The quantity that a [`ReportedSeries`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Bytes per second.
    BytesPerSecond,
    /// Operations per second.
    Iops,
    /// Latency from start to submission.
    SubmissionLatency,
    /// Latency from submission to completion.
    CompletionLatency,
    /// Latency from start to completion.
    TotalLatency,
    /// Histograms of completion latency, each over the completions since the previous one.
    Histogram,
}

/// Meaning of a point's first number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// Nanoseconds since the job began.
    Time,
    /// Nanoseconds since 1970, UTC.
    UnixTime,
    /// Number of the request, counted from 1.
    Request,
}

impl Figure {
    /// A figure printed in full, such as a count.
    pub fn exact(value: f64, printed: impl Into<String>) -> Figure {
        Figure { value, step: 1.0, printed: printed.into() }
    }
}

impl ReportedPart {
    /// A part of which only the scope, the name and the line are known.
    pub fn named(scope: Scope, job: impl Into<String>, line: u32) -> ReportedPart {
        ReportedPart {
            scope,
            job: job.into(),
            group: None,
            clones: None,
            asked: Vec::new(),
            said: Vec::new(),
            runtime: None,
            error: None,
            directions: Vec::new(),
            figures: Vec::new(),
            series: Vec::new(),
            line,
        }
    }

    /// Returns the entry for `direction`.
    pub fn of(&self, direction: Option<Direction>) -> Option<&ReportedDirection> {
        self.directions.iter().find(|part| part.direction == direction)
    }

    /// Returns the figure called `name`.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        named(&self.figures, name)
    }

    /// Returns the value of the option with the tool's own name `name`.
    pub fn asked_for(&self, name: &str) -> Option<&str> {
        self.asked.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
    }
}

impl ReportedDirection {
    /// A direction of which nothing is known yet.
    pub fn new(direction: Option<Direction>) -> ReportedDirection {
        ReportedDirection { direction, ..ReportedDirection::default() }
    }

    /// Returns the latencies of `kind`.
    pub fn latency(&self, kind: LatencyKind) -> Option<&ReportedLatency> {
        self.latencies.iter().find(|latency| latency.kind == kind)
    }

    /// Returns the latencies closest to what a user waits for: total, else completion.
    pub fn waited(&self) -> Option<&ReportedLatency> {
        self.latency(LatencyKind::Total).or_else(|| self.latency(LatencyKind::Completion))
    }

    /// Returns the latencies that have percentiles: total, else completion, else submission.
    pub fn with_percentiles(&self) -> Option<&ReportedLatency> {
        let filled = |kind| self.latency(kind).filter(|latency| !latency.percentiles.is_empty());
        filled(LatencyKind::Total)
            .or_else(|| filled(LatencyKind::Completion))
            .or_else(|| filled(LatencyKind::Submission))
    }

    /// Returns the figure called `name`.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        named(&self.figures, name)
    }
}

impl ReportedLatency {
    /// Latencies of which nothing is known yet.
    pub fn new(kind: LatencyKind) -> ReportedLatency {
        ReportedLatency { kind, ..ReportedLatency::default() }
    }

    /// Returns the value printed for `percent`.
    pub fn percentile(&self, percent: f64) -> Option<&Figure> {
        let found = self.percentiles.iter().find(|(asked, _)| (asked - percent).abs() < 1e-9);
        found.map(|(_, figure)| figure)
    }

    /// Returns the tool's own histogram in plimsoll's buckets, with the extremes that the tool printed; `None` if
    /// it printed no histogram. The tool's buckets are wider than plimsoll's (1.6 % of the value in fio), so the
    /// resulting percentiles are coarser.
    pub fn distribution(&self) -> Option<Distribution> {
        let (first, last) = (self.bins.first()?, self.bins.last()?);
        let whole = |figure: &Option<Figure>, other: u64| figure.as_ref().map_or(other, |f| f.value as u64);
        let (least, greatest) = (whole(&self.min, first.0), whole(&self.max, last.0));
        Some(Distribution::counted(&self.bins, least, greatest.max(least)))
    }
}

fn named<'a>(figures: &'a [NamedFigure], name: &str) -> Option<&'a Figure> {
    figures.iter().find(|named| named.name == name).map(|named| &named.figure)
}
