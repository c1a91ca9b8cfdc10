//! What `plimsoll where` was asked.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// What `plimsoll where` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacesAsked {
    /// Bytes of the volume from its beginning on that are looked at.
    pub size: Bytes,
    /// Time for all of it; the parts have shares of it.
    pub time: Nanos,
    /// The largest working set that is tried for a cache.
    pub largest: Bytes,
    /// Seed of the places that are drawn.
    pub seed: u64,
}
