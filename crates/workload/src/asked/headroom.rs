//! Parameters of `plimsoll headroom`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Job, Nanos};

/// Parameters of `plimsoll headroom`, which searches for the greatest rate of random arrivals of this load at which all
/// bounds hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadroomRequest {
    /// Bounds on the latency from due to completed, over all I/Os of the load together; all must hold.
    pub bounds: Vec<LatencyBound>,
    /// Parts of the load; never empty if it came from a command line.
    pub load: Vec<LoadPart>,
    /// The rates at which the latency is measured, I/Os per second; if there are none, the greatest rate is searched.
    #[serde(default)]
    pub rates: Vec<f64>,
    /// Duration of the search, without the layout.
    pub time: Nanos,
    /// Greatest number of bytes that the search may write, without the layout.
    pub write_most: Bytes,
}

/// Upper bound on a percentile of the latency or on its mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyBound {
    /// Percent of I/Os, above 0 and below 100, that must be within the bound; `None`: the mean must be.
    pub percent: Option<f64>,
    /// The bound.
    pub most: Nanos,
}

impl LatencyBound {
    /// Bounds the latency of `percent` percent of all I/Os by `most`.
    pub fn percentile(percent: f64, most: Nanos) -> LatencyBound {
        LatencyBound { percent: Some(percent), most }
    }

    /// Share of I/Os that may take longer. For a mean: the mean divided by the sum of mean and bound, which is one half
    /// at the bound; in a queue the log odds of either share grow with the rate about linearly.
    pub fn may_exceed(self) -> f64 {
        self.percent.map_or(0.5, |percent| 1.0 - percent / 100.0)
    }
}

/// One kind of I/O in a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadPart {
    /// Description of the part's I/Os; its pace and stop rules are ignored.
    pub job: Job,
    /// The part's share of the load's rate; the shares of a load add up to 1.
    pub share: f64,
}
