//! The rates and latencies that the jobs of a profile reached: lines for each job and direction, or the table
//! familiar to users of CrystalDiskMark.

use std::fmt::Write as _;

use analysis::{Cell, Estimate, Point};
use workload::{Flush, Job, Order};

use crate::words::Table;
use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::sentence::plural;
use crate::words::wrap::{beside, clean};

/// Describes a job: `random, 70 % reads, 4 KiB, depth 32`.
pub fn job_words(job: &Job) -> String {
    let order = if job.access.order == Order::Sequential { "sequential" } else { "random" };
    let way = match job.access.mix.read_percent() {
        100 => "reads".to_owned(),
        0 => "writes".to_owned(),
        share => format!("{share} % reads"),
    };
    let mut words =
        format!("{order} {way}, {}, depth {}", numbers::block(job.blocks.longest().0 as f64), job.depth);
    if job.clones > 1 {
        let _ = write!(words, " × {} workers", job.clones);
    }
    if let Some(rate) = job.pace.rate() {
        let _ = write!(words, ", {} offered", numbers::iops(rate.0));
    }
    match job.flush {
        Flush::Every(1) => words.push_str(", a flush after every write"),
        Flush::Every(writes) => {
            let _ = write!(words, ", a flush after every {writes} writes");
        }
        Flush::Never => {}
    }
    words
}

/// Returns the highest rates that any load reached, for a run whose verdict is on no claim:
/// `: up to 3,000 IOPS (RND4K Q32T1 read) and 128 MiB/s (SEQ1M Q8T1 read).` `None` without a load.
pub(crate) fn best(cells: &[Cell]) -> Option<String> {
    // If some loads bypassed the page cache, only those measured the volume.
    let past_cache = cells.iter().any(|cell| cell.pattern.direct);
    let own = || cells.iter().rev().filter(|cell| cell.pattern.direct || !past_cache);
    let most = |of: fn(&Cell) -> f64| own().max_by(|a, b| of(a).total_cmp(&of(b)));
    let (rate, bytes) = (most(|cell| cell.iops)?, most(|cell| cell.bytes_per_second)?);
    let iops = numbers::in_unit(rate.iops, IOPS);
    let iops = alone(rate).map_or(iops, |point| known(&point.iops, IOPS));
    let unit = Unit::of_bandwidth(bytes.bytes_per_second, Prefix::Binary);
    let bandwidth = numbers::in_unit(bytes.bytes_per_second, unit);
    let bandwidth = alone(bytes).map_or(bandwidth, |point| known(&point.bytes_per_second, unit));
    let (one, other) = (called(rate, cells), called(bytes, cells));
    Some(match cells.len() {
        1 => format!(": {iops}, {bandwidth}."),
        _ if one == other => format!(": up to {iops} and {bandwidth} ({one})."),
        _ => format!(": up to {iops} ({one}) and {bandwidth} ({other})."),
    })
}

/// Returns the only direction of a load; `None` if it has several.
fn alone(cell: &Cell) -> Option<&Point> {
    if cell.directions.len() == 1 { cell.directions.first() } else { None }
}

/// Formats a figure with the digits that its interval supports, the same as in its tile.
fn known(of: &Estimate, unit: Unit) -> String {
    format!("{} {}", numbers::level(of, unit), unit.name)
}

/// Returns the name of a load: that of its step, or of its job if the step has several jobs.
fn called(cell: &Cell, cells: &[Cell]) -> String {
    let shared = cells.iter().filter(|other| other.step == cell.step).count() > 1;
    clean(if shared { &cell.job } else { &cell.step })
}

/// Returns a table with a row for each job and direction.
pub(crate) fn cell_table(cells: &[Cell]) -> Table {
    let mut table =
        Table::headed(&["step", "job", "work", "depth", "IOPS", "bandwidth", "mean", "p50", "p99"]);
    let points = || cells.iter().flat_map(|cell| &cell.directions);
    let unit = Unit::of_bandwidths(points().map(|point| point.bytes_per_second.value));
    let latencies =
        |point: &Point| [point.latency_ns_mean, point.latency_ns_p50 as f64, point.latency_ns_p99 as f64];
    let time_unit = Unit::of_times(points().flat_map(latencies));
    for cell in cells {
        for point in &cell.directions {
            let bandwidth = point.bytes_per_second;
            let times = latencies(point).map(|time| numbers::time_in_unit(time, time_unit));
            let order = if cell.pattern.sequential { "sequential" } else { "random" };
            let mut row = vec![
                cell.step.clone(),
                cell.job.clone(),
                format!("{} {order} {}", numbers::block(point.block as f64), plural(point.direction)),
                numbers::count(f64::from(point.depth)),
                numbers::estimate(&point.iops, IOPS),
                numbers::with_unit(&bandwidth, unit),
            ];
            row.extend(times);
            table.rows.push(row);
        }
    }
    // A step of one job has the same name as that job, so one column is enough.
    let are_alike = table.rows.iter().all(|row| row[0] == row[1]);
    if are_alike { table.without(0) } else { table }
}

/// Returns a line or two for each job and direction.
pub fn cell_lines(cells: &[Cell]) -> String {
    let mut text = String::new();
    let mut step = "";
    for cell in cells {
        if cell.step != step && cells.iter().any(|other| other.step != cell.job) {
            let _ = writeln!(text, "{}", clean(&cell.step));
        }
        step = &cell.step;
        cell.directions.iter().for_each(|point| text += &line(cell, point));
    }
    text
}

fn line(cell: &Cell, point: &Point) -> String {
    let name: String = clean(&cell.job).chars().take(15).collect();
    let what = format!("{} {}", numbers::block(point.block as f64), plural(point.direction));
    let bandwidth = point.bytes_per_second;
    let unit = Unit::of_bandwidth(bandwidth.value, Prefix::Binary);
    let result = format!(
        "{} IOPS, {} {}, mean {}, p99 {}",
        numbers::estimate(&point.iops, IOPS),
        numbers::estimate(&bandwidth, unit),
        unit.name,
        numbers::time(point.latency_ns_mean),
        numbers::time(point.latency_ns_p99 as f64)
    );
    beside(&format!("  {name:<16}{what:<15}"), 33, &result)
}

/// The parts of CrystalDiskMark's table: loads that only read, loads that only write, and mixes.
const PARTS: [&str; 3] = ["Read", "Write", "Mix"];

/// Returns CrystalDiskMark's table, a line for each cell: MB/s of 1,000,000 bytes, IOPS, mean latency in
/// microseconds.
pub fn crystal_table(cells: &[Cell]) -> String {
    let mut text = String::from("MB/s = 1,000,000 bytes a second\n");
    for part in PARTS {
        let of_part: Vec<&Cell> = cells.iter().filter(|cell| part_of(cell) == part).collect();
        let Some(first) = of_part.first() else { continue };
        let share = first.pattern.read_percent;
        let mix =
            if part == "Mix" { format!(" Read {share}%/Write {}%", 100 - share) } else { String::new() };
        let _ = write!(text, "\n[{part}]{mix}\n");
        of_part.iter().for_each(|cell| text += &crystal_line(cell));
    }
    text
}

fn part_of(cell: &Cell) -> &'static str {
    match cell.pattern.read_percent {
        100 => PARTS[0],
        0 => PARTS[1],
        _ => PARTS[2],
    }
}

fn crystal_line(cell: &Cell) -> String {
    let pattern = &cell.pattern;
    let order = if pattern.sequential { "SEQ" } else { "RND" };
    let block = cell.directions.first().map_or(0, |point| point.block);
    format!(
        "  {order} {:>7} (Q={:>3}, T={:>2}): {:>9.3} MB/s [{:>9.1} IOPS] <{:>9.2} us>\n",
        numbers::block(block as f64).replace(' ', ""),
        pattern.depth,
        pattern.workers,
        cell.bytes_per_second / 1e6,
        cell.iops,
        cell.latency_ns_mean / 1e3,
    )
}
