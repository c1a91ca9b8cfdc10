//! Creation of a run file: whole, with tables and header, from one string of bytes.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use record::Run;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::header;
use crate::schema::{self, APPLICATION_ID, SCHEMA_VERSION};
use crate::{SameDevice, WriteError};

/// Offset of the two numbers that select the journal mode (SQLite's file format, section 1.3.3).
const KEPT_AT: usize = 18;
/// The two numbers for a write-ahead log.
const IN_WAL: [u8; 2] = [2, 2];
/// The two numbers for a rollback journal.
const IN_JOURNAL: [u8; 2] = [1, 1];

/// Returns a `birth` that creates and fills the file at `path`, for a folder in which no other program creates
/// files. A caller that may be killed, or that writes to another user's folder, must supply its own way to create a
/// file whole.
///
/// # Errors
/// The returned function fails with `Exists` and `Create`.
pub fn at(path: &Path) -> impl FnOnce(&[u8]) -> Result<PathBuf, WriteError> {
    move |bytes| {
        let made = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
        let written = made.and_then(|mut file| file.write_all(bytes));
        written.map(|()| path.to_owned()).map_err(|source| WriteError::not_made(path, source))
    }
}

/// Returns the bytes of a run file that holds the header of `run`.
pub(crate) fn image(run: &Run) -> rusqlite::Result<Vec<u8>> {
    let mut conn = Connection::open_in_memory()?;
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    conn.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    conn.execute_batch(&format!("BEGIN; {}", schema::statements()))?;
    header::store(&conn, run)?;
    conn.execute_batch("COMMIT")?;
    let mut bytes = conn.serialize("main")?.to_vec();
    // WAL mode from the first byte on: changing the mode would need a journal, and a kill during the change would
    // leave a file that is readable only with write access to its folder.
    bytes[KEPT_AT..KEPT_AT + 2].copy_from_slice(&IN_WAL);
    Ok(bytes)
}

/// Opens the file just created from an [`image`], and no other.
pub(crate) fn open(path: &Path, place: SameDevice) -> rusqlite::Result<Connection> {
    // SQLite would use a side file that somebody else has put there, even a device or a pipe.
    if ["-wal", "-shm", "-journal"].iter().any(|end| beside(path, end).symlink_metadata().is_ok()) {
        return Err(rusqlite::Error::InvalidPath(path.to_owned()));
    }
    let opened = open_as_it_is(path, place);
    if opened.is_ok() {
        return opened;
    }
    // Without shared memory (some network file systems), each commit goes directly to the main file.
    let file = std::fs::OpenOptions::new().write(true).open(path);
    match file.and_then(|file| file.write_all_at(&IN_JOURNAL, KEPT_AT as u64)) {
        Ok(()) => open_as_it_is(path, place),
        Err(_) => opened,
    }
}

fn open_as_it_is(path: &Path, place: SameDevice) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let conn = Connection::open_with_flags(without_links(path), flags)?;
    let id: Option<i32> = conn.query_row("PRAGMA application_id", [], |row| row.get(0)).optional()?;
    if id != Some(APPLICATION_ID) {
        return Err(rusqlite::Error::InvalidPath(path.to_owned()));
    }
    conn.set_prepared_statement_cache_capacity(32);
    // Checkpoints are made when they disturb least, not after a number of pages.
    conn.query_row("PRAGMA wal_autocheckpoint = 0", [], |_| Ok(()))?;
    let synchronous = match place {
        SameDevice::Yes => "OFF",
        SameDevice::No => "NORMAL",
    };
    conn.pragma_update(None, "synchronous", synchronous)?;
    // A first change, of one page: an obstacle to writing shows before the measurement begins.
    conn.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    Ok(conn)
}

/// Returns the path of a file that SQLite keeps beside the one at `path`.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut side = path.as_os_str().to_owned();
    side.push(end);
    PathBuf::from(side)
}

/// Returns the folder's real path with the file's name unchanged: SQLite then refuses a link in place of the file,
/// but no links on the way.
pub(crate) fn without_links(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = absolute.parent().and_then(|folder| folder.canonicalize().ok());
    match (real, absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}
