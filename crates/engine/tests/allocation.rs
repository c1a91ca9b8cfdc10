//! Between start and drain a worker's thread allocates nothing: a counting allocator checks.
#![allow(unsafe_code)] // An allocator cannot be written without.

#[path = "all/vocabulary/mod.rs"]
mod vocabulary;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use engine::run_real;
use kernel::Clock;
use record::{Interval, Observer};
use vocabulary::*;
use workload::{
    Access, BackendKind, Buffers, Flush, Iops, Mix, Nanos, Pace, StopRule, Terms, Think, Totals, WorkerPlan,
};

/// Allocations and releases of all threads but those that declare that they coordinate.
static CALLS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static COORDINATES: Cell<bool> = const { Cell::new(false) };
}

struct Counting;

fn count() {
    if !COORDINATES.try_with(Cell::get).unwrap_or(true) {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller keeps to the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps to the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, bytes) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Reads the count from the first interval on, and asks to stop after enough readings: until then no thread drains.
#[derive(Default)]
struct Reader {
    intervals: usize,
    readings: RefCell<Vec<u64>>,
}

const READINGS: usize = 15;

impl Observer for Reader {
    fn interval(&mut self, _: &Interval) {
        self.intervals += 1;
    }

    fn interrupted(&self) -> bool {
        let mut readings = self.readings.borrow_mut();
        if self.intervals > 0 && readings.len() < READINGS {
            readings.push(CALLS.load(Ordering::Relaxed));
        }
        readings.len() == READINGS
    }
}

/// Every I/O traced, totals by file, a ramp of its own, and rests in between.
fn told_and_resting() -> Terms {
    Terms {
        trace: true,
        totals: Totals::WorkerAndFile,
        ramp: Some(Nanos::from_millis(90)),
        think: Some(Think::each(1_000, Nanos::from_micros(500))),
        ..Terms::default()
    }
}

#[test]
fn workers_allocate_nothing_between_start_and_drain() {
    COORDINATES.set(true);
    let null = || WorkerPlan { backend: BackendKind::Null, ..at_depth(32) };
    let workers = vec![
        null(),
        WorkerPlan {
            access: Access::random(Mix::reads(50)),
            flush: Flush::Every(3),
            buffers: Buffers::Unique,
            ..null()
        },
        WorkerPlan { pace: Pace::Poisson(Iops(50_000.0)), ..null() },
        WorkerPlan { terms: told_and_resting(), ..null() },
        // A region of a few blocks: a new pass, with a new permutation, every few I/Os.
        WorkerPlan { files: vec![file(workload::Bytes(0), workload::Bytes::kib(20))], ..null() },
    ];
    let mut plan = step(workers, StopRule::Time(Nanos::from_secs(1_000_000)));
    plan.interval = Nanos::from_millis(40);
    plan.ramp = Nanos::from_millis(60);
    let mut reader = Reader::default();
    let record = run_real(&plan, &[], Clock::start(), &mut reader).unwrap();
    let readings = reader.readings.into_inner();
    assert!(record.tally(workload::Direction::Read).ops > 10_000);
    assert!(readings[0] > 0, "the allocator counts: the threads made their buffers");
    assert!(readings.iter().all(|&calls| calls == readings[0]), "{readings:?}");
}
