//! Results of a timespan by thread and target, for the measured time only.

use record::{CpuCounters, Distribution, Interval, StepRecord, Tally};
use workload::{Direction, Nanos};

use super::effective::EffectiveRange;
use super::profile::TimeSpan;
use super::span::SpanPlan;

/// Totals of one direction of I/O.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Sums of I/Os, bytes and latencies.
    pub tally: Tally,
    /// Latency from due to done.
    pub latency: Distribution,
}

impl Side {
    /// Adds another side.
    pub fn merge(&mut self, other: &Side) {
        self.tally.merge(&other.tally);
        self.latency.merge(&other.latency);
    }

    /// Mean latency in milliseconds; 0 if there is no I/O.
    pub fn mean_ms(&self) -> f64 {
        self.tally.latency_ns_mean().unwrap_or(0.0) / 1e6
    }

    /// Standard deviation of the latency in milliseconds, of the population; `None` if there is no I/O.
    pub fn deviation_ms(&self) -> Option<f64> {
        self.latency.standard_deviation().map(|deviation| deviation / 1e6)
    }
}

/// I/Os that completed in one bucket of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bucket {
    /// Reads.
    pub read: Side,
    /// Writes.
    pub write: Side,
}

/// The work of a thread on one target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetResult {
    /// The target's path.
    pub path: String,
    /// The target's size in bytes.
    pub size: u64,
    /// Reads.
    pub read: Side,
    /// Writes.
    pub write: Side,
    /// Effective distribution of random offsets; empty if uniform.
    pub spread: Vec<EffectiveRange>,
    /// Time buckets; empty unless requested.
    pub buckets: Vec<Bucket>,
}

/// A section of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Reads and writes.
    Total,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl Section {
    /// Reads, writes or both.
    pub fn of(self, read: &Side, write: &Side) -> Side {
        let mut sum = Side::default();
        if self != Section::Write {
            sum.merge(read);
        }
        if self != Section::Read {
            sum.merge(write);
        }
        sum
    }

    /// Number of I/Os in a bucket.
    pub fn ops(self, bucket: &Bucket) -> u64 {
        let (read, write) = (bucket.read.tally.ops, bucket.write.tally.ops);
        match self {
            Section::Total => read + write,
            Section::Read => read,
            Section::Write => write,
        }
    }
}

/// Time of one CPU during the measured time, in any unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    /// Number of the CPU.
    pub number: u32,
    /// Time in user mode.
    pub user: u64,
    /// Time in the kernel, interrupts and stolen time included.
    pub kernel: u64,
    /// Idle time, and time waiting for I/O.
    pub idle: u64,
}

impl CpuUse {
    /// Returns the use of the CPU with these counters. Waiting for I/O is idle time; time that the host took from a
    /// virtual machine counts as kernel time, because the CPU was not idle.
    pub fn of(number: u32, cpu: &CpuCounters) -> CpuUse {
        CpuUse {
            number,
            user: cpu.user + cpu.nice,
            kernel: cpu.system + cpu.irq + cpu.softirq + cpu.steal,
            idle: cpu.idle + cpu.iowait,
        }
    }

    /// Use since the earlier reading `earlier`.
    fn since(&self, earlier: CpuUse) -> CpuUse {
        CpuUse {
            number: self.number,
            user: self.user.saturating_sub(earlier.user),
            kernel: self.kernel.saturating_sub(earlier.kernel),
            idle: self.idle.saturating_sub(earlier.idle),
        }
    }

    /// Use of every CPU between two readings.
    pub fn between(before: &[CpuUse], after: &[CpuUse]) -> Vec<CpuUse> {
        let earlier =
            |number: u32| before.iter().find(|cpu| cpu.number == number).copied().unwrap_or_default();
        after.iter().map(|cpu| cpu.since(earlier(cpu.number))).collect()
    }

    /// Percentages of time: busy, user, kernel, and idle.
    pub fn percents(&self) -> [f64; 4] {
        let total = (self.user + self.kernel + self.idle).max(1) as f64;
        let share = |part: u64| 100.0 * part as f64 / total;
        [share(self.user + self.kernel), share(self.user), share(self.kernel), share(self.idle)]
    }
}

/// Results of a timespan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanResult {
    /// Measured time in seconds; 0 if the run was interrupted before the measurement.
    pub seconds: f64,
    /// Results by thread, then by target.
    pub threads: Vec<Vec<TargetResult>>,
    /// Use of each CPU.
    pub cpus: Vec<CpuUse>,
    /// Length of a bucket in seconds.
    pub bucket_seconds: f64,
}

impl SpanResult {
    /// The work of all threads on all targets.
    pub fn all(&self) -> impl Iterator<Item = &TargetResult> {
        self.threads.iter().flatten()
    }

    /// Sums over all threads and targets.
    pub fn sum(&self, section: Section) -> Side {
        let mut sum = Side::default();
        self.all().for_each(|target| sum.merge(&section.of(&target.read, &target.write)));
        sum
    }

    /// Buckets summed over all threads and targets.
    pub fn buckets(&self) -> Vec<Bucket> {
        let count = self.all().map(|target| target.buckets.len()).max().unwrap_or(0);
        let mut sums = vec![Bucket::default(); count];
        for target in self.all() {
            for (sum, bucket) in sums.iter_mut().zip(&target.buckets) {
                sum.read.merge(&bucket.read);
                sum.write.merge(&bucket.write);
            }
        }
        sums
    }

    /// Population standard deviation of the rate over buckets, in I/Os a second.
    pub fn deviation(&self, buckets: &[Bucket], section: Section) -> f64 {
        let rates: Vec<f64> =
            buckets.iter().map(|bucket| section.ops(bucket) as f64 / self.bucket_seconds.max(1e-9)).collect();
        let count = rates.len().max(1) as f64;
        let mean = rates.iter().sum::<f64>() / count;
        // The sum of an empty list is -0.0, which would be printed with its sign.
        (rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / count).sqrt().abs()
    }
}

/// Returns the result of `record`, in which `plan` ran for `span`. As in DiskSpd, I/O after the measured time (in the
/// cool-down, or still in flight) does not count.
pub fn results(span: &TimeSpan, plan: &SpanPlan, record: &StepRecord, cpus: Vec<CpuUse>) -> SpanResult {
    let from = record.counted_from;
    let until = (from + Nanos::from_secs(u64::from(span.duration))).min(record.ended);
    let seconds = until.since(from).as_secs_f64();
    if seconds < 1e-7 {
        return SpanResult::default();
    }
    let bucket = Nanos::from_millis(u64::from(span.bucket_ms.max(1)));
    // Only whole buckets show how the rate varies.
    let whole = if span.iops { until.since(from).0 / bucket.0 } else { 0 };
    let counted = record.intervals.iter().filter(|interval| (from..until).contains(&interval.start));
    let mut threads: Vec<Vec<TargetResult>> = vec![Vec::new(); plan.threads as usize];
    for (number, stream) in plan.streams.iter().enumerate() {
        let Some(thread) = threads.get_mut(stream.thread as usize) else { continue };
        for index in stream.target..stream.target + stream.targets {
            thread.push(TargetResult {
                path: span.targets[index].path.clone(),
                size: plan.sizes[index],
                spread: plan.spread[index].clone(),
                ..TargetResult::default()
            });
        }
        let own = thread.len() - stream.targets;
        if stream.targets == 1 {
            let is_own = |job: &String| *job == record.plan.workers[number].job;
            let job = record.jobs.iter().position(is_own).unwrap_or(number);
            thread[own].buckets = vec![Bucket::default(); whole as usize];
            let intervals = counted.clone().filter(|interval| usize::from(interval.job) == job);
            intervals.for_each(|interval| {
                add(&mut thread[own], interval, interval.start.since(from).0 / bucket.0)
            });
        } else {
            of_totals(&mut thread[own..], record, number);
        }
    }
    SpanResult { seconds, threads, cpus, bucket_seconds: f64::from(span.bucket_ms) / 1000.0 }
}

/// Adds an interval to the sums, and to the bucket `at` if there is one.
fn add(result: &mut TargetResult, interval: &Interval, at: u64) {
    let (read, write) = (side(interval, Direction::Read), side(interval, Direction::Write));
    result.read.merge(&read);
    result.write.merge(&write);
    if let Some(bucket) = result.buckets.get_mut(at as usize) {
        bucket.read.merge(&read);
        bucket.write.merge(&write);
    }
}

fn side(interval: &Interval, direction: Direction) -> Side {
    let part = interval.of(direction);
    Side { tally: part.tally, latency: part.latency.clone() }
}

/// Sets the results of a thread of a pool from its totals by file.
fn of_totals(results: &mut [TargetResult], record: &StepRecord, number: usize) {
    let Some(totals) = record.workers.get(number) else { return };
    for (result, file) in results.iter_mut().zip(&totals.files) {
        let side = |direction: Direction| {
            let part = &file[direction.index()];
            Side { tally: part.tally, latency: part.latency.clone() }
        };
        (result.read, result.write) = (side(Direction::Read), side(Direction::Write));
    }
}
