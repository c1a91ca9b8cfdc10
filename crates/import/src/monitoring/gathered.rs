//! Readings of devices by machine, and their conversion to series on common intervals.

use std::collections::HashMap;

use record::{ExceededLimits, ExceededWhile, HostFacts, Metric, ObservedDevice, ObservedMachine};
use workload::Nanos;

use super::super::bounds::RESULTS_MOST;
use super::super::found::ImportedResult;
use super::names::{Form, Meaning, Row, divisor};

/// Most devices kept, of all machines: more than any answer has.
const DEVICES_MOST: usize = 4096;
/// Cells of a machine's series that any recording may have; series of different times leave cells between them.
const CELLS_LEAST: usize = 1 << 22;
/// Cells allowed for each reading, beyond [`CELLS_LEAST`].
const CELLS: usize = 4;
/// Latest readable time: the end of the year 9999, in seconds since 1970.
const LATEST_S: f64 = 253_402_300_799.0;

/// Readings of every machine.
#[derive(Default)]
pub(super) struct Gathered {
    machines: Vec<Machine>,
    places: HashMap<(String, String), (usize, usize)>,
    /// Number of series left out because there are too many devices.
    left_out: usize,
}

struct Machine {
    host: String,
    at: usize,
    devices: Vec<Device>,
}

struct Device {
    name: String,
    series: Vec<Series>,
}

struct Series {
    row: Row,
    readings: Vec<Reading>,
}

/// A value and its time, in milliseconds since 1970.
#[derive(Clone, Copy)]
struct Reading {
    at_ms: i64,
    value: f64,
}

/// A value over a time: from, to.
type Span = (i64, i64, f64);

/// A series to which readings are added.
#[derive(Clone, Copy)]
pub(super) struct Place {
    machine: usize,
    device: usize,
    series: usize,
}

impl Gathered {
    /// Returns the series of a device under a row, added if missing; `None` if there are too many devices or machines.
    pub fn series(&mut self, (host, device): (&str, &str), row: Row, at: usize) -> Option<Place> {
        let key = (host.to_owned(), device.to_owned());
        let known = self.places.get(&key).copied().or_else(|| self.add(&key, at));
        let Some((machine, device)) = known else {
            self.left_out += 1;
            return None;
        };
        let list = &mut self.machines[machine].devices[device].series;
        let series = list.iter().position(|series| series.row.0 == row.0).unwrap_or_else(|| {
            list.push(Series { row, readings: Vec::new() });
            list.len() - 1
        });
        Some(Place { machine, device, series })
    }

    fn add(&mut self, key: &(String, String), at: usize) -> Option<(usize, usize)> {
        let (host, name) = key;
        let known = self.machines.iter().position(|machine| machine.host == *host);
        if self.places.len() >= DEVICES_MOST || (known.is_none() && self.machines.len() >= RESULTS_MOST) {
            return None;
        }
        let machine = known.unwrap_or_else(|| {
            self.machines.push(Machine { host: host.clone(), at, devices: Vec::new() });
            self.machines.len() - 1
        });
        let devices = &mut self.machines[machine].devices;
        devices.push(Device { name: name.clone(), series: Vec::new() });
        let place = (machine, devices.len() - 1);
        self.places.insert(key.clone(), place);
        Some(place)
    }

    /// Adds a reading, unless its time or its value is no number; `seconds` are those since 1970.
    pub fn push(&mut self, place: Place, seconds: f64, value: f64) {
        if (0.0..=LATEST_S).contains(&seconds) && value.is_finite() {
            let series = &mut self.machines[place.machine].devices[place.device].series[place.series];
            series.readings.push(Reading { at_ms: (seconds * 1e3).round() as i64, value });
        }
    }

    /// Returns a note on what was left out.
    pub fn note(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            format!(
                "{} series are left out: there are more than {RESULTS_MOST} machines or {DEVICES_MOST} devices; query fewer at once",
                self.left_out
            )
        })
    }

    /// Returns one result for each machine that has at least one interval.
    pub fn found(self, tool: &str, name: &str) -> Vec<ImportedResult> {
        self.machines.into_iter().filter_map(|machine| machine.found(tool, name)).collect()
    }
}

impl Machine {
    fn found(mut self, tool: &str, name: &str) -> Option<ImportedResult> {
        let readings = self.settle();
        let drawn: Vec<Drawn> = self.devices.iter().enumerate().flat_map(Device::drawn).collect();
        let spans = drawn.iter().flat_map(|drawn| &drawn.spans);
        let mut edges: Vec<i64> = spans.flat_map(|&(from, to, _)| [from, to]).collect();
        edges.sort_unstable();
        edges.dedup();
        let (&began, &ended) = edges.first().zip(edges.last()).filter(|(began, ended)| began < ended)?;
        let kept = ((CELLS_LEAST + CELLS * readings) / edges.len()).min(drawn.len());
        let mut devices: Vec<ObservedDevice> = Vec::new();
        for Drawn { device, metric, spans } in &drawn[..kept] {
            let name = &self.devices[*device].name;
            if devices.last().is_none_or(|last| last.name != *name) {
                devices.push(ObservedDevice { name: name.clone(), metrics: Vec::new() });
            }
            if let Some(last) =
                devices.last_mut().filter(|last| last.metrics.iter().all(|one| one.0 != *metric))
            {
                last.metrics.push((*metric, over(&edges, spans)));
            }
        }
        devices.iter_mut().for_each(divided);
        let nanos = |ms: i64| Nanos((ms - began) as u64 * 1_000_000);
        let intervals = edges.windows(2).map(|pair| (nanos(pair[0]), nanos(pair[1]))).collect();
        let too_many = (kept < drawn.len()).then(|| {
            format!(
                "{} series are left out: their times differ from those of the others, so they would take too much memory; query \
                 all with the same start and step",
                drawn.len() - kept
            )
        });
        let hostname = self.host.clone();
        Some(ImportedResult {
            tool: tool.to_owned(),
            notes: too_many.into_iter().collect(),
            started_unix_ms: began as u64,
            host: (!hostname.is_empty()).then(|| HostFacts { hostname, ..HostFacts::default() }),
            observed: Some(ObservedMachine { source: name.to_owned(), intervals, cpu: Vec::new(), devices }),
            exceeded: self.devices.iter().filter_map(|device| device.exceeded(nanos(ended))).collect(),
            at: self.at,
            ..ImportedResult::default()
        })
    }

    /// Sorts the readings of each series, of which the first of a time counts; returns the number of all.
    fn settle(&mut self) -> usize {
        let mut readings = 0;
        for series in self.devices.iter_mut().flat_map(|device| &mut device.series) {
            series.readings.sort_by_key(|reading| reading.at_ms);
            series.readings.dedup_by_key(|reading| reading.at_ms);
            readings += series.readings.len();
        }
        readings
    }
}

/// A series to be drawn: the index of its device, its metric, its values.
struct Drawn {
    device: usize,
    metric: Metric,
    spans: Vec<Span>,
}

impl Device {
    /// Returns the series that have a value.
    fn drawn((index, device): (usize, &Device)) -> Vec<Drawn> {
        let (resets, usual) = (resets(&device.series), usual_period(&device.series));
        let of = |series: &Series| {
            let Meaning::Of(metric, form) = series.row.1 else { return None };
            let spans = match form {
                Form::Counter(_) | Form::Spent | Form::Gauge => series.between(form, &resets),
                _ => series.over_periods(form, usual),
            };
            (!spans.is_empty()).then_some(Drawn { device: index, metric, spans })
        };
        device.series.iter().filter_map(of).collect()
    }

    /// Returns for how long limits were exceeded while the recording `lasted`; `None` if the volume does not count that.
    fn exceeded(&self, lasted: Nanos) -> Option<ExceededWhile> {
        let (mut before, mut after) = (ExceededLimits::default(), ExceededLimits::default());
        let mut any = false;
        for series in &self.series {
            let (Meaning::Exceeded(counter), Some(first)) = (series.row.1, series.readings.first()) else {
                continue;
            };
            // A fall adds nothing: the volume began to count anew.
            let grown =
                series.readings.windows(2).map(|pair| (pair[1].value - pair[0].value).max(0.0)).sum::<f64>();
            let micros = |seconds: f64| (seconds * 1e6) as u64;
            *counter(&mut before) = micros(first.value);
            *counter(&mut after) = micros(first.value).saturating_add(micros(grown));
            any |= series.readings.len() > 1;
        }
        any.then(|| ExceededWhile { device: self.name.clone(), before, after: Some(after), lasted })
    }
}

/// Returns the times of readings before which a counter of the device fell: it began to count anew.
fn resets(series: &[Series]) -> Vec<i64> {
    let is_counter = |series: &&Series| {
        matches!(series.row.1, Meaning::Of(_, Form::Counter(_) | Form::Spent) | Meaning::Exceeded(_))
    };
    let counters = series.iter().filter(is_counter);
    let pairs = counters.flat_map(|series| series.readings.windows(2));
    let mut fell: Vec<i64> =
        pairs.filter(|pair| pair[1].value < pair[0].value).map(|pair| pair[1].at_ms).collect();
    fell.sort_unstable();
    fell.dedup();
    fell
}

/// Returns the shortest period of a device's amounts that at least three readings show.
fn usual_period(series: &[Series]) -> Option<i64> {
    series.iter().filter(|series| series.readings.len() > 2).filter_map(Series::period).min()
}

impl Series {
    /// Returns the values between readings; none across a reset of the device.
    fn between(&self, form: Form, resets: &[i64]) -> Vec<Span> {
        let is_reset = |from: i64, to: i64| {
            let next = resets.partition_point(|&at| at <= from);
            resets.get(next).is_some_and(|&at| at <= to)
        };
        let span = |pair: &[Reading]| {
            let (from, to) = (pair[0].at_ms, pair[1].at_ms);
            let a_second = (pair[1].value - pair[0].value) / ((to - from) as f64 / 1e3);
            let value = match form {
                Form::Gauge => pair[1].value,
                _ if is_reset(from, to) => f64::NAN,
                Form::Counter(factor) => a_second * factor,
                _ => a_second,
            };
            (from, to, finite(value))
        };
        self.readings.windows(2).map(span).collect()
    }

    /// Returns the values over the periods that begin at the readings; none if nothing shows how long a period is. Two
    /// readings may have others missing between them, so the `usual` period of the device's other series counts there.
    fn over_periods(&self, form: Form, usual: Option<i64>) -> Vec<Span> {
        let own = self.period();
        let usual = usual.filter(|usual| self.readings.len() < 3 && own.is_none_or(|own| own % usual == 0));
        let Some(period) = usual.or(own) else { return Vec::new() };
        let span = |reading: &Reading| {
            let share = reading.value / (period as f64 / 1e3);
            let value = match form {
                Form::Idle => (1.0 - share).max(0.0),
                Form::Mean => reading.value,
                _ => share,
            };
            (reading.at_ms, reading.at_ms + period, finite(value))
        };
        self.readings.iter().map(span).collect()
    }

    /// Returns the longest time of which all times between readings are multiples.
    fn period(&self) -> Option<i64> {
        self.readings.windows(2).map(|pair| pair[1].at_ms - pair[0].at_ms).reduce(common)
    }
}

/// Returns the greatest common divisor of two times.
fn common(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns a value, or NaN if a difference was too great for a number.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}

/// Returns one value for each interval between `edges`: that of the span which covers it, else NaN.
fn over(edges: &[i64], spans: &[Span]) -> Vec<f64> {
    let mut values = vec![f64::NAN; edges.len() - 1];
    let mut at = 0;
    for &(from, to, value) in spans {
        while edges[at] < from {
            at += 1;
        }
        let mut within = at;
        while within < values.len() && edges[within] < to {
            values[within] = value;
            within += 1;
        }
    }
    values
}

/// Divides times that were spent in operations by the number of these; without operations there is no mean. A time whose
/// operations are not recorded is dropped.
fn divided(device: &mut ObservedDevice) {
    let ops: Vec<(Metric, Vec<f64>)> = device
        .metrics
        .clone()
        .into_iter()
        .filter(|(metric, _)| {
            [Metric::ReadOps, Metric::WriteOps, Metric::DiscardOps, Metric::FlushOps].contains(metric)
        })
        .collect();
    device.metrics.retain_mut(|(metric, values)| {
        let Some(divisor) = divisor(*metric) else { return true };
        let Some((_, ops)) = ops.iter().find(|(known, _)| *known == divisor) else { return false };
        for (value, ops) in values.iter_mut().zip(ops) {
            *value = if *ops > 0.0 { *value / ops } else { f64::NAN };
        }
        true
    });
    device.metrics.sort_by_key(|(metric, _)| *metric);
}
