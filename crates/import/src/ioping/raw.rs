//! ioping's raw statistics (`-B`, `-p`, `-P`): one line of whole numbers for each period.

use record::{LatencyKind, RateBasis, ReportedDirection, ReportedPart, ReportedUnit, Scope};

use super::super::found::{ImportedResult, add, latency};
use super::super::quantity;
use super::super::text::Text;
use super::super::trouble::Troubles;

/// Numbers in a line, by generation: 0.6, 0.7 to 0.9, since 1.0.
const COLUMNS: [usize; 3] = [4, 8, 10];
/// Most periods read: somewhat more than a day of one each second.
const PERIODS_MOST: usize = 100_000;
/// Most words read of a line: one more than any line of ioping has, so that a longer line is not mistaken for one.
const WORDS_MOST: usize = 11;

/// Whether at least three quarters of the non-empty lines have as many whole numbers as ioping prints.
pub(crate) fn is_raw(text: &Text) -> bool {
    let lines = || text.plain.lines().filter(|line| !line.trim().is_empty());
    let good = lines().filter(|line| {
        let words: Vec<&str> = line.split_whitespace().take(WORDS_MOST).collect();
        COLUMNS.contains(&words.len()) && words.iter().all(|word| word.parse::<u64>().is_ok())
    });
    let good = good.count();
    good > 0 && good * 4 >= lines().count() * 3
}

/// Reads every line as a separate part.
pub(crate) fn raw(text: &Text, troubles: &mut Troubles) -> ImportedResult {
    let mut found = ImportedResult::default();
    let mut columns = 0;
    for (start, line) in text.lines().filter(|(_, line)| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().take(WORDS_MOST).collect();
        match period(&words, text.line(start)) {
            Some(_) if found.parts.len() == PERIODS_MOST => {
                troubles.push(text.trouble(start, "no more than 100,000 periods; give the rest by itself"));
                break;
            }
            Some(part) => {
                columns = columns.max(words.len());
                found.parts.push(part);
            }
            None => troubles.push(text.trouble(start, "4, 8 or 10 whole numbers of ioping's raw statistics")),
        }
    }
    let several = found.parts.len() > 1;
    for (index, part) in found.parts.iter_mut().enumerate() {
        part.job = if several { format!("period {}", index + 1) } else { "requests".to_owned() };
    }
    found.tool = match columns {
        10 => "ioping 1.0 or later raw",
        8 => "ioping 0.7 to 0.9 raw",
        _ => "ioping 0.6 raw",
    }
    .to_owned();
    found
}

fn period(words: &[&str], line: u32) -> Option<ReportedPart> {
    // Times are in nanoseconds since 1.0, in microseconds before.
    let time = if words.len() == 10 { 1.0 } else { 1e3 };
    let plain = |index: usize, factor: f64| words.get(index).and_then(|word| quantity::plain(word, factor));
    COLUMNS.contains(&words.len()).then_some(())?;
    words.iter().all(|word| quantity::plain(word, 1.0).is_some()).then_some(())?;
    let mut part = ReportedPart::named(Scope::Job, "requests", line);
    let mut way = ReportedDirection { basis: RateBasis::Latency, ..ReportedDirection::default() };
    let moments = if words.len() == 4 { 0 } else { 4 };
    if moments > 0 {
        [way.ops, way.runtime, way.iops, way.bytes_per_second] =
            [(0, 1.0), (1, time), (2, 1.0), (3, 1.0)].map(|(index, factor)| plain(index, factor));
    }
    let latency = latency(&mut way, LatencyKind::Total);
    [latency.min, latency.mean, latency.max, latency.stddev] =
        [0, 1, 2, 3].map(|index| plain(moments + index, time));
    if let Some(requests) = plain(8, 1.0) {
        add(&mut part.figures, "generated.requests", ReportedUnit::Count, Some(requests));
        part.runtime = plain(9, 1.0).as_ref().map(quantity::nanos);
    }
    part.directions.push(way);
    Some(part)
}
