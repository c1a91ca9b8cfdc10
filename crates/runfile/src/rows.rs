//! One function a table: what is in memory becomes rows.

use record::{Event, HostFacts, Interval, IoFailure, Run, StoredFinding, Tally, TargetFacts, WorkerTotals};
use rusqlite::{Connection, Result, params};
use serde::Serialize;
use workload::Direction;

use crate::machine;

/// SQLite's integers are signed; no quantity of a run comes near 2^63, and one that did would come back unharmed.
pub(crate) fn whole(value: u64) -> i64 {
    value as i64
}

/// The snake_case word of a unit variant.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("only enums without fields are stored as words: {other:?}"),
    }
}

/// Strings and numbers as a JSON array.
pub(crate) fn array<T: Serialize>(values: &[T]) -> String {
    match serde_json::to_string(values) {
        Ok(text) => text,
        Err(error) => unreachable!("strings and numbers always encode: {error}"),
    }
}

pub(crate) fn header(conn: &Connection, run: &Run) -> Result<()> {
    let (origin, tool, lacks) = match &run.origin {
        record::Origin::Measured => ("measured", None, array::<String>(&[])),
        record::Origin::Imported { tool, lacks } => ("imported", Some(tool), array(lacks)),
    };
    conn.execute_batch("DELETE FROM run; DELETE FROM host; DELETE FROM target; DELETE FROM device")?;
    conn.execute(
        "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
        params![
            run.version,
            array(&run.words),
            whole(run.started_unix_ms),
            origin,
            tool,
            lacks,
            run.policy,
            run.expectation
        ],
    )?;
    run.host.iter().try_for_each(|facts| host(conn, facts))?;
    run.target.iter().try_for_each(|facts| target(conn, facts))?;
    machine::insert_devices(conn, &run.devices)?;
    machine::insert_limits(conn, &run.limits)?;
    machine::insert_phases(conn, &run.phases)
}

fn host(conn: &Connection, facts: &HostFacts) -> Result<()> {
    conn.execute(
        "INSERT INTO host VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            facts.hostname,
            facts.kernel,
            facts.distribution,
            facts.cpu_model,
            facts.cpus,
            whole(facts.memory.0),
            facts.clocksource,
            facts.clock_read_ns,
            facts.product
        ],
    )?;
    Ok(())
}

fn target(conn: &Connection, facts: &TargetFacts) -> Result<()> {
    conn.execute(
        "INSERT INTO target VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            facts.words,
            word(&facts.kind),
            facts.filesystem,
            facts.mount_point,
            whole(facts.available.0),
            whole(facts.direct_alignment.0),
            array(&facts.doubts),
            facts.reads_only,
            facts.unwritten_share,
            facts.cached_share
        ],
    )?;
    let mut insert =
        conn.prepare_cached("INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (position, device) in facts.devices.iter().enumerate() {
        insert.execute(params![
            position as i64,
            device.name,
            device.number.0,
            device.number.1,
            whole(device.size.0),
            device.model,
            device.serial,
            whole(device.logical_block.0),
            whole(device.physical_block.0),
            device.rotational,
            device.scheduler,
            device.queue_requests,
            whole(device.request_max.0)
        ])?;
    }
    Ok(())
}

/// The columns from `ops` to `latency_ns_max`; the least latency is NULL where there was none.
fn tally_columns(tally: &Tally) -> (i64, i64, i64, i64, i64, Option<i64>, i64) {
    let least = (tally.latency_ns_min != u64::MAX).then(|| whole(tally.latency_ns_min));
    (
        whole(tally.ops),
        whole(tally.bytes),
        whole(tally.errors),
        whole(tally.short),
        whole(tally.latency_ns_sum),
        least,
        whole(tally.latency_ns_max),
    )
}

/// One row for each direction that is `planned` or in which something happened, and never none, so that a stall is a
/// row of zeros. `late` stands in the first row only, so that sums over rows are right.
pub(crate) fn interval(conn: &Connection, step: i64, interval: &Interval, planned: [bool; 4]) -> Result<()> {
    let mut insert = conn
        .prepare_cached("INSERT INTO interval VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    let mut histogram = conn.prepare_cached("INSERT INTO interval_histogram VALUES (?, ?)")?;
    let mut late = whole(interval.late);
    let nothing = record::IntervalDirection::default();
    let happened = |direction: Direction| *interval.of(direction) != nothing;
    let wanted = |direction: &Direction| planned[direction.index()] || happened(*direction);
    let mut directions: Vec<Direction> = Direction::ALL.into_iter().filter(wanted).collect();
    if directions.is_empty() {
        directions.push(Direction::Read);
    }
    for direction in directions {
        let part = interval.of(direction);
        let (ops, bytes, errors, short, sum, least, most) = tally_columns(&part.tally);
        insert.execute(params![
            step,
            interval.job,
            whole(interval.start.0),
            whole(interval.end.0),
            interval.counted,
            direction.name(),
            ops,
            bytes,
            errors,
            short,
            sum,
            least,
            most,
            late,
            interval.smeared
        ])?;
        late = 0;
        if !part.latency.is_empty() {
            histogram.execute(params![conn.last_insert_rowid(), part.latency.encode()])?;
        }
    }
    Ok(())
}

pub(crate) fn worker(conn: &Connection, step: i64, worker: &WorkerTotals) -> Result<()> {
    let mut insert =
        conn.prepare_cached("INSERT INTO worker VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    insert.execute(params![
        step,
        worker.job,
        whole(worker.started.0),
        whole(worker.ended.0),
        whole(worker.user_cpu_ns),
        whole(worker.system_cpu_ns),
        whole(worker.run_delay_ns),
        whole(worker.context_switches),
        whole(worker.major_faults),
        whole(worker.minor_faults),
        array(&worker.depth_counts),
        array(&worker.submit_counts),
        array(&worker.complete_counts),
        whole(worker.late),
        whole(worker.late_ns_max)
    ])?;
    let id = conn.last_insert_rowid();
    crate::worker_end::insert(conn, id, worker)?;
    let mut insert =
        conn.prepare_cached("INSERT INTO worker_direction VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for direction in Direction::ALL {
        let part = &worker.directions[direction.index()];
        if *part == record::DirectionTotals::default() {
            continue;
        }
        let (ops, bytes, errors, short, sum, least, most) = tally_columns(&part.tally);
        let blobs = [part.latency.encode(), part.service.encode(), part.submission.encode()];
        insert.execute(params![
            id,
            direction.name(),
            ops,
            bytes,
            errors,
            short,
            sum,
            least,
            most,
            blobs[0],
            blobs[1],
            blobs[2]
        ])?;
    }
    Ok(())
}

pub(crate) fn failure(conn: &Connection, step: i64, failure: &IoFailure) -> Result<()> {
    conn.prepare_cached("INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?, ?)")?.execute(params![
        step,
        whole(failure.at.0),
        failure.direction.name(),
        failure.path,
        whole(failure.offset),
        failure.bytes,
        failure.errno
    ])?;
    Ok(())
}

pub(crate) fn event(conn: &Connection, event: &Event) -> Result<()> {
    conn.prepare_cached("INSERT INTO event VALUES (NULL, ?, ?, ?)")?.execute(params![
        whole(event.at.0),
        word(&event.kind),
        event.text
    ])?;
    Ok(())
}

pub(crate) fn findings(conn: &Connection, findings: &[StoredFinding]) -> Result<()> {
    conn.execute("DELETE FROM finding", [])?;
    let mut insert = conn.prepare_cached("INSERT INTO finding VALUES (NULL, ?, ?, ?)")?;
    for finding in findings {
        insert.execute(params![finding.kind, finding.json, finding.sentence])?;
    }
    Ok(())
}
