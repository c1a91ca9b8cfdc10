//! fio's logs of bandwidth, rate, latency and latency histograms: series of values over time.

use record::{Along, Measure, ReportedPart, Scope};
use workload::Direction;

use super::super::found::{ImportedResult, series};
use super::super::pieces::shortened;
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};

/// Columns before the counts of a histogram.
const HISTOGRAM_HEAD: usize = 3;
/// Fewest counts of a histogram: 1216 (fio before 2.99) or 1856, halved up to six times.
const HISTOGRAM_LEAST: usize = 19;
/// Milliseconds from which a time is a date (in 1980), because no run is that long.
const DATE_MS: u64 = 315_532_800_000;

/// Whether at least three quarters of the first non-empty lines contain whole numbers between commas, as a log
/// does.
pub(crate) fn is_log(text: &Text) -> bool {
    let mut lines = text.plain.lines().filter(|line| !line.trim().is_empty()).take(20).peekable();
    let is_number = |word: &str| word.trim().parse::<i64>().is_ok() || word.trim().starts_with("0x");
    lines.peek().is_some() && {
        let good = lines.clone().filter(|line| line.contains(',') && line.split(',').all(is_number)).count();
        good * 4 >= lines.count() * 3 && good > 0
    }
}

/// Returns the facts in a log's name: prefix of the job, and measure.
fn named(name: &str) -> Option<(&str, Measure)> {
    let file = name.rsplit('/').next().unwrap_or(name);
    [
        ("_clat_hist", Measure::Histogram),
        ("_hist", Measure::Histogram),
        ("_bw", Measure::BytesPerSecond),
        ("_iops", Measure::Iops),
        ("_slat", Measure::SubmissionLatency),
        ("_clat", Measure::CompletionLatency),
        ("_lat", Measure::TotalLatency),
    ]
    .into_iter()
    .find_map(|(mark, measure)| {
        let (prefix, rest) = file.rsplit_once(mark)?;
        (rest.is_empty() || rest.starts_with('.')).then_some((prefix, measure))
    })
}

/// One row of a log.
struct Row {
    ms: u64,
    value: f64,
    direction: Option<Direction>,
    counts: Vec<u64>,
}

/// Reads a log as a part with a series for each direction. Only the log's name shows the quantity.
pub(crate) fn log(text: &Text, name: &str, troubles: &mut Troubles) -> Option<ImportedResult> {
    let Some((prefix, measure)) = named(name) else {
        let expected = "a file name like NAME_bw.1.log, NAME_iops.1.log or NAME_clat.1.log, which tells what a log of fio \
                        holds"
            .to_owned();
        troubles.push(Trouble { line: 1, column: 1, expected, found: shortened(name) });
        return None;
    };
    let mut part = ReportedPart::named(Scope::Job, prefix, 1);
    let mut each = true;
    for (start, line) in text.lines().filter(|(_, line)| !line.trim().is_empty()) {
        match row(line, measure) {
            Some(row) => {
                each &= row.value == 1.0;
                put(&mut part, row, measure, name);
            }
            None => troubles.push(text.trouble(start, expected(measure))),
        }
    }
    let mut found = ImportedResult { tool: "fio logs".to_owned(), ..ImportedResult::default() };
    if each && measure == Measure::Iops {
        found.notes.push(format!(
            "{name}: every row stands for one I/O (fio ran without log_avg_msec): it holds no rate"
        ));
        part.series.clear();
    }
    found.parts.push(part);
    Some(found)
}

fn expected(measure: Measure) -> &'static str {
    match measure {
        Measure::Histogram => "a row 'time, direction, block size, counts…' of a histogram log",
        _ => "a row 'time, value, direction, block size' of whole numbers",
    }
}

fn row(line: &str, measure: Measure) -> Option<Row> {
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    let direction = |word: &&str| match *word {
        "0" => Some(Some(Direction::Read)),
        "1" => Some(Some(Direction::Write)),
        "2" => Some(Some(Direction::Trim)),
        "3" | "4" | "5" | "6" => Some(Some(Direction::Flush)),
        _ => None,
    };
    let ms: u64 = words.first()?.parse().ok().filter(|&ms| ms < u64::MAX / 2_000_000)?;
    if measure == Measure::Histogram {
        let counts: Option<Vec<u64>> =
            words.get(HISTOGRAM_HEAD..)?.iter().map(|word| word.parse().ok()).collect();
        let counts =
            counts.filter(|counts| counts.len() >= HISTOGRAM_LEAST && group(counts.len()).is_some())?;
        counts.iter().all(|&count| count < 1 << 50).then_some(())?;
        return Some(Row { ms, value: 0.0, direction: direction(words.get(1)?)?, counts });
    }
    let value: u64 = words.get(1)?.parse().ok().filter(|&value| value < 1 << 53)?;
    let plain = words.len() <= 7
        && words[2..].iter().all(|word| word.parse::<u64>().is_ok() || word.starts_with("0x"));
    plain.then_some(Row { ms, value: value as f64, direction: direction(words.get(2)?)?, counts: Vec::new() })
}

/// Returns, for this number of columns, the number of fio's buckets in a column and the nanoseconds in fio's unit.
fn group(columns: usize) -> Option<(usize, u64)> {
    (0..=6).find_map(|coarse| match columns << coarse {
        1856 => Some((1 << coarse, 1)),
        1216 => Some((1 << coarse, 1000)),
        _ => None,
    })
}

fn put(part: &mut ReportedPart, row: Row, measure: Measure, source: &str) {
    let along = if row.ms >= DATE_MS { Along::UnixTime } else { Along::Time };
    let series = series(&mut part.series, measure, row.direction, along);
    if series.source.is_empty() {
        series.source = source.rsplit('/').next().unwrap_or(source).to_owned();
    }
    let place = row.ms.saturating_mul(1_000_000);
    let factor = if measure == Measure::BytesPerSecond { 1024.0 } else { 1.0 };
    match measure {
        Measure::Histogram => series.histograms.push((place, filled(&row.counts))),
        _ => series.points.push((place, row.value * factor)),
    }
}

/// Returns the non-empty columns as nanoseconds and counts. fio's buckets: 128 of one unit each, then 64 for each
/// octave.
fn filled(counts: &[u64]) -> Vec<(u64, u64)> {
    let (wide, unit) = group(counts.len()).unwrap_or((1, 1));
    let edge = |bucket: usize| -> u64 {
        if bucket < 128 {
            return bucket as u64;
        }
        let octave = (bucket >> 6) - 1;
        ((bucket & 63) as u64 + 64) << octave
    };
    let middle = |column: usize| (edge(column * wide) + edge((column + 1) * wide)) / 2 * unit;
    let full = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    full.map(|(column, &count)| (middle(column), count)).collect()
}
