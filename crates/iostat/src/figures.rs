//! Differences and rates of one device between two readings, as iostat calculates them.
//!
//! Rates are per second over the interval, which is in hundredths of a second. Milliseconds are 32-bit counters, the
//! others 64-bit; a 64-bit counter that decreased has been reset, and figures that depend on it are unknown.

use record::DiskCounters;

/// Differences of the counters of one direction; `None` if a counter was reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Way {
    pub(super) ios: Option<f64>,
    pub(super) merged: Option<f64>,
    pub(super) sectors: Option<f64>,
    pub(super) ms: f64,
}

/// Differences of the counters of one device, or of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Differences {
    pub(super) read: Way,
    pub(super) write: Way,
    pub(super) discard: Way,
    pub(super) flush: Way,
    pub(super) busy_ms: f64,
    pub(super) queue_ms: f64,
    /// Number of members of a group; 1 for a device.
    pub(super) members: f64,
}

/// The counters before `now`; zeros for a device that is new or was plugged in again.
pub(super) fn before(now: &DiskCounters, before: Option<&DiskCounters>) -> DiskCounters {
    let ios = |c: &DiskCounters| u128::from(c.reads) + u128::from(c.writes) + u128::from(c.discards);
    let fell = |before: &DiskCounters| {
        ios(now) < ios(before)
            && now.sectors_read <= before.sectors_read
            && now.sectors_written <= before.sectors_written
            && now.sectors_discarded <= before.sectors_discarded
    };
    before.copied().filter(|before| !fell(before)).unwrap_or_default()
}

impl Way {
    /// Differences of counters given in the order of the fields.
    fn between(then: [u64; 4], now: [u64; 4]) -> Way {
        let wide = |at: usize| now[at].checked_sub(then[at]).map(|difference| difference as f64);
        Way { ios: wide(0), merged: wide(1), sectors: wide(2), ms: narrow(then[3], now[3]) }
    }

    fn add(&mut self, other: &Way) {
        let sum = |mine: Option<f64>, theirs: Option<f64>| Some(mine? + theirs?);
        self.ios = sum(self.ios, other.ios);
        self.merged = sum(self.merged, other.merged);
        self.sectors = sum(self.sectors, other.sectors);
        self.ms = within_32_bits(self.ms + other.ms);
    }
}

impl Differences {
    /// Differences between `then` and `now`.
    pub(super) fn between(then: &DiskCounters, now: &DiskCounters) -> Differences {
        let way = |of: fn(&DiskCounters) -> [u64; 4]| Way::between(of(then), of(now));
        Differences {
            read: way(|c| [c.reads, c.reads_merged, c.sectors_read, c.read_ms]),
            write: way(|c| [c.writes, c.writes_merged, c.sectors_written, c.write_ms]),
            discard: way(|c| [c.discards, c.discards_merged, c.sectors_discarded, c.discard_ms]),
            flush: way(|c| [c.flushes, 0, 0, c.flush_ms]),
            busy_ms: narrow(then.busy_ms, now.busy_ms),
            queue_ms: narrow(then.queue_ms, now.queue_ms),
            members: 1.0,
        }
    }

    /// Adds a member of a group.
    pub(super) fn add(&mut self, other: &Differences) {
        self.read.add(&other.read);
        self.write.add(&other.write);
        self.discard.add(&other.discard);
        self.flush.add(&other.flush);
        self.busy_ms = within_32_bits(self.busy_ms + other.busy_ms);
        self.queue_ms = within_32_bits(self.queue_ms + other.queue_ms);
        self.members += other.members;
    }

    /// Milliseconds that reads, writes and discards took.
    pub(super) fn wait_ms(&self) -> f64 {
        within_32_bits(self.read.ms + self.write.ms + self.discard.ms)
    }

    /// Returns a group without members.
    pub(super) fn nothing() -> Differences {
        let none = DiskCounters::default();
        Differences { members: 0.0, ..Differences::between(&none, &none) }
    }

    /// Number of reads, writes and discards; `None` if a counter was reset.
    pub(super) fn ios(&self) -> Option<f64> {
        Some(self.read.ios? + self.write.ios? + self.discard.ios?)
    }

    /// Sectors of all directions; `None` if a counter was reset.
    pub(super) fn sectors(&self) -> Option<f64> {
        Some(self.read.sectors? + self.write.sectors? + self.discard.sectors?)
    }

    /// Whether there was no I/O.
    pub(super) fn is_idle(&self) -> bool {
        self.ios() == Some(0.0) && self.flush.ios == Some(0.0)
    }
}

/// Difference of milliseconds, which are 32-bit counters.
fn narrow(then: u64, now: u64) -> f64 {
    f64::from((now as u32).wrapping_sub(then as u32))
}

/// Wraps a sum of milliseconds as iostat does, which adds in 32 bits.
fn within_32_bits(sum: f64) -> f64 {
    sum % 4_294_967_296.0
}

/// `part / whole`, or 0 if the whole is 0.
pub(super) fn ratio(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (part, whole) = (part?, whole?);
    Some(if whole == 0.0 { 0.0 } else { part / whole })
}
