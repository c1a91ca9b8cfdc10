//! Records of every single I/O of a traced worker, handed over in chunks allocated beforehand.

use rtrb::{Consumer, Producer, RingBuffer};
use workload::Nanos;

/// I/Os per chunk.
const CHUNK: usize = 1024;
/// Chunks per worker. Together they hold more I/Os than occur between two looks of the collector in simulation
/// (32,768 events), and, at 5 ms between two looks in real time, eight million I/Os per second.
const CHUNKS: usize = 42;
/// Time after which a chunk that is not full is handed over, so that users see I/Os as they happen.
const PATIENCE: Nanos = Nanos::from_millis(5);

/// The worker's side.
#[derive(Debug)]
pub(super) struct Tracer<T> {
    /// Grows beyond its capacity only if the worker issues more than there is room for.
    chunk: Vec<T>,
    out: Producer<Vec<T>>,
    spares: Consumer<Vec<T>>,
    /// When `chunk` is to be handed over; [`Nanos::MAX`] while it is empty.
    edge: Nanos,
}

/// The collector's side.
#[derive(Debug)]
pub(crate) struct TraceReceiver<T> {
    chunks: Consumer<Vec<T>>,
    spares: Producer<Vec<T>>,
}

impl<T> Tracer<T> {
    /// A trace of a worker with `depth` slots; half of its chunks have room for all of them.
    pub(super) fn new(depth: u32) -> (Tracer<T>, TraceReceiver<T>) {
        let count = CHUNKS.max(2 * (depth as usize).div_ceil(CHUNK));
        let (out, chunks) = RingBuffer::new(count);
        let (mut back, spares) = RingBuffer::new(count);
        for _ in 1..count {
            assert!(
                back.push(Vec::with_capacity(CHUNK)).is_ok(),
                "the ring of chunks has no room for all of them"
            );
        }
        let chunk = Vec::with_capacity(CHUNK);
        let tracer = Tracer { chunk, out, spares, edge: Nanos::MAX };
        (tracer, TraceReceiver { chunks, spares: back })
    }

    #[inline]
    pub(super) fn edge(&self) -> Nanos {
        self.edge
    }

    /// Number of I/Os that can be recorded before the collector takes any.
    pub(super) fn room(&self) -> usize {
        CHUNK.saturating_sub(self.chunk.len()) + self.spares.slots() * CHUNK
    }

    /// Records one I/O at the time `at`.
    pub(super) fn record(&mut self, io: T, at: Nanos) {
        if self.chunk.len() >= CHUNK {
            self.pass_on();
        }
        if self.chunk.is_empty() {
            self.edge = at + PATIENCE;
        }
        self.chunk.push(io);
    }

    /// Hands the chunk over if it is due at `now`. With less than half of the chunks left it must be full.
    pub(super) fn reach(&mut self, now: Nanos) {
        let spared = self.spares.slots() > self.spares.buffer().capacity() / 2;
        if now >= self.edge && !(spared && self.pass_on()) {
            self.edge = now + PATIENCE;
        }
    }

    /// Hands the chunk over; false if there is no other to go on with.
    fn pass_on(&mut self) -> bool {
        match self.spares.pop() {
            Ok(fresh) => {
                assert!(fresh.is_empty(), "a chunk came back with I/Os in it");
                let full = std::mem::replace(&mut self.chunk, fresh);
                assert!(self.out.push(full).is_ok(), "a ring with a place for every chunk is full");
                self.edge = Nanos::MAX;
                true
            }
            Err(_) => false,
        }
    }

    /// The I/Os that have not been handed over.
    pub(super) fn into_rest(self) -> Vec<T> {
        self.chunk
    }
}

impl<T> TraceReceiver<T> {
    /// Passes each chunk that the worker has handed over to `take`.
    pub(crate) fn empty(&mut self, mut take: impl FnMut(&[T])) {
        while let Ok(mut chunk) = self.chunks.pop() {
            take(&chunk);
            chunk.clear();
            assert!(self.spares.push(chunk).is_ok(), "a ring with a place for every chunk is full");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends everything handed over so far to `told`.
    fn tell(desk: &mut TraceReceiver<u64>, told: &mut Vec<u64>) {
        desk.empty(|chunk| told.extend_from_slice(chunk));
    }

    #[test]
    fn what_nobody_takes_in_time_comes_whole_and_in_order() {
        let (mut tracer, mut desk) = Tracer::new(1);
        let room = (CHUNK * CHUNKS) as u64;
        assert_eq!(tracer.room() as u64, room);
        (0..room + 10).for_each(|number| tracer.record(number, Nanos(number)));
        let mut told = Vec::new();
        tell(&mut desk, &mut told);
        (room + 10..room + 20).for_each(|number| tracer.record(number, Nanos(number)));
        tell(&mut desk, &mut told);
        told.extend(tracer.into_rest());
        assert!(told.into_iter().eq(0..room + 20));
    }

    #[test]
    fn a_chunk_that_is_not_full_is_handed_over_after_a_while() {
        let (mut tracer, mut desk) = Tracer::new(1);
        tracer.record(7, Nanos(7));
        let mut told = Vec::new();
        tracer.reach(Nanos(7) + PATIENCE - Nanos(1));
        tell(&mut desk, &mut told);
        assert!(told.is_empty());
        tracer.reach(tracer.edge());
        tell(&mut desk, &mut told);
        assert_eq!((told, tracer.edge()), (vec![7], Nanos::MAX));
    }
}
