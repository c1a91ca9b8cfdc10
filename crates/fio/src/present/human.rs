//! The normal format: one block for each unit, one status for each group, and the disks.

use std::fmt::Write as _;

use options::errno_text;
use record::{IoFailure, Note, TargetOutcome};

use super::bins::percents;
use super::figures::{LatencyUnit, Suffix, scaled};
use super::group::{Group, GroupDirection};
use super::pressed;
use super::said::mismatches;
use super::unit::{Figures, Latency, NAMES, Unit, Windows, fatal_errno, works_on};
use super::{DiskFigures, DiskUse, FioReport};
use crate::asked::FioJob;
use crate::error::{EINVAL, FIRST_DIRECT};
use crate::number::KbBase;
use crate::options::JobOptions;
use crate::steady::{Steadiness, SteadyBound};
use crate::terms::MISMATCH;

/// Columns for the percentiles of a row: 80, minus 7 for the start of the line.
const PERCENTILE_COLUMNS: usize = 80 - 7;
const COARSE_EDGES: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// Prints the normal format after the banner. Writing to a `String` cannot fail, so the results of `write!` are ignored.
pub fn human(presented: &FioReport) -> String {
    let units = Unit::all(presented);
    let groups = Group::all(&units);
    let mut out = String::from("\n");
    for unit in &units {
        Block { unit, groups: &groups, options: &unit.first.options }.write(&mut out, presented);
    }
    let options = presented.asked.jobs.first().map(|job| &job.options);
    for group in &groups {
        let _ = write!(out, "\nRun status group {} (all jobs):\n", group.id);
        for (name, direction) in ["   READ", "  WRITE", "   TRIM", "  MIXED"].iter().zip(&group.directions) {
            if direction.runtime_ms_max > 0 {
                let _ = writeln!(out, "{name}: {}", status(direction, options));
            }
        }
    }
    disks(&mut out, presented);
    if let Some((idle, asked)) = presented.idleness() {
        out.push_str(&idle.text(asked));
    }
    notes(&mut out, presented);
    out
}

/// The line that fio prints when Ctrl-C stops it, before the results, and its exit code.
pub const INTERRUPTED: (&str, u8) = ("\nfio: terminating on signal 2\n", 128);

/// Lines that fio prints when I/O fails, as (stdout, stderr). Only the normal format has them.
pub fn messages(presented: &FioReport) -> (String, String) {
    let (mut stdout, mut stderr) = (String::new(), String::new());
    // As in fio, a mismatch is reported before the error of the I/O that read the block.
    for mismatch in presented.steps.iter().flat_map(mismatches) {
        let _ = writeln!(stderr, "{mismatch}");
    }
    for line in presented.steps.iter().flat_map(|step| pressed::lines(presented.asked, step)) {
        let _ = writeln!(stderr, "{line}");
    }
    for failure in presented.steps.iter().flat_map(|step| &step.failures) {
        let text = errno_text(failure.errno);
        if failure.errno == EINVAL && stdout.is_empty() && is_direct(presented, &failure.path) {
            stdout.push_str(FIRST_DIRECT);
        }
        if failure.errno == MISMATCH || is_passed_over(presented, failure) {
            continue;
        }
        let _ = writeln!(
            stderr,
            "fio: io_u error on file {}: {text}: {} offset={}, buflen={}",
            failure.path,
            failure.direction.name(),
            failure.offset,
            failure.bytes
        );
    }
    for job in &presented.asked.jobs {
        let step = presented.steps.get(job.step);
        if let Some(errno) = step.and_then(|step| fatal_errno(job, step)) {
            let cause = pressed::cause(errno, step.and_then(|step| pressed::crossed(job, step)));
            let _ = writeln!(stdout, "fio: pid={}, err={errno}/{cause}", presented.pid);
        }
    }
    (stdout, stderr)
}

/// Whether every job on the file continues after `failure`; fio then prints nothing, except for jobs with `error_dump`.
fn is_passed_over(presented: &FioReport, failure: &IoFailure) -> bool {
    let passes = |job: &FioJob| {
        let time = &job.options.time;
        time.passes_over(failure.direction, failure.errno) && !time.error_dump
    };
    let mut jobs = presented.asked.jobs.iter().filter(|job| works_on(job, &failure.path)).peekable();
    jobs.peek().is_some() && jobs.all(passes)
}

fn is_direct(presented: &FioReport, path: &str) -> bool {
    let job = presented.asked.jobs.iter().find(|job| works_on(job, path));
    job.is_some_and(|job| job.options.direct && job.options.engine.is_synchronous())
}

/// Prints a rate in both systems of units, starting with the one that `kb_base` selects.
fn both(value: u64, options: Option<&JobOptions>, suffix: Suffix) -> (String, String) {
    let binary = options.is_none_or(|options| options.kb_base == KbBase::Binary);
    let digits = options.map_or(4, |options| options.significant_figures as usize);
    (scaled(value, digits, binary, suffix), scaled(value, digits, !binary, suffix))
}

/// Prints bytes a second in both systems of units, or in bits if `unit_base` selects them.
fn rate(bytes: u64, options: Option<&JobOptions>) -> (String, String) {
    match options.is_some_and(|options| options.bits) {
        true => both(bytes.saturating_mul(8), options, Suffix::BitPerSecond),
        false => both(bytes, options, Suffix::BytePerSecond),
    }
}

fn status(direction: &GroupDirection, options: Option<&JobOptions>) -> String {
    let [rate, min, max] =
        [direction.rate(), direction.rate_min, direction.rate_max].map(|bytes| rate(bytes, options));
    let bytes = both(direction.bytes, options, Suffix::Byte);
    format!(
        "bw={} ({}), {}-{} ({}-{}), io={} ({}), run={}-{}msec",
        rate.0,
        rate.1,
        min.0,
        max.0,
        min.1,
        max.1,
        bytes.0,
        bytes.1,
        direction.runtime_ms_min,
        direction.runtime_ms_max
    )
}

/// One unit while it is being printed.
struct Block<'b> {
    unit: &'b Unit<'b>,
    groups: &'b [Group],
    options: &'b JobOptions,
}

impl Block<'_> {
    fn write(&self, out: &mut String, presented: &FioReport) {
        let unit = self.unit;
        if !unit.has_begun {
            return;
        }
        let error = match unit.errno {
            0 => "err= 0".to_owned(),
            errno => format!("err={errno:2} ({})", pressed::cause(errno, unit.crossed.as_ref())),
        };
        let _ = writeln!(
            out,
            "{}: (groupid={}, jobs={}): {error}: pid={}: {}",
            unit.first.name, unit.first.group, unit.members, presented.pid, presented.clock.words
        );
        if let Some(description) = &self.options.description {
            let _ = writeln!(out, "  Description  : [{description}]");
        }
        for (place, figures) in unit.reported() {
            self.direction(out, place, figures);
        }
        self.coarse(out);
        self.flushes(out);
        self.machine(out);
    }

    fn direction(&self, out: &mut String, place: usize, figures: &Figures) {
        let name = NAMES[place];
        if figures.runtime_ms == 0 {
            return;
        }
        let options = Some(self.options);
        let rate = rate(figures.bytes_per_second(), options);
        let bytes = both(figures.bytes, options, Suffix::Byte);
        let digits = self.options.significant_figures as usize;
        let iops = scaled(figures.iops_mean() as u64, digits, false, Suffix::None);
        let zones = if name == "write" { "; 0 zone resets" } else { "" };
        let _ = writeln!(
            out,
            "  {name}: IOPS={iops}, BW={} ({})({}/{}msec){zones}",
            rate.0, rate.1, bytes.0, figures.runtime_ms
        );
        self.latencies(out, figures);
        self.windows(out, figures, place);
    }

    fn latencies(&self, out: &mut String, figures: &Figures) {
        let options = self.options;
        let kinds = [
            ("slat", options.slat, options.slat_percentiles, &figures.slat),
            ("clat", options.clat, options.clat_percentiles, &figures.clat),
            (" lat", options.lat, options.lat_percentiles, &figures.lat),
        ];
        for (name, shown, _, latency) in kinds {
            if shown && latency.count > 0 {
                latency_line(out, name, latency);
            }
        }
        let of = |((class, level), figures): &((u8, u8), Figures)| {
            let (kind, latency) = figures.prioritised(options)?;
            Some((format!("{kind} prio {class}/{level}/0"), latency.clone()))
        };
        let by_priority: Vec<(String, Latency)> = figures.priorities.iter().filter_map(of).collect();
        by_priority.iter().for_each(|(name, latency)| latency_line(out, name, latency));
        for (name, shown, ranked, latency) in kinds {
            if shown && ranked && latency.count > 0 {
                percentiles(out, name.trim(), latency, options);
            }
        }
        if options.clat_percentiles || options.lat_percentiles {
            for (name, latency) in &by_priority {
                let share = 100.0 * latency.count as f64 / figures.ios as f64;
                percentiles(out, &format!("{name} ({share:.2}% of IOs)"), latency, options);
            }
        }
    }

    fn windows(&self, out: &mut String, figures: &Figures, place: usize) {
        if figures.bandwidth.count == 0 {
            return;
        }
        let percent = Group::of(self.groups, self.unit, place).percent(figures.bandwidth.mean);
        let binary = self.options.kb_base == KbBase::Binary;
        let large = figures.bandwidth.mean > 1024.0 * 1024.0;
        let (unit, divisor) = match (binary, large) {
            (true, false) => ("KiB", 1),
            (true, true) => ("MiB", 1024),
            (false, false) => ("kB", 1),
            (false, true) => ("MiB", 1000),
        };
        let Windows { min, max, mean, dev, count } = figures.bandwidth;
        let (mean, dev) = (mean / divisor as f64, dev / divisor as f64);
        let _ = writeln!(
            out,
            "   bw ({unit:>5}/s): min={:5}, max={:5}, per={percent:3.2}%, avg={mean:5.2}, stdev={dev:5.2}, samples={count}",
            min / divisor,
            max / divisor
        );
        let Windows { min, max, mean, dev, count } = figures.iops;
        let _ = writeln!(
            out,
            "   iops        : min={min:5}, max={max:5}, avg={mean:5.2}, stdev={dev:5.2}, samples={count}"
        );
    }

    fn coarse(&self, out: &mut String) {
        let (coarse, total) = (&self.unit.coarse, self.unit.ios());
        coarse_rows(out, "nsec", &percents(coarse.nanoseconds, total, 0.01));
        coarse_rows(out, "usec", &percents(coarse.microseconds, total, 0.01));
        coarse_rows(out, "msec", &percents(coarse.milliseconds, total, 0.01));
    }

    fn flushes(&self, out: &mut String) {
        let flush = &self.unit.flush;
        if flush.count == 0 {
            return;
        }
        out.push_str("  fsync/fdatasync/sync_file_range/syncfs:\n");
        latency_line(out, "sync", flush);
        percentiles(out, "sync", flush, self.options);
    }

    fn machine(&self, out: &mut String) {
        let (unit, totals) = (self.unit, &self.unit.totals);
        let [user, system] =
            [totals.user_cpu_ns, totals.system_cpu_ns].map(|ns| share_of_time(ns, unit.runtime_ms_sum));
        let _ = writeln!(
            out,
            "  cpu          : usr={user:3.2}%, sys={system:3.2}%, ctx={}, majf={}, minf={}",
            totals.context_switches, totals.major_faults, totals.minor_faults
        );
        let row = |counts: [u64; 7], names: [&str; 7]| {
            let shares = percents(counts, counts.iter().sum(), 0.1);
            let cells = names.iter().zip(shares).map(|(name, share)| format!("{name}={share:3.1}%"));
            cells.collect::<Vec<_>>().join(", ")
        };
        let handed = ["0", "4", "8", "16", "32", "64", ">=64"];
        let depths = row(totals.depth_counts, ["1", "2", "4", "8", "16", "32", ">=64"]);
        let _ = writeln!(out, "  IO depths    : {depths}");
        let _ = writeln!(out, "     submit    : {}", row(totals.submit_counts, handed));
        let _ = writeln!(out, "     complete  : {}", row(totals.complete_counts, handed));
        let [read, write, trim] = [0, 1, 2].map(|place| &unit.directions[place]);
        let _ = writeln!(
            out,
            "     issued rwts: total={},{},{},{} short={},{},{},0 dropped=0,0,0,0",
            read.ios, write.ios, trim.ios, unit.flush.count, read.short, write.short, trim.short
        );
        if let Some((errors, first)) = unit.passed_over() {
            let text = if first == 0 { "Success".to_owned() } else { errno_text(first) };
            let _ = writeln!(out, "     errors    : total={errors}, first_error={first}/<{text}>");
        }
        out.push_str(&pressed::row(unit));
        if let Some(steadiness) = &unit.steadiness {
            self.steadiness(out, steadiness);
        }
    }

    fn steadiness(&self, out: &mut String, steadiness: &Steadiness) {
        let (iops, bytes) = steadiness.means();
        let rates = rate(bytes as u64, Some(self.options));
        let digits = self.options.significant_figures as usize;
        let rule = &steadiness.rule;
        let _ = writeln!(
            out,
            "  steadystate  : attained={}, bw={} ({}), iops={}, {}{}={:.3}{}",
            if steadiness.attained { "yes" } else { "no" },
            rates.0,
            rates.1,
            scaled(iops as u64, digits, false, Suffix::None),
            rule.name(),
            if rule.spread == SteadyBound::Slope { " slope" } else { " mean dev" },
            steadiness.signed_criterion(),
            rule.unit()
        );
    }
}

/// `nanoseconds` as a percentage of `runtime_ms`.
pub fn share_of_time(nanoseconds: u64, runtime_ms: u64) -> f64 {
    match runtime_ms {
        0 => 0.0,
        _ => nanoseconds as f64 / 1e4 / runtime_ms as f64,
    }
}

/// Prints a latency in the largest unit in which minimum, maximum, mean and deviation all exceed 1.
fn latency_line(out: &mut String, name: &str, latency: &Latency) {
    let all_above = |bound: f64| {
        [latency.min as f64, latency.max as f64, latency.mean, latency.dev].iter().all(|v| *v > bound)
    };
    let unit = match (all_above(1e6), all_above(1e3)) {
        (true, _) => LatencyUnit::Milliseconds,
        (_, true) => LatencyUnit::Microseconds,
        _ => LatencyUnit::Nanoseconds,
    };
    let divisor = unit.nanoseconds();
    let [min, max] = [latency.min, latency.max].map(|ns| scaled(ns / divisor, 6, false, Suffix::None));
    let [mean, dev] = [latency.mean, latency.dev].map(|ns| ns / divisor as f64);
    let _ =
        writeln!(out, "    {name} ({}): min={min}, max={max}, avg={mean:5.2}, stdev={dev:5.2}", unit.name());
}

/// Prints rows of percentiles. Scaled values are rounded up, and the widest one determines how many fit into a row.
fn percentiles(out: &mut String, name: &str, latency: &Latency, options: &JobOptions) {
    let list = &options.percentile_list;
    let values: Vec<u64> = list.values.iter().map(|&percent| latency.percentile(percent)).collect();
    let (least, greatest) =
        (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
    let unit = match (least, greatest) {
        (2_000_001.., 100_000_000..) => LatencyUnit::Milliseconds,
        (2_001.., 100_000..) => LatencyUnit::Microseconds,
        _ => LatencyUnit::Nanoseconds,
    };
    let divisor = unit.nanoseconds();
    let width = (greatest / divisor).checked_ilog10().map_or(1, |log| log as usize + 1).max(5);
    let decimals = list.decimals;
    let per_row = (PERCENTILE_COLUMNS / (decimals + 10 + width)).max(1);
    let _ = write!(out, "    {name} percentiles ({}):", unit.name());
    for (at, (percent, value)) in list.values.iter().zip(&values).enumerate() {
        out.push_str(if at % per_row == 0 { "\n     |" } else { "" });
        let comma = if at + 1 < values.len() { "," } else { "" };
        let _ = write!(
            out,
            " {percent:head$.decimals$}th=[{:width$}]{comma}",
            value.div_ceil(divisor),
            head = decimals + 3
        );
    }
    out.push('\n');
}

/// Prints rows of up to five non-empty buckets.
fn coarse_rows(out: &mut String, unit: &str, shares: &[f64]) {
    let filled: Vec<String> = COARSE_EDGES
        .iter()
        .zip(shares)
        .filter(|(_, share)| **share > 0.0)
        .map(|(edge, share)| format!("{edge}={share:3.2}%"))
        .collect();
    for row in filled.chunks(5) {
        let _ = writeln!(out, "  lat ({unit})   : {}", row.join(", "));
    }
}

fn disks(out: &mut String, presented: &FioReport) {
    let wanted = presented.asked.jobs.iter().any(|job| job.options.disk_util);
    if presented.disks.is_empty() || !wanted {
        return;
    }
    out.push_str("\nDisk stats (read/write):\n");
    for disk in &presented.disks {
        disk_line(out, disk);
        disk.members.iter().for_each(|member| disk_line(out, member));
    }
}

fn disk_line(out: &mut String, disk: &DiskUse) {
    let _ = write!(out, "  {}: {}", disk.name, disk_cells("", &disk.figures()));
    if let Some(members) = disk.member_figures() {
        let _ = write!(out, ", {}", disk_cells("aggr", &members));
    }
    out.push('\n');
}

fn disk_cells(head: &str, figures: &DiskFigures) -> String {
    let pair = |[read, write]: [u64; 2]| format!("{read}/{write}");
    let (sectors, merge) = if head.is_empty() { ("sectors", "merge") } else { ("sectors", "rmerge") };
    format!(
        "{head}ios={}, {head}{sectors}={}, {head}{merge}={}, {head}ticks={}, {head}in_queue={}, {head}util={:3.2}%",
        pair(figures.ios),
        pair(figures.sectors),
        pair(figures.merges),
        pair(figures.ticks),
        figures.in_queue,
        figures.util
    )
}

/// Prints the remarks on the run. They come last, where programs that parse fio's output do not look for figures.
fn notes(out: &mut String, presented: &FioReport) {
    let is_said = |note: &Note| match note {
        Note::Mismatch(_) | Note::Crossed(_) => true,
        Note::Steered(steered) => steered.held == TargetOutcome::Yes,
        _ => false,
    };
    let notes = presented.notes_with(|note| !is_said(note));
    if notes.is_empty() {
        return;
    }
    out.push_str("\nNotes by plimsoll:\n");
    for note in notes {
        let _ = writeln!(out, "  {note}");
    }
}
