//! Parameters of `plimsoll map`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// Parameters of `plimsoll map`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapRequest {
    /// Block size whose row is wanted; `None`: all equally.
    #[serde(default)]
    pub block: Option<Bytes>,
    /// Bound that the 99th percentile of the latency must keep.
    #[serde(default)]
    pub p99: Option<Nanos>,
    /// Whether the whole grid is measured and not only its corners.
    #[serde(default)]
    pub full: bool,
}
