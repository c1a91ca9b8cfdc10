//! Charts of the machine's own counters during the run: CPU and devices.

use record::{CpuMetric, DiskCounters, Interval, Metric, Recording, Run, SECTOR, Sample};
use workload::Direction;

use super::axis::Axis;
use super::chart::Chart;
use super::ink::Ink;
use super::over_time::{Clock, TimeChart, merged, thinned};
use super::panel::{Line, Panel, Side};
use crate::words::Table;
use crate::words::numbers;

/// Clock ticks of `/proc/stat` in a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the CPU share of the whole machine, of this process, and of steal by the hypervisor; `None` without
/// samples.
pub fn cpu(run: &Run) -> Option<Chart> {
    let lines = vec![
        line(run, "whole machine", Ink::Write, each(run, busy_percent)),
        line(run, "taken by the hypervisor", Ink::Flush, each(run, steal_percent)),
        line(run, "plimsoll", Ink::Read, each(run, own_percent)),
    ];
    let y = Side::new("share of all CPUs (%)", Axis::linear(0.0, 100.0, 4, numbers::count));
    let mut table = Table::headed(&["from", "to", "whole machine", "hypervisor", "plimsoll"]);
    if let (Some(first), Some(last)) = (run.samples.first(), run.samples.last()) {
        let percent = |share: f64| {
            if share.is_finite() { numbers::share(share / 100.0) } else { numbers::UNKNOWN.to_owned() }
        };
        table.rows.push(vec![
            numbers::span(first.at.as_secs_f64()),
            numbers::span(last.at.as_secs_f64()),
            percent(busy_percent(first, last)),
            percent(steal_percent(first, last)),
            percent(own_percent(first, last)),
        ]);
    }
    chart(run, "CPU of the machine against time", y, lines)?.chart(run, table)
}

/// Returns the operations counted by the target's own device beside plimsoll's own. The difference is load from
/// other programs, or split and merged I/O. `None` without samples of a device.
pub fn devices(run: &Run) -> Option<Chart> {
    let name = first_device(run)?;
    let recording = Recording::of(run);
    let both = [Metric::ReadOps, Metric::WriteOps].map(|metric| recording.device(&name, metric));
    let [Some(reads), Some(writes)] = both else { return None };
    let counted = reads.into_iter().zip(writes).map(|(reads, writes)| reads + writes);
    let lines = vec![line(run, &format!("{name} counts"), Ink::Flush, counted), own_line(run)];
    let y = Axis::linear(0.0, Panel::top(&lines) * 1.06, 4, numbers::count);
    let y = Side::new("operations a second", y);
    chart(run, "Operations by the device's own count", y, lines)?.chart(run, device_table(run))
}

/// Returns a chart of the machine's counters; `None` with fewer than two samples, because counters need a
/// difference.
fn chart<'t>(run: &Run, title: &'t str, y: Side, lines: Vec<Line>) -> Option<TimeChart<'t>> {
    let description = format!("{title}. The table below has the totals.");
    (run.samples.len() > 1).then(|| TimeChart {
        title,
        description,
        y,
        lines,
        levels: Vec::new(),
        height: 210,
    })
}

/// Returns the device that the run used: the target's first device that was sampled, or else the first sampled.
fn first_device(run: &Run) -> Option<String> {
    let sampled = &run.samples.first()?.disks;
    let mut named = run.target.iter().flat_map(|target| &target.devices).map(|device| device.name.as_str());
    let ours = named.find(|name| sampled.iter().any(|(disk, _)| **disk == **name));
    ours.map(str::to_owned).or_else(|| sampled.first().map(|(disk, _)| disk.to_string()))
}

/// Returns a line with a value for each pair of neighbouring samples.
fn line(run: &Run, name: &str, ink: Ink, values: impl IntoIterator<Item = f64>) -> Line {
    let clock = Clock::of(run);
    let places = run.samples.iter().skip(1).map(|sample| clock.place(sample.at.as_secs_f64()));
    let points = places.zip(values).filter(|point| point.1.is_finite()).collect();
    Line::of(name, ink, thinned(vec![points]))
}

/// Applies `value` to each pair of neighbouring samples.
fn each(run: &Run, value: fn(&Sample, &Sample) -> f64) -> impl Iterator<Item = f64> {
    run.samples.windows(2).map(move |pair| value(&pair[0], &pair[1]))
}

/// Returns the operations a second of plimsoll itself, for every interval.
fn own_line(run: &Run) -> Line {
    let clock = Clock::of(run);
    let segments = run.steps.iter().map(|step| {
        let middle = |one: &Interval| (one.start.as_secs_f64() + one.end.as_secs_f64()) / 2.0;
        merged(step).iter().map(|one| (clock.place(middle(one)), one.iops())).collect()
    });
    Line::of("plimsoll", Ink::ReadTail, thinned(segments.collect()))
}

fn busy_percent(before: &Sample, after: &Sample) -> f64 {
    let share = |metric| after.cpu.since(&before.cpu, metric);
    (1.0 - share(CpuMetric::Idle) - share(CpuMetric::Iowait)) * 100.0
}

fn steal_percent(before: &Sample, after: &Sample) -> f64 {
    after.cpu.since(&before.cpu, CpuMetric::Steal) * 100.0
}

fn own_percent(before: &Sample, after: &Sample) -> f64 {
    let own = |sample: &Sample| sample.own.user_ns + sample.own.system_ns;
    let seconds = own(after).saturating_sub(own(before)) as f64 / 1e9;
    let all = after.cpu.total().saturating_sub(before.cpu.total()) as f64 / TICKS_PER_SECOND;
    (seconds / all * 100.0).min(100.0)
}

fn disk<'s>(sample: &'s Sample, name: &str) -> Option<&'s DiskCounters> {
    sample.disks.iter().find(|(disk, _)| **disk == *name).map(|(_, counters)| counters)
}

/// Returns totals by device from the first sample to the last, beside plimsoll's own; omits a device whose counters
/// were reset in between.
fn device_table(run: &Run) -> Table {
    let mut table = Table::headed(&[
        "counted by",
        "reads",
        "read",
        "reads merged",
        "writes",
        "written",
        "writes merged",
        "flushes",
    ]);
    let (Some(first), Some(last)) = (run.samples.first(), run.samples.last()) else { return table };
    table.rows.push(own_row(run));
    for (name, after) in &last.disks {
        let Some(more) = disk(first, name).and_then(|before| after.more_than(before)) else { continue };
        let words = |number: u64| numbers::count(number as f64);
        table.rows.push(vec![
            name.to_string(),
            words(more.reads),
            numbers::size(more.sectors_read.saturating_mul(SECTOR)),
            words(more.reads_merged),
            words(more.writes),
            numbers::size(more.sectors_written.saturating_mul(SECTOR)),
            words(more.writes_merged),
            words(more.flushes),
        ]);
    }
    table
}

fn own_row(run: &Run) -> Vec<String> {
    let total = |direction: Direction| {
        let all =
            run.steps.iter().flat_map(|step| &step.intervals).map(|interval| &interval.of(direction).tally);
        all.fold((0u64, 0u64), |sum, tally| {
            (sum.0.saturating_add(tally.ops), sum.1.saturating_add(tally.bytes))
        })
    };
    let (reads, writes, flushes) = (total(Direction::Read), total(Direction::Write), total(Direction::Flush));
    vec![
        "plimsoll".to_owned(),
        numbers::count(reads.0 as f64),
        numbers::size(reads.1),
        String::new(),
        numbers::count(writes.0 as f64),
        numbers::size(writes.1),
        String::new(),
        numbers::count(flushes.0 as f64),
    ]
}
