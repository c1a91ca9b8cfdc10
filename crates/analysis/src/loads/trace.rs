//! A load from a trace, which has every I/O: exact sizes, times and places, in memory that does not grow with its length.

use std::collections::HashMap;

use workload::{Direction, TracedIo};

use super::arrivals::{Counters, fitted};
use super::{LoadZone, RecordedFlow, RecordedLoad, Unknown};

/// Most sizes of a direction that a profile lists; the least frequent others are joined with the next in length (chosen by
/// us: a line of text has room for no more).
const SIZES: usize = 16;
/// Most different sizes of a trace that are counted one by one; the others are counted by powers of two.
const COUNTED: usize = 4096;
/// Most gaps and places that are kept: every one, or every second, fourth and so on of a longer trace.
const KEPT: usize = 1 << 16;
/// Number of zones, each with the same share of the I/Os (chosen by us).
const ZONES: usize = 10;
/// Factor between the longest and the shortest zone up to which places are uniformly random (chosen by us: ten zones of a
/// thousand uniform places each differ by less).
const UNIFORM: f64 = 1.5;
/// Fewest places for zones: fewer differ by chance.
const PLACES: usize = 1000;
/// Least bytes of an I/O.
const SECTOR: u64 = 512;

/// What a trace has shown so far.
#[derive(Clone, Debug)]
pub struct TraceReading {
    /// I/Os by [`Direction::index`].
    ios: [u64; 4],
    bytes: [u64; 4],
    sizes: [HashMap<u32, u64>; 2],
    first_ns: Option<u64>,
    last_ns: u64,
    counters: Counters,
    gaps: Kept<f64>,
    places: Kept<(u32, u64)>,
    /// End of the last I/O by direction, with its file.
    ends: [Option<(u32, u64)>; 2],
    /// I/Os that begin where the last one of their direction ended.
    following: u64,
    /// End of the region by file.
    files: Vec<u64>,
}

/// Every one of the values pushed, or every second, fourth and so on.
#[derive(Clone, Debug)]
struct Kept<T> {
    values: Vec<T>,
    every: u64,
    seen: u64,
}

impl<T> Kept<T> {
    fn new() -> Kept<T> {
        Kept { values: Vec::new(), every: 1, seen: 0 }
    }

    fn push(&mut self, value: T) {
        self.seen += 1;
        if !(self.seen - 1).is_multiple_of(self.every) {
            return;
        }
        if self.values.len() == KEPT {
            let mut number = 0;
            self.values.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
        self.values.push(value);
    }
}

impl Default for TraceReading {
    fn default() -> TraceReading {
        TraceReading::new()
    }
}

impl TraceReading {
    /// Returns a reading of no I/O.
    pub fn new() -> TraceReading {
        TraceReading {
            ios: [0; 4],
            bytes: [0; 4],
            sizes: [HashMap::new(), HashMap::new()],
            first_ns: None,
            last_ns: 0,
            counters: Counters::new(),
            gaps: Kept::new(),
            places: Kept::new(),
            ends: [None; 2],
            following: 0,
            files: Vec::new(),
        }
    }

    /// Takes the next I/O.
    pub fn push(&mut self, io: &TracedIo) {
        self.ios[io.kind.index()] += 1;
        self.bytes[io.kind.index()] += u64::from(io.bytes);
        let way = match io.kind {
            Direction::Read => 0,
            Direction::Write => 1,
            Direction::Trim | Direction::Flush => return,
        };
        let first = *self.first_ns.get_or_insert(io.at.0);
        if self.ios[0] + self.ios[1] > 1 {
            self.gaps.push(io.at.0.saturating_sub(self.last_ns) as f64 / 1e9);
        }
        self.last_ns = io.at.0;
        self.counters.arrive(io.at.0.saturating_sub(first) as f64 / 1e9);
        let (sizes, bytes) = (&mut self.sizes[way], io.bytes.next_multiple_of(SECTOR as u32));
        let counted = if sizes.len() < COUNTED || sizes.contains_key(&bytes) {
            bytes
        } else {
            bytes.next_power_of_two()
        };
        *sizes.entry(counted).or_default() += 1;
        self.take_place(io, way);
    }

    fn take_place(&mut self, io: &TracedIo, way: usize) {
        self.following += u64::from(self.ends[way] == Some((io.file, io.offset)));
        let end = io.offset.saturating_add(u64::from(io.bytes));
        self.ends[way] = Some((io.file, end));
        let file = io.file as usize;
        if self.files.len() <= file {
            self.files.resize(file + 1, 0);
        }
        self.files[file] = self.files[file].max(end);
        self.places.push((io.file, io.offset));
    }

    /// Returns where each file begins in a region that holds all of them, and the length of that region.
    pub fn region(&self) -> (Vec<u64>, u64) {
        let mut begin = 0u64;
        let begins = self.files.iter().map(|length| {
            let own = begin;
            begin = begin.saturating_add(length.next_multiple_of(1 << 20));
            own
        });
        (begins.collect(), begin)
    }

    /// Returns the load of the trace `device`; `None` without any read or write.
    pub fn load(&self, device: String) -> Option<RecordedLoad> {
        let first = self.first_ns?;
        let ios = self.ios[0] + self.ios[1];
        let seconds = self.last_ns.saturating_sub(first) as f64 / 1e9;
        // The last I/O has no gap after it: the others stand for it.
        let seconds = if ios > 1 { seconds * ios as f64 / (ios - 1) as f64 } else { seconds };
        let burstiness = self.counters.dispersion();
        let mut unknowns = Vec::new();
        let flow = |way: usize, unknowns: &mut Vec<Unknown>| {
            let (sizes, unknown) = self.sizes_of(way);
            unknowns.extend(unknown);
            RecordedFlow {
                iops: self.ios[way] as f64 / seconds.max(f64::MIN_POSITIVE),
                bytes: self.bytes[way] as f64 / seconds.max(f64::MIN_POSITIVE),
                latency_s: None,
                sizes,
            }
        };
        let (reads, writes) = (flow(0, &mut unknowns), flow(1, &mut unknowns));
        let zones = self.zones();
        unknowns.push(Unknown::Completions);
        if !zones.is_empty() {
            unknowns.push(Unknown::WithinZones);
        }
        if self.ios[Direction::Trim.index()] > 0 {
            unknowns.push(Unknown::Trims { ios: self.ios[Direction::Trim.index()] });
        }
        if self.files.len() > 1 {
            unknowns.push(Unknown::Files { files: self.files.len() });
        }
        let (jumps, flushes) = (ios - self.following, self.ios[Direction::Flush.index()]);
        let load = RecordedLoad {
            device,
            size: self.region().1,
            seconds,
            reading_s: 0.0,
            reads,
            writes,
            drive: fitted(&self.gaps.values, &burstiness),
            in_flight: None,
            busy: None,
            burstiness,
            zones,
            // The first I/O of each direction follows none.
            run: if jumps <= 2 { f64::INFINITY } else { ios as f64 / jumps as f64 },
            flush_every: (flushes > 0 && self.ios[1] > 0).then(|| self.ios[1] as f64 / flushes as f64),
            unknowns,
        };
        Some(load.settled())
    }

    fn sizes_of(&self, way: usize) -> (Vec<(u64, f64)>, Option<Unknown>) {
        let all = self.sizes[way].values().sum::<u64>() as f64;
        let mut sizes: Vec<(u64, u64)> =
            self.sizes[way].iter().map(|(size, count)| (u64::from(*size), *count)).collect();
        sizes.sort_unstable();
        let is_joined = sizes.len() > SIZES;
        while sizes.len() > SIZES {
            let least = (0..sizes.len()).min_by_key(|at| sizes[*at].1).unwrap_or(0);
            let (size, count) = sizes.remove(least);
            let beside = least.min(sizes.len() - 1);
            let (other, others) = sizes[beside];
            let bytes = size * count + other * others;
            let joined = (bytes / (count + others)).next_multiple_of(SECTOR);
            sizes[beside] = (joined, count + others);
        }
        let direction = [Direction::Read, Direction::Write][way];
        let shares = sizes.into_iter().map(|(size, count)| (size, count as f64 / all));
        (shares.collect(), is_joined.then_some(Unknown::ManySizes { direction }))
    }

    /// Returns zones with the same share of the I/Os each, from the first byte of the region to its last; none if they are
    /// about equally long.
    fn zones(&self) -> Vec<LoadZone> {
        let (begins, length) = self.region();
        let mut places: Vec<u64> =
            self.places.values.iter().map(|(file, offset)| begins[*file as usize] + offset).collect();
        if places.len() < PLACES || length == 0 {
            return Vec::new();
        }
        places.sort_unstable();
        let edge = |number: usize| match number {
            0 => 0,
            ZONES => length,
            _ => places[number * places.len() / ZONES],
        };
        let zones: Vec<LoadZone> = (0..ZONES)
            .map(|number| LoadZone {
                ios: 1.0 / ZONES as f64,
                region: (edge(number + 1) - edge(number)) as f64 / length as f64,
            })
            .collect();
        let lengths = zones.iter().map(|zone| zone.region);
        let (least, most) = (lengths.clone().fold(f64::INFINITY, f64::min), lengths.fold(0.0, f64::max));
        if most <= UNIFORM * least { Vec::new() } else { zones }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Drive;
    use super::*;
    use statistics::Stream;
    use workload::Nanos;

    fn io(at: u64, kind: Direction, (offset, bytes): (u64, u32)) -> TracedIo {
        TracedIo { at: Nanos(at), kind, file: 0, offset, bytes }
    }

    fn load(ios: impl IntoIterator<Item = TracedIo>) -> RecordedLoad {
        let mut reading = TraceReading::new();
        ios.into_iter().for_each(|io| reading.push(&io));
        reading.load("trace".into()).unwrap()
    }

    #[test]
    fn sizes_rates_runs_and_flushes_of_a_trace_are_exact() {
        let of = |number: u64| {
            let at = number * 1_000_000;
            let place = (number / 4 % 1000) * (1 << 20) + number % 4 * 4096;
            [
                io(at, Direction::Write, (place, 4096)),
                io(at, Direction::Flush, (0, 0)),
                io(
                    at,
                    Direction::Read,
                    (number % 2 * 8192, if number.is_multiple_of(4) { 8192 } else { 16384 }),
                ),
            ]
        };
        let load = load((0..4000).flat_map(of));
        assert!((load.writes.iops / 1000.0 - 1.0).abs() < 0.01, "{}", load.writes.iops);
        assert_eq!(load.reads.sizes, [(8192, 0.25), (16384, 0.75)]);
        assert_eq!(load.flush_every, Some(1.0));
        assert!(
            (1.5..2.5).contains(&load.run),
            "of the writes three of four follow, of the reads some: {}",
            load.run
        );
    }

    #[test]
    fn a_hot_tenth_of_the_region_is_a_zone() {
        let mut stream = Stream::new(1, 9);
        let mut place = || if stream.unit_f64() < 0.8 { stream.below(1000) } else { stream.below(10_000) };
        let load = load((0..20_000).map(|number| io(number * 1000, Direction::Read, (place() << 20, 4096))));
        assert_eq!(load.zones.len(), 10);
        let hot: f64 = load.zones[..8].iter().map(|zone| zone.region).sum();
        assert!((hot / 0.1 - 1.0).abs() < 0.1, "eight of ten I/Os lie in a tenth of the region: {hot}");
        assert!((load.zones.iter().map(|zone| zone.region).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn uniform_places_have_no_zones_and_even_arrivals_are_even() {
        let mut stream = Stream::new(1, 9);
        let load = load(
            (0..20_000).map(|number| io(number * 1000, Direction::Read, (stream.below(10_000) << 20, 4096))),
        );
        assert_eq!((load.zones.len(), load.drive), (0, Drive::Even));
        assert!(load.unknowns.contains(&Unknown::Completions));
    }
}
