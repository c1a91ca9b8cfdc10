//! The disk table of yabs (yet another bench script): mixed reads and writes at four block sizes.
//!
//! Up to v2026-05-19, yabs divides fio's KiB/s by 1000 and 1000000 and labels the results MB/s and GB/s: one of its MB
//! is 1,024,000 bytes. Since v2026-07-03 it is 1,000,000 bytes.

use record::{Figure, ReportedDirection, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, set, way};
use super::quantity::{self, Prefixes};
use super::text::Text;
use super::trouble::Troubles;

/// Reads every table in `text`; the tables of one disk are one result.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let (mut found, mut blocks): (Vec<ImportedResult>, Vec<String>) = (Vec::new(), Vec::new());
    let mut disk = Vec::new();
    for (start, line) in text.lines() {
        let cells = cells(line);
        match cells.as_slice() {
            [only] if only.starts_with("fio Disk Speed Tests") => {
                disk = heading(only);
                blocks.clear();
            }
            ["Block Size", heads @ ..] => {
                let sizes: Vec<String> = heads.iter().filter_map(|head| block(head)).collect();
                let again = found.last().is_none_or(|last: &ImportedResult| {
                    blocks.is_empty() || last.parts.iter().any(|part| sizes.contains(&part.job))
                });
                if again && !sizes.is_empty() {
                    text.bounds.begin(&mut found, ImportedResult::begun("yabs table", start));
                }
                blocks = sizes;
            }
            [way, figures @ ..]
                if !blocks.is_empty()
                    && (is_own(way) || figures.iter().any(|cell| self::figures(cell).is_some())) =>
            {
                let row = Row { way, figures, blocks: &blocks, disk: &disk };
                let line = text.line(start);
                let fits = found.last_mut().is_some_and(|last| row.enter(last, line));
                if !fits {
                    let expected = format!(
                        "{} times a rate and a number of I/Os like 211.36 MB/s (52.8k)",
                        blocks.len()
                    );
                    troubles.push(text.trouble(start, expected));
                }
            }
            _ => {}
        }
    }
    let heads = text.lines().filter_map(|(at, line)| Some((at, version(line)?)));
    let heads: Vec<(usize, &str)> = heads.collect();
    for result in &mut found {
        let above = heads[..heads.partition_point(|&(at, _)| at < result.at)].last();
        settle(result, above.map(|&(_, version)| version));
    }
    found
}

/// Returns the date from `#   v2026-07-24   #`, the version in yabs' head.
fn version(line: &str) -> Option<&str> {
    let date = line.trim_matches([' ', '#', '|']).strip_prefix('v')?;
    let digits = date.split('-').filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    (digits.map(str::len).eq([4, 2, 2]) && date.len() == 10).then_some(date)
}

/// First version whose MB is 1,000,000 bytes.
const DECIMAL_SINCE: &str = "2026-07-03";
/// Bytes of the older MB for each byte of the newer one.
const OLDER: f64 = 1.024;
/// Most that rounding may change of rate / (I/Os times size) in a cell that proves the unit: a quarter of the difference.
const ROUNDED: f64 = 0.006;

/// Converts the rates of a version whose MB is 1,024,000 bytes. The rates and I/Os of a cell prove the unit, or else the
/// version in the head.
fn settle(found: &mut ImportedResult, version: Option<&str>) {
    let ways = found.parts.iter().flat_map(|part| part.directions.iter().map(move |way| (part, way)));
    let proven = ways.filter_map(|(part, way)| is_decimal(part.asked_for("bs")?, way)).next();
    let is_decimal = proven.or_else(|| Some(version? >= DECIMAL_SINCE));
    if is_decimal.is_none() {
        let note = "neither a version nor the numbers of I/Os show whether a MB is 1,024,000 bytes, as up to v2026-05-19, or \
                    1,000,000; it is taken as 1,024,000";
        found.notes.push(note.to_owned());
    }
    let ways = found.parts.iter_mut().flat_map(|part| &mut part.directions);
    let rates = ways.filter_map(|way| way.bytes_per_second.as_mut());
    for rate in rates.filter(|_| is_decimal != Some(true)) {
        (rate.value, rate.step) = (rate.value * OLDER, rate.step * OLDER);
    }
}

/// Whether a cell proves that a MB is 1,000,000 bytes, or 1,024,000; `None` if it proves neither.
fn is_decimal(size: &str, way: &ReportedDirection) -> Option<bool> {
    let size = quantity::bytes(size, Prefixes::Binary)?;
    let (rate, iops) = (way.bytes_per_second.as_ref()?, way.iops.as_ref()?);
    let ratio = rate.value / (iops.value * size.value);
    let is_exact = rate.step / rate.value + iops.step / iops.value <= ROUNDED;
    let near = |other: f64| is_exact && (ratio / other - 1.0).abs() <= ROUNDED;
    if near(1.0) { Some(true) } else { near(1.0 / OLDER).then_some(false) }
}

/// Returns the cells of a row, including those of a Markdown table.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let inside =
        line.strip_prefix('|').map_or(line, |rest| rest.trim_end().strip_suffix('|').unwrap_or(rest));
    inside.split('|').map(str::trim).take(8).collect()
}

/// Returns the block size from `4k            (IOPS)`.
fn block(head: &str) -> Option<String> {
    let size = head.strip_suffix("(IOPS)")?.trim();
    let fits = size.len() <= 8 && size.starts_with(|c: char| c.is_ascii_digit());
    fits.then(|| size.to_owned())
}

/// Reads `fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/vda1):`.
fn heading(words: &str) -> Vec<(String, String)> {
    let inside = words.split('(').skip(1).filter_map(|part| part.split_once(')')).map(|(inside, _)| inside);
    let named = inside.filter_map(|inside| match inside.strip_prefix("Partition ") {
        Some(partition) => Some(("partition", partition)),
        None => inside.strip_prefix("Mixed R/W ").map(|mix| ("mix of reads and writes", mix)),
    });
    named.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Whether yabs itself prints such a row; other scripts with its table have others, such as `Randread`.
fn is_own(way: &str) -> bool {
    matches!(way, "Read" | "Write" | "Total")
}

struct Row<'r> {
    way: &'r str,
    figures: &'r [&'r str],
    blocks: &'r [String],
    disk: &'r [(String, String)],
}

impl Row<'_> {
    /// Adds the row; returns false if a cell does not contain two figures.
    fn enter(&self, found: &mut ImportedResult, line: u32) -> bool {
        let lower = self.way.to_ascii_lowercase();
        let mut directions = [Direction::Read, Direction::Write].into_iter();
        let direction = directions.find(|direction| lower.ends_with(direction.name()));
        let cells: Vec<(Figure, Figure)> = self.figures.iter().filter_map(|cell| figures(cell)).collect();
        if cells.len() != self.blocks.len() {
            return false;
        }
        for (size, (rate, iops)) in self.blocks.iter().zip(cells) {
            let name = if is_own(self.way) { size.clone() } else { format!("{size} {}", self.way) };
            let place = found.parts.iter().position(|part| part.job == name).unwrap_or_else(|| {
                let mut part = ReportedPart::named(Scope::Job, name, line);
                part.asked =
                    [("bs".to_owned(), size.clone())].into_iter().chain(self.disk.iter().cloned()).collect();
                found.parts.push(part);
                found.parts.len() - 1
            });
            let way = way(&mut found.parts[place], direction);
            set(&mut way.bytes_per_second, Some(rate));
            set(&mut way.iops, Some(iops));
        }
        true
    }
}

/// Parses `211.36 MB/s  (52.8k)`, in units of 1000.
fn figures(cell: &str) -> Option<(Figure, Figure)> {
    let (rate, iops) = cell.split_once('(')?;
    let rate = rate.trim();
    let (number, unit) = rate.split_once(' ')?;
    let worth = match unit.trim() {
        "KB/s" => 1e3,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        _ => return None,
    };
    let figure = quantity::plain(number, worth)?;
    let iops = quantity::scaled(iops.trim_end().strip_suffix(')')?, 1.0)?;
    Some((Figure { printed: rate.to_owned(), ..figure }, iops))
}
