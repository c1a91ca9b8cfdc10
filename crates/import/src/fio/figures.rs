//! Figures that fio's JSON and its terse lines share: JSON key, name, unit, and factor.

use record::ReportedUnit::{self, BytesPerSecond, Count, Nanoseconds, PerSecond, Percent};
use record::{ReportedError, ReportedPart};
use workload::Nanos;

use super::super::quantity;

/// One figure: JSON key, name, unit, and the factor from fio's unit.
pub(super) type Row = (&'static str, &'static str, ReportedUnit, f64);

/// fio's samples of bandwidth and rate, in the order of a terse line.
pub(super) const SAMPLES: [Row; 11] = [
    ("bw_min", "bandwidth.min", BytesPerSecond, 1024.0),
    ("bw_max", "bandwidth.max", BytesPerSecond, 1024.0),
    ("bw_agg", "bandwidth.share", Percent, 1.0),
    ("bw_mean", "bandwidth.mean", BytesPerSecond, 1024.0),
    ("bw_dev", "bandwidth.stddev", BytesPerSecond, 1024.0),
    ("bw_samples", "bandwidth.samples", Count, 1.0),
    ("iops_min", "iops.min", PerSecond, 1.0),
    ("iops_max", "iops.max", PerSecond, 1.0),
    ("iops_mean", "iops.mean", PerSecond, 1.0),
    ("iops_stddev", "iops.stddev", PerSecond, 1.0),
    ("iops_samples", "iops.samples", Count, 1.0),
];

/// Counters of a device.
pub(super) const DISK: [Row; 11] = [
    ("read_ios", "ios.read", Count, 1.0),
    ("write_ios", "ios.write", Count, 1.0),
    ("read_sectors", "sectors.read", Count, 1.0),
    ("write_sectors", "sectors.write", Count, 1.0),
    ("read_merges", "merges.read", Count, 1.0),
    ("write_merges", "merges.write", Count, 1.0),
    ("write_merge", "merges.write", Count, 1.0),
    ("read_ticks", "time.read", Nanoseconds, 1e6),
    ("write_ticks", "time.write", Nanoseconds, 1e6),
    ("in_queue", "queue_time", Nanoseconds, 1e6),
    ("util", "utilisation", Percent, 1.0),
];

/// Returns the rows of [`DISK`] in a terse line, in its order: without the later ones and JSON's second spelling.
pub(super) fn disk_of_terse() -> impl Iterator<Item = Row> {
    DISK.into_iter().filter(|(key, ..)| !key.ends_with("sectors") && *key != "write_merge")
}

/// A job's use of the CPU.
pub(super) const CPU: [Row; 5] = [
    ("usr_cpu", "cpu.user", Percent, 1.0),
    ("sys_cpu", "cpu.system", Percent, 1.0),
    ("ctx", "cpu.context_switches", Count, 1.0),
    ("majf", "cpu.major_faults", Count, 1.0),
    ("minf", "cpu.minor_faults", Count, 1.0),
];

/// Returns the error of a code; `None` for zero.
pub(super) fn error(code: f64) -> Option<ReportedError> {
    (code != 0.0).then(|| ReportedError { code: code as i64, text: String::new() })
}

/// Returns the runtime of a job, which is that of its longest direction.
pub(super) fn longest(part: &ReportedPart) -> Option<Nanos> {
    let runtimes = part.directions.iter().filter_map(|way| way.runtime.as_ref());
    runtimes.map(quantity::nanos).max()
}
