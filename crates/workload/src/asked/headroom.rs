//! What `plimsoll headroom` was asked.

use serde::{Deserialize, Serialize};

/// What `plimsoll headroom` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadroomAsked {}
