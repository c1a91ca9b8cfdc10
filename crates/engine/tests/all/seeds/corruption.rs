//! Real files, written once with a header in every block, damaged in random places, and read back.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use engine::run_real;
use kernel::{Clock, Direct, OpenFile, guard, open_for_write};
use record::StepRecord;
use statistics::Stream;
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, Ending, FilePlan, Mix, OnMismatch, Pattern,
    Proof, ReadBack, StopRule, Verification, Verify, WorkerPlan,
};

use crate::vocabulary::{Log, at_depth, step};

/// What was written and how.
struct WrittenFile {
    folder: tempfile::TempDir,
    block: u64,
    blocks: u64,
    worker: WorkerPlan,
}

pub fn check(random: &mut Stream) {
    let written = WrittenFile::new(random);
    let record = written.run(written.worker.clone());
    assert_eq!((&record.failures, record.ending), (&Vec::new(), Ending::Amount), "{:?}", record.notes);
    let damaged = written.damage(random);
    let record = written.run(written.only_reading());
    let errors = record.tally(Direction::Read).errors;
    assert_eq!(errors, damaged.len() as u64, "of {damaged:?} were found {:?}", record.failures);
    assert_eq!(record.ending == Ending::Failed, !damaged.is_empty());
    for failure in &record.failures {
        assert!(damaged.contains(&(failure.offset / written.block)), "{failure:?} is none of {damaged:?}");
    }
    assert_eq!(record.failures.len(), damaged.len().min(16));
}

impl WrittenFile {
    fn new(random: &mut Stream) -> WrittenFile {
        let memory = std::path::Path::new("/dev/shm");
        let place = if memory.is_dir() { memory } else { std::path::Path::new(env!("CARGO_TARGET_TMPDIR")) };
        let folder = tempfile::Builder::new().prefix("plimsoll-seeds-").tempdir_in(place).unwrap();
        let block = 512 << random.below(5);
        let blocks = 1 + random.below(120);
        let path = folder.path().join("file");
        File::create(&path).unwrap().set_len(block * blocks).unwrap();
        let mut verification = Verification::with_headers(1 + random.below(1 << 40));
        if random.below(2) == 0 {
            verification.proof = Proof::HeaderAndPattern(Pattern::of([1 + random.below(255) as u8, 7]));
        }
        if random.below(3) == 0 && block > 512 {
            verification.interval = Some(Bytes(512));
        }
        if random.below(3) == 0 {
            verification.header_at = Bytes(8 * random.below(20));
        }
        let access =
            if random.below(2) == 0 { Access::random(Mix::WRITE) } else { Access::sequential(Mix::WRITE) };
        let worker = WorkerPlan {
            backend: BackendKind::Pread,
            direct: false,
            files: vec![FilePlan { path, offset: Bytes(0), size: Bytes(block * blocks) }],
            access,
            blocks: BlockSizes::all(Bytes(block)),
            buffers: Buffers::Stamped,
            verify: Verify::On(verification),
            seed: random.next_u64(),
            ..at_depth(1)
        };
        WrittenFile { folder, block, blocks, worker }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("file")
    }

    fn open(&self) -> Vec<OpenFile> {
        let permit = guard::permit_named_file(&self.path()).unwrap();
        vec![open_for_write(&permit, Direct::No).unwrap()]
    }

    fn run(&self, worker: WorkerPlan) -> StepRecord {
        let plan = step(vec![worker], StopRule::BytesEach(Bytes(self.block * self.blocks)));
        run_real(&plan, &[self.open()], Clock::start(), &mut Log::default()).unwrap()
    }

    fn only_reading(&self) -> WorkerPlan {
        let mut worker = self.worker.clone();
        if let Verify::On(verification) = &mut worker.verify {
            verification.when = ReadBack::WithoutWriting;
            verification.on_failure = OnMismatch::GoOn;
            verification.run = 0;
        }
        worker
    }

    /// Flips bits, exchanges blocks, wipes some; returns the blocks that are no longer what was written.
    fn damage(&self, random: &mut Stream) -> BTreeSet<u64> {
        let mut damaged = BTreeSet::new();
        let before = std::fs::read(self.path()).unwrap();
        let file = File::options().write(true).open(self.path()).unwrap();
        let block = |number: u64| &before[(number * self.block) as usize..][..self.block as usize];
        for _ in 0..random.below(1 + self.blocks / 3) {
            let number = random.below(self.blocks);
            let mut bytes = block(number).to_vec();
            match random.below(3) {
                0 => bytes[random.below(self.block) as usize] ^= 1 << random.below(8),
                1 => bytes.fill(0),
                _ => bytes.copy_from_slice(block(random.below(self.blocks))),
            }
            file.write_all_at(&bytes, number * self.block).unwrap();
        }
        let after = std::fs::read(self.path()).unwrap();
        for number in 0..self.blocks {
            let at = (number * self.block) as usize..((number + 1) * self.block) as usize;
            if before[at.clone()] != after[at] {
                damaged.insert(number);
            }
        }
        damaged
    }
}
