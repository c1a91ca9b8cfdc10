//! I/O that a run used, and the policy's burst credits left: its intervals, entered in the policy's accounts.

use policy::{Balance, Entry, ExcessDemand, IoGroup, Ledger, Limit, Limits, Opening, Order, Resource};
use record::{Interval, Run, StepRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Access, Bytes, Direction, Lengths, LengthsBy, Nanos, Pace, StepKind, WorkerPlan};

use crate::figures::Figures;
use crate::plateaus::{QUEUED, base_latency_ns};

/// Number of lengths that represent a range of lengths.
const RANGE_PARTS: u64 = 16;
/// Least bytes per second of a single stream on any network volume: gives the transfer time of an I/O from its length.
const STREAM: f64 = 250e6;

/// What the run has used up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Consumption {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Operations as the policy charges them; plain operations without a policy.
    pub charged_ops: f64,
    /// Share of the policy's burst credits that is used up at the end if they were full at first (0 to 1), for the rule
    /// with the least left; `None` if the policy has no credits of known size.
    pub credit_share: Option<f64>,
    /// Seconds under load.
    pub loaded_s: f64,
    /// The credits left of every rule with credits of a known size.
    #[serde(default)]
    pub credits: Vec<CreditRow>,
}

/// The credits of one rule of the policy after the run. Shares are of a full bucket, or of the time of a burst that
/// ends with time; what was there at the start is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditRow {
    /// The rule's name in the policy.
    pub rule: String,
    /// Resource that the rule counts.
    pub resource: Resource,
    /// Operations or bytes per second while there are credits.
    pub burst: f64,
    /// Operations or bytes per second without credits.
    pub baseline: f64,
    /// Share that is used up at the end if the bucket was full at first.
    pub spent_of_full: f64,
    /// Least share left at the end that agrees with the measured rates.
    pub left_least: f64,
    /// Greatest share left at the end that agrees with the measured rates.
    pub left_most: f64,
    /// Least share that the bucket must have contained at first.
    pub held_at_least: f64,
    /// Seconds that the burst lasts from a full bucket.
    pub lasts_s_full: Option<f64>,
    /// Seconds that the burst still lasts from the least share left.
    pub lasts_s_least: Option<f64>,
    /// Seconds that the burst still lasts from the greatest share left.
    pub lasts_s_most: Option<f64>,
}

/// Returns the consumption of `run`, charged as `limits` define.
pub(crate) fn spent(run: &Run, figures: &Figures, limits: Option<&Limits>) -> Consumption {
    let mut spent = Consumption::default();
    let rules = limits.map_or(&[][..], |limits| &limits.limits);
    for step in run.steps.iter().filter(|step| step.plan.kind != StepKind::Idle) {
        for interval in &step.intervals {
            let (read, write) = (interval.of(Direction::Read).tally, interval.of(Direction::Write).tally);
            spent.bytes_read = spent.bytes_read.saturating_add(read.bytes);
            spent.bytes_written = spent.bytes_written.saturating_add(write.bytes);
            spent.charged_ops +=
                moved(step, interval).iter().map(|moved| charged_ops(rules, moved)).sum::<f64>();
        }
        spent.loaded_s += step.ended.since(step.started).as_secs_f64();
    }
    if let Some(limits) = limits {
        spent.credits = credits(run, figures, limits);
        spent.credit_share = spent.credits.iter().map(|row| row.spent_of_full).reduce(f64::max);
    }
    spent
}

/// Returns operations, charged by the first rule that counts them.
fn charged_ops(rules: &[Limit], moved: &IoGroup) -> f64 {
    let counts = |rule: &&Limit| rule.resource == Resource::Iops && rule.direction.covers(moved.direction);
    moved.ops * rules.iter().find(counts).map_or(1.0, |rule| rule.mean_charge(moved))
}

/// Returns the credits of every account after the run.
fn credits(run: &Run, figures: &Figures, limits: &Limits) -> Vec<CreditRow> {
    let mut ledger = Ledger::new(limits, Opening::Unknown);
    entries(run, figures).iter().for_each(|dated| ledger.enter(&dated.entry));
    ledger.balances().into_iter().map(|balance| row(limits, balance)).collect()
}

fn row(limits: &Limits, balance: Balance) -> CreditRow {
    let limit = &limits.limits[balance.limit];
    let rate = limit.rate(policy::Level::Burst);
    let lasts = |share| limit.burst_lasts(share, rate).map(|length| length.as_secs_f64());
    CreditRow {
        rule: limit.id.clone(),
        resource: limit.resource,
        burst: rate,
        baseline: limit.baseline,
        spent_of_full: 1.0 - balance.from_full,
        left_least: balance.least,
        left_most: balance.most,
        held_at_least: balance.held_at_least,
        lasts_s_full: lasts(1.0),
        lasts_s_least: lasts(balance.least),
        lasts_s_most: lasts(balance.most),
    }
}

/// The I/O of one interval, with its start.
#[derive(Clone, Debug)]
pub(crate) struct DatedEntry {
    pub from: Nanos,
    pub entry: Entry,
}

/// Returns all I/O in the order of time, with the pauses in which the volume earned credits.
pub(crate) fn entries(run: &Run, figures: &Figures) -> Vec<DatedEntry> {
    let base = Bases::of(figures);
    let mut entries = Vec::new();
    let mut booked: Option<Nanos> = None;
    for step in &run.steps {
        let mut intervals: Vec<&Interval> = step.intervals.iter().collect();
        intervals.sort_by_key(|interval| (interval.start, interval.end));
        for interval in intervals {
            // Jobs that run at once share their time: an overlap is entered without time of its own.
            let from = booked.map_or(interval.start, |booked| booked.max(interval.start));
            let pause = booked.map_or(Nanos::ZERO, |booked| from.since(booked));
            if pause > Nanos::ZERO {
                let entry = Entry { length: pause, ..Entry::default() };
                entries.push(DatedEntry { from: Nanos(from.0 - pause.0), entry });
            }
            let length = interval.end.since(from);
            let asked = base.asked(step, interval);
            entries.push(DatedEntry { from, entry: Entry { length, moved: moved(step, interval), asked } });
            booked = Some(booked.map_or(interval.end, |booked| booked.max(interval.end)));
        }
    }
    entries
}

/// Latency of one I/O at a time in each direction, nanoseconds.
struct Bases([Option<f64>; 2]);

impl Bases {
    fn of(figures: &Figures) -> Bases {
        let base = |direction| base_latency_ns(&figures.latencies, &figures.depths, direction);
        Bases([base(Direction::Read), base(Direction::Write)])
    }

    /// Returns whether more I/O was asked for: a closed loop whose I/Os wait for others would otherwise be faster.
    fn asked(&self, step: &StepRecord, interval: &Interval) -> ExcessDemand {
        let closed = step.plan.workers.iter().all(|worker| worker.pace == Pace::Closed);
        let waits = |direction: Direction, base: Option<f64>| {
            let tally = interval.of(direction).tally;
            let (mean, base) = tally.latency_ns_mean().zip(base)?;
            Some(is_queued(mean, base, tally.bytes as f64 / tally.ops as f64))
        };
        let [read, write] = self.0;
        let waits = [waits(Direction::Read, read), waits(Direction::Write, write)];
        match closed && waits.into_iter().flatten().any(|waits| waits) {
            true => ExcessDemand::More,
            false => ExcessDemand::Perhaps,
        }
    }
}

/// Whether I/Os of `block` bytes that take `mean_ns` wait for others, if one small I/O alone takes `base_ns`.
pub(crate) fn is_queued(mean_ns: f64, base_ns: f64, block: f64) -> bool {
    mean_ns >= QUEUED * (base_ns + block / STREAM * 1e9)
}

/// Returns the I/Os of an interval by length and direction.
fn moved(step: &StepRecord, interval: &Interval) -> Vec<IoGroup> {
    let job = step.jobs.get(usize::from(interval.job));
    let of_job: Vec<&WorkerPlan> =
        step.plan.workers.iter().filter(|worker| job.is_none_or(|job| worker.job == *job)).collect();
    let mut moved = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let tally = interval.of(direction).tally;
        if tally.ops == 0 {
            continue;
        }
        let order = order(step, direction);
        let mean = Bytes((tally.bytes as f64 / tally.ops as f64).round() as u64);
        for (block, share) in shares(&of_job, direction).unwrap_or_else(|| vec![(mean, 1.0)]) {
            moved.push(IoGroup { direction, ops: tally.ops as f64 * share, block, order });
        }
    }
    moved
}

/// Returns the lengths that workers use, with their shares; `None` if they differ between workers or depend on the
/// order.
fn shares(workers: &[&WorkerPlan], direction: Direction) -> Option<Vec<(Bytes, f64)>> {
    let first = &workers.first()?.blocks;
    if first.by == LengthsBy::Sequence || workers.iter().any(|worker| worker.blocks != *first) {
        return None;
    }
    let shares = match first.of(direction) {
        Lengths::Fixed(length) => vec![(*length, 1.0)],
        Lengths::Range { least, most, step } => {
            let drawn = |part: u64| ((part as f64 + 0.5) / RANGE_PARTS as f64 * most.0 as f64) as u64;
            let length = |part| Bytes(Lengths::in_range((least.0, most.0), step.0.max(1), drawn(part)));
            (0..RANGE_PARTS).map(|part| (length(part), 1.0 / RANGE_PARTS as f64)).collect()
        }
        Lengths::Shares(shares) => {
            let all: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
            shares.iter().map(|share| (share.length, f64::from(share.weight) / all)).collect()
        }
    };
    Some(shares).filter(|shares| !shares.is_empty())
}

/// Returns whether I/Os of `direction` are sequential: those of a single worker are if it only reads or only writes.
fn order(step: &StepRecord, direction: Direction) -> Order {
    let workers: Vec<&WorkerPlan> =
        step.plan.workers.iter().filter(|worker| worker.access.mix.issues(direction)).collect();
    match workers.as_slice() {
        workers if workers.iter().all(|worker| !worker.access.has_neighbours()) => Order::Random,
        [only] if is_one_line(only) => Order::Sequential,
        _ => Order::Unclear,
    }
}

/// Whether each I/O of a worker follows the one before it, with no other in between.
fn is_one_line(worker: &WorkerPlan) -> bool {
    let Access { order, stride, mix, runs, pieces, diskspd, .. } = &worker.access;
    let plain = *stride == 0 && runs.is_none() && pieces.is_none() && diskspd.is_none();
    let ways: Vec<Direction> = mix.directions().collect();
    let never_random = |way: &Direction| *worker.access.random_percent.of(*way) == 0;
    let straight = *order == workload::Order::Sequential && ways.iter().all(never_random);
    plain && straight && ways.len() == 1 && worker.files.len() == 1
}
