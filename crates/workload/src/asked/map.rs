//! What `plimsoll map` was asked.

use serde::{Deserialize, Serialize};

/// What `plimsoll map` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapAsked {}
