//! What the machine's own counters say beside the run: CPU and devices.

use record::{DiskCounters, Run, Sample};
use workload::Direction;

use super::axis::Axis;
use super::chart::Chart;
use super::ink::Ink;
use super::over_time::{Clock, phases, thinned};
use super::panel::{Dots, Line, Panel, Side, draw};
use crate::words::Table;
use crate::words::numbers;

/// Clock ticks of `/proc/stat` in a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// CPU of the whole machine, of this process, and what the hypervisor took; `None` without samples.
pub fn cpu(run: &Run) -> Option<Chart> {
    let lines = vec![
        line(run, "whole machine", Ink::Write, &busy_percent),
        line(run, "taken by the hypervisor", Ink::Flush, &steal_percent),
        line(run, "plimsoll", Ink::Read, &own_percent),
    ];
    let y = Axis::linear(0.0, 100.0, 4, numbers::count);
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
    chart(run, ("CPU of the machine against time", "share of all CPUs (%)"), (y, lines), table)
}

/// Operations that the target's own device counts, beside those that plimsoll did: the difference is somebody else's,
/// or split and merged I/O. `None` without samples of a device.
pub fn devices(run: &Run) -> Option<Chart> {
    let name = first_device(run)?;
    let counted = |before: &Sample, after: &Sample| device_rate(before, after, &name);
    let lines = vec![line(run, &format!("{name} counts"), Ink::Flush, &counted), own_line(run)];
    let top = lines.iter().flat_map(Line::points).map(|point| point.1).fold(0.0, f64::max);
    let y = Axis::linear(0.0, top * 1.06, 4, numbers::count);
    chart(run, ("Operations by the device's own count", "operations a second"), (y, lines), device_table(run))
}

fn chart(run: &Run, (title, y_title): (&str, &str), drawn: (Axis, Vec<Line>), table: Table) -> Option<Chart> {
    let (y, mut lines) = drawn;
    lines.retain(|line| !line.is_empty());
    if lines.is_empty() || run.samples.len() < 2 {
        return None;
    }
    let clock = Clock::of(run);
    let panel = Panel {
        bands: phases(run, &clock),
        ..Panel::of(Side::new(clock.title(), clock.axis()), Side::new(y_title, y), lines)
    };
    let description = format!("{title}. The table below has the totals.");
    Some(Chart::of(title, draw(title, &description, 210, &[panel]), table))
}

/// The device that the run used: the target's first that was sampled, else the first that was sampled.
fn first_device(run: &Run) -> Option<String> {
    let sampled = &run.samples.first()?.disks;
    let mut named = run.target.iter().flat_map(|target| &target.devices).map(|device| device.name.as_str());
    let ours = named.find(|name| sampled.iter().any(|(disk, _)| **disk == **name));
    ours.map(str::to_owned).or_else(|| sampled.first().map(|(disk, _)| disk.to_string()))
}

/// A line through what `value` makes of each two neighbouring samples.
fn line(run: &Run, name: &str, ink: Ink, value: &dyn Fn(&Sample, &Sample) -> f64) -> Line {
    let clock = Clock::of(run);
    let point = |pair: &[Sample]| (clock.place(pair[1].at.as_secs_f64()), value(&pair[0], &pair[1]));
    let points = run.samples.windows(2).map(point).filter(|point| point.1.is_finite()).collect();
    Line {
        name: name.to_owned(),
        ink,
        segments: thinned(vec![points]),
        whiskers: Vec::new(),
        dots: Dots::None,
    }
}

/// What plimsoll did: reads and writes of every interval.
fn own_line(run: &Run) -> Line {
    let clock = Clock::of(run);
    let segments = run.steps.iter().map(|step| {
        let full: Vec<&record::Interval> = step.full().collect();
        let ends = full.chunk_by(|a, b| a.start == b.start).filter_map(|same| {
            let first = same.first()?;
            let ops: f64 = same.iter().map(|interval| interval.iops()).sum();
            Some((clock.place((first.start.as_secs_f64() + first.end.as_secs_f64()) / 2.0), ops))
        });
        ends.collect()
    });
    let segments = thinned(segments.collect());
    Line { name: "plimsoll".to_owned(), ink: Ink::ReadTail, segments, whiskers: Vec::new(), dots: Dots::None }
}

fn share_of_ticks(before: &Sample, after: &Sample, ticks: impl Fn(&Sample) -> u64) -> f64 {
    let all = after.cpu.total().saturating_sub(before.cpu.total());
    ticks(after).saturating_sub(ticks(before)) as f64 / all as f64 * 100.0
}

fn busy_percent(before: &Sample, after: &Sample) -> f64 {
    100.0 - share_of_ticks(before, after, |sample| sample.cpu.idle + sample.cpu.iowait)
}

fn steal_percent(before: &Sample, after: &Sample) -> f64 {
    share_of_ticks(before, after, |sample| sample.cpu.steal)
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

fn device_rate(before: &Sample, after: &Sample, name: &str) -> f64 {
    let (Some(first), Some(last)) = (disk(before, name), disk(after, name)) else { return f64::NAN };
    let ops = last.reads.saturating_sub(first.reads) + last.writes.saturating_sub(first.writes);
    ops as f64 / after.at.since(before.at).as_secs_f64()
}

/// Sectors of `/proc/diskstats` are always of this many bytes.
const SECTOR: u64 = 512;

/// Totals by device from the first sample to the last, beside what plimsoll did.
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
        let Some(before) = disk(first, name) else { continue };
        let count = |of: fn(&DiskCounters) -> u64| of(after).saturating_sub(of(before));
        let words = |number: u64| numbers::count(number as f64);
        table.rows.push(vec![
            name.to_string(),
            words(count(|disk| disk.reads)),
            numbers::size(count(|disk| disk.sectors_read).saturating_mul(SECTOR)),
            words(count(|disk| disk.reads_merged)),
            words(count(|disk| disk.writes)),
            numbers::size(count(|disk| disk.sectors_written).saturating_mul(SECTOR)),
            words(count(|disk| disk.writes_merged)),
            words(count(|disk| disk.flushes)),
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
