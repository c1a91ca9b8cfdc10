//! A simulated volume with the counters that the kernel keeps for a disk, so that a watch in virtual time has samples.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use engine::{Volume, VolumeAnswer};
use record::{CpuCounters, DiskCounters, SECTOR, Sample};
use workload::{Direction, Io, Nanos};

/// Nanoseconds in a clock tick.
const TICK_NS: u64 = 10_000_000;
/// Kernel name of the made-up device.
pub(super) const DEVICE: &str = "sim0";

/// An I/O in flight: when it completes, its number to break ties, its direction, its bytes, and when it was
/// admitted.
type InFlight = Reverse<(Nanos, u64, u8, u32, Nanos)>;

/// A volume with counters, sampled at a fixed interval of virtual time. An admitted I/O is in flight until it
/// completes: as with a guest's disk behind a throttle, the disk's times include the wait in the throttle.
pub(super) struct CountedVolume {
    volume: Box<dyn Volume>,
    name: Arc<str>,
    now: Nanos,
    admitted: u64,
    flying: BinaryHeap<InFlight>,
    /// Counters. Times are in nanoseconds here; [`CountedVolume::sample`] converts them to milliseconds.
    counters: DiskCounters,
    every: Nanos,
    /// When the next sample is due; never if none are asked for.
    next: Nanos,
    samples: Vec<Sample>,
}

impl CountedVolume {
    /// Counts the I/O of `volume` from time zero on, and samples the counters at zero and then at every interval
    /// `every`, if given.
    pub(super) fn new(volume: Box<dyn Volume>, every: Option<Nanos>) -> CountedVolume {
        CountedVolume {
            volume,
            name: DEVICE.into(),
            now: Nanos::ZERO,
            admitted: 0,
            flying: BinaryHeap::new(),
            counters: DiskCounters::default(),
            every: every.map_or(Nanos::MAX, |every| Nanos(every.0.max(1))),
            next: every.map_or(Nanos::MAX, |_| Nanos::ZERO),
            samples: Vec::new(),
        }
    }

    /// Advances time to `to`, completing the I/Os due until then.
    pub(super) fn advance(&mut self, to: Nanos) {
        loop {
            let done = self.flying.peek().map_or(Nanos::MAX, |Reverse(first)| first.0);
            let at = done.min(self.next);
            if at > to {
                break;
            }
            self.pass(at);
            if done <= self.next {
                self.settle();
            } else {
                let sample = self.sample();
                self.samples.push(sample);
                self.next += self.every;
            }
        }
        self.pass(to);
    }

    /// Returns the samples since the last call.
    pub(super) fn taken(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.samples)
    }

    /// Advances time to `to`, during which nothing completes.
    fn pass(&mut self, to: Nanos) {
        let span = to.since(self.now).0;
        let waiting = self.flying.len() as u64;
        self.counters.queue_ms += span * waiting;
        self.counters.busy_ms += if waiting > 0 { span } else { 0 };
        self.now = self.now.max(to);
    }

    /// Completes the first I/O in flight.
    fn settle(&mut self) {
        let Some(Reverse((done, _, kind, bytes, admitted))) = self.flying.pop() else { return };
        let (counters, took) = (&mut self.counters, done.since(admitted).0);
        let sectors = u64::from(bytes) / SECTOR;
        let (count, length, time) = match Direction::ALL[usize::from(kind)] {
            Direction::Read => (&mut counters.reads, Some(&mut counters.sectors_read), &mut counters.read_ms),
            Direction::Write => {
                (&mut counters.writes, Some(&mut counters.sectors_written), &mut counters.write_ms)
            }
            Direction::Trim => {
                (&mut counters.discards, Some(&mut counters.sectors_discarded), &mut counters.discard_ms)
            }
            Direction::Flush => (&mut counters.flushes, None, &mut counters.flush_ms),
        };
        *count += 1;
        *time += took;
        length.into_iter().for_each(|length| *length += sectors);
        if usize::from(kind) == Direction::Flush.index() {
            // The kernel counts a flush without data as a write too.
            counters.writes += 1;
            counters.write_ms += took;
        }
    }

    fn sample(&self) -> Sample {
        let ms = |nanos: u64| nanos / 1_000_000;
        let counted = &self.counters;
        let counters = DiskCounters {
            read_ms: ms(counted.read_ms),
            write_ms: ms(counted.write_ms),
            discard_ms: ms(counted.discard_ms),
            flush_ms: ms(counted.flush_ms),
            queue_ms: ms(counted.queue_ms),
            busy_ms: ms(counted.busy_ms),
            in_flight: self.flying.len() as u64,
            ..*counted
        };
        Sample {
            at: self.now,
            disks: vec![(Arc::clone(&self.name), counters)],
            // In virtual time no CPU is busy.
            cpu: CpuCounters { idle: self.now.0 / TICK_NS, ..CpuCounters::default() },
            ..Sample::default()
        }
    }
}

impl Volume for CountedVolume {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.advance(now);
        let served = self.volume.serve(now, io);
        self.admitted += 1;
        let done = served.done_at.max(now);
        self.flying.push(Reverse((done, self.admitted, io.kind.index() as u8, io.bytes, now)));
        served
    }

    fn has_cpu_at(&mut self, at: Nanos) -> Nanos {
        self.volume.has_cpu_at(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Metric;

    /// A volume on which each I/O takes 10 ms, however many there are.
    struct TenMs;

    impl Volume for TenMs {
        fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
            VolumeAnswer { done_at: now + Nanos::from_millis(10), result: io.bytes as i32 }
        }
    }

    fn io(kind: Direction, bytes: u32) -> Io {
        Io { slot: 0, kind, file: 0, offset: 0, bytes, due: Nanos::ZERO }
    }

    #[test]
    fn the_counters_say_what_was_done_how_long_it_took_and_how_much_waited() {
        let mut volume = CountedVolume::new(Box::new(TenMs), Some(Nanos::SECOND));
        // Two reads at once every 20 ms, and a write with each pair.
        for pair in 0..100 {
            let now = Nanos::from_millis(pair * 20);
            volume.serve(now, &io(Direction::Read, 4096));
            volume.serve(now, &io(Direction::Read, 4096));
            volume.serve(now, &io(Direction::Write, 8192));
        }
        volume.advance(Nanos::from_secs(4));
        let samples = volume.taken();
        assert_eq!(
            samples.iter().map(|s| s.at.0 / 1_000_000).collect::<Vec<_>>(),
            [0, 1000, 2000, 3000, 4000]
        );
        let value = |from: usize, metric| {
            let (before, after) = (&samples[from].disks[0].1, &samples[from + 1].disks[0].1);
            after.since(before, 1.0, metric)
        };
        assert_eq!(value(0, Metric::ReadOps), 100.0);
        assert_eq!(value(0, Metric::WriteOps), 50.0);
        assert_eq!(value(0, Metric::ReadBytes), 409_600.0);
        assert_eq!(value(0, Metric::WriteSize), 8192.0);
        assert_eq!((value(0, Metric::ReadAwait), value(1, Metric::WriteAwait)), (0.01, 0.01));
        assert_eq!(value(1, Metric::QueueDepth), 1.5, "three, half of the time");
        assert_eq!(value(1, Metric::Busy), 0.5);
        assert_eq!(
            (value(2, Metric::ReadOps), value(2, Metric::Busy)),
            (0.0, 0.0),
            "nothing is asked any more"
        );
        assert_eq!(samples[4].disks[0].1.in_flight, 0);
    }

    #[test]
    fn what_waits_behind_the_last_sample_is_in_flight() {
        let mut volume = CountedVolume::new(Box::new(TenMs), Some(Nanos::from_millis(5)));
        volume.serve(Nanos::from_millis(2), &io(Direction::Write, 4096));
        volume.advance(Nanos::from_millis(20));
        let in_flight: Vec<u64> = volume.taken().iter().map(|sample| sample.disks[0].1.in_flight).collect();
        assert_eq!(in_flight, [0, 1, 1, 0, 0]);
    }
}
