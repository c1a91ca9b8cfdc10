//! Reads a run back, whether it ended well or was cut off.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use record::Run;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use crate::remarks::{Events, Findings};
use crate::samples::KeptDisks;
use crate::scan::{Fault, Loss, Outcome, Place, Scan};
use crate::schema::{APPLICATION_ID, SCHEMA_VERSION};
use crate::{RunfileError, confined, header, observed, reported, samples, steps, table};

/// Longest wait of a reader while a writer changes the file's mode.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Reads a whole run: everything up to the last commit in the file or in the `-wal` file beside it. The file
/// is not changed. A step whose end was never stored is rebuilt from its intervals and ends `Interrupted`.
///
/// # Errors
/// `NotFound`, `NotARunFile` with the apparent kind of file, `Newer`, `Unreadable`, `CutOff`, and `Damaged` with
/// the table.
pub fn read(path: &Path) -> Result<Run, RunfileError> {
    let (run, troubles) = read_what_can_be(path)?;
    match troubles.into_iter().next() {
        Some(trouble) => Err(trouble),
        None => Ok(run),
    }
}

/// Reads the intact part of a run file that may be damaged: the run without the lost rows and pages, and the
/// losses, one entry for each table. Without losses, the run is the one that [`read`] returns.
///
/// # Errors
/// Those of [`read`], if nothing of the run can be read.
pub fn read_what_can_be(path: &Path) -> Result<(Run, Vec<RunfileError>), RunfileError> {
    read_with(path, KeptDisks::InSamples)
}

/// [`read_what_can_be`] with the counters of devices in [`Run::columns`], which take a fifth of the memory.
///
/// # Errors
/// Those of [`read`], if nothing of the run can be read.
pub fn read_packed(path: &Path) -> Result<(Run, Vec<RunfileError>), RunfileError> {
    read_with(path, KeptDisks::Packed)
}

fn read_with(path: &Path, disks: KeptDisks) -> Result<(Run, Vec<RunfileError>), RunfileError> {
    let cut_off = look(path)?;
    let size = confined::size(path);
    let opened = || open(path, (cut_off.as_ref(), size));
    let conn = opened().map_err(|error| unreadable(path, &error))?;
    // One transaction, so that a run still being written is read as of one moment.
    conn.execute_batch("BEGIN").map_err(|error| unreadable(path, &error))?;
    let identity = identity(&conn);
    check_identity(path, identity.map_err(|error| damaged(path, "sqlite_schema", &error.to_string()))?)?;
    // A schema that cannot be read is damage, which reading the tables reports.
    if let Some(what) = foreign(&conn) {
        return Err(RunfileError::Foreign { path: path.to_owned(), what });
    }

    let scan = Scan::of(&conn, (confined::text_of(size), confined::memory_of(size)));
    let run = all_of_it(&scan, (&opened, disks));
    let mut troubles: Vec<RunfileError> = cut_off.into_iter().collect();
    for loss in scan.losses() {
        if let Fault::Sqlite(error) = &loss.fault
            && is_refusal(error)
        {
            return Err(unreadable(path, error));
        }
        troubles.push(damaged(path, loss.table, &in_words(&loss)));
    }
    let nothing =
        run.steps.is_empty() && run.samples.is_empty() && run.reported.is_empty() && run.observed.is_none();
    match troubles.is_empty() {
        false if nothing => Err(troubles.swap_remove(0)),
        _ => Ok((run, troubles)),
    }
}

/// Returns anything in the schema that plimsoll never puts there. If SQLite cannot read the schema, nothing can be
/// read at all.
fn foreign(conn: &Connection) -> Option<String> {
    match confined::foreign(conn) {
        Ok(what) => what,
        Err(rusqlite::Error::SqliteFailure(..)) => None,
        Err(_) => Some("a schema whose words are no text".to_owned()),
    }
}

/// Reads all tables; `opened` opens another connection to the file.
fn all_of_it(
    scan: &Scan<'_>,
    (opened, disks): (&(impl Fn() -> rusqlite::Result<Connection> + Sync), KeptDisks),
) -> Run {
    let mut run = header::read(scan);
    run.steps = steps::read(scan);
    (run.samples, run.columns) = samples::read(scan, (opened, disks));
    run.reported = reported::read(scan);
    run.observed = observed::read(scan);
    run.events = table::all::<Events>(scan);
    run.findings = scan.all(table::select::<Findings>().documents(), table::taken::<Findings>);
    run
}

/// Describes the loss in a table, with the expected content.
fn in_words(loss: &Loss) -> String {
    let more = match loss.more {
        0 => String::new(),
        1 => "; one more place like it".to_owned(),
        more => format!("; {more} more places like it"),
    };
    let fault = &loss.fault;
    match loss.place {
        Place::Table => format!("{fault}{more}"),
        Place::Row(row) => format!("row {row}: {fault}{more}"),
        Place::Behind(row) => format!("rows were expected after row {row}, but: {fault}{more}"),
    }
}

/// Checks the first bytes before SQLite does, because SQLite's own message ("file is not a database") helps nobody.
/// Returns an error value if the end of the file is missing.
pub(crate) fn look(path: &Path) -> Result<Option<RunfileError>, RunfileError> {
    let not = |looks_like| Err(RunfileError::NotARunFile { path: path.to_owned(), looks_like });
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => RunfileError::NotFound { path: path.to_owned() },
        _ => RunfileError::Unreadable { path: path.to_owned(), reason: error.to_string() },
    };
    let about = std::fs::metadata(path).map_err(refused)?;
    if about.is_dir() {
        return not("a directory");
    }
    if !about.is_file() {
        return not("a device, a pipe or a socket");
    }
    let mut head = Vec::with_capacity(100);
    File::open(path).and_then(|file| file.take(100).read_to_end(&mut head)).map_err(refused)?;
    if !head.starts_with(b"SQLite format 3\0") {
        return not(looks_like(&head));
    }
    // Bytes 68 to 71 of an SQLite database, big-endian (SQLite's file format, section 1.3).
    match head.get(68..72) {
        Some(id) if id == APPLICATION_ID.to_be_bytes() => Ok(cut_off(path, &head, about.len())),
        _ => not("an SQLite database of another program"),
    }
}

/// Returns an error value if the file is shorter than its header states. The size in the header is valid only if
/// the change counters agree (SQLite's file format, section 1.3.7) and no side file has pending changes.
fn cut_off(path: &Path, head: &[u8], found: u64) -> Option<RunfileError> {
    let number = |at: usize| head.get(at..at + 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let page = match u64::from(number(16)? >> 16) {
        // The greatest page size does not fit in two bytes and is written as 1.
        1 => 65_536,
        size => size,
    };
    let expected = page * u64::from(number(28)?);
    let counts = number(24)? == number(92)? && !waits_beside(path);
    (counts && found < expected).then(|| RunfileError::CutOff { path: path.to_owned(), expected, found })
}

fn looks_like(head: &[u8]) -> &'static str {
    let text = head.trim_ascii_start();
    match text {
        [] => "an empty file",
        [b'{' | b'[', ..] => "JSON, perhaps another tool's result",
        [b'<', ..] => "XML or HTML, perhaps another tool's result or a report",
        [0x1f, 0x8b, ..] => "a gzip archive; unpack it first",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "a zstd archive; unpack it first",
        [b'P', b'K', 3, 4, ..] => "a zip archive; unpack it first",
        [b'P', b'A', b'R', b'1', ..] => "a Parquet file",
        _ if std::str::from_utf8(head).is_ok() => "text",
        _ => "binary data of another kind",
    }
}

/// Opens the file. A file without side files is complete: opening it as immutable creates no side files, and works
/// in read-only places. If there are side files, SQLite must merge them.
fn open(path: &Path, (cut_off, size): (Option<&RunfileError>, u64)) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let mut conn = Connection::open_with_flags(uri(path, !waits_beside(path)), flags)?;
    conn.busy_timeout(PATIENCE)?;
    confined::confine(&mut conn, size)?;
    // Only a writable schema lets SQLite open a file shorter than its header states (SQLite's document on
    // recovering corrupt databases).
    match cut_off {
        Some(_) => conn.pragma_update(None, "writable_schema", true)?,
        None => confined::defend(&conn)?,
    }
    Ok(conn)
}

/// Whether side files hold changes that the file does not have yet.
fn waits_beside(path: &Path) -> bool {
    let holds_something = |suffix: &str| {
        let mut side = path.as_os_str().to_owned();
        side.push(suffix);
        std::fs::metadata(PathBuf::from(side)).is_ok_and(|about| about.len() > 0)
    };
    holds_something("-wal") || holds_something("-journal")
}

/// Returns a `file:` URI with every special byte escaped.
fn uri(path: &Path, alone: bool) -> String {
    use std::os::unix::ffi::OsStrExt;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut text = String::from("file://");
    for &byte in absolute.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            text.push(byte as char);
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    if alone {
        text.push_str("?immutable=1");
    }
    text
}

/// Returns the identity and version that the file states.
fn identity(conn: &Connection) -> Outcome<(i32, i32)> {
    let pragma = |name: &str| conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).optional();
    Ok((pragma("application_id")?.unwrap_or_default(), pragma("user_version")?.unwrap_or_default()))
}

fn check_identity(path: &Path, (id, version): (i32, i32)) -> Result<(), RunfileError> {
    if id != APPLICATION_ID {
        let looks_like = "an SQLite database of another program";
        return Err(RunfileError::NotARunFile { path: path.to_owned(), looks_like });
    }
    if version > SCHEMA_VERSION {
        return Err(RunfileError::Newer { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    Ok(())
}

fn unreadable(path: &Path, error: &rusqlite::Error) -> RunfileError {
    RunfileError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

fn is_refusal(error: &rusqlite::Error) -> bool {
    let refusals = [ErrorCode::CannotOpen, ErrorCode::PermissionDenied, ErrorCode::DatabaseBusy];
    error.sqlite_error_code().is_some_and(|code| refusals.contains(&code))
}

fn damaged(path: &Path, table: &'static str, reason: &str) -> RunfileError {
    RunfileError::Damaged { path: path.to_owned(), table, reason: reason.to_owned() }
}
