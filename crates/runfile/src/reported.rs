//! Another tool's output in its two tables: one row for each part, and its series point by point.

use record::{ReportedPart, Scope};
use rusqlite::{Connection, Result};

use crate::cell::{Json, Real, Text, Whole, Word};
use crate::scan::{Fault, Scan};
use crate::table::{self, Inserts, table};

/// A part, with the fields that SQL queries need as separate columns.
pub(crate) struct PartRow {
    scope: Scope,
    job: String,
    /// The part, without the points of its series.
    part: Option<ReportedPart>,
}

impl Default for PartRow {
    fn default() -> PartRow {
        PartRow { scope: Scope::Whole, job: String::new(), part: None }
    }
}

table! {
    /// Parts of an imported run.
    Parts, "reported" of PartRow, Own(reported) {
        Word: scope;
        Text: job;
        Json: record = part;
    }
}

table! {
    /// Points of series, without an index because they are read together.
    Points, "reported_point" of (u64, f64), Of(reported), Of(series) {
        Whole: place = 0;
        Real: value = 1;
    }
}

/// Stores `parts`; replaces those stored before. Each point of a series is a row, so that a log of a whole day
/// neither bloats the JSON nor has to be read for the totals.
pub(crate) fn store(conn: &Connection, parts: &[ReportedPart]) -> Result<()> {
    table::clear::<Parts>(conn)?;
    table::clear::<Points>(conn)?;
    let mut rows = Inserts::<Parts>::table(conn)?;
    let mut points = Inserts::<Points>::table(conn)?;
    for (number, part) in parts.iter().enumerate() {
        let number = Some(number as i64);
        for (index, series) in part.series.iter().enumerate() {
            for point in &series.points {
                points.put(&[number, Some(index as i64)], point)?;
            }
        }
        let mut short = part.clone();
        short.series.iter_mut().for_each(|series| series.points.clear());
        rows.put(&[number], &PartRow { scope: part.scope, job: part.job.clone(), part: Some(short) })?;
    }
    Ok(())
}

/// Returns everything that [`store`] stored; nothing if the file is of a version without these tables.
pub(crate) fn read(scan: &Scan<'_>) -> Vec<ReportedPart> {
    if !scan.has("reported") {
        return Vec::new();
    }
    let mut numbers: Vec<i64> = Vec::new();
    let mut parts: Vec<ReportedPart> = scan.all(table::select::<Parts>().documents(), |row| {
        let part = table::taken::<Parts>(row)?.part.ok_or(Fault::Empty)?;
        numbers.push(table::number::<Parts>(row)?);
        Ok(part)
    });
    scan.each(table::select::<Points>().numbers(), |row| {
        scan.weighs(2 * size_of::<(u64, f64)>() as u64)?;
        let number: i64 = row.get(0)?;
        let index = usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX);
        let part = numbers.binary_search(&number).ok().and_then(|place| parts.get_mut(place));
        let series = part.and_then(|part| part.series.get_mut(index));
        let series = series.ok_or(Fault::Orphan { owner: "series of part", number })?;
        series.points.push(table::taken::<Points>(row)?);
        Ok(())
    });
    parts
}
