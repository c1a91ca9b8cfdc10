//! What `plimsoll where` was asked.

use serde::{Deserialize, Serialize};

/// What `plimsoll where` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacesAsked {}
