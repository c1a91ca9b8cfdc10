//! A load from the counters of a device: what its readings show, and what they cannot.

use record::Run;
use statistics::moments::Moments;
use workload::Direction;

use super::arrivals::{self, Dispersion};
use super::sizes::sizes;
use super::{Drive, RecordedFlow, RecordedLoad, Unknown};
use crate::size::load::working;
use crate::watch::device::Device;
use crate::watch::ticks::Tick;
use crate::watch::watched_run::WatchedRun;

/// Share of the busiest reading's rate below which a reading at either end is none of the load's (chosen by us: what a
/// system does by itself is far less).
const IDLE: f64 = 0.02;
/// Share of a reading's usual rate below which the first or last one is taken for a part of a reading (chosen by us).
const PARTIAL: f64 = 0.9;
/// Share of the time for which a closed loop has something in flight: the rest is the time of the program itself (chosen by
/// us).
const BUSY: f64 = 0.97;
/// Spread of the I/Os in flight between readings, as a share, that a closed loop does not exceed (chosen by us: in a closed
/// loop it is the spread of the program's own time).
const STEADY: f64 = 0.1;
/// Distance of the I/Os in flight from the next whole number, as a share, within which they are that number (chosen by us).
const WHOLE: f64 = 0.1;
/// Share of the busy time of arrivals by chance below which I/Os come in bunches (chosen by us).
const BUNCHED: f64 = 0.8;
/// Least share of the time with I/O in flight for which bunches are looked for: the kernel counts busy time by its clock's
/// ticks, of up to 10 ms (<https://docs.kernel.org/admin-guide/iostats.html>, field 10).
const BUSY_LEAST: f64 = 0.05;

/// Returns the loads of the disks of a run: of the device `named`, or of each that did I/O and stands on no other. The
/// busiest is first.
pub fn of_recording(run: &Run, named: Option<&str>) -> Vec<RecordedLoad> {
    let watch = WatchedRun::of(run, None, Vec::new());
    let mut loads: Vec<RecordedLoad> =
        working(&watch, named).filter_map(|device| load(&watch, &device)).collect();
    loads.sort_by(|a, b| b.iops().total_cmp(&a.iops()));
    loads
}

/// Returns the readings of a device that show its load, without time before and after it, and the seconds left out.
pub(super) fn readings(device: &Device<'_>) -> (Vec<Tick>, f64) {
    let known = device.ticks.iter().filter(|tick| tick.all().is_finite());
    let known: Vec<Tick> = known.map(without_flushes).collect();
    let rate = |tick: &Tick| tick.all() / tick.seconds;
    let most = known.iter().map(rate).fold(0.0, f64::max);
    let is_load = |tick: &Tick| rate(tick) > IDLE * most;
    let (first, last) = (known.iter().position(is_load), known.iter().rposition(is_load));
    let (Some(first), Some(last)) = (first, last) else { return (Vec::new(), 0.0) };
    let mut of = known[first..=last].to_vec();
    let part = |edge: &Tick, next: &Tick| rate(edge) < PARTIAL * rate(next);
    // The first and the last reading begin or end with the load, if they show less of it than their neighbours.
    if of.len() > 3 && part(&of[0], &of[1]) {
        of.remove(0);
    }
    if of.len() > 3 && part(&of[of.len() - 1], &of[of.len() - 2]) {
        of.pop();
    }
    let seconds = |ticks: &[Tick]| ticks.iter().map(|tick| tick.seconds).sum::<f64>();
    let left_out = seconds(&known) - seconds(&of);
    (of, left_out)
}

/// Returns a reading without the flushes that the kernel counts as writes: those without data. Each follows a write, which for
/// the first may lie in the reading before.
fn without_flushes(tick: &Tick) -> Tick {
    let mut tick = *tick;
    if tick.flushes > 0.0 {
        let flushes = tick.flushes.min(tick.ops[1] / 2.0 + 1.0).min(tick.ops[1]);
        tick.wait[1] = (tick.wait[1] - tick.flush_wait * flushes / tick.flushes).max(0.0);
        tick.ops[1] -= flushes;
    }
    tick
}

fn load(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<RecordedLoad> {
    let (ticks, left_out) = readings(device);
    let seconds: f64 = ticks.iter().map(|tick| tick.seconds).sum();
    if seconds <= 0.0 {
        return None;
    }
    let mut unknowns = Vec::new();
    let [reads, writes] = [0, 1].map(|way| flow((&ticks, seconds), way, &mut unknowns));
    let usage = Usage::of(&ticks);
    let known = |value: f64| value.is_finite().then_some(value);
    let burstiness = arrivals::of_readings(&counts(&ticks), seconds / ticks.len() as f64);
    let (drive, doubts) = drive(&ticks, usage, &burstiness);
    unknowns.extend(doubts);
    unknowns.push(Unknown::Places);
    let flushes: f64 = ticks.iter().map(|tick| tick.flushes).sum();
    let written: f64 = ticks.iter().map(|tick| tick.ops[1]).sum();
    if !flushes.is_finite() {
        unknowns.push(Unknown::Flushes);
    } else if flushes > 0.0 {
        unknowns.push(Unknown::FlushesAmongWrites);
    }
    if left_out > seconds / ticks.len() as f64 {
        unknowns.push(Unknown::Idle { seconds: left_out });
    }
    let load = RecordedLoad {
        device: device.place.name.clone(),
        size: device.node.map_or(0, |node| node.facts.size.0),
        seconds,
        reading_s: watch.recording.usual().as_secs_f64(),
        reads,
        writes,
        drive,
        in_flight: known(usage.in_flight),
        busy: known(usage.busy),
        burstiness,
        zones: Vec::new(),
        run: 1.0,
        flush_every: (flushes >= 1.0 && written >= 1.0).then(|| (written / flushes).max(1.0)),
        unknowns,
    };
    Some(load.settled())
}

fn counts(ticks: &[Tick]) -> Vec<f64> {
    ticks.iter().map(Tick::all).collect()
}

fn flow((ticks, seconds): (&[Tick], f64), way: usize, unknowns: &mut Vec<Unknown>) -> RecordedFlow {
    let direction = [Direction::Read, Direction::Write][way];
    let counted: Vec<(f64, f64)> = ticks.iter().map(|tick| (tick.ops[way], tick.bytes[way])).collect();
    let (ios, bytes) = counted.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let wait: f64 = ticks.iter().map(|tick| tick.wait[way]).sum();
    let (sizes, unknown) = sizes(&counted, direction);
    unknowns.extend(unknown);
    RecordedFlow {
        iops: ios / seconds,
        bytes: bytes / seconds,
        latency_s: (ios > 0.0 && wait.is_finite()).then(|| wait / ios),
        sizes,
    }
}

/// How much a device is used: reads and writes per second, I/Os in flight, and the share of the time with any.
#[derive(Clone, Copy)]
struct Usage {
    rate: f64,
    in_flight: f64,
    busy: f64,
}

impl Usage {
    fn of(ticks: &[Tick]) -> Usage {
        let seconds: f64 = ticks.iter().map(|tick| tick.seconds).sum();
        let sum = |of: fn(&Tick) -> f64| ticks.iter().map(of).sum::<f64>() / seconds;
        Usage {
            rate: sum(Tick::all),
            in_flight: sum(|tick| tick.queue * tick.seconds),
            busy: sum(|tick| tick.busy * tick.seconds),
        }
    }
}

/// Returns how the load is driven, and what is not known about that.
fn drive(ticks: &[Tick], usage: Usage, burstiness: &[Dispersion]) -> (Drive, Vec<Unknown>) {
    if let Some(depth) = closed(ticks) {
        return (Drive::Closed { depth }, vec![Unknown::Demand]);
    }
    let steady = arrivals::of_dispersion(burstiness, usage.rate);
    let is_timed = usage.in_flight.is_finite() && usage.busy.is_finite();
    let by_chance = 1.0 - (-usage.in_flight).exp();
    match steady {
        None => {
            let (drive, unknown) = phases(ticks, usage.rate);
            (drive, vec![unknown, Unknown::Spacing])
        }
        Some(steady) if !is_timed => (steady, vec![Unknown::InFlight, Unknown::Spacing]),
        Some(_) if usage.busy >= BUSY_LEAST && usage.busy < BUNCHED * by_chance => {
            (bunches(ticks, usage), vec![Unknown::RestLength, Unknown::Waiting])
        }
        Some(steady) => (steady, vec![Unknown::Spacing, Unknown::Waiting]),
    }
}

/// Returns the depth of a closed loop: something is always in flight, and always about the same number of I/Os.
fn closed(ticks: &[Tick]) -> Option<u32> {
    let busy = Usage::of(ticks).busy;
    let queues: Moments = ticks.iter().map(|tick| tick.queue).collect();
    let depth = queues.mean().round().max(1.0);
    let steady = queues.sd() <= STEADY * queues.mean();
    // NaN is no closed loop.
    let is_closed = busy >= BUSY && steady && (queues.mean() - depth).abs() <= WHOLE * depth;
    is_closed.then_some(depth as u32)
}

/// Returns bunches of I/Os with rests: as many in flight while busy as are counted. Rests of one length give counts that
/// differ by one bunch from reading to reading, with a variance of a sixth of its square if the reading's edge falls
/// anywhere.
fn bunches(ticks: &[Tick], Usage { rate, in_flight, busy }: Usage) -> Drive {
    let depth = (in_flight / busy).round().max(1.0);
    let spread = counts(ticks).into_iter().collect::<Moments>().variance();
    let reading = ticks.iter().map(Tick::all).sum::<f64>() / ticks.len() as f64;
    let ios = (6.0 * spread).sqrt().clamp(depth, (reading / 2.0).max(depth)).round();
    Drive::Bunches { depth: depth as u32, ios: ios as u32, rest_s: (1.0 - busy) * ios / rate }
}

/// Returns bursts that last for readings: those above the mean, and how long they stay so.
fn phases(ticks: &[Tick], rate: f64) -> (Drive, Unknown) {
    let is_burst = |tick: &Tick| tick.all() / tick.seconds > rate;
    let of = |burst: bool| {
        let own: Vec<&Tick> = ticks.iter().filter(|tick| is_burst(tick) == burst).collect();
        let seconds: f64 = own.iter().map(|tick| tick.seconds).sum();
        let ios: f64 = own.iter().map(|tick| tick.all()).sum();
        let spells = ticks
            .chunk_by(|a, b| is_burst(a) == is_burst(b))
            .filter(|spell| is_burst(&spell[0]) == burst)
            .count();
        (ios, seconds, spells.max(1) as f64)
    };
    let ((dense, dense_s, bursts), (sparse, sparse_s, calms)) = (of(true), of(false));
    let inner: Vec<Tick> = ticks
        .chunk_by(|a, b| is_burst(a) == is_burst(b))
        .filter(|spell| is_burst(&spell[0]) && spell.len() > 2)
        .flat_map(|spell| spell[1..spell.len() - 1].to_vec())
        .collect();
    if let Some(depth) = closed(&inner)
        && sparse < IDLE * dense
    {
        let ios = ((dense + sparse) / bursts).round().clamp(1.0, f64::from(u32::MAX - 1));
        return (Drive::Bunches { depth, ios: ios as u32, rest_s: sparse_s / calms }, Unknown::Demand);
    }
    let burst_iops = if dense_s > 0.0 { dense / dense_s } else { rate };
    let (burst_ios, calm_ios) = ((dense / bursts).max(1.0), (sparse / calms).max(1.0));
    (Drive::Phases { burst_iops, burst_ios, calm_ios }, Unknown::Waiting)
}
