//! Raw counters of devices, under the names that the run file gives them.

use record::{DiskCounters, Run, Sample};

use crate::table::{Column, text, whole};

/// A counter: its name, its unit, and how it is read from a sample.
type Counter = (&'static str, &'static str, fn(&DiskCounters) -> u64);

/// Fields of `/proc/diskstats`, in their order.
const COUNTERS: [Counter; 17] = [
    ("reads", "", |of| of.reads),
    ("reads_merged", "", |of| of.reads_merged),
    ("sectors_read", "512 B", |of| of.sectors_read),
    ("read_ms", "ms", |of| of.read_ms),
    ("writes", "", |of| of.writes),
    ("writes_merged", "", |of| of.writes_merged),
    ("sectors_written", "512 B", |of| of.sectors_written),
    ("write_ms", "ms", |of| of.write_ms),
    ("in_flight", "", |of| of.in_flight),
    ("busy_ms", "ms", |of| of.busy_ms),
    ("queue_ms", "ms", |of| of.queue_ms),
    ("discards", "", |of| of.discards),
    ("discards_merged", "", |of| of.discards_merged),
    ("sectors_discarded", "512 B", |of| of.sectors_discarded),
    ("discard_ms", "ms", |of| of.discard_ms),
    ("flushes", "", |of| of.flushes),
    ("flush_ms", "ms", |of| of.flush_ms),
];

/// Returns the columns of the raw counters: one row for each sample and device.
pub(crate) fn counter_columns(run: &Run) -> Vec<Column> {
    let rows: Vec<(&Sample, &str, &DiskCounters)> = run
        .samples
        .iter()
        .flat_map(|sample| sample.disks.iter().map(move |(name, counters)| (sample, name.as_ref(), counters)))
        .collect();
    let mut columns = vec![
        whole(("at_ns", "ns"), &rows, |row| Some(row.0.at.0)),
        whole(("wall_unix_ms", "ms"), &rows, |row| Some(row.0.wall_unix_ms).filter(|&time| time > 0)),
        text("device", &rows, |row| Some(row.1.to_owned())),
    ];
    columns.extend(COUNTERS.iter().map(|(name, unit, of)| whole((name, unit), &rows, |row| Some(of(row.2)))));
    columns
}
