//! Series of a machine printed by another tool: rates instead of counters.

use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::{CpuMetric, Metric};

/// Figures of a machine as another tool printed them, interval by interval; every value is in the base unit of its
/// metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedMachine {
    /// Name of the input file.
    pub source: String,
    /// Start and end of each interval on the run's clock, in rising order.
    pub intervals: Vec<(Nanos, Nanos)>,
    /// Series of the CPUs, each as long as `intervals`; NaN if nothing was printed.
    pub cpu: Vec<(CpuMetric, Vec<f64>)>,
    /// Devices in the order of their first appearance.
    pub devices: Vec<ObservedDevice>,
}

/// One device of an [`ObservedMachine`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservedDevice {
    /// Name as printed.
    pub name: String,
    /// Series of the device, each as long as [`ObservedMachine::intervals`]; NaN if nothing was printed.
    pub metrics: Vec<(Metric, Vec<f64>)>,
}
