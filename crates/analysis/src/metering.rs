//! Evidence of a meter in the counts at a level, as findings store it.

use serde::{Deserialize, Serialize};
use statistics::metered;

use crate::estimate::Estimate;

/// Whether a meter limits the counts of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metering {
    /// The cumulative count is pinned, as by a meter of an even rate.
    Metered,
    /// The cumulative count drifts at least as much as that of independent arrivals.
    NotMetered,
    /// The counts show neither.
    Unclear,
}

/// How the ratio of the counts' variance to their mean (Fano factor) changes with the length of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scales {
    /// Whether the counts show a meter.
    pub answer: Metering,
    /// Slope of log F over log T: -1 with a meter, 0 if level; `None` with too few counts.
    pub slope: Option<Estimate>,
    /// Length of a window in seconds, and the Fano factor of counts in windows of that length.
    pub fano: Vec<(f64, f64)>,
}

impl From<&metered::Meter> for Scales {
    fn from(meter: &metered::Meter) -> Scales {
        let answer = match meter.answer {
            metered::Metering::Metered => Metering::Metered,
            metered::Metering::NotMetered => Metering::NotMetered,
            metered::Metering::Unclear => Metering::Unclear,
        };
        let estimate =
            |slope: metered::Slope| Estimate { value: slope.value, low: slope.low, high: slope.high };
        Scales { answer, slope: meter.slope.map(estimate), fano: meter.fano.clone() }
    }
}
