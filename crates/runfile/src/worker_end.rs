//! How each worker ended: why, its first error, what it could not issue or tell, and its totals by file.

use std::collections::BTreeMap;

use record::WorkerTotals;
use rusqlite::{Connection, Result, params};

use crate::rows::word;
use crate::scan::{Query, Scan};
use crate::tables::{json, whole};

/// Stores the end of worker `id`.
pub(crate) fn insert(conn: &Connection, id: i64, worker: &WorkerTotals) -> Result<()> {
    let files = match serde_json::to_string(&worker.files) {
        Ok(files) => files,
        Err(error) => unreachable!("strings and numbers always encode: {error}"),
    };
    conn.prepare_cached("INSERT INTO worker_end VALUES (?, ?, ?, ?, ?, ?)")?.execute(params![
        id,
        worker.ending.map(|ending| word(&ending)),
        worker.first_errno,
        crate::rows::whole(worker.unissued),
        crate::rows::whole(worker.untraced),
        files
    ])?;
    Ok(())
}

/// The ends of all workers by number, the other fields at their defaults; none where the file comes from before there
/// was such a table.
pub(crate) fn read(scan: &Scan<'_>) -> BTreeMap<i64, WorkerTotals> {
    let mut ends = BTreeMap::new();
    if !scan.has("worker_end") {
        return ends;
    }
    scan.each(
        Query::of("worker_end", "worker, ending, first_errno, unissued, untraced, files").documents(),
        |row| {
            let ending: Option<String> = row.get(1)?;
            let totals = WorkerTotals {
                ending: if ending.is_some() { Some(crate::tables::word(row, 1)?) } else { None },
                first_errno: row.get(2)?,
                unissued: whole(row, 3)?,
                untraced: whole(row, 4)?,
                files: json(row, 5)?,
                ..WorkerTotals::default()
            };
            ends.insert(row.get(0)?, totals);
            Ok(())
        },
    );
    ends
}
