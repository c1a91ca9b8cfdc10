//! Parameters of `plimsoll map`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// Parameters of `plimsoll map`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapRequest {
    /// Block size whose row is requested; `None`: all rows equally.
    #[serde(default)]
    pub block: Option<Bytes>,
    /// Upper bound on the 99th percentile of the latency.
    #[serde(default)]
    pub p99: Option<Nanos>,
    /// Whether the whole grid is measured and not only its corners.
    #[serde(default)]
    pub full: bool,
}
