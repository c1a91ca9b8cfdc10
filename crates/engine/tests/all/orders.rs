//! The order of accesses for a seed stays the same: stored fingerprints are compared with new ones, because verification and
//! trims depend on it.

use crate::vocabulary::*;
use statistics::random::mix;
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Direction, DiskSpdMode, DiskSpdOrder, DiskSpdWalk, Flush, Io,
    Iops, Mix, Nanos, Order, Pace, Pieces, Repeats, StopRule, WorkerPlan,
};

/// Number of I/Os compared for each plan.
const COMPARED: u64 = 5_000;

/// A number that any other order, length or direction would change.
fn fingerprint(ios: &[(Nanos, Io)]) -> u64 {
    ios.iter().fold(0, |hash, (_, io)| {
        let fields = [io.kind.index() as u64, u64::from(io.file), io.offset, u64::from(io.bytes)];
        fields.into_iter().fold(hash, |hash, field| mix(hash ^ field).wrapping_add(1))
    })
}

fn order_of(stop: StopRule, plan: WorkerPlan) -> (usize, u64) {
    let mut spy = Spy::on(CappedVolume::at(50_000, Nanos(30_000)));
    simulate(&step(vec![plan], stop), &mut spy);
    (spy.seen.len(), fingerprint(&spy.seen))
}

fn plans() -> Vec<(&'static str, WorkerPlan)> {
    let random = |mix| WorkerPlan { access: Access::random(mix), ..at_depth(16) };
    let small = |blocks: u64| vec![file(Bytes::kib(64), Bytes::kib(4 * blocks))];
    let pieces = Pieces { range: Bytes::mib(1), size: Bytes::kib(600), skip: Bytes::kib(128) };
    let walk = DiskSpdWalk {
        mode: DiskSpdMode::Mixed(60),
        step: 4096,
        start: 0,
        write_percent: 30,
        ranges: Vec::new(),
        draws_a_write: 1,
    };
    let diskspd = DiskSpdOrder { seed: 11, walks: vec![walk], weights: Vec::new() };
    vec![
        ("reads", random(Mix::READ)),
        ("writes", WorkerPlan { seed: 77, ..random(Mix::reads(0)) }),
        ("mixed", random(Mix::reads(70))),
        ("one block", WorkerPlan { files: small(1), ..random(Mix::READ) }),
        ("fewer blocks than a run", WorkerPlan { files: small(7), ..random(Mix::reads(50)) }),
        ("passes that end within a run", WorkerPlan { files: small(1_003), ..random(Mix::READ) }),
        ("huge", WorkerPlan { files: vec![file(Bytes(0), Bytes::gib(60_000))], ..random(Mix::READ) }),
        (
            "three files",
            WorkerPlan {
                files: vec![small(100).remove(0), small(5_000).remove(0), small(33).remove(0)],
                ..random(Mix::reads(40))
            },
        ),
        (
            "lanes apart",
            WorkerPlan {
                blocks: BlockSizes::each(Bytes::kib(4), Bytes::kib(64), Bytes(0)),
                ..random(Mix::reads(60))
            },
        ),
        ("flushed", WorkerPlan { flush: Flush::Every(7), ..random(Mix::reads(20)) }),
        ("paced", WorkerPlan { pace: Pace::Poisson(Iops(40_000.0)), ..random(Mix::reads(70)) }),
        (
            "sequential",
            WorkerPlan { files: small(777), access: Access::sequential(Mix::reads(80)), ..at_depth(4) },
        ),
        (
            "partly random",
            WorkerPlan { files: small(777), access: Access::partly_random(30, Mix::READ), ..at_depth(4) },
        ),
        (
            "with repeats",
            WorkerPlan {
                access: Access { order: Order::Random(Repeats::With), ..Access::random(Mix::reads(50)) },
                ..at_depth(4)
            },
        ),
        (
            "composed",
            WorkerPlan {
                blocks: BlockSizes {
                    align: ByDirection::all(Some(Bytes::kib(4))),
                    ..BlockSizes::all(Bytes::kib(4))
                },
                access: Access { pieces: Some(pieces), ..Access::random(Mix::reads(30)) },
                ..at_depth(4)
            },
        ),
        (
            "trims",
            WorkerPlan {
                blocks: BlockSizes::each(Bytes::kib(4), Bytes::kib(4), Bytes::kib(4)),
                access: Access::random(Mix::TRIM_WRITE),
                ..at_depth(4)
            },
        ),
        (
            "DiskSpd",
            WorkerPlan {
                access: Access { diskspd: Some(Box::new(diskspd)), ..Access::random(Mix::reads(70)) },
                ..at_depth(8)
            },
        ),
    ]
}

/// Fingerprints from when offsets were still drawn one by one.
const ORDERS: &[(&str, u64)] = &[
    ("reads", 10955864759156689296),
    ("writes", 2700706148987499999),
    ("mixed", 15104865557695729867),
    ("one block", 1868275814570795239),
    ("fewer blocks than a run", 7898914022149289653),
    ("passes that end within a run", 7737535801219443329),
    ("huge", 4112274123903398219),
    // Files of different lengths, of which the short ones now wait until the long ones are done too.
    ("three files", 4612968482858651310),
    ("lanes apart", 1984915908500840257),
    ("flushed", 9167073488794643020),
    ("paced", 15104865557695729867),
    ("sequential", 15613040940978992215),
    ("partly random", 7709535993477314066),
    ("with repeats", 3616491068989547273),
    ("composed", 6501239576457503916),
    ("trims", 2109524426880475962),
    ("DiskSpd", 3595903155402313464),
];

#[test]
fn an_order_stays_what_it_was() {
    let found: Vec<(&str, u64)> = plans()
        .into_iter()
        .map(|(name, plan)| {
            let (count, hash) = order_of(StopRule::OpsEach(COMPARED), plan);
            // Flushes are not part of the amount and come in addition.
            assert!(count as u64 >= COMPARED, "{name}: {count} I/Os");
            (name, hash)
        })
        .collect();
    assert_eq!(found, ORDERS);
}

#[test]
fn amounts_end_a_step_at_the_very_io_in_every_order() {
    for (name, plan) in plans() {
        let longest = plan.blocks.longest().0;
        for amount in [1, 15, 16, 17, 1_000, 4_097] {
            let mut spy = Spy::on(CappedVolume::at(50_000, Nanos(30_000)));
            let record = simulate(&for_ops(amount, vec![plan.clone()]), &mut spy);
            let moving = |io: &Io| io.kind != Direction::Flush;
            let issued = spy.seen.iter().filter(|(_, io)| moving(io)).count() as u64;
            let counted: u64 = Direction::ALL[..3].iter().map(|&kind| record.tally(kind).ops).sum();
            assert_eq!((issued, counted), (amount, amount), "{name}, {amount} I/Os");
        }
        for bytes in [longest, 10 * longest + 1, 333 * longest - 1] {
            let mut spy = Spy::on(CappedVolume::at(50_000, Nanos(30_000)));
            simulate(&step(vec![plan.clone()], StopRule::BytesEach(Bytes(bytes))), &mut spy);
            let moved: u64 = spy.seen.iter().map(|(_, io)| u64::from(io.bytes)).sum();
            assert!(moved <= bytes && moved + longest > bytes, "{name}: {moved} bytes of {bytes}");
        }
    }
}

#[test]
fn every_block_is_visited_once_a_pass_at_any_depth() {
    for (blocks, depth) in [(1u64, 1), (15, 4), (16, 16), (17, 64), (1_003, 64), (4_096, 7)] {
        let files = vec![file(Bytes::kib(8), Bytes::kib(4 * blocks))];
        let mut spy = Spy::on(CappedVolume::at(50_000, Nanos(30_000)));
        simulate(&for_ops(3 * blocks, vec![WorkerPlan { files, ..at_depth(depth) }]), &mut spy);
        for pass in spy.seen.chunks(blocks as usize) {
            let mut places: Vec<u64> = pass.iter().map(|(_, io)| io.offset).collect();
            places.sort_unstable();
            let all: Vec<u64> = (0..blocks).map(|block| Bytes::kib(8).0 + block * 4096).collect();
            assert_eq!(places, all, "{blocks} blocks at depth {depth}");
        }
    }
}
