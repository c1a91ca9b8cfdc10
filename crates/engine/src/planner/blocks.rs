//! The blocks that a job issues.

use workload::{Bytes, Direction, Job, Lengths, LengthsBy};

/// Directions that `job` issues, with the lengths of their I/O.
pub(super) fn used_blocks(job: &Job) -> impl Iterator<Item = (Direction, &Lengths)> + '_ {
    let by_sequence = job.blocks.by == LengthsBy::Sequence;
    let used = move |direction| match direction {
        Direction::Trim => job.access.mix.issues(direction),
        _ => by_sequence || job.access.mix.issues(direction),
    };
    job.blocks.lengths.iter().filter(move |(direction, _)| used(*direction))
}

/// The longest I/O that `job` issues.
pub(super) fn longest_block(job: &Job) -> Option<Bytes> {
    used_blocks(job).map(|(_, lengths)| lengths.longest()).max()
}
