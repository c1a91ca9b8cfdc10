//! Trims return blocks: those of a file to its file system, those of a loop device to the file below it.
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use kernel::lab::{LoopDevice, LoopOptions};
use kernel::{Clock, Direct, OpenFile, Queue, QueueSize, guard, open_for_read, open_for_write, open_queue};
use testbed::{Lack, skipped};
use workload::{BackendKind, Bytes, Completion, Direction, Io, Nanos, Wait};

const BLOCK: u64 = 65_536;
const BLOCKS: u64 = 16;

fn io(slot: u32, kind: Direction, block: u64) -> Io {
    Io { slot, kind, file: 0, offset: block * BLOCK, bytes: BLOCK as u32, due: Nanos::ZERO }
}

fn queue_on(kind: BackendKind, file: OpenFile) -> Box<dyn Queue> {
    open_queue(kind, &[file], QueueSize { depth: 4, slot_bytes: BLOCK as usize }, Clock::start()).unwrap()
}

/// Performs `ios`, each in slot 0, and returns the results.
fn perform(queue: &mut dyn Queue, ios: impl IntoIterator<Item = Io>) -> Vec<i32> {
    let one = |io: Io| {
        queue.queue(io).unwrap();
        let mut done: Vec<Completion> = Vec::with_capacity(4);
        while done.is_empty() {
            queue.submit_and_reap(Wait::One, &mut done).unwrap();
        }
        done[0].result
    };
    ios.into_iter().map(one).collect()
}

/// Writes all blocks, trims every other one, and reads all: trimmed blocks read as zeros.
fn trim_every_other(queue: &mut dyn Queue) {
    for block in 0..BLOCKS {
        queue.buffer_mut(0).unwrap().fill(block as u8 + 1);
        assert_eq!(perform(queue, [io(0, Direction::Write, block)]), [BLOCK as i32]);
    }
    let trims = (0..BLOCKS).step_by(2).map(|block| io(0, Direction::Trim, block));
    assert!(perform(queue, trims).iter().all(|&result| result == BLOCK as i32));
    for block in 0..BLOCKS {
        perform(queue, [io(0, Direction::Read, block)]);
        let expected = if block % 2 == 0 { 0 } else { block as u8 + 1 };
        assert!(queue.buffer_mut(0).unwrap().iter().all(|&byte| byte == expected), "block {block}");
    }
}

#[test]
fn a_trim_that_cannot_be_told_from_an_error_is_refused_before_it_is_done() {
    for kind in backends() {
        let dir = testbed::directory();
        let path = dir.path().join("file");
        std::fs::write(&path, [9; 4096]).unwrap();
        let permit = guard::permit_named_file(&path).unwrap();
        let mut queue = queue_on(kind, open_for_write(&permit, Direct::No).unwrap());
        let long = Io { bytes: 1 << 31, ..io(0, Direction::Trim, 0) };
        assert_eq!(perform(queue.as_mut(), [long]), [-libc::EINVAL], "{kind:?}");
        assert_eq!(std::fs::read(&path).unwrap(), [9; 4096], "{kind:?}");
    }
}

fn space(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().blocks() * 512
}

fn backends() -> Vec<BackendKind> {
    kernel::probe().into_iter().filter(|(_, works)| works.is_ok()).map(|(kind, _)| kind).collect()
}

#[test]
fn a_trimmed_file_has_holes_where_the_blocks_were() {
    for kind in backends() {
        let dir = testbed::directory();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![9; (BLOCK * BLOCKS) as usize]).unwrap();
        let permit = guard::permit_named_file(&path).unwrap();
        trim_every_other(queue_on(kind, open_for_write(&permit, Direct::No).unwrap()).as_mut());
        assert!(space(&path) <= BLOCK * BLOCKS / 2 + BLOCK, "{kind:?}: {} bytes are left", space(&path));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), BLOCK * BLOCKS, "its length stays");
    }
}

#[test]
fn a_trimmed_device_gives_its_blocks_back() {
    for kind in backends() {
        let dir = testbed::directory();
        let path = dir.path().join("image");
        std::fs::write(&path, vec![9; (BLOCK * BLOCKS) as usize]).unwrap();
        let options = LoopOptions { direct: Direct::No, size_limit: None, block_size: None };
        let device = match LoopDevice::attach(&guard::permit_named_file(&path).unwrap(), options) {
            Ok(device) => device,
            Err(error) => return skipped(Lack::Kernel, error),
        };
        let permit = guard::permit_named_file(device.path()).unwrap();
        let file = open_for_write(&permit, Direct::Yes).unwrap();
        trim_every_other(queue_on(kind, file.clone()).as_mut());
        file.flush().unwrap();
        assert!(space(&path) <= BLOCK * BLOCKS / 2 + BLOCK, "{kind:?}: {} bytes are left", space(&path));
    }
}

#[test]
fn several_trims_in_flight_come_back_one_by_one_where_there_is_little_room() {
    for kind in backends().into_iter().filter(|&kind| kind != BackendKind::Pread) {
        let file = testbed::unnamed(Bytes(BLOCK * BLOCKS));
        let permit = guard::permit_unnamed(&file);
        let mut queue = queue_on(kind, open_for_write(&permit, Direct::No).unwrap());
        (0..4).for_each(|slot| queue.queue(io(slot, Direction::Trim, u64::from(slot))).unwrap());
        let mut slots = Vec::new();
        while slots.len() < 4 {
            let mut done = Vec::with_capacity(1);
            queue.submit_and_reap(Wait::One, &mut done).unwrap();
            slots.extend(done.iter().map(|done| done.slot));
        }
        assert_eq!((slots, queue.in_flight()), (vec![0, 1, 2, 3], 0));
        queue.queue(io(0, Direction::Trim, 0)).unwrap();
        assert_eq!(queue.close(), 0, "what was never done is forgotten");
    }
}

#[test]
fn nothing_is_trimmed_without_a_permit() {
    let dir = testbed::directory();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![9; BLOCK as usize]).unwrap();
    for kind in backends() {
        let mut queue = queue_on(kind, open_for_read(&path, Direct::No).unwrap());
        assert_eq!(queue.queue(io(0, Direction::Trim, 0)), Err(kernel::QueueRefusal::NoPermit));
    }
    assert_eq!(std::fs::read(&path).unwrap(), vec![9; BLOCK as usize]);
}
