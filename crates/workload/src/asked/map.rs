//! What `plimsoll map` was asked.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// What `plimsoll map` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapAsked {
    /// The block whose row is wanted; `None`: all of them alike.
    #[serde(default)]
    pub block: Option<Bytes>,
    /// What the 99th percentile shall stay below.
    #[serde(default)]
    pub p99: Option<Nanos>,
    /// Whether the whole grid was asked for, and not its corners alone.
    #[serde(default)]
    pub full: bool,
}
