//! Layout: writes real data over a region, so that later reads find data on the volume.

use std::path::Path;

use workload::{Access, BlockSizes, Buffers, Bytes, Job, Mix, Nanos, StopRule, Workload};

/// Block size: long enough to fill a volume at its bandwidth, and to be charged least per write where a provider counts by
/// size.
const BLOCK: Bytes = Bytes::MIB;
/// Queue depth: enough to fill a volume 8 ms away at 1 GiB per second.
const DEPTH: u32 = 8;

/// The workload that writes `region` bytes of unique data from `offset` on into `file`, once.
///
/// Blocks are 1 MiB if the region is a multiple of that, otherwise the largest power of two that divides it, so regions
/// should be whole MiB.
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
