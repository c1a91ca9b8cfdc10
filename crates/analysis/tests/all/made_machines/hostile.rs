//! A volume that is not kind to its observer: meters with slices and buckets, neighbours, queues of its own, stalls,
//! slow spans, and a machine whose programs and readings lack a CPU now and then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use record::{CpuCounters, DiskCounters, Run, Sample};
use statistics::Stream;
use workload::Nanos;

use super::{How, Io, node};

/// What a meter counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Charge {
    Operations,
    Bytes,
    /// Operations of this many bytes each, begun ones in full.
    Unit(u64),
}

/// One limit.
#[derive(Clone, Debug)]
pub struct Meter {
    pub charge: Charge,
    /// Whether it counts reads, and writes.
    pub of: [bool; 2],
    pub rate: f64,
    /// Length of the slices that it counts by, seconds; 0: by the I/O.
    pub slice: f64,
    /// Charges that may go at `burst` per second before `rate` binds.
    pub bucket: f64,
    pub burst: f64,
    /// From, to, and the share of it that somebody else takes then.
    pub neighbour: (f64, f64, f64),
    /// Share by which its rate varies from I/O to I/O.
    pub noise: f64,
}

impl Meter {
    pub fn of(charge: Charge, rate: f64) -> Meter {
        Meter {
            charge,
            of: [true; 2],
            rate,
            slice: 0.0,
            bucket: 0.0,
            burst: 0.0,
            neighbour: (0.0, 0.0, 0.0),
            noise: 0.0,
        }
    }
}

/// A volume and what happens to it.
#[derive(Clone, Debug)]
pub struct Hostile {
    pub base_s: f64,
    pub variation: f64,
    /// I/Os served at a time; 0: all that come.
    pub servers: usize,
    pub meters: Vec<Meter>,
    /// From, to, and how many times as long an I/O takes then.
    pub slow: Vec<(f64, f64, f64)>,
    /// Seconds from one stall to the next, and the seconds for which nothing is done then.
    pub stall: (f64, f64),
    /// Spans in which the device does nothing: its own host lacks a CPU.
    pub frozen: Vec<(f64, f64)>,
    /// Spans in which the programs do nothing.
    pub asleep: Vec<(f64, f64)>,
}

pub const CALM: Hostile = Hostile {
    base_s: 1e-3,
    variation: 0.3,
    servers: 0,
    meters: Vec::new(),
    slow: Vec::new(),
    stall: (0.0, 0.0),
    frozen: Vec::new(),
    asleep: Vec::new(),
};

/// A program that asks for I/O.
#[derive(Clone, Debug)]
pub struct Program {
    pub from: f64,
    pub to: f64,
    pub how: How,
    pub write_share: f64,
    /// Sizes, of which each I/O has one at random.
    pub sizes: Vec<u64>,
}

pub fn program(how: How, to: f64) -> Program {
    Program { from: 0.0, to, how, write_share: 0.0, sizes: vec![4096] }
}

/// Short spans at random moments, `rate` of them a second, `mean` seconds long on average: what a busy machine does
/// to a program.
pub fn moments(seed: u64, to: f64, (rate, mean): (f64, f64)) -> Vec<(f64, f64)> {
    let mut stream = Stream::new(seed, 11);
    let mut at = 0.0;
    let mut found = Vec::new();
    while at < to && rate > 0.0 {
        at += stream.exponential(1.0 / rate);
        let length = stream.exponential(mean);
        found.push((at, at + length));
        at += length;
    }
    found
}

/// The end of the span in which `at` lies, or `at`.
fn after(spans: &[(f64, f64)], at: f64) -> f64 {
    let next = spans.partition_point(|span| span.1 <= at);
    spans.get(next).filter(|span| span.0 <= at).map_or(at, |span| span.1)
}

struct State {
    free: f64,
    tokens: f64,
    seen: f64,
}

fn charged(meter: &Meter, write: bool, bytes: u64) -> f64 {
    match (meter.of[usize::from(write)], meter.charge) {
        (false, _) => 0.0,
        (true, Charge::Operations) => 1.0,
        (true, Charge::Bytes) => bytes as f64,
        (true, Charge::Unit(unit)) => bytes.div_ceil(unit) as f64,
    }
}

fn pass(meter: &Meter, state: &mut State, (now, charge): (f64, f64), stream: &mut Stream) -> f64 {
    if charge == 0.0 {
        return now;
    }
    // What a slice allows may go at its very beginning; what it leaves is lost.
    let edge = |at: f64| if meter.slice > 0.0 { (at / meter.slice).floor() * meter.slice } else { at };
    state.free = state.free.max(edge(now));
    let start = now.max(edge(state.free));
    let (from, to, share) = meter.neighbour;
    let left = if (from..to).contains(&start) { 1.0 - share } else { 1.0 };
    let noise = 1.0 + meter.noise * stream.normal();
    let rate = meter.rate * left * noise.max(0.2);
    state.tokens = (state.tokens + (start - state.seen) * meter.rate).min(meter.bucket);
    state.seen = start;
    let bursting = meter.burst > 0.0 && state.tokens >= charge;
    state.tokens -= if bursting { charge } else { 0.0 };
    state.free += charge / if bursting { meter.burst * left } else { rate };
    start
}

impl Hostile {
    /// What the programs get, by the time at which each I/O was done.
    pub fn serve(&self, programs: &[Program], seed: u64) -> Vec<Io> {
        let mut stream = Stream::new(seed, 7);
        let full = |meter: &Meter| State { free: 0.0, tokens: meter.bucket, seen: 0.0 };
        let mut states: Vec<State> = self.meters.iter().map(full).collect();
        let mut servers: BinaryHeap<Reverse<u64>> = (0..self.servers).map(|_| Reverse(0)).collect();
        let mut open: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut slots: Vec<BinaryHeap<Reverse<u64>>> = programs.iter().map(|_| BinaryHeap::new()).collect();
        for (at, program) in programs.iter().enumerate() {
            let first = if let How::Closed(depth) = program.how { depth } else { 1 };
            (0..first).for_each(|_| open.push(Reverse((ns(program.from), at))));
        }
        let mut done = Vec::new();
        while let Some(Reverse((arrive, at))) = open.pop() {
            let program = &programs[at];
            let now = after(&self.asleep, arrive as f64 / 1e9);
            if now >= program.to {
                continue;
            }
            let count = if let How::Bursts(count, _) = program.how { count } else { 1 };
            let mut end = now;
            for _ in 0..count {
                let write = stream.unit_f64() < program.write_share;
                let bytes = program.sizes[stream.below(program.sizes.len() as u64) as usize];
                end = self.one(&mut states, &mut servers, (now, write, bytes), &mut stream);
                done.push(Io { due: arrive as f64 / 1e9, issued: now, seen: now, done: end, write, bytes });
            }
            open.push(Reverse((next((program, &mut slots[at]), (arrive, end), &mut stream), at)));
        }
        done.sort_by(|a, b| a.done.total_cmp(&b.done));
        done
    }

    /// When an I/O that arrives at `now` is done.
    fn one(
        &self,
        states: &mut [State],
        servers: &mut BinaryHeap<Reverse<u64>>,
        (now, write, bytes): (f64, bool, u64),
        stream: &mut Stream,
    ) -> f64 {
        let mut start = now;
        for (meter, state) in self.meters.iter().zip(states) {
            start = start.max(pass(meter, state, (now, charged(meter, write, bytes)), stream));
        }
        if let Some(Reverse(free)) = servers.pop() {
            start = start.max(free as f64 / 1e9);
        }
        let slow = self.slow.iter().find(|span| (span.0..span.1).contains(&start)).map_or(1.0, |span| span.2);
        let mut end = start + stream.lognormal(self.base_s, self.variation) * slow;
        if self.stall.0 > 0.0 {
            let into = end % self.stall.0;
            end += if into < self.stall.1 && end > self.stall.0 { self.stall.1 - into } else { 0.0 };
        }
        end = after(&self.frozen, end);
        if self.servers > 0 {
            servers.push(Reverse(ns(end)));
        }
        end
    }
}

fn ns(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

/// When the program asks again.
fn next(
    (program, slots): (&Program, &mut BinaryHeap<Reverse<u64>>),
    (arrive, end): (u64, f64),
    stream: &mut Stream,
) -> u64 {
    match program.how {
        How::Closed(_) => ns(end),
        How::Random(rate) => arrive + ns(stream.exponential(1.0 / rate)),
        How::Bursts(_, every) => arrive + ns(every),
        How::Paced(rate, depth) => {
            slots.push(Reverse(ns(end)));
            let due = arrive + ns(1.0 / rate);
            match slots.len() >= depth as usize {
                true => due.max(slots.pop().map_or(due, |slot| slot.0)),
                false => due,
            }
        }
    }
}

/// A reader of the counters: every `every` seconds, late by up to `late`.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub every: f64,
    pub late: f64,
    pub to: f64,
    pub seed: u64,
}

/// A machine with one disk on which this happened.
pub fn watched(ios: &[Io], reader: Reader) -> Run {
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_700_000_000_000);
    run.devices.push(node("sda", &[]));
    let mut stream = Stream::new(reader.seed, 13);
    let count = (reader.to / reader.every).round() as usize + 1;
    let times: Vec<f64> =
        (0..count).map(|at| at as f64 * reader.every + reader.late * stream.unit_f64()).collect();
    for (counters, &seconds) in counters_at(ios, &times).into_iter().zip(&times) {
        let (user, idle) = ((seconds * 20.0) as u64, (seconds * 180.0) as u64);
        run.samples.push(Sample {
            at: Nanos::from_secs_f64(seconds),
            disks: vec![("sda".into(), counters)],
            cpu: CpuCounters { user, idle, ..Default::default() },
            ..Sample::default()
        });
    }
    run.complete = true;
    run
}

/// Counters at these times, as a kernel keeps them.
fn counters_at(ios: &[Io], times: &[f64]) -> Vec<DiskCounters> {
    let mut begun: Vec<f64> = ios.iter().map(|io| io.seen).collect();
    begun.sort_by(f64::total_cmp);
    let (mut first, mut last, mut now) = (0, 0, 0.0f64);
    let (mut queue, mut busy, mut waits) = (0.0f64, 0.0f64, [0.0f64; 2]);
    let mut total = DiskCounters::default();
    let mut found = Vec::with_capacity(times.len());
    for &time in times {
        loop {
            let start = begun.get(first).copied().unwrap_or(f64::INFINITY);
            let end = ios.get(last).map_or(f64::INFINITY, |io| io.done);
            let at = start.min(end).min(time);
            queue += (at - now) * (first - last) as f64;
            busy += if first > last { at - now } else { 0.0 };
            now = at;
            if start <= end && start < time {
                first += 1;
            } else if end < time {
                count(&mut total, &mut waits, &ios[last]);
                last += 1;
            } else {
                break;
            }
        }
        (total.read_ms, total.write_ms) = ((waits[0] * 1e3) as u64, (waits[1] * 1e3) as u64);
        (total.queue_ms, total.busy_ms) = ((queue * 1e3) as u64, (busy * 1e3) as u64);
        total.in_flight = (first - last) as u64;
        found.push(total);
    }
    found
}

fn count(total: &mut DiskCounters, waits: &mut [f64; 2], io: &Io) {
    waits[usize::from(io.write)] += io.done - io.seen;
    let sectors = io.bytes / 512;
    match io.write {
        true => {
            (total.writes, total.sectors_written) = (total.writes + 1, total.sectors_written + sectors);
        }
        false => (total.reads, total.sectors_read) = (total.reads + 1, total.sectors_read + sectors),
    }
}
