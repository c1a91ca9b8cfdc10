//! What another tool printed, in its two tables: a row a part, and its series point by point.

use record::Reported;
use rusqlite::{Connection, Result, params};

use crate::rows::word;
use crate::scan::{Fault, Query, Scan};
use crate::tables::{json, whole};

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
pub(crate) fn read(scan: &Scan<'_>) -> Vec<Reported> {
    if !scan.has("reported") {
        return Vec::new();
    }
    let mut numbers: Vec<i64> = Vec::new();
    let mut parts: Vec<Reported> = scan.all(Query::of("reported", "record, reported").documents(), |row| {
        let part = json(row, 0)?;
        numbers.push(row.get(1)?);
        Ok(part)
    });
    scan.each(Query::of("reported_point", "reported, series, place, value").numbers(), |row| {
        let number: i64 = row.get(0)?;
        let index = usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX);
        let part = numbers.binary_search(&number).ok().and_then(|place| parts.get_mut(place));
        let series = part.and_then(|part| part.series.get_mut(index));
        let series = series.ok_or(Fault::Orphan { owner: "series of part", number })?;
        series.points.push((whole(row, 2)?, row.get(3)?));
        Ok(())
    });
    parts
}
