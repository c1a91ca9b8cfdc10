//! The layout step: real data over the region, so that no later read meets unwritten blocks.

use workload::{Access, BlockSizes, Bytes, Job, Mix, Nanos, StepKind, StopRule, Workload};

use crate::step::{Layout, Step};

/// Layout speed in bytes per second that a forecast assumes for an unknown volume.
pub const LAYOUT_GUESS: f64 = 200.0 * 1048576.0;

/// Longest layout of real data in most procedures; a region that is not full by then is measured as it is.
pub(crate) const LAYOUT_MOST: Nanos = Nanos::from_secs(60);

/// Block size of the layout's writes.
const BLOCK: Bytes = Bytes::MIB;

/// Writes incompressible data over the region, in order, until it is full or `most` has passed; `None` if nothing is to be
/// written.
pub fn layout_step(layout: Layout, seed: u64, most: Nanos) -> Option<Step> {
    let Layout::Write(size) = layout else { return None };
    let size = size.round_down(BLOCK);
    let job = Job {
        access: Access::sequential(Mix::WRITE),
        blocks: BlockSizes::all(BLOCK),
        depth: 8,
        size: Some(size),
        seed,
        ..Job::named("layout")
    };
    let stop = vec![StopRule::BytesEach(size), StopRule::Time(most)];
    let workload = Workload { jobs: vec![job], stop, ramp: Nanos::ZERO };
    Some(Step { name: "layout".to_owned(), kind: StepKind::Layout, workload, interval: None })
}
