//! One function a table: rows become what they were in memory.

use record::{
    DeviceFacts, DirectionTotals, DiskCounters, Distribution, Event, HostFacts, Interval, IoFailure, Origin,
    Run, Sample, StepRecord, StoredFinding, Tally, TargetFacts, WorkerTotals,
};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;
use workload::{Bytes, Direction, Ending, Nanos};

/// Why rows do not make sense; the caller knows the table.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Histogram(#[from] record::Damaged),
    #[error("'{0}' is no direction")]
    Direction(String),
    #[error("it has no row")]
    Empty,
    #[error("row {row} belongs to {owner} {number}, which does not exist")]
    Orphan { row: i64, owner: &'static str, number: i64 },
}

pub(crate) type Outcome<T> = Result<T, Fault>;

pub(crate) fn whole(row: &Row<'_>, column: usize) -> Outcome<u64> {
    Ok(row.get::<_, i64>(column)? as u64)
}

fn nanos(row: &Row<'_>, column: usize) -> Outcome<Nanos> {
    whole(row, column).map(Nanos)
}

fn bytes(row: &Row<'_>, column: usize) -> Outcome<Bytes> {
    whole(row, column).map(Bytes)
}

pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Outcome<T> {
    Ok(serde_json::from_str(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)?)
}

pub(crate) fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Outcome<T> {
    Ok(serde_json::from_value(serde_json::Value::String(row.get(column)?))?)
}

fn direction(row: &Row<'_>, column: usize) -> Outcome<Direction> {
    let name = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    let found = Direction::ALL.into_iter().find(|direction| direction.name() == name);
    found.ok_or_else(|| Fault::Direction(name.to_owned()))
}

fn distribution(row: &Row<'_>, column: usize) -> Outcome<Distribution> {
    let blob = row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    Ok(Distribution::decode(blob.unwrap_or_default())?)
}

/// `ops` to `latency_ns_max`, from `column` on.
fn tally(row: &Row<'_>, column: usize) -> Outcome<Tally> {
    Ok(Tally {
        ops: whole(row, column)?,
        bytes: whole(row, column + 1)?,
        errors: whole(row, column + 2)?,
        short: whole(row, column + 3)?,
        latency_ns_sum: whole(row, column + 4)?,
        latency_ns_min: row.get::<_, Option<i64>>(column + 5)?.map_or(u64::MAX, |least| least as u64),
        latency_ns_max: whole(row, column + 6)?,
    })
}

/// Every row of `sql` through `read`.
pub(crate) fn all<T>(
    conn: &Connection,
    sql: &str,
    mut read: impl FnMut(&Row<'_>) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The run as a whole, without what lies in other tables.
pub(crate) fn run(conn: &Connection) -> Outcome<Run> {
    let read = |row: &Row<'_>| {
        let measured = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)? == "measured";
        let tool: Option<String> = row.get(4)?;
        Ok(Run {
            version: row.get(0)?,
            started_unix_ms: whole(row, 2)?,
            origin: match tool {
                Some(tool) if !measured => Origin::Imported { tool, lacks: json(row, 5)? },
                _ => Origin::Measured,
            },
            policy: row.get(6)?,
            expectation: row.get(7)?,
            complete: row.get(8)?,
            ..Run::started(json(row, 1)?, 0)
        })
    };
    let columns = "version, words, started_unix_ms, origin, tool, lacks, policy, expectation, complete";
    all(conn, &format!("SELECT {columns} FROM run LIMIT 1"), read)?.pop().ok_or(Fault::Empty)
}

pub(crate) fn host(conn: &Connection) -> Outcome<Option<HostFacts>> {
    let columns =
        "hostname, kernel, distribution, cpu_model, cpus, memory_bytes, clocksource, clock_read_ns, product";
    let found = all(conn, &format!("SELECT {columns} FROM host LIMIT 1"), |row| {
        Ok(HostFacts {
            hostname: row.get(0)?,
            kernel: row.get(1)?,
            distribution: row.get(2)?,
            cpu_model: row.get(3)?,
            cpus: row.get(4)?,
            memory: bytes(row, 5)?,
            clocksource: row.get(6)?,
            clock_read_ns: row.get(7)?,
            product: row.get(8)?,
        })
    })?;
    Ok(found.into_iter().next())
}

/// The target with its devices.
pub(crate) fn target(conn: &Connection) -> Outcome<Option<TargetFacts>> {
    let columns = "words, kind, filesystem, mount_point, available_bytes, direct_alignment_bytes, doubts, \
                   reads_only, unwritten_share, cached_share";
    let found = all(conn, &format!("SELECT {columns} FROM target LIMIT 1"), |row| {
        Ok(TargetFacts {
            words: row.get(0)?,
            kind: word(row, 1)?,
            filesystem: row.get(2)?,
            mount_point: row.get(3)?,
            available: bytes(row, 4)?,
            devices: Vec::new(),
            direct_alignment: bytes(row, 5)?,
            doubts: json(row, 6)?,
            reads_only: row.get(7)?,
            unwritten_share: row.get(8)?,
            cached_share: row.get(9)?,
        })
    })?;
    Ok(found.into_iter().next())
}

pub(crate) fn devices(conn: &Connection) -> Outcome<Vec<DeviceFacts>> {
    let columns = "name, major, minor, size_bytes, model, serial, logical_block_bytes, physical_block_bytes, \
                   rotational, scheduler, queue_requests, request_max_bytes";
    all(conn, &format!("SELECT {columns} FROM device ORDER BY position"), |row| {
        Ok(DeviceFacts {
            name: row.get(0)?,
            number: (row.get(1)?, row.get(2)?),
            size: bytes(row, 3)?,
            model: row.get(4)?,
            serial: row.get(5)?,
            logical_block: bytes(row, 6)?,
            physical_block: bytes(row, 7)?,
            rotational: row.get(8)?,
            scheduler: row.get(9)?,
            queue_requests: row.get(10)?,
            request_max: bytes(row, 11)?,
        })
    })
}

/// A step without what lies in other tables, and whether its end was stored.
pub(crate) fn steps(conn: &Connection) -> Outcome<Vec<(StepRecord, bool)>> {
    let columns = "plan, jobs, started_ns, counted_from_ns, ended_ns, ending, notes";
    all(conn, &format!("SELECT {columns} FROM step ORDER BY step"), |row| {
        let ended: Option<i64> = row.get(4)?;
        let ending = if ended.is_some() { word(row, 5)? } else { Ending::Interrupted };
        let step = StepRecord {
            plan: json(row, 0)?,
            jobs: json(row, 1)?,
            started: nanos(row, 2)?,
            counted_from: nanos(row, 3)?,
            ended: Nanos(ended.unwrap_or_default() as u64),
            ending,
            intervals: Vec::new(),
            workers: Vec::new(),
            failures: Vec::new(),
            notes: json(row, 6)?,
        };
        Ok((step, ended.is_some()))
    })
}

/// The step that a row of another table belongs to.
fn owner(steps: &mut [(StepRecord, bool)], row: i64, number: i64) -> Outcome<&mut StepRecord> {
    let found = usize::try_from(number).ok().and_then(|index| steps.get_mut(index));
    found.map(|(step, _)| step).ok_or(Fault::Orphan { row, owner: "step", number })
}

/// Puts the intervals into their steps. Rows of one interval follow each other, one a direction.
pub(crate) fn intervals(conn: &Connection, steps: &mut [(StepRecord, bool)]) -> Outcome<()> {
    let mut statement = conn.prepare(
        "SELECT interval.interval, step, job, start_ns, end_ns, counted, late, smeared, direction, ops, bytes, errors,
                short, latency_ns_sum, latency_ns_min, latency_ns_max, due_to_done
         FROM interval LEFT JOIN interval_histogram ON interval_histogram.interval = interval.interval
         ORDER BY interval.interval",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let step = owner(steps, row.get(0)?, row.get(1)?)?;
        let direction = direction(row, 8)?;
        let interval = Interval {
            counted: row.get(5)?,
            smeared: row.get(7)?,
            ..Interval::empty(row.get(2)?, nanos(row, 3)?, nanos(row, 4)?)
        };
        // Directions stand in the order of their index, so one that does not come after the last begins a new interval.
        let continues = step.intervals.last().is_some_and(|last| {
            let key = |interval: &Interval| (interval.job, interval.start, interval.end);
            let rest = &last.directions[direction.index()..];
            key(last) == key(&interval) && rest.iter().all(|part| *part == Default::default())
        });
        if !continues {
            step.intervals.push(interval);
        }
        if let Some(last) = step.intervals.last_mut() {
            last.late += whole(row, 6)?;
            let part = &mut last.directions[direction.index()];
            part.tally = tally(row, 9)?;
            part.latency = distribution(row, 16)?;
        }
    }
    Ok(())
}

/// Puts the workers, with their directions, into their steps.
pub(crate) fn workers(conn: &Connection, steps: &mut [(StepRecord, bool)]) -> Outcome<()> {
    let mut directions = conn.prepare(
        "SELECT direction, ops, bytes, errors, short, latency_ns_sum, latency_ns_min, latency_ns_max, due_to_done,
                issued_to_done, due_to_issued FROM worker_direction WHERE worker = ?",
    )?;
    let columns = "worker, step, job, started_ns, ended_ns, user_cpu_ns, system_cpu_ns, run_delay_ns, context_switches, \
                   major_faults, minor_faults, depth_counts, submit_counts, complete_counts, late, late_ns_max";
    let mut ends = crate::worker_end::read(conn)?;
    let mut statement = conn.prepare(&format!("SELECT {columns} FROM worker ORDER BY worker"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let mut totals = worker(row, ends.remove(&id).unwrap_or_default())?;
        let mut parts = directions.query([id])?;
        while let Some(part) = parts.next()? {
            totals.directions[direction(part, 0)?.index()] = DirectionTotals {
                tally: tally(part, 1)?,
                latency: distribution(part, 8)?,
                service: distribution(part, 9)?,
                submission: distribution(part, 10)?,
            };
        }
        owner(steps, id, row.get(1)?)?.workers.push(totals);
    }
    Ok(())
}

fn worker(row: &Row<'_>, end: WorkerTotals) -> Outcome<WorkerTotals> {
    Ok(WorkerTotals {
        job: row.get(2)?,
        started: nanos(row, 3)?,
        ended: nanos(row, 4)?,
        directions: Default::default(),
        user_cpu_ns: whole(row, 5)?,
        system_cpu_ns: whole(row, 6)?,
        run_delay_ns: whole(row, 7)?,
        context_switches: whole(row, 8)?,
        major_faults: whole(row, 9)?,
        minor_faults: whole(row, 10)?,
        depth_counts: json(row, 11)?,
        submit_counts: json(row, 12)?,
        complete_counts: json(row, 13)?,
        late: whole(row, 14)?,
        late_ns_max: whole(row, 15)?,
        ..end
    })
}

/// Puts the failures into their steps.
pub(crate) fn failures(conn: &Connection, steps: &mut [(StepRecord, bool)]) -> Outcome<()> {
    let columns = "rowid, step, at_ns, direction, path, offset_bytes, length_bytes, errno";
    let found = all(conn, &format!("SELECT {columns} FROM failure ORDER BY rowid"), |row| {
        let failure = IoFailure {
            at: nanos(row, 2)?,
            direction: direction(row, 3)?,
            path: row.get(4)?,
            offset: whole(row, 5)?,
            bytes: row.get(6)?,
            errno: row.get(7)?,
        };
        Ok((row.get(0)?, row.get(1)?, failure))
    })?;
    found.into_iter().try_for_each(|(row, number, failure)| {
        owner(steps, row, number)?.failures.push(failure);
        Ok(())
    })
}

/// Samples without their disks; a sample has a row here and one in `sample_memory`.
pub(crate) fn samples(conn: &Connection) -> Outcome<Vec<(i64, Sample)>> {
    let columns = "c.sample, c.at_ns, user, nice, system, idle, iowait, irq, softirq, steal, own_user_ns, own_system_ns, \
                   total_bytes, available_bytes, cached_bytes, dirty_bytes, writeback_bytes";
    let sql = format!(
        "SELECT {columns} FROM sample_cpu AS c JOIN sample_memory AS m ON m.sample = c.sample ORDER BY c.sample"
    );
    all(conn, &sql, |row| {
        let mut sample = Sample { at: nanos(row, 1)?, ..Sample::default() };
        let (cpu, own, memory) = (&mut sample.cpu, &mut sample.own, &mut sample.memory);
        let places = [
            &mut cpu.user,
            &mut cpu.nice,
            &mut cpu.system,
            &mut cpu.idle,
            &mut cpu.iowait,
            &mut cpu.irq,
            &mut cpu.softirq,
            &mut cpu.steal,
            &mut own.user_ns,
            &mut own.system_ns,
            &mut memory.total,
            &mut memory.available,
            &mut memory.cached,
            &mut memory.dirty,
            &mut memory.writeback,
        ];
        for (column, place) in places.into_iter().enumerate() {
            *place = whole(row, 2 + column)?;
        }
        Ok((row.get(0)?, sample))
    })
}

/// Puts the disks into their samples, which stand in the order of their number.
pub(crate) fn disks(conn: &Connection, samples: &mut [(i64, Sample)]) -> Outcome<()> {
    let columns = "sample, disk, reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, \
                   write_ms, in_flight, busy_ms, queue_ms, discards, discards_merged, sectors_discarded, discard_ms, \
                   flushes, flush_ms";
    let mut statement = conn.prepare(&format!("SELECT {columns} FROM sample_disk ORDER BY rowid"))?;
    let mut rows = statement.query([])?;
    let mut at = 0;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        while samples.get(at).is_some_and(|&(id, _)| id < number) {
            at += 1;
        }
        // A day of samples is some hundred megabytes, so each gets the room that the one before needed.
        let before = at.checked_sub(1).map_or(0, |last| samples[last].1.disks.len());
        match samples.get_mut(at) {
            Some((id, sample)) if *id == number => {
                if sample.disks.is_empty() {
                    sample.disks.reserve_exact(before);
                }
                sample.disks.push((row.get(1)?, counters(row)?));
            }
            _ => return Err(Fault::Orphan { row: number, owner: "sample", number }),
        }
    }
    Ok(())
}

fn counters(row: &Row<'_>) -> Outcome<DiskCounters> {
    let at = |column| whole(row, column);
    Ok(DiskCounters {
        reads: at(2)?,
        reads_merged: at(3)?,
        sectors_read: at(4)?,
        read_ms: at(5)?,
        writes: at(6)?,
        writes_merged: at(7)?,
        sectors_written: at(8)?,
        write_ms: at(9)?,
        in_flight: at(10)?,
        busy_ms: at(11)?,
        queue_ms: at(12)?,
        discards: at(13)?,
        discards_merged: at(14)?,
        sectors_discarded: at(15)?,
        discard_ms: at(16)?,
        flushes: at(17)?,
        flush_ms: at(18)?,
    })
}

pub(crate) fn events(conn: &Connection) -> Outcome<Vec<Event>> {
    all(conn, "SELECT at_ns, kind, text FROM event ORDER BY event", |row| {
        Ok(Event { at: nanos(row, 0)?, kind: word(row, 1)?, text: row.get(2)? })
    })
}

pub(crate) fn findings(conn: &Connection) -> Outcome<Vec<StoredFinding>> {
    all(conn, "SELECT kind, json, sentence FROM finding ORDER BY finding", |row| {
        Ok(StoredFinding { kind: row.get(0)?, json: row.get(1)?, sentence: row.get(2)? })
    })
}

/// Version and identity as the file states them.
pub(crate) fn identity(conn: &Connection) -> Outcome<(i32, i32)> {
    let pragma = |name: &str| conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).optional();
    Ok((pragma("application_id")?.unwrap_or_default(), pragma("user_version")?.unwrap_or_default()))
}
