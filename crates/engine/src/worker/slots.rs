//! The slots of a worker: what is in flight, readable from outside while the worker is stuck in the kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use workload::{Bytes, Direction, Nanos};

/// `issued` of a slot that nothing is in flight in.
const FREE: u64 = u64::MAX;

/// One slot. Atomic only so that another thread may look: the worker's relaxed accesses cost what plain ones do.
#[derive(Debug)]
struct Slot {
    due: AtomicU64,
    issued: AtomicU64,
    offset: AtomicU64,
    tag: AtomicU64,
}

/// What is in flight in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// When the pace wanted it.
    pub due: Nanos,
    /// When it was handed over.
    pub issued: Nanos,
    /// Which way.
    pub kind: Direction,
    /// Index into the worker's files.
    pub file: u32,
    /// Byte offset.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u32,
}

/// A view of a worker's slots from outside.
#[derive(Clone, Debug)]
pub struct SlotsView {
    table: Arc<[Slot]>,
}

impl SlotsView {
    /// What is in flight. While the worker runs, an entry may mix two I/Os; once it is stuck, all are exact.
    pub fn in_flight(&self) -> Vec<InFlight> {
        self.table.iter().filter(|slot| slot.issued.load(Relaxed) != FREE).map(Slot::read).collect()
    }
}

impl Slot {
    #[inline]
    fn read(&self) -> InFlight {
        let tag = self.tag.load(Relaxed);
        InFlight {
            due: Nanos(self.due.load(Relaxed)),
            issued: Nanos(self.issued.load(Relaxed)),
            kind: Direction::ALL[(tag & 3) as usize],
            file: (tag as u32) >> 2,
            offset: self.offset.load(Relaxed),
            bytes: (tag >> 32) as u32,
        }
    }

    #[inline]
    fn write(&self, io: &InFlight) {
        let tag = u64::from(io.bytes) << 32 | u64::from(io.file << 2) | io.kind.index() as u64;
        self.due.store(io.due.0, Relaxed);
        self.offset.store(io.offset, Relaxed);
        self.tag.store(tag, Relaxed);
        self.issued.store(io.issued.0, Relaxed);
    }
}

/// The slots with the list of those that are free; the last one freed is taken first, while its buffer is in the cache.
#[derive(Debug)]
pub(super) struct Slots {
    table: Arc<[Slot]>,
    free: Box<[u32]>,
    free_count: usize,
}

impl Slots {
    pub(super) fn new(depth: u32) -> Slots {
        let slot = |_| Slot {
            due: AtomicU64::new(0),
            issued: AtomicU64::new(FREE),
            offset: AtomicU64::new(0),
            tag: AtomicU64::new(0),
        };
        Slots {
            table: (0..depth).map(slot).collect(),
            free: (0..depth).rev().collect(),
            free_count: depth as usize,
        }
    }

    pub(super) fn view(&self) -> SlotsView {
        SlotsView { table: Arc::clone(&self.table) }
    }

    #[inline]
    pub(super) fn free_count(&self) -> usize {
        self.free_count
    }

    #[inline]
    pub(super) fn in_flight(&self) -> usize {
        self.free.len() - self.free_count
    }

    /// Bytes of all that is in flight.
    pub(super) fn bytes_in_flight(&self) -> Bytes {
        let taken = self.table.iter().filter(|slot| slot.issued.load(Relaxed) != FREE);
        Bytes(taken.map(|slot| u64::from(slot.read().bytes)).sum())
    }

    /// Takes a free slot for `io`; the caller has seen that there is one.
    #[inline]
    pub(super) fn take(&mut self, io: &InFlight) -> u32 {
        self.free_count -= 1;
        let slot = self.free[self.free_count];
        self.table[slot as usize].write(io);
        slot
    }

    /// Frees `slot` and says what was in flight there; `None` where nothing was.
    #[inline]
    pub(super) fn free(&mut self, slot: u32) -> Option<InFlight> {
        let entry = self.table.get(slot as usize)?;
        let io = entry.read();
        if io.issued.0 == FREE {
            return None;
        }
        entry.issued.store(FREE, Relaxed);
        self.free[self.free_count] = slot;
        self.free_count += 1;
        Some(io)
    }

    /// What is in flight in `slot` was handed over at `now`; returns the time of issue so far.
    #[inline]
    pub(super) fn hand_over(&self, slot: u32, now: Nanos) -> Nanos {
        let Some(entry) = self.table.get(slot as usize) else { return now };
        let picked = entry.issued.load(Relaxed);
        entry.issued.store(now.0, Relaxed);
        Nanos(picked)
    }

    /// Moves the time of issue of what is in flight in `slot`; in a closed loop also when it was due.
    pub(super) fn restamp(&self, slot: u32, issued: Nanos, due: Option<Nanos>) {
        if let Some(entry) = self.table.get(slot as usize) {
            entry.issued.store(issued.0, Relaxed);
            if let Some(due) = due {
                entry.due.store(due.0, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_can_be_read_back_and_seen_from_outside() {
        let mut slots = Slots::new(2);
        let io = InFlight {
            due: Nanos(5),
            issued: Nanos(7),
            kind: Direction::Write,
            file: 3,
            offset: 1 << 41,
            bytes: u32::MAX,
        };
        let slot = slots.take(&io);
        assert_eq!(slots.view().in_flight(), [io]);
        assert_eq!(slots.free(slot), Some(io));
        assert_eq!(slots.free(slot), None, "it comes back once");
        assert_eq!(slots.free(9), None);
        assert_eq!((slots.in_flight(), slots.view().in_flight().len()), (0, 0));
    }
}
