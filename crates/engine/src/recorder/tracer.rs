//! Every I/O of a worker that is traced, handed over in chunks that were made beforehand.

use record::{IoTrace, Observer};
use rtrb::{Consumer, Producer, RingBuffer};
use workload::Nanos;

/// I/Os of a chunk.
const CHUNK: usize = 1024;
/// Chunks of a worker. All together hold more than happens between two looks of the collector in simulation (32,768
/// events), and at 5 ms between two looks in real time eight million I/Os a second.
const CHUNKS: usize = 42;
/// A chunk that is not full is handed over after this long, so that people see I/Os as they happen.
const PATIENCE: Nanos = Nanos::from_millis(5);

/// The worker's side.
#[derive(Debug)]
pub(super) struct Tracer {
    /// Never grows beyond its capacity.
    chunk: Vec<IoTrace>,
    out: Producer<Vec<IoTrace>>,
    spares: Consumer<Vec<IoTrace>>,
    /// When `chunk` is to be handed over; [`Nanos::MAX`] while it is empty.
    edge: Nanos,
    lost: u64,
}

/// The collector's side.
#[derive(Debug)]
pub(crate) struct TraceReceiver {
    chunks: Consumer<Vec<IoTrace>>,
    spares: Producer<Vec<IoTrace>>,
}

/// What a worker had not handed over when it was over.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) chunk: Vec<IoTrace>,
    /// I/Os that there was no room for.
    pub(crate) lost: u64,
}

impl Tracer {
    pub(super) fn new() -> (Tracer, TraceReceiver) {
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

    /// Notes one I/O. Where nobody has taken the chunks in time it is counted as lost: to wait would be to measure the
    /// one who writes them down.
    pub(super) fn record(&mut self, io: IoTrace) {
        if self.chunk.len() == self.chunk.capacity() && !self.pass_on() {
            self.lost += 1;
            return;
        }
        if self.chunk.is_empty() {
            self.edge = io.done + PATIENCE;
        }
        debug_assert!(self.chunk.len() < self.chunk.capacity(), "a chunk grows beyond its capacity");
        self.chunk.push(io);
    }

    /// Time has come to `now`.
    pub(super) fn reach(&mut self, now: Nanos) {
        if now >= self.edge && !self.pass_on() {
            self.edge = now + PATIENCE;
        }
    }

    /// Hands the chunk over; false where there is no other to go on with.
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

    pub(super) fn into_trace(self) -> Trace {
        Trace { chunk: self.chunk, lost: self.lost }
    }
}

impl TraceReceiver {
    /// Tells `watcher` what worker `number` has handed over, and keeps it where that is asked for.
    pub(crate) fn tell(
        &mut self,
        number: usize,
        watcher: &mut dyn Observer,
        kept: Option<&mut Vec<IoTrace>>,
    ) {
        let mut kept = kept;
        while let Ok(mut chunk) = self.chunks.pop() {
            watcher.traced(number, &chunk);
            if let Some(kept) = &mut kept {
                kept.extend_from_slice(&chunk);
            }
            chunk.clear();
            assert!(self.spares.push(chunk).is_ok(), "a ring with a place for every chunk is full");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Interval;

    #[derive(Default)]
    struct Offsets(Vec<u64>);

    impl Observer for Offsets {
        fn interval(&mut self, _: &Interval) {}

        fn traced(&mut self, _: usize, ios: &[IoTrace]) {
            self.0.extend(ios.iter().map(|io| io.offset));
        }
    }

    fn io(number: u64) -> IoTrace {
        let at = Nanos(number);
        let direction = workload::Direction::Read;
        IoTrace {
            due: at,
            issued: at,
            done: at,
            offset: number,
            bytes: 1,
            file: 0,
            errno: 0,
            direction,
            counted: true,
        }
    }

    #[test]
    fn what_nobody_takes_in_time_is_counted_as_lost_and_the_rest_comes_in_order() {
        let (mut tracer, mut desk) = Tracer::new();
        let room = (CHUNK * CHUNKS) as u64;
        (0..room + 10).for_each(|number| tracer.record(io(number)));
        let mut told = Offsets::default();
        desk.tell(3, &mut told, None);
        (room + 10..room + 20).for_each(|number| tracer.record(io(number)));
        desk.tell(3, &mut told, None);
        let rest = tracer.into_trace();
        told.0.extend(rest.chunk.iter().map(|io| io.offset));
        assert_eq!(rest.lost, 10);
        assert!(told.0.iter().copied().eq((0..room).chain(room + 10..room + 20)));
    }

    #[test]
    fn a_chunk_that_is_not_full_is_handed_over_after_a_while() {
        let (mut tracer, mut desk) = Tracer::new();
        tracer.record(io(7));
        let mut told = Offsets::default();
        tracer.reach(Nanos(7) + PATIENCE - Nanos(1));
        desk.tell(0, &mut told, None);
        assert!(told.0.is_empty());
        tracer.reach(tracer.edge());
        desk.tell(0, &mut told, None);
        assert_eq!((told.0, tracer.edge()), (vec![7], Nanos::MAX));
    }
}
