//! A run file may be anybody's: what its schema may hold, and how much work and text reading it may cost.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

use crate::scan::Longest;
use crate::schema::TABLES;

/// Steps of SQLite's machine that any file may cost, and how many for each of its bytes: a row of ours costs about one step
/// a byte, so that only a file made for it comes near.
const STEPS_LEAST: u64 = 20_000_000;
const STEPS_A_BYTE: u64 = 8;
/// After so many steps it is looked whether there are any left.
const STEPS_AT_ONCE: i32 = 1000;
/// Text that any file may give beyond its own length, as headers and rounding need.
const TEXT_LEAST: u64 = 1 << 20;

/// Memory that any file may take, and how much for each of its bytes: a report promises 64 MiB and four times the input, of which
/// the program itself takes a third of the first part.
const MEMORY_LEAST: u64 = 40 << 20;
const MEMORY_A_BYTE: u64 = 4;

/// No statement of a schema, ours or added to look at it, comes near this length in bytes.
const STATEMENT_LONGEST: i32 = 64 << 10;
/// Our widest table has 32 columns; those of later versions may be wider.
const COLUMNS_MOST: i32 = 256;
/// Our deepest expression has 10 levels.
const EXPRESSION_DEEPEST: i32 = 100;

/// Bytes of a run file with what waits beside it.
pub(crate) fn size(path: &Path) -> u64 {
    let beside = |suffix: &str| {
        let mut side = path.as_os_str().to_owned();
        side.push(suffix);
        PathBuf::from(side)
    };
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    length(path).saturating_add(length(&beside("-wal")))
}

/// Text that a file of `size` bytes can give: what stands in it stands there once.
pub(crate) fn text_of(size: u64) -> u64 {
    size.saturating_add(TEXT_LEAST)
}

/// Memory that what a file of `size` bytes holds may take, with what is made of it.
pub(crate) fn memory_of(size: u64) -> u64 {
    size.saturating_mul(MEMORY_A_BYTE).saturating_add(MEMORY_LEAST)
}

/// Holds `conn` to what reading a run file of `size` bytes takes.
pub(crate) fn confine(conn: &mut Connection, size: u64) -> Result<()> {
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        conn.set_db_config(config, on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, Longest::Document as i32),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT_LONGEST),
        (Limit::SQLITE_LIMIT_COLUMN, COLUMNS_MOST),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, EXPRESSION_DEEPEST),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
    ] {
        conn.set_limit(limit, most)?;
    }
    let mut left = STEPS_LEAST.saturating_add(size.saturating_mul(STEPS_A_BYTE));
    let spent = move || {
        left = left.saturating_sub(STEPS_AT_ONCE as u64);
        left == 0
    };
    conn.progress_handler(STEPS_AT_ONCE, Some(spent))?;
    conn.pragma_update(None, "cell_size_check", true)
}

/// Keeps statements from changing the schema or its shadows. Where a file is shorter than its header says SQLite opens it
/// only with the schema held for changeable, which this would take back.
pub(crate) fn defend(conn: &Connection) -> Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map(drop)
}

/// What in the file's schema is not as plimsoll makes it: the first thing, in words. A view of somebody's own does no harm,
/// since no view is read; one that stands in a table's place, a table that is computed, and a trigger are nobody's by chance.
pub(crate) fn foreign(conn: &Connection) -> Result<Option<String>> {
    let mut statement = conn.prepare("SELECT type, name, coalesce(sql, ''), rootpage FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name, sql): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let page: Option<i64> = row.get(3)?;
        let begins =
            |words: &str| sql.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words));
        let ours = TABLES.iter().any(|table| table.name.eq_ignore_ascii_case(&name));
        let sound = match kind.as_str() {
            "table" => begins("CREATE TABLE ") && page.is_some_and(|page| page > 0),
            "view" => begins("CREATE VIEW ") && !ours,
            "index" => sql.is_empty() || begins("CREATE INDEX ") || begins("CREATE UNIQUE INDEX "),
            _ => false,
        };
        if !sound {
            let kind = if kind == "table" { "virtual table" } else { &kind };
            return Ok(Some(format!("a {kind} '{name}'")));
        }
    }
    computed(conn)
}

/// A column of ours that the file computes, or a number of rows that is none: both can make much of little.
fn computed(conn: &Connection) -> Result<Option<String>> {
    let mut columns = conn.prepare("SELECT name, hidden FROM pragma_table_xinfo(?)")?;
    for table in TABLES.iter().map(|table| table.name) {
        let mut rows = columns.query([table])?;
        while let Some(row) = rows.next()? {
            let (name, hidden): (String, i64) = (row.get(0)?, row.get(1)?);
            if hidden != 0 {
                return Ok(Some(format!("a computed column '{table}.{name}'")));
            }
        }
    }
    let number = "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE name = 'interval' AND pk = 0";
    for table in ["interval", "interval_histogram"] {
        if conn.query_row(number, [table], |row| row.get::<_, i64>(0))? > 0 {
            return Ok(Some(format!("a column '{table}.interval' that does not number its rows")));
        }
    }
    Ok(None)
}
