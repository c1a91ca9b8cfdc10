//! What another tool printed, figure by figure, as it printed it: nothing here was measured or computed by plimsoll.

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::Distribution;

/// One number of another tool's output, in base units: bytes, bytes a second, operations, operations a second,
/// nanoseconds, per cent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The number, with its prefix and unit resolved; finite.
    pub value: f64,
    /// What one unit of the last digit is worth that was printed: 102.4 KiB for `3070.5MB`, 100 for `33.2k`. Half of it is
    /// how far the printed number may lie from the tool's own, or all of it where the tool cuts instead of rounding.
    pub step: f64,
    /// As it was printed: `132862KB/s`.
    pub printed: String,
}

/// What part of the other tool's result a [`Reported`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A job, or the clones of one that the tool adds up.
    Job,
    /// One thread on one target (DiskSpd's rows).
    Thread,
    /// Jobs that ran together (fio's run status group).
    Group,
    /// Everything of the result together (DiskSpd's `total:`, fio's `All clients`).
    Whole,
    /// The counters of one block device over the run.
    Disk,
    /// The time of one CPU, or their average.
    Cpu,
}

/// The name in [`Reported::said`] of the date and time that the tool printed.
pub const PRINTED_AT: &str = "printed at";

/// One part of what another tool printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// What it stands for.
    pub scope: Scope,
    /// Name of the job, `group 0`, the device, the file that was requested.
    pub job: String,
    /// Number of its group where the tool counts groups.
    pub group: Option<u32>,
    /// Processes or threads that are added up in it.
    pub clones: Option<u32>,
    /// Options of the job as the tool repeats them, by the tool's own names.
    pub asked: Vec<(String, String)>,
    /// Other words about it: process id, date as printed ([`PRINTED_AT`]).
    pub said: Vec<(String, String)>,
    /// How long it ran.
    pub runtime: Option<Nanos>,
    /// The error it ended with; `None` where it ended well or nothing is said.
    pub error: Option<ReportedError>,
    /// One a direction.
    pub directions: Vec<ReportedDirection>,
    /// Figures that belong to no direction: CPU time, depths, counters of a device.
    pub figures: Vec<NamedFigure>,
    /// What it was from moment to moment, where the tool says.
    pub series: Vec<ReportedSeries>,
    /// Line of the input on which it begins, from 1.
    pub line: u32,
}

/// How a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedError {
    /// The errno or the tool's own number.
    pub code: i64,
    /// The tool's words, empty where it has none.
    pub text: String,
}

/// One direction of a [`Reported`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedDirection {
    /// Which way; `None` where the tool adds directions up or does not tell.
    pub direction: Option<Direction>,
    /// Bytes moved.
    pub bytes: Option<Figure>,
    /// Operations that ended.
    pub ops: Option<Figure>,
    /// Operations a second, see `basis`.
    pub iops: Option<Figure>,
    /// Bytes a second, see `basis`.
    pub bytes_per_second: Option<Figure>,
    /// What the rates are divided by.
    pub basis: RateBasis,
    /// How long this direction was counted, in nanoseconds; with [`RateBasis::Latency`] the latencies added up.
    pub runtime: Option<Figure>,
    /// At most one a kind.
    pub latencies: Vec<ReportedLatency>,
    /// Other figures of this direction: samples of its bandwidth, short I/Os.
    pub figures: Vec<NamedFigure>,
}

/// What a rate is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateBasis {
    /// Time that passed.
    #[default]
    Elapsed,
    /// The latencies added up: the rate at depth 1 without a pause (ioping's first line), not the rate of requests.
    Latency,
}

/// Latencies of one kind, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedLatency {
    /// From when to when.
    pub kind: LatencyKind,
    /// Values counted.
    pub count: Option<Figure>,
    /// The least.
    pub min: Option<Figure>,
    /// The greatest.
    pub max: Option<Figure>,
    /// The mean.
    pub mean: Option<Figure>,
    /// The standard deviation.
    pub stddev: Option<Figure>,
    /// Per cent (0 to 100) and the value at or below which so many lie, rising.
    pub percentiles: Vec<(f64, Figure)>,
    /// Nanoseconds and how many: the tool's own histogram, where it prints one; rising.
    pub bins: Vec<(u64, u64)>,
}

/// From when to when a latency was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyKind {
    /// Until it was submitted (fio's slat).
    Submission,
    /// From then until it was done (fio's clat).
    Completion,
    /// The whole (fio's lat; what ioping and DiskSpd print).
    #[default]
    Total,
}

/// A figure with the name that the page on imports gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedFigure {
    /// Words with dots between them, the general one first: `cpu.user`, `depth.>=64`, `bandwidth.max`.
    pub name: String,
    /// Unit of the value.
    pub unit: ReportedUnit,
    /// The figure.
    pub figure: Figure,
}

/// Units of a [`NamedFigure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedUnit {
    /// A plain number.
    Count,
    /// 0 to 100.
    Percent,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// Operations a second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
}

/// Values from moment to moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedSeries {
    /// What is measured.
    pub measure: Measure,
    /// Which way; `None` where the tool does not tell.
    pub direction: Option<Direction>,
    /// What the first number of a point is.
    pub along: Along,
    /// Place and value, in the order of the input: bytes a second, operations a second, nanoseconds.
    pub points: Vec<(u64, f64)>,
    /// Place and histogram (nanoseconds and how many), of [`Measure::Histogram`] alone.
    pub histograms: Vec<(u64, Vec<(u64, u64)>)>,
    /// The file it comes from, empty where it stands in the result itself.
    pub source: String,
}

/// What a [`ReportedSeries`] measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Bytes a second.
    BytesPerSecond,
    /// Operations a second.
    Iops,
    /// Until it was submitted.
    SubmissionLatency,
    /// From then until it was done.
    CompletionLatency,
    /// The whole.
    TotalLatency,
    /// Histograms of completion latency, each of what ended since the one before.
    Histogram,
}

/// What the first number of a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// Nanoseconds since the job began.
    Time,
    /// Nanoseconds since 1970, UTC.
    UnixTime,
    /// Number of the request, from 1.
    Request,
}

impl Figure {
    /// A figure that was printed in full, for example a count.
    pub fn exact(value: f64, printed: impl Into<String>) -> Figure {
        Figure { value, step: 1.0, printed: printed.into() }
    }
}

impl Reported {
    /// A part of which nothing is known but what it stands for.
    pub fn named(scope: Scope, job: impl Into<String>, line: u32) -> Reported {
        Reported {
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

    /// The part of `direction`.
    pub fn of(&self, direction: Option<Direction>) -> Option<&ReportedDirection> {
        self.directions.iter().find(|part| part.direction == direction)
    }

    /// The figure of that name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        named(&self.figures, name)
    }

    /// What was asked under `name`, the tool's own word.
    pub fn asked_for(&self, name: &str) -> Option<&str> {
        self.asked.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
    }
}

impl ReportedDirection {
    /// A direction of which nothing is known yet.
    pub fn new(direction: Option<Direction>) -> ReportedDirection {
        ReportedDirection { direction, ..ReportedDirection::default() }
    }

    /// The latencies of `kind`.
    pub fn latency(&self, kind: LatencyKind) -> Option<&ReportedLatency> {
        self.latencies.iter().find(|latency| latency.kind == kind)
    }

    /// The latencies that come nearest to what a user waits for: the whole, else completion.
    pub fn waited(&self) -> Option<&ReportedLatency> {
        self.latency(LatencyKind::Total).or_else(|| self.latency(LatencyKind::Completion))
    }

    /// The latencies that hold percentiles: the whole, else completion, else any.
    pub fn with_percentiles(&self) -> Option<&ReportedLatency> {
        let filled = |kind| self.latency(kind).filter(|latency| !latency.percentiles.is_empty());
        filled(LatencyKind::Total)
            .or_else(|| filled(LatencyKind::Completion))
            .or_else(|| filled(LatencyKind::Submission))
    }

    /// The figure of that name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        named(&self.figures, name)
    }
}

impl ReportedLatency {
    /// Latencies of which nothing is known yet.
    pub fn new(kind: LatencyKind) -> ReportedLatency {
        ReportedLatency { kind, ..ReportedLatency::default() }
    }

    /// The value printed for `percent`.
    pub fn percentile(&self, percent: f64) -> Option<&Figure> {
        let found = self.percentiles.iter().find(|(asked, _)| (asked - percent).abs() < 1e-9);
        found.map(|(_, figure)| figure)
    }

    /// The tool's own histogram in plimsoll's buckets, with the extremes it printed; `None` where it printed none. Its
    /// buckets are wider than ours (1.6 % of the value in fio), and so are the percentiles that come out.
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
