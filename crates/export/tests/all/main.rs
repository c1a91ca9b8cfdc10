//! What the tables of a run hold, read back by the Parquet library.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs::File;
use std::io::Write;

use analysis::analyse;
use export::{Column, MARK, Table, Values, encoded, is_ours, tables};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use record::{
    DiskCounters, Distribution, Figure, Interval, LatencyKind, ReportedDirection, ReportedLatency,
    ReportedPart, Run, Sample, Scope, StepRecord,
};
use workload::{Direction, Ending, Nanos, StepKind, StepPlan};

/// Writes a table; returns its rows as read back, and the keys of its file.
fn read_back(table: &Table) -> (Vec<Row>, Vec<(String, String)>) {
    let bytes = encoded(table, "0.0").unwrap();
    assert!(is_ours(&bytes) && !is_ours(&bytes[..bytes.len() - 1]) && !is_ours(b"PAR1 somebody else's PAR1"));
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let keys = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let keys = keys.iter().map(|key| (key.key.clone(), key.value.clone().unwrap_or_default())).collect();
    (reader.get_row_iter(None).unwrap().map(Result::unwrap).collect(), keys)
}

fn field<'r>(row: &'r Row, name: &str) -> &'r Field {
    row.get_column_iter().find(|(column, _)| *column == name).unwrap().1
}

fn sum(rows: &[Row], name: &str) -> i64 {
    let whole = |row: &Row| match field(row, name) {
        Field::Long(value) => *value,
        Field::Null => 0,
        other => panic!("{name} is {other:?}"),
    };
    rows.iter().map(whole).sum()
}

#[test]
fn every_type_and_what_is_not_known_comes_back() {
    let column = |name: &str, unit, values| Column { name: name.to_owned(), unit, values };
    let table = Table {
        name: "made_up",
        about: "a row a case",
        columns: vec![
            column("text", "", Values::Text(vec![Some("Ä, \"quoted\"".into()), None, Some(String::new())])),
            column("whole", "ns", Values::Whole(vec![None, Some(i64::MAX), Some(-1)])),
            column("figure", "1/s", Values::Figure(vec![Some(0.1), None, Some(-2.5)])),
            column("flag", "", Values::Flag(vec![Some(true), Some(false), None])),
        ],
    };
    let (rows, keys) = read_back(&table);
    // The library prints negative numbers with an exponent.
    let told: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "{text: \"Ä, \"quoted\"\", whole: null, figure: 0.1, flag: true}",
            "{text: null, whole: 9223372036854775807, figure: null, flag: false}",
            "{text: \"\", whole: -1, figure: -2.5E0, flag: null}",
        ]
    );
    for (key, value) in [(MARK, "made_up"), ("plimsoll.unit.whole", "ns"), ("plimsoll.unit.figure", "1/s")] {
        assert!(keys.contains(&(key.to_owned(), value.to_owned())), "{key}: {keys:?}");
    }
    assert!(!keys.iter().any(|(key, _)| key == "plimsoll.unit.flag"));
}

/// Returns a step of three seconds and two jobs, without intervals.
fn step() -> StepRecord {
    let plan = StepPlan {
        name: "read".into(),
        kind: StepKind::Job,
        workers: Vec::new(),
        stop: Vec::new(),
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: Vec::new(),
    };
    StepRecord {
        plan,
        started: Nanos::ZERO,
        counted_from: Nanos::ZERO,
        ended: Nanos::from_secs(3),
        ending: Ending::Time,
        jobs: vec!["a".into(), "b".into()],
        intervals: Vec::new(),
        workers: Vec::new(),
        failures: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns a run in which two jobs read for three seconds, with samples of a disk's counters.
fn run() -> Run {
    let mut run = Run::started(vec!["plimsoll".into()], 1_700_000_000_000);
    let mut step = step();
    for second in 0..3_u64 {
        for job in 0..2_u16 {
            let (start, end) = (Nanos::from_secs(second), Nanos::from_secs(second + 1));
            let mut interval = Interval::empty(job, start, end);
            interval.counted = true;
            let read = &mut interval.directions[Direction::Read.index()];
            read.tally.ops = 100 + second;
            read.tally.bytes = 4096 * (100 + second);
            read.latency = Distribution::counted(&[(100_000, 60), (900_000, 40 + second)], 100_000, 900_000);
            step.intervals.push(interval);
        }
    }
    run.steps.push(step);
    for second in 0..4_u64 {
        let counters =
            DiskCounters { reads: 10 * second, sectors_read: 80 * second, ..DiskCounters::default() };
        let disks = vec![("vda".into(), counters)];
        run.samples.push(Sample { at: Nanos::from_secs(second), disks, ..Sample::default() });
    }
    run
}

#[test]
fn the_tables_of_a_run_add_up_to_what_it_holds() {
    let run = run();
    let all = tables(&run, &analyse(&run, None, None));
    let rows = |name: &str| read_back(all.iter().find(|table| table.name == name).unwrap()).0;
    assert_eq!(rows("steps").len(), 1);
    let intervals = rows("intervals");
    assert_eq!((intervals.len(), sum(&intervals, "ops"), sum(&intervals, "bytes")), (6, 606, 606 * 4096));
    let seconds = rows("per_second");
    let rate = |row: &Row| match field(row, "read_iops") {
        Field::Double(rate) => *rate,
        other => panic!("{other:?}"),
    };
    assert_eq!(seconds.iter().map(rate).collect::<Vec<_>>(), [200.0, 202.0, 204.0], "both jobs together");
    let counters = rows("device_counters");
    assert_eq!((counters.len(), sum(&counters, "reads")), (4, 60));
    let rates = rows("device_rates");
    assert_eq!(rates.len(), 3);
    assert!(rates.iter().all(|row| *field(row, "read_ops_per_s") == Field::Double(10.0)), "{:?}", rates[0]);
    assert_eq!(rows("cpu_rates").len(), 3);
}

#[test]
fn what_another_tool_printed_is_a_row_a_job_and_direction() {
    let mut run = run();
    for (job, iops) in [("pages", [2257.0, 752.0]), ("log", [0.0, 90.5])] {
        let mut part = ReportedPart::named(Scope::Job, job, 1);
        for (direction, iops) in [Direction::Read, Direction::Write].into_iter().zip(iops) {
            let mut way = ReportedDirection::new(Some(direction));
            way.iops = (iops > 0.0).then(|| Figure::exact(iops, iops.to_string()));
            let mut latency = ReportedLatency::new(LatencyKind::Completion);
            latency.mean = Some(Figure::exact(1_500.0, "1.5usec"));
            latency.percentiles = vec![(99.0, Figure::exact(9_000.0, "9"))];
            way.latencies.push(latency);
            part.directions.push(way);
        }
        run.reported.push(part);
    }
    let all = tables(&run, &analyse(&run, None, None));
    let (rows, keys) = read_back(all.iter().find(|table| table.name == "reported").unwrap());
    let told = rows.iter().map(|row| {
        let words = [
            "reported",
            "scope",
            "job",
            "direction",
            "iops",
            "latency_kind",
            "latency_ns_p99",
            "latency_ns_p50",
        ];
        words.map(|name| field(row, name).to_string()).join(" ")
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "1 \"job\" \"pages\" \"read\" 2257.0 \"completion\" 9000.0 null",
            "1 \"job\" \"pages\" \"write\" 752.0 \"completion\" 9000.0 null",
            "2 \"job\" \"log\" \"read\" null \"completion\" 9000.0 null",
            "2 \"job\" \"log\" \"write\" 90.5 \"completion\" 9000.0 null",
        ]
    );
    assert!(keys.contains(&("plimsoll.unit.iops".into(), "1/s".into())), "{keys:?}");
}
