//! Offsets by DiskSpd's rules: the streams that follow from its rules, computed here again from their definition.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::vocabulary::*;
use engine::{Volume, VolumeAnswer};
use workload::{
    Access, BlockSizes, Bytes, Direction, DiskSpdMode, DiskSpdOrder, DiskSpdRange, DiskSpdWalk, FilePlan, Io,
    Mix, Nanos, WorkerPlan,
};

/// Records the requests, and serves each in a time that depends on its offset, so that I/Os overtake each other.
#[derive(Default)]
struct Notebook {
    ios: Vec<Io>,
    shuffled: bool,
}

impl Volume for Notebook {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.ios.push(*io);
        let extra = if self.shuffled { io.offset * 7919 % 1013 } else { 0 };
        VolumeAnswer { done_at: now + Nanos(1000 + extra), result: io.bytes as i32 }
    }
}

/// The generator as its author published it, implemented again independently.
struct Reference([u64; 4]);

impl Reference {
    fn new(seed: u64) -> Reference {
        let mut it = Reference([0xf1ea_5eed, seed, seed, seed]);
        (0..20).for_each(|_| _ = it.draw());
        it
    }

    fn draw(&mut self) -> u64 {
        let e = self.0[0].wrapping_sub(self.0[1].rotate_left(7));
        self.0[0] = self.0[1] ^ self.0[2].rotate_left(13);
        self.0[1] = self.0[2].wrapping_add(self.0[3].rotate_left(37));
        self.0[2] = self.0[3].wrapping_add(e);
        self.0[3] = e.wrapping_add(self.0[0]);
        self.0[3]
    }

    fn chance(&mut self, percent: u32) -> bool {
        (self.draw() as u32) % 100 < percent
    }
}

fn walk(mode: DiskSpdMode, step: u64) -> DiskSpdWalk {
    DiskSpdWalk { mode, step, start: 0, write_percent: 0, ranges: Vec::new(), draws_a_write: 0 }
}

/// A worker on one region of `size` bytes from `base` on, with blocks of `block` bytes.
fn worker_of(walk: DiskSpdWalk, (base, size, block): (u64, u64, u64)) -> WorkerPlan {
    let mix = Mix::reads(100 - walk.write_percent);
    let order = DiskSpdOrder { seed: 5, walks: vec![walk], weights: Vec::new() };
    WorkerPlan {
        files: vec![file(Bytes(base), Bytes(size))],
        blocks: BlockSizes::all(Bytes(block)),
        access: Access { diskspd: Some(Box::new(order)), ..Access::random(mix) },
        ..worker()
    }
}

fn offsets(count: u64, plan: WorkerPlan) -> Vec<u64> {
    stream(count, plan).into_iter().map(|(_, offset)| offset).collect()
}

fn stream(count: u64, plan: WorkerPlan) -> Vec<(Direction, u64)> {
    let mut notebook = Notebook::default();
    simulate(&for_ops(count, vec![plan]), &mut notebook);
    notebook.ios.iter().map(|io| (io.kind, io.offset)).collect()
}

#[test]
fn a_sequence_wraps_to_the_remainder_of_its_start() {
    // As with -B1000 -s500 -b1000 on 3,000 bytes.
    let plain = worker_of(walk(DiskSpdMode::Sequential, 500), (1000, 2000, 1000));
    assert_eq!(offsets(5, plain), [1000, 1500, 2000, 1000, 1500]);
    // As the second thread of -T500 -s200 -b200 on 3,000 bytes: it goes on from the remainder, 100.
    let second = DiskSpdWalk { start: 500, ..walk(DiskSpdMode::Sequential, 200) };
    let expected =
        [500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500, 2700, 100, 300, 500, 700, 900];
    assert_eq!(offsets(17, worker_of(second, (0, 3000, 200))), expected);
    // Strides longer and shorter than the block.
    let long = worker_of(walk(DiskSpdMode::Sequential, 2000), (0, 5000, 1000));
    assert_eq!(offsets(4, long), [0, 2000, 4000, 0]);
    let short = worker_of(walk(DiskSpdMode::Sequential, 250), (0, 3000, 1000));
    assert_eq!(offsets(10, short), [0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000, 0]);
}

#[test]
fn interlocked_threads_share_one_sequence() {
    let worker = || worker_of(walk(DiskSpdMode::Interlocked(3), 500), (1000, 2000, 1000));
    let mut notebook = Notebook::default();
    simulate(&for_ops(6, vec![worker(), worker()]), &mut notebook);
    let offsets: Vec<u64> = notebook.ios.iter().map(|io| io.offset).collect();
    assert_eq!(offsets, [1000, 1500, 2000, 1000, 1500, 2000, 1000, 1500, 2000, 1000, 1500, 2000]);
    // A different number is a different sequence.
    let mut notebook = Notebook::default();
    let other = worker_of(walk(DiskSpdMode::Interlocked(4), 500), (1000, 2000, 1000));
    simulate(&for_ops(2, vec![worker(), other]), &mut notebook);
    let offsets: Vec<u64> = notebook.ios.iter().map(|io| io.offset).collect();
    assert_eq!(offsets, [1000, 1000, 1500, 1500]);
}

#[test]
fn parallel_walkers_visit_the_same_places_each_at_its_own_speed() {
    let plan = WorkerPlan { depth: 3, ..worker_of(walk(DiskSpdMode::Parallel, 500), (1000, 2000, 1000)) };
    assert_eq!(offsets(9, plan.clone())[..3], [1000, 1000, 1000]);
    let mut notebook = Notebook { shuffled: true, ..Notebook::default() };
    simulate(&for_ops(300, vec![plan]), &mut notebook);
    // Each slot by itself walks the whole sequence, whatever the order of completions.
    for slot in 0..3 {
        let own: Vec<u64> = notebook.ios.iter().filter(|io| io.slot == slot).map(|io| io.offset).collect();
        let expected: Vec<u64> = (0..own.len()).map(|at| 1000 + 500 * (at as u64 % 3)).collect();
        assert_eq!(own, expected, "slot {slot}");
    }
}

#[test]
fn random_places_are_drawn_rounded_down_and_folded() {
    let (base, size, block, step) = (1000, 20_000, 1000, 500);
    let mut reference = Reference::new(5);
    let aligned = (size - block) / step * step + step;
    let expected: Vec<u64> = (0..200)
        .map(|_| {
            let drawn = reference.draw();
            base + (drawn - drawn % step) % aligned
        })
        .collect();
    let found = offsets(200, worker_of(walk(DiskSpdMode::Random, step), (base, size, block)));
    assert_eq!(found, expected);
    assert!(found.iter().all(|offset| offset % 500 == 0 && offset + block <= base + size));
}

#[test]
fn directions_are_drawn_after_places_and_once_before_all() {
    let rule = DiskSpdWalk { write_percent: 30, draws_a_write: 2, ..walk(DiskSpdMode::Random, 4096) };
    let mut reference = Reference::new(5);
    reference.chance(30);
    let expected: Vec<(Direction, u64)> = (0..500)
        .map(|_| {
            let drawn = reference.draw();
            let write = reference.chance(30);
            if write {
                // What the data of a write takes from the generator.
                reference.draw();
                reference.draw();
            }
            let kind = if write { Direction::Write } else { Direction::Read };
            (kind, (drawn - drawn % 4096) % 1_048_576)
        })
        .collect();
    assert_eq!(stream(500, worker_of(rule, (0, 1 << 20, 4096))), expected);
}

#[test]
fn mixed_walks_go_on_from_random_places_in_one_direction() {
    let rule = DiskSpdWalk { write_percent: 50, ..walk(DiskSpdMode::Mixed(40), 4096) };
    let (size, block) = (1u64 << 20, 4096u64);
    let mut reference = Reference::new(5);
    let random = |reference: &mut Reference| {
        let drawn = reference.draw();
        (drawn - drawn % 4096) % size
    };
    let mut next = random(&mut reference);
    let mut write = reference.chance(50);
    let expected: Vec<(Direction, u64)> = (0..500)
        .map(|_| {
            let jumps = reference.chance(40);
            if jumps {
                next = random(&mut reference);
            } else if next + block > size {
                next = 0;
            }
            let place = next;
            next += 4096;
            if jumps {
                write = reference.chance(50);
            }
            (if write { Direction::Write } else { Direction::Read }, place)
        })
        .collect();
    assert_eq!(stream(500, worker_of(rule, (0, size, block))), expected);
}

#[test]
fn ranges_are_chosen_by_their_shares() {
    let ranges = vec![
        DiskSpdRange { io: 10, start: 0, length: 8192 },
        DiskSpdRange { io: 10, start: 8192, length: 12_288 },
        DiskSpdRange { io: 80, start: 28_672, length: 73_728 },
    ];
    let rule = DiskSpdWalk { ranges: ranges.clone(), ..walk(DiskSpdMode::Random, 4096) };
    let mut reference = Reference::new(5);
    let expected: Vec<u64> = (0..2000)
        .map(|_| {
            let drawn = reference.draw();
            let share = reference.draw() % 100;
            let range = ranges[usize::from(share >= 10) + usize::from(share >= 20)];
            range.start + (drawn - drawn % 4096) % range.length
        })
        .collect();
    let found = offsets(2000, worker_of(rule, (0, 102_400, 4096)));
    assert_eq!(found, expected);
    assert!(found.iter().all(|&offset| !(20_480..28_672).contains(&offset)), "nothing lies in the hole");
}

#[test]
fn a_range_that_is_no_multiple_of_the_step_stays_within_the_region() {
    let ranges = vec![DiskSpdRange { io: 100, start: 0, length: 100 * 1024 }];
    let rule = DiskSpdWalk { ranges, ..walk(DiskSpdMode::Random, 3072) };
    let found = offsets(2000, worker_of(rule, (0, 100 * 1024, 3072)));
    assert!(found.iter().all(|offset| offset + 3072 <= 100 * 1024));
}

#[test]
fn a_pool_draws_its_file_first() {
    let walks = vec![walk(DiskSpdMode::Random, 4096), walk(DiskSpdMode::Random, 4096)];
    for (weights, fold) in [(vec![1, 1], 2u64), (vec![3, 1], 4)] {
        let order = DiskSpdOrder { seed: 9, walks: walks.clone(), weights: weights.clone() };
        let one = |path: &str| FilePlan { path: path.into(), offset: Bytes(0), size: Bytes::MIB };
        let plan = WorkerPlan {
            files: vec![one("a"), one("b")],
            access: Access { diskspd: Some(Box::new(order)), ..Access::random(Mix::READ) },
            ..worker()
        };
        let mut notebook = Notebook::default();
        simulate(&for_ops(400, vec![plan]), &mut notebook);
        let mut reference = Reference::new(9);
        for io in &notebook.ios {
            let drawn = reference.draw();
            let file = if fold == 2 { drawn as u32 % 2 } else { u32::from(drawn % 4 >= 3) };
            let place = reference.draw();
            assert_eq!((io.file, io.offset), (file, (place - place % 4096) % (1 << 20)), "{weights:?}");
        }
    }
}

#[test]
fn threads_have_seeds_of_their_own_and_a_seed_gives_one_stream() {
    let of = |seed: u64| {
        let mut plan = worker_of(walk(DiskSpdMode::Random, 4096), (0, 1 << 30, 4096));
        plan.access.diskspd.as_mut().unwrap().seed = seed;
        offsets(50, plan)
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn a_region_that_does_not_hold_the_first_block_is_refused() {
    let late = DiskSpdWalk { start: 3000, ..walk(DiskSpdMode::Sequential, 1000) };
    let plan = worker_of(late, (0, 3500, 1000));
    let mut notebook = Notebook::default();
    let ended = engine::run_simulated(&for_ops(1, vec![plan]), &mut notebook, START, &mut Log::default());
    assert!(ended.is_err());
}
