//! The controller: changes the throttle of a lab volume as its credits drain and refill.
//!
//! Twenty times a second the controller reads the lower device's completions, enters them into the account of the
//! policy ([`policy::Governor`]), and sets other limits in the kernel if a different rate applies now. If credits will
//! end before the next look, it looks at exactly that time. Elapsed time is measured, so a late look leaves the account
//! just as accurate.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kernel::lab::change_limits;
use kernel::{Clock, DeviceNumber};
use policy::{Governor, IoGroup, Level, Order};
use workload::{Bytes, Direction, Nanos};

use super::throttle_plan::in_force;
use super::{InForce, LabError};

/// Time between two looks: half a slice of the throttle.
const LOOK: Nanos = Nanos::from_millis(50);
/// Shortest time to the next look: timers of the kernel are no finer here.
const LOOK_MIN: Nanos = Nanos::from_millis(4);
/// Bytes of a sector in the kernel's counters.
const SECTOR: u64 = 512;

/// The throttle of one device in one group, with the account of its credits.
#[derive(Debug)]
pub(crate) struct Control {
    governor: Governor,
    number: DeviceNumber,
    /// The group's folder.
    folder: PathBuf,
    /// The limits that were set last.
    told: InForce,
    /// The kernel's counters of the device, open.
    counters: File,
    /// The counters as last read, at `looked`.
    last: CompletedCounts,
    looked: Nanos,
    clock: Clock,
}

/// The completions of a device, by direction: charged operations, and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CompletedCounts {
    reads: (u64, u64),
    writes: (u64, u64),
}

impl CompletedCounts {
    /// Parses `/sys/dev/block/*/stat`. Merged requests are added, because the throttle counts requests before they are merged.
    fn read(text: &str) -> Option<CompletedCounts> {
        let fields: Vec<u64> = text.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        let side = |at: usize| Some((fields.get(at)? + fields.get(at + 1)?, fields.get(at + 2)? * SECTOR));
        Some(CompletedCounts { reads: side(0)?, writes: side(4)? })
    }

    /// Returns the I/O completed since `before`.
    fn since(&self, before: &CompletedCounts) -> Vec<IoGroup> {
        let moved = |direction, now: (u64, u64), then: (u64, u64)| {
            let (ops, bytes) = (now.0.wrapping_sub(then.0), now.1.wrapping_sub(then.1));
            let block = Bytes(bytes.checked_div(ops)?);
            Some(IoGroup { direction, ops: ops as f64, block, order: Order::Random })
        };
        let reads = moved(Direction::Read, self.reads, before.reads);
        reads.into_iter().chain(moved(Direction::Write, self.writes, before.writes)).collect()
    }
}

impl Control {
    /// Returns control over the device with `number` in the group with this folder; `told` are the limits in force.
    ///
    /// # Errors
    /// [`LabError::Counters`] if the kernel has no counters of the device.
    pub(crate) fn new(
        governor: Governor,
        (folder, number): (PathBuf, DeviceNumber),
        told: InForce,
    ) -> Result<Control, LabError> {
        let path = PathBuf::from(format!("/sys/dev/block/{number}/stat"));
        let failed = |source| LabError::Counters { path: path.clone(), source };
        let counters = File::open(&path).map_err(failed)?;
        let last = read(&counters).ok_or_else(|| failed(std::io::ErrorKind::InvalidData.into()))?;
        let clock = Clock::start();
        Ok(Control { governor, number, folder, told, counters, last, looked: clock.now(), clock })
    }

    /// Reads the counters, and sets in the kernel the limits that apply now. Returns the time to the next look; `None`
    /// if the device is gone.
    pub(crate) fn look(&mut self) -> Option<Nanos> {
        let counted = read(&self.counters)?;
        let now = self.clock.now();
        let changed = self.governor.enter(now.since(self.looked), &counted.since(&self.last));
        (self.last, self.looked) = (counted, now);
        if changed {
            let wanted = in_force(&self.governor.now(), Level::Baseline).ok()?;
            change_limits(&self.folder, self.number, (self.told, wanted)).ok()?;
            self.told = wanted;
        }
        Some(self.governor.holds_for().min(LOOK).max(LOOK_MIN))
    }

    /// Returns the credit account.
    pub(crate) fn governor(&self) -> &Governor {
        &self.governor
    }
}

fn read(counters: &File) -> Option<CompletedCounts> {
    let mut text = [0; 512];
    let length = counters.read_at(&mut text, 0).ok()?;
    CompletedCounts::read(std::str::from_utf8(&text[..length]).ok()?)
}

/// A thread of this process that controls a volume until it is dropped, or the process dies.
#[derive(Debug)]
pub(crate) struct Controller {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Controller {
    pub(crate) fn start(mut control: Control) -> Controller {
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            while let Some(next) = control.look() {
                if ended.recv_timeout(Duration::from_nanos(next.0)) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Controller { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Linux 6.18 writes it: reads, merged, sectors, ms; writes, merged, sectors, ms; then I/Os in flight.
    #[test]
    fn what_was_merged_was_charged_too() {
        let before = CompletedCounts::read("10 2 96 5 0 0 0 0 0 5 5 0 0 0 0 0 0").unwrap();
        assert_eq!(before, CompletedCounts { reads: (12, 96 * 512), writes: (0, 0) });
        let after = CompletedCounts::read("20 2 176 5 3 1 4096 0 0 5 5 0 0 0 0 0 0").unwrap();
        let moved = after.since(&before);
        let of =
            |direction, ops, block| IoGroup { direction, ops, block: Bytes(block), order: Order::Random };
        assert_eq!(moved, [of(Direction::Read, 10.0, 4096), of(Direction::Write, 4.0, 4096 * 512 / 4)]);
        assert_eq!(after.since(&after), []);
        assert_eq!(CompletedCounts::read("1 2 3"), None);
    }
}
