//! The log options of a job: which logs it keeps, and what their rows hold.

use workload::Nanos;

use super::value::Value;

/// What a row of a window holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogValue {
    /// The mean.
    #[default]
    Mean,
    /// The greatest.
    Greatest,
    /// The mean, and the greatest in a column of its own.
    Both,
}

/// Logs of a job; a prefix that is empty stands for the job's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Prefix of the bandwidth log.
    pub bandwidth: Option<String>,
    /// Prefix of the log of rates.
    pub iops: Option<String>,
    /// Prefix of the three latency logs.
    pub latency: Option<String>,
    /// Prefix of the log of histograms.
    pub histogram: Option<String>,
    /// Length of the windows; zero: a row an I/O.
    pub window: Nanos,
    /// Time between two rows of histograms; zero: none are written.
    pub histogram_every: Nanos,
    /// How many times neighbouring buckets are put together.
    pub coarseness: u32,
    /// What a row of a window holds.
    pub value: LogValue,
    /// A column with the byte offset.
    pub offset: bool,
    /// A column with the time of issue in nanoseconds.
    pub issue_time: bool,
    /// The priority as a hexadecimal number.
    pub priority: bool,
    /// Times since 1970 instead of since the job's start.
    pub wall_clock: bool,
    /// A file a clone.
    pub per_job: bool,
}

impl LogOptions {
    /// True where any log is kept.
    pub fn any(&self) -> bool {
        let plain = [&self.bandwidth, &self.iops, &self.latency];
        plain.iter().any(|prefix| prefix.is_some()) || self.keeps_histograms()
    }

    /// True where histograms are logged, which takes both a name and a time.
    pub fn keeps_histograms(&self) -> bool {
        self.histogram.is_some() && self.histogram_every > Nanos::ZERO
    }

    /// Takes what a row of a window holds; the numbers are those of `log_max_value`.
    pub fn set_value(&mut self, value: &Value) {
        self.value = match value.word() {
            "max" | "1" => LogValue::Greatest,
            "both" => LogValue::Both,
            _ => LogValue::Mean,
        };
    }
}
