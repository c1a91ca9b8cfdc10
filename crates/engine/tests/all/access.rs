//! Where I/O goes, as seen by the volume: passes, mixes, files, flushes.

use std::collections::{HashMap, HashSet};

use crate::vocabulary::*;
use workload::{
    Access, BlockSizes, Bytes, Direction, FileOrder, FileTurn, Flush, Iops, Mix, Nanos, Order, Pace, Pieces,
    Repeats, Terms, WorkerPlan,
};

fn fast() -> Spy<Parallel> {
    Spy::on(Parallel { latency: Nanos(1_000) })
}

fn on_blocks(blocks: u64, access: Access) -> WorkerPlan {
    let region = file(Bytes::mib(3), Bytes::kib(4) * blocks);
    WorkerPlan { files: vec![region], access, ..at_depth(4) }
}

fn offsets_of(plan: &workload::StepPlan) -> Vec<u64> {
    let mut spy = fast();
    simulate(plan, &mut spy);
    spy.offsets()
}

#[test]
fn each_block_is_visited_once_a_pass_and_each_pass_in_another_order() {
    for blocks in [1u64, 2, 7, 100, 1_000, 4_097] {
        for mix in [Mix::READ, Mix::WRITE, Mix::reads(40)] {
            let offsets = offsets_of(&for_ops(3 * blocks, vec![on_blocks(blocks, Access::random(mix))]));
            let all: HashSet<u64> = (0..blocks).map(|block| Bytes::mib(3).0 + block * 4096).collect();
            for pass in offsets.chunks(blocks as usize) {
                assert_eq!(pass.iter().copied().collect::<HashSet<_>>(), all, "{blocks} blocks");
            }
            if blocks >= 100 {
                assert_ne!(offsets[..blocks as usize], offsets[blocks as usize..2 * blocks as usize]);
            }
        }
    }
}

#[test]
fn sequential_order_wraps_at_the_end_of_the_region() {
    let offsets = offsets_of(&for_ops(25, vec![on_blocks(10, Access::sequential(Mix::READ))]));
    let expected: Vec<u64> = (0..25).map(|number| Bytes::mib(3).0 + number % 10 * 4096).collect();
    assert_eq!(offsets, expected);
}

#[test]
fn a_last_partial_block_is_left_alone() {
    let region = file(Bytes(0), Bytes(10_000));
    let job = WorkerPlan { files: vec![region], access: Access::sequential(Mix::READ), ..worker() };
    assert_eq!(offsets_of(&for_ops(4, vec![job])), [0, 4096, 0, 4096]);
}

#[test]
fn with_repeats_blocks_are_drawn_independently() {
    let access = Access { order: Order::Random(Repeats::With), ..Access::random(Mix::READ) };
    let offsets = offsets_of(&for_ops(10_000, vec![on_blocks(1_000, access)]));
    let distinct: HashSet<u64> = offsets.iter().copied().collect();
    // All but 1,000 · e^-10 of the blocks are met at least once, and 1,000 draws meet 632 of them.
    assert!(distinct.len() >= 995);
    let first: HashSet<u64> = offsets[..1_000].iter().copied().collect();
    assert!((590..675).contains(&first.len()), "{}", first.len());
}

#[test]
fn the_mix_has_its_share_in_the_long_run_and_repeats_with_the_seed() {
    for percent in [1, 30, 70, 99] {
        let plan = for_ops(100_000, vec![on_blocks(5_000, Access::random(Mix::reads(percent)))]);
        let (mut spy, mut again) = (fast(), fast());
        simulate(&plan, &mut spy);
        simulate(&plan, &mut again);
        assert_eq!(spy.seen, again.seen);
        let share = f64::from(percent) / 100.0;
        let sigma = (share * (1.0 - share) * 100_000.0).sqrt();
        let reads = spy.count(Direction::Read) as f64;
        assert!((reads - share * 100_000.0).abs() < 4.0 * sigma, "{percent} %: {reads}");
    }
}

#[test]
fn a_share_of_a_sequential_job_goes_anywhere_and_the_sequence_goes_on_from_there() {
    let access = Access::partly_random(30, Mix::READ);
    let offsets = offsets_of(&for_ops(10_000, vec![on_blocks(100_000, access)]));
    let in_sequence = offsets.windows(2).filter(|pair| pair[1] == pair[0] + 4096).count();
    assert!((in_sequence as f64 - 7_000.0).abs() < 4.0 * 46.0, "{in_sequence}");
}

#[test]
fn files_take_turns_and_each_has_its_own_place() {
    let files = vec![file(Bytes(0), Bytes::kib(40)), file(Bytes::mib(1), Bytes::kib(40))];
    let job = WorkerPlan { files, access: Access::sequential(Mix::READ), ..worker() };
    let mut spy = fast();
    simulate(&for_ops(6, vec![job]), &mut spy);
    let places: Vec<(u32, u64)> = spy.seen.iter().map(|(_, io)| (io.file, io.offset)).collect();
    let mib = Bytes::MIB.0;
    assert_eq!(places, [(0, 0), (1, mib), (0, 4096), (1, mib + 4096), (0, 8192), (1, mib + 8192)]);
}

/// A regression test: of four files drawn at random, 1,008 blocks of 1,024 were written and the rest of the amount twice, so
/// a volume filled for a measurement was not full.
#[test]
fn each_block_of_several_files_is_visited_once_where_files_are_equally_likely() {
    let orders = [(FileOrder::Random, 1), (FileOrder::Random, 8), (FileOrder::InTurn, 7)];
    for (order, every) in orders {
        for plain in
            [Access::random(Mix::WRITE), Access::sequential(Mix::WRITE), Access::random(Mix::reads(50))]
        {
            let files = [64, 64, 10, 31].map(|blocks| file(Bytes(0), Bytes::kib(4 * blocks))).to_vec();
            let access = Access { files: FileTurn { order, every }, ..plain };
            let mut spy = fast();
            simulate(&for_ops(2 * 169, vec![WorkerPlan { files, access, ..worker() }]), &mut spy);
            for round in spy.seen.chunks(169) {
                let places: HashSet<(u32, u64)> = round.iter().map(|(_, io)| (io.file, io.offset)).collect();
                assert_eq!(places.len(), 169, "{order:?} {every}");
            }
        }
    }
}

#[test]
fn a_flush_follows_every_so_many_writes_and_is_no_part_of_the_amount() {
    let access = Access::random(Mix::reads(50));
    let job = WorkerPlan { flush: Flush::Every(8), ..on_blocks(1_000, access) };
    let mut spy = fast();
    let record = simulate(&for_ops(2_000, vec![job]), &mut spy);
    let (writes, flushes) = (spy.count(Direction::Write), spy.count(Direction::Flush));
    assert_eq!(writes + spy.count(Direction::Read), 2_000);
    assert!(flushes.abs_diff(writes / 8) <= 1, "{flushes} flushes for {writes} writes");
    assert_eq!(record.tally(Direction::Flush).ops as usize, flushes);
    let mut since = 0;
    for (_, io) in &spy.seen {
        since += u32::from(io.kind == Direction::Write);
        if io.kind == Direction::Flush {
            assert_eq!((since, io.bytes), (8, 0));
            since = 0;
        }
    }
}

#[test]
fn reads_and_writes_of_different_lengths_each_visit_their_blocks_once() {
    let blocks = BlockSizes::each(Bytes::kib(4), Bytes::kib(16), Bytes(0));
    let region = file(Bytes(0), Bytes::mib(4));
    let access = Access::random(Mix::reads(50));
    let job = WorkerPlan { blocks: blocks.clone(), files: vec![region], access, ..worker() };
    let mut spy = fast();
    simulate(&for_ops(512, vec![job]), &mut spy);
    let mut visits: HashMap<(Direction, u64), usize> = HashMap::new();
    spy.seen.iter().for_each(|(_, io)| *visits.entry((io.kind, io.offset)).or_default() += 1);
    assert!(visits.keys().all(|(kind, offset)| offset % blocks.longest_of(*kind).0 == 0));
    let most = |kind| visits.iter().filter(|((k, _), _)| *k == kind).map(|(_, &count)| count).max().unwrap();
    assert_eq!(most(Direction::Read), 1, "1,024 blocks, about 256 reads");
    assert!(most(Direction::Write) <= 2, "256 blocks, about 256 writes: a second pass may have begun");
}

#[test]
fn a_piece_that_is_shorter_than_a_block_leaves_the_region_no_more_than_others_do() {
    // fio's zonesize of 4 KiB and blocks of 64 KiB: from the last piece 60 KiB were once written beyond the region.
    let pieces = Some(Pieces { range: Bytes::kib(4), size: Bytes::kib(4), skip: Bytes::kib(4) });
    let access = Access { pieces, ..Access::sequential(Mix::WRITE) };
    let files = vec![file(Bytes::kib(8), Bytes::kib(100))];
    let job = WorkerPlan { access, files, blocks: BlockSizes::all(Bytes::kib(64)), ..worker() };
    let mut volume = Spy::on(Parallel { latency: Nanos(1_000) });
    simulate(&for_ops(100, vec![job]), &mut volume);
    assert_eq!(volume.seen.len(), 100);
    for (_, io) in volume.seen {
        assert!(io.offset >= 8 << 10 && io.offset + u64::from(io.bytes) <= 108 << 10, "{io:?}");
    }
}

#[test]
fn a_job_that_only_writes_reads_nothing_whatever_pace_its_writes_have() {
    let terms = Terms { write_pace: Some(Pace::Fixed(Iops(1_000.0))), ..Terms::default() };
    let job = WorkerPlan { access: Access::random(Mix::WRITE), terms, ..worker() };
    let mut volume = Spy::on(Parallel { latency: Nanos(1_000) });
    simulate(&for_seconds(1, vec![job]), &mut volume);
    assert_eq!((volume.count(Direction::Read), volume.count(Direction::Write)), (0, 1_000));
}
