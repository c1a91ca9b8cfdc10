//! Possible cost of plimsoll's own lack of CPU: by step, the operations that were not issued in time, and whether they
//! could explain a missed claim. Lack of CPU makes a rate too low and a latency too long, never the other way.

use record::{CpuMetric, Interval, Run, Sample, StepRecord, TargetFacts};
use workload::{Direction, Nanos, Pace};

use crate::claims::TOLERANCE;
use crate::clean::{FEWEST, clean_intervals};
use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::verdict::{Answer, ClaimRow, Doubt, Quantity};

/// Share of a step above which a worker's time on a CPU was itself the limit.
pub(crate) const WORKER_BUSY: f64 = 0.9;
/// Share of the rate lost above which it is reported: a tenth is more than any promise allows.
pub(crate) const GOOD_PART: f64 = 0.1;
/// Share of the machine's time above which the time taken by the hypervisor counts (method 6.3, R16).
pub(crate) const STEAL: f64 = 0.05;
/// Factor on a wait if threads of this machine serve the target: they wait for a CPU in series with plimsoll's own.
const IN_SERIES: f64 = 2.0;
/// Bytes up to which a block takes about as long as a small one; a larger one takes longer in proportion (method 6.3).
const SHORT_BLOCK: f64 = 65_536.0;
/// Share of the device's queue that counts in each interval: a wait may span two intervals and use the queue in both.
const OVER_AN_EDGE: f64 = 0.5;
/// Share of the time whose waits delay half of the I/Os beyond a 99th percentile.
const TAIL: f64 = 0.005;
/// Least ratio of a step's rate to that of a row for the row to rest on the step.
const LEVEL: f64 = 0.9;

/// Facts about a run that determine the cost of a wait.
pub(crate) struct Shortage<'r> {
    run: &'r Run,
    /// Whether threads of this machine serve the target, as for loop devices and FUSE.
    local: bool,
    /// Shortest mean latency of a step with one I/O in flight, nanoseconds, by direction.
    base_ns: [Option<f64>; 4],
}

/// Shares of the counted time of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shares {
    /// Most time for which one worker was on a CPU.
    pub own_cpu: f64,
    /// Most time for which one worker was ready, but without a CPU.
    pub waiting: f64,
    /// Time that the hypervisor took from the machine.
    pub steal: f64,
    /// The greatest rate lost to all this, as a share of the rate.
    pub lost: f64,
}

/// Returns the share of its rate that a step has less than it asked for, or than its best interval without a wait: no more can have
/// been lost.
fn lacking(step: &StepRecord) -> f64 {
    let ops = |interval: &Interval| {
        Direction::ALL.iter().map(|way| interval.of(*way).tally.ops as f64).sum::<f64>()
    };
    let rate = |interval: &Interval| ops(interval) / interval.seconds().max(f64::MIN_POSITIVE);
    let counted = step.counted();
    let done = counted.iter().map(ops).sum::<f64>() / counted.iter().map(Interval::seconds).sum::<f64>();
    let asked: Option<f64> = step.plan.workers.iter().map(|worker| Some(worker.pace.rate()?.0)).sum();
    let clean = clean_intervals(step);
    let best = || (clean.len() >= FEWEST).then(|| clean.iter().map(rate).fold(0.0, f64::max));
    match asked.or_else(best) {
        Some(most) if done.is_finite() && most > 0.0 => (1.0 - done / most).max(0.0),
        _ => 1.0,
    }
}

impl<'r> Shortage<'r> {
    pub(crate) fn of(run: &'r Run) -> Shortage<'r> {
        let of_direction = |direction| {
            let alone = run.steps.iter().filter(|step| depth(step) == 1);
            let means = alone.filter_map(|step| step.tally(direction).latency_ns_mean());
            means.min_by(f64::total_cmp)
        };
        let base_ns = Direction::ALL.map(of_direction);
        Shortage { run, local: run.target.as_ref().is_some_and(is_served_here), base_ns }
    }

    /// Returns the shares of `step`.
    pub(crate) fn of_step(&self, step: &StepRecord) -> Shares {
        let wall_ns = step.ended.since(step.counted_from).0 as f64;
        if wall_ns <= 0.0 {
            return Shares::default();
        }
        let greatest = |spent: fn(&record::WorkerTotals) -> u64| {
            step.workers.iter().map(spent).max().unwrap_or(0) as f64 / wall_ns
        };
        let own_cpu = greatest(|worker| worker.user_cpu_ns.saturating_add(worker.system_cpu_ns));
        let waiting = greatest(|worker| worker.run_delay_ns);
        let steal = steal(&within(self.run, step.counted_from, step.ended));
        Shares {
            own_cpu,
            waiting,
            steal,
            lost: self.lost(step, Shares { own_cpu, waiting, steal, lost: 0.0 }),
        }
    }

    /// Returns the greatest share of its rate that `step` can have lost.
    fn lost(&self, step: &StepRecord, shares: Shares) -> f64 {
        if shares.own_cpu > WORKER_BUSY {
            return 1.0;
        }
        let counted = step.counted();
        let known = counted.iter().any(|interval| interval.waited > Nanos::ZERO);
        let all: f64 = counted.iter().map(Interval::seconds).sum();
        let waits = if known && all > 0.0 {
            counted.iter().map(|interval| self.lost_s(step, interval)).sum::<f64>() / all
        } else {
            // The file is older than the waits of intervals.
            shares.waiting * self.in_series()
        };
        let stolen = if shares.steal > STEAL { shares.steal * self.in_series() } else { 0.0 };
        let most = if known { lacking(step) } else { 1.0 };
        (waits + stolen).min(most)
    }

    /// Returns the seconds of `interval` in which the device may have had less to do than planned in `step`. While a
    /// worker waits, the device goes on with I/Os in flight, for as long as they queue beyond the latency of a single
    /// one.
    fn lost_s(&self, step: &StepRecord, interval: &Interval) -> f64 {
        let waited_s = interval.waited.as_secs_f64();
        let queued_s = if self.local { 0.0 } else { self.queued_s(step, interval) };
        ((waited_s - OVER_AN_EDGE * queued_s) * self.in_series()).clamp(0.0, interval.seconds())
    }

    /// Whether threads of this machine serve the target.
    pub(crate) fn is_local(&self) -> bool {
        self.local
    }

    fn in_series(&self) -> f64 {
        if self.local { IN_SERIES } else { 1.0 }
    }

    /// Returns how long the queue of `interval` lasts without further I/Os, in seconds; zero if a pace determines it.
    fn queued_s(&self, step: &StepRecord, interval: &Interval) -> f64 {
        let closed = step.plan.workers.iter().all(|worker| worker.pace == Pace::Closed);
        let of_direction = |direction: Direction| {
            let latency_ns = interval.of(direction).tally.latency_ns_mean()?;
            let block =
                step.plan.workers.iter().map(|worker| worker.blocks.longest_of(direction).0).max()? as f64;
            let alone_ns = self.base_ns[direction.index()]? * (block / SHORT_BLOCK).max(1.0);
            Some(((latency_ns - alone_ns) / 1e9).max(0.0))
        };
        let shortest = Direction::ALL.into_iter().filter_map(of_direction).min_by(f64::total_cmp);
        shortest.filter(|_| closed).unwrap_or(0.0)
    }

    /// Whether the loss could make up for what `row` lacks.
    fn explains(&self, figures: &Figures, row: &ClaimRow) -> bool {
        let Some(measured) = row.measured else { return false };
        match row.quantity {
            Quantity::Iops | Quantity::BytesPerSecond => {
                let lost = self.lost_at(figures, row, &measured).unwrap_or_else(|| self.most_lost());
                measured.high >= row.claimed.value * (1.0 - TOLERANCE) * (1.0 - lost)
            }
            Quantity::MeanLatency => {
                let timed = self.run.steps.iter().filter(|step| step.tally(row.direction).ops > 0);
                let added = timed.map(|step| added_ns(step, row.direction)).fold(0.0, f64::max);
                measured.low - added <= row.claimed.value
            }
            Quantity::PercentileLatency => {
                let timed = self.run.steps.iter().filter(|step| step.tally(row.direction).ops > 0);
                timed.map(|step| self.of_step(step).waiting).fold(0.0, f64::max) > TAIL
            }
        }
    }

    /// Returns the share of its rate that the level of `row` can have lost: the least of the steps that reach it.
    fn lost_at(&self, figures: &Figures, row: &ClaimRow, level: &Estimate) -> Option<f64> {
        let points = figures.ladders().chain(&figures.jobs).filter(|point| {
            let bytes = row.quantity == Quantity::BytesPerSecond;
            let value = if bytes { point.bytes_per_second.value } else { point.iops.value };
            point.direction == row.direction && value >= LEVEL * level.value
        });
        let steps = points.filter_map(|point| self.named(&point.step));
        steps.map(|step| self.of_step(step).lost).min_by(f64::total_cmp)
    }

    fn named(&self, name: &str) -> Option<&'r StepRecord> {
        self.run.steps.iter().find(|step| step.plan.name == name)
    }

    fn most_lost(&self) -> f64 {
        self.run.steps.iter().map(|step| self.of_step(step).lost).fold(0.0, f64::max)
    }
}

/// Leaves a missed claim open if plimsoll's lack of CPU could explain it.
pub(crate) fn excuse(run: &Run, figures: &Figures, rows: &mut [ClaimRow]) {
    let shortage = Shortage::of(run);
    for row in rows.iter_mut().filter(|row| row.answer == Answer::Below) {
        if shortage.explains(figures, row) {
            row.answer = Answer::CannotTell;
            row.doubts.push(Doubt::GeneratorBound);
        }
    }
}

/// Whether plimsoll's lack of CPU may have cost a good part of some level.
pub(crate) fn may_have_cost(run: &Run, figures: &Figures, rows: &[ClaimRow]) -> bool {
    let shortage = Shortage::of(run);
    let lost = |row: &ClaimRow| shortage.lost_at(figures, row, row.measured.as_ref()?);
    rows.iter().filter_map(lost).any(|lost| lost > GOOD_PART)
}

/// Returns the most that waits can have added to the mean I/O of `step`, in nanoseconds: each delays all I/Os in
/// flight.
fn added_ns(step: &StepRecord, direction: Direction) -> f64 {
    let waited: u64 = step.workers.iter().map(|worker| worker.run_delay_ns).max().unwrap_or(0);
    waited as f64 * f64::from(depth(step)) / step.tally(direction).ops.max(1) as f64
}

fn depth(step: &StepRecord) -> u32 {
    step.plan.workers.iter().map(|worker| worker.depth).sum()
}

/// Whether threads of this machine serve `target`: they need a CPU as plimsoll does.
fn is_served_here(target: &TargetFacts) -> bool {
    const SERVED: [&str; 4] = ["loop", "nbd", "zram", "ram"];
    let served = |name: &str| SERVED.iter().any(|kind| name.starts_with(kind));
    target.filesystem.starts_with("fuse") || target.devices.iter().any(|device| served(&device.name))
}

/// Returns the samples from `from` to `to`.
pub(crate) fn within(run: &Run, from: Nanos, to: Nanos) -> Vec<&Sample> {
    run.samples.iter().filter(|sample| from <= sample.at && sample.at <= to).collect()
}

fn steal(samples: &[&Sample]) -> f64 {
    let ends = samples.first().zip(samples.last());
    let share = ends.map(|(first, last)| last.cpu.since(&first.cpu, CpuMetric::Steal));
    // If no time has passed, the hypervisor took none.
    share.filter(|share| share.is_finite()).unwrap_or(0.0)
}
