//! The whole grid: every block at every depth, with reads, writes and a mix of both.

use analysis::map::cost::{BLOCKS, MIX, depths};
use workload::Bytes;

use super::cells::{cell, mixed};
use super::{Cells, MapAsk};
use crate::check::draft::Draft;
use crate::check::known::{CheckState, DEPTH_MAX};

/// Most cells of the grid.
pub(super) const CELLS_MOST: usize = BLOCKS.len() * (DEPTH_MAX.ilog2() as usize + 1) * 3;

/// All cells of the grid, if it was requested and the depth for large blocks is known.
pub(super) fn cells(ask: &MapAsk, known: &CheckState<'_>) -> Vec<Draft> {
    if ask.cells == Cells::Corners {
        return Vec::new();
    }
    let blocks = BLOCKS.into_iter().filter(|&block| block >= known.small());
    blocks.flat_map(|block| row(known, block)).collect()
}

/// One block at every depth that the bytes in flight allow.
fn row(known: &CheckState<'_>, block: Bytes) -> Vec<Draft> {
    let of_depth = |depth: u32| -> Vec<Draft> {
        let alone = known.directions().iter().map(|&direction| cell(known, direction, block, depth));
        let both = (known.writes() && depth > 1).then(|| mixed(known, MIX, block, depth));
        // The search for the knees may have run some of them.
        alone.chain(both).filter(|draft| !known.ran(&draft.name)).collect()
    };
    depths(block, known.ask.in_flight_most).flat_map(of_depth).collect()
}
