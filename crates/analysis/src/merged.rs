//! The answer of `plimsoll merge`: what several machines had together, each of them, and which is the odd one.

use record::{Distribution, Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{AloneRate, Direction, LeftOutStep, MergedMachine, MergedPart, MergedRequest, Nanos};

use crate::estimate::Estimate;
use crate::odd::{Deviation, deviations};
use crate::points::{load_points, point};
use crate::shortage::Shortage;
use crate::step_figures::Point;
use crate::together::{CHANGED, Reach, TogetherDoubt, ratio, reached, sum};

/// What several machines had together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedAnswer {
    /// The machines, in the order of their labels.
    pub machines: Vec<MergedMachine>,
    /// Names of further machines, of which no run is known.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The steps that machines ran at the same time.
    pub steps: Vec<MergedStep>,
    /// Steps of single machines that were left out.
    pub left_out: Vec<LeftOutStep>,
    /// Distance of each machine's rate from the median of all; the row is the number of the load, counted through all
    /// steps. Empty with fewer than three machines.
    pub deviations: Vec<Deviation>,
}

/// A step that several machines ran at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedStep {
    /// Name of the step.
    pub step: String,
    /// Number of machines that ran it.
    pub machines: usize,
    /// The time in which all were counting, on the run's clock; the rates are those of this time.
    pub window_ns: (Nanos, Nanos),
    /// Time from the first machine's start of counting to the last's.
    pub start_skew_ns: Nanos,
    /// Time from the first machine's end to the last's.
    pub stop_skew_ns: Nanos,
    /// Greatest time by which a machine's intervals were moved onto the edges of the others'.
    pub moved_ns: Nanos,
    /// Each direction.
    pub loads: Vec<MergedLoad>,
}

/// One direction of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedLoad {
    /// Direction.
    pub direction: Direction,
    /// Operations per second of all machines, while all were counting.
    pub iops: Estimate,
    /// Bytes per second of all machines, while all were counting.
    pub bytes_per_second: Estimate,
    /// Operations per second of all machines until the first was done.
    pub first_done_iops: f64,
    /// Operations per second of all machines until the last was done.
    pub last_done_iops: f64,
    /// Number of operations of all machines, in the window and beside it.
    pub ops: u64,
    /// Bytes of all machines, in the window and beside it.
    pub bytes: u64,
    /// Median latency of all operations, nanoseconds.
    pub latency_ns_p50: u64,
    /// 99th percentile of the latency of all operations, nanoseconds.
    pub latency_ns_p99: u64,
    /// Greatest latency, nanoseconds.
    pub latency_ns_max: u64,
    /// What each machine had.
    pub rows: Vec<MergedRow>,
    /// Operations per second of the machines by themselves, added up; `None` if not measured of all.
    #[serde(default)]
    pub alone: Option<Estimate>,
    /// Whether they share a limit; `None` if no machine was measured by itself.
    #[serde(default)]
    pub reach: Option<Reach>,
}

/// One machine in one direction of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedRow {
    /// Index of the machine.
    pub machine: u16,
    /// Operations per second while all were counting.
    pub iops: Estimate,
    /// Bytes per second while all were counting.
    pub bytes_per_second: Estimate,
    /// Median latency, nanoseconds.
    pub latency_ns_p50: u64,
    /// 99th percentile of latency, nanoseconds.
    pub latency_ns_p99: u64,
    /// Share of the slowest hundredth of all operations that are this machine's.
    pub tail_share: f64,
    /// Operations per second of the machine by itself, if measured.
    #[serde(default)]
    pub alone: Option<Estimate>,
}

/// Returns the rates of a run of one machine by itself, for [`MergedRequest::alone`].
pub fn alone_rates(run: &Run, label: &str) -> Vec<AloneRate> {
    let of = |point: Point| AloneRate {
        label: label.to_owned(),
        step: point.step,
        direction: point.direction,
        iops: point.iops.value,
        low: point.iops.low,
        high: point.iops.high,
    };
    run.steps.iter().flat_map(load_points).map(of).collect()
}

/// Returns the answer of `run`, which was merged from several.
pub(crate) fn answer(run: &Run, asked: &MergedRequest) -> MergedAnswer {
    let shortage = Shortage::of(run);
    let both = run.steps.iter().zip(&asked.steps);
    let mut steps: Vec<MergedStep> = both.filter_map(|(record, parts)| step(record, parts)).collect();
    for of in steps.iter_mut().filter(|_| !asked.alone.is_empty()) {
        let record = run.steps.iter().find(|record| record.plan.name == of.step);
        let lost = record.map_or(0.0, |record| shortage.of_step(record).lost);
        of.loads.iter_mut().for_each(|load| beside_alone(load, (&of.step, lost), asked));
    }
    // All ran at the same time, so that the spread of their rates contains whatever disturbed them (method 11).
    let rate =
        |row: &MergedRow| Estimate { value: row.iops.value, low: row.iops.value, high: row.iops.value };
    let of_load = |load: &MergedLoad| -> Vec<Option<Estimate>> {
        let of = |machine: usize| load.rows.iter().find(|row| usize::from(row.machine) == machine);
        (0..asked.machines.len()).map(|machine| of(machine).map(rate)).collect()
    };
    // The median of a minority says nothing of the others.
    let of_step = |step: &MergedStep| {
        let is_most = 2 * step.machines > asked.machines.len();
        step.loads.iter().map(|load| if is_most { of_load(load) } else { Vec::new() }).collect::<Vec<_>>()
    };
    let rates: Vec<Vec<Option<Estimate>>> = steps.iter().flat_map(of_step).collect();
    MergedAnswer {
        machines: asked.machines.clone(),
        missing: asked.missing.clone(),
        left_out: asked.left_out.clone(),
        deviations: deviations(&rates),
        steps,
    }
}

/// Returns what the machines had together in a step; `None` if no interval of it counts.
fn step(record: &StepRecord, parts: &[MergedPart]) -> Option<MergedStep> {
    let counted = || record.intervals.iter().filter(|interval| interval.counted);
    let from = counted().map(|interval| interval.start).min()?;
    let to = counted().map(|interval| interval.end).max()?;
    let own = own_steps(record, parts);
    let spread = |times: &dyn Fn(&MergedPart) -> Nanos| {
        let all = || parts.iter().map(times);
        all().max().unwrap_or_default().since(all().min().unwrap_or_default())
    };
    let loads = [Direction::Read, Direction::Write, Direction::Trim].into_iter();
    Some(MergedStep {
        step: record.plan.name.clone(),
        machines: parts.len(),
        window_ns: (from, to),
        start_skew_ns: spread(&|part| part.counted_from),
        stop_skew_ns: spread(&|part| part.ended),
        moved_ns: parts.iter().map(|part| Nanos(part.moved_ns.unsigned_abs())).max().unwrap_or_default(),
        loads: loads.filter_map(|direction| load(record, (parts, &own), direction)).collect(),
    })
}

/// Enters what each machine has by itself in this step, and whether all together have as much.
fn beside_alone(load: &mut MergedLoad, (step, lost): (&str, f64), asked: &MergedRequest) {
    let mut changed = None;
    for row in &mut load.rows {
        let machine = asked.machines.get(usize::from(row.machine));
        let own = |rate: &&AloneRate| {
            machine.is_some_and(|machine| machine.label == rate.label)
                && rate.step == step
                && rate.direction == load.direction
        };
        let rates: Vec<&AloneRate> = asked.alone.iter().filter(own).collect();
        let iops = || rates.iter().map(|rate| rate.iops);
        let (least, most) = (iops().fold(f64::MAX, f64::min), iops().fold(0.0, f64::max));
        if most - least > CHANGED * most {
            changed = Some(usize::from(row.machine));
        }
        let count = rates.len() as f64;
        let mean = |of: fn(&AloneRate) -> f64| rates.iter().map(|rate| of(rate)).sum::<f64>() / count;
        row.alone = (!rates.is_empty()).then(|| Estimate {
            value: mean(|rate| rate.iops),
            low: mean(|rate| rate.low),
            high: mean(|rate| rate.high),
        });
    }
    load.alone = sum(load.rows.iter().map(|row| row.alone));
    load.reach = Some(match (changed, &load.alone) {
        (_, None) => Reach::Open(TogetherDoubt::NotMeasured),
        (Some(machine), _) => Reach::Open(TogetherDoubt::Changed(machine)),
        (None, Some(alone)) => reached(&ratio(&load.iops, alone), lost),
    });
}

/// Returns the step of each machine by itself.
fn own_steps(record: &StepRecord, parts: &[MergedPart]) -> Vec<StepRecord> {
    let mut behind = 0;
    let mut of = |part: &MergedPart| {
        let own = behind..part.jobs.saturating_add(behind);
        behind = own.end;
        let names: Vec<&String> =
            record.jobs.iter().skip(usize::from(own.start)).take(usize::from(part.jobs)).collect();
        let mut plan = record.plan.clone();
        plan.workers.retain(|worker| names.contains(&&worker.job));
        StepRecord {
            plan,
            intervals: record.intervals.iter().filter(|one| own.contains(&one.job)).cloned().collect(),
            workers: record.workers.iter().filter(|one| own.contains(&one.job)).cloned().collect(),
            failures: Vec::new(),
            notes: Vec::new(),
            jobs: record.jobs.clone(),
            ..*record
        }
    };
    parts.iter().map(&mut of).collect()
}

fn load(
    record: &StepRecord,
    (parts, own): (&[MergedPart], &[StepRecord]),
    direction: Direction,
) -> Option<MergedLoad> {
    let all = point(record, direction)?;
    let (tally, latency) = (record.tally(direction), record.latency(direction));
    let began = parts.iter().map(|part| part.counted_from).min()?;
    let first_done = parts.iter().map(|part| part.ended).min()?;
    let last_done = parts.iter().map(|part| part.ended).max()?;
    let row = |(part, own): (&MergedPart, &StepRecord)| {
        let one = point(own, direction)?;
        Some(MergedRow {
            machine: part.machine,
            iops: one.iops,
            bytes_per_second: one.bytes_per_second,
            latency_ns_p50: one.latency_ns_p50,
            latency_ns_p99: one.latency_ns_p99,
            tail_share: beyond(&own.latency(direction), all.latency_ns_p99)
                / beyond(&latency, all.latency_ns_p99).max(1.0),
            alone: None,
        })
    };
    Some(MergedLoad {
        direction,
        iops: all.iops,
        bytes_per_second: all.bytes_per_second,
        first_done_iops: done(own, parts, (direction, first_done)) / first_done.since(began).as_secs_f64(),
        last_done_iops: tally.ops as f64 / last_done.since(began).as_secs_f64(),
        ops: tally.ops,
        bytes: tally.bytes,
        latency_ns_p50: all.latency_ns_p50,
        latency_ns_p99: all.latency_ns_p99,
        latency_ns_max: latency.ns_max().unwrap_or(0),
        rows: parts.iter().zip(own).filter_map(row).collect(),
        alone: None,
        reach: None,
    })
}

/// Returns the operations of all machines that were done by `until`; of an interval that goes on, the share before it.
fn done(own: &[StepRecord], parts: &[MergedPart], (direction, until): (Direction, Nanos)) -> f64 {
    let of = |(own, part): (&StepRecord, &MergedPart)| -> f64 {
        let until = Nanos(until.0.saturating_add_signed(part.moved_ns));
        let from = Nanos(part.counted_from.0.saturating_add_signed(part.moved_ns));
        let counted = own.intervals.iter().filter(|one| one.start >= from && one.start < until);
        let share = |before: Nanos, whole: Nanos| (before.0 as f64 / whole.0.max(1) as f64).min(1.0);
        counted
            .map(|one| {
                let ops = one.of(direction).tally.ops as f64;
                ops * share(until.since(one.start), one.end.since(one.start))
            })
            .sum()
    };
    own.iter().zip(parts).map(of).sum()
}

/// Returns the number of operations slower than `nanoseconds`.
fn beyond(latency: &Distribution, nanoseconds: u64) -> f64 {
    latency.share_within(nanoseconds).map_or(0.0, |within| (1.0 - within) * latency.count() as f64)
}

impl MergedAnswer {
    /// Returns the name of a machine; `?` for one that a damaged run file invents.
    pub fn label(&self, machine: u16) -> &str {
        self.machines.get(usize::from(machine)).map_or("?", |machine| &machine.label)
    }

    /// Returns the loads of all steps in order, each with its step.
    pub fn loads(&self) -> impl Iterator<Item = (&MergedStep, &MergedLoad)> {
        self.steps.iter().flat_map(|step| step.loads.iter().map(move |load| (step, load)))
    }

    /// Returns the number of machines in the step that most of them ran at the same time.
    pub fn most_at_once(&self) -> usize {
        self.steps.iter().map(|step| step.machines).max().unwrap_or(0)
    }

    /// Whether more than half of the machines ran some step at the same time.
    pub fn is_together(&self) -> bool {
        2 * self.most_at_once() > self.machines.len()
    }

    /// Whether every machine is in some step, and what was asked of machines by themselves is known.
    pub(crate) fn is_whole(&self) -> bool {
        let has_row = |machine: usize| {
            self.loads().any(|(_, load)| load.rows.iter().any(|row| usize::from(row.machine) == machine))
        };
        let is_open = |load: &MergedLoad| matches!(load.reach, Some(Reach::Open(_)));
        (0..self.machines.len()).all(has_row) && !self.loads().any(|(_, load)| is_open(load))
    }
}
