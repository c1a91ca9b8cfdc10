//! The log options of a job: which logs are kept, and what their rows contain.

use workload::Nanos;

use super::value::{Value, Word};

/// Words of `log_window_value`.
pub const LOG_VALUES: &[Word] = &[
    ("avg", "The mean"),
    ("max", "The greatest"),
    ("both", "Both, a column each"),
    ("0", "The mean"),
    ("1", "The greatest"),
];

/// The value in a row of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogValue {
    /// The mean.
    #[default]
    Mean,
    /// The greatest value.
    Greatest,
    /// The mean, and the greatest value in an extra column.
    Both,
}

/// The logs that a job keeps; an empty prefix means the job's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Prefix of the bandwidth log.
    pub bandwidth: Option<String>,
    /// Prefix of the IOPS log.
    pub iops: Option<String>,
    /// Prefix of the three latency logs.
    pub latency: Option<String>,
    /// Prefix of the log of histograms.
    pub histogram: Option<String>,
    /// Length of the windows; zero: one row for each I/O.
    pub window: Nanos,
    /// Interval between two rows of histograms; zero: none are written.
    pub histogram_every: Nanos,
    /// Coarseness of histograms: 2 to this power neighbouring buckets are merged.
    pub coarseness: u32,
    /// The value in a row of a window.
    pub value: LogValue,
    /// Whether rows have a column for the byte offset.
    pub offset: bool,
    /// Whether rows have a column for the time of issue in nanoseconds.
    pub issue_time: bool,
    /// Whether the priority is written as a hexadecimal number.
    pub priority: bool,
    /// Whether times count from 1970 instead of from the job's start.
    pub wall_clock: bool,
    /// Whether each clone writes its own files.
    pub per_job: bool,
}

impl LogOptions {
    /// Whether any log is kept.
    pub fn any(&self) -> bool {
        let plain = [&self.bandwidth, &self.iops, &self.latency];
        plain.iter().any(|prefix| prefix.is_some()) || self.keeps_histograms()
    }

    /// Whether histograms are logged, for which both a prefix and an interval are needed.
    pub fn keeps_histograms(&self) -> bool {
        self.histogram.is_some() && self.histogram_every > Nanos::ZERO
    }

    /// Sets the value in a row of a window from the number given to `log_max_value`.
    pub fn set_value(&mut self, value: &Value) {
        self.value = match value.word() {
            "max" | "1" => LogValue::Greatest,
            "both" => LogValue::Both,
            _ => LogValue::Mean,
        };
    }
}
