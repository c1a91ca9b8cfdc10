//! What really happened at a device, by the kernel's own counters, read ten times a second while the program runs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::told::Quantity;

/// Time between two readings.
const EVERY: Duration = Duration::from_millis(100);

/// The counters of a device at a moment.
#[derive(Clone, Copy, Debug)]
pub struct CounterSample {
    /// Seconds since 1970.
    pub at: f64,
    /// Operations and bytes that were read, and that were written.
    counts: [[f64; 2]; 2],
}

impl CounterSample {
    pub fn of(&self, direction: usize, quantity: Quantity) -> f64 {
        self.counts[direction][quantity as usize]
    }

    /// Returns the count of reads and writes.
    pub fn both(&self, quantity: Quantity) -> f64 {
        self.of(0, quantity) + self.of(1, quantity)
    }
}

/// A thread that reads the counters until it is asked for them.
pub struct Witness {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<CounterSample>>,
}

impl Witness {
    pub fn of(device: &Path) -> Witness {
        let over = Arc::new(AtomicBool::new(false));
        let name = device.file_name().unwrap_or_default();
        let (heard, file) = (Arc::clone(&over), Path::new("/sys/block").join(name).join("stat"));
        let thread = std::thread::spawn(move || {
            let mut all = Vec::new();
            while !heard.load(Ordering::Relaxed) {
                all.extend(std::fs::read_to_string(&file).ok().as_deref().and_then(seen));
                std::thread::sleep(EVERY);
            }
            all
        });
        Witness { over, thread }
    }

    pub fn end(self) -> Vec<CounterSample> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Reads a line of `stat` (kernel document block/stat): reads, merged, sectors, time, and the same for writes.
fn seen(stat: &str) -> Option<CounterSample> {
    let figures: Vec<f64> = stat.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let &[reads, _, sectors_read, _, writes, _, sectors_written, ..] = figures.as_slice() else {
        return None;
    };
    let at = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
    Some(CounterSample { at, counts: [[reads, sectors_read * 512.0], [writes, sectors_written * 512.0]] })
}
