//! Series of a machine that another tool printed: rates instead of counters.

use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::{CpuMetric, Metric};

/// What another tool saw of a machine, interval by interval; every value in the base unit of its metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// The file it was read from.
    pub source: String,
    /// From and to of each interval on the run's clock, rising.
    pub intervals: Vec<(Nanos, Nanos)>,
    /// The CPUs; each as long as `intervals`, NaN where nothing was printed.
    pub cpu: Vec<(CpuMetric, Vec<f64>)>,
    /// The devices in the order in which they were first printed.
    pub devices: Vec<ObservedDevice>,
}

/// One device of an [`Observed`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedDevice {
    /// As printed.
    pub name: String,
    /// Each as long as [`Observed::intervals`], NaN where nothing was printed.
    pub metrics: Vec<(Metric, Vec<f64>)>,
}
