//! The I/Os that a worker wants issued in one turn.

use workload::{Direction, Io, Nanos};

/// I/Os to issue, in order. Its places are allocated from the start, so filling it never allocates or checks for room.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The I/Os to issue, followed by leftovers of earlier turns.
    places: Box<[Io]>,
    count: usize,
    room: usize,
}

/// Placeholder in a place before its first I/O.
const NONE: Io = Io { slot: 0, kind: Direction::Read, file: 0, offset: 0, bytes: 0, due: Nanos::ZERO };

impl Batch {
    /// An empty batch for at most `depth` I/Os.
    pub fn with_capacity(depth: u32) -> Batch {
        assert!(depth > 0, "a batch without room would never issue");
        Batch { places: vec![NONE; depth as usize].into_boxed_slice(), count: 0, room: depth as usize }
    }

    /// Empties the batch and sets its room to `room` I/Os, as many as the backend can take now, at most its capacity.
    #[inline]
    pub fn open(&mut self, room: usize) {
        self.count = 0;
        self.room = room.min(self.places.len());
    }

    /// Limits the room to at most `most` more I/Os.
    pub(crate) fn narrow(&mut self, most: usize) {
        self.room = self.room.min(self.count.saturating_add(most));
    }

    /// Number of I/Os for which there is still room.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.room - self.count
    }

    /// Adds one I/O; the caller has checked that there is room.
    #[inline]
    pub(crate) fn push(&mut self, io: Io) {
        debug_assert!(self.room() > 0, "an I/O was put into a batch without room");
        self.places[self.count] = io;
        self.count += 1;
    }

    /// Places for `count` more I/Os, all of which the caller fills after checking that there is room.
    #[inline]
    pub(crate) fn take_places(&mut self, count: usize) -> &mut [Io] {
        debug_assert!(count <= self.room(), "I/Os were put into a batch without room");
        let first = self.count;
        self.count += count;
        &mut self.places[first..first + count]
    }

    /// Number of I/Os to issue.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The I/Os to issue.
    #[inline]
    pub fn ios(&self) -> &[Io] {
        &self.places[..self.count]
    }
}
