//! A run that another tool measured: the printed figures as a table, and what the output does not hold.

use record::{
    Figure, LatencyKind, ObservedMachine, Origin, RateBasis, ReportedDirection, ReportedLatency,
    ReportedPart, Run, Scope,
};
use workload::Direction;

use crate::words::Table;
use crate::words::numbers::{self, Prefix, Unit};
use crate::words::wrap::{COLUMNS, clean, wrap};

/// Most rows printed in a terminal; the page has all rows.
const ROWS: usize = 40;
/// Least columns to which the name of a row is cut.
const NAME_LEAST: usize = 8;
/// Heads of the table of jobs.
const HEADS: [&str; 8] = ["job", "", "IOPS", "bandwidth", "of", "mean", "p99", "moved"];

/// Returns the tool and what its output lacks; `None` if plimsoll measured.
pub(crate) fn origin(run: &Run) -> Option<(&str, &[String])> {
    match &run.origin {
        Origin::Imported { tool, lacks } => Some((tool, lacks)),
        Origin::Measured => None,
    }
}

/// Lists what is missing, to follow "not": `rates, latencies or a series`.
pub(crate) fn either(lacks: &[String]) -> String {
    match lacks {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// Returns an imported run for a terminal: table, notes, missing data. Empty if plimsoll measured.
pub fn imported(run: &Run) -> String {
    match origin(run) {
        Some((_, lacks)) if !lacks.is_empty() => {
            summary(run) + &wrap("  lacks   ", &format!("{}.", clean(&lacks.join(", "))))
        }
        _ => summary(run),
    }
}

/// Returns [`imported`] without the missing data.
pub(crate) fn summary(run: &Run) -> String {
    let Some((tool, _)) = origin(run) else { return String::new() };
    let table = job_table(run);
    let mut text = wrap("", &format!("{}: {}", clean(tool), contents(run)));
    if !table.rows.is_empty() {
        text.push('\n');
        text += &lines(&table);
        text.push('\n');
    }
    for series in run.reported.iter().flat_map(|part| &part.series) {
        text += &wrap(
            "  series  ",
            &format!("{}, {} values", series_words(series), numbers::count(length(series))),
        );
    }
    if run.reported.iter().flat_map(|part| &part.directions).any(|way| way.basis == RateBasis::Latency) {
        text += &wrap("  note    ", BASIS);
    }
    for event in &run.events {
        text += &wrap("  note    ", &clean(&event.text));
    }
    text
}

/// Basis of ioping's rates.
pub(crate) const BASIS: &str = "IOPS and bandwidth of ioping are those of one request after the other without a pause: \
                                requests divided by their latencies, not by the time that passed.";

/// Counts the imported parts: `1 job in 1 group, 1 device`.
pub(crate) fn contents(run: &Run) -> String {
    let count = |scope| run.reported.iter().filter(|part| part.scope == scope).count();
    let words = [
        (Scope::Job, "job"),
        (Scope::Thread, "thread and target"),
        (Scope::Group, "group"),
        (Scope::Whole, "total"),
        (Scope::Disk, "device"),
        (Scope::Cpu, "row of CPUs"),
    ];
    let told = words.into_iter().map(|(scope, word)| (count(scope), word)).filter(|(count, _)| *count > 0);
    let list: Vec<String> = told
        .map(|(count, word)| match (count, word) {
            (1, word) => format!("1 {word}"),
            (many, "thread and target") => format!("{many} threads and targets"),
            (many, "row of CPUs") => format!("{many} rows of CPUs"),
            (many, word) => format!("{many} {word}s"),
        })
        .collect();
    match &run.observed {
        Some(observed) => reports(observed),
        None => list.join(", "),
    }
}

/// Describes reports by interval: `30 intervals of 10 s, 3 devices: vda, dm-0, dm-1`.
fn reports(observed: &ObservedMachine) -> String {
    let plural = |count: usize, word: &str| {
        let s = if count == 1 { "" } else { "s" };
        format!("{} {word}{s}", numbers::count(count as f64))
    };
    let mut words = plural(observed.intervals.len(), "interval");
    // The lengths differ only by the rounding of printed times, so the median is the typical one.
    let mut lengths: Vec<u64> = observed.intervals.iter().map(|(from, to)| to.since(*from).0).collect();
    lengths.sort_unstable();
    if let Some(&usual) = lengths.get(lengths.len() / 2) {
        words += &format!(" of {}", numbers::span(usual as f64 / 1e9));
    }
    let names: Vec<&str> = observed.devices.iter().map(|device| device.name.as_str()).collect();
    match names.as_slice() {
        [] => words + ", the CPUs alone",
        names => format!("{words}, {}: {}", plural(names.len(), "device"), names.join(", ")),
    }
}

/// Most jobs that a sentence names one by one.
const TOLD: usize = 3;

/// Returns the rates that were printed, or the greatest of them if there are many jobs:
/// `2,257 IOPS read (8.8 MiB/s), 752 IOPS written (2.9 MiB/s)`. `None` if no rate was printed.
pub(crate) fn figures(run: &Run) -> Option<String> {
    let of = |scope: Scope| -> Vec<&ReportedPart> {
        let with_rates = |part: &&ReportedPart| part.scope == scope && part.directions.iter().any(has_rate);
        run.reported.iter().filter(with_rates).collect()
    };
    let parts =
        [Scope::Whole, Scope::Job, Scope::Group].map(of).into_iter().find(|parts| !parts.is_empty())?;
    match parts.as_slice() {
        [one] => Some(ways(one)),
        few if few.len() <= TOLD => {
            let each: Vec<String> =
                few.iter().map(|part| format!("{}: {}", clean(&part.job), ways(part))).collect();
            Some(each.join("; "))
        }
        many => greatest(many),
    }
}

fn has_rate(way: &ReportedDirection) -> bool {
    way.iops.is_some() || way.bytes_per_second.is_some()
}

/// Returns the rates of a part, direction by direction; the rate of all directions only if none of them has its
/// own.
fn ways(part: &ReportedPart) -> String {
    let own = part.directions.iter().any(|way| way.direction.is_some() && has_rate(way));
    let told = part.directions.iter().filter(|way| has_rate(way) && (way.direction.is_some() || !own));
    told.map(way_rates).collect::<Vec<_>>().join(", ")
}

/// Formats the rates of one direction: `2,257 IOPS read (8.8 MiB/s)`.
fn way_rates(way: &ReportedDirection) -> String {
    let verb = match way.direction {
        Some(Direction::Read) => " read",
        Some(Direction::Write) => " written",
        Some(Direction::Trim) => " trimmed",
        Some(Direction::Flush) => " flushed",
        None => "",
    };
    let bytes = way
        .bytes_per_second
        .as_ref()
        .map(|figure| in_unit(figure, Unit::of_bandwidth(figure.value, Prefix::Binary)));
    match (way.iops.as_ref().map(rate), bytes) {
        (Some(iops), Some(bytes)) => format!("{iops} IOPS{verb} ({bytes})"),
        (Some(iops), None) => format!("{iops} IOPS{verb}"),
        (None, bytes) => format!("{}{verb}", bytes.unwrap_or_default()),
    }
}

/// Returns the greatest rates of several jobs: `up to 86,630 IOPS (randread) and 190 MiB/s (seqwrite)`.
fn greatest(parts: &[&ReportedPart]) -> Option<String> {
    let ways = || parts.iter().flat_map(|part| part.directions.iter().map(move |way| (part, way)));
    let most = |of: fn(&ReportedDirection) -> Option<&Figure>| {
        let known = ways().filter_map(move |(part, way)| Some((part, of(way)?)));
        known.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
    };
    let iops = most(|way| way.iops.as_ref())
        .map(|(part, figure)| format!("{} IOPS ({})", rate(figure), clean(&part.job)));
    let bytes = most(|way| way.bytes_per_second.as_ref()).map(|(part, figure)| {
        format!(
            "{} ({})",
            in_unit(figure, Unit::of_bandwidth(figure.value, Prefix::Binary)),
            clean(&part.job)
        )
    });
    let told: Vec<String> = iops.into_iter().chain(bytes).collect();
    (!told.is_empty()).then(|| format!("up to {}", told.join(" and ")))
}

/// Returns a table of the jobs by direction, with rates and latencies, and of the groups that add information.
pub(crate) fn job_table(run: &Run) -> Table {
    let told = || run.reported.iter().filter(|part| is_told(run, part));
    let ways = || told().flat_map(|part| &part.directions);
    let rates = ways().filter_map(|way| Some(way.bytes_per_second.as_ref()?.value));
    let times = ways().flat_map(|way| [mean_of(way), tail_of(way)].into_iter().flatten());
    let units = (Unit::of_bandwidths(rates), Unit::of_times(times.map(|figure| figure.value)));
    let mut table = Table::headed(&HEADS);
    for part in told() {
        table.rows.extend(part.directions.iter().map(|way| row(part, way, units)));
    }
    // A note says once what a tool does not print; no column is needed for it.
    if table.rows.is_empty() { table } else { table.without_empty() }
}

fn mean_of(way: &ReportedDirection) -> Option<&Figure> {
    of_mean(way)?.mean.as_ref()
}

fn tail_of(way: &ReportedDirection) -> Option<&Figure> {
    way.with_percentiles()?.percentile(99.0)
}

/// Whether a part gets a row. A group gets one if it has several jobs or none, or if its only job's line lacks
/// rates.
fn is_told(run: &Run, part: &ReportedPart) -> bool {
    if part.scope != Scope::Group {
        return true;
    }
    let jobs: Vec<&ReportedPart> =
        run.reported.iter().filter(|job| job.scope == Scope::Job && job.group == part.group).collect();
    let lost = |way: &ReportedDirection| {
        way.direction != Some(Direction::Flush) && way.iops.is_none() && way.bytes_per_second.is_none()
    };
    jobs.len() != 1 || jobs.iter().flat_map(|job| &job.directions).any(lost)
}

/// Returns the cells of a direction, with bandwidth and latencies in the given units.
fn row(part: &ReportedPart, way: &ReportedDirection, (rates, times): (Unit, Unit)) -> Vec<String> {
    let (mean, tail) = (of_mean(way), way.with_percentiles());
    let told =
        |figure: Option<&Figure>, unit: Unit| figure.map_or_else(String::new, |figure| in_unit(figure, unit));
    vec![
        part.job.clone(),
        way_words(way.direction).to_owned(),
        way.iops.as_ref().map_or_else(String::new, rate),
        told(way.bytes_per_second.as_ref(), rates),
        measures(mean, tail),
        told(mean_of(way), times),
        told(tail_of(way), times),
        way.bytes.as_ref().map_or_else(String::new, |bytes| numbers::size(bytes.value.max(0.0) as u64)),
    ]
}

/// Returns the latencies that the mean is taken from: if possible those with percentiles, so that both describe the
/// same times.
fn of_mean(way: &ReportedDirection) -> Option<&ReportedLatency> {
    way.with_percentiles().filter(|latency| latency.mean.is_some()).or_else(|| way.waited())
}

/// Names the latencies of mean and p99 in fio's words: `clat`, or `lat/clat` if they differ.
fn measures(mean: Option<&ReportedLatency>, tail: Option<&ReportedLatency>) -> String {
    let mean = mean.filter(|latency| latency.mean.is_some());
    let tail = tail.filter(|latency| latency.percentile(99.0).is_some());
    let mut names: Vec<&str> = [mean, tail].into_iter().flatten().map(|latency| word(latency.kind)).collect();
    names.dedup();
    names.join("/")
}

fn word(kind: LatencyKind) -> &'static str {
    match kind {
        LatencyKind::Submission => "slat",
        LatencyKind::Completion => "clat",
        LatencyKind::Total => "lat",
    }
}

/// Returns the direction, or `all` for the sum of all directions.
pub(crate) fn way_words(direction: Option<Direction>) -> &'static str {
    direction.map_or("all", Direction::name)
}

/// Formats operations a second: as printed if rounded with a suffix (`33.2k`), or else with commas.
pub(crate) fn rate(figure: &Figure) -> String {
    match figure.printed.ends_with(|last: char| last.is_ascii_alphabetic()) {
        true => figure.printed.clone(),
        false => numbers::figure(figure.value),
    }
}

/// Formats a figure in `unit` with no more digits than were printed, and at most four significant digits.
pub(crate) fn in_unit(figure: &Figure, unit: Unit) -> String {
    let (value, step) = (figure.value / unit.factor, figure.step / unit.factor);
    let printed = if step > 0.0 { (-step.log10() - 1e-9).ceil() } else { 0.0 };
    let counting = if value == 0.0 { 0.0 } else { 3.0 - value.abs().log10().floor() };
    let decimals = printed.min(counting).clamp(0.0, 9.0) as usize;
    format!("{} {}", numbers::fixed(value, decimals), unit.name)
}

/// Formats the table in 80 columns; the first column is shortened to fit.
fn lines(table: &Table) -> String {
    let cells: Vec<Vec<String>> = std::iter::once(&table.head)
        .chain(table.rows.iter().take(ROWS))
        .map(|row| row.iter().map(|cell| clean(cell)).collect())
        .collect();
    let longest = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..table.head.len()).map(longest).collect();
    let rest: usize = widths[1..].iter().map(|width| width + 2).sum();
    widths[0] = widths[0].min(COLUMNS.saturating_sub(2 + rest)).max(NAME_LEAST);
    let mut text: String = cells.iter().map(|row| line(row, &widths)).collect();
    if table.rows.len() > ROWS {
        text += &wrap("  ", &format!("and {} rows more; the report has them", table.rows.len() - ROWS));
    }
    text
}

/// Formats a row: words aligned left, numbers right.
fn line(row: &[String], widths: &[usize]) -> String {
    let cut = |cell: &str, width: usize| -> String {
        match cell.chars().count() > width {
            true => cell.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
            false => cell.to_owned(),
        }
    };
    let mut text = String::from(" ");
    for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let cell = cut(cell, width);
        let padded = if column < 2 { format!(" {cell:<width$}") } else { format!("  {cell:>width$}") };
        text += &padded;
        if column == 0 {
            text.push(' ');
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Describes a series: `a_bw.1.log: reads, bandwidth`.
pub(crate) fn series_words(series: &record::ReportedSeries) -> String {
    use record::Measure::{
        BytesPerSecond, CompletionLatency, Histogram, Iops, SubmissionLatency, TotalLatency,
    };
    let measure = match series.measure {
        BytesPerSecond => "bandwidth",
        Iops => "IOPS",
        SubmissionLatency => "submission latency",
        CompletionLatency => "completion latency",
        TotalLatency => "latency",
        Histogram => "latency histograms",
    };
    let along = match series.along {
        record::Along::Request => " by request",
        record::Along::Time | record::Along::UnixTime => " over time",
    };
    let source =
        if series.source.is_empty() { String::new() } else { format!("{}: ", clean(&series.source)) };
    format!("{source}{} {measure}{along}", way_words(series.direction))
}

fn length(series: &record::ReportedSeries) -> f64 {
    series.points.len().max(series.histograms.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_digits_are_shown_than_were_printed() {
        let figure = |value, step| Figure { value, step, printed: String::new() };
        let ms = Unit::of_time(1e6);
        assert_eq!(in_unit(&figure(365e3, 1e3), ms), "0.365 ms");
        assert_eq!(in_unit(&figure(0.3e6, 0.1e6), ms), "0.3 ms");
        assert_eq!(in_unit(&figure(167.48e6, 1e4), ms), "167.5 ms");
        let rate = Unit::of_bandwidth(195_468.0 * 1024.0, Prefix::Binary);
        assert_eq!(in_unit(&figure(195_468.0 * 1024.0, 1024.0), rate), "190.9 MiB/s");
        assert_eq!(in_unit(&figure(0.0, 1.0), rate), "0 MiB/s");
    }

    #[test]
    fn a_rounded_rate_stays_as_it_was_printed() {
        let figure = |value, printed: &str| Figure { value, step: 100.0, printed: printed.to_owned() };
        assert_eq!(rate(&figure(33_200.0, "33.2k")), "33.2k");
        assert_eq!(rate(&figure(33_215.0, "33215")), "33,215");
    }
}
