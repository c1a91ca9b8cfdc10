//! One function a table: rows become what they were in memory.

use std::collections::BTreeMap;

use record::{
    DeviceFacts, DirectionTotals, Distribution, Event, HostFacts, Interval, IntervalDirection, IoFailure,
    Origin, Run, StepRecord, StoredFinding, Tally, TargetFacts, WorkerTotals,
};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::de::DeserializeOwned;
use workload::{Bytes, Direction, Ending, Nanos};

use crate::earlier;
use crate::scan::{Fault, Outcome, Place, Query, Scan};

/// A step with its number, and whether its end was stored.
pub(crate) struct Step {
    pub number: i64,
    pub ended: bool,
    pub record: StepRecord,
}

pub(crate) fn whole(row: &Row<'_>, column: usize) -> Outcome<u64> {
    Ok(row.get::<_, i64>(column)? as u64)
}

/// Far more than a run lasts or counts: a time that is none is negative, and two of these do not overflow.
const TIME_MOST: u64 = i64::MAX as u64;
const COUNT_MOST: u64 = 1 << 48;

/// A number from 0 to `most`.
fn bounded(row: &Row<'_>, column: usize, (most, expected): (u64, &'static str)) -> Outcome<u64> {
    let number = whole(row, column)?;
    let refused = || Fault::Word { found: (number as i64).to_string(), expected };
    (number <= most).then_some(number).ok_or_else(refused)
}

/// A time on the run's clock.
pub(crate) fn nanos(row: &Row<'_>, column: usize) -> Outcome<Nanos> {
    bounded(row, column, (TIME_MOST, "a time in nanoseconds")).map(Nanos)
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
    found.ok_or_else(|| Fault::Word { found: name.to_owned(), expected: "read, write, trim or flush" })
}

fn distribution(row: &Row<'_>, column: usize) -> Outcome<Distribution> {
    let blob = row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    Ok(Distribution::decode(blob.unwrap_or_default())?)
}

/// `ops` to `latency_ns_max`, from `column` on.
fn tally(row: &Row<'_>, column: usize) -> Outcome<Tally> {
    let count = |column| bounded(row, column, (COUNT_MOST, "a number of I/Os"));
    Ok(Tally {
        ops: count(column)?,
        bytes: bounded(row, column + 1, (TIME_MOST, "a number of bytes"))?,
        errors: count(column + 2)?,
        short: count(column + 3)?,
        latency_ns_sum: whole(row, column + 4)?,
        latency_ns_min: row.get::<_, Option<i64>>(column + 5)?.map_or(u64::MAX, |least| least as u64),
        latency_ns_max: whole(row, column + 6)?,
    })
}

/// The run as a whole, without what lies in other tables.
pub(crate) fn run(scan: &Scan<'_>) -> Run {
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
    let found = scan.all(Query::of("run", columns), read);
    found.into_iter().next().unwrap_or_else(|| {
        scan.note("run", Place::Table, Fault::Empty);
        Run::started(Vec::new(), 0)
    })
}

pub(crate) fn host(scan: &Scan<'_>) -> Option<HostFacts> {
    let columns =
        "hostname, kernel, distribution, cpu_model, cpus, memory_bytes, clocksource, clock_read_ns, product";
    let found = scan.all(Query::of("host", columns), |row| {
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
    });
    found.into_iter().next()
}

/// The target with its devices.
pub(crate) fn target(scan: &Scan<'_>) -> Option<TargetFacts> {
    let columns = "words, kind, filesystem, mount_point, available_bytes, direct_alignment_bytes, doubts, \
                   reads_only, unwritten_share, cached_share";
    let found = scan.all(Query::of("target", columns), |row| {
        Ok(TargetFacts {
            words: row.get(0)?,
            kind: word(row, 1)?,
            filesystem: row.get(2)?,
            mount_point: row.get(3)?,
            available: bytes(row, 4)?,
            devices: Vec::new(),
            direct_alignment: bytes(row, 5)?,
            doubts: earlier::doubts(json(row, 6)?)?,
            reads_only: row.get(7)?,
            unwritten_share: row.get(8)?,
            cached_share: row.get(9)?,
        })
    });
    found.into_iter().next()
}

pub(crate) fn devices(scan: &Scan<'_>) -> Vec<DeviceFacts> {
    let columns = "name, major, minor, size_bytes, model, serial, logical_block_bytes, physical_block_bytes, \
                   rotational, scheduler, queue_requests, request_max_bytes";
    scan.all(Query::of("device", columns), |row| {
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

/// The steps without what lies in other tables.
pub(crate) fn steps(scan: &Scan<'_>) -> Vec<Step> {
    let columns = "plan, jobs, started_ns, counted_from_ns, ended_ns, ending, notes, step";
    scan.all(Query::of("step", columns).documents(), |row| {
        let ended: Option<i64> = row.get(4)?;
        let ending = if ended.is_some() { word(row, 5)? } else { Ending::Interrupted };
        let record = StepRecord {
            plan: json(row, 0)?,
            jobs: json(row, 1)?,
            started: nanos(row, 2)?,
            counted_from: nanos(row, 3)?,
            ended: if ended.is_some() { nanos(row, 4)? } else { Nanos::ZERO },
            ending,
            intervals: Vec::new(),
            workers: Vec::new(),
            failures: Vec::new(),
            notes: earlier::notes(json(row, 6)?)?,
        };
        Ok(Step { number: row.get(7)?, ended: ended.is_some(), record })
    })
}

/// The step that a row of another table belongs to.
fn owner(steps: &mut [Step], number: i64) -> Outcome<&mut StepRecord> {
    let found = steps.binary_search_by_key(&number, |step| step.number);
    found.map(|place| &mut steps[place].record).map_err(|_| Fault::Orphan { owner: "step", number })
}

/// Puts the intervals into their steps. Rows of one interval follow each other, one a direction.
pub(crate) fn intervals(scan: &Scan<'_>, steps: &mut [Step]) {
    let columns = "step, job, start_ns, end_ns, counted, late, smeared, direction, ops, bytes, errors, short, \
                   latency_ns_sum, latency_ns_min, latency_ns_max, due_to_done";
    let source = "interval LEFT JOIN interval_histogram ON interval_histogram.interval = interval.interval";
    scan.each(Query::of("interval", columns).joined(source), |row| {
        let step = owner(steps, row.get(0)?)?;
        let (direction, late) = (direction(row, 7)?, whole(row, 5)?);
        let part = IntervalDirection { tally: tally(row, 8)?, latency: distribution(row, 15)? };
        let interval = Interval {
            counted: row.get(4)?,
            smeared: row.get(6)?,
            ..Interval::empty(row.get(1)?, nanos(row, 2)?, nanos(row, 3)?)
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
            last.late = last.late.saturating_add(late);
            last.directions[direction.index()] = part;
        }
        Ok(())
    });
}

/// Puts the workers, with their directions, into their steps.
pub(crate) fn workers(scan: &Scan<'_>, steps: &mut [Step]) {
    let columns = "worker, step, job, started_ns, ended_ns, user_cpu_ns, system_cpu_ns, run_delay_ns, context_switches, \
                   major_faults, minor_faults, depth_counts, submit_counts, complete_counts, late, late_ns_max";
    let mut ends = crate::worker_end::read(scan);
    let mut directions = worker_directions(scan);
    scan.each(Query::of("worker", columns).documents(), |row| {
        let id: i64 = row.get(0)?;
        let mut totals = worker(row, ends.remove(&id).unwrap_or_default())?;
        totals.directions = directions.remove(&id).unwrap_or_default();
        owner(steps, row.get(1)?)?.workers.push(totals);
        Ok(())
    });
}

/// By worker and direction.
fn worker_directions(scan: &Scan<'_>) -> BTreeMap<i64, [DirectionTotals; 4]> {
    let columns = "worker, direction, ops, bytes, errors, short, latency_ns_sum, latency_ns_min, latency_ns_max, \
                   due_to_done, issued_to_done, due_to_issued";
    let mut found: BTreeMap<i64, [DirectionTotals; 4]> = BTreeMap::new();
    scan.each(Query::of("worker_direction", columns), |row| {
        let totals = DirectionTotals {
            tally: tally(row, 2)?,
            latency: distribution(row, 9)?,
            service: distribution(row, 10)?,
            submission: distribution(row, 11)?,
        };
        found.entry(row.get(0)?).or_default()[direction(row, 1)?.index()] = totals;
        Ok(())
    });
    found
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
pub(crate) fn failures(scan: &Scan<'_>, steps: &mut [Step]) {
    let columns = "step, at_ns, direction, path, offset_bytes, length_bytes, errno";
    scan.each(Query::of("failure", columns), |row| {
        let failure = IoFailure {
            at: nanos(row, 1)?,
            direction: direction(row, 2)?,
            path: row.get(3)?,
            offset: whole(row, 4)?,
            bytes: row.get(5)?,
            errno: row.get(6)?,
        };
        owner(steps, row.get(0)?)?.failures.push(failure);
        Ok(())
    });
}

pub(crate) fn events(scan: &Scan<'_>) -> Vec<Event> {
    scan.all(Query::of("event", "at_ns, kind, text"), |row| {
        Ok(Event { at: nanos(row, 0)?, kind: word(row, 1)?, text: row.get(2)? })
    })
}

pub(crate) fn findings(scan: &Scan<'_>) -> Vec<StoredFinding> {
    scan.all(Query::of("finding", "kind, json, sentence").documents(), |row| {
        Ok(StoredFinding { kind: row.get(0)?, json: row.get(1)?, sentence: row.get(2)? })
    })
}

/// Version and identity as the file states them.
pub(crate) fn identity(conn: &Connection) -> Outcome<(i32, i32)> {
    let pragma = |name: &str| conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).optional();
    Ok((pragma("application_id")?.unwrap_or_default(), pragma("user_version")?.unwrap_or_default()))
}
