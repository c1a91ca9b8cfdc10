//! The exposed metric families: one row each, with name, help, unit and the source of the value. Names follow the
//! conventions of Prometheus: base units, and `_total` at the end of counters.

use record::{DiskCounters, Distribution};
use workload::Direction;

use crate::counted::{Load, Machine, RunCounters};

/// Bytes of a sector in `/proc/diskstats`, regardless of the device's sector size.
const SECTOR: u64 = 512;

/// Type of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A total that only increases.
    Counter,
    /// A momentary value.
    Gauge,
    /// Counts by latency.
    Histogram,
}

/// The description of a family, as documentation and exposition give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyWords {
    /// The name used in queries.
    pub name: &'static str,
    /// Help text: the counted quantity.
    pub help: &'static str,
    /// Type of the family.
    pub form: Form,
    /// Unit of the values in UCUM notation: `s`, `By`, `1`.
    pub unit: &'static str,
    /// Labels that distinguish the values.
    pub labels: &'static [&'static str],
}

/// A family with its current values.
pub(crate) struct Family<'c> {
    pub(crate) words: FamilyWords,
    pub(crate) points: Vec<Point<'c>>,
}

pub(crate) struct Point<'c> {
    pub(crate) labels: Vec<(&'static str, &'c str)>,
    pub(crate) value: Value<'c>,
}

#[derive(Clone, Copy)]
pub(crate) enum Value<'c> {
    Number(f64),
    /// A distribution of latencies, and their sum in seconds.
    Latency(&'c Distribution, f64),
}

/// Source of the values of a row.
enum Source {
    Device(fn(&DiskCounters) -> f64),
    Machine(fn(&Machine) -> Option<f64>),
    Load(fn(&Load) -> f64),
    Latency,
    Steps,
    Step,
}

struct Row {
    words: FamilyWords,
    source: Source,
}

const fn row(name: &'static str, measure: Measure, help: &'static str, source: Source) -> Row {
    let labels: &'static [&'static str] = match source {
        Source::Device(_) => &["device"],
        Source::Load(_) | Source::Latency => &["job_name", "direction"],
        Source::Step => &["step"],
        Source::Machine(_) | Source::Steps => &[],
    };
    let Measure { form, unit } = measure;
    Row { words: FamilyWords { name, help, form, unit, labels }, source }
}

/// Type and unit of the values of a row.
struct Measure {
    form: Form,
    unit: &'static str,
}

const COUNT: Measure = Measure { form: Form::Counter, unit: "1" };
const BYTES: Measure = Measure { form: Form::Counter, unit: "By" };
const SECONDS: Measure = Measure { form: Form::Counter, unit: "s" };
const NOW: Measure = Measure { form: Form::Gauge, unit: "1" };
const LATENCY: Measure = Measure { form: Form::Histogram, unit: "s" };

const fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1e3
}

/// Every family, in the order of exposition; one row a line, so that it reads as a table.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("plimsoll_device_reads_completed_total", COUNT, "Reads that the device has completed (diskstats field 1).", Source::Device(|d| d.reads as f64)),
    row("plimsoll_device_reads_merged_total", COUNT, "Reads that were merged into others before they were issued.", Source::Device(|d| d.reads_merged as f64)),
    row("plimsoll_device_read_bytes_total", BYTES, "Bytes read from the device.", Source::Device(|d| (d.sectors_read * SECTOR) as f64)),
    row("plimsoll_device_read_time_seconds_total", SECONDS, "Time of all reads, each from the queue to its end.", Source::Device(|d| seconds(d.read_ms))),
    row("plimsoll_device_writes_completed_total", COUNT, "Writes that the device has completed (diskstats field 5).", Source::Device(|d| d.writes as f64)),
    row("plimsoll_device_writes_merged_total", COUNT, "Writes that were merged into others before they were issued.", Source::Device(|d| d.writes_merged as f64)),
    row("plimsoll_device_written_bytes_total", BYTES, "Bytes written to the device.", Source::Device(|d| (d.sectors_written * SECTOR) as f64)),
    row("plimsoll_device_write_time_seconds_total", SECONDS, "Time of all writes, each from the queue to its end.", Source::Device(|d| seconds(d.write_ms))),
    row("plimsoll_device_discards_completed_total", COUNT, "Discards that the device has completed.", Source::Device(|d| d.discards as f64)),
    row("plimsoll_device_discarded_bytes_total", BYTES, "Bytes given back to the device.", Source::Device(|d| (d.sectors_discarded * SECTOR) as f64)),
    row("plimsoll_device_flushes_completed_total", COUNT, "Flushes that the device has completed.", Source::Device(|d| d.flushes as f64)),
    row("plimsoll_device_flush_time_seconds_total", SECONDS, "Time of all flushes.", Source::Device(|d| seconds(d.flush_ms))),
    row("plimsoll_device_in_flight", NOW, "I/Os that the device has been given and not completed.", Source::Device(|d| d.in_flight as f64)),
    row("plimsoll_device_busy_seconds_total", SECONDS, "Time in which the device had any I/O; its rate is iostat's %util.", Source::Device(|d| seconds(d.busy_ms))),
    row("plimsoll_device_queue_seconds_total", SECONDS, "Time of all I/Os in the device's queue; its rate is iostat's aqu-sz.", Source::Device(|d| seconds(d.queue_ms))),
    row("plimsoll_machine_io_pressure_some_seconds_total", SECONDS, "Time in which a task waited for I/O (/proc/pressure/io).", Source::Machine(|m| m.pressure.map(|p| p.some_us as f64 / 1e6))),
    row("plimsoll_machine_io_pressure_full_seconds_total", SECONDS, "Time in which every task that was not idle waited for I/O.", Source::Machine(|m| m.pressure.map(|p| p.full_us as f64 / 1e6))),
    row("plimsoll_machine_iowait_seconds_total", SECONDS, "Time of all processors that were idle while I/O was in flight.", Source::Machine(|m| Some(m.iowait as f64 / 100.0))),
    row("plimsoll_machine_blocked_tasks", NOW, "Tasks that waited for I/O when it was looked.", Source::Machine(|m| Some(f64::from(m.blocked)))),
    row("plimsoll_job_operations_total", COUNT, "I/Os of this load that came back, ramps included.", Source::Load(|l| l.operations as f64)),
    row("plimsoll_job_bytes_total", BYTES, "Bytes that they moved.", Source::Load(|l| l.bytes as f64)),
    row("plimsoll_job_errors_total", COUNT, "I/Os of this load that failed.", Source::Load(|l| l.errors as f64)),
    row("plimsoll_job_latency_seconds", LATENCY, "Latency of this load's I/Os, from when each was due to its end.", Source::Latency),
    row("plimsoll_steps_started_total", COUNT, "Steps that have begun.", Source::Steps),
    row("plimsoll_step_info", NOW, "The step that runs, as a label; always 1.", Source::Step),
];

/// Returns the description of every family, in the order of exposition.
pub fn words() -> impl Iterator<Item = FamilyWords> {
    ROWS.iter().map(|row| row.words)
}

/// Returns the families that currently have a value.
pub(crate) fn families(counted: &RunCounters) -> impl Iterator<Item = Family<'_>> {
    let family = move |row: &'static Row| Family { words: row.words, points: points(&row.source, counted) };
    ROWS.iter().map(family).filter(|family| !family.points.is_empty())
}

fn points<'c>(source: &Source, counted: &'c RunCounters) -> Vec<Point<'c>> {
    let number = |labels, value| Point { labels, value: Value::Number(value) };
    let machine = counted.machine.as_ref();
    match source {
        Source::Device(read) => {
            let disks = machine.map(|machine| machine.disks.as_slice()).unwrap_or_default();
            disks.iter().map(|(name, disk)| number(vec![("device", &**name)], read(disk))).collect()
        }
        Source::Machine(read) => {
            machine.and_then(read).map(|value| number(Vec::new(), value)).into_iter().collect()
        }
        Source::Load(read) => loads(counted, &|load| Value::Number(read(load))),
        Source::Latency => {
            loads(counted, &|load| Value::Latency(&load.latency, load.latency_ns_sum as f64 / 1e9))
        }
        Source::Steps => {
            (counted.steps > 0).then(|| number(Vec::new(), counted.steps as f64)).into_iter().collect()
        }
        Source::Step => {
            let step = counted.step.as_str();
            (!step.is_empty()).then(|| number(vec![("step", step)], 1.0)).into_iter().collect()
        }
    }
}

fn loads<'c>(counted: &'c RunCounters, value: &dyn Fn(&'c Load) -> Value<'c>) -> Vec<Point<'c>> {
    let point = |((job, direction), load): (&'c (std::sync::Arc<str>, usize), &'c Load)| Point {
        labels: vec![("job_name", &**job), ("direction", Direction::ALL[*direction].name())],
        value: value(load),
    };
    counted.loads.iter().map(point).collect()
}
