//! The answer of `plimsoll where`: how places of a volume differ.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::PlacesAsked;

use crate::figures::Figures;

/// The answer of `plimsoll where`: how places of a volume differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacesAnswer {}

/// The answer that `run` gives to what was asked.
pub(crate) fn answer(_run: &Run, _figures: &Figures, _asked: &PlacesAsked) -> PlacesAnswer {
    PlacesAnswer {}
}
