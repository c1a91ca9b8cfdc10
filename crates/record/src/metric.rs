//! What is drawn and judged of a device and of the CPUs, by the names that iostat gives it.

use serde::{Deserialize, Serialize};

/// What one figure of a device is about, over an interval. Values are in [`Metric::unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Reads done.
    ReadOps,
    /// Writes done.
    WriteOps,
    /// Discards done.
    DiscardOps,
    /// Flushes done.
    FlushOps,
    /// Bytes read.
    ReadBytes,
    /// Bytes written.
    WriteBytes,
    /// Bytes discarded.
    DiscardBytes,
    /// Reads merged into others before they were sent.
    ReadMerges,
    /// Writes merged into others.
    WriteMerges,
    /// Discards merged into others.
    DiscardMerges,
    /// Merged reads of all reads that were asked for.
    ReadMergedShare,
    /// Merged writes of all.
    WriteMergedShare,
    /// Merged discards of all.
    DiscardMergedShare,
    /// Mean time a read took, queue and device together.
    ReadAwait,
    /// Mean time a write took.
    WriteAwait,
    /// Mean time a discard took.
    DiscardAwait,
    /// Mean time a flush took.
    FlushAwait,
    /// Mean length of a read.
    ReadSize,
    /// Mean length of a write.
    WriteSize,
    /// Mean length of a discard.
    DiscardSize,
    /// Mean number of requests waiting or being served: a count, not bytes.
    QueueDepth,
    /// Share of the time in which at least one request was in flight; says nothing about limits.
    Busy,
    /// Requests in flight at the end of the interval.
    InFlight,
    /// Reads, writes and discards done: what a report without directions tells.
    Ops,
    /// Bytes read, written and discarded.
    Bytes,
    /// Reads, writes and discards merged into others.
    Merges,
    /// Mean time of a read, a write or a discard.
    Await,
    /// Mean length of a read, a write or a discard.
    Size,
}

/// What one figure of the CPUs is about: a share of the time of all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuMetric {
    /// Nothing to do.
    Idle,
    /// In the kernel, interrupts included.
    System,
    /// In programs.
    User,
    /// In programs of low priority.
    Nice,
    /// Idle while a task waits for a disk.
    Iowait,
    /// Taken by the hypervisor.
    Steal,
}

/// Units of [`Metric`] and [`CpuMetric`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A second.
    PerSecond,
    /// Bytes a second.
    BytesPerSecond,
    /// 0 to 1.
    Share,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A number of things.
    Count,
}

/// Metric, the key that sysstat 12 gives it in JSON, unit.
const DEVICE: [(Metric, &str, Unit); 28] = [
    (Metric::ReadOps, "r/s", Unit::PerSecond),
    (Metric::WriteOps, "w/s", Unit::PerSecond),
    (Metric::DiscardOps, "d/s", Unit::PerSecond),
    (Metric::FlushOps, "f/s", Unit::PerSecond),
    (Metric::ReadBytes, "rkB/s", Unit::BytesPerSecond),
    (Metric::WriteBytes, "wkB/s", Unit::BytesPerSecond),
    (Metric::DiscardBytes, "dkB/s", Unit::BytesPerSecond),
    (Metric::ReadMerges, "rrqm/s", Unit::PerSecond),
    (Metric::WriteMerges, "wrqm/s", Unit::PerSecond),
    (Metric::DiscardMerges, "drqm/s", Unit::PerSecond),
    (Metric::ReadMergedShare, "rrqm", Unit::Share),
    (Metric::WriteMergedShare, "wrqm", Unit::Share),
    (Metric::DiscardMergedShare, "drqm", Unit::Share),
    (Metric::ReadAwait, "r_await", Unit::Seconds),
    (Metric::WriteAwait, "w_await", Unit::Seconds),
    (Metric::DiscardAwait, "d_await", Unit::Seconds),
    (Metric::FlushAwait, "f_await", Unit::Seconds),
    (Metric::ReadSize, "rareq-sz", Unit::Bytes),
    (Metric::WriteSize, "wareq-sz", Unit::Bytes),
    (Metric::DiscardSize, "dareq-sz", Unit::Bytes),
    (Metric::QueueDepth, "aqu-sz", Unit::Count),
    (Metric::Busy, "util", Unit::Share),
    (Metric::InFlight, "in_flight", Unit::Count),
    (Metric::Ops, "tps", Unit::PerSecond),
    (Metric::Bytes, "kB/s", Unit::BytesPerSecond),
    (Metric::Merges, "rqm/s", Unit::PerSecond),
    (Metric::Await, "await", Unit::Seconds),
    (Metric::Size, "areq-sz", Unit::Bytes),
];

impl Metric {
    /// Every metric, in the order of declaration.
    pub fn all() -> impl Iterator<Item = Metric> {
        DEVICE.iter().map(|row| row.0)
    }

    /// The key that sysstat 12 gives it (`r/s`, `aqu-sz`, `util`); `in_flight` where it has none.
    pub fn column(self) -> &'static str {
        DEVICE[self as usize].1
    }

    /// The metric of a key of sysstat 12.
    pub fn of_column(column: &str) -> Option<Metric> {
        DEVICE.iter().find(|row| row.1 == column).map(|row| row.0)
    }

    /// Whether it is made of times that the kernel can be told not to keep, as it does for some devices: waits, queue, share
    /// of time in use. Counts are kept all the same, requests in flight too.
    pub fn is_of_times(self) -> bool {
        let waits =
            [Metric::ReadAwait, Metric::WriteAwait, Metric::DiscardAwait, Metric::FlushAwait, Metric::Await];
        waits.contains(&self) || matches!(self, Metric::QueueDepth | Metric::Busy)
    }

    /// What its values are counted in: always the base unit (bytes, seconds, shares of 1), whatever the key says.
    pub fn unit(self) -> Unit {
        DEVICE[self as usize].2
    }
}

impl CpuMetric {
    /// Every metric, in the order of declaration, which is that of the chart.
    pub const ALL: [CpuMetric; 6] = [
        CpuMetric::Idle,
        CpuMetric::System,
        CpuMetric::User,
        CpuMetric::Nice,
        CpuMetric::Iowait,
        CpuMetric::Steal,
    ];

    /// The key that sysstat gives it.
    pub fn column(self) -> &'static str {
        ["idle", "system", "user", "nice", "iowait", "steal"][self as usize]
    }

    /// The metric of a key of sysstat.
    pub fn of_column(column: &str) -> Option<CpuMetric> {
        CpuMetric::ALL.into_iter().find(|metric| metric.column() == column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_stands_in_its_own_row() {
        for (at, metric) in Metric::all().enumerate() {
            assert_eq!(metric as usize, at);
            assert_eq!(Metric::of_column(metric.column()), Some(metric));
        }
        assert!(CpuMetric::ALL.iter().all(|&metric| CpuMetric::of_column(metric.column()) == Some(metric)));
    }
}
