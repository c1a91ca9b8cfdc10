//! The log options of a job: which logs it keeps, and what their rows hold.

use workload::Nanos;

use super::value::Value;

/// The value in a row of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogValue {
    /// The mean.
    #[default]
    Mean,
    /// The greatest value.
    Greatest,
    /// The mean, with the greatest value in a column of its own.
    Both,
}

/// Logs of a job; an empty prefix stands for the job's name.
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
    /// Whether a column has the byte offset.
    pub offset: bool,
    /// Whether a column has the time of issue in nanoseconds.
    pub issue_time: bool,
    /// Whether the priority is a hexadecimal number.
    pub priority: bool,
    /// Whether times count from 1970 instead of from the job's start.
    pub wall_clock: bool,
    /// Whether each clone has a file of its own.
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

    /// Sets the value in a row of a window; the numbers are those of `log_max_value`.
    pub fn set_value(&mut self, value: &Value) {
        self.value = match value.word() {
            "max" | "1" => LogValue::Greatest,
            "both" => LogValue::Both,
            _ => LogValue::Mean,
        };
    }
}
