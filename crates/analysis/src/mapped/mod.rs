//! The answer of `plimsoll map`: what block size, depth and mix bear.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::MapAsked;

use crate::figures::Figures;

/// The answer of `plimsoll map`: what block size, depth and mix bear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapAnswer {}

/// The answer that `run` gives to what was asked.
pub(crate) fn answer(_run: &Run, _figures: &Figures, _asked: &MapAsked) -> MapAnswer {
    MapAnswer {}
}
