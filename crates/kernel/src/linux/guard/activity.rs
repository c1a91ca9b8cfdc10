//! Detects writes to a device while its permit is being made, by the device's own counters. They also reveal a writer
//! whose descriptor no process has (in transit through a socket, held by the kernel) as soon as it writes.

use std::path::Path;
use std::time::{Duration, Instant};

use super::hold::Hold;
use crate::linux::device::{DeviceNumber, sysfs_folder};

/// Time between the two readings.
const APART: Duration = Duration::from_millis(300);

/// The amount written to a device since boot, and the time of reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    at: Instant,
    number: DeviceNumber,
    written: Option<WriteCounters>,
}

/// Counters from `/sys/.../stat` and `inflight` (Documentation/block/stat.rst of the kernel).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WriteCounters {
    /// Completed writes and discards.
    requests: u64,
    /// Length of the completed writes and discards in units of 512 bytes.
    sectors: u64,
    /// Writes in flight.
    under_way: u64,
}

impl Look {
    pub(super) fn at(number: DeviceNumber) -> Look {
        Look { at: Instant::now(), number, written: WriteCounters::read(Path::new("/"), number) }
    }

    /// Reads the counters again, at least 0.3 s after the first reading. Returns a hold if there were writes.
    pub(super) fn and_again(&self, name: &str) -> Vec<Hold> {
        std::thread::sleep(APART.saturating_sub(self.at.elapsed()));
        let again = WriteCounters::read(Path::new("/"), self.number);
        let sectors = self.written.zip(again).and_then(|(before, after)| after.since(before));
        let hold = |sectors| Hold::Written { device: name.to_owned(), sectors };
        sectors.map(hold).into_iter().collect()
    }
}

impl WriteCounters {
    fn read(root: &Path, number: DeviceNumber) -> Option<WriteCounters> {
        let folder = sysfs_folder(root, number)?;
        let text = |file| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        WriteCounters::of(&text("stat"), &text("inflight"))
    }

    fn of(stat: &str, in_flight: &str) -> Option<WriteCounters> {
        let numbers = |text: &str| -> Vec<u64> {
            text.split_whitespace().map(|word| word.parse().unwrap_or(0)).collect()
        };
        let stat = numbers(stat);
        let discarded = |at: usize| stat.get(at).copied().unwrap_or(0);
        Some(WriteCounters {
            requests: stat.get(4)? + discarded(11),
            sectors: stat.get(6)? + discarded(13),
            under_way: numbers(in_flight).get(1).copied().unwrap_or(0),
        })
    }

    /// Sectors written since `before`; `None` if nothing was written and nothing is in flight.
    fn since(self, before: WriteCounters) -> Option<u64> {
        let sectors = self.sectors.wrapping_sub(before.sectors);
        (self.requests != before.requests || self.under_way > 0).then_some(sectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_and_discards_count_and_reads_do_not() {
        let of = |stat: &str, in_flight: &str| WriteCounters::of(stat, in_flight).unwrap();
        let before = of("9 0 80 1 4 0 32 1 0 5 6 0 0 0 0 0 0", "0 0");
        assert_eq!(of("99 0 800 1 4 0 32 1 0 5 6 0 0 0 0 7 9", "3 0").since(before), None);
        assert_eq!(of("9 0 80 1 5 0 40 1 0 5 6 0 0 0 0 0 0", "0 0").since(before), Some(8));
        assert_eq!(of("9 0 80 1 4 0 32 1 0 5 6 1 0 64 0 0 0", "0 0").since(before), Some(64));
        assert_eq!(of("9 0 80 1 4 0 32 1 0 5 6 0 0 0 0 0 0", "0 1").since(before), Some(0));
        assert!(WriteCounters::of("", "").is_none());
    }
}
