//! The answer of `plimsoll burst`: the levels of a volume that is drained on purpose.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::BurstAsked;

use crate::figures::Figures;

/// The answer of `plimsoll burst`: the levels of a volume that is drained on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstAnswer {}

/// The answer that `run` gives to what was asked.
pub(crate) fn answer(_run: &Run, _figures: &Figures, _asked: &BurstAsked) -> BurstAnswer {
    BurstAnswer {}
}
