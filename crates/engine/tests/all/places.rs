//! Where composed I/O goes, as seen by the volume: lengths, alignment, skew, zones, strides, runs, pieces, trims, files.

use std::collections::HashMap;

use crate::vocabulary::*;
use proptest::prelude::*;
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Direction, FileOrder, FileTurn, Follow, Io, LengthShare, Lengths,
    LengthsBy, Mix, Nanos, Order, Pieces, Repeats, Runs, Spread, WorkerPlan, Zone, ZoneLength,
};

const K: u64 = 1024;

fn seen(ops: u64, plan: WorkerPlan) -> Vec<Io> {
    let mut spy = Spy::on(Parallel { latency: Nanos(1_000) });
    simulate(&for_ops(ops, vec![plan]), &mut spy);
    spy.seen.into_iter().map(|(_, io)| io).collect()
}

fn with_lengths(lengths: Lengths) -> BlockSizes {
    let lengths = ByDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths };
    BlockSizes { lengths, ..BlockSizes::all(Bytes(0)) }
}

fn shares(list: &[(u64, u32)]) -> Lengths {
    Lengths::Shares(
        list.iter().map(|&(kib, weight)| LengthShare { length: Bytes::kib(kib), weight }).collect(),
    )
}

fn random(spread: Spread) -> Access {
    Access { order: Order::Random(Repeats::With), spread, ..Access::random(Mix::READ) }
}

/// Asserts that `count` is `share` of `total` draws, within four standard deviations.
fn assert_share(count: usize, total: usize, share: f64, what: &str) {
    let expected = share * total as f64;
    let sigma = (share * (1.0 - share) * total as f64).sqrt();
    assert!(
        (count as f64 - expected).abs() <= 4.0 * sigma + 1.0,
        "{what}: {count} of {total}, not {expected}"
    );
}

#[test]
fn lengths_have_the_shares_asked_for_in_each_direction() {
    let lengths = ByDirection {
        read: shares(&[(4, 10), (64, 50), (32, 40)]),
        write: shares(&[(8, 75), (16, 25)]),
        trim: Lengths::Fixed(Bytes(0)),
    };
    let blocks = BlockSizes { lengths, ..BlockSizes::all(Bytes(0)) };
    let access = Access { mix: Mix::reads(60), ..random(Spread::Uniform) };
    let ios = seen(50_000, WorkerPlan { blocks, access, ..at_depth(4) });
    for (kind, list) in [
        (Direction::Read, vec![(4, 0.1), (64, 0.5), (32, 0.4)]),
        (Direction::Write, vec![(8, 0.75), (16, 0.25)]),
    ] {
        let mine: Vec<&Io> = ios.iter().filter(|io| io.kind == kind).collect();
        for (kib, share) in list {
            let count = mine.iter().filter(|io| u64::from(io.bytes) == kib * K).count();
            assert_share(count, mine.len(), share, &format!("{kind:?} of {kib} KiB"));
        }
    }
}

#[test]
fn a_range_draws_every_multiple_of_its_least_as_often() {
    let range = Lengths::Range { least: Bytes::kib(4), most: Bytes::kib(16), step: Bytes::kib(4) };
    let ios =
        seen(40_000, WorkerPlan { blocks: with_lengths(range), access: random(Spread::Uniform), ..worker() });
    for kib in [4, 8, 12, 16] {
        let count = ios.iter().filter(|io| u64::from(io.bytes) == kib * K).count();
        assert_share(count, ios.len(), 0.25, &format!("{kib} KiB"));
    }
    assert!(ios.iter().all(|io| io.offset % (4 * K) == 0), "the least length is the alignment");
}

#[test]
fn without_alignment_a_range_has_odd_lengths_too() {
    let range = Lengths::Range { least: Bytes(1000), most: Bytes(1100), step: Bytes(1) };
    let mean = range.mean();
    let ios =
        seen(40_000, WorkerPlan { blocks: with_lengths(range), access: random(Spread::Uniform), ..worker() });
    let lengths: std::collections::HashSet<u32> = ios.iter().map(|io| io.bytes).collect();
    assert_eq!(lengths.len(), 101, "each from 1000 to 1100");
    let longest = ios.iter().filter(|io| io.bytes == 1100).count();
    assert_share(longest, ios.len(), 1000.0 / 1100.0, "fio cuts what it draws above the longest");
    let drawn = ios.iter().map(|io| f64::from(io.bytes)).sum::<f64>() / ios.len() as f64;
    assert!((drawn - mean).abs() < 1.0, "{drawn} drawn, {mean} expected");
}

#[test]
fn a_range_that_ends_between_two_multiples_reaches_its_end() {
    let range = Lengths::Range { least: Bytes::kib(4), most: Bytes::kib(10), step: Bytes::kib(4) };
    assert_eq!((range.unit(), range.mean().round()), (Bytes::kib(2), 6963.0));
    let ios =
        seen(40_000, WorkerPlan { blocks: with_lengths(range), access: random(Spread::Uniform), ..worker() });
    for (kib, share) in [(4, 0.4), (8, 0.4), (10, 0.2)] {
        let count = ios.iter().filter(|io| u64::from(io.bytes) == kib * K).count();
        assert_share(count, ios.len(), share, &format!("{kib} KiB"));
    }
}

#[test]
fn places_are_multiples_of_the_alignment_and_not_of_the_length() {
    let blocks =
        BlockSizes { align: ByDirection::all(Some(Bytes::kib(2))), ..BlockSizes::all(Bytes::kib(16)) };
    let ios = seen(20_000, WorkerPlan { blocks, access: random(Spread::Uniform), ..worker() });
    assert!(ios.iter().all(|io| io.offset % (2 * K) == 0 && u64::from(io.bytes) == 16 * K));
    let on_blocks = ios.iter().filter(|io| io.offset % (16 * K) == 0).count();
    assert_share(on_blocks, ios.len(), 0.125, "one of eight happens to lie on a block");
}

#[test]
fn places_further_apart_than_blocks_are_each_visited_once_a_pass() {
    let blocks =
        BlockSizes { align: ByDirection::all(Some(Bytes::kib(16))), ..BlockSizes::all(Bytes::kib(4)) };
    let mut plan = WorkerPlan { blocks, access: Access::random(Mix::READ), ..worker() };
    plan.files.iter_mut().for_each(|file| file.size = Bytes::mib(1));
    let first = plan.files[0].offset.0;
    let mut offsets: Vec<u64> = seen(64, plan).iter().map(|io| (io.offset - first) / K).collect();
    offsets.sort_unstable();
    assert_eq!(offsets, (0..64).map(|place| 16 * place).collect::<Vec<_>>());
}

/// A sequence is not drawn, so nothing moves it to a multiple: each of its bytes is met, up to the region's end.
#[test]
fn a_sequence_goes_on_up_to_the_end_whatever_its_alignment() {
    let blocks =
        BlockSizes { align: ByDirection::all(Some(Bytes::kib(16))), ..BlockSizes::all(Bytes::kib(4)) };
    let mut plan = WorkerPlan { blocks, access: Access::sequential(Mix::READ), ..worker() };
    plan.files.iter_mut().for_each(|file| file.size = Bytes::kib(64));
    let first = plan.files[0].offset.0;
    let offsets: Vec<u64> = seen(32, plan).iter().map(|io| (io.offset - first) / K).collect();
    let once: Vec<u64> = (0..16).map(|block| 4 * block).collect();
    assert_eq!(offsets, [once.clone(), once].concat());
}

#[test]
fn sequence_and_chance_can_have_lengths_of_their_own() {
    let blocks =
        BlockSizes { by: LengthsBy::Sequence, ..BlockSizes::each(Bytes::kib(64), Bytes::kib(4), Bytes(0)) };
    let ios = seen(20_000, WorkerPlan { blocks, access: Access::partly_random(30, Mix::READ), ..worker() });
    assert_share(ios.iter().filter(|io| io.bytes == 4096).count(), ios.len(), 0.3, "random ones");
    let wrong = |pair: &[Io]| {
        pair[1].bytes == 65_536
            && pair[1].offset != pair[0].offset + u64::from(pair[0].bytes)
            && pair[1].offset != 0
    };
    assert!(!ios.windows(2).any(wrong), "a long one follows the one before it");
}

#[test]
fn each_direction_has_its_own_share_of_chance() {
    let access = Access {
        random_percent: ByDirection { read: 80, write: 10, trim: 0 },
        ..Access::sequential(Mix::reads(50))
    };
    let ios = seen(40_000, WorkerPlan { access, ..worker() });
    for (kind, share) in [(Direction::Read, 0.8), (Direction::Write, 0.1)] {
        let mine: Vec<u64> = ios.iter().filter(|io| io.kind == kind).map(|io| io.offset).collect();
        let jumps = mine.windows(2).filter(|pair| pair[1] != pair[0] + 4096).count();
        assert_share(jumps, mine.len() - 1, share, kind.name());
    }
}

/// Visits by block, the most visited first.
fn ranked(ios: &[Io]) -> Vec<(u64, usize)> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    ios.iter().for_each(|io| *counts.entry(io.offset / 4096).or_default() += 1);
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    ranked
}

#[test]
fn zipfs_hot_blocks_have_their_shares_and_are_scattered() {
    let blocks = 262_144u32; // 1 GiB in blocks of 4 KiB.
    let theta = 1.1;
    let total: f64 = (1..=blocks).map(|k| f64::from(k).powf(-theta)).sum();
    let ios = seen(200_000, WorkerPlan { access: random(Spread::Zipf { theta, center: None }), ..worker() });
    let ranked = ranked(&ios);
    for (rank, (_, visits)) in ranked.iter().take(10).enumerate() {
        let share = (rank as f64 + 1.0).powf(-theta) / total;
        assert_share(*visits, ios.len(), share, &format!("rank {rank}"));
    }
    let hot: Vec<u64> = ranked[..100].iter().map(|&(block, _)| block).collect();
    let neighbours = hot.iter().filter(|&&block| hot.contains(&(block + 1))).count();
    assert!(neighbours <= 2, "{neighbours} of 100 hot blocks of 262,144 lie beside another");
    for tenth in 0..10u64 {
        let here = hot.iter().filter(|&&block| block * 10 / u64::from(blocks) == tenth).count();
        assert!((1..=25).contains(&here), "{here} of the hot ones lie in tenth {tenth}");
    }
}

#[test]
fn a_center_puts_the_hottest_block_there() {
    for center in [0.0, 0.25, 0.999] {
        for spread in [
            Spread::Zipf { theta: 1.2, center: Some(center) },
            Spread::Pareto { h: 0.05, center: Some(center) },
        ] {
            let region = file(Bytes(0), Bytes::mib(4));
            let ios = seen(20_000, WorkerPlan { files: vec![region], access: random(spread), ..worker() });
            assert_eq!(ranked(&ios)[0].0, (1024.0 * center) as u64);
        }
    }
}

#[test]
fn paretos_rule_holds_on_the_volume() {
    let ios = seen(
        200_000,
        WorkerPlan {
            files: vec![file(Bytes(0), Bytes::mib(40))],
            access: random(Spread::Pareto { h: 0.2, center: None }),
            ..worker()
        },
    );
    let ranked = ranked(&ios);
    let head: usize = ranked.iter().take(10_240 / 5).map(|&(_, count)| count).sum();
    // In the tail the ranking is by chance, which can only raise the head's share.
    let share = head as f64 / ios.len() as f64;
    assert!((0.79..0.83).contains(&share), "{share} of the I/O on a fifth of the blocks");
}

#[test]
fn a_normal_spread_keeps_two_thirds_within_a_deviation() {
    // Unscattered it would be a hump; the ranks are scattered, so the shape is in the counts.
    let access = random(Spread::Normal { percent: 10.0, center: None });
    let ios = seen(400_000, WorkerPlan { files: vec![file(Bytes(0), Bytes::mib(4))], access, ..worker() });
    let ranked = ranked(&ios);
    let head: usize = ranked.iter().take(205).map(|&(_, count)| count).sum();
    let share = head as f64 / ios.len() as f64;
    assert!(
        (0.675..0.70).contains(&share),
        "{share} of the I/O on 20 % of the blocks: one deviation each way"
    );
}

#[test]
fn zones_get_their_shares_of_the_io_and_of_the_region() {
    let percent = |percent, length| Zone { percent, length: ZoneLength::Percent(length) };
    let zones = |list: &[Zone]| list.to_vec();
    let reads = zones(&[percent(60.0, 10.0), percent(30.0, 20.0), percent(10.0, 70.0)]);
    let writes = zones(&[
        Zone { percent: 5.0, length: ZoneLength::Bytes(Bytes::mib(512)) },
        Zone { percent: 95.0, length: ZoneLength::Rest },
    ]);
    let spread = Spread::Zoned(ByDirection { read: reads, write: writes, trim: Vec::new() });
    let access = Access { mix: Mix::reads(50), ..random(spread) };
    let ios = seen(60_000, WorkerPlan { access, ..worker() });
    let gib = Bytes::GIB.0 as f64;
    let within = |kind, from: f64, to: f64| {
        let mine: Vec<f64> =
            ios.iter().filter(|io| io.kind == kind).map(|io| io.offset as f64 / gib).collect();
        (mine.iter().filter(|&&at| (from..to).contains(&at)).count(), mine.len())
    };
    for (kind, from, to, share) in [
        (Direction::Read, 0.0, 0.1, 0.6),
        (Direction::Read, 0.1, 0.3, 0.3),
        (Direction::Read, 0.3, 1.0, 0.1),
        (Direction::Read, 0.0, 0.05, 0.3),
        (Direction::Write, 0.0, 0.5, 0.05),
        (Direction::Write, 0.5, 1.0, 0.95),
    ] {
        let (count, total) = within(kind, from, to);
        assert_share(count, total, share, &format!("{kind:?} from {from} to {to}"));
    }
}

#[test]
fn a_list_of_blocks_is_visited_in_its_order() {
    let ios = seen(7, WorkerPlan { access: random(Spread::Listed(vec![5, 0, 9])), ..worker() });
    assert_eq!(ios.iter().map(|io| io.offset / 4096).collect::<Vec<_>>(), [5, 0, 9, 5, 0, 9, 5]);
}

#[test]
fn an_advancing_list_moves_on_by_its_length_and_goes_on_from_the_start() {
    let access = random(Spread::Advancing(vec![2, 0, 1]));
    let ios = seen(9, WorkerPlan { files: vec![file(Bytes(0), Bytes::kib(28))], access, ..worker() });
    assert_eq!(ios.iter().map(|io| io.offset / 4096).collect::<Vec<_>>(), [2, 0, 1, 5, 3, 4, 1, 6, 0]);
}

#[test]
fn a_stride_leaves_holes_and_a_negative_one_walks_backwards() {
    let strided = |stride, ops, from: Bytes| {
        let access = Access { stride, ..Access::sequential(Mix::READ) };
        let plan = WorkerPlan { files: vec![file(from, Bytes::kib(40))], access, ..worker() };
        seen(ops, plan).iter().map(|io| (io.offset - from.0) / K).collect::<Vec<_>>()
    };
    let [start, middle] = [Bytes(0), Bytes::MIB];
    assert_eq!(strided(8 * K as i64, 6, middle), [0, 12, 24, 36, 0, 12], "a hole of 8 KiB behind each 4 KiB");
    // As in fio: in a region at the start of its file the first at the beginning, then from the end.
    assert_eq!(strided(-8 * K as i64, 12, start), [0, 32, 28, 24, 20, 16, 12, 8, 4, 0, 32, 28]);
    assert_eq!(strided(-8 * K as i64, 11, middle), [32, 28, 24, 20, 16, 12, 8, 4, 0, 32, 28]);
    // A region that is longer than what precedes it: 40 KiB from byte 20 Ki on.
    assert_eq!(strided(-8 * K as i64, 6, Bytes::kib(20)), [12, 8, 4, 0, 32, 28]);
    assert_eq!(strided(-8 * K as i64, 3, Bytes::kib(40)), [0, 32, 28]);
}

#[test]
fn runs_go_on_from_each_random_place_or_stay_there() {
    for follow in [Follow::Next, Follow::Same] {
        let access = Access { runs: Some(Runs { length: 8, follow }), ..Access::random(Mix::READ) };
        let ios = seen(8 * 500, WorkerPlan { access, ..worker() });
        let step = if follow == Follow::Next { 4096 } else { 0 };
        let (mut together, mut apart) = (0, 0);
        for run in ios.chunks(8) {
            together += run.windows(2).filter(|pair| pair[1].offset == pair[0].offset + step).count();
        }
        for pair in ios.chunks(8).collect::<Vec<_>>().windows(2) {
            apart += usize::from(pair[1][0].offset != pair[0][7].offset + step);
        }
        assert!(together >= 7 * 500 - 8, "{follow:?}: {together}; a run may wrap at the region's end");
        assert!(apart >= 498, "{follow:?}: {apart}");
    }
}

#[test]
fn a_trim_precedes_each_write_of_its_place() {
    let plan = WorkerPlan { access: Access::random(Mix::TRIM_WRITE), depth: 2, ..worker() };
    let record = simulate(&for_ops(4_000, vec![plan.clone()]), &mut Parallel { latency: Nanos(1_000) });
    assert_eq!((record.tally(Direction::Trim).ops, record.tally(Direction::Write).ops), (2_000, 2_000));
    let ios = seen(4_000, plan);
    for pair in ios.chunks(2) {
        assert_eq!((pair[0].kind, pair[1].kind), (Direction::Trim, Direction::Write));
        assert_eq!((pair[0].offset, pair[0].bytes), (pair[1].offset, pair[1].bytes));
    }
    let distinct: std::collections::HashSet<u64> = ios.iter().map(|io| io.offset).collect();
    assert_eq!(distinct.len(), 2_000, "each block once");
    let trims = seen(100, WorkerPlan { access: Access::sequential(Mix::TRIM), ..worker() });
    assert!(trims.iter().zip(0u64..).all(|(io, at)| io.kind == Direction::Trim && io.offset == at * 4096));
}

#[test]
fn files_are_chosen_as_asked() {
    let turn = |order, every, ops| {
        let files = (0..4).map(|_| file(Bytes(0), Bytes::kib(16))).collect();
        // If each block is met once, a file that is done waits for the others.
        let access = match order {
            FileOrder::InTurn | FileOrder::OneByOne => Access::sequential(Mix::READ),
            _ => random(Spread::Uniform),
        };
        let access = Access { files: FileTurn { order, every }, ..access };
        seen(ops, WorkerPlan { files, access, ..worker() }).iter().map(|io| io.file).collect::<Vec<_>>()
    };
    assert_eq!(turn(FileOrder::InTurn, 3, 8), [0, 0, 0, 1, 1, 1, 2, 2]);
    assert_eq!(turn(FileOrder::OneByOne, 1, 10), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    let count = |list: &[u32], file| list.iter().filter(|&&at| at == file).count();
    let drawn = turn(FileOrder::Random, 1, 20_000);
    (0..4).for_each(|file| assert_share(count(&drawn, file), 20_000, 0.25, "each as likely"));
    let drawn = turn(FileOrder::Zipf { theta: 1.0 }, 1, 20_000);
    let ranks = |from: u32| (from..from + 1024).map(|rank| 1.0 / f64::from(rank + 1)).sum::<f64>();
    let total = ranks(0) + ranks(1024) + ranks(2048) + ranks(3072);
    (0..4).for_each(|at| {
        assert_share(count(&drawn, at), 20_000, ranks(1024 * at) / total, "by Zipf of 1024 ranks")
    });
    // As in fio: the mean of twelve draws over all files, and a twentieth of them around it.
    let drawn = turn(FileOrder::Normal { percent: 5.0 }, 1, 20_000);
    let [outer, inner] = [0, 1].map(|file| count(&drawn, file) + count(&drawn, 3 - file));
    assert_share(outer, 20_000, 0.0032, "three standard deviations of 0.0846 from the middle");
    assert_eq!(outer + inner, 20_000);
    let drawn = turn(FileOrder::Random, 10, 20_000);
    assert!(drawn.chunks(10).all(|run| run.iter().all(|file| *file == run[0])));
}

#[test]
fn pieces_are_done_one_after_the_other_with_gaps_between() {
    let pieces = Pieces { range: Bytes::kib(16), size: Bytes::kib(8), skip: Bytes::kib(4) };
    let files = vec![file(Bytes(0), Bytes::kib(60))];
    let access = Access { pieces: Some(pieces), ..Access::sequential(Mix::READ) };
    let ios = seen(8, WorkerPlan { files: files.clone(), access: access.clone(), ..worker() });
    let kib: Vec<u64> = ios.iter().map(|io| io.offset / K).collect();
    assert_eq!(kib, [0, 4, 20, 24, 40, 44, 0, 4]);
    let access = Access { order: Order::Random(Repeats::Without), ..access };
    for (number, io) in seen(600, WorkerPlan { files, access, ..worker() }).iter().enumerate() {
        let start = (number as u64 / 2 % 3) * 20 * K;
        assert!((start..start + 16 * K).contains(&io.offset), "I/O {number} in its piece");
    }
}

fn any_lengths() -> impl Strategy<Value = Lengths> {
    prop_oneof![
        (1u64..=16).prop_map(|n| Lengths::Fixed(Bytes(n * 512))),
        (1u64..=8, 0u64..=8, 1u64..=8).prop_map(|(least, more, step)| Lengths::Range {
            least: Bytes(least * 512),
            most: Bytes((least + more) * 512),
            step: Bytes(step.min(least) * 512)
        }),
        proptest::collection::vec((1u64..=16, 1u32..=99), 1..6).prop_map(|list| {
            let share = |(n, weight)| LengthShare { length: Bytes(n * 512), weight };
            Lengths::Shares(list.into_iter().map(share).collect())
        }),
    ]
}

fn any_spread() -> impl Strategy<Value = Spread> {
    prop_oneof![
        Just(Spread::Uniform),
        (0.1f64..3.0).prop_map(|theta| Spread::Zipf { theta, center: None }),
        (0.01f64..0.9, 0.0f64..=1.0).prop_map(|(h, center)| Spread::Pareto { h, center: Some(center) }),
        (0.0f64..200.0).prop_map(|percent| Spread::Normal { percent, center: None }),
        (0.0f64..100.0, 0.1f64..150.0).prop_map(|(share, length)| {
            let first = Zone { percent: share, length: ZoneLength::Percent(length) };
            let rest = Zone { percent: 100.0 - share, length: ZoneLength::Rest };
            Spread::Zoned(ByDirection { read: vec![first, rest], write: vec![rest], trim: vec![first] })
        }),
        proptest::collection::vec(0u64..1_000, 1..5).prop_map(Spread::Listed),
        proptest::collection::vec(0u64..1_000, 1..5).prop_map(Spread::Advancing),
    ]
}

fn any_access() -> impl Strategy<Value = Access> {
    let order = prop_oneof![
        Just(Order::Sequential),
        Just(Order::Random(Repeats::With)),
        Just(Order::Random(Repeats::Without))
    ];
    let mix = prop_oneof![(0u8..=100).prop_map(Mix::reads), Just(Mix::TRIM), Just(Mix::TRIM_WRITE)];
    let runs = proptest::option::of((1u32..10, prop_oneof![Just(Follow::Next), Just(Follow::Same)]));
    let pieces = proptest::option::of((8u64..64, 1u64..64, 0u64..64));
    (order, mix, any_spread(), -40i64..40, runs, pieces, 0u8..=100).prop_map(
        |(order, mix, spread, stride, runs, pieces, percent)| Access {
            order,
            spread,
            stride: stride * 512,
            runs: runs.map(|(length, follow)| Runs { length, follow }),
            pieces: pieces.map(|(range, size, skip)| Pieces {
                range: Bytes::kib(range),
                size: Bytes::kib(size),
                skip: Bytes::kib(skip),
            }),
            random_percent: ByDirection::all(percent),
            ..Access::random(mix)
        },
    )
}

fn allows(lengths: &Lengths, length: Bytes) -> bool {
    match lengths {
        Lengths::Fixed(fixed) => length == *fixed,
        Lengths::Range { least, most, step } => {
            length == *most || length < *most && (length.0 - least.0).is_multiple_of(step.0)
        }
        Lengths::Shares(list) => list.iter().any(|share| share.length == length),
    }
}

proptest! {
    #[test]
    fn whatever_is_combined_stays_in_the_region_and_has_a_length_of_its_own(
        lengths in any_lengths(), access in any_access(), kib in 8u64..300, start in 0u64..9, seed: u64,
    ) {
        let region = file(Bytes::kib(start), Bytes::kib(kib));
        let blocks = with_lengths(lengths.clone());
        let mix = access.mix;
        // What would reach a visited block is shortened, to whole steps of the shortest.
        let steps = (access.order == Order::Random(Repeats::Without)).then(|| blocks.shortest_of(Direction::Read).0);
        let plan = WorkerPlan { files: vec![region; 2], blocks, access, seed, depth: 3, ..worker() };
        for io in seen(400, plan) {
            prop_assert!(mix.issues(io.kind), "{:?}", io);
            let length = Bytes(u64::from(io.bytes));
            let shortened = steps.is_some_and(|step| length.0.is_multiple_of(step));
            prop_assert!(allows(&lengths, length) || shortened, "{:?}", io);
            prop_assert!(io.offset >= start * K && io.offset + length.0 <= (start + kib) * K, "{:?}", io);
            prop_assert!(io.offset % 512 == 0);
        }
    }
}
