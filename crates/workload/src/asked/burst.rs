//! What `plimsoll burst` was asked.

use serde::{Deserialize, Serialize};

/// What `plimsoll burst` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BurstAsked {}
