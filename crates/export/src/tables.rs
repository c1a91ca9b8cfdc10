//! All data of a run, as tables. Columns whose names end in `_ns` are nanoseconds; times are on the run's clock, as
//! in the run file.

use analysis::Analysis;
use record::{CpuMetric, Distribution, Interval, Recording, Run, StepRecord};
use workload::{Direction, Nanos};

use crate::counters::counter_columns;
use crate::printed;
use crate::table::{Column, Table, figure, flag, text, whole};

/// Returns the tables of `run`: always the same set, so that all files of an earlier run in the same folder are
/// replaced.
pub fn tables(run: &Run, analysis: &Analysis) -> Vec<Table> {
    vec![
        Table { name: "steps", about: "a row a step", columns: steps(run) },
        Table { name: "step_directions", about: "a row a step and direction", columns: step_directions(run) },
        Table {
            name: "intervals",
            about: "a row an interval of a job and direction",
            columns: intervals(run),
        },
        Table {
            name: "per_second",
            about: "a row an interval of a step, all jobs together",
            columns: per_second(run),
        },
        Table {
            name: "histograms",
            about: "a row a filled bucket of a step and direction",
            columns: histograms(run),
        },
        Table {
            name: "device_counters",
            about: "a row a reading of a device's raw counters",
            columns: counter_columns(run),
        },
        Table { name: "device_rates", about: "a row an interval and device", columns: device_rates(run) },
        Table { name: "cpu_rates", about: "a row an interval of the whole machine", columns: cpu_rates(run) },
        Table {
            name: "findings",
            about: "a row a finding and span of evidence",
            columns: findings(analysis),
        },
        Table {
            name: "reported",
            about: "a row a job and direction that another tool printed",
            columns: printed::reported(run),
        },
        Table {
            name: "reported_points",
            about: "a row a line of another tool's log",
            columns: printed::points(run),
        },
    ]
}

/// A step with its number, from 1.
type NumberedStep<'r> = (u64, &'r StepRecord);

fn numbered(run: &Run) -> Vec<NumberedStep<'_>> {
    (1..).zip(&run.steps).collect()
}

fn step_columns<R>(rows: &[R], of: impl Fn(&R) -> NumberedStep<'_> + Copy) -> Vec<Column> {
    vec![
        whole(("step", ""), rows, |row| Some(of(row).0)),
        text("name", rows, |row| Some(of(row).1.plan.name.clone())),
    ]
}

/// Returns the name of a value in JSON; `None` if its JSON is not a string.
pub(crate) fn word(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}

fn steps(run: &Run) -> Vec<Column> {
    let rows = numbered(run);
    let mut columns = step_columns(&rows, |row| *row);
    columns.extend([
        text("kind", &rows, |(_, step)| word(&step.plan.kind)),
        text("ending", &rows, |(_, step)| word(&step.ending)),
        whole(("started_ns", "ns"), &rows, |(_, step)| Some(step.started.0)),
        whole(("counted_from_ns", "ns"), &rows, |(_, step)| Some(step.counted_from.0)),
        whole(("ended_ns", "ns"), &rows, |(_, step)| Some(step.ended.0)),
        figure(("counted_s", "s"), &rows, |(_, step)| Some(step.seconds())),
    ]);
    columns
}

/// A step, and a direction in which any of its requests completed or failed.
type StepDirection<'r> = (NumberedStep<'r>, Direction);

/// The edges of a bucket in nanoseconds, and its count.
type Bucket = (u64, u64, u64);

fn of_directions(run: &Run) -> Vec<StepDirection<'_>> {
    let ended = |step: &StepRecord, direction| {
        let tally = step.tally(direction);
        tally.ops + tally.errors > 0
    };
    let all = numbered(run).into_iter().flat_map(|row| Direction::ALL.map(|direction| (row, direction)));
    all.filter(|((_, step), direction)| ended(step, *direction)).collect()
}

fn step_directions(run: &Run) -> Vec<Column> {
    let rows = of_directions(run);
    let rate = |count: u64, step: &StepRecord| (step.seconds() > 0.0).then(|| count as f64 / step.seconds());
    let mut columns = step_columns(&rows, |(row, _)| *row);
    columns.extend([
        text("direction", &rows, |(_, direction)| Some(direction.name().to_owned())),
        whole(("ops", ""), &rows, |((_, step), direction)| Some(step.tally(*direction).ops)),
        whole(("bytes", "B"), &rows, |((_, step), direction)| Some(step.tally(*direction).bytes)),
        whole(("errors", ""), &rows, |((_, step), direction)| Some(step.tally(*direction).errors)),
        whole(("short", ""), &rows, |((_, step), direction)| Some(step.tally(*direction).short)),
        figure(("iops", "1/s"), &rows, |((_, step), direction)| rate(step.tally(*direction).ops, step)),
        figure(("bytes_per_second", "B/s"), &rows, |((_, step), direction)| {
            rate(step.tally(*direction).bytes, step)
        }),
        figure(("latency_ns_mean", "ns"), &rows, |((_, step), direction)| {
            step.tally(*direction).latency_ns_mean()
        }),
    ]);
    columns.extend(latencies(&rows, |((_, step), direction)| step.latency(*direction)));
    columns
}

/// The percentiles in the tables, with their columns, in nanoseconds.
pub(crate) const PERCENTILES: [(&str, f64); 6] = [
    ("latency_ns_p50", 50.0),
    ("latency_ns_p90", 90.0),
    ("latency_ns_p95", 95.0),
    ("latency_ns_p99", 99.0),
    ("latency_ns_p99_9", 99.9),
    ("latency_ns_p99_99", 99.99),
];

fn latencies<R>(rows: &[R], of: impl Fn(&R) -> Distribution) -> Vec<Column> {
    let all: Vec<Distribution> = rows.iter().map(of).collect();
    let mut columns = vec![whole(("latency_ns_min", "ns"), &all, Distribution::ns_min)];
    let percentiles =
        PERCENTILES.iter().map(|(name, percent)| whole((name, "ns"), &all, |one| one.percentile(*percent)));
    columns.extend(percentiles);
    columns.push(whole(("latency_ns_max", "ns"), &all, Distribution::ns_max));
    columns
}

fn intervals(run: &Run) -> Vec<Column> {
    let all =
        numbered(run).into_iter().flat_map(|row| row.1.intervals.iter().map(move |interval| (row, interval)));
    let ended = |interval: &Interval, direction| {
        let tally = &interval.of(direction).tally;
        tally.ops + tally.errors > 0
    };
    let rows: Vec<(NumberedStep<'_>, &Interval, Direction)> = all
        .flat_map(|(row, interval)| Direction::ALL.map(|direction| (row, interval, direction)))
        .filter(|(_, interval, direction)| ended(interval, *direction))
        .collect();
    let mut columns = step_columns(&rows, |(row, ..)| *row);
    columns.extend([
        whole(("job", ""), &rows, |(_, interval, _)| Some(u64::from(interval.job))),
        text("job_name", &rows, |((_, step), interval, _)| step.jobs.get(usize::from(interval.job)).cloned()),
        whole(("start_ns", "ns"), &rows, |(_, interval, _)| Some(interval.start.0)),
        whole(("end_ns", "ns"), &rows, |(_, interval, _)| Some(interval.end.0)),
        flag("counted", &rows, |(_, interval, _)| interval.counted),
        text("direction", &rows, |(.., direction)| Some(direction.name().to_owned())),
        whole(("ops", ""), &rows, |(_, interval, direction)| Some(interval.of(*direction).tally.ops)),
        whole(("bytes", "B"), &rows, |(_, interval, direction)| Some(interval.of(*direction).tally.bytes)),
        whole(("errors", ""), &rows, |(_, interval, direction)| Some(interval.of(*direction).tally.errors)),
        figure(("latency_ns_mean", "ns"), &rows, |(_, interval, direction)| {
            interval.of(*direction).tally.latency_ns_mean()
        }),
    ]);
    columns.extend(latencies(&rows, |(_, interval, direction)| interval.of(*direction).latency.clone()));
    columns
}

/// An interval of a step, summed over its jobs.
struct Moment<'r> {
    step: NumberedStep<'r>,
    start: Nanos,
    end: Nanos,
    counted: bool,
    ops: [u64; Direction::ALL.len()],
    bytes: [u64; Direction::ALL.len()],
}

impl Moment<'_> {
    fn seconds(&self) -> f64 {
        self.end.since(self.start).as_secs_f64()
    }

    fn rate(&self, counts: &[u64], direction: Direction) -> Option<f64> {
        (self.end > self.start).then(|| counts[direction.index()] as f64 / self.seconds())
    }
}

/// Sums intervals that begin together, as the run file's view `per_second` does.
fn moments(run: &Run) -> Vec<Moment<'_>> {
    let mut moments: Vec<Moment<'_>> = Vec::new();
    for step in numbered(run) {
        let first = moments.len();
        for interval in &step.1.intervals {
            let place = moments[first..].iter().position(|moment| moment.start == interval.start);
            let at = place.map_or(moments.len(), |place| first + place);
            if place.is_none() {
                let (start, end, counted) = (interval.start, interval.end, interval.counted);
                moments.push(Moment {
                    step,
                    start,
                    end,
                    counted,
                    ops: Default::default(),
                    bytes: Default::default(),
                });
            }
            let moment = &mut moments[at];
            moment.end = moment.end.max(interval.end);
            moment.counted &= interval.counted;
            for direction in Direction::ALL {
                moment.ops[direction.index()] += interval.of(direction).tally.ops;
                moment.bytes[direction.index()] += interval.of(direction).tally.bytes;
            }
        }
    }
    moments
}

fn per_second(run: &Run) -> Vec<Column> {
    let rows = moments(run);
    let mut columns = step_columns(&rows, |moment| moment.step);
    columns.extend([
        figure(("start_s", "s"), &rows, |moment| Some(moment.start.as_secs_f64())),
        figure(("seconds", "s"), &rows, |moment| Some(moment.seconds())),
        flag("counted", &rows, |moment| moment.counted),
    ]);
    for direction in Direction::ALL {
        let name = direction.name();
        columns.push(figure((&format!("{name}_iops"), "1/s"), &rows, |moment| {
            moment.rate(&moment.ops, direction)
        }));
        let bytes = format!("{name}_bytes_per_second");
        columns.push(figure((&bytes, "B/s"), &rows, |moment| moment.rate(&moment.bytes, direction)));
    }
    columns
}

fn histograms(run: &Run) -> Vec<Column> {
    let filled = |row: &StepDirection<'_>| row.0.1.latency(row.1).buckets().collect::<Vec<_>>();
    let rows: Vec<(StepDirection<'_>, Bucket)> = of_directions(run)
        .into_iter()
        .flat_map(|row| filled(&row).into_iter().map(move |bucket| (row, bucket)))
        .collect();
    let mut columns = step_columns(&rows, |((row, _), _)| *row);
    columns.extend([
        text("direction", &rows, |((_, direction), _)| Some(direction.name().to_owned())),
        whole(("from_ns", "ns"), &rows, |(_, bucket)| Some(bucket.0)),
        whole(("to_ns", "ns"), &rows, |(_, bucket)| Some(bucket.1)),
        whole(("count", ""), &rows, |(_, bucket)| Some(bucket.2)),
    ]);
    columns
}

/// Returns the start and end, in seconds, of each interval of a recording of the machine.
fn span_columns<R>(rows: &[R], of: impl Fn(&R) -> (Nanos, Nanos) + Copy) -> Vec<Column> {
    vec![
        figure(("from_s", "s"), rows, |row| Some(of(row).0.as_secs_f64())),
        figure(("to_s", "s"), rows, |row| Some(of(row).1.as_secs_f64())),
    ]
}

fn device_rates(run: &Run) -> Vec<Column> {
    let recording = Recording::of(run);
    let rows: Vec<((Nanos, Nanos), &str)> = recording
        .intervals()
        .iter()
        .flat_map(|&span| recording.devices().iter().map(move |&device| (span, device)))
        .collect();
    let mut columns = span_columns(&rows, |row| row.0);
    columns.push(text("device", &rows, |row| Some(row.1.to_owned())));
    for (metric, name, unit) in report::metric_columns() {
        let of: Vec<Option<Vec<f64>>> =
            recording.devices().iter().map(|&device| recording.device(device, metric)).collect();
        if of.iter().all(Option::is_none) {
            continue;
        }
        let places: Vec<usize> = (0..rows.len()).collect();
        let many = recording.devices().len().max(1);
        columns.push(figure((name, unit), &places, |&at| of[at % many].as_ref()?.get(at / many).copied()));
    }
    columns
}

fn cpu_rates(run: &Run) -> Vec<Column> {
    let recording = Recording::of(run);
    let series = CpuMetric::ALL.map(|metric| (metric, recording.cpu(metric)));
    let mut columns = span_columns(recording.intervals(), |span| *span);
    let places: Vec<usize> = (0..recording.intervals().len()).collect();
    columns.extend(series.iter().map(|(metric, values)| {
        figure((&format!("{}_share", metric.column()), "share"), &places, |&at| {
            values.as_ref()?.get(at).copied()
        })
    }));
    columns
}

fn findings(analysis: &Analysis) -> Vec<Column> {
    let spans = |finding: &analysis::Finding| match finding.evidence.len() {
        0 => vec![None],
        _ => finding.evidence.iter().cloned().map(Some).collect(),
    };
    let rows: Vec<(u64, &analysis::Finding, Option<analysis::Evidence>)> = (1..)
        .zip(&analysis.findings)
        .flat_map(|(number, finding)| spans(finding).into_iter().map(move |span| (number, finding, span)))
        .collect();
    let kind = |finding: &analysis::Finding| {
        let value = serde_json::to_value(finding).ok()?;
        value.get("kind")?.as_str().map(str::to_owned)
    };
    vec![
        whole(("finding", ""), &rows, |row| Some(row.0)),
        text("kind", &rows, |row| kind(row.1)),
        text("confidence", &rows, |row| Some(report::confidence(row.1).to_owned())),
        text("sentence", &rows, |row| Some(report::sentence(row.1))),
        text("step", &rows, |row| row.2.as_ref().map(|span| span.step.clone())),
        text("series", &rows, |row| row.2.as_ref().map(|span| span.series.clone())),
        whole(("from_ns", "ns"), &rows, |row| row.2.as_ref().map(|span| span.from.0)),
        whole(("to_ns", "ns"), &rows, |row| row.2.as_ref().map(|span| span.to.0)),
    ]
}
