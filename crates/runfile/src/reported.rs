//! What another tool printed, in its two tables: a row a part, and its series point by point.

use record::Reported;
use rusqlite::{Connection, Result, params};

use crate::rows::word;
use crate::tables::{Fault, Outcome, all, whole};

/// Stores `reported`. Points of a series are rows of their own, so that a day of a log neither bloats the JSON nor has to
/// be read for the totals.
pub(crate) fn insert(conn: &Connection, parts: &[Reported]) -> Result<()> {
    conn.execute_batch("DELETE FROM reported; DELETE FROM reported_point")?;
    let mut part_row = conn.prepare_cached("INSERT INTO reported VALUES (?, ?, ?, ?)")?;
    let mut point_row = conn.prepare_cached("INSERT INTO reported_point VALUES (?, ?, ?, ?)")?;
    for (number, part) in parts.iter().enumerate() {
        for (index, series) in part.series.iter().enumerate() {
            for &(place, value) in &series.points {
                point_row.execute(params![number as i64, index as i64, crate::rows::whole(place), value])?;
            }
        }
        part_row.execute(params![number as i64, word(&part.scope), part.job, text(part)])?;
    }
    Ok(())
}

/// The part as JSON without the points of its series.
fn text(part: &Reported) -> String {
    let mut short = part.clone();
    short.series.iter_mut().for_each(|series| series.points.clear());
    match serde_json::to_string(&short) {
        Ok(text) => text,
        Err(error) => unreachable!("strings and numbers always encode: {error}"),
    }
}

/// Everything that [`insert`] stored; nothing where the file comes from before there was such a table.
pub(crate) fn read(conn: &Connection) -> Outcome<Vec<Reported>> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'reported'";
    if all(conn, exists, |_| Ok(()))?.is_empty() {
        return Ok(Vec::new());
    }
    let mut parts: Vec<Reported> = all(conn, "SELECT record FROM reported ORDER BY reported", |row| {
        Ok(serde_json::from_str(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?)
    })?;
    let mut statement =
        conn.prepare("SELECT reported, series, place, value FROM reported_point ORDER BY rowid")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let index: isize = row.get(1)?;
        let part = usize::try_from(number).ok().and_then(|number| parts.get_mut(number));
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        match part.and_then(|part| part.series.get_mut(index)) {
            Some(series) => series.points.push((whole(row, 2)?, row.get(3)?)),
            None => return Err(Fault::Orphan { row: number, owner: "reported", number }),
        }
    }
    Ok(parts)
}
