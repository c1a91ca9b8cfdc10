//! Differences and rates of one device between two readings, as iostat reckons them.
//!
//! Rates are per second over the interval in hundredths of a second. Milliseconds are counters of 32 bits; the others have
//! 64 bits, and where one of these falls it was reset: what depends on it is not known.

use record::DiskCounters;

/// Differences of the counters of one device, or of a group; `None` where a counter was reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Differences {
    pub(super) reads: Option<f64>,
    pub(super) reads_merged: Option<f64>,
    pub(super) sectors_read: Option<f64>,
    pub(super) read_ms: f64,
    pub(super) writes: Option<f64>,
    pub(super) writes_merged: Option<f64>,
    pub(super) sectors_written: Option<f64>,
    pub(super) write_ms: f64,
    pub(super) discards: Option<f64>,
    pub(super) discards_merged: Option<f64>,
    pub(super) sectors_discarded: Option<f64>,
    pub(super) discard_ms: f64,
    pub(super) flushes: Option<f64>,
    pub(super) flush_ms: f64,
    pub(super) busy_ms: f64,
    pub(super) queue_ms: f64,
    /// Members of a group; 1 for a device.
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

impl Differences {
    /// What happened between `then` and `now`.
    pub(super) fn between(then: &DiskCounters, now: &DiskCounters) -> Differences {
        let wide = |then: u64, now: u64| now.checked_sub(then).map(|difference| difference as f64);
        let narrow = |then: u64, now: u64| f64::from((now as u32).wrapping_sub(then as u32));
        Differences {
            reads: wide(then.reads, now.reads),
            reads_merged: wide(then.reads_merged, now.reads_merged),
            sectors_read: wide(then.sectors_read, now.sectors_read),
            read_ms: narrow(then.read_ms, now.read_ms),
            writes: wide(then.writes, now.writes),
            writes_merged: wide(then.writes_merged, now.writes_merged),
            sectors_written: wide(then.sectors_written, now.sectors_written),
            write_ms: narrow(then.write_ms, now.write_ms),
            discards: wide(then.discards, now.discards),
            discards_merged: wide(then.discards_merged, now.discards_merged),
            sectors_discarded: wide(then.sectors_discarded, now.sectors_discarded),
            discard_ms: narrow(then.discard_ms, now.discard_ms),
            flushes: wide(then.flushes, now.flushes),
            flush_ms: narrow(then.flush_ms, now.flush_ms),
            busy_ms: narrow(then.busy_ms, now.busy_ms),
            queue_ms: narrow(then.queue_ms, now.queue_ms),
            members: 1.0,
        }
    }

    /// Adds a member of a group.
    pub(super) fn add(&mut self, other: &Differences) {
        let wide = [
            (&mut self.reads, other.reads),
            (&mut self.reads_merged, other.reads_merged),
            (&mut self.sectors_read, other.sectors_read),
            (&mut self.writes, other.writes),
            (&mut self.writes_merged, other.writes_merged),
            (&mut self.sectors_written, other.sectors_written),
            (&mut self.discards, other.discards),
            (&mut self.discards_merged, other.discards_merged),
            (&mut self.sectors_discarded, other.sectors_discarded),
            (&mut self.flushes, other.flushes),
        ];
        for (mine, theirs) in wide {
            *mine = mine.zip(theirs).map(|(mine, theirs)| mine + theirs);
        }
        let narrow = [
            (&mut self.read_ms, other.read_ms),
            (&mut self.write_ms, other.write_ms),
            (&mut self.discard_ms, other.discard_ms),
            (&mut self.flush_ms, other.flush_ms),
            (&mut self.busy_ms, other.busy_ms),
            (&mut self.queue_ms, other.queue_ms),
            (&mut self.members, other.members),
        ];
        for (mine, theirs) in narrow {
            *mine = within_32_bits(*mine + theirs);
        }
    }

    /// Milliseconds that reads, writes and discards took.
    pub(super) fn wait_ms(&self) -> f64 {
        within_32_bits(self.read_ms + self.write_ms + self.discard_ms)
    }

    /// A group without members.
    pub(super) fn nothing() -> Differences {
        let none = DiskCounters::default();
        Differences { members: 0.0, ..Differences::between(&none, &none) }
    }

    /// Reads, writes and discards.
    pub(super) fn ios(&self) -> Option<f64> {
        Some(self.reads? + self.writes? + self.discards?)
    }

    /// Sectors of all directions.
    pub(super) fn sectors(&self) -> Option<f64> {
        Some(self.sectors_read? + self.sectors_written? + self.sectors_discarded?)
    }

    /// True where nothing was done.
    pub(super) fn is_idle(&self) -> bool {
        self.ios() == Some(0.0) && self.flushes == Some(0.0)
    }
}

/// iostat adds milliseconds up in 32 bits.
fn within_32_bits(sum: f64) -> f64 {
    sum % 4_294_967_296.0
}

/// `part / whole`, 0 where there is no whole.
pub(super) fn ratio(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (part, whole) = (part?, whole?);
    Some(if whole == 0.0 { 0.0 } else { part / whole })
}
