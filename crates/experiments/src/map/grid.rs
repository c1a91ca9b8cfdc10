//! The whole grid: every block at every depth, reads, writes and a mix of both.

use workload::Bytes;

use super::cells::{cell, mixed};
use super::{Cells, MapAsk};
use crate::check::draft::Draft;
use crate::check::known::{DEPTH_MAX, Known, in_flight};

/// Its blocks.
const BLOCKS: [Bytes; 9] = [
    Bytes::kib(4),
    Bytes::kib(8),
    Bytes::kib(16),
    Bytes::kib(32),
    Bytes::kib(64),
    Bytes::kib(128),
    Bytes::kib(256),
    Bytes::kib(512),
    Bytes::MIB,
];
/// Doublings of the depth up to the deepest.
const DEPTHS: u32 = DEPTH_MAX.ilog2() + 1;
/// Reads in a hundred of its mix: that of the usual guides.
const MIX: u8 = 70;
/// Cells of it at most.
pub(super) const CELLS_MOST: usize = BLOCKS.len() * DEPTHS as usize * 3;

/// All of its cells, where the grid is asked for and how deep large blocks may be is known.
pub(super) fn cells(ask: &MapAsk, known: &Known<'_>) -> Vec<Draft> {
    if ask.cells == Cells::Corners {
        return Vec::new();
    }
    let blocks = BLOCKS.into_iter().filter(|&block| block >= known.small());
    blocks.flat_map(|block| row(known, block)).collect()
}

/// One block at every depth that the bytes in flight allow.
fn row(known: &Known<'_>, block: Bytes) -> Vec<Draft> {
    let most = in_flight(block, known.ask.in_flight_most);
    let depths = (0..DEPTHS).map(|power| 1 << power).filter(|&depth| depth <= most);
    let of_depth = |depth: u32| -> Vec<Draft> {
        let alone = known.directions().iter().map(|&direction| cell(known, direction, block, depth));
        let both = (known.writes() && depth > 1).then(|| mixed(known, MIX, block, depth));
        // The search for the knees may have had some of them.
        alone.chain(both).filter(|draft| !known.ran(&draft.name)).collect()
    };
    depths.flat_map(of_depth).collect()
}
