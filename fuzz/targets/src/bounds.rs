//! Bounds of memory and time for an input, by a global allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::Target;

/// Bytes that any input may need.
const LEAST: usize = 64 << 20;
/// Bytes beyond that for a byte of input.
const TIMES: usize = 4;
/// Patience with a machine that does other things too: what is looked for takes a hundred times as long.
const SLACK: u32 = 4;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn came(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(now, Ordering::Relaxed);
}

fn went(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: everything is passed on to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        came(layout.size());
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        went(layout.size());
        // SAFETY: the caller keeps to the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        came(layout.size());
        // SAFETY: the caller keeps to the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        came(bytes);
        went(layout.size());
        // SAFETY: the caller keeps to the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, bytes) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `target` on `bytes` and panics where that takes more memory than 64 MiB and four times the input, or longer than
/// a second and ten more for each 10 MB.
pub fn bounded(target: &Target, bytes: &[u8]) {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let start = Instant::now();
    (target.run)(bytes);
    let took = start.elapsed();
    let needed = MOST.load(Ordering::Relaxed).saturating_sub(before);
    let most = LEAST + TIMES * bytes.len();
    assert!(needed <= most, "{}: {} bytes of input needed {needed} of memory", target.name, bytes.len());
    let longest = (Duration::from_secs(1) + Duration::from_micros(bytes.len() as u64)) * SLACK;
    if took > longest {
        // On a machine that does other things too, time passes: what counts is the processor's, in a second run.
        let before = processor_time();
        (target.run)(bytes);
        let used = processor_time().saturating_sub(before);
        assert!(
            used <= longest,
            "{}: {} bytes of input took {used:?} of processor time",
            target.name,
            bytes.len()
        );
    }
}

/// Processor time of this process, to a hundredth of a second.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 of proc(5), in hundredths; the second, in brackets, may hold blanks.
    let behind = text.rsplit_once(')').map_or("", |(_, behind)| behind);
    let ticks: u64 =
        behind.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// `bytes` as often as fit in `length`: what takes quadratic time shows.
pub fn grown(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(if bytes.is_empty() { 0 } else { length }).collect()
}
