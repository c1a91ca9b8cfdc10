//! Figures of devices and CPUs that are charted and evaluated, with iostat's names.

use serde::{Deserialize, Serialize};

/// A figure of a device over an interval; values are in [`Metric::unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Completed reads.
    ReadOps,
    /// Completed writes.
    WriteOps,
    /// Completed discards.
    DiscardOps,
    /// Completed flushes.
    FlushOps,
    /// Bytes read.
    ReadBytes,
    /// Bytes written.
    WriteBytes,
    /// Bytes discarded.
    DiscardBytes,
    /// Reads merged into others before they were sent.
    ReadMerges,
    /// Writes merged into others before they were sent.
    WriteMerges,
    /// Discards merged into others before they were sent.
    DiscardMerges,
    /// Merged reads as a share of all reads requested.
    ReadMergedShare,
    /// Merged writes as a share of all writes requested.
    WriteMergedShare,
    /// Merged discards as a share of all discards requested.
    DiscardMergedShare,
    /// Mean time a read took, in queue and device together.
    ReadAwait,
    /// Mean time a write took, in queue and device together.
    WriteAwait,
    /// Mean time a discard took, in queue and device together.
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
    /// Share of the time in which at least one request was in flight; it says nothing about limits.
    Busy,
    /// Requests in flight at the end of the interval.
    InFlight,
    /// Completed reads, writes and discards, as in a report without directions.
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

/// A figure of the CPUs: a share of the time of all CPUs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuMetric {
    /// Idle, no I/O outstanding.
    Idle,
    /// Kernel code, including interrupts.
    System,
    /// Programs of normal priority.
    User,
    /// Programs of low priority.
    Nice,
    /// Idle while a task waits for a disk.
    Iowait,
    /// Time taken by the hypervisor.
    Steal,
}

/// Unit of a [`Metric`] or [`CpuMetric`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Events per second.
    PerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// Share from 0 to 1.
    Share,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A number of items.
    Count,
}

/// Metric, its key in the JSON of sysstat 12, and its unit; in the order of declaration.
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
    /// Returns every metric, in the order of declaration.
    pub fn all() -> impl Iterator<Item = Metric> {
        DEVICE.iter().map(|row| row.0)
    }

    /// Returns the metric's key in the JSON of sysstat 12 (`r/s`, `aqu-sz`, `util`), or plimsoll's own `in_flight`,
    /// which sysstat lacks.
    pub fn column(self) -> &'static str {
        DEVICE[self as usize].1
    }

    /// Finds the metric for a key of sysstat 12.
    pub fn of_column(column: &str) -> Option<Metric> {
        DEVICE.iter().find(|row| row.1 == column).map(|row| row.0)
    }

    /// Whether the metric is computed from times (waits, queue depth, busy share), which the kernel may be set not
    /// to keep for a device. It always keeps counts and requests in flight.
    pub fn is_of_times(self) -> bool {
        let waits =
            [Metric::ReadAwait, Metric::WriteAwait, Metric::DiscardAwait, Metric::FlushAwait, Metric::Await];
        waits.contains(&self) || matches!(self, Metric::QueueDepth | Metric::Busy)
    }

    /// Returns the unit of the values: always the base unit (bytes, seconds, shares of 1), regardless of the key.
    pub fn unit(self) -> Unit {
        DEVICE[self as usize].2
    }
}

impl CpuMetric {
    /// Every metric, in the order of declaration, which is also the chart's order.
    pub const ALL: [CpuMetric; 6] = [
        CpuMetric::Idle,
        CpuMetric::System,
        CpuMetric::User,
        CpuMetric::Nice,
        CpuMetric::Iowait,
        CpuMetric::Steal,
    ];

    /// Returns the metric's key in sysstat's JSON.
    pub fn column(self) -> &'static str {
        ["idle", "system", "user", "nice", "iowait", "steal"][self as usize]
    }

    /// Finds the metric for a key of sysstat, or for a column of its text in any generation: `%sys` is that of
    /// iostat up to 6 and of `sar -u ALL`.
    pub fn of_column(column: &str) -> Option<CpuMetric> {
        let word = column.trim_start_matches('%').to_ascii_lowercase();
        let word = match word.as_str() {
            "sys" => "system",
            "usr" => "user",
            word => word,
        };
        CpuMetric::ALL.into_iter().find(|metric| metric.column() == word)
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
