//! Parameters of `plimsoll where`.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// Parameters of `plimsoll where`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacesRequest {
    /// Bytes examined, from the volume's beginning.
    pub size: Bytes,
    /// Time for all of it, of which each part gets a share.
    pub time: Nanos,
    /// Largest working set that is tried when looking for a cache.
    pub largest: Bytes,
    /// Seed of the random places.
    pub seed: u64,
}
