//! One direction of a map's run: its figures, its findings and its loads.

use workload::Direction;

use super::loads::Loads;
use crate::figures::Figures;
use crate::findings::Finding;

/// One direction of a run.
pub(crate) struct Way<'r> {
    pub direction: Direction,
    pub figures: &'r Figures,
    pub findings: &'r [Finding],
    pub loads: &'r Loads,
}
