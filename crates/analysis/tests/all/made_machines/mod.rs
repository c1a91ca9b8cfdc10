//! Machines made of a small queueing model: I/Os arrive, wait for a meter, are served, and leave counters as a kernel does.
#![allow(dead_code, clippy::unwrap_used)]

pub mod hostile;
mod loads;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use record::{CpuCounters, DeviceFacts, DeviceNode, DiskCounters, Run, Sample};
use statistics::Stream;
use workload::Nanos;

pub use loads::*;

/// One I/O: when it was due, when it was issued, when the device saw it, when it was done; seconds.
#[derive(Clone, Copy, Debug)]
pub struct Io {
    pub due: f64,
    pub issued: f64,
    pub seen: f64,
    pub done: f64,
    pub write: bool,
    pub bytes: u64,
}

/// A volume: what an I/O takes by itself, and the meters before it.
#[derive(Clone, Copy, Debug)]
pub struct Volume {
    pub base_s: f64,
    pub variation: f64,
    pub cap_read: f64,
    pub cap_write: f64,
    pub cap_all: f64,
    pub cap_bytes: f64,
    /// From, to, and how many times as long an I/O takes then.
    pub slow: (f64, f64, f64),
    /// Time after which the cap on both directions is another, and that cap.
    pub later: (f64, f64),
    /// Whether the meter stands above the device: what waits there is not in the device's counters.
    pub above: bool,
}

pub const FAST: Volume = Volume {
    base_s: 1e-3,
    variation: 0.3,
    cap_read: f64::INFINITY,
    cap_write: f64::INFINITY,
    cap_all: f64::INFINITY,
    cap_bytes: f64::INFINITY,
    slow: (0.0, 0.0, 1.0),
    later: (f64::INFINITY, 0.0),
    above: false,
};

/// A program that asks for I/O, from when to when.
#[derive(Clone, Copy, Debug)]
pub struct Asker {
    pub from: f64,
    pub to: f64,
    pub how: How,
    pub write_share: f64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum How {
    /// This many at a time, as fast as they come back.
    Closed(u32),
    /// At random, this many a second in the mean.
    Random(f64),
    /// Evenly, this many a second, with at most this many in flight.
    Paced(f64, u32),
    /// This many at once, each time after this many seconds.
    Bursts(u32, f64),
}

pub fn asker(how: How, from: f64, to: f64) -> Asker {
    Asker { from, to, how, write_share: 0.0, bytes: 4096 }
}

/// Next free time of each meter.
#[derive(Default)]
struct Meters {
    read: f64,
    write: f64,
    all: f64,
    bytes: f64,
}

/// What `askers` get of `volume`, by the time at which each I/O was done.
pub fn serve(volume: &Volume, askers: &[Asker], seed: u64) -> Vec<Io> {
    let mut stream = Stream::new(seed, 7);
    let mut meters = Meters::default();
    let mut done = Vec::new();
    // (arrival in nanoseconds, due, asker), soonest first.
    let mut open: BinaryHeap<Reverse<(u64, u64, usize)>> = BinaryHeap::new();
    let ns = |seconds: f64| (seconds * 1e9) as u64;
    let mut slots: Vec<BinaryHeap<Reverse<u64>>> = askers.iter().map(|_| BinaryHeap::new()).collect();
    for (at, asker) in askers.iter().enumerate() {
        let first = match asker.how {
            How::Closed(depth) => depth,
            How::Random(_) | How::Paced(..) | How::Bursts(..) => 1,
        };
        (0..first).for_each(|_| open.push(Reverse((ns(asker.from), ns(asker.from), at))));
    }
    while let Some(Reverse((arrive, due, at))) = open.pop() {
        let asker = askers[at];
        let now = arrive as f64 / 1e9;
        if now >= asker.to {
            continue;
        }
        let write = stream.unit_f64() < asker.write_share;
        let start = admit(volume, &mut meters, now, (write, asker.bytes));
        let slow = if (volume.slow.0..volume.slow.1).contains(&now) { volume.slow.2 } else { 1.0 };
        let end = start + stream.lognormal(volume.base_s, volume.variation) * slow;
        let seen = if volume.above { start } else { now };
        done.push(Io { due: due as f64 / 1e9, issued: now, seen, done: end, write, bytes: asker.bytes });
        match asker.how {
            How::Closed(_) => open.push(Reverse((ns(end), ns(end), at))),
            How::Random(rate) => {
                let next = ns(now + stream.exponential(1.0 / rate));
                open.push(Reverse((next, next, at)));
            }
            How::Bursts(_, every) => open.push(Reverse((ns(now + every), ns(now + every), at))),
            How::Paced(rate, depth) => {
                slots[at].push(Reverse(ns(end)));
                let due = due + ns(1.0 / rate);
                let mut free = due;
                if slots[at].len() >= depth as usize {
                    free = free.max(slots[at].pop().unwrap().0);
                }
                open.push(Reverse((free, due, at)));
            }
        }
    }
    done.sort_by(|a, b| a.done.total_cmp(&b.done));
    done
}

fn admit(volume: &Volume, meters: &mut Meters, now: f64, (write, bytes): (bool, u64)) -> f64 {
    let all = if now >= volume.later.0 { volume.later.1 } else { volume.cap_all };
    let (own, cap) =
        if write { (&mut meters.write, volume.cap_write) } else { (&mut meters.read, volume.cap_read) };
    let each =
        [(own, 1.0, cap), (&mut meters.all, 1.0, all), (&mut meters.bytes, bytes as f64, volume.cap_bytes)];
    let metered = |rate: f64| rate.is_finite();
    let start = each.iter().filter(|meter| metered(meter.2)).fold(now, |start, meter| start.max(*meter.0));
    for (free, charge, rate) in each.into_iter().filter(|meter| metered(meter.2)) {
        *free = start + charge / rate;
    }
    start
}

/// Counters of a device after each `every` seconds up to `to`.
pub fn counters(ios: &[Io], every: f64, to: f64) -> Vec<DiskCounters> {
    let bins = (to / every).round() as usize + 1;
    let (mut queue, mut busy) = (vec![0.0; bins], vec![0.0; bins]);
    let spread = |into: &mut Vec<f64>, from: f64, until: f64| {
        let mut at = (from / every) as usize;
        while at + 1 < bins && at as f64 * every < until {
            into[at + 1] += until.min((at + 1) as f64 * every) - from.max(at as f64 * every);
            at += 1;
        }
    };
    let mut seen: Vec<(f64, f64)> = ios.iter().map(|io| (io.seen, io.done)).collect();
    seen.iter().for_each(|&(from, until)| spread(&mut queue, from, until));
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut edge = 0.0f64;
    for &(from, until) in &seen {
        if until > edge {
            spread(&mut busy, from.max(edge), until);
            edge = until;
        }
    }
    let mut all = vec![DiskCounters::default(); bins];
    let mut waits = vec![[0.0f64; 2]; bins];
    for io in ios {
        let at = (io.done / every) as usize + 1;
        if at >= bins {
            continue;
        }
        let one = &mut all[at];
        let wait = io.done - io.seen;
        waits[at][usize::from(io.write)] += wait;
        match io.write {
            true => {
                (one.writes, one.sectors_written) = (one.writes + 1, one.sectors_written + io.bytes / 512)
            }
            false => (one.reads, one.sectors_read) = (one.reads + 1, one.sectors_read + io.bytes / 512),
        }
    }
    let mut sums = ([0.0f64; 2], 0.0f64, 0.0f64);
    let mut total = DiskCounters::default();
    for at in 0..bins {
        let now = at as f64 * every;
        let one = all[at];
        total.reads += one.reads;
        total.writes += one.writes;
        total.sectors_read += one.sectors_read;
        total.sectors_written += one.sectors_written;
        sums.0[0] += waits[at][0];
        sums.0[1] += waits[at][1];
        sums.1 += queue[at];
        sums.2 += busy[at];
        total.read_ms = (sums.0[0] * 1e3) as u64;
        total.write_ms = (sums.0[1] * 1e3) as u64;
        total.queue_ms = (sums.1 * 1e3) as u64;
        total.busy_ms = (sums.2 * 1e3) as u64;
        let begun = seen.partition_point(|io| io.0 <= now);
        let ended = ios.partition_point(|io| io.done <= now);
        total.in_flight = begun.saturating_sub(ended) as u64;
        all[at] = total;
    }
    all
}

/// A machine with one disk on which this happened, looked at every `every` seconds.
pub fn machine(ios: &[Io], every: f64, to: f64) -> Run {
    machine_of(&[("sda", ios)], every, to)
}

pub fn machine_of(devices: &[(&str, &[Io])], every: f64, to: f64) -> Run {
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_700_000_000_000);
    let series: Vec<Vec<DiskCounters>> = devices.iter().map(|(_, ios)| counters(ios, every, to)).collect();
    for (name, _) in devices {
        run.devices.push(node(name, &[]));
    }
    for at in 0..series[0].len() {
        let seconds = at as f64 * every;
        let disks = devices.iter().zip(&series).map(|((name, _), series)| ((*name).into(), series[at]));
        run.samples.push(Sample {
            at: Nanos::from_secs_f64(seconds),
            disks: disks.collect(),
            cpu: CpuCounters {
                user: (seconds * 20.0) as u64,
                idle: (seconds * 180.0) as u64,
                ..Default::default()
            },
            ..Sample::default()
        });
    }
    run.complete = true;
    run
}

pub fn node(name: &str, below: &[&str]) -> DeviceNode {
    DeviceNode {
        facts: DeviceFacts { name: name.into(), queue_requests: 1023, ..DeviceFacts::default() },
        below: below.iter().map(|name| (*name).to_owned()).collect(),
        timed: true,
        ..DeviceNode::default()
    }
}

/// Two sets of I/Os on one device.
pub fn together(a: &[Io], b: &[Io]) -> Vec<Io> {
    let mut all = [a, b].concat();
    all.sort_by(|a, b| a.done.total_cmp(&b.done));
    all
}
