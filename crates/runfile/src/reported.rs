//! What another tool printed, in its two tables: a row a part, and its series point by point.

use record::{Reported, Scope};
use rusqlite::{Connection, Result};

use crate::cell::{Json, Real, Text, Whole, Word};
use crate::scan::{Fault, Scan};
use crate::table::{self, Inserts, table};

/// A part, and again what SQL asks for of it.
pub(crate) struct Printed {
    scope: Scope,
    job: String,
    /// Without the points of its series.
    part: Option<Reported>,
}

impl Default for Printed {
    fn default() -> Printed {
        Printed { scope: Scope::Whole, job: String::new(), part: None }
    }
}

table! {
    /// Of a run that was imported.
    Parts, "reported" of Printed, Own(reported) {
        scope: Word = scope;
        job: Text = job;
        record: Json = part;
    }
}

/// A point of a series.
#[derive(Default)]
pub(crate) struct Point {
    series: i64,
    place: u64,
    value: f64,
}

table! {
    /// Without an index: they are read together.
    Points, "reported_point" of Point, Of(reported) {
        series: crate::cell::Number = series;
        place: Whole = place;
        value: Real = value;
    }
}

/// Stores `parts`; replaces what was stored before. Points of a series are rows of their own, so that a day of a log neither
/// bloats the JSON nor has to be read for the totals.
pub(crate) fn store(conn: &Connection, parts: &[Reported]) -> Result<()> {
    table::clear::<Parts>(conn)?;
    table::clear::<Points>(conn)?;
    let mut rows = Inserts::<Parts>::table(conn)?;
    let mut points = Inserts::<Points>::table(conn)?;
    for (number, part) in parts.iter().enumerate() {
        let number = Some(number as i64);
        for (index, series) in part.series.iter().enumerate() {
            for &(place, value) in &series.points {
                points.put(&[number], &Point { series: index as i64, place, value })?;
            }
        }
        let mut short = part.clone();
        short.series.iter_mut().for_each(|series| series.points.clear());
        rows.put(&[number], &Printed { scope: part.scope, job: part.job.clone(), part: Some(short) })?;
    }
    Ok(())
}

/// Everything that [`store`] stored; nothing where the file comes from before there was such a table.
pub(crate) fn read(scan: &Scan<'_>) -> Vec<Reported> {
    if !scan.has("reported") {
        return Vec::new();
    }
    let mut numbers: Vec<i64> = Vec::new();
    let mut parts: Vec<Reported> = scan.all(table::select::<Parts>().documents(), |row| {
        let part = table::taken::<Parts>(row)?.part.ok_or(Fault::Empty)?;
        numbers.push(table::number::<Parts>(row)?);
        Ok(part)
    });
    scan.each(table::select::<Points>().numbers(), |row| {
        let (number, point): (i64, Point) = (row.get(0)?, table::taken::<Points>(row)?);
        let index = usize::try_from(point.series).unwrap_or(usize::MAX);
        let part = numbers.binary_search(&number).ok().and_then(|place| parts.get_mut(place));
        let series = part.and_then(|part| part.series.get_mut(index));
        let series = series.ok_or(Fault::Orphan { owner: "series of part", number })?;
        series.points.push((point.place, point.value));
        Ok(())
    });
    parts
}
