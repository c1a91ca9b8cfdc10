//! The steps in their tables: plans, completions in each interval, totals of each worker, failed I/Os.

use std::collections::BTreeMap;

use record::{
    DirectionTotals, Interval, IntervalDirection, IoFailure, IoTrace, Note, StepRecord, Tally, WorkerTotals,
};
use rusqlite::{Connection, Result};
use workload::{Direction, Ending, Nanos, StepPlan};

use crate::cell::{
    Cell, Counts, IoBytes, Json, Later, Least, Maybe, Notes, Number, Ops, Text, Time, Way, Whole, Word, word,
};
use crate::scan::{Fault, Outcome, Scan, row_of};
use crate::table::{self, Inserts, Table, table};

/// A row of a step; without an end if the step was cut off.
#[derive(Default)]
pub(crate) struct StepRow {
    name: String,
    kind: String,
    /// The plan as JSON.
    plan: String,
    jobs: Vec<String>,
    started: Nanos,
    counted_from: Nanos,
    ended: Option<Nanos>,
    ending: Option<Ending>,
    notes: Vec<Note>,
}

table! {
    Steps, "step" of StepRow, Own(step) {
        Text: name, kind, plan;
        Json: jobs;
        Time: started_ns = started, counted_from_ns = counted_from;
        Maybe<Time>: ended_ns = ended;
        Maybe<Word>: ending;
        Notes: notes;
    }
}

/// One direction of an interval, without its histogram.
#[derive(Default)]
pub(crate) struct Part {
    job: u16,
    start: Nanos,
    end: Nanos,
    counted: bool,
    direction: Direction,
    tally: Tally,
    late: u64,
    smeared: bool,
    waited: Nanos,
}

table! {
    Intervals, "interval" of Part, Own(interval), Of(step) {
        Number: job;
        Time: start_ns = start, end_ns = end;
        Number: counted;
        Way: direction;
        Ops: ops = tally.ops;
        IoBytes: bytes = tally.bytes;
        Ops: errors = tally.errors, short = tally.short;
        Whole: latency_ns_sum = tally.latency_ns_sum;
        Least: latency_ns_min = tally.latency_ns_min;
        Whole: latency_ns_max = tally.latency_ns_max, late;
        Number: smeared;
        Later<Time>: waited_ns = waited;
    }
}

/// Columns of `interval` that earlier files of this version lack.
const LATER: [&str; 1] = ["waited_ns"];

table! {
    /// Histograms, separate from `interval`, so that reading a series does not drag them along.
    Histograms, "interval_histogram" of IntervalDirection, Own(interval) {
        Counts: due_to_done = latency;
    }
}

table! {
    Workers, "worker" of WorkerTotals, Own(worker), Of(step) {
        Number: job;
        Time: started_ns = started, ended_ns = ended;
        Whole: user_cpu_ns, system_cpu_ns, run_delay_ns, context_switches, major_faults, minor_faults;
        Json: depth_counts, submit_counts, complete_counts;
        Whole: late, late_ns_max;
    }
}

table! {
    Directions, "worker_direction" of (Direction, DirectionTotals), Of(worker); unique "worker, direction" {
        Way: direction = 0;
        Ops: ops = 1.tally.ops;
        IoBytes: bytes = 1.tally.bytes;
        Ops: errors = 1.tally.errors, short = 1.tally.short;
        Whole: latency_ns_sum = 1.tally.latency_ns_sum;
        Least: latency_ns_min = 1.tally.latency_ns_min;
        Whole: latency_ns_max = 1.tally.latency_ns_max;
        Counts: due_to_done = 1.latency, issued_to_done = 1.service,
            due_to_issued = 1.submission;
    }
}

table! {
    /// End of each worker, stored separately from its sums.
    WorkerEnds, "worker_end" of WorkerTotals, Own(worker) {
        Maybe<Word>: ending;
        Maybe<Number>: first_errno;
        Whole: unissued, untraced;
        Json: files;
    }
}

table! {
    /// Each I/O of the workers that trace them, in order of completion.
    Ios, "io" of IoTrace, Of(worker) {
        Time: due_ns = due, issued_ns = issued, done_ns = done;
        Way: direction;
        Whole: offset_bytes = offset;
        Number: length_bytes = bytes, file, errno, counted;
    }
}

table! {
    Failures, "failure" of IoFailure, Of(step) {
        Time: at_ns = at;
        Way: direction;
        Text: path;
        Whole: offset_bytes = offset;
        Number: length_bytes = bytes, errno;
    }
}

/// Stores the beginning of step `id`.
pub(crate) fn begin(conn: &Connection, id: i64, begun: &StepRow) -> Result<()> {
    table::put::<Steps>(conn, &[Some(id)], begun).map(drop)
}

/// Replaces the beginning of step `id` by its end; `plan` is its plan as JSON.
pub(crate) fn end(conn: &Connection, id: i64, record: &StepRecord, plan: String) -> Result<()> {
    let row = StepRow {
        jobs: record.jobs.clone(),
        started: record.started,
        counted_from: record.counted_from,
        ended: Some(record.ended),
        ending: Some(record.ending),
        notes: record.notes.clone(),
        ..StepRow::of(&record.plan, plan)
    };
    Inserts::<Steps>::replacing(conn)?.put(&[Some(id)], &row)?;
    record.workers.iter().try_for_each(|done| worker(conn, id, done))?;
    let mut failures = Inserts::<Failures>::table(conn)?;
    record.failures.iter().try_for_each(|failure| failures.put(&[Some(id)], failure).map(drop))
}

impl StepRow {
    /// Returns a step that began `at`; `text` is its plan as JSON.
    pub(crate) fn begun(plan: &StepPlan, text: String, at: Nanos) -> StepRow {
        StepRow {
            jobs: crate::rebuild::jobs_of(plan),
            started: at,
            counted_from: at + plan.ramp,
            ..StepRow::of(plan, text)
        }
    }

    fn of(plan: &StepPlan, text: String) -> StepRow {
        StepRow { name: plan.name.clone(), kind: word(&plan.kind), plan: text, ..StepRow::default() }
    }
}

/// Stores one row for each direction that is `planned` or has any I/O, and at least one row, so that a stall is a
/// row of zeros. Only the first row has `late`, so that sums over rows are right.
pub(crate) fn interval(conn: &Connection, step: i64, interval: &Interval, planned: [bool; 4]) -> Result<()> {
    let mut parts = Inserts::<Intervals>::table(conn)?;
    let mut histograms = Inserts::<Histograms>::table(conn)?;
    let nothing = IntervalDirection::default();
    let happened = |direction: Direction| *interval.of(direction) != nothing;
    let wanted = |direction: &Direction| planned[direction.index()] || happened(*direction);
    let mut directions: Vec<Direction> = Direction::ALL.into_iter().filter(wanted).collect();
    if directions.is_empty() {
        directions.push(Direction::Read);
    }
    for (place, direction) in directions.into_iter().enumerate() {
        let row = Part {
            job: interval.job,
            start: interval.start,
            end: interval.end,
            counted: interval.counted,
            direction,
            tally: interval.of(direction).tally,
            late: if place == 0 { interval.late } else { 0 },
            smeared: interval.smeared,
            waited: interval.waited,
        };
        let id = parts.put(&[None, Some(step)], &row)?;
        if !interval.of(direction).latency.is_empty() {
            histograms.put(&[Some(id)], interval.of(direction))?;
        }
    }
    Ok(())
}

fn worker(conn: &Connection, step: i64, worker: &WorkerTotals) -> Result<()> {
    let id = table::put::<Workers>(conn, &[None, Some(step)], worker)?;
    table::put::<WorkerEnds>(conn, &[Some(id)], worker)?;
    let mut ios = Inserts::<Ios>::table(conn)?;
    worker.ios.iter().try_for_each(|io| ios.put(&[Some(id)], io).map(drop))?;
    let mut inserts = Inserts::<Directions>::table(conn)?;
    for direction in Direction::ALL {
        let totals = &worker.directions[direction.index()];
        if *totals != DirectionTotals::default() {
            inserts.put(&[Some(id)], &(direction, totals.clone()))?;
        }
    }
    Ok(())
}

/// Bytes of memory that an interval takes in a report beyond those of other rows; measured with reports of files of
/// a million intervals.
const INTERVAL_MORE: u64 = 1_200;
/// Bytes of memory that a failure takes in a report beyond those of other rows; measured likewise.
const FAILURE_MORE: u64 = 900;

/// A step with its number, and whether its end was stored.
struct Step {
    number: i64,
    ended: bool,
    record: StepRecord,
}

/// Reads every step with its intervals, workers and failures. A step that was cut off is rebuilt from its
/// intervals.
pub(crate) fn read(scan: &Scan<'_>) -> Vec<StepRecord> {
    let mut steps = heads(scan);
    intervals(scan, &mut steps);
    workers(scan, &mut steps);
    scan.each(table::select::<Failures>(), |row| {
        scan.weighs(row_of::<IoFailure>() + FAILURE_MORE)?;
        let failure = table::taken::<Failures>(row)?;
        owner(&mut steps, row.get(0)?)?.failures.push(failure);
        Ok(())
    });
    steps.iter_mut().filter(|step| !step.ended).for_each(|step| crate::rebuild::rebuild(&mut step.record));
    steps.into_iter().map(|step| step.record).collect()
}

/// Reads the steps without the contents of other tables.
fn heads(scan: &Scan<'_>) -> Vec<Step> {
    scan.all(table::select::<Steps>().documents(), |row| {
        let asked = table::taken::<Steps>(row)?;
        if asked.ended.is_some() && asked.ending.is_none() {
            return Err(Fault::Word { found: String::new(), expected: "how the step ended" });
        }
        let record = StepRecord {
            plan: serde_json::from_str(&asked.plan)?,
            jobs: asked.jobs,
            started: asked.started,
            counted_from: asked.counted_from,
            ended: asked.ended.unwrap_or(Nanos::ZERO),
            ending: asked.ended.and(asked.ending).unwrap_or(Ending::Interrupted),
            intervals: Vec::new(),
            workers: Vec::new(),
            failures: Vec::new(),
            notes: asked.notes,
        };
        Ok(Step { number: table::number::<Steps>(row)?, ended: asked.ended.is_some(), record })
    })
}

/// Returns the step that a row of another table belongs to.
fn owner(steps: &mut [Step], number: i64) -> Outcome<&mut StepRecord> {
    let found = steps.binary_search_by_key(&number, |step| step.number);
    found.map(|place| &mut steps[place].record).map_err(|_| Fault::Orphan { owner: "step", number })
}

/// Attaches the intervals to their steps. The rows of an interval are consecutive, one for each direction.
fn intervals(scan: &Scan<'_>, steps: &mut [Step]) {
    const HISTOGRAMS: &str =
        "LEFT JOIN interval_histogram ON interval_histogram.interval = interval.interval";
    let query = table::select_of_any_version::<Intervals>(scan, &LATER);
    let query = query.joined(HISTOGRAMS, "due_to_done");
    let latency = 1 + Intervals::columns().len();
    scan.each(query, |row| {
        let step = owner(steps, row.get(0)?)?;
        let read = table::taken::<Intervals>(row)?;
        let latency = Counts::take(row, latency)?;
        let (direction, key) = (read.direction.index(), (read.job, read.start, read.end));
        // Directions are stored in the order of their index, so a direction that is not after the last one begins a
        // new interval.
        let continues = step.intervals.last().is_some_and(|last| {
            let rest = &last.directions[direction..];
            (last.job, last.start, last.end) == key && rest.iter().all(|part| *part == Default::default())
        });
        if !continues {
            scan.weighs(row_of::<Interval>() + INTERVAL_MORE)?;
            let empty = Interval::empty(read.job, read.start, read.end);
            let Part { counted, smeared, waited, .. } = read;
            step.intervals.push(Interval { counted, smeared, waited, ..empty });
        }
        if let Some(last) = step.intervals.last_mut() {
            last.late = last.late.saturating_add(read.late);
            last.directions[direction] = IntervalDirection { tally: read.tally, latency };
        }
        Ok(())
    });
}

/// A worker, with the number of its step.
struct Worker {
    step: i64,
    totals: WorkerTotals,
}

/// Attaches the workers, with their ends and directions, to their steps.
fn workers(scan: &Scan<'_>, steps: &mut [Step]) {
    let mut known: BTreeMap<i64, Worker> = BTreeMap::new();
    scan.each(table::select::<Workers>().documents(), |row| {
        scan.weighs(row_of::<WorkerTotals>())?;
        let worker = Worker { step: row.get(0)?, totals: table::taken::<Workers>(row)? };
        owner(steps, worker.step)?;
        known.insert(table::number::<Workers>(row)?, worker);
        Ok(())
    });
    if scan.has("worker_end") {
        scan.each(table::select::<WorkerEnds>().documents(), |row| {
            let totals = of_worker(&mut known, table::number::<WorkerEnds>(row)?)?;
            table::fill::<WorkerEnds>(totals, row)
        });
    }
    if scan.has("io") {
        scan.each(table::select::<Ios>(), |row| {
            scan.weighs(row_of::<IoTrace>())?;
            of_worker(&mut known, row.get(0)?)?.ios.push(table::taken::<Ios>(row)?);
            Ok(())
        });
    }
    scan.each(table::select::<Directions>(), |row| {
        let (direction, totals) = table::taken::<Directions>(row)?;
        of_worker(&mut known, row.get(0)?)?.directions[direction.index()] = totals;
        Ok(())
    });
    for worker in known.into_values() {
        if let Ok(step) = owner(steps, worker.step) {
            step.workers.push(worker.totals);
        }
    }
}

/// Returns the totals of the worker with this number.
fn of_worker(known: &mut BTreeMap<i64, Worker>, number: i64) -> Outcome<&mut WorkerTotals> {
    let found = known.get_mut(&number).map(|worker| &mut worker.totals);
    found.ok_or(Fault::Orphan { owner: "worker", number })
}
