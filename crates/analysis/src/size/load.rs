//! The load of a recorded device as demand, and what is known of it.

use policy::{Demand, Offer};
use record::LocalLimit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::findings;
use crate::watch::busiest::QUIET;
use crate::watch::command::{LIMIT, StorageWait, command_time};
use crate::watch::device::Device;
use crate::watch::limits::concerns;
use crate::watch::ticks::{self, Tick, Way};
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::FILLED;

/// Least factor by which the demand exceeds what a limit let through: enough that the same limit does not carry it.
/// Twice the tolerance of a claim (method 6.1).
const ABOVE_HELD: f64 = 1.06;
/// Shortest busy time of a span with I/O, in seconds: the kernel counts it by its clock's ticks, of up to 10 ms
/// (<https://docs.kernel.org/admin-guide/iostats.html>, field 10).
const BUSY_LEAST_S: f64 = 0.01;
/// Most columns of the course of a load: a chart has room for no more (chosen by us).
const COLUMNS: f64 = 400.0;

/// The load of a recorded device. Rates are per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeenLoad {
    /// Kernel name of the device.
    pub device: String,
    /// The name that users know the device by; empty if there is none.
    pub alias: String,
    /// Size of the device in bytes; 0 if it is not recorded.
    pub size: u64,
    /// Seconds recorded.
    pub seconds: f64,
    /// Usual length of a reading in seconds: the shortest time for which an answer holds.
    pub reading_s: f64,
    /// Seconds without a record between the first reading and the last.
    pub missing_s: f64,
    /// Reads and writes, the mean.
    pub iops_mean: f64,
    /// Reads and writes in the busiest reading.
    pub iops_peak: f64,
    /// Reads and writes while the device was busy, in the reading where that is greatest (operations by busy time).
    pub iops_busy_peak: f64,
    /// When the busiest reading ended, in seconds from the start.
    pub peak_s: f64,
    /// Flushes, the mean; 0 if they are not recorded.
    pub flushes_mean: f64,
    /// Bytes, the mean.
    pub bytes_mean: f64,
    /// Bytes in the busiest reading.
    pub bytes_peak: f64,
    /// Share of reads in the operations.
    pub read_share: f64,
    /// Whether the operations are recorded only as a sum; reads and writes then have shares of it as they have of the bytes.
    pub undivided: bool,
    /// Share of the time in which a limit of the recorded volume held the load: the demand then was greater than
    /// recorded.
    pub held_share: f64,
    /// The greatest rate at which it was held, operations; `None` if it was not.
    pub held_iops: Option<f64>,
    /// Whether plimsoll itself made the load.
    pub own_load: bool,
    /// The limit of the recorded machine in front of the device for which tasks waited: it let through no more than was
    /// recorded.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(default)]
    pub limit: Option<LocalLimit>,
    /// The program that was watched, and the share of its time for which it waited for the device; `None` if it hardly did,
    /// or none was watched. Without any wait it would have asked for at most `1 / (1 - share)` times as much; if it waited for
    /// most of its time, that tells nothing.
    pub waited: Option<WaitingProgram>,
    /// Share of the time in which some task of the machine waited for I/O, and that in which the device was busy, if the former is
    /// so much greater that the tasks waited for something else, or in front of the device.
    pub waiting: Option<[f64; 2]>,
}

/// A watched program that waited for a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingProgram {
    /// Its name.
    pub program: String,
    /// Share of its time.
    pub share: f64,
}

impl WaitingProgram {
    /// Returns the most that it would have asked for without any wait, as a multiple of what it did; `None` if it waited for
    /// most of its time, so that nothing bounds it.
    pub fn most(&self) -> Option<f64> {
        (self.share < LIMIT).then(|| 1.0 / (1.0 - self.share))
    }
}

/// The load in a part of the recording. Columns that do not touch have nothing recorded between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CourseColumn {
    /// When it begins, in seconds from the start.
    pub begins_s: f64,
    /// When it ends, in seconds from the start.
    pub ends_s: f64,
    /// Reads and writes together.
    pub all: CourseRates,
    /// Reads.
    pub reads: CourseRates,
    /// Writes.
    pub writes: CourseRates,
}

/// Rates of a column, per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CourseRates {
    /// Operations, the mean.
    pub iops_mean: f64,
    /// Operations in the busiest reading.
    pub iops_peak: f64,
    /// Bytes, the mean.
    pub bytes_mean: f64,
    /// Bytes in the busiest reading.
    pub bytes_peak: f64,
}

/// A load with what is known of it.
pub(super) struct Load {
    pub demand: Demand,
    pub seen: SeenLoad,
    pub course: Vec<CourseColumn>,
    /// For each span of the demand, the interval of the recording; `None` where nothing was recorded.
    pub intervals: Vec<Option<u32>>,
    /// The readings.
    pub ticks: Vec<Tick>,
}

/// Returns the disks of a run that did I/O and stand on none that is recorded as long, one after the other, or the device `named` if it did I/O.
pub(crate) fn working<'w, 'r: 'w>(
    watch: &'w WatchedRun<'r>,
    named: Option<&'w str>,
) -> impl Iterator<Item = Device<'r>> + 'w {
    let names = watch.recording.devices().iter();
    let asked = names.filter(move |name| named.is_none_or(|named| named == **name));
    asked.filter_map(move |name| {
        let mut device = Device::unwindowed(watch, name);
        if device.ticks.is_empty() {
            device.ticks = ticks::undivided(&watch.recording, name);
        }
        let first = |name: &str| {
            let mut readings = watch.recording.counted(name)?;
            Some(readings.position(|read| read.is_some()).unwrap_or(usize::MAX))
        };
        // What lies below may be noticed only when it has work, and then misses what came before.
        let is_watched = |below: &String| {
            watch.recording.devices().iter().any(|other| other == below) && first(below) <= first(name)
        };
        let is_disk = named.is_some() || !device.place.on.iter().flatten().any(is_watched);
        let worked = device.ticks.iter().any(|tick| tick.all() > 0.0);
        (is_disk && worked).then_some(device)
    })
}

/// Returns the loads of the disks of a run, one after the other: of the device `named`, or of each that did I/O and stands on
/// no other.
pub(super) fn loads<'w, 'r: 'w>(
    watch: &'w WatchedRun<'r>,
    named: Option<&'w str>,
) -> impl Iterator<Item = Load> + 'w {
    let (_, taken) = findings::of_load(watch);
    let waits = waits(watch);
    let waited_for = |name: &&str| waits.iter().any(|(waited, _)| waited == *name);
    // A limit in front of a device keeps its load from the disks below.
    let is_limited = |name: &&str| {
        let limits = || watch.run.limits.iter().any(|limit| limit.device == **name);
        let device = || Device::unwindowed(watch, name).windowed(watch);
        waits.is_empty() && limits() && findings::limit_in_front(watch, &device()).is_some()
    };
    let names = || watch.recording.devices().iter().copied();
    let long = || names().filter(|name| waited_for(name) || is_limited(name)).map(Some);
    let asked: Vec<Option<&str>> = match named {
        None if long().next().is_some() => long().collect(),
        named => vec![named],
    };
    let disks = asked.into_iter().flat_map(|name| working(watch, name));
    disks.filter_map(move |mut device| {
        let limited = watch.run.limits.iter().any(|limit| concerns(&device.place, limit));
        if limited || device.ticks.iter().any(may_be_held) {
            device = device.windowed(watch);
            findings::mark_held(watch, &mut device, &taken);
        }
        let waited = waits.iter().find(|(name, _)| *name == device.place.name);
        let front = InFront {
            limit: if limited { findings::limit_in_front(watch, &device) } else { None },
            waited: waited.map(|(_, waited)| waited.clone()),
        };
        load(watch, device, front)
    })
}

/// Returns the devices for which the watched command waited for long, by name; none without a command.
fn waits(watch: &WatchedRun<'_>) -> Vec<(String, WaitingProgram)> {
    let Some(time) = command_time(watch) else { return Vec::new() };
    let wait = |wait: &StorageWait| {
        (wait.place.name.clone(), WaitingProgram { program: time.program.clone(), share: wait.share })
    };
    time.long_waits().map(wait).collect()
}

/// Whether a reading may be one in which a limit held the load: something was in flight nearly all the time.
fn may_be_held(tick: &Tick) -> bool {
    tick.busy.is_nan() || tick.busy >= FILLED
}

/// What kept I/O from the device.
struct InFront {
    limit: Option<LocalLimit>,
    waited: Option<WaitingProgram>,
}

impl InFront {
    /// Returns the most that may have been wanted, as a multiple of what was recorded.
    fn most(&self) -> f64 {
        let by_program = self.waited.as_ref().map(|waited| waited.most().unwrap_or(f64::INFINITY));
        if self.limit.is_some() { f64::INFINITY } else { by_program.unwrap_or(1.0) }
    }
}

fn load(watch: &WatchedRun<'_>, device: Device<'_>, front: InFront) -> Option<Load> {
    let mut offers = Vec::with_capacity(device.ticks.len());
    let held = held(&device);
    let mut intervals = Vec::with_capacity(device.ticks.len());
    let (mut missing_s, mut last): (f64, Option<Nanos>) = (0.0, None);
    let mut ends: Vec<f64> = Vec::with_capacity(device.ticks.len());
    let begin = device.ticks.first()?.from;
    for (tick, held) in device.ticks.iter().zip(&held) {
        let gap = last.map_or(0.0, |last| tick.from.since(last).as_secs_f64());
        last = Some(tick.to);
        let known = tick.all().is_finite();
        let unknown = gap + if known { 0.0 } else { tick.seconds };
        if unknown > 0.0 {
            missing_s += unknown;
            offers.push(Offer {
                seconds: unknown,
                busy_s: unknown,
                least: 1.0,
                most: 1.0,
                ..Offer::default()
            });
            ends.push(tick.from.since(begin).as_secs_f64());
            intervals.push(None);
        }
        if known {
            let offer = offer(&device, tick, *held);
            offers.push(Offer { most: offer.most.max(front.most()), ..offer });
            intervals.push(Some(tick.at as u32));
            ends.push(tick.to.since(begin).as_secs_f64());
        }
    }
    let seconds: f64 = offers.iter().map(|offer| offer.seconds).sum();
    if offers.is_empty() || seconds <= 0.0 {
        return None;
    }
    let ops = |offer: &Offer| offer.ops[0] + offer.ops[1];
    let bytes = |offer: &Offer| offer.bytes[0] + offer.bytes[1];
    let all: f64 = offers.iter().map(ops).sum();
    let rates = || offers.iter().map(|offer| ops(offer) / offer.seconds);
    let peak = rates().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let held_at = |offer: &&Offer| offer.least > 1.0;
    let held_s: f64 = offers.iter().filter(held_at).map(|offer| offer.seconds).sum();
    let seen = SeenLoad {
        device: device.place.name.clone(),
        alias: device.place.alias.clone(),
        size: device.node.map_or(0, |node| node.facts.size.0),
        seconds,
        reading_s: watch.recording.usual().as_secs_f64(),
        missing_s,
        iops_mean: all / seconds,
        iops_peak: peak.1,
        iops_busy_peak: offers.iter().map(|offer| ops(offer) / offer.busy_s).fold(0.0, f64::max),
        peak_s: ends.get(peak.0).copied().unwrap_or(0.0),
        flushes_mean: offers.iter().map(|offer| offer.flushes).sum::<f64>() / seconds,
        bytes_mean: offers.iter().map(bytes).sum::<f64>() / seconds,
        bytes_peak: offers.iter().map(|offer| bytes(offer) / offer.seconds).fold(0.0, f64::max),
        read_share: if all > 0.0 { offers.iter().map(|offer| offer.ops[0]).sum::<f64>() / all } else { 0.0 },
        // A sum of nothing is -0.
        held_share: held_s.abs() / seconds,
        held_iops: offers.iter().filter(held_at).map(|offer| ops(offer) / offer.seconds).reduce(f64::max),
        undivided: !watch.recording.has(&device.place.name, record::Metric::ReadOps),
        own_load: watch.carries_load(&device.place.name),
        limit: front.limit,
        waited: front.waited,
        waiting: waiting(watch, &device.ticks),
    };
    let course = course(&device.ticks, begin);
    Some(Load { demand: Demand::new(offers), seen, course, intervals, ticks: device.ticks })
}

impl Load {
    /// Returns the load in these seconds, as fine as a chart shows.
    pub fn between(&self, (from, to): (f64, f64)) -> Vec<CourseColumn> {
        let Some(first) = self.ticks.first() else { return Vec::new() };
        let after = |tick: &Tick| tick.to.since(first.from).as_secs_f64();
        let begin = self.ticks.partition_point(|tick| after(tick) <= from);
        let end = self.ticks.partition_point(|tick| after(tick) <= to);
        course(&self.ticks[begin..end.max(begin)], first.from)
    }
}

/// Returns [`SeenLoad::waiting`].
fn waiting(watch: &WatchedRun<'_>, ticks: &[Tick]) -> Option<[f64; 2]> {
    let seconds: f64 = ticks.iter().map(|tick| tick.seconds).sum();
    let mean =
        |of: &dyn Fn(&Tick) -> f64| ticks.iter().map(|tick| of(tick) * tick.seconds).sum::<f64>() / seconds;
    let shares = [mean(&|tick| watch.moments[tick.at].some), mean(&|tick| tick.busy)];
    (watch.passive() && shares[0] > shares[1] + QUIET).then_some(shares)
}

/// Returns the load of these readings over time from `begin` on, with at most [`COLUMNS`] columns.
fn course(ticks: &[Tick], begin: Nanos) -> Vec<CourseColumn> {
    let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else { return Vec::new() };
    let seconds = |at: Nanos| at.since(begin).as_secs_f64();
    let wide = last.to.since(first.from).as_secs_f64() / COLUMNS;
    let known: Vec<&Tick> = ticks.iter().filter(|tick| tick.all().is_finite()).collect();
    let place = |tick: &Tick| ((tick.to.since(first.from).as_secs_f64() / wide).ceil() as usize).max(1);
    let column = |ticks: &[&Tick]| {
        let (first, last) = (ticks.first()?, ticks.last()?);
        let [reads, writes, all] = Way::ALL.map(|way| rates(ticks, way));
        Some(CourseColumn { begins_s: seconds(first.from), ends_s: seconds(last.to), all, reads, writes })
    };
    known.chunk_by(|a, b| place(a) == place(b)).filter_map(column).collect()
}

fn rates(ticks: &[&Tick], way: Way) -> CourseRates {
    let known = |counts: [f64; 2]| way.of(counts.map(|count| if count.is_finite() { count } else { 0.0 }));
    let (iops_mean, iops_peak) = mean_and_peak(ticks, |tick| known(tick.ops));
    let (bytes_mean, bytes_peak) = mean_and_peak(ticks, |tick| known(tick.bytes));
    CourseRates { iops_mean, iops_peak, bytes_mean, bytes_peak }
}

/// Returns the mean rate of what readings count, and that of the busiest reading.
fn mean_and_peak(ticks: &[&Tick], count: impl Fn(&Tick) -> f64) -> (f64, f64) {
    let all: f64 = ticks.iter().map(|tick| count(tick)).sum();
    let seconds: f64 = ticks.iter().map(|tick| tick.seconds).sum();
    let peak = ticks.iter().map(|tick| count(tick) / tick.seconds).fold(0.0, f64::max);
    (if seconds > 0.0 { all / seconds } else { 0.0 }, peak)
}

/// Returns, for each reading, whether a limit held the load.
fn held(device: &Device<'_>) -> Vec<bool> {
    let mut held = vec![false; device.ticks.len()];
    for at in device.held.iter().map(|held| held.at) {
        let ticks = device.windows[at].ticks.clone();
        held[ticks].fill(true);
    }
    held
}

fn offer(device: &Device<'_>, tick: &Tick, held: bool) -> Offer {
    let known = |value: f64, otherwise: f64| if value.is_finite() { value } else { otherwise };
    let ops = tick.ops.map(|ops| known(ops, 0.0).max(0.0));
    let busy_s =
        known(tick.busy * tick.seconds, tick.seconds).clamp(BUSY_LEAST_S.min(tick.seconds), tick.seconds);
    // In a closed loop, what is in flight comes back as fast as the device answers where nothing waits.
    let wait = (tick.wait[0] + tick.wait[1]) / tick.all();
    let freed = device.base.both.map_or(f64::INFINITY, |base| wait / base);
    let most = if held { known(freed, f64::INFINITY).max(ABOVE_HELD) } else { 1.0 };
    Offer {
        seconds: tick.seconds,
        ops,
        bytes: tick.bytes.map(|bytes| known(bytes, 0.0).max(0.0)),
        flushes: known(tick.flushes, 0.0).max(0.0),
        busy_s,
        in_flight: known(tick.queue, 0.0).max(0.0),
        least: if held { ABOVE_HELD } else { 1.0 },
        most,
    }
}
