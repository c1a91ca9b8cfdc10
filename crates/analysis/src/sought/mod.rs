//! The answer of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::HeadroomAsked;

use crate::figures::Figures;

/// The answer of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadroomAnswer {}

/// The answer that `run` gives to what was asked.
pub(crate) fn answer(_run: &Run, _figures: &Figures, _asked: &HeadroomAsked) -> HeadroomAnswer {
    HeadroomAnswer {}
}
