//! Units of the report: a clone, or the clones of a group with their records merged.

use record::{
    CrossedBound, DirectionTotals, Distribution, Interval, IoFailure, ReadBackTotals, SteeredDepth,
    StepRecord, Tally, WorkerTotals,
};
use workload::{Direction, Ending, Nanos, Terms, Totals};

use super::FioReport;
use super::bins::Coarse;
use super::pressed;
use crate::asked::FioJob;
use crate::options::{JobOptions, UnifiedReport};
use crate::steady::{Steadiness, steadiness};
use crate::terms::class_and_level;

/// Directions that carry data, in the order in which they are printed.
pub const DATA: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

/// Names of the directions, in the order of a group's sums; the last is all directions together.
pub const NAMES: [&str; 4] = ["read", "write", "trim", "mixed"];
/// Index of all directions together.
pub const MIXED: usize = 3;

/// Width of one of fio's buckets as a share of its value; a smaller deviation may come from bucketing alone.
const BUCKET: f64 = 1.0 / 64.0;

/// One latency of one direction, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Latency {
    /// Number of values.
    pub count: u64,
    /// Least value.
    pub min: u64,
    /// Greatest value.
    pub max: u64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the sample, with one degree of freedom fewer than values, as in fio.
    pub dev: f64,
    /// Distribution of all values.
    pub distribution: Distribution,
}

impl Latency {
    fn of(distribution: Distribution) -> Latency {
        let count = distribution.count();
        let population = distribution.standard_deviation().unwrap_or(0.0);
        let correction = if count > 1 { (count as f64 / (count - 1) as f64).sqrt() } else { 1.0 };
        let (min, max) = (distribution.ns_min().unwrap_or(0), distribution.ns_max().unwrap_or(0));
        Latency {
            count,
            min,
            max,
            // The middle of a bucket may lie outside the values seen.
            mean: distribution.mean().unwrap_or(0.0).clamp(min as f64, max as f64),
            dev: population * correction,
            distribution,
        }
    }

    /// Returns the latency with the exact mean, from a sum kept along with the histogram.
    fn with_sum(distribution: Distribution, sum: u64) -> Latency {
        let latency = Latency::of(distribution);
        let mean = if latency.count > 0 { sum as f64 / latency.count as f64 } else { 0.0 };
        Latency { mean, ..latency }
    }

    /// Returns the latency with the mean that `slat` leaves of `whole`, if all three are of the same I/Os and two add up to
    /// the third within a bucket's width: means of histograms are inexact, and readers add them up.
    fn beside(self, slat: &Latency, whole: &Latency) -> Latency {
        let rest = whole.mean - slat.mean;
        let of_the_same = self.count == whole.count && slat.count == whole.count;
        let makes_it_up = of_the_same && (self.mean - rest).abs() <= BUCKET * whole.mean;
        let mean = if makes_it_up { rest.clamp(self.min as f64, self.max as f64) } else { self.mean };
        Latency { mean, ..self }
    }

    /// The latency at `percent`, at most the greatest value.
    pub fn percentile(&self, percent: f64) -> u64 {
        self.distribution.percentile(percent).unwrap_or(0)
    }
}

/// Statistics of a rate over the intervals of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Windows {
    /// Number of intervals.
    pub count: u64,
    /// Least rate, rounded down.
    pub min: u64,
    /// Greatest rate, rounded down.
    pub max: u64,
    /// Mean rate.
    pub mean: f64,
    /// Standard deviation of the sample.
    pub dev: f64,
}

impl Windows {
    fn of(rates: &[f64]) -> Windows {
        let count = rates.len() as f64;
        if rates.is_empty() {
            return Windows::default();
        }
        let mean = rates.iter().sum::<f64>() / count;
        let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
        Windows {
            count: rates.len() as u64,
            min: rates.iter().copied().fold(f64::INFINITY, f64::min) as u64,
            max: rates.iter().copied().fold(0.0, f64::max) as u64,
            mean,
            dev: if rates.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
        }
    }
}

/// One direction of a unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// I/Os that completed.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// I/Os that moved fewer bytes than requested.
    pub short: u64,
    /// Run time in milliseconds, that of the longest member; at least 1 if there is any I/O.
    pub runtime_ms: u64,
    /// Latency from due, or from picked, to issued.
    pub slat: Latency,
    /// Latency from issued to done.
    pub clat: Latency,
    /// Latency from due to done.
    pub lat: Latency,
    /// KiB a second, by interval.
    pub bandwidth: Windows,
    /// I/Os a second, by interval.
    pub iops: Windows,
    /// Figures by class and level of the priority, if I/Os had more than one.
    pub priorities: Vec<((u8, u8), Figures)>,
}

impl Figures {
    fn of(totals: &DirectionTotals, runtime_ms: u64) -> Figures {
        let lat = Latency::with_sum(totals.latency.clone(), totals.tally.latency_ns_sum);
        // If no time passes between due and issued, both latencies are equal, and the exact mean applies to both.
        let same = totals.service.is_empty() || totals.service == totals.latency;
        let slat = Latency::of(totals.submission.clone());
        let clat = if same { lat.clone() } else { Latency::of(totals.service.clone()).beside(&slat, &lat) };
        Figures {
            ios: totals.tally.ops,
            bytes: totals.tally.bytes,
            short: totals.tally.short,
            runtime_ms,
            slat,
            clat,
            lat,
            ..Figures::default()
        }
    }

    /// The latency that is reported by priority, with its name.
    pub fn prioritised(&self, options: &JobOptions) -> Option<(&'static str, &Latency)> {
        match (options.lat && options.lat_percentiles, options.clat) {
            (true, _) => Some(("lat", &self.lat)),
            (false, true) => Some(("clat", &self.clat)),
            (false, false) => None,
        }
    }

    /// Sets the rates of all `directions` together, by interval.
    fn add_windows(&mut self, windows: &[Interval], directions: &[Direction]) {
        let rates = |amount: fn(&Tally) -> f64| -> Vec<f64> {
            let sum = |interval: &Interval| {
                directions.iter().map(|way| amount(&interval.of(*way).tally)).sum::<f64>()
            };
            windows.iter().map(|interval| sum(interval) / interval.seconds()).collect()
        };
        self.bandwidth = Windows::of(&rates(|tally| tally.bytes as f64 / 1024.0));
        self.iops = Windows::of(&rates(|tally| tally.ops as f64));
    }

    /// Sets the mean as the only rate, if no intervals are known.
    fn add_mean(&mut self) {
        self.bandwidth = Windows::of(&[self.bytes_per_second() as f64 / 1024.0]);
        self.iops = Windows::of(&[self.iops_mean()]);
    }

    /// Bytes a second over the run time, rounded down.
    pub fn bytes_per_second(&self) -> u64 {
        (u128::from(self.bytes) * 1000).checked_div(u128::from(self.runtime_ms)).unwrap_or(0) as u64
    }

    /// I/Os a second over the run time.
    pub fn iops_mean(&self) -> f64 {
        if self.runtime_ms > 0 { 1000.0 * self.ios as f64 / self.runtime_ms as f64 } else { 0.0 }
    }
}

/// A unit of the report: one or more clones that are reported together.
#[derive(Clone, Debug)]
pub(crate) struct Unit<'a> {
    /// The first member, which names the unit.
    pub first: &'a FioJob,
    /// The last member, whose options the JSON output shows, as fio does.
    pub last: &'a FioJob,
    /// Number of members.
    pub members: usize,
    /// The first errno of any member; 0 if there is none.
    pub errno: i32,
    /// Whether an error ended a member; tolerated errors do not.
    pub failed: bool,
    /// The limit that a member crossed and that ended it.
    pub crossed: Option<CrossedBound>,
    /// The depth that the search found for a member.
    pub steered: Option<SteeredDepth>,
    /// Whether a member read back what it had written, after all writes.
    pub reads_back: bool,
    /// Whether any I/O was issued, successfully or not; fio's text output skips units without I/O.
    pub has_begun: bool,
    /// Time at which counting started, in milliseconds since 1970, UTC.
    pub started_unix_ms: u64,
    /// Figures by direction, in the order of [`DATA`].
    pub directions: [Figures; 3],
    /// Figures of all directions together, if requested.
    pub mixed: Option<Figures>,
    /// Steadiness of the load, if requested.
    pub steadiness: Option<Steadiness>,
    /// Latency of flushes.
    pub flush: Latency,
    /// Run time in milliseconds, summed over the members.
    pub runtime_ms_sum: u64,
    /// Sums over the workers, in nanoseconds and counts.
    pub totals: WorkerTotals,
    /// Class and level of each priority in the sums, in the order of `totals.files`.
    priorities: Vec<(u8, u8)>,
    /// Numbers of I/Os in the coarse latency buckets.
    pub coarse: Coarse,
}

impl<'a> Unit<'a> {
    /// All units of the report, in order.
    pub fn all(presented: &FioReport<'a>) -> Vec<Unit<'a>> {
        let jobs = &presented.asked.jobs;
        let of = |mut members: Vec<usize>| {
            members.retain(|&at| jobs[at].options.stats);
            Unit::of(presented, &members, members.iter().map(|&at| &jobs[at]))
        };
        presented.asked.units().into_iter().filter_map(of).collect()
    }

    /// Returns every clone as its own unit.
    pub fn each(presented: &FioReport<'a>) -> Vec<Unit<'a>> {
        let jobs = presented.asked.jobs.iter().enumerate();
        jobs.filter_map(|(at, job)| Unit::of(presented, &[at], std::iter::once(job))).collect()
    }

    /// Directions that are reported, with their index in a [`Group`](super::group::Group).
    pub fn reported(&self) -> Vec<(usize, &Figures)> {
        let apart = self.first.options.unified != UnifiedReport::Mixed;
        let mixed = self.mixed.iter().map(|figures| (MIXED, figures));
        self.directions.iter().enumerate().filter(|_| apart).chain(mixed).collect()
    }

    /// Number of errors and the first errno, if errors are tolerated.
    pub fn passed_over(&self) -> Option<(u64, i32)> {
        let asked = self.first.options.time.passes_over_any();
        let errors = self.totals.directions.iter().map(|totals| totals.tally.errors).sum();
        asked.then_some((errors, self.errno))
    }

    /// Number of reads, writes and trims that completed.
    pub fn ios(&self) -> u64 {
        self.directions.iter().map(|figures| figures.ios).sum()
    }

    fn of(
        presented: &FioReport<'a>,
        members: &[usize],
        jobs: impl Iterator<Item = &'a FioJob> + Clone,
    ) -> Option<Unit<'a>> {
        let (first, last) = (jobs.clone().next()?, jobs.clone().last()?);
        let mut unit = Unit {
            first,
            last,
            members: members.len(),
            errno: presented
                .failed
                .iter()
                .find(|(at, _)| members.contains(at))
                .map_or(0, |(_, errno)| *errno),
            failed: presented.failed.iter().any(|(at, _)| members.contains(at)),
            crossed: None,
            steered: None,
            reads_back: false,
            has_begun: false,
            started_unix_ms: presented.started_unix_ms,
            directions: Default::default(),
            mixed: None,
            steadiness: None,
            flush: Latency::default(),
            runtime_ms_sum: 0,
            totals: WorkerTotals::default(),
            priorities: Vec::new(),
            coarse: Coarse::default(),
        };
        let Some(step) = presented.steps.get(first.step) else {
            return Some(unit);
        };
        let mut indices = Vec::new();
        for job in jobs {
            let at = step.jobs.iter().position(|name| *name == job.label);
            indices.extend(at);
            let errno = error_of(job, step);
            unit.has_begun |= errno != 0;
            unit.errno = if unit.errno == 0 { errno } else { unit.errno };
            unit.failed |= ended_by_error(job, step);
            unit.crossed = unit.crossed.or_else(|| pressed::crossed(job, step).cloned());
            unit.steered = unit.steered.or_else(|| pressed::steered(job, step).cloned());
        }
        let ours = step.workers.iter().filter(|worker| indices.contains(&usize::from(worker.job)));
        let counted_from = ours.map(|worker| worker.started).min().unwrap_or(step.counted_from);
        unit.started_unix_ms += counted_from.0 / 1_000_000;
        unit.add_workers(step, &indices);
        let windows = merged_windows(step, &indices);
        let reads = |window: &Interval| window.of(Direction::Read).tally.ops > 0;
        let only_back = unit.reads_back && !windows.iter().any(reads);
        for (direction, figures) in DATA.iter().zip(&mut unit.directions).filter(|(_, f)| f.ios > 0) {
            match direction {
                Direction::Read if only_back => figures.add_mean(),
                _ => figures.add_windows(&windows, &[*direction]),
            }
        }
        if first.options.unified != UnifiedReport::Apart {
            unit.mixed = Some(unit.mix(&windows));
        }
        unit.steadiness = steadiness(&first.options.steady, step, &indices);
        unit.has_begun |= unit.ios() > 0;
        Some(unit)
    }

    fn add_workers(&mut self, step: &StepRecord, indices: &[usize]) {
        let ours = |(_, worker): &(usize, &WorkerTotals)| indices.contains(&usize::from(worker.job));
        for (number, worker) in step.workers.iter().enumerate().filter(ours) {
            let runtime_ms = worker.ended.since(worker.started).0.div_ceil(1_000_000);
            self.runtime_ms_sum += runtime_ms;
            for (direction, figures) in DATA.iter().zip(&mut self.directions) {
                let loaded = worker.directions[direction.index()].tally.ops > 0;
                let load_ms = if loaded { runtime_ms.max(1) } else { 0 };
                let back = worker.read_back.as_ref().filter(|_| *direction == Direction::Read);
                figures.runtime_ms = figures.runtime_ms.max(load_ms + back.map_or(0, lasted_ms));
            }
            add_totals(&mut self.totals, worker);
            if let Some(plan) = step.plan.workers.get(number) {
                self.add_priorities(worker, &plan.terms);
            }
            self.reads_back |= worker.read_back.is_some();
        }
        for (direction, figures) in DATA.iter().zip(&mut self.directions) {
            *figures = Figures::of(&self.totals.directions[direction.index()], figures.runtime_ms);
            if self.first.options.clat {
                self.coarse.add(&figures.clat.distribution);
            }
        }
        for (at, direction) in DATA.iter().enumerate() {
            self.directions[at].priorities = self.by_priority(&[*direction]);
        }
        let flush = &self.totals.directions[Direction::Flush.index()];
        let served = if flush.service.is_empty() { &flush.latency } else { &flush.service };
        self.flush = Latency::of(served.clone());
    }

    /// Adds a worker's totals by priority, if it has any.
    fn add_priorities(&mut self, worker: &WorkerTotals, terms: &Terms) {
        if terms.totals != Totals::WorkerAndPriority {
            return;
        }
        let own = terms.priority.map_or((0, 0), class_and_level);
        let names = std::iter::once(own).chain(terms.priorities().into_iter().map(class_and_level));
        for (name, totals) in names.zip(&worker.files) {
            let known = self.priorities.iter().position(|known| *known == name);
            let at = known.unwrap_or_else(|| {
                self.priorities.push(name);
                self.totals.files.push(Default::default());
                self.priorities.len() - 1
            });
            self.totals.files[at]
                .iter_mut()
                .zip(totals)
                .for_each(|(mine, theirs)| add_direction(mine, theirs));
        }
    }

    /// Figures of all `directions` together by priority; none if all I/Os had one.
    fn by_priority(&self, directions: &[Direction]) -> Vec<((u8, u8), Figures)> {
        let figures = |(name, totals): (&(u8, u8), &[DirectionTotals; 4])| {
            let mut sum = DirectionTotals::default();
            directions.iter().for_each(|way| add_direction(&mut sum, &totals[way.index()]));
            (*name, Figures::of(&sum, 0))
        };
        let each = self.priorities.iter().zip(&self.totals.files).map(figures);
        let each: Vec<_> = each.filter(|(_, figures)| figures.ios > 0).collect();
        if each.len() > 1 { each } else { Vec::new() }
    }

    /// Figures of reads, writes and trims together.
    fn mix(&self, windows: &[Interval]) -> Figures {
        let mut totals = DirectionTotals::default();
        for direction in DATA {
            add_direction(&mut totals, &self.totals.directions[direction.index()]);
        }
        let runtime_ms = self.directions.iter().map(|figures| figures.runtime_ms).max().unwrap_or(0);
        let mut figures = Figures { priorities: self.by_priority(&DATA), ..Figures::of(&totals, runtime_ms) };
        if figures.ios > 0 {
            figures.add_windows(windows, &DATA);
        }
        figures
    }
}

/// Merges the intervals of the members, including those without any I/O. An interval cut off before its middle has no
/// meaningful rate and is left out.
fn merged_windows(step: &StepRecord, indices: &[usize]) -> Vec<Interval> {
    let whole = |interval: &&Interval| {
        let length = interval.end.since(interval.start);
        interval.counted && length > Nanos::ZERO && length * 2 >= step.plan.interval
    };
    let mut merged: Vec<Interval> = Vec::new();
    let ours = |interval: &&Interval| indices.contains(&usize::from(interval.job));
    for interval in step.intervals.iter().filter(ours).filter(whole) {
        match merged.iter_mut().rev().take(indices.len()).find(|known| known.start == interval.start) {
            Some(known) => known.merge(interval),
            None => merged.push(interval.clone()),
        }
    }
    merged
}

/// The workers of `job` in `step`.
pub fn workers<'s>(job: &FioJob, step: &'s StepRecord) -> impl Iterator<Item = &'s WorkerTotals> + Clone {
    let at = step.jobs.iter().position(|name| *name == job.label);
    step.workers.iter().filter(move |worker| Some(usize::from(worker.job)) == at)
}

/// Whether `job` uses the file at `path`.
pub fn works_on(job: &FioJob, path: &str) -> bool {
    crate::files::paths(job).iter().any(|known| known.as_os_str() == path)
}

/// The first errno of `job`, tolerated or not; 0 if there is none. In a step read from a file, the path of a failure
/// may be all that links it to its job.
fn error_of(job: &FioJob, step: &StepRecord) -> i32 {
    let failed = |worker: &WorkerTotals| worker.directions.iter().any(|totals| totals.tally.errors > 0);
    let mut ours = workers(job, step);
    if let Some(errno) = ours.clone().find_map(|worker| worker.first_errno) {
        return errno;
    }
    if step.workers.iter().any(failed) && !ours.any(failed) {
        return 0;
    }
    let known = step.failures.iter().find(|failure| works_on(job, &failure.path));
    known.map_or(0, |failure| failure.errno)
}

/// Whether an error that was not tolerated ended `job`.
fn ended_by_error(job: &FioJob, step: &StepRecord) -> bool {
    let failed = |worker: &WorkerTotals| worker.ending.is_none_or(|ending| ending == Ending::Failed);
    workers(job, step).all(failed) && error_of(job, step) != 0
}

/// The error that ended `job`; `None` if the job ran to its end, or if all its known errors are tolerated.
pub fn fatal_errno(job: &FioJob, step: &StepRecord) -> Option<i32> {
    if !ended_by_error(job, step) {
        return None;
    }
    let mut listed = step.failures.iter().filter(|failure| works_on(job, &failure.path)).peekable();
    if listed.peek().is_none() {
        return Some(error_of(job, step));
    }
    let passes = |failure: &&IoFailure| job.options.time.passes_over(failure.direction, failure.errno);
    listed.find(|failure| !passes(failure)).map(|failure| failure.errno)
}

fn add_direction(sum: &mut DirectionTotals, other: &DirectionTotals) {
    sum.tally.merge(&other.tally);
    sum.latency.merge(&other.latency);
    sum.service.merge(&other.service);
    sum.submission.merge(&other.submission);
}

/// Duration of reading back in milliseconds, at least 1.
fn lasted_ms(back: &ReadBackTotals) -> u64 {
    back.lasted.0.div_ceil(1_000_000).max(1)
}

/// Adds the totals of a worker. As in fio, data read back after all writes counts as reads; the time of the writes is
/// unaffected, and shares of depths and of the CPU cover the load alone.
fn add_totals(sum: &mut WorkerTotals, worker: &WorkerTotals) {
    for (mine, theirs) in sum.directions.iter_mut().zip(&worker.directions) {
        add_direction(mine, theirs);
    }
    if let Some(back) = &worker.read_back {
        add_direction(&mut sum.directions[Direction::Read.index()], &back.reads);
    }
    sum.user_cpu_ns += worker.user_cpu_ns;
    sum.system_cpu_ns += worker.system_cpu_ns;
    sum.context_switches += worker.context_switches;
    sum.major_faults += worker.major_faults;
    sum.minor_faults += worker.minor_faults;
    let counts = [
        (&mut sum.depth_counts, &worker.depth_counts),
        (&mut sum.submit_counts, &worker.submit_counts),
        (&mut sum.complete_counts, &worker.complete_counts),
    ];
    for (mine, theirs) in counts {
        mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_a_window_of_zero_and_counts() {
        let windows = Windows::of(&[300.0, 0.0, 300.0]);
        assert_eq!((windows.count, windows.min, windows.max, windows.mean), (3, 0, 300, 200.0));
        assert!((windows.dev - 173.205).abs() < 0.001);
        assert_eq!(Windows::of(&[]), Windows::default());
    }
}
