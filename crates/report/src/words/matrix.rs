//! Loads that were each read and written, as the table familiar to users of CrystalDiskMark: a row for each load,
//! a column for each direction.

use analysis::{Cell, Pattern};

use super::numbers;
use super::table::Table;

/// Fewest rows that make a matrix.
const ROWS_MIN: usize = 2;

/// A row: the same load read, written, and mixed.
struct Row<'c> {
    name: String,
    read: &'c Cell,
    write: &'c Cell,
    mix: Option<&'c Cell>,
}

/// Headings of the columns, by direction.
const WAYS: [&str; 3] = ["read", "write", "mix"];

/// Returns MB/s (1,000,000 bytes a second) of each load, as CrystalDiskMark shows them; `None` if the cells do not
/// form such a matrix.
pub(crate) fn bandwidths(cells: &[Cell]) -> Option<Table> {
    table(cells, " MB/s", &|cell| numbers::fixed(cell.bytes_per_second / 1e6, 2))
}

/// Returns I/Os a second of each load.
pub(crate) fn rates(cells: &[Cell]) -> Option<Table> {
    table(cells, " IOPS", &|cell| numbers::fixed(cell.iops, 1))
}

/// Returns the mean latency of each load, in microseconds.
pub(crate) fn latencies(cells: &[Cell]) -> Option<Table> {
    table(cells, " µs", &|cell| numbers::fixed(cell.latency_ns_mean / 1e3, 2))
}

/// Describes the mix: `Mix: 70 % reads and 30 % writes, together.`; `None` without mixed cells.
pub(crate) fn mix_words(cells: &[Cell]) -> Option<String> {
    let share = rows(cells)?.iter().find_map(|row| row.mix)?.pattern.read_percent;
    Some(format!("Mix: {share} % reads and {} % writes, together.", 100 - share))
}

fn table(cells: &[Cell], unit: &str, figure: &dyn Fn(&Cell) -> String) -> Option<Table> {
    let rows = rows(cells)?;
    let mixed = rows.iter().any(|row| row.mix.is_some());
    let ways = if mixed { &WAYS[..] } else { &WAYS[..2] };
    let mut table = Table { head: vec!["load".to_owned()], rows: Vec::new() };
    table.head.extend(ways.iter().map(|way| format!("{way}{unit}")));
    for row in rows {
        let mut line = vec![row.name, figure(row.read), figure(row.write)];
        if mixed {
            line.push(row.mix.map_or_else(String::new, figure));
        }
        table.rows.push(line);
    }
    Some(table)
}

/// Returns a row for each load, in the order in which they ran; `None` if any cell does not fit such a table.
fn rows(cells: &[Cell]) -> Option<Vec<Row<'_>>> {
    let mut loads: Vec<(u64, &Pattern)> = Vec::new();
    for cell in cells {
        let pattern = &cell.pattern;
        if pattern.offered.is_some() || pattern.flush_every.is_some() {
            return None;
        }
        if !loads.iter().any(|(block, known)| is_of(cell, *block, known)) {
            loads.push((block_of(cell), pattern));
        }
    }
    let row = |(block, pattern): &(u64, &Pattern)| {
        let own = || cells.iter().filter(move |cell| is_of(cell, *block, pattern));
        let at = |share: u8| own().find(|cell| cell.pattern.read_percent == share);
        let mut mixes = own().filter(|cell| !matches!(cell.pattern.read_percent, 0 | 100));
        Some(Row { name: name(*block, pattern), read: at(100)?, write: at(0)?, mix: mixes.next() })
    };
    let rows: Option<Vec<Row<'_>>> = loads.iter().map(row).collect();
    let told = |rows: &[Row<'_>]| rows.iter().map(|row| 2 + usize::from(row.mix.is_some())).sum::<usize>();
    rows.filter(|rows| rows.len() >= ROWS_MIN && told(rows) == cells.len())
}

fn block_of(cell: &Cell) -> u64 {
    cell.directions.first().map_or(0, |point| point.block)
}

/// Whether a cell is of this load, in any direction.
fn is_of(cell: &Cell, block: u64, pattern: &Pattern) -> bool {
    let own = &cell.pattern;
    block_of(cell) == block
        && (own.sequential, own.depth, own.workers, own.direct)
            == (pattern.sequential, pattern.depth, pattern.workers, pattern.direct)
}

/// Returns the load's name in CrystalDiskMark's form: `SEQ1M Q8T1`.
fn name(block: u64, pattern: &Pattern) -> String {
    let order = if pattern.sequential { "SEQ" } else { "RND" };
    let size = numbers::block(block as f64).replace(' ', "");
    let size = size.trim_end_matches("iB");
    format!("{order}{size} Q{}T{}", pattern.depth, pattern.workers)
}
