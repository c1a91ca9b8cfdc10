//! Gives a run back, whether it ended well or was cut off.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use record::Run;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::RunfileError;
use crate::rebuild::rebuild;
use crate::reported;
use crate::schema::{APPLICATION_ID, SCHEMA_VERSION};
use crate::tables::{self, Fault};

/// How long a reader waits for a writer who is just changing the file's mode.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads a whole run: everything up to the last commit that is in the file or in the `-wal` file beside it. The file is
/// not changed. A step whose end was never stored is rebuilt from its intervals and ends `Interrupted`.
///
/// # Errors
/// `NotFound`, `NotARunFile` with what it looks like, `Newer`, `Unreadable`, and `Damaged` with the table.
pub fn read(path: &Path) -> Result<Run, RunfileError> {
    look(path)?;
    let conn = open(path).map_err(|error| unreadable(path, &error))?;
    // One transaction, so that a run that is being written comes out as of one moment.
    conn.execute_batch("BEGIN").map_err(|error| unreadable(path, &error))?;
    let within = |table: &'static str| move |fault: Fault| damaged(path, table, &fault);
    check_identity(path, tables::identity(&conn).map_err(within("sqlite_schema"))?)?;

    let mut run = tables::run(&conn).map_err(within("run"))?;
    run.host = tables::host(&conn).map_err(within("host"))?;
    run.target = tables::target(&conn).map_err(within("target"))?;
    let devices = tables::devices(&conn).map_err(within("device"))?;
    run.target.iter_mut().for_each(|target| target.devices.clone_from(&devices));

    let mut steps = tables::steps(&conn).map_err(within("step"))?;
    tables::intervals(&conn, &mut steps).map_err(within("interval"))?;
    tables::workers(&conn, &mut steps).map_err(within("worker"))?;
    tables::failures(&conn, &mut steps).map_err(within("failure"))?;
    steps.iter_mut().filter(|(_, ended)| !ended).for_each(|(step, _)| rebuild(step));
    run.steps = steps.into_iter().map(|(step, _)| step).collect();

    let mut samples = tables::samples(&conn).map_err(within("sample_cpu"))?;
    tables::disks(&conn, &mut samples).map_err(within("sample_disk"))?;
    run.samples = samples.into_iter().map(|(_, sample)| sample).collect();
    run.reported = reported::read(&conn).map_err(within("reported"))?;
    run.events = tables::events(&conn).map_err(within("event"))?;
    run.findings = tables::findings(&conn).map_err(within("finding"))?;
    Ok(run)
}

/// Looks at the first bytes before SQLite does, since its own words ("file is not a database") help nobody.
fn look(path: &Path) -> Result<(), RunfileError> {
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
        Some(id) if id == APPLICATION_ID.to_be_bytes() => Ok(()),
        _ => not("an SQLite database of another program"),
    }
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

/// A file without side files is complete by itself: opened as immutable it leaves none behind and opens from read-only
/// places too. With them, SQLite has to join the two.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let holds_something = |suffix: &str| {
        let mut side = path.as_os_str().to_owned();
        side.push(suffix);
        std::fs::metadata(PathBuf::from(side)).is_ok_and(|about| about.len() > 0)
    };
    let alone = !holds_something("-wal") && !holds_something("-journal");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let conn = Connection::open_with_flags(uri(path, alone), flags)?;
    conn.busy_timeout(PATIENCE)?;
    Ok(conn)
}

/// `file:` with every byte that means something in a URI escaped.
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

fn damaged(path: &Path, table: &'static str, fault: &Fault) -> RunfileError {
    match fault {
        Fault::Sqlite(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::DatabaseBusy)
            ) =>
        {
            unreadable(path, error)
        }
        _ => RunfileError::Damaged { path: path.to_owned(), table, reason: fault.to_string() },
    }
}
