//! The verdict of a trend, stored in the file of the run that it judges, after that run has ended.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::birth::without_links;
use crate::remarks::{StoredTrend, Trends};
use crate::schema::{APPLICATION_ID, SCHEMA_VERSION};
use crate::table;
use crate::{RunfileError, confined, reader};

/// Why a verdict could not be stored in a run file.
#[derive(Debug, thiserror::Error)]
#[error(
    "the verdict is not stored in {path}: {reason}; check that you may write to that file and its folder, or say --no-store"
)]
pub struct NotStored {
    path: PathBuf,
    reason: String,
}

/// Stores the verdict in the run file at `path`, in the place of an earlier one. Everything else in the file stays as it is,
/// whatever happens meanwhile: it is one transaction.
///
/// # Errors
/// `NotStored` if the file is no run file, is of a later version, holds what plimsoll never makes, or cannot be written.
pub fn store_trend(path: &Path, trend: &StoredTrend) -> Result<(), NotStored> {
    add(path, trend).map_err(|reason| NotStored { path: path.to_owned(), reason })
}

fn add(path: &Path, trend: &StoredTrend) -> Result<(), String> {
    reader::look(path).map_err(|error: RunfileError| error.to_string())?;
    let words = |error: rusqlite::Error| error.to_string();
    let mut conn = open(path).map_err(words)?;
    let version: i32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(words)?;
    if version > SCHEMA_VERSION {
        return Err(format!("it is of version {version}, and this plimsoll knows {SCHEMA_VERSION}"));
    }
    if let Some(what) = confined::foreign(&conn).map_err(words)? {
        return Err(format!("it holds {what}, which plimsoll never makes"));
    }
    insert(&mut conn, trend).map_err(words)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut conn = Connection::open_with_flags(without_links(path), flags)?;
    conn.busy_timeout(reader::PATIENCE)?;
    confined::confine(&mut conn, confined::size(path))?;
    confined::defend(&conn)?;
    let id: i32 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if id == APPLICATION_ID { Ok(conn) } else { Err(rusqlite::Error::InvalidPath(path.to_owned())) }
}

fn insert(conn: &mut Connection, trend: &StoredTrend) -> rusqlite::Result<()> {
    let change = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Files of earlier versions lack the table.
    let known = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'trend'";
    if change.query_row(known, [], |row| row.get::<_, i64>(0))? == 0 {
        change.execute_batch(&table::create::<Trends>())?;
    }
    table::replace::<Trends>(&change, [trend])?;
    change.commit()
}
