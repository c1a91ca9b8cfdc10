//! The I/Os that a worker wants issued in one turn.

use workload::Io;

/// I/Os to issue, in order. It never grows beyond the capacity it was made with, so that filling it allocates nothing.
#[derive(Clone, Debug)]
pub struct Batch {
    ios: Vec<Io>,
    room: usize,
}

impl Batch {
    /// An empty batch for at most `depth` I/Os.
    pub fn with_capacity(depth: u32) -> Batch {
        assert!(depth > 0, "a batch without room would never issue");
        Batch { ios: Vec::with_capacity(depth as usize), room: depth as usize }
    }

    /// Empties it and lets at most `room` I/Os in, as many as the backend can take now.
    #[inline]
    pub fn open(&mut self, room: usize) {
        self.ios.clear();
        self.room = room.min(self.ios.capacity());
        debug_assert!(self.ios.is_empty(), "a batch was opened with I/Os of the last turn");
    }

    /// How many more I/Os it takes.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.room - self.ios.len()
    }

    /// Adds one I/O; the caller has seen that there is room.
    #[inline]
    pub(crate) fn push(&mut self, io: Io) {
        debug_assert!(self.room() > 0, "an I/O was put into a batch without room");
        debug_assert!(self.ios.len() < self.ios.capacity(), "a batch would grow beyond its capacity");
        self.ios.push(io);
    }

    /// Adds the next `count` I/Os of `next`; the caller has seen that there is room.
    #[inline]
    pub(crate) fn push_all(&mut self, count: usize, mut next: impl FnMut() -> Io) {
        debug_assert!(count <= self.room(), "I/Os were put into a batch without room");
        self.ios.extend((0..count).map(|_| next()));
    }

    /// What is to be issued.
    #[inline]
    pub fn ios(&self) -> &[Io] {
        &self.ios
    }
}
