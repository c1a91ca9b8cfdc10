//! What `plimsoll headroom` was asked.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Job, Nanos};

/// What `plimsoll headroom` was asked: the greatest rate of this load, arriving by chance, at which these bounds hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadroomAsked {
    /// Bounds of the latency from due to done, over all I/Os of the load together; all must hold.
    pub bounds: Vec<LatencyBound>,
    /// What arrives; never empty where it came from a command line.
    pub load: Vec<LoadPart>,
    /// How long the search takes, the layout left out.
    pub time: Nanos,
    /// What may be written by it, the layout left out.
    pub write_most: Bytes,
}

/// A percentile of the latency, or its mean, with what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyBound {
    /// Percent of I/Os, above 0 and below 100, that must not take longer; `None`: the mean of all must not.
    pub percent: Option<f64>,
    /// Than this.
    pub most: Nanos,
}

impl LatencyBound {
    /// That so many percent of all I/Os take no longer than `most`.
    pub fn percentile(percent: f64, most: Nanos) -> LatencyBound {
        LatencyBound { percent: Some(percent), most }
    }

    /// That the mean of all is no longer than `most`.
    pub fn mean(most: Nanos) -> LatencyBound {
        LatencyBound { percent: None, most }
    }

    /// The share of I/Os that may take longer. Of a mean: its part in the sum of mean and bound, a half where it is the bound; in a
    /// queue the log odds of both grow with the rate about as a line does.
    pub fn may_exceed(self) -> f64 {
        self.percent.map_or(0.5, |percent| 1.0 - percent / 100.0)
    }
}

/// One kind of I/O in a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadPart {
    /// What its I/Os are; its pace and end say nothing.
    pub job: Job,
    /// Its part of the load's rate; those of a load make 1.
    pub share: f64,
}
