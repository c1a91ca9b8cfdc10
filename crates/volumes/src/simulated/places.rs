//! What depends on where an I/O goes: a cache that warms, regions that are slow at first, blocks never written, bad places.

use std::collections::HashSet;

use workload::{Bytes, Io, IoKind, Nanos};

/// What a cache keeps as one.
pub(super) const LINE: Bytes = Bytes::kib(64);
/// What is slow together the first time.
const REGION: Bytes = Bytes::mib(1);
/// What a thin volume allocates as one.
const ALLOCATED: Bytes = Bytes::kib(64);

/// The numbers of the pieces of `size` that an I/O touches.
fn pieces(io: &Io, size: Bytes) -> std::ops::RangeInclusive<u64> {
    let last = io.offset + u64::from(io.bytes.max(1)) - 1;
    io.offset / size.0..=last / size.0
}

/// A cache before the meters, of lines that lie at their number modulo its size: a region that fits it is served wholly from it
/// once it was read, of a larger one the share that fits.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// Number of the line that lies in each place, and 1; 0 where none does.
    lines: Vec<u32>,
    pub(super) latency: Nanos,
}

impl Cache {
    pub(super) fn new(size: Bytes, latency: Nanos) -> Cache {
        Cache { lines: vec![0; (size.0 / LINE.0) as usize], latency }
    }

    /// Whether all of a read lies in the cache; what was touched lies there afterwards.
    #[inline]
    pub(super) fn hits(&mut self, io: &Io) -> bool {
        let places = self.lines.len() as u64;
        let mut all = true;
        for line in pieces(io, LINE) {
            let place = &mut self.lines[(line % places) as usize];
            all &= *place == line as u32 + 1;
            *place = line as u32 + 1;
        }
        all && io.kind == IoKind::Read
    }
}

/// Regions whose first read takes longer, as of a volume made from a snapshot.
#[derive(Clone, Debug)]
pub(super) struct FirstTouch {
    touched: HashSet<u64>,
    pub(super) latency: Nanos,
}

impl FirstTouch {
    pub(super) fn new(latency: Nanos) -> FirstTouch {
        FirstTouch { touched: HashSet::new(), latency }
    }

    /// What an I/O takes more because of the regions that it is the first to touch.
    #[inline]
    pub(super) fn more(&mut self, io: &Io) -> Nanos {
        let mut fresh = 0;
        for region in pieces(io, REGION) {
            fresh += u64::from(self.touched.insert(region));
        }
        if io.kind == IoKind::Read { Nanos(self.latency.0 * fresh) } else { Nanos::ZERO }
    }
}

/// A thin volume: what was never written is answered at once, past the meters.
#[derive(Clone, Debug)]
pub(super) struct Thin {
    written: HashSet<u64>,
    pub(super) latency: Nanos,
}

impl Thin {
    pub(super) fn new(latency: Nanos) -> Thin {
        Thin { written: HashSet::new(), latency }
    }

    /// Whether an I/O is a read of nothing; a write makes something of it.
    #[inline]
    pub(super) fn is_hole(&mut self, io: &Io) -> bool {
        let mut pieces = pieces(io, ALLOCATED);
        match io.kind {
            IoKind::Read => pieces.all(|piece| !self.written.contains(&piece)),
            IoKind::Write => {
                self.written.extend(pieces);
                false
            }
            IoKind::Trim | IoKind::Flush => false,
        }
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

    #[test]
    fn a_cache_warms_to_the_share_of_the_region_that_fits_it() {
        for (region_mib, share) in [(64u64, 1.0), (128, 0.5)] {
            let mut cache = Cache::new(Bytes::mib(64), Nanos(1));
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
        let mut touch = FirstTouch::new(Nanos(7));
        assert_eq!(touch.more(&read(5 << 20)), Nanos(7));
        assert_eq!(touch.more(&read((5 << 20) + 8192)), Nanos::ZERO);
        assert_eq!(touch.more(&io(IoKind::Read, (6 << 20) - 4096, 8192)), Nanos(7), "half of it is new");
        assert_eq!(touch.more(&io(IoKind::Write, 9 << 20, 4096)), Nanos::ZERO);
        assert_eq!(touch.more(&read(9 << 20)), Nanos::ZERO, "written before");
    }

    #[test]
    fn a_thin_volume_has_holes_until_they_are_written() {
        let mut thin = Thin::new(Nanos(1));
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
