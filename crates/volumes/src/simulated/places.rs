//! Effects of the place of an I/O: a cache that warms, regions slow at first, blocks never written, bad places.

use std::collections::HashSet;

use statistics::Stream;
use workload::{Bytes, Io, IoKind, Nanos};

/// Size of a cache's line.
pub(super) const LINE: Bytes = Bytes::kib(64);
/// Size of a region whose first access is slow.
const REGION: Bytes = Bytes::mib(1);
/// Size of a thin volume's unit of allocation.
const ALLOCATED: Bytes = Bytes::kib(64);

/// Returns the numbers of the pieces of `size` that an I/O touches.
fn pieces(io: &Io, size: Bytes) -> std::ops::RangeInclusive<u64> {
    let last = io.offset + u64::from(io.bytes.max(1)) - 1;
    io.offset / size.0..=last / size.0
}

/// A part of the volume, excluding its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) from: Bytes,
    pub(super) to: Bytes,
}

impl Part {
    /// Returns the typed part; a missing bound is the beginning or the end of the volume.
    pub(super) fn of((from, to): (Option<Bytes>, Option<Bytes>)) -> Part {
        Part { from: from.unwrap_or(Bytes(0)), to: to.unwrap_or(Bytes(u64::MAX)) }
    }

    fn holds(self, offset: u64) -> bool {
        (self.from.0..self.to.0).contains(&offset)
    }
}

/// The parameters of a cache.
#[derive(Clone, Debug)]
pub(super) struct CachePlan {
    pub(super) size: Bytes,
    pub(super) latency: Nanos,
    /// I/Os a second that the cache passes.
    pub(super) iops: Option<f64>,
    /// Bytes a second that the cache passes.
    pub(super) bandwidth: Option<f64>,
    /// Share of misses that the cache keeps, drawn from this stream.
    pub(super) admits: Option<(f64, Stream)>,
    /// Length of the volume's beginning that is in the cache at first.
    pub(super) holds: Bytes,
}

/// A cache before the meters, whose lines are placed by their number modulo its size: a region that fits is served
/// wholly from the cache once it was read, a larger one in the share that fits. All I/O through the cache, hit or miss,
/// counts against its own limits, as in the host cache of a machine (method 5.6).
#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// Number of the line in each place, plus 1; 0 for none.
    lines: Vec<u32>,
    plan: CachePlan,
    /// When the cache's own limits let the next I/O pass, in nanoseconds.
    free_ns: f64,
}

impl Cache {
    pub(super) fn new(plan: CachePlan) -> Cache {
        let places = (plan.size.0 / LINE.0) as usize;
        let held = ((plan.holds.0 / LINE.0) as usize).min(places);
        let lines = (0..places).map(|line| if line < held { line as u32 + 1 } else { 0 }).collect();
        Cache { lines, plan, free_ns: 0.0 }
    }

    /// Whether the cache holds all of a read; afterwards it also holds the lines touched, as far as they are admitted.
    #[inline]
    pub(super) fn hits(&mut self, io: &Io) -> bool {
        let places = self.lines.len() as u64;
        let mut all = true;
        for line in pieces(io, LINE) {
            let place = &mut self.lines[(line % places) as usize];
            if *place == line as u32 + 1 {
                continue;
            }
            all = false;
            let kept = self.plan.admits.as_mut().is_none_or(|(share, random)| random.unit_f64() < *share);
            if kept {
                *place = line as u32 + 1;
            }
        }
        all && io.kind == IoKind::Read
    }

    /// Returns when an I/O that arrives at `now` has passed the cache's limits.
    #[inline]
    pub(super) fn passes(&mut self, now: Nanos, io: &Io) -> Nanos {
        let of_io = self.plan.iops.map_or(0.0, |rate| 1e9 / rate);
        let of_bytes = self.plan.bandwidth.map_or(0.0, |rate| f64::from(io.bytes) * 1e9 / rate);
        let start = self.free_ns.max(now.0 as f64);
        self.free_ns = start + of_io.max(of_bytes);
        Nanos(start as u64)
    }

    pub(super) fn latency(&self) -> Nanos {
        self.plan.latency
    }
}

/// Regions whose first read takes longer, as on a volume made from a snapshot.
#[derive(Clone, Debug)]
pub(super) struct FirstTouch {
    touched: HashSet<u64>,
    part: Part,
    pub(super) latency: Nanos,
}

impl FirstTouch {
    pub(super) fn new(latency: Nanos, part: Part) -> FirstTouch {
        FirstTouch { touched: HashSet::new(), part, latency }
    }

    /// Returns the additional time of an I/O for the regions that it is the first to touch.
    #[inline]
    pub(super) fn more(&mut self, io: &Io) -> Nanos {
        let mut fresh = 0;
        for region in pieces(io, REGION).filter(|region| self.part.holds(region * REGION.0)) {
            fresh += u64::from(self.touched.insert(region));
        }
        if io.kind == IoKind::Read { Nanos(self.latency.0 * fresh) } else { Nanos::ZERO }
    }
}

/// A thin volume: reads of blocks never written complete at once, before the meters.
#[derive(Clone, Debug)]
pub(super) struct Thin {
    written: HashSet<u64>,
    part: Part,
    pub(super) latency: Nanos,
}

impl Thin {
    pub(super) fn new(latency: Nanos, part: Part) -> Thin {
        Thin { written: HashSet::new(), part, latency }
    }

    /// Whether an I/O only reads blocks never written; records the blocks that it writes.
    #[inline]
    pub(super) fn is_hole(&mut self, io: &Io) -> bool {
        let part = self.part;
        let mut pieces = pieces(io, ALLOCATED);
        match io.kind {
            IoKind::Read => {
                pieces.all(|piece| part.holds(piece * ALLOCATED.0) && !self.written.contains(&piece))
            }
            IoKind::Write => {
                self.written.extend(pieces);
                false
            }
            IoKind::Trim | IoKind::Flush => false,
        }
    }
}

/// A rotating disk: its outer tracks pass more bytes under the head than its inner ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tracks {
    /// Bytes a second at the first byte.
    pub(super) outer: f64,
    /// Bytes a second at the last byte.
    pub(super) inner: f64,
    pub(super) size: Bytes,
}

impl Tracks {
    /// Returns the bytes a second at `offset`.
    pub(super) fn rate(&self, offset: u64) -> f64 {
        let place = offset as f64 / self.size.0 as f64;
        self.outer + (self.inner - self.outer) * place
    }

    /// Returns the time for the bytes of an I/O.
    pub(super) fn more(&self, io: &Io) -> Nanos {
        Nanos((f64::from(io.bytes) * 1e9 / self.rate(io.offset)) as u64)
    }
}

/// Bytes that cannot be read or written.
#[derive(Clone, Copy, Debug)]
pub(super) struct BadPlace {
    pub(super) offset: Bytes,
    pub(super) length: Bytes,
}

impl BadPlace {
    pub(super) fn holds(&self, io: &Io) -> bool {
        let end = io.offset + u64::from(io.bytes);
        io.offset < self.offset.0 + self.length.0 && end > self.offset.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(kind: IoKind, offset: u64, bytes: u32) -> Io {
        Io { slot: 0, kind, file: 0, offset, bytes, due: Nanos::ZERO }
    }

    fn read(offset: u64) -> Io {
        io(IoKind::Read, offset, 4096)
    }

    fn plain_cache() -> CachePlan {
        let size = Bytes::mib(64);
        CachePlan { size, latency: Nanos(1), iops: None, bandwidth: None, admits: None, holds: Bytes(0) }
    }

    #[test]
    fn what_a_cache_holds_at_first_is_a_hit_and_what_it_does_not_admit_never_is() {
        let admits = Some((0.0, statistics::Stream::new(1, 1)));
        let mut cache = Cache::new(CachePlan { holds: Bytes::mib(1), admits, ..plain_cache() });
        assert!(cache.hits(&read((1 << 20) - 4096)));
        assert!(!cache.hits(&read(1 << 20)) && !cache.hits(&read(1 << 20)));
    }

    #[test]
    fn the_limits_of_a_cache_hold_hits_and_misses_together() {
        let mut cache = Cache::new(CachePlan { iops: Some(1000.0), ..plain_cache() });
        let last = (0..1001).map(|place| cache.passes(Nanos::ZERO, &read(place * 4096))).max();
        assert_eq!(last, Some(Nanos::SECOND));
    }

    #[test]
    fn only_a_part_is_slow_at_first_and_only_a_part_was_never_written() {
        let part = Part::of((Some(Bytes::mib(2)), Some(Bytes::mib(4))));
        let mut touch = FirstTouch::new(Nanos(7), part);
        let slow: Vec<bool> = (0..6).map(|mib| touch.more(&read(mib << 20)) > Nanos::ZERO).collect();
        assert_eq!(slow, [false, false, true, true, false, false]);
        let mut thin = Thin::new(Nanos(1), part);
        let holes: Vec<bool> = (0..6).map(|mib| thin.is_hole(&read(mib << 20))).collect();
        assert_eq!(holes, slow);
    }

    #[test]
    fn inner_tracks_pass_fewer_bytes() {
        let tracks = Tracks { outer: 200e6, inner: 100e6, size: Bytes::gib(1) };
        assert_eq!(tracks.more(&io(IoKind::Read, 0, 1_000_000)), Nanos::from_millis(5));
        assert_eq!(tracks.rate(1 << 29), 150e6);
    }

    #[test]
    fn a_cache_warms_to_the_share_of_the_region_that_fits_it() {
        for (region_mib, share) in [(64u64, 1.0), (128, 0.5)] {
            let mut cache = Cache::new(plain_cache());
            let mut random = statistics::Stream::new(1, 1);
            let mut pass = || {
                let hit = (0..20_000).filter(|_| cache.hits(&read(random.below(region_mib << 8) * 4096)));
                hit.count() as f64 / 20_000.0
            };
            let cold = pass();
            let warm = [pass(), pass()][1];
            assert!(cold < warm && (warm - share).abs() < 0.02, "{region_mib}: {cold} then {warm}");
        }
    }

    #[test]
    fn a_region_is_slow_once() {
        let mut touch = FirstTouch::new(Nanos(7), Part::of((None, None)));
        assert_eq!(touch.more(&read(5 << 20)), Nanos(7));
        assert_eq!(touch.more(&read((5 << 20) + 8192)), Nanos::ZERO);
        assert_eq!(touch.more(&io(IoKind::Read, (6 << 20) - 4096, 8192)), Nanos(7), "half of it is new");
        assert_eq!(touch.more(&io(IoKind::Write, 9 << 20, 4096)), Nanos::ZERO);
        assert_eq!(touch.more(&read(9 << 20)), Nanos::ZERO, "written before");
    }

    #[test]
    fn a_thin_volume_has_holes_until_they_are_written() {
        let mut thin = Thin::new(Nanos(1), Part::of((None, None)));
        assert!(thin.is_hole(&read(0)));
        assert!(!thin.is_hole(&io(IoKind::Write, 4096, 4096)));
        assert!(!thin.is_hole(&read(0)), "the same unit");
        assert!(thin.is_hole(&read(65_536)));
    }

    #[test]
    fn a_bad_place_holds_what_overlaps_it() {
        let bad = BadPlace { offset: Bytes(8192), length: Bytes(4096) };
        assert!(bad.holds(&io(IoKind::Read, 4096, 8192)) && bad.holds(&read(8192)));
        assert!(!bad.holds(&read(4096)) && !bad.holds(&read(12_288)));
    }
}
