//! The three queues do the same I/O, and do not touch what the kernel owns.
#![allow(clippy::unwrap_used)]

use std::os::fd::AsFd;
use std::path::Path;

use kernel::{
    AioQueue, CallFlags, Clock, Direct, FileKind, OpenFile, OwnedTestFile, PreadQueue, Queue, QueueRefusal,
    QueueSize, UringQueue, drop_cache, guard, open_character_device, open_for_read, open_for_write,
    open_queue,
};
use testbed::{Lack, skipped};
use workload::{
    BackendKind, Bytes, Calls, Completion, Direction, FlushBy, Io, Nanos, PagesFlush, RingWays, Submitter,
    Wait, Waiting,
};

const BLOCK: u32 = 4096;

/// A queue size for `depth` blocks.
fn blocks(depth: u32) -> QueueSize {
    QueueSize { depth, slot_bytes: BLOCK as usize }
}

pub fn usable() -> Vec<BackendKind> {
    let (works, fails): (Vec<_>, Vec<_>) =
        kernel::probe().into_iter().partition(|(_, result)| result.is_ok());
    for (kind, why) in fails {
        skipped(Lack::Kernel, format!("{}: {}", kind.name(), why.unwrap_err()));
    }
    works.into_iter().map(|(kind, _)| kind).collect()
}

/// A file of `blocks` blocks in a directory of its own, on a real file system if there is one.
fn file_of(blocks: u64) -> (tempfile::TempDir, OwnedTestFile) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let size = Bytes(blocks * u64::from(BLOCK));
    let file = kernel::unnamed_file(dir.path(), size).unwrap();
    file.set_len(size).unwrap();
    (dir, file)
}

/// Direct if the file system supports it, so that the test runs on tmpfs too.
fn writable(file: &OwnedTestFile) -> OpenFile {
    let permit = guard::permit_unnamed(file);
    open_for_write(&permit, Direct::Yes).or_else(|_| open_for_write(&permit, Direct::No)).unwrap()
}

fn io(slot: u32, kind: Direction, block: u64) -> Io {
    let bytes = if kind == Direction::Flush { 0 } else { BLOCK };
    Io { slot, kind, file: 0, offset: block * u64::from(BLOCK), bytes, due: Nanos::ZERO }
}

/// Reaps until `count` I/Os have completed.
fn reap(queue: &mut dyn Queue, count: usize) -> Vec<Completion> {
    let mut all = Vec::new();
    let mut done = Vec::with_capacity(64);
    while all.len() < count {
        done.clear();
        queue.submit_and_reap(Wait::One, &mut done).unwrap();
        assert!(!done.is_empty() || queue.in_flight() > 0, "nothing is left to wait for");
        all.append(&mut done.clone());
    }
    all.sort_by_key(|d| d.slot);
    all
}

/// Queues as many as there is room for, reaping in between, until all have completed.
fn perform(queue: &mut dyn Queue, ios: &[Io]) -> Vec<Completion> {
    let mut all = Vec::new();
    let mut waiting = ios.iter().peekable();
    while waiting.peek().is_some() || queue.in_flight() > 0 {
        while let Some(next) = waiting.next_if(|_| queue.room() > 0) {
            queue.queue(*next).unwrap();
        }
        all.append(&mut reap(queue, 1));
    }
    all.sort_by_key(|d| d.slot);
    all
}

fn each_backend(test: impl Fn(BackendKind)) {
    usable().into_iter().for_each(test);
}

#[test]
fn what_is_written_is_read_back() {
    each_backend(|kind| {
        let (_dir, file) = file_of(8);
        let mut queue = open_queue(kind, &[writable(&file)], blocks(8), Clock::start()).unwrap();
        for slot in 0..8 {
            queue.buffer_mut(slot).unwrap().fill(slot as u8 + 1);
        }
        let writes: Vec<Io> = (0..8).map(|slot| io(slot, Direction::Write, u64::from(slot))).collect();
        let done = perform(queue.as_mut(), &writes);
        assert!(done.iter().all(|d| d.result == BLOCK as i32 && d.at == Nanos::ZERO), "{kind:?} {done:?}");
        assert_eq!(perform(queue.as_mut(), &[io(3, Direction::Flush, 0)])[0].result, 0, "{kind:?}");

        // Each slot reads another slot's block, so that data left in the buffer would be noticed.
        let reads: Vec<Io> = (0..8).map(|slot| io(slot, Direction::Read, u64::from(7 - slot))).collect();
        perform(queue.as_mut(), &reads);
        for slot in 0..8 {
            let expected = 8 - slot as u8;
            assert!(queue.buffer_mut(slot).unwrap().iter().all(|&b| b == expected), "{kind:?} slot {slot}");
        }
        assert_eq!(queue.close(), 0);
    });
}

#[test]
fn a_queued_buffer_is_out_of_reach_until_its_io_has_ended() {
    each_backend(|kind| {
        let (_dir, file) = file_of(1);
        let mut queue = open_queue(kind, &[writable(&file)], blocks(2), Clock::start()).unwrap();
        queue.queue(io(1, Direction::Write, 0)).unwrap();
        assert!(queue.buffer_mut(1).is_none(), "{kind:?}");
        assert!(queue.buffer_mut(0).is_some());
        assert_eq!(queue.in_flight(), 1);
        reap(queue.as_mut(), 1);
        assert!(queue.buffer_mut(1).is_some(), "{kind:?}");
        assert_eq!(queue.in_flight(), 0);
    });
}

#[test]
fn a_full_queue_has_no_room_and_refuses_a_busy_slot() {
    each_backend(|kind| {
        let (_dir, file) = file_of(4);
        let mut queue = open_queue(kind, &[writable(&file)], blocks(4), Clock::start()).unwrap();
        let most = queue.room() as u32;
        assert_eq!(most, if kind == BackendKind::Pread { 1 } else { 4 });
        for slot in 0..most {
            queue.queue(io(slot, Direction::Read, u64::from(slot))).unwrap();
        }
        assert_eq!(queue.room(), 0);
        let again = queue.queue(io(0, Direction::Read, 0)).unwrap_err();
        assert!(matches!(again, QueueRefusal::SlotBusy | QueueRefusal::Full), "{kind:?} {again:?}");
        assert_eq!(reap(queue.as_mut(), most as usize).len(), most as usize);
    });
}

#[test]
fn a_write_without_a_permit_never_reaches_the_kernel() {
    each_backend(|kind| {
        let (_dir, file) = file_of(1);
        let read_only = file.open_for_read(Direct::No).unwrap();
        assert!(!read_only.is_writable());
        let mut queue = open_queue(kind, &[read_only], blocks(1), Clock::start()).unwrap();
        assert_eq!(queue.queue(io(0, Direction::Write, 0)), Err(QueueRefusal::NoPermit), "{kind:?}");
        assert_eq!(queue.in_flight(), 0);
    });
}

#[test]
fn a_short_read_and_a_failed_one_are_reported_as_they_are() {
    each_backend(|kind| {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = dir.path().join("short");
        std::fs::write(&path, vec![9u8; 1000]).unwrap();
        let files = [open_for_read(&path, Direct::No).unwrap()];
        let mut queue = open_queue(kind, &files, blocks(2), Clock::start()).unwrap();
        // pread requests the rest too, which does not exist: the file cannot give what it should hold.
        let short = if kind == BackendKind::Pread { -libc::EIO } else { 1000 };
        assert_eq!(perform(queue.as_mut(), &[io(0, Direction::Read, 0)])[0].result, short, "{kind:?}");
        assert_eq!(perform(queue.as_mut(), &[io(0, Direction::Read, 9)])[0].result, 0, "{kind:?}");
        let nowhere = Io { offset: u64::MAX - 8191, ..io(1, Direction::Read, 0) };
        assert_eq!(perform(queue.as_mut(), &[nowhere])[0].result, -libc::EINVAL, "{kind:?}");
    });
}

/// A queue in which each I/O is one call.
fn calls(file: OpenFile, flags: CallFlags) -> PreadQueue {
    PreadQueue::open_for_calls(&[file], BLOCK as usize, Clock::start(), flags).unwrap()
}

#[test]
fn a_call_that_is_to_be_one_reports_what_it_moved_and_never_waits_where_that_is_asked() {
    let (_dir, file) = file_of(2);
    let permit = guard::permit_unnamed(&file);
    for flags in [CallFlags::default(), CallFlags { nowait: true, hipri: false }] {
        let plain = open_for_write(&permit, Direct::No).unwrap();
        let mut queue = calls(plain.clone(), flags);
        queue.buffer_mut(0).unwrap().fill(7);
        if flags == CallFlags::default() {
            assert_eq!(perform(&mut queue, &[io(0, Direction::Write, 1)])[0].result, BLOCK as i32);
        }
        queue.buffer_mut(0).unwrap().fill(0);
        // In the page cache, so nobody has to wait.
        assert_eq!(perform(&mut queue, &[io(0, Direction::Read, 1)])[0].result, BLOCK as i32, "{flags:?}");
        assert!(queue.buffer_mut(0).unwrap().iter().all(|&byte| byte == 7), "{flags:?}");
        let across = Io { offset: 2 * u64::from(BLOCK) - 1000, ..io(0, Direction::Read, 0) };
        assert_eq!(perform(&mut queue, &[across])[0].result, 1000, "{flags:?}: the end of the file");
        assert_eq!(perform(&mut queue, &[io(0, Direction::Read, 9)])[0].result, 0, "{flags:?}");
    }
}

#[test]
fn a_character_device_is_read_by_calls_where_it_is_asked_for_and_never_else() {
    let zero = Path::new("/dev/zero");
    assert!(open_for_read(zero, Direct::No).is_err());
    let file = open_character_device(zero, Direct::No).unwrap();
    assert_eq!((file.kind(), file.is_writable()), (FileKind::CharacterDevice, false));
    let mut queue = calls(file, CallFlags::default());
    assert_eq!(perform(&mut queue, &[io(0, Direction::Read, 0)])[0].result, BLOCK as i32);
    assert_eq!(queue.queue(io(0, Direction::Write, 0)), Err(QueueRefusal::NoPermit));
}

/// A ring with these ways and room for two blocks; `None`, with the reason printed, if the kernel has none.
fn ring(file: &OwnedTestFile, ways: RingWays) -> Option<UringQueue> {
    let clock = Clock::start();
    UringQueue::open_with(&[writable(file)], blocks(2), clock, ways)
        .map_err(|error| skipped(Lack::Kernel, error))
        .ok()
}

#[test]
fn a_ring_does_the_same_whoever_submits_and_however_ends_are_waited_for() {
    let thread = Submitter::KernelThread { cpu: None };
    for (submitter, waiting) in [
        (Submitter::Call, Waiting::Looking),
        (thread, Waiting::Asleep),
        (thread, Waiting::Looking),
        (Submitter::KernelThread { cpu: Some(0) }, Waiting::Looking),
    ] {
        let (_dir, file) = file_of(4);
        let Some(mut queue) = ring(&file, RingWays { submitter, waiting }) else { return };
        let said = queue.features().to_owned();
        assert_eq!(said.contains("submission thread of the kernel"), submitter != Submitter::Call, "{said}");
        assert_eq!(said.contains("without sleeping"), waiting == Waiting::Looking, "{said}");
        for (block, byte) in [(0, 3), (3, 9)] {
            queue.buffer_mut(0).unwrap().fill(byte);
            assert_eq!(perform(&mut queue, &[io(0, Direction::Write, block)])[0].result, BLOCK as i32);
        }
        assert_eq!(perform(&mut queue, &[io(1, Direction::Flush, 0)])[0].result, 0);
        let both = [io(0, Direction::Read, 0), io(1, Direction::Read, 3)];
        assert!(perform(&mut queue, &both).iter().all(|done| done.result == BLOCK as i32));
        for (slot, byte) in [(0, 3), (1, 9)] {
            assert!(queue.buffer_mut(slot).unwrap().iter().all(|&read| read == byte), "{said}");
        }
        queue.queue(io(0, Direction::Read, 1)).unwrap();
        queue.submit(&mut Vec::with_capacity(2)).unwrap();
        assert_eq!(queue.close(), 0, "{said}: what is in flight is waited for");
    }
}

#[test]
fn a_submission_thread_that_has_gone_to_sleep_is_woken() {
    let (_dir, file) = file_of(2);
    let ways = RingWays { submitter: Submitter::KernelThread { cpu: None }, waiting: Waiting::Asleep };
    let Some(mut queue) = ring(&file, ways) else { return };
    for block in [0, 1] {
        assert_eq!(perform(&mut queue, &[io(0, Direction::Write, block)])[0].result, BLOCK as i32);
        // The kernel thread sleeps a second after its last I/O.
        std::thread::sleep(std::time::Duration::from_millis(1_300));
    }
}

#[test]
fn a_cpu_that_is_not_there_is_named_with_the_remedy() {
    let (_dir, file) = file_of(1);
    let ways = |cpu| RingWays { submitter: Submitter::KernelThread { cpu }, waiting: Waiting::Asleep };
    if ring(&file, ways(None)).is_none() {
        return;
    }
    let far = ways(Some(1 << 20));
    let error = UringQueue::open_with(&[writable(&file)], blocks(1), Clock::start(), far).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("CPU 1048576") && said.contains("name a CPU"), "{said}");
}

#[test]
fn a_reap_never_grows_the_vector_and_loses_nothing() {
    each_backend(|kind| {
        let (_dir, file) = file_of(8);
        let mut queue = open_queue(kind, &[writable(&file)], blocks(8), Clock::start()).unwrap();
        let most = queue.room() as u32;
        for slot in 0..most {
            queue.queue(io(slot, Direction::Write, u64::from(slot))).unwrap();
        }
        let mut done = Vec::with_capacity(3);
        let (capacity, mut seen) = (done.capacity(), 0);
        while queue.in_flight() > 0 {
            done.clear();
            queue.submit_and_reap(Wait::One, &mut done).unwrap();
            assert_eq!(done.capacity(), capacity, "{kind:?}");
            seen += done.len();
        }
        assert_eq!(seen, most as usize, "{kind:?}");
    });
}

#[test]
fn waiting_until_a_time_with_nothing_in_flight_ends_no_earlier() {
    each_backend(|kind| {
        let (_dir, file) = file_of(1);
        let clock = Clock::start();
        let mut queue = open_queue(kind, &[writable(&file)], blocks(1), clock).unwrap();
        let mut done = Vec::with_capacity(1);
        queue.submit_and_reap(Wait::One, &mut done).unwrap();
        queue.submit_and_reap(Wait::Poll, &mut done).unwrap();
        let until = clock.now() + Nanos::from_millis(3);
        queue.submit_and_reap(Wait::Until(until), &mut done).unwrap();
        assert!(clock.now() >= until, "{kind:?}");
        assert!(done.is_empty());
    });
}

#[test]
fn waiting_until_a_distant_time_ends_with_the_first_completion() {
    each_backend(|kind| {
        let (_dir, file) = file_of(1);
        let clock = Clock::start();
        let mut queue = open_queue(kind, &[writable(&file)], blocks(1), clock).unwrap();
        let mut done = Vec::with_capacity(1);
        queue.queue(io(0, Direction::Read, 0)).unwrap();
        let hour = Nanos::from_secs(3600);
        queue.submit_and_reap(Wait::Until(hour), &mut done).unwrap();
        assert_eq!(done.len(), 1, "{kind:?}");
    });
}

#[test]
fn a_queue_dropped_in_full_flight_leaves_nothing_with_the_kernel() {
    each_backend(|kind| {
        let (_dir, file) = file_of(32);
        let mut queue = open_queue(kind, &[writable(&file)], blocks(32), Clock::start()).unwrap();
        for slot in 0..queue.room() as u32 {
            queue.queue(io(slot, Direction::Write, u64::from(slot))).unwrap();
        }
        queue.submit_and_reap(Wait::Poll, &mut Vec::with_capacity(1)).unwrap();
        drop(queue);
        assert_eq!(kernel::abandoned(), 0, "{kind:?}");
    });
}

#[test]
fn what_was_queued_but_not_handed_over_is_never_written() {
    each_backend(|kind| {
        let (_dir, file) = file_of(1);
        let mut queue = open_queue(kind, &[writable(&file)], blocks(1), Clock::start()).unwrap();
        queue.buffer_mut(0).unwrap().fill(0xee);
        queue.queue(io(0, Direction::Write, 0)).unwrap();
        queue.close();
        let mut queue = open_queue(kind, &[writable(&file)], blocks(1), Clock::start()).unwrap();
        perform(queue.as_mut(), &[io(0, Direction::Read, 0)]);
        assert!(queue.buffer_mut(0).unwrap().iter().all(|&b| b == 0), "{kind:?}");
    });
}

#[test]
fn large_slots_and_several_files_go_where_they_should() {
    each_backend(|kind| {
        let (_a, first) = file_of(256);
        let (_b, second) = file_of(256);
        let slot_bytes = 1 << 20;
        let files = [writable(&first), writable(&second)];
        let mut queue = open_queue(kind, &files, QueueSize { depth: 4, slot_bytes }, Clock::start()).unwrap();
        for slot in 0..2u32 {
            queue.buffer_mut(slot).unwrap().fill(0x10 + slot as u8);
            let whole = Io { file: slot, bytes: slot_bytes as u32, ..io(slot, Direction::Write, 0) };
            assert_eq!(perform(queue.as_mut(), &[whole])[0].result, slot_bytes as i32, "{kind:?}");
        }
        for slot in 0..2u32 {
            let last = Io { file: slot, ..io(slot + 2, Direction::Read, 255) };
            perform(queue.as_mut(), &[last]);
            assert_eq!(queue.buffer_mut(slot + 2).unwrap()[4095], 0x10 + slot as u8, "{kind:?}");
        }
    });
}

fn taking_along(kind: BackendKind, files: &[OpenFile], calls: Calls) -> Box<dyn Queue> {
    let (clock, bytes) = (Clock::start(), BLOCK as usize);
    match kind {
        BackendKind::IoUring => {
            let queue = UringQueue::open_with(files, blocks(4), clock, RingWays::default()).unwrap();
            Box::new(queue.taking_along(calls))
        }
        BackendKind::Libaio => Box::new(AioQueue::open(files, 4, bytes, clock).unwrap().taking_along(calls)),
        _ => Box::new(PreadQueue::open(files, 4, bytes, clock).unwrap().taking_along(calls)),
    }
}

#[test]
fn every_kind_of_flush_ends_well_between_writes() {
    let pages = PagesFlush { wait_before: true, write: true, wait_after: true };
    for flush in [FlushBy::Data, FlushBy::File, FlushBy::Pages(pages)] {
        each_backend(|kind| {
            let (_dir, file) = file_of(4);
            let file = open_for_write(&guard::permit_unnamed(&file), Direct::No).unwrap();
            let calls = Calls { flush, force_async: 2, ..Calls::default() };
            let mut queue = taking_along(kind, &[file], calls);
            let flush = Io { bytes: 0, ..io(1, Direction::Flush, 0) };
            let done =
                perform(queue.as_mut(), &[io(0, Direction::Write, 1), flush, io(2, Direction::Write, 2)]);
            let results: Vec<i32> = done.iter().map(|done| done.result).collect();
            assert_eq!(results, [BLOCK as i32, 0, BLOCK as i32], "{kind:?} {flush:?}");
        });
    }
}

/// An I/O whose data is in the page cache completes at once; any other fails instead of waiting.
#[test]
fn an_io_that_may_not_wait_fails_where_it_would() {
    each_backend(|kind| {
        let (_dir, file) = file_of(4);
        let file = open_for_write(&guard::permit_unnamed(&file), Direct::No).unwrap();
        let mut queue = taking_along(kind, std::slice::from_ref(&file), Calls::default());
        perform(queue.as_mut(), &[io(0, Direction::Write, 1)]);
        let mut queue =
            taking_along(kind, std::slice::from_ref(&file), Calls { nowait: true, ..Calls::default() });
        assert_eq!(perform(queue.as_mut(), &[io(0, Direction::Read, 1)])[0].result, BLOCK as i32, "{kind:?}");
        drop_cache(&file, 0, file.size()).unwrap();
        if kernel::cached_share(file.as_fd(), 0, file.size()) != Some(0.0) {
            return skipped(Lack::Kernel, "this file system keeps its files in memory".to_owned());
        }
        let result = perform(queue.as_mut(), &[io(0, Direction::Read, 1)])[0].result;
        assert_eq!(result, -libc::EAGAIN, "{kind:?}");
    });
}
