//! Series that another tool printed, in their tables: a row an interval and device, a column a metric.

use record::{CpuMetric, Metric, Observed, ObservedDevice};
use rusqlite::{Connection, Result, params, params_from_iter};

use crate::rows::{array, word};
use crate::scan::{Fault, Outcome, Query, Scan};
use crate::tables::{json, nanos};

/// Stores `observed`; replaces what was stored before. What is NaN becomes NULL, and a row of nothing else is left out.
pub(crate) fn insert(conn: &Connection, observed: Option<&Observed>) -> Result<()> {
    conn.execute_batch(
        "DELETE FROM observed; DELETE FROM observed_series; DELETE FROM observed_interval; DELETE FROM observed_cpu;
         DELETE FROM observed_disk",
    )?;
    let Some(observed) = observed else { return Ok(()) };
    conn.execute("INSERT INTO observed VALUES (?)", [&observed.source])?;
    let mut series = conn.prepare_cached("INSERT INTO observed_series VALUES (NULL, ?, ?)")?;
    let cpu: Vec<CpuMetric> = observed.cpu.iter().map(|(metric, _)| *metric).collect();
    series.execute(params![None::<String>, array(&cpu)])?;
    for device in &observed.devices {
        let metrics: Vec<Metric> = device.metrics.iter().map(|(metric, _)| *metric).collect();
        series.execute(params![device.name, array(&metrics)])?;
    }
    let mut interval = conn.prepare_cached("INSERT INTO observed_interval VALUES (?, ?, ?)")?;
    for (number, (from, to)) in observed.intervals.iter().enumerate() {
        interval.execute([number as i64, from.0 as i64, to.0 as i64])?;
        values(conn, observed, number)?;
    }
    Ok(())
}

/// The rows of interval `number`.
fn values(conn: &Connection, observed: &Observed, number: usize) -> Result<()> {
    let mut places = [f64::NAN; CpuMetric::ALL.len()];
    let value = |values: &[f64]| values.get(number).copied().unwrap_or(f64::NAN);
    observed.cpu.iter().for_each(|(metric, values)| places[*metric as usize] = value(values));
    if places.iter().any(|value| !value.is_nan()) {
        let sql = "INSERT INTO observed_cpu VALUES (?, ?, ?, ?, ?, ?, ?)";
        let all = std::iter::once(number as f64).chain(places);
        conn.prepare_cached(sql)?.execute(params_from_iter(all))?;
    }
    let count = Metric::all().count();
    let marks = ", ?".repeat(count);
    let mut insert = conn.prepare_cached(&format!("INSERT INTO observed_disk VALUES (?, ?{marks})"))?;
    let mut places = vec![f64::NAN; count];
    for (place, device) in observed.devices.iter().enumerate() {
        places.fill(f64::NAN);
        device.metrics.iter().for_each(|(metric, values)| places[*metric as usize] = value(values));
        if places.iter().all(|value| value.is_nan()) {
            continue;
        }
        insert.raw_bind_parameter(1, number as i64)?;
        // Series are numbered from 1, and the first is the CPUs'.
        insert.raw_bind_parameter(2, place as i64 + 2)?;
        for (column, value) in places.iter().enumerate() {
            insert.raw_bind_parameter(3 + column, value)?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

/// What [`insert`] stored; nothing where the file comes from before there was such a table.
pub(crate) fn read(scan: &Scan<'_>) -> Option<Observed> {
    if !scan.has("observed") {
        return None;
    }
    let source = scan.all(Query::of("observed", "source"), |row| Ok(row.get(0)?)).into_iter().next()?;
    let mut observed = Observed { source, ..Observed::default() };
    let mut numbers: Vec<i64> = Vec::new();
    scan.each(Query::of("observed_interval", "from_ns, to_ns, interval").numbers(), |row| {
        let interval = (nanos(row, 0)?, nanos(row, 1)?);
        numbers.push(row.get(2)?);
        observed.intervals.push(interval);
        Ok(())
    });
    let devices = series(scan, &mut observed);
    cpu_values(scan, &mut observed, &numbers);
    disk_values(scan, &mut observed, (&numbers, &devices));
    Some(observed)
}

/// Which series there are, without values; the numbers of the devices' ones.
fn series(scan: &Scan<'_>, observed: &mut Observed) -> Vec<i64> {
    let nothing = vec![f64::NAN; observed.intervals.len()];
    let mut numbers = Vec::new();
    scan.each(Query::of("observed_series", "device, metrics, series"), |row| {
        let device: Option<String> = row.get(0)?;
        match device {
            None => {
                let metrics: Vec<CpuMetric> = json(row, 1)?;
                observed.cpu = metrics.into_iter().map(|metric| (metric, nothing.clone())).collect();
            }
            Some(name) => {
                let metrics: Vec<Metric> = json(row, 1)?;
                let metrics = metrics.into_iter().map(|metric| (metric, nothing.clone())).collect();
                numbers.push(row.get(2)?);
                observed.devices.push(ObservedDevice { name, metrics });
            }
        }
        Ok(())
    });
    numbers
}

fn cpu_values(scan: &Scan<'_>, observed: &mut Observed, intervals: &[i64]) {
    let columns = CpuMetric::ALL.map(|metric| word(&metric)).join(", ");
    scan.each(Query::of("observed_cpu", &format!("interval, {columns}")).numbers(), |row| {
        let at = place("interval", intervals, row.get(0)?)?;
        for (metric, values) in &mut observed.cpu {
            values[at] = row.get::<_, Option<f64>>(1 + *metric as usize)?.unwrap_or(f64::NAN);
        }
        Ok(())
    });
}

fn disk_values(scan: &Scan<'_>, observed: &mut Observed, (intervals, devices): (&[i64], &[i64])) {
    // Only the columns that are in use: a later version may have more.
    let used = |metric: &Metric| {
        observed.devices.iter().any(|device| device.metrics.iter().any(|(known, _)| known == metric))
    };
    let metrics: Vec<Metric> = Metric::all().filter(used).collect();
    let words: Vec<String> = metrics.iter().map(|metric| format!(", {}", word(metric))).collect();
    scan.each(Query::of("observed_disk", &format!("interval, series{}", words.concat())).numbers(), |row| {
        let at = place("interval", intervals, row.get(0)?)?;
        let device = place("series", devices, row.get(1)?)?;
        for (metric, values) in &mut observed.devices[device].metrics {
            let column = metrics.iter().position(|known| known == metric).map_or(0, |column| column + 2);
            values[at] = row.get::<_, Option<f64>>(column)?.unwrap_or(f64::NAN);
        }
        Ok(())
    });
}

fn place(owner: &'static str, numbers: &[i64], number: i64) -> Outcome<usize> {
    numbers.binary_search(&number).map_err(|_| Fault::Orphan { owner, number })
}
