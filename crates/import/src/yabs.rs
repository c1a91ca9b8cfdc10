//! The disk table of yabs (yet another bench script): mixed reads and writes at four block sizes.
//!
//! yabs divides fio's KiB/s by 1000 and 1000000 and labels the results MB/s and GB/s: one of its MB is 1,024,000
//! bytes.

use record::{Figure, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, set, way};
use super::quantity;
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
                    text.bounds.begin(
                        &mut found,
                        ImportedResult {
                            tool: "yabs table".to_owned(),
                            at: start,
                            ..ImportedResult::default()
                        },
                    );
                }
                blocks = sizes;
            }
            [way @ ("Read" | "Write" | "Total"), figures @ ..] if !blocks.is_empty() => {
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
    found
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

struct Row<'r> {
    way: &'r str,
    figures: &'r [&'r str],
    blocks: &'r [String],
    disk: &'r [(String, String)],
}

impl Row<'_> {
    /// Adds the row; returns false if a cell does not contain two figures.
    fn enter(&self, found: &mut ImportedResult, line: u32) -> bool {
        let direction = match self.way {
            "Read" => Some(Direction::Read),
            "Write" => Some(Direction::Write),
            _ => None,
        };
        let cells: Vec<(Figure, Figure)> = self.figures.iter().filter_map(|cell| figures(cell)).collect();
        if cells.len() != self.blocks.len() {
            return false;
        }
        for (size, (rate, iops)) in self.blocks.iter().zip(cells) {
            let place = found.parts.iter().position(|part| part.job == *size).unwrap_or_else(|| {
                let mut part = ReportedPart::named(Scope::Job, size, line);
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

/// Parses `211.36 MB/s  (52.8k)`.
fn figures(cell: &str) -> Option<(Figure, Figure)> {
    let (rate, iops) = cell.split_once('(')?;
    let rate = rate.trim();
    let (number, unit) = rate.split_once(' ')?;
    let worth = match unit.trim() {
        "KB/s" => 1024.0,
        "MB/s" => 1_024_000.0,
        "GB/s" => 1_024_000_000.0,
        _ => return None,
    };
    let figure = quantity::plain(number, worth)?;
    let iops = quantity::scaled(iops.trim_end().strip_suffix(')')?, 1.0)?;
    Some((Figure { printed: rate.to_owned(), ..figure }, iops))
}
