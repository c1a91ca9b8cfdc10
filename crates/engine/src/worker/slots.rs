//! The slots of a worker: its I/Os in flight, readable from outside while the worker is stuck in the kernel.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use workload::{Buffers, Bytes, Direction, Io, Nanos, WorkerPlan};

use super::next_io::NextIo;
use crate::recorder::CompletedIo;

/// Value of `issued` for a free slot.
const FREE: u64 = u64::MAX;

/// One slot, atomic only so that another thread may read it: the worker's relaxed accesses cost the same as plain ones.
#[derive(Debug)]
struct Slot {
    due: AtomicU64,
    issued: AtomicU64,
    offset: AtomicU64,
    tag: AtomicU64,
}

/// The I/O in flight in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// When the I/O was due by the pace.
    pub due: Nanos,
    /// When the I/O was submitted.
    pub issued: Nanos,
    /// Direction of the I/O.
    pub kind: Direction,
    /// Index into the worker's files.
    pub file: u32,
    /// Byte offset.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u32,
}

/// A view of a worker's slots from another thread.
#[derive(Clone, Debug)]
pub struct SlotsView {
    table: Arc<[Slot]>,
}

impl InFlight {
    /// `place` as an I/O in flight with times of zero.
    pub(super) fn at(place: &NextIo) -> InFlight {
        let NextIo { kind, file, offset, bytes } = *place;
        InFlight { due: Nanos::ZERO, issued: Nanos::ZERO, kind, file, offset, bytes }
    }

    /// Length, file and direction, packed as in a slot.
    #[inline]
    fn tag(&self) -> u64 {
        u64::from(self.bytes) << 32 | u64::from(self.file << 2) | self.kind.index() as u64
    }

    /// The record of this I/O, which moved `bytes` and completed at `at`.
    #[inline]
    pub(super) fn ended(&self, at: Nanos, bytes: u32) -> CompletedIo {
        CompletedIo {
            direction: self.kind,
            file: self.file,
            bytes: u64::from(bytes),
            latency: at.since(self.due),
            service: at.since(self.issued),
        }
    }
}

/// The packed content of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    due: u64,
    issued: u64,
    offset: u64,
    /// Length, file and direction.
    tag: u64,
}

impl Entry {
    /// An entry that no I/O in flight can equal.
    pub(super) const NONE: Entry = Entry { due: FREE, issued: FREE, offset: 0, tag: 0 };

    /// Whether only the offset differs from `other`, so that both are recorded in the same way.
    #[inline]
    pub(super) fn is_alike(&self, other: &Entry) -> bool {
        (self.due, self.issued, self.tag) == (other.due, other.issued, other.tag)
    }

    /// Length in bytes.
    #[inline]
    pub(super) fn bytes(&self) -> u32 {
        (self.tag >> 32) as u32
    }

    /// The I/O, unpacked.
    #[inline]
    pub(super) fn in_flight(&self) -> InFlight {
        InFlight {
            due: Nanos(self.due),
            issued: Nanos(self.issued),
            kind: Direction::ALL[(self.tag & 3) as usize],
            file: (self.tag as u32) >> 2,
            offset: self.offset,
            bytes: self.bytes(),
        }
    }
}

impl SlotsView {
    /// The I/Os in flight. While the worker runs, an entry may mix two I/Os; once it is stuck, all are exact.
    pub fn in_flight(&self) -> Vec<InFlight> {
        self.table.iter().filter(|slot| slot.issued.load(Relaxed) != FREE).map(Slot::read).collect()
    }

    /// When the I/O of each slot was issued; `None` for a free slot.
    pub fn issues(&self) -> impl Iterator<Item = Option<Nanos>> + '_ {
        let issued = |slot: &Slot| Some(slot.issued.load(Relaxed)).filter(|at| *at != FREE).map(Nanos);
        self.table.iter().map(issued)
    }
}

impl Slot {
    #[inline]
    fn entry(&self) -> Entry {
        Entry {
            due: self.due.load(Relaxed),
            issued: self.issued.load(Relaxed),
            offset: self.offset.load(Relaxed),
            tag: self.tag.load(Relaxed),
        }
    }

    fn read(&self) -> InFlight {
        self.entry().in_flight()
    }

    #[inline]
    fn write(&self, io: &InFlight) {
        debug_assert!(io.file < 1 << 30, "the number of a file runs over its bits in a slot");
        debug_assert!(io.issued.0 != FREE, "the time of an issue is the mark of a free slot");
        self.store(&Entry { due: io.due.0, issued: io.issued.0, offset: io.offset, tag: io.tag() });
    }

    #[inline]
    fn store(&self, entry: &Entry) {
        self.due.store(entry.due, Relaxed);
        self.offset.store(entry.offset, Relaxed);
        self.tag.store(entry.tag, Relaxed);
        self.issued.store(entry.issued, Relaxed);
    }
}

/// How the slots of a worker are divided between reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotPlan {
    /// Greatest number of I/Os in flight.
    depth: u32,
    /// Whether writes have separate slots, after those of the reads.
    apart: bool,
}

impl SlotPlan {
    /// Returns the slots of a worker of `plan`. If buffers are filled once and then written again and again, a read
    /// into one would spoil it and the next write would have to fill it anew, at 200 ns per 4 KiB; so a mix then has
    /// buffers for a whole queue of either kind.
    pub(crate) fn of(plan: &WorkerPlan) -> SlotPlan {
        let mix = plan.access.mix;
        let mixed = mix.issues(Direction::Read) && mix.issues(Direction::Write);
        let filled_once = matches!(plan.buffers, Buffers::Stamped | Buffers::Repeated | Buffers::Zero);
        SlotPlan { depth: plan.depth, apart: mixed && filled_once }
    }

    /// Number of slots.
    pub(crate) fn count(self) -> u32 {
        if self.apart { self.depth.saturating_mul(2) } else { self.depth }
    }
}

/// A stack of free slots; the last one freed is taken first, while its buffer is in the CPU cache.
#[derive(Debug)]
struct FreeList {
    slots: Box<[u32]>,
    count: usize,
}

impl FreeList {
    fn new(slots: Range<u32>) -> FreeList {
        FreeList { count: slots.len(), slots: slots.rev().collect() }
    }

    #[inline]
    fn pop(&mut self) -> u32 {
        debug_assert!(self.count > 0, "a slot was taken where none is free");
        self.count -= 1;
        self.slots[self.count]
    }

    /// The last `count` slots freed, the most recent at the end.
    #[inline]
    fn pop_several(&mut self, count: usize) -> &[u32] {
        debug_assert!(self.count >= count, "more slots were taken than are free");
        let before = self.count;
        self.count -= count;
        &self.slots[self.count..before]
    }

    #[inline]
    fn push(&mut self, slot: u32) {
        debug_assert!(self.count < self.slots.len(), "more slots were freed than were taken");
        self.slots[self.count] = slot;
        self.count += 1;
    }
}

/// The slots of a worker and the free ones among them.
#[derive(Debug)]
pub(super) struct Slots {
    table: Arc<[Slot]>,
    depth: usize,
    in_flight: usize,
    /// First slot of the second list; `u32::MAX` if all I/O shares the first.
    writes_from: u32,
    free: [FreeList; 2],
}

impl Slots {
    pub(super) fn new(plan: SlotPlan) -> Slots {
        let slot = |_| Slot {
            due: AtomicU64::new(0),
            issued: AtomicU64::new(FREE),
            offset: AtomicU64::new(0),
            tag: AtomicU64::new(0),
        };
        assert!(plan.depth > 0, "a worker needs a slot to issue in");
        Slots {
            table: (0..plan.count()).map(slot).collect(),
            depth: plan.depth as usize,
            in_flight: 0,
            writes_from: if plan.apart { plan.depth } else { u32::MAX },
            free: [FreeList::new(0..plan.depth), FreeList::new(plan.depth..plan.count())],
        }
    }

    pub(super) fn view(&self) -> SlotsView {
        SlotsView { table: Arc::clone(&self.table) }
    }

    #[inline]
    pub(super) fn free_count(&self) -> usize {
        self.depth - self.in_flight
    }

    #[inline]
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Number and bytes of the I/Os in flight other than flushes.
    pub(super) fn amount_in_flight(&self) -> (u64, Bytes) {
        let taken = self.table.iter().filter(|slot| slot.issued.load(Relaxed) != FREE).map(Slot::read);
        let amounts = taken.filter(|io| io.kind != Direction::Flush).map(|io| u64::from(io.bytes));
        let (count, bytes) = amounts.fold((0, 0), |(count, bytes), more| (count + 1, bytes + more));
        (count, Bytes(bytes))
    }

    /// Takes a free slot for `io`; the caller has checked that there is one.
    #[inline]
    pub(super) fn take(&mut self, io: &InFlight) -> u32 {
        self.in_flight += 1;
        debug_assert!(self.in_flight <= self.depth, "more is in flight than the queue is deep");
        let slot = self.free[self.list_of(io.kind)].pop();
        debug_assert!(self.look(slot).is_none(), "a slot was given out while an I/O is in it");
        self.table[slot as usize].write(io);
        slot
    }

    /// Takes free slots for `places.len()` I/Os that equal `io` except for the offset, which `offset` returns for each,
    /// and fills `places` with them; the caller has checked that there are enough.
    #[inline(always)]
    pub(super) fn take_alike(&mut self, io: &InFlight, places: &mut [Io], mut offset: impl FnMut() -> u64) {
        self.in_flight += places.len();
        debug_assert!(self.in_flight <= self.depth, "more is in flight than the queue is deep");
        let InFlight { due, issued, kind, file, bytes, .. } = *io;
        let tag = io.tag();
        let free = self.free[self.list_of(kind)].pop_several(places.len());
        for (place, &slot) in places.iter_mut().zip(free.iter().rev()) {
            let offset = offset();
            self.table[slot as usize].store(&Entry { due: due.0, issued: issued.0, offset, tag });
            *place = Io { slot, kind, file, offset, bytes, due };
        }
    }

    /// Index of the list with slots for `kind`; either list has a slot for each of the `depth` I/Os that can be in flight.
    #[inline]
    fn list_of(&self, kind: Direction) -> usize {
        usize::from(kind == Direction::Write && self.writes_from != u32::MAX)
    }

    /// The I/O in flight in `slot`, if any.
    pub(super) fn look(&self, slot: u32) -> Option<InFlight> {
        self.table.get(slot as usize).map(Slot::read).filter(|io| io.issued.0 != FREE)
    }

    /// Whether any I/O in flight has bytes in common with `place`.
    pub(super) fn overlap(&self, place: &NextIo) -> bool {
        let end = place.offset + u64::from(place.bytes);
        let taken = self.table.iter().filter(|slot| slot.issued.load(Relaxed) != FREE).map(Slot::read);
        let meets = |io: InFlight| {
            io.kind != Direction::Flush
                && io.file == place.file
                && io.offset < end
                && place.offset < io.offset + u64::from(io.bytes)
        };
        taken.into_iter().any(meets)
    }

    /// Frees `slot` and returns the I/O that was in flight there; `None` if the slot was free.
    #[inline]
    pub(super) fn free(&mut self, slot: u32) -> Option<Entry> {
        let place = self.table.get(slot as usize)?;
        let io = place.entry();
        if io.issued == FREE {
            return None;
        }
        place.issued.store(FREE, Relaxed);
        self.free[usize::from(slot >= self.writes_from)].push(slot);
        debug_assert!(self.in_flight > 0, "a slot was freed while nothing is in flight");
        self.in_flight -= 1;
        Some(io)
    }

    /// Notes that the I/O in `slot` was submitted at `now`; returns its previous time of issue.
    #[inline]
    pub(super) fn hand_over(&self, slot: u32, now: Nanos) -> Nanos {
        let Some(entry) = self.table.get(slot as usize) else { return now };
        let picked = entry.issued.load(Relaxed);
        debug_assert!(picked != FREE, "an I/O was handed over from a slot that is free");
        debug_assert!(picked <= now.0, "an I/O was handed over before it was picked");
        entry.issued.store(now.0, Relaxed);
        Nanos(picked)
    }

    /// Moves the time of issue of the I/O in `slot`, and its due time if given (in a closed loop).
    pub(super) fn restamp(&self, slot: u32, issued: Nanos, due: Option<Nanos>) {
        if let Some(entry) = self.table.get(slot as usize) {
            let before = entry.issued.load(Relaxed);
            debug_assert!(before <= issued.0, "the time of an issue was moved back, or its slot is free");
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

    fn slots(depth: u32, apart: bool) -> Slots {
        Slots::new(SlotPlan { depth, apart })
    }

    fn io(kind: Direction) -> InFlight {
        InFlight { due: Nanos(0), issued: Nanos(0), kind, file: 0, offset: 0, bytes: 4096 }
    }

    #[test]
    fn what_is_in_flight_can_be_read_back_and_seen_from_outside() {
        let mut slots = slots(2, false);
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
        assert_eq!(slots.free(slot).map(|entry| entry.in_flight()), Some(io));
        assert!(slots.free(slot).is_none(), "it comes back once");
        assert!(slots.free(9).is_none());
        assert_eq!((slots.in_flight(), slots.view().in_flight().len()), (0, 0));
    }

    #[test]
    fn ios_are_alike_whatever_their_place_and_nothing_else() {
        let mut slots = slots(1, false);
        let mut entry = |io: InFlight| {
            let slot = slots.take(&io);
            slots.free(slot).unwrap()
        };
        let one = io(Direction::Read);
        let entries = [InFlight { offset: 4096, ..one }, one].map(&mut entry);
        assert!(entries[0].is_alike(&entries[1]) && !entries[0].is_alike(&Entry::NONE));
        for other in [
            InFlight { due: Nanos(1), ..one },
            InFlight { issued: Nanos(1), ..one },
            InFlight { kind: Direction::Trim, ..one },
            InFlight { file: 1, ..one },
            InFlight { bytes: 8192, ..one },
        ] {
            assert!(!entries[0].is_alike(&entry(other)), "{other:?}");
        }
    }

    #[test]
    fn apart_no_write_ever_gets_a_slot_that_a_read_had() {
        let mut slots = slots(3, true);
        for kinds in [[Direction::Read; 3], [Direction::Write; 3], [Direction::Flush; 3]] {
            let taken = kinds.map(|kind| slots.take(&io(kind)));
            assert_eq!(slots.free_count(), 0, "never more than the depth");
            assert!(taken.iter().all(|&slot| (slot >= 3) == (kinds[0] == Direction::Write)), "{taken:?}");
            assert!(taken.iter().all(|&slot| slots.free(slot).is_some()));
        }
        assert_eq!(SlotPlan { depth: 3, apart: true }.count(), 6);
        assert_eq!(SlotPlan { depth: 3, apart: false }.count(), 3);
    }
}
