//! Data is written, read back and compared on real files, through every backend; damage of every kind is found and named,
//! whether it was done between two runs or during the run.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::vocabulary::*;
use engine::{fill::repeat, run_real};
use kernel::{Clock, Direct, OpenFile, guard, open_for_write};
use record::{Damage, Mismatch, Note, StepRecord};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, ByDirection, Bytes, Direction, Ending, FilePlan, GiveBack,
    Iops, LengthShare, Lengths, Mix, Nanos, OnMismatch, Order, Pace, Pattern, Proof, ReadBack, Repeats,
    StopRule, Terms, TrimmedContent, Verification, Verify, WorkerPlan,
};

const BLOCK: u64 = 4096;
const SIZE: Bytes = Bytes::mib(2);
const EILSEQ: i32 = 84;

fn backends() -> Vec<BackendKind> {
    kernel::probe().into_iter().filter(|(_, works)| works.is_ok()).map(|(kind, _)| kind).collect()
}

/// Two files on a real file system.
struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let files = Files { folder };
        (0..2).for_each(|number| File::create(files.path(number)).unwrap().set_len(SIZE.0).unwrap());
        files
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("file {number}"))
    }

    fn open(&self) -> Vec<OpenFile> {
        let open = |number| {
            open_for_write(&guard::permit_named_file(&self.path(number)).unwrap(), Direct::No).unwrap()
        };
        (0..2).map(open).collect()
    }

    /// A worker that writes both files at random, verified as `change` says.
    fn writer(&self, change: impl FnOnce(&mut Verification)) -> WorkerPlan {
        let mut verification = Verification::with_headers(5);
        change(&mut verification);
        let region = |number| FilePlan { path: self.path(number), offset: Bytes(0), size: SIZE };
        WorkerPlan {
            backend: BackendKind::Pread,
            direct: false,
            files: vec![region(0), region(1)],
            access: Access::random(Mix::WRITE),
            buffers: Buffers::Stamped,
            verify: Verify::On(verification),
            ..at_depth(1)
        }
    }

    /// Runs `workers` until each has written both files once.
    fn run(&self, workers: Vec<WorkerPlan>) -> StepRecord {
        let plan = step(workers, StopRule::BytesEach(SIZE * 2));
        let files: Vec<_> = plan.workers.iter().map(|_| self.open()).collect();
        run_real(&plan, &files, Clock::start(), &mut Log::default()).unwrap()
    }

    /// Runs the same job once more, only reading.
    fn check(&self) -> StepRecord {
        self.run(vec![self.writer(|verification| {
            verification.when = ReadBack::WithoutWriting;
            verification.run = 0;
        })])
    }

    fn read(&self, number: usize, block: u64) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK as usize];
        File::open(self.path(number)).unwrap().read_exact_at(&mut bytes, block * BLOCK).unwrap();
        bytes
    }

    fn put(&self, number: usize, block: u64, bytes: &[u8]) {
        let file = File::options().write(true).open(self.path(number)).unwrap();
        file.write_all_at(bytes, block * BLOCK).unwrap();
    }
}

fn assert_sound(record: &StepRecord) {
    assert_eq!((&record.failures, record.ending), (&Vec::new(), Ending::Amount), "{:?}", record.notes);
}

/// The mismatches found, in the order reported.
fn mismatches(record: &StepRecord) -> impl Iterator<Item = &Mismatch> {
    record.notes.iter().filter_map(|note| match note {
        Note::Mismatch(mismatch) => Some(mismatch),
        _ => None,
    })
}

/// The only failure: its path, its offset and its mismatch.
fn only_failure(record: &StepRecord) -> (String, u64, Mismatch) {
    assert_eq!((record.failures.len(), record.ending), (1, Ending::Failed), "{:?}", record.notes);
    let failure = &record.failures[0];
    assert_eq!((failure.errno, failure.direction), (EILSEQ, Direction::Read));
    let mismatch = mismatches(record).next().unwrap();
    assert_eq!((&mismatch.path, mismatch.io_offset), (&failure.path, failure.offset));
    (failure.path.clone(), failure.offset, mismatch.clone())
}

#[test]
fn what_is_written_proves_itself_through_every_backend_and_depth() {
    for backend in backends() {
        for depth in [1, 16] {
            let files = Files::new();
            let depth = if backend == BackendKind::Pread { 1 } else { depth };
            let record = files.run(vec![WorkerPlan { backend, depth, ..files.writer(|_| {}) }]);
            assert_sound(&record);
            let writes = record.tally(Direction::Write);
            assert_eq!((writes.ops, writes.bytes), (1024, SIZE.0 * 2), "what is read back counts apart");
            assert_sound(&files.check());
        }
    }
}

#[test]
fn a_single_flipped_bit_is_found_and_named() {
    let files = Files::new();
    assert_sound(&files.run(vec![files.writer(|_| {})]));
    let mut block = files.read(1, 77);
    block[3001] ^= 0x10;
    files.put(1, 77, &block);
    let (path, offset, found) = only_failure(&files.check());
    assert_eq!((path, offset), (files.path(1).display().to_string(), 77 * BLOCK));
    assert!(matches!(found.what, Damage::Corrupted { .. }) && found.offset == 77 * BLOCK, "{found:?}");
}

#[test]
fn a_lost_a_misplaced_and_a_stale_block_are_told_apart() {
    let files = Files::new();
    assert_sound(&files.run(vec![files.writer(|_| {})]));
    let (old, neighbour) = (files.read(0, 5), files.read(0, 6));
    // A second pass writes every block again.
    let twice = step(vec![files.writer(|_| {})], StopRule::BytesEach(SIZE * 4));
    let record = run_real(&twice, &[files.open()], Clock::start(), &mut Log::default()).unwrap();
    assert_sound(&record);
    let check = || {
        let only = files.writer(|verification| verification.when = ReadBack::WithoutWriting);
        run_real(
            &step(vec![only], StopRule::BytesEach(SIZE * 4)),
            &[files.open()],
            Clock::start(),
            &mut Log::default(),
        )
    };
    let sound = files.read(0, 5);
    assert_sound(&check().unwrap());
    for (damage, says) in [
        (vec![0; BLOCK as usize], "nothing was written here"),
        (vec![0xab; BLOCK as usize], "bad magic header"),
        (neighbour, "belongs to byte 24576 of file 1"),
        (old, "stands here, expected write"),
    ] {
        files.put(0, 5, &damage);
        let (_, offset, found) = only_failure(&check().unwrap());
        assert!(found.what.to_string().contains(says), "{found:?}");
        assert_eq!(offset, 5 * BLOCK);
        files.put(0, 5, &sound);
    }
}

#[test]
fn what_an_earlier_run_left_is_not_taken_for_what_this_one_wrote() {
    let files = Files::new();
    assert_sound(&files.run(vec![files.writer(|verification| verification.run = 4)]));
    let only = files.writer(|verification| verification.when = ReadBack::WithoutWriting);
    let record = files.run(vec![only]);
    assert_eq!(record.failures.len(), 16, "the first of 1,024");
    assert!(mismatches(&record).any(|found| found.what == Damage::OtherRun), "{:?}", record.notes);
}

#[test]
fn a_write_of_somebody_else_is_found_in_the_same_run() {
    // On a machine without CPU to spare the stranger may be done before the other has written; then it is tried again.
    let found = (0..10).map(|_| beside_a_stranger()).find(|record| record.ending == Ending::Failed);
    let record = found.unwrap();
    assert!(record.failures.iter().all(|failure| failure.errno == EILSEQ && failure.offset < 65_536));
}

/// Runs a writer that reads back, while another worker writes into its first blocks.
fn beside_a_stranger() -> StepRecord {
    let files = Files::new();
    let stranger = WorkerPlan {
        verify: Verify::Off,
        access: Access::sequential(Mix::WRITE),
        files: vec![FilePlan { path: files.path(0), offset: Bytes(0), size: Bytes::kib(64) }],
        seed: 3,
        ..files.writer(|_| {})
    };
    // The stranger writes on until the step ends, far longer than this worker takes, which is slow enough to be overtaken.
    let slow = WorkerPlan {
        pace: Pace::Fixed(Iops(10_000.0)),
        terms: Terms { stop: vec![StopRule::BytesEach(SIZE * 2)], ..Terms::default() },
        ..files.writer(|_| {})
    };
    let plan = step(vec![slow, stranger], StopRule::Time(Nanos::from_millis(600)));
    let opened = vec![files.open(), vec![files.open().swap_remove(0)]];
    run_real(&plan, &opened, Clock::start(), &mut Log::default()).unwrap()
}

#[test]
fn all_damage_is_named_or_the_first_ends_it() {
    for (on_failure, named) in [(OnMismatch::GoOn, 3), (OnMismatch::Stop, 1)] {
        let files = Files::new();
        assert_sound(&files.run(vec![files.writer(|_| {})]));
        [10, 20, 30].iter().for_each(|&block| files.put(0, block, &[1; 100]));
        let record = files.run(vec![files.writer(|verification| {
            verification.when = ReadBack::WithoutWriting;
            verification.on_failure = on_failure;
        })]);
        assert_eq!((record.failures.len(), record.ending), (named, Ending::Failed), "{on_failure:?}");
    }
}

#[test]
fn blocks_are_read_back_while_writing_goes_on() {
    for backend in backends() {
        let files = Files::new();
        let when = ReadBack::Every { writes: 100, batch: 40 };
        let depth = if backend == BackendKind::Pread { 1 } else { 8 };
        let writer = files.writer(|verification| verification.when = when);
        let record = files.run(vec![WorkerPlan { backend, depth, ..writer }]);
        assert_sound(&record);
        let reads = record.tally(Direction::Read).ops;
        assert!((360..=1024).contains(&reads), "{reads} of 1,024 blocks were read back meanwhile");
    }
}

#[test]
fn overlapping_writes_of_many_lengths_raise_no_false_alarm() {
    let share = |kib, weight| LengthShare { length: Bytes::kib(kib), weight };
    let lengths = Lengths::Shares(vec![share(4, 50), share(16, 30), share(64, 20)]);
    for backend in backends() {
        for when in [ReadBack::AtTheEnd, ReadBack::Every { writes: 20, batch: 20 }] {
            let files = Files::new();
            let blocks = BlockSizes {
                lengths: ByDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths.clone() },
                ..BlockSizes::all(Bytes(0))
            };
            let writer = WorkerPlan {
                backend,
                depth: if backend == BackendKind::Pread { 1 } else { 16 },
                blocks,
                access: Access { order: Order::Random(Repeats::With), ..Access::random(Mix::reads(30)) },
                ..files.writer(|verification| verification.when = when)
            };
            let plan = step(vec![writer], StopRule::BytesEach(SIZE * 8));
            let record = run_real(&plan, &[files.open()], Clock::start(), &mut Log::default()).unwrap();
            assert_sound(&record);
        }
    }
}

#[test]
fn a_file_of_a_pattern_is_checked_where_it_is_read() {
    let files = Files::new();
    let pattern = Pattern { bytes: b"some text, and the place: ________".to_vec(), offsets: vec![26] };
    for number in 0..2 {
        for block in 0..SIZE.0 / BLOCK {
            let mut bytes = vec![0; BLOCK as usize];
            repeat(&mut bytes, &pattern, block * BLOCK);
            files.put(number, block, &bytes);
        }
    }
    let reader = || WorkerPlan {
        access: Access::random(Mix::READ),
        ..files.writer(|verification| {
            verification.proof = Proof::Pattern(pattern.clone());
            verification.when = ReadBack::WhatIsRead;
        })
    };
    assert_sound(&files.run(vec![reader()]));
    let mut block = files.read(1, 9);
    block[4095] = 0;
    files.put(1, 9, &block);
    let (_, _, found) = only_failure(&files.run(vec![reader()]));
    assert!(matches!(found.what, Damage::NotThePattern { at: 40_959, found: 0, .. }), "{found:?}");
}

#[test]
fn time_ends_the_writing_and_all_that_was_written_is_read_back_after_it() {
    let files = Files::new();
    let plan = step(vec![files.writer(|_| {})], StopRule::Time(Nanos::from_millis(60)));
    let record = run_real(&plan, &[files.open()], Clock::start(), &mut Log::default()).unwrap();
    assert_eq!((record.failures.len(), record.ending), (0, Ending::Time));
    let worker = &record.workers[0];
    assert!(worker.ended < record.ended, "what is read back counts apart");
    let reads = record.intervals.iter().map(|interval| interval.of(Direction::Read).tally.ops).sum::<u64>();
    assert!(reads > 0, "it was read back");
}

/// Trims half of what is written, after every 16 writes.
fn half_given_back(then: TrimmedContent) -> impl Fn(&mut Verification) {
    move |verification| {
        verification.gives_back = Some(GiveBack { percent: 50, writes: 16, batch: 0, then });
    }
}

#[test]
fn writes_that_are_drawn_are_trimmed_and_read_as_zeros() {
    for backend in backends() {
        for (depth, then) in
            [(1, TrimmedContent::Zeros), (8, TrimmedContent::Zeros), (1, TrimmedContent::Anything)]
        {
            let files = Files::new();
            let depth = if backend == BackendKind::Pread { 1 } else { depth };
            let half = half_given_back(then);
            let record = files.run(vec![WorkerPlan { backend, depth, ..files.writer(&half) }]);
            assert_sound(&record);
            let trims = record.tally(Direction::Trim).ops;
            assert!((440..=580).contains(&trims), "{trims} of 1,024 writes were trimmed");
            assert_eq!(record.tally(Direction::Write).ops, 1024, "trims are no part of the amount");
            let zeros = (0..2).flat_map(|number| (0..SIZE.0 / BLOCK).map(move |block| (number, block)));
            let zeros = zeros.filter(|&(number, block)| files.read(number, block).iter().all(|&b| b == 0));
            assert_eq!(zeros.count() as u64, trims);
            // A later check of what this run wrote leaves out what it may have trimmed.
            let check = files.writer(|verification| {
                half(verification);
                verification.when = ReadBack::WithoutWriting;
            });
            assert_sound(&files.run(vec![WorkerPlan { backend, depth, ..check }]));
        }
    }
}
