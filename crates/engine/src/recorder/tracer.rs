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
    /// Never grows beyond its capacity.
    chunk: Vec<T>,
    out: Producer<Vec<T>>,
    spares: Consumer<Vec<T>>,
    /// When `chunk` is to be handed over; [`Nanos::MAX`] while it is empty.
    edge: Nanos,
    lost: u64,
}

/// The collector's side.
#[derive(Debug)]
pub(crate) struct TraceReceiver<T> {
    chunks: Consumer<Vec<T>>,
    spares: Producer<Vec<T>>,
}

/// The part of a trace that a worker had not handed over when it was over.
#[derive(Debug)]
pub(crate) struct Trace<T> {
    pub(crate) chunk: Vec<T>,
    /// Number of I/Os for which there was no room.
    pub(crate) lost: u64,
}

impl<T> Tracer<T> {
    pub(super) fn new() -> (Tracer<T>, TraceReceiver<T>) {
        let (out, chunks) = RingBuffer::new(CHUNKS);
        let (mut back, spares) = RingBuffer::new(CHUNKS);
        for _ in 1..CHUNKS {
            assert!(
                back.push(Vec::with_capacity(CHUNK)).is_ok(),
                "the ring of chunks has no room for all of them"
            );
        }
        let chunk = Vec::with_capacity(CHUNK);
        let tracer = Tracer { chunk, out, spares, edge: Nanos::MAX, lost: 0 };
        (tracer, TraceReceiver { chunks, spares: back })
    }

    #[inline]
    pub(super) fn edge(&self) -> Nanos {
        self.edge
    }

    /// Records one I/O at the time `at`. If the chunks were not taken in time, the I/O is counted as lost: waiting
    /// would slow the worker down to the consumer of the trace.
    pub(super) fn record(&mut self, io: T, at: Nanos) {
        if self.chunk.len() == self.chunk.capacity() && !self.pass_on() {
            self.lost += 1;
            return;
        }
        if self.chunk.is_empty() {
            self.edge = at + PATIENCE;
        }
        debug_assert!(self.chunk.len() < self.chunk.capacity(), "a chunk grows beyond its capacity");
        self.chunk.push(io);
    }

    /// Hands the chunk over if it is due at `now`.
    pub(super) fn reach(&mut self, now: Nanos) {
        if now >= self.edge && !self.pass_on() {
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

    pub(super) fn into_trace(self) -> Trace<T> {
        Trace { chunk: self.chunk, lost: self.lost }
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
    fn what_nobody_takes_in_time_is_counted_as_lost_and_the_rest_comes_in_order() {
        let (mut tracer, mut desk) = Tracer::new();
        let room = (CHUNK * CHUNKS) as u64;
        (0..room + 10).for_each(|number| tracer.record(number, Nanos(number)));
        let mut told = Vec::new();
        tell(&mut desk, &mut told);
        (room + 10..room + 20).for_each(|number| tracer.record(number, Nanos(number)));
        tell(&mut desk, &mut told);
        let rest = tracer.into_trace();
        told.extend(rest.chunk);
        assert_eq!(rest.lost, 10);
        assert!(told.into_iter().eq((0..room).chain(room + 10..room + 20)));
    }

    #[test]
    fn a_chunk_that_is_not_full_is_handed_over_after_a_while() {
        let (mut tracer, mut desk) = Tracer::new();
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
