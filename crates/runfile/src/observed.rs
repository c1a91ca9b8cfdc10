//! Another tool's series in their tables: a row for each interval and device, a column for each metric.

use record::{CpuMetric, Metric, ObservedDevice, ObservedMachine};
use rusqlite::{Connection, Result, Row, Statement};
use serde_json::Value;
use workload::Nanos;

use crate::cell::{Json, Maybe, Text, Time, word};
use crate::samples::DEVICES_MOST;
use crate::scan::{Fault, Outcome, Scan};
use crate::table::{self, Column, Inserts, Key, Table, table};

table! {
    /// The tool that printed the series.
    Sources, "observed" of (String,) {
        Text: source = 0;
    }
}

table! {
    /// Devices with values, and their metrics; the CPUs' row has no device.
    AllSeries, "observed_series" of (Option<String>, Vec<Value>), Own(series) {
        Maybe<Text>: device = 0;
        Json: metrics = 1;
    }
}

table! {
    Spans, "observed_interval" of (Nanos, Nanos), Own(interval) {
        Time: from_ns = 0, to_ns = 1;
    }
}

/// Gives each table a column for each existing metric, in the order of declaration. NaN is stored as NULL.
macro_rules! values {
    ($($table:ident, $name:literal, $key:ident($number:ident) $(, $of:ident($owner:ident))?: $metrics:expr;)+) => {$(
        pub(crate) struct $table;

        impl Table for $table {
            type Row = Vec<f64>;
            const NAME: &'static str = $name;
            const KEYS: &'static [Key] = &[Key::$key(stringify!($number)) $(, Key::$of(stringify!($owner)))?];

            fn columns() -> Vec<Column> {
                let column = |metric| Column { name: word(&metric).into(), of: "REAL", nulls: true };
                $metrics.map(column).into_iter().collect()
            }

            fn bind(row: &Vec<f64>, statement: &mut Statement<'_>, at: usize) -> Result<()> {
                let mut columns = (at..).zip(row);
                columns.try_for_each(|(column, value)| statement.raw_bind_parameter(column, value))
            }

            fn fill(into: &mut Vec<f64>, row: &Row<'_>, at: usize) -> Outcome<()> {
                into.resize($metrics.into_iter().count(), f64::NAN);
                for (column, value) in (at..).zip(into) {
                    *value = row.get::<_, Option<f64>>(column)?.unwrap_or(f64::NAN);
                }
                Ok(())
            }
        }
    )+};
}

values! {
    CpuValues, "observed_cpu", Own(interval): CpuMetric::ALL;
    DiskValues, "observed_disk", Of(interval), Of(series): Metric::all();
}

/// Stores `observed`; replaces the series stored before. Rows without values are left out.
pub(crate) fn store(conn: &Connection, observed: Option<&ObservedMachine>) -> Result<()> {
    let source = observed.map(|observed| (observed.source.clone(),));
    table::replace::<Sources>(conn, &source)?;
    table::clear::<AllSeries>(conn)?;
    table::clear::<Spans>(conn)?;
    table::clear::<CpuValues>(conn)?;
    table::clear::<DiskValues>(conn)?;
    let Some(observed) = observed else { return Ok(()) };
    let mut series = Inserts::<AllSeries>::table(conn)?;
    series.put(&[None], &(None, names(&observed.cpu)))?;
    for device in &observed.devices {
        series.put(&[None], &(Some(device.name.clone()), names(&device.metrics)))?;
    }
    let mut spans = Inserts::<Spans>::table(conn)?;
    let mut cpu = Inserts::<CpuValues>::table(conn)?;
    let mut disks = Inserts::<DiskValues>::table(conn)?;
    let mut row = vec![f64::NAN; CpuMetric::ALL.len()];
    let mut wide = vec![f64::NAN; Metric::all().count()];
    for (number, span) in observed.intervals.iter().enumerate() {
        let interval = Some(number as i64);
        spans.put(&[interval], span)?;
        if gather(&mut row, &observed.cpu, number, |metric| metric as usize) {
            cpu.put(&[interval], &row)?;
        }
        for (place, device) in observed.devices.iter().enumerate() {
            if gather(&mut wide, &device.metrics, number, |metric| metric as usize) {
                // Series are numbered from 1, and the first one is of the CPUs.
                disks.put(&[interval, Some(place as i64 + 2)], &wide)?;
            }
        }
    }
    Ok(())
}

/// Returns the metrics of a series, each as its snake_case word.
fn names<M: serde::Serialize>(metrics: &[(M, Vec<f64>)]) -> Vec<Value> {
    metrics.iter().map(|(metric, _)| Value::String(word(metric))).collect()
}

/// Fills `row` with the values at `number`, each at its metric's `place`; returns whether there are any values.
fn gather<M: Copy>(row: &mut [f64], metrics: &[(M, Vec<f64>)], number: usize, place: fn(M) -> usize) -> bool {
    row.fill(f64::NAN);
    for (metric, values) in metrics {
        row[place(*metric)] = values.get(number).copied().unwrap_or(f64::NAN);
    }
    row.iter().any(|value| !value.is_nan())
}

/// Returns the series that [`store`] stored; `None` if the file is of a version without these tables.
pub(crate) fn read(scan: &Scan<'_>) -> Option<ObservedMachine> {
    let source = table::all_if_there::<Sources>(scan).into_iter().next()?.0;
    let mut observed = ObservedMachine { source, ..ObservedMachine::default() };
    let mut numbers: Vec<i64> = Vec::new();
    scan.each(table::select::<Spans>().numbers(), |row| {
        scan.weighs(2 * size_of::<(Nanos, Nanos)>() as u64)?;
        let span = table::taken::<Spans>(row)?;
        numbers.push(table::number::<Spans>(row)?);
        observed.intervals.push(span);
        Ok(())
    });
    let devices = series(scan, &mut observed);
    scan.each(table::select::<CpuValues>().numbers(), |row| {
        let at = place("interval", &numbers, table::number::<CpuValues>(row)?)?;
        let row = table::taken::<CpuValues>(row)?;
        observed.cpu.iter_mut().for_each(|(metric, values)| values[at] = row[*metric as usize]);
        Ok(())
    });
    scan.each(table::select::<DiskValues>().numbers(), |row| {
        let at = place("interval", &numbers, row.get(0)?)?;
        let device = place("series", &devices, row.get(1)?)?;
        let (row, metrics) = (table::taken::<DiskValues>(row)?, &mut observed.devices[device].metrics);
        metrics.iter_mut().for_each(|(metric, values)| values[at] = row[*metric as usize]);
        Ok(())
    });
    Some(observed)
}

/// Bytes of memory that a device takes in a report in addition to its values, mainly for its lines in every chart;
/// measured with reports of 20,000 devices.
const SERIES_WEIGHS: u64 = 12_000;

/// Reads the series without their values; returns the numbers of the devices' series.
fn series(scan: &Scan<'_>, observed: &mut ObservedMachine) -> Vec<i64> {
    let count = observed.intervals.len();
    let mut numbers = Vec::new();
    scan.each(table::select::<AllSeries>(), |row| {
        let (device, metrics) = table::taken::<AllSeries>(row)?;
        bounded(observed.devices.len() + 1, "devices", DEVICES_MOST)?;
        bounded(metrics.len(), "metrics of a device", Metric::all().count())?;
        // Counted even if the file holds few values of a device, because a report draws each device.
        scan.weighs(SERIES_WEIGHS + (3 * metrics.len() * count * size_of::<f64>()) as u64)?;
        match device {
            None => observed.cpu = empty(metrics, count)?,
            Some(name) => {
                let metrics = empty(metrics, count)?;
                numbers.push(table::number::<AllSeries>(row)?);
                observed.devices.push(ObservedDevice { name, metrics });
            }
        }
        Ok(())
    });
    numbers
}

/// Returns `count` unknown values for each metric in `words`.
fn empty<M: serde::de::DeserializeOwned>(words: Vec<Value>, count: usize) -> Outcome<Vec<(M, Vec<f64>)>> {
    let each = words.into_iter().map(|word| Ok((serde_json::from_value(word)?, vec![f64::NAN; count])));
    each.collect()
}

fn bounded(found: usize, of: &'static str, most: usize) -> Outcome<()> {
    if found <= most { Ok(()) } else { Err(Fault::TooMany { found, of, most }) }
}

fn place(owner: &'static str, numbers: &[i64], number: i64) -> Outcome<usize> {
    numbers.binary_search(&number).map_err(|_| Fault::Orphan { owner, number })
}
