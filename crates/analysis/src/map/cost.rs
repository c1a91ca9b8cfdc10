//! Cost of a map, compared with the whole grid of blocks, depths and mixes.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Bytes, Direction, StepKind};

use super::loads::Loads;

/// The block sizes of the grid.
pub const BLOCKS: [Bytes; 9] = [
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
/// The deepest queue of the grid; every smaller power of two is in it too.
const DEPTH_MOST: u32 = 256;
/// Depth up to which the grid has every block, however many bytes are in flight.
const DEPTH_LEAST: u32 = 8;
/// Bytes in flight of the deepest queues of the grid by default.
const IN_FLIGHT: Bytes = Bytes::mib(128);
/// Percentage of reads in the grid's mix, as in the usual guides.
pub const MIX: u8 = 70;

/// Returns the depths of the grid for a block of which `in_flight` bytes may be in flight.
pub fn depths(block: Bytes, in_flight: Bytes) -> impl Iterator<Item = u32> {
    let most = ((in_flight.0 / block.0.max(1)) as u32).clamp(DEPTH_LEAST, DEPTH_MOST);
    (0..=DEPTH_MOST.ilog2()).map(|power| 1 << power).filter(move |depth| *depth <= most)
}

/// Cells and time of a map, and of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Number of cells that ran: a block at a depth in a direction or mix.
    pub cells: usize,
    /// Seconds that the map took, without its layout.
    pub seconds: f64,
    /// Number of cells of the whole grid.
    pub grid_cells: usize,
    /// Seconds that the map would have taken with the whole grid, at the mean length of a cell for each missing one.
    pub grid_seconds: f64,
}

/// Returns the cost of a run; `None` before its first cell.
pub(super) fn cost(run: &Run, loads: &Loads) -> Option<Cost> {
    let ran = cells(loads);
    let grid = grid(&ran);
    let missing = grid.iter().filter(|cell| !ran.contains(cell)).count();
    let steps = || run.steps.iter().filter(|step| step.plan.kind != StepKind::Layout);
    let seconds = |step: &StepRecord| step.ended.since(step.started).as_secs_f64();
    let of_cells: Vec<f64> = steps().filter(|step| step.plan.kind == StepKind::Cell).map(seconds).collect();
    let all = steps().next_back()?.ended.since(steps().next()?.started).as_secs_f64();
    if of_cells.is_empty() {
        return None;
    }
    let each = of_cells.iter().sum::<f64>() / of_cells.len() as f64;
    let grid_seconds = all + missing as f64 * each;
    Some(Cost { cells: ran.len(), seconds: all, grid_cells: grid.len(), grid_seconds })
}

/// Percentage of reads, block size and depth.
type Cell = (u8, u64, u32);

/// Returns all cells that ran, each once.
fn cells(loads: &Loads) -> Vec<Cell> {
    let reads = |direction: Direction| if direction == Direction::Write { 0 } else { 100 };
    let alone = loads.random.iter().map(|point| (reads(point.direction), point.block, point.depth));
    let mixed = loads.mixtures().into_iter().map(|mix| (mix.read_percent, mix.block, mix.depth));
    let mut all: Vec<Cell> = alone.chain(mixed).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the grid of a volume on which these cells ran, from its smallest block on: reads alone if nothing was
/// written.
fn grid(ran: &[Cell]) -> Vec<Cell> {
    let smallest = ran.iter().map(|(_, block, _)| *block).filter(|block| *block >= BLOCKS[0].0).min();
    let writes = ran.iter().any(|(reads, ..)| *reads == 0);
    let mixes: &[u8] = if writes { &[100, 0, MIX] } else { &[100] };
    let of_mix = |&reads: &u8| -> Vec<Cell> {
        let blocks = BLOCKS.into_iter().filter(|block| smallest.is_none_or(|smallest| block.0 >= smallest));
        let row = |block: Bytes| depths(block, IN_FLIGHT).map(move |depth| (reads, block.0, depth));
        blocks.flat_map(row).filter(|(reads, _, depth)| *reads != MIX || *depth > 1).collect()
    };
    mixes.iter().flat_map(of_mix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_all_blocks_at_all_depths_that_the_bytes_in_flight_allow() {
        let reads = grid(&[(100, 4096, 1)]);
        // Eight blocks at nine depths, and 1 MiB up to 128.
        assert_eq!(reads.len(), 8 * 9 + 8);
        let both = grid(&[(100, 4096, 1), (0, 4096, 1)]);
        assert_eq!(both.len(), 2 * reads.len() + reads.len() - BLOCKS.len(), "a mix has no depth 1");
    }
}
