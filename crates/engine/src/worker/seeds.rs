//! Seeds of a worker's random choices, all derived from the one seed of its plan, none shared by two choices.

use statistics::random::mix;
use workload::Direction;

/// Stream of the mix of reads and writes.
pub(super) const MIX: u64 = 1;
/// Stream of offsets drawn with repeats.
pub(super) const PLACES: u64 = 2;
/// Stream of Poisson gaps.
pub(super) const PACE: u64 = 3;

/// Stream of lengths.
pub(super) const LENGTHS: u64 = 4;
/// Stream of files.
pub(super) const FILES: u64 = 5;
/// Stream of Poisson gaps between writes that have a pace of their own.
pub(super) const WRITE_PACE: u64 = 6;

/// Seed of the passes over one file in one direction.
pub(super) fn lane_seed(seed: u64, file: u64, direction: Direction) -> u64 {
    mix(mix(seed ^ 0x6c61_6e65) ^ (file << 2 | direction.index() as u64))
}

/// Key of one pass.
pub(super) fn pass_key(lane_seed: u64, pass: u64) -> u64 {
    mix(lane_seed ^ mix(pass))
}
