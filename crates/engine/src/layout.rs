//! Layout: writing real data over a region, so that what is read afterwards is really there.

use std::path::Path;

use workload::{Access, BlockSizes, Buffers, Bytes, Job, Mix, Nanos, StopRule, Workload};

/// Long enough that a volume is filled at its bandwidth, and that each write is charged least where a provider counts
/// by size.
const BLOCK: Bytes = Bytes::MIB;
/// Enough in flight to fill a volume 8 ms away at a GiB a second.
const DEPTH: u32 = 8;

/// The workload that writes `region` bytes of unique data from `offset` on into `file`, once.
///
/// Blocks are 1 MiB where the region is a multiple of that, else the largest power of two that divides it: take regions
/// in whole MiB.
pub fn layout_workload(file: &Path, offset: Bytes, region: Bytes) -> Workload {
    let block = Bytes(1 << region.0.trailing_zeros().min(BLOCK.0.trailing_zeros()));
    assert!(region.0.is_multiple_of(block.0), "blocks of {block} leave the end of {region} unwritten");
    let job = Job {
        files: vec![file.to_owned()],
        offset,
        size: Some(region),
        access: Access::sequential(Mix::WRITE),
        blocks: BlockSizes::all(block),
        depth: DEPTH,
        buffers: Buffers::Unique,
        ..Job::named("layout")
    };
    Workload { jobs: vec![job], stop: vec![StopRule::BytesEach(region)], ramp: Nanos::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_divide_the_region_so_that_no_tail_is_left_unwritten() {
        for (region, block) in [
            (Bytes::gib(4), Bytes::MIB),
            (Bytes::mib(3), Bytes::MIB),
            (Bytes::kib(1536), Bytes::kib(512)),
            (Bytes::kib(4), Bytes::kib(4)),
        ] {
            let workload = layout_workload(Path::new("f"), Bytes(0), region);
            assert_eq!(workload.jobs[0].blocks.longest(), block, "{region}");
            assert_eq!(workload::agree(&workload), Ok(()));
        }
    }
}
