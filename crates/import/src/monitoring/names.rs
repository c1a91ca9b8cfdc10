//! Names under which monitoring systems keep figures of devices, and their meaning, as rows.

use record::{ExceededLimits, Metric};

/// How a kept figure becomes a value of its metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// A counter; its increase a second, times the factor, is the value.
    Counter(f64),
    /// A counter of seconds; its increase is divided by that of the operations.
    Spent,
    /// A momentary value.
    Gauge,
    /// An amount over a period; a second's share is the value.
    Amount,
    /// Seconds of a period that were spent in operations, which divide them.
    SpentAmount,
    /// Seconds of a period without any request; the rest of it is the busy share.
    Idle,
    /// A mean over a period.
    Mean,
}

/// What is kept under a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A figure of the device.
    Of(Metric, Form),
    /// A counter of the seconds for which a limit was exceeded.
    Exceeded(fn(&mut ExceededLimits) -> &mut u64),
}

/// A name, and what it means.
pub(super) type Row = (&'static str, Meaning);

/// Bytes of a sector in the kernel's counters.
const SECTOR: f64 = record::SECTOR as f64;

/// Counters that Prometheus collects: of node_exporter, then of the EBS CSI driver.
#[rustfmt::skip]
pub(super) const COLLECTED: [Row; 28] = {
    use Form::*;
    use Meaning::*;
    use Metric::*;
    [
        ("node_disk_reads_completed_total", Of(ReadOps, Counter(1.0))),
        ("node_disk_writes_completed_total", Of(WriteOps, Counter(1.0))),
        ("node_disk_discards_completed_total", Of(DiscardOps, Counter(1.0))),
        ("node_disk_flush_requests_total", Of(FlushOps, Counter(1.0))),
        ("node_disk_read_bytes_total", Of(ReadBytes, Counter(1.0))),
        ("node_disk_written_bytes_total", Of(WriteBytes, Counter(1.0))),
        ("node_disk_discarded_sectors_total", Of(DiscardBytes, Counter(SECTOR))),
        ("node_disk_reads_merged_total", Of(ReadMerges, Counter(1.0))),
        ("node_disk_writes_merged_total", Of(WriteMerges, Counter(1.0))),
        ("node_disk_discards_merged_total", Of(DiscardMerges, Counter(1.0))),
        ("node_disk_read_time_seconds_total", Of(ReadAwait, Spent)),
        ("node_disk_write_time_seconds_total", Of(WriteAwait, Spent)),
        ("node_disk_discard_time_seconds_total", Of(DiscardAwait, Spent)),
        ("node_disk_flush_requests_time_seconds_total", Of(FlushAwait, Spent)),
        ("node_disk_io_time_seconds_total", Of(Busy, Counter(1.0))),
        ("node_disk_io_time_weighted_seconds_total", Of(QueueDepth, Counter(1.0))),
        ("node_disk_io_now", Of(InFlight, Gauge)),
        ("aws_ebs_csi_read_ops_total", Of(ReadOps, Counter(1.0))),
        ("aws_ebs_csi_write_ops_total", Of(WriteOps, Counter(1.0))),
        ("aws_ebs_csi_read_bytes_total", Of(ReadBytes, Counter(1.0))),
        ("aws_ebs_csi_write_bytes_total", Of(WriteBytes, Counter(1.0))),
        ("aws_ebs_csi_read_seconds_total", Of(ReadAwait, Spent)),
        ("aws_ebs_csi_write_seconds_total", Of(WriteAwait, Spent)),
        ("aws_ebs_csi_volume_queue_length", Of(InFlight, Gauge)),
        ("aws_ebs_csi_exceeded_iops_seconds_total", Exceeded(|limits| &mut limits.volume_iops_us)),
        ("aws_ebs_csi_exceeded_tp_seconds_total", Exceeded(|limits| &mut limits.volume_bytes_us)),
        ("aws_ebs_csi_ec2_exceeded_iops_seconds_total", Exceeded(|limits| &mut limits.instance_iops_us)),
        ("aws_ebs_csi_ec2_exceeded_tp_seconds_total", Exceeded(|limits| &mut limits.instance_bytes_us)),
    ]
};

/// Metrics of an EBS volume in CloudWatch. Amounts are sums over the period; the queue's length is a mean.
pub(super) const OF_VOLUMES: [Row; 8] = {
    use Form::*;
    use Meaning::Of;
    use Metric::*;
    [
        ("VolumeReadOps", Of(ReadOps, Amount)),
        ("VolumeWriteOps", Of(WriteOps, Amount)),
        ("VolumeReadBytes", Of(ReadBytes, Amount)),
        ("VolumeWriteBytes", Of(WriteBytes, Amount)),
        ("VolumeTotalReadTime", Of(ReadAwait, SpentAmount)),
        ("VolumeTotalWriteTime", Of(WriteAwait, SpentAmount)),
        ("VolumeIdleTime", Of(Busy, Idle)),
        ("VolumeQueueLength", Of(QueueDepth, Mean)),
    ]
};

/// Returns the index of a name in [`COLLECTED`].
pub(super) fn collected(name: &str) -> Option<usize> {
    COLLECTED.iter().position(|(known, ..)| *known == name)
}

/// Returns the operations that divide a metric which is a mean over operations.
pub(super) fn divisor(metric: Metric) -> Option<Metric> {
    match metric {
        Metric::ReadAwait => Some(Metric::ReadOps),
        Metric::WriteAwait => Some(Metric::WriteOps),
        Metric::DiscardAwait => Some(Metric::DiscardOps),
        Metric::FlushAwait => Some(Metric::FlushOps),
        _ => None,
    }
}
