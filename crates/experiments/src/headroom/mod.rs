//! The procedure of `headroom`: the search for the greatest arrival rate at which a latency holds, or the latency at given
//! rates.
//!
//! First the load's rate with a full queue, as a hint. Then short open loads that bracket the answer: the first at
//! 30 to 90 % of that rate, then higher or lower ones, then in the middle of the bracket. Once a line fits their shares
//! of late I/Os (`statistics::crossing`), longer loads run on either side of the rate at which the line crosses the
//! bound, until the time is over. A load that falls hopelessly behind is cut short, and its queue drains before the
//! next load begins.

use analysis::{Search, search_elapsed};
use record::{Interval, StepRecord};
use statistics::crossing::Crossing;
use statistics::random::mix;
use workload::{
    Bytes, Direction, HeadroomRequest, Iops, Job, LatencyBound, LoadPart, Nanos, Pace, StepKind, StopRule,
    Workload,
};

use crate::layout::{LAYOUT_MOST, layout_step};
use crate::step::{Layout, Step, was_cut_short};

/// Name of the step with a full queue.
const FULL_QUEUE: &str = "full queue";
/// Share of the whole time that the full queue and a short load take.
const SHORT: f64 = 0.05;
/// Share of the whole time that a long load takes.
const LONG: f64 = 0.1;
/// Shortest duration of a load, in seconds: a volume's throttle works in slices of 0.1 s.
const LEAST_S: f64 = 1.0;
/// Share of a load's duration that is its ramp, because its queue begins empty.
const RAMP: f64 = 0.15;
/// Shortest duration of a long load in multiples of the bound, up to a third of the whole time: an ever-growing queue must
/// take less time to reach the bound than the load lasts.
const BOUNDS: f64 = 50.0;
/// Least and greatest first rate, as shares of the full queue's.
const FIRST: (f64, f64) = (0.3, 0.9);
/// Steps upwards: up to this share of the full queue's rate, the next rate is midway between the previous and the full
/// queue's; beyond it, the next rate is this multiple of the previous one.
const UPWARDS: (f64, f64) = (0.96, 1.1);
/// Greatest rate tried, relative to the full queue's, in case deeper queues reach a higher rate.
const FURTHEST: f64 = 30.0;
/// Steps downwards: each rate as a share of the previous one.
const DOWNWARDS: f64 = 0.65;
/// Lowest rate tried, as a share of the full queue's.
const LOWEST: f64 = 0.01;
/// Ratio of a bracket's ends below which it needs no further short load.
const NARROW: f64 = 1.25;
/// Ratio of a bracket's ends below which the ends give the answer, without a line.
const TOLD: f64 = 1.005;
/// Distance of the loads' rates from the answer, in log odds of being late.
const BESIDE: f64 = 1.0;
/// Least distance of a load from the answer, as a share of the rate.
const BESIDE_LEAST: f64 = 0.01;
/// Greatest distance of a load from the answer, as a share of the rate.
const BESIDE_MOST: f64 = 0.25;
/// Factor over the allowed odds of being late from which a load is hopeless.
const HOPELESS: f64 = 8.0;
/// Factor over the bound from which a mean is hopeless.
const HOPELESS_MEAN: f64 = 4.0;
/// Fewest late I/Os that make a load hopeless: fewer may be chance.
const HOPELESS_LEAST: f64 = 200.0;
/// Relative half-width of the interval that is narrow enough, and the share of the time after which it ends the search.
const ENOUGH: (f64, f64) = (0.01, 0.8);
/// Factor by which the search may exceed its time rather than leave out its last load.
const OVER: f64 = 1.03;
/// Intervals of a load: enough to show how late I/Os cluster.
const INTERVALS: f64 = 40.0;
/// Shortest interval of a load, in seconds.
const INTERVAL_LEAST_S: f64 = 0.1;
/// Maximum number of I/Os in flight of an open load.
const DEPTH_MAX: u32 = 1024;
/// I/Os in flight with a full queue: enough to fill nearly every volume.
const DEPTH_FULL: u32 = 256;

/// Request for a search, fitted to the target.
#[derive(Clone, Debug)]
pub struct HeadroomAsk {
    /// Parameters of the search.
    pub asked: HeadroomRequest,
    /// Data to lay out first.
    pub layout: Layout,
    /// Most bytes in flight.
    pub in_flight_most: Bytes,
}

/// The next step of a search; `None` when the search is done. A step that failed or was interrupted is the last.
pub fn next_headroom_step(ask: &HeadroomAsk, done: &[StepRecord]) -> Option<Step> {
    if done.last().is_some_and(was_cut_short) {
        return None;
    }
    if done.is_empty()
        && let Some(layout) = layout_step(ask.layout, ask.seed(), LAYOUT_MOST)
    {
        return Some(layout);
    }
    let known = HeadroomState { ask, done, search: Search::of(&ask.asked, done) };
    match known.search.full_queue {
        None => known.full_queue(),
        Some(_) => known.open_load(),
    }
}

/// Seconds that the search takes, without the layout.
pub fn headroom_seconds(ask: &HeadroomAsk) -> f64 {
    ask.asked.time.as_secs_f64()
}

/// Seconds that remain after the steps in `done`.
pub fn headroom_seconds_left(ask: &HeadroomAsk, done: &[StepRecord]) -> f64 {
    (headroom_seconds(ask) - search_elapsed(done)).max(0.0)
}

impl HeadroomAsk {
    fn seed(&self) -> u64 {
        self.asked.load.first().map_or(1, |part| part.job.seed)
    }
}

/// State of a search so far.
struct HeadroomState<'k> {
    ask: &'k HeadroomAsk,
    done: &'k [StepRecord],
    search: Search,
}

/// Jobs of a step and its stop rules; the seconds include its ramp.
struct Draft {
    jobs: Vec<Job>,
    stop: Vec<StopRule>,
    seconds: f64,
}

/// Length of a load.
#[derive(Clone, Copy)]
enum Length {
    Short,
    Long,
}

impl HeadroomState<'_> {
    fn full_queue(&self) -> Option<Step> {
        let seconds = self.seconds(Length::Short);
        let rule = StopRule::Time(Nanos::from_secs_f64(seconds * (1.0 - RAMP)));
        let jobs = self.jobs(DEPTH_FULL, |_| Pace::Closed);
        self.step(FULL_QUEUE.to_owned(), StepKind::Probe, Draft { jobs, stop: vec![rule], seconds })
    }

    fn open_load(&self) -> Option<Step> {
        let number = self.done.iter().filter(|step| step.plan.kind == StepKind::OpenLoad).count() + 1;
        let rates = &self.ask.asked.rates;
        let (rate, seconds) = if rates.is_empty() {
            let (rate, length) = self.next_rate()?;
            (rate, self.seconds(length))
        } else {
            let coming = rates.get(number - 1..)?;
            let left = headroom_seconds(self.ask) - self.search.elapsed();
            (*coming.first()?, left / coming.len() as f64)
        };
        let seconds = self.affordable(rate, seconds)?;
        let time = seconds * (1.0 - RAMP);
        let late = |bound: &LatencyBound| hopeless(*bound, rate * time);
        let mut stop = vec![StopRule::Time(Nanos::from_secs_f64(time))];
        stop.extend(self.ask.asked.bounds.iter().map(late));
        let jobs = self.jobs(DEPTH_MAX, |part| Pace::Poisson(Iops(rate * part.share)));
        self.step(
            format!("load {number}: {} IOPS", named(rate)),
            StepKind::OpenLoad,
            Draft { jobs, stop, seconds },
        )
    }

    fn step(&self, name: String, kind: StepKind, draft: Draft) -> Option<Step> {
        let Draft { jobs, stop, seconds } = draft;
        let interval = (seconds / INTERVALS).max(INTERVAL_LEAST_S);
        let left = Bytes(self.left_to_write() / jobs.len() as u64);
        let writes = jobs.iter().any(|job| job.access.mix.issues(Direction::Write));
        let longest = jobs.iter().map(|job| job.blocks.longest()).max()?;
        if writes && left < longest {
            return None;
        }
        let written = writes.then_some(StopRule::WrittenEach(left));
        let workload = Workload {
            jobs,
            stop: stop.into_iter().chain(written).collect(),
            ramp: Nanos::from_secs_f64(seconds * RAMP),
        };
        Some(Step { name, kind, workload, interval: Some(Nanos::from_secs_f64(interval)) })
    }

    /// Jobs of the load, with different places and arrivals in each step.
    fn jobs(&self, depth: u32, pace: impl Fn(&LoadPart) -> Pace) -> Vec<Job> {
        let parts = &self.ask.asked.load;
        let each = Bytes(self.ask.in_flight_most.0 / parts.len().max(1) as u64);
        let number = self.done.len() as u64;
        let job = |part: &LoadPart| {
            let room = (each.0 / part.job.blocks.longest().0.max(1)).clamp(1, u64::from(depth)) as u32;
            let seed = mix(part.job.seed).wrapping_add(number);
            Job { depth: room, clones: 1, pace: pace(part), seed, ..part.job.clone() }
        };
        parts.iter().map(job).collect()
    }

    /// Seconds of a load, its ramp included.
    fn seconds(&self, length: Length) -> f64 {
        let whole = headroom_seconds(self.ask);
        let longest = self.ask.asked.bounds.iter().map(|bound| bound.most.as_secs_f64()).fold(0.0, f64::max);
        let least = (BOUNDS * longest).min(whole / 3.0);
        match length {
            Length::Short => (SHORT * whole).max(LEAST_S),
            Length::Long => (LONG * whole).max(least).max(LEAST_S),
        }
    }

    /// Returns as much of `seconds` as time and bytes allow; `None` if that is too short for a load.
    fn affordable(&self, rate: f64, seconds: f64) -> Option<f64> {
        let left = headroom_seconds(self.ask) * OVER - self.search.elapsed();
        let written = rate * self.written_each();
        let bytes = if written > 0.0 { self.left_to_write() as f64 / written } else { f64::INFINITY };
        let least = (SHORT * headroom_seconds(self.ask) / 2.0).max(LEAST_S);
        let most = left.min(bytes);
        (most >= least).then(|| seconds.min(most))
    }

    /// Mean number of bytes that an I/O of the load writes.
    fn written_each(&self) -> f64 {
        let of = |part: &LoadPart| {
            let share = 1.0 - f64::from(part.job.access.mix.read_percent()) / 100.0;
            part.share * share * part.job.blocks.longest_of(Direction::Write).0 as f64
        };
        self.ask.asked.load.iter().map(of).sum()
    }

    fn left_to_write(&self) -> u64 {
        let searched = self.done.iter().filter(|step| step.plan.kind != StepKind::Layout);
        let bytes = |one: &Interval| one.of(Direction::Write).tally.bytes;
        let written: u64 = searched.flat_map(|step| &step.intervals).map(bytes).sum();
        self.ask.asked.write_most.0.saturating_sub(written)
    }

    /// Rate of the next load; `None` if enough is known.
    fn next_rate(&self) -> Option<(f64, Length)> {
        let full = self.search.full_queue.filter(|rate| *rate > 0.0)?;
        match self.search.bracket() {
            (None, None) => Some((full * self.first(full), Length::Short)),
            (Some(holds), None) => Some((upwards(full, holds)?, Length::Short)),
            (None, Some(fails)) => self.downwards(full, fails),
            (Some(holds), Some(fails)) => self.between(holds, fails),
        }
    }

    /// Share of the full queue's rate at which the bounds would cease to hold if the volume were a single server with
    /// exponential service times (M/M/1).
    fn first(&self, full: f64) -> f64 {
        let waits = |bound: &LatencyBound| bound.percent.map_or(-1.0, |_| bound.may_exceed().ln());
        let load = |bound: &LatencyBound| 1.0 + waits(bound) / (full * bound.most.as_secs_f64());
        self.ask.asked.bounds.iter().map(load).fold(FIRST.1, f64::min).max(FIRST.0)
    }

    fn downwards(&self, full: f64, fails: f64) -> Option<(f64, Length)> {
        let lower = fails * DOWNWARDS;
        (lower >= full * LOWEST).then_some((lower, Length::Short))
    }

    /// Next rate within a bracket: in a wide one, where a line through the loads crosses the bound, or the middle; in a
    /// narrow one, alternately on either side of the crossing.
    fn between(&self, holds: f64, fails: f64) -> Option<(f64, Length)> {
        let found = self.search.crossing().map(|(_, found)| found);
        let inside = |found: &Crossing| found.at > holds / NARROW && found.at < fails * NARROW;
        let found = found.filter(inside);
        let at = found.map_or((holds + fails) / 2.0, |found| found.at);
        if fails / holds > NARROW * NARROW {
            return Some((at, Length::Short));
        }
        let late = self.search.elapsed() >= ENOUGH.1 * headroom_seconds(self.ask);
        let known = found.map_or(fails / holds < TOLD, |found| is_narrow(&found));
        if late && known {
            return None;
        }
        let beside = found.map_or(0.0, |found| BESIDE / (found.slope * at));
        let beside = beside.clamp(BESIDE_LEAST, BESIDE_MOST);
        let below = self.search.loads.len().is_multiple_of(2);
        Some((at * if below { 1.0 - beside } else { 1.0 + beside }, Length::Long))
    }
}

/// Whether the interval is narrow enough.
fn is_narrow(found: &Crossing) -> bool {
    found.is_bounded() && (found.high - found.low) / (2.0 * found.at) <= ENOUGH.0
}

/// A rate as part of a step's name.
fn named(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.2}") } else { format!("{rate:.0}") }
}

/// The next rate above one that holds; `None` at the end of the range.
fn upwards(full: f64, holds: f64) -> Option<f64> {
    let (near, further) = UPWARDS;
    let next = if holds < near * full { (holds + full) / 2.0 } else { holds * further };
    (next <= FURTHEST * full).then_some(next)
}

/// Rule that stops a hopeless load of `count` I/Os: many times the allowed number are late. For a mean: so many I/Os
/// take so much longer than the bound that the mean exceeds it by far, whatever the others take.
fn hopeless(bound: LatencyBound, count: f64) -> StopRule {
    let Some(_) = bound.percent else {
        let ios = (count / HOPELESS).max(HOPELESS_LEAST).ceil() as u64;
        return StopRule::Late { than: Nanos((bound.most.0 as f64 * HOPELESS * HOPELESS_MEAN) as u64), ios };
    };
    let may = bound.may_exceed();
    let odds = HOPELESS * may / (1.0 - may);
    let ios = (count * odds / (1.0 + odds)).max(HOPELESS_LEAST).ceil() as u64;
    StopRule::Late { than: bound.most, ios }
}
