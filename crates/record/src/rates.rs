//! Converts two readings of counters to figures for the time between them. Undefined figures are NaN, never a false
//! zero.

use crate::{CpuCounters, CpuMetric, DiskCounters, Metric, Pressure};

/// Bytes per sector in the kernel's counters, regardless of the device's block size (kernel document
/// admin-guide/iostats).
pub const SECTOR: u64 = 512;
/// Modulus of millisecond fields, which the kernel prints with 32 bits.
const WRAP: u64 = 1 << 32;

impl DiskCounters {
    /// Returns the figure between `before` and these counters, taken `seconds` later, in [`Metric::unit`].
    ///
    /// NaN if it is undefined: no time has passed, no I/O of that kind completed (a mean over nothing), or the
    /// device was reset in between (a counter that does not wrap fell). Millisecond fields wrap at 32 bits, which
    /// is corrected. Formulas: kernel document admin-guide/iostats, as iostat applies them.
    pub fn since(&self, before: &DiskCounters, seconds: f64, metric: Metric) -> f64 {
        if metric == Metric::InFlight {
            return self.in_flight as f64;
        }
        if seconds <= 0.0 || self.is_reset(before) {
            return f64::NAN;
        }
        self.beyond(before, seconds, metric)
    }

    /// Like [`DiskCounters::since`], given that time has passed and nothing was reset.
    pub(crate) fn beyond(&self, before: &DiskCounters, seconds: f64, metric: Metric) -> f64 {
        // No single count fell, but sums may saturate: the counters in a file need not come from a kernel.
        let count = |field: fn(&DiskCounters) -> u64| field(self).saturating_sub(field(before)) as f64;
        let rate = |field| count(field) / seconds;
        let bytes = |field| count(field) * SECTOR as f64 / seconds;
        let share = |merged, done| quotient(count(merged), count(merged) + count(done));
        let size = |sectors: fn(&DiskCounters) -> u64, done: fn(&DiskCounters) -> u64| {
            quotient(count(sectors) * SECTOR as f64, count(done))
        };
        let spent = |field: fn(&DiskCounters) -> u64| milliseconds(field(before), field(self)) / 1e3;
        let wait = |ms, done| quotient(spent(ms), count(done));
        match metric {
            Metric::ReadOps => rate(|c| c.reads),
            Metric::WriteOps => rate(|c| c.writes),
            Metric::DiscardOps => rate(|c| c.discards),
            Metric::FlushOps => rate(|c| c.flushes),
            Metric::ReadBytes => bytes(|c| c.sectors_read),
            Metric::WriteBytes => bytes(|c| c.sectors_written),
            Metric::DiscardBytes => bytes(|c| c.sectors_discarded),
            Metric::ReadMerges => rate(|c| c.reads_merged),
            Metric::WriteMerges => rate(|c| c.writes_merged),
            Metric::DiscardMerges => rate(|c| c.discards_merged),
            Metric::ReadMergedShare => share(|c| c.reads_merged, |c| c.reads),
            Metric::WriteMergedShare => share(|c| c.writes_merged, |c| c.writes),
            Metric::DiscardMergedShare => share(|c| c.discards_merged, |c| c.discards),
            Metric::ReadAwait => wait(|c| c.read_ms, |c| c.reads),
            Metric::WriteAwait => wait(|c| c.write_ms, |c| c.writes),
            Metric::DiscardAwait => wait(|c| c.discard_ms, |c| c.discards),
            Metric::FlushAwait => wait(|c| c.flush_ms, |c| c.flushes),
            Metric::ReadSize => size(|c| c.sectors_read, |c| c.reads),
            Metric::WriteSize => size(|c| c.sectors_written, |c| c.writes),
            Metric::DiscardSize => size(|c| c.sectors_discarded, |c| c.discards),
            Metric::QueueDepth => spent(|c| c.queue_ms) / seconds,
            Metric::Busy => spent(|c| c.busy_ms) / seconds,
            Metric::InFlight => self.in_flight as f64,
            Metric::Ops => rate(DiskCounters::done),
            Metric::Bytes => bytes(DiskCounters::sectors),
            Metric::Merges => rate(DiskCounters::merged),
            Metric::Await => {
                let whole = spent(|c| c.read_ms) + spent(|c| c.write_ms) + spent(|c| c.discard_ms);
                quotient(whole, count(DiskCounters::done))
            }
            Metric::Size => size(DiskCounters::sectors, DiskCounters::done),
        }
    }

    /// Returns the completed reads, writes and discards; an unmerged flush counts as a write.
    fn done(&self) -> u64 {
        self.reads.saturating_add(self.writes).saturating_add(self.discards)
    }

    fn merged(&self) -> u64 {
        self.reads_merged.saturating_add(self.writes_merged).saturating_add(self.discards_merged)
    }

    fn sectors(&self) -> u64 {
        self.sectors_read.saturating_add(self.sectors_written).saturating_add(self.sectors_discarded)
    }

    /// Returns the increase from `before` to these counters, field by field; `in_flight` is the later value. `None`
    /// if the device was reset in between.
    pub fn more_than(&self, before: &DiskCounters) -> Option<DiskCounters> {
        if self.is_reset(before) {
            return None;
        }
        let spent = |field: fn(&DiskCounters) -> u64| milliseconds(field(before), field(self)) as u64;
        Some(DiskCounters {
            reads: self.reads - before.reads,
            reads_merged: self.reads_merged - before.reads_merged,
            sectors_read: self.sectors_read - before.sectors_read,
            read_ms: spent(|c| c.read_ms),
            writes: self.writes - before.writes,
            writes_merged: self.writes_merged - before.writes_merged,
            sectors_written: self.sectors_written - before.sectors_written,
            write_ms: spent(|c| c.write_ms),
            in_flight: self.in_flight,
            busy_ms: spent(|c| c.busy_ms),
            queue_ms: spent(|c| c.queue_ms),
            discards: self.discards - before.discards,
            discards_merged: self.discards_merged - before.discards_merged,
            sectors_discarded: self.sectors_discarded - before.sectors_discarded,
            discard_ms: spent(|c| c.discard_ms),
            flushes: self.flushes - before.flushes,
            flush_ms: spent(|c| c.flush_ms),
        })
    }

    /// Whether a counter of operations, merges or sectors fell: the device was removed and added again, or created
    /// anew.
    pub fn is_reset(&self, before: &DiskCounters) -> bool {
        self.counts().iter().zip(before.counts()).any(|(now, then)| *now < then)
    }

    /// Returns the fields that only increase while the device exists.
    fn counts(&self) -> [u64; 10] {
        [
            self.reads,
            self.reads_merged,
            self.sectors_read,
            self.writes,
            self.writes_merged,
            self.sectors_written,
            self.discards,
            self.discards_merged,
            self.sectors_discarded,
            self.flushes,
        ]
    }
}

impl CpuCounters {
    /// Returns the share (0 to 1) of the time of all CPUs between `before` and these counters; NaN if no time has
    /// passed. A counter that fell (guest and iowait may) counts as zero.
    pub fn since(&self, before: &CpuCounters, metric: CpuMetric) -> f64 {
        let (now, then) = (self.parts(), before.parts());
        let more = |index: usize| now[index].saturating_sub(then[index]) as f64;
        let total: f64 = (0..now.len()).map(more).sum();
        quotient(more(metric as usize), total)
    }

    /// Returns the ticks in the order of [`CpuMetric::ALL`].
    fn parts(&self) -> [u64; 6] {
        let system = self.system.saturating_add(self.irq).saturating_add(self.softirq);
        [self.idle, system, self.user, self.nice, self.iowait, self.steal]
    }
}

impl Pressure {
    /// Returns the shares (0 to 1) of the `seconds` between `before` and these readings in which some task waited,
    /// and in which every task did; NaN if no time has passed.
    pub fn since(&self, before: &Pressure, seconds: f64) -> (f64, f64) {
        let share = |before: u64, now: u64| quotient(now.saturating_sub(before) as f64, seconds * 1e6);
        (share(before.some_us, self.some_us), share(before.full_us, self.full_us))
    }
}

/// Returns the quotient, or NaN if `whole` is not positive.
fn quotient(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { f64::NAN }
}

/// Returns the milliseconds between two readings of a field that wraps at 32 bits.
fn milliseconds(before: u64, after: u64) -> f64 {
    match after.checked_sub(before) {
        Some(more) => more as f64,
        None => ((after % WRAP) + WRAP - (before % WRAP)) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_millisecond_field_goes_on_and_a_fallen_count_says_nothing() {
        let before = DiskCounters {
            reads: 900,
            read_ms: 4_294_967_000,
            queue_ms: 4_294_967_000,
            ..Default::default()
        };
        let after = DiskCounters {
            reads: 1000,
            read_ms: 204,
            queue_ms: 1204,
            sectors_read: 800,
            ..Default::default()
        };
        let value = |metric| after.since(&before, 2.0, metric);
        assert_eq!(value(Metric::ReadOps), 50.0);
        assert_eq!(value(Metric::ReadAwait), 0.005);
        assert_eq!(value(Metric::QueueDepth), 0.75);
        assert_eq!(value(Metric::ReadSize), 4096.0);
        assert!(value(Metric::WriteAwait).is_nan(), "a mean of no writes");
        assert_eq!(value(Metric::WriteOps), 0.0);
        let all = [Metric::Ops, Metric::Bytes, Metric::Merges, Metric::Await, Metric::Size].map(value);
        assert_eq!(all, [50.0, 204_800.0, 0.0, 0.005, 4096.0], "all directions together");
        let reset = DiskCounters { reads: 800, ..after };
        assert!(
            Metric::all().filter(|m| *m != Metric::InFlight).all(|m| reset.since(&before, 2.0, m).is_nan())
        );
    }

    #[test]
    fn counters_that_no_kernel_has_overflow_nothing() {
        let most = u64::MAX;
        let before = DiskCounters { reads: most - 9, writes: most - 9, queue_ms: most, ..Default::default() };
        let after =
            DiskCounters { reads: most, writes: most, sectors_read: most, sectors_written: most, ..before };
        for metric in Metric::all() {
            let _ = after.since(&before, 1.0, metric);
        }
        assert_eq!(after.since(&before, 1.0, Metric::ReadOps), 9.0);
        let cpu = CpuCounters { system: most, irq: most, softirq: most, ..Default::default() };
        assert_eq!(cpu.since(&CpuCounters::default(), CpuMetric::System), 1.0);
    }

    #[test]
    fn shares_of_the_cpus_add_up_to_one() {
        let before = CpuCounters { user: 10, idle: 80, iowait: 9, ..Default::default() };
        let after = CpuCounters {
            user: 40,
            idle: 120,
            iowait: 5,
            irq: 10,
            softirq: 10,
            system: 10,
            ..Default::default()
        };
        let sum: f64 = CpuMetric::ALL.iter().map(|&metric| after.since(&before, metric)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        assert_eq!(after.since(&before, CpuMetric::System), 0.3);
        assert!(after.since(&after, CpuMetric::Idle).is_nan());
    }
}
