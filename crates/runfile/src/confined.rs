//! Limits on a run file, which may come from anyone: the permitted schema, and the work and text that reading may
//! cost.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

use crate::scan::Longest;
use crate::schema::TABLES;

/// Steps of SQLite's virtual machine that reading any file may cost. A row of a genuine file costs about one step a
/// byte, so only a file made to be expensive comes near the limit.
const STEPS_LEAST: u64 = 20_000_000;
/// Steps for each byte of the file, beyond [`STEPS_LEAST`].
const STEPS_A_BYTE: u64 = 8;
/// Steps between two checks of the limit.
const STEPS_AT_ONCE: i32 = 1000;
/// Bytes of text that any file may yield beyond its own length, as needed for headers and rounding.
const TEXT_LEAST: u64 = 1 << 20;

/// Bytes of memory that any file may take: a report promises 64 MiB plus four times the input, and the program
/// itself takes a third of the 64 MiB.
const MEMORY_LEAST: u64 = 40 << 20;
/// Bytes of memory for each byte of the file, beyond [`MEMORY_LEAST`].
const MEMORY_A_BYTE: u64 = 4;

/// Longest SQL statement in bytes, far above those of the schema and of plimsoll's queries.
const STATEMENT_LONGEST: i32 = 64 << 10;
/// Most columns of a table: plimsoll's widest has 32; those of later versions may be wider.
const COLUMNS_MOST: i32 = 256;
/// Deepest expression in levels: plimsoll's deepest has 10.
const EXPRESSION_DEEPEST: i32 = 100;

/// Returns the size in bytes of a run file with its side files.
pub(crate) fn size(path: &Path) -> u64 {
    let beside = |suffix: &str| {
        let mut side = path.as_os_str().to_owned();
        side.push(suffix);
        PathBuf::from(side)
    };
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    length(path).saturating_add(length(&beside("-wal")))
}

/// Returns the bytes of text that a file of `size` bytes may yield, if each is stored there once.
pub(crate) fn text_of(size: u64) -> u64 {
    size.saturating_add(TEXT_LEAST)
}

/// Returns the bytes of memory that the contents of a file of `size` bytes may take, with everything derived from
/// them.
pub(crate) fn memory_of(size: u64) -> u64 {
    size.saturating_mul(MEMORY_A_BYTE).saturating_add(MEMORY_LEAST)
}

/// Limits `conn` to the resources that reading a run file of `size` bytes may need.
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

/// Prevents statements from changing the schema or its shadow tables. Not used for a file shorter than its header
/// states, which can only be opened with a writable schema.
pub(crate) fn defend(conn: &Connection) -> Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map(drop)
}

/// Describes the first entry in the file's schema that plimsoll does not create. A foreign view does no harm,
/// because no view is read; but a view in a table's place, a computed table, or a trigger is never there by chance.
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

/// Describes a column that the file computes instead of storing it, or an interval number that is not the primary
/// key: both can turn a small file into much data.
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
