//! Loads of programs, what a volume makes of them, and the counters that a watch records meanwhile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::Volume;
use record::{DeviceFacts, DeviceNode, DiskCounters, Run, Sample};
use statistics::Stream;
use volumes::SimulatedVolume;
use workload::{Bytes, Direction, Io, Nanos, PolicyName};

/// Blocks among which offsets are drawn.
const BLOCKS: f64 = 1e6;

/// One I/O: when it came and when it was done, in seconds.
#[derive(Clone, Copy)]
pub struct Happened {
    pub arrived: f64,
    pub done: f64,
    write: bool,
    bytes: u32,
}

/// What a program asks for at a time.
#[derive(Clone, Copy)]
struct Asked {
    /// When it comes; in a closed program, how long it thinks before it asks, on average.
    at: f64,
    write: bool,
    bytes: u32,
}

/// Programs: one that does not wait for its I/O, or one that keeps as many I/Os in flight as it may.
enum Program {
    Open(Vec<Asked>),
    /// Batches: seconds of rest before each, its I/Os, and its depth.
    Closed(Vec<(f64, Vec<Asked>, usize)>),
}

/// A load.
pub struct Load {
    program: Program,
    words: String,
}

/// Lengths in bytes with their shares.
const LENGTHS: [&[(u32, f64)]; 7] = [
    &[(4096, 1.0)],
    &[(16384, 1.0)],
    &[(4096, 0.7), (65536, 0.3)],
    &[(4096, 0.9), (524_288, 0.1)],
    &[(8192, 0.5), (131_072, 0.5)],
    &[(262_144, 1.0)],
    &[(65536, 0.8), (1_048_576, 0.2)],
];

struct Drawn {
    random: Stream,
    lengths: &'static [(u32, f64)],
    writes: f64,
}

impl Drawn {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random.unit_f64()
    }

    /// Returns a number between two, evenly by its logarithm.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    fn asked(&mut self, at: f64) -> Asked {
        let write = self.random.unit_f64() < self.writes;
        let mut left = self.random.unit_f64();
        let mut bytes = self.lengths[0].0;
        for (length, share) in self.lengths {
            bytes = *length;
            left -= share;
            if left < 0.0 {
                break;
            }
        }
        Asked { at, write, bytes }
    }

    /// Returns arrivals by chance at a rate that `rate` gives for each time.
    fn arrivals(&mut self, seconds: f64, most: f64, rate: impl Fn(f64) -> f64) -> Vec<Asked> {
        let (mut at, mut all) = (0.0, Vec::new());
        loop {
            at += self.random.exponential(1.0 / most);
            if at >= seconds {
                return all;
            }
            if self.random.unit_f64() * most < rate(at) {
                all.push(self.asked(at));
            }
        }
    }

    fn open(&mut self, kind: usize) -> Program {
        let seconds = self.between(120.0, 600.0).round();
        // Large I/Os come less often.
        let mean: f64 = self.lengths.iter().map(|(length, share)| f64::from(*length) * share).sum();
        let most = self.scale(100.0, (2e8 / mean).clamp(150.0, 5000.0));
        let (share, period) = (self.between(0.02, 0.5), self.scale(3.0, 120.0));
        let low = self.between(0.0, 0.3);
        Program::Open(match kind {
            // Steady.
            0 => self.arrivals(seconds, most, |_| most),
            // On and off, for seconds and for parts of one.
            1 => self.arrivals(
                seconds,
                most,
                |at| if at % period < share * period { most } else { low * most },
            ),
            2 => {
                let short = period / 60.0;
                self.arrivals(seconds, most, |at| if at % short < share * short { most } else { low * most })
            }
            // A day in minutes.
            3 => self.arrivals(seconds, most, |at| {
                most * (1.0 + low - (at / seconds * std::f64::consts::TAU).cos()) / (2.0 + low)
            }),
            // One peak.
            _ => {
                let from = self.between(0.0, seconds * 0.8);
                let to = from + seconds * share * 0.4;
                self.arrivals(seconds, most, |at| if (from..to).contains(&at) { most } else { low * most })
            }
        })
    }

    fn closed(&mut self) -> Program {
        let depth = self.scale(1.0, 32.0).round() as usize;
        let batches = self.between(5.0, 60.0) as usize;
        let batch = |drawn: &mut Drawn| {
            let count = drawn.scale(50.0, 8000.0) as usize;
            let rest = drawn.scale(0.3, 20.0);
            let think = if drawn.random.unit_f64() < 0.5 { 0.0 } else { drawn.scale(1e-4, 1e-2) };
            (rest, (0..count).map(|_| drawn.asked(think)).collect(), depth)
        };
        Program::Closed((0..batches).map(|_| batch(self)).collect())
    }
}

impl Load {
    fn from(number: usize, of: u64) -> Drawn {
        let mut random = Stream::new(of, number as u64);
        let lengths = LENGTHS[number % LENGTHS.len()];
        let writes = [0.0, 1.0, 0.3, 0.6][(random.unit_f64() * 4.0) as usize % 4];
        Drawn { random, lengths, writes }
    }

    /// Draws a load: two of three are open.
    pub fn drawn(number: usize) -> Load {
        let mut drawn = Load::from(number, 0x6c_6f_61);
        let program = if number % 3 == 2 { drawn.closed() } else { drawn.open(number % 5) };
        Load { program, words: format!("load {number}") }
    }

    /// Draws a closed load that asks for as much as it can get, of 4 KiB.
    pub fn pressing(number: usize) -> Load {
        let mut drawn = Load::from(number, 0x70_72_65);
        drawn.lengths = LENGTHS[0];
        let depth = drawn.scale(4.0, 64.0).round() as usize;
        let asked = (0..60_000).map(|_| drawn.asked(0.0)).collect();
        Load { program: Program::Closed(vec![(1.0, asked, depth)]), words: format!("pressing load {number}") }
    }

    pub fn words(&self) -> &str {
        &self.words
    }

    pub fn is_closed(&self) -> bool {
        matches!(self.program, Program::Closed(_))
    }

    /// Returns the number of I/Os.
    pub fn amount(&self) -> f64 {
        match &self.program {
            Program::Open(asked) => asked.len() as f64,
            Program::Closed(batches) => batches.iter().map(|batch| batch.1.len() as f64).sum(),
        }
    }

    /// Runs the load on the simulated volume of these words; returns its I/Os in the order in which they came.
    pub fn on(&self, words: &str) -> Vec<Happened> {
        let mut volume = SimulatedVolume::new(&PolicyName::parse(words).unwrap()).unwrap();
        let mut places = Stream::new(7, 7);
        let mut serve = |at: f64, asked: &Asked| {
            let io = Io {
                slot: 0,
                kind: if asked.write { Direction::Write } else { Direction::Read },
                file: 0,
                // Two I/Os never follow each other.
                offset: (places.unit_f64() * BLOCKS) as u64 * Bytes::MIB.0 / 16 + Bytes::MIB.0,
                bytes: asked.bytes,
                due: Nanos::from_secs_f64(at),
            };
            let done = volume.serve(Nanos::from_secs_f64(at), &io).done_at.as_secs_f64();
            Happened { arrived: at, done, write: asked.write, bytes: asked.bytes }
        };
        match &self.program {
            Program::Open(asked) => asked.iter().map(|asked| serve(asked.at, asked)).collect(),
            Program::Closed(batches) => {
                let (mut now, mut all) = (0.0f64, Vec::new());
                for (rest, asked, depth) in batches {
                    now += rest;
                    // Times in nanoseconds at which a slot asks again.
                    let mut free: BinaryHeap<Reverse<u64>> =
                        (0..*depth).map(|_| Reverse((now * 1e9) as u64)).collect();
                    for asked in asked {
                        let Reverse(at) = free.pop().unwrap();
                        let happened = serve(at as f64 / 1e9, asked);
                        free.push(Reverse(((happened.done + asked.at) * 1e9).ceil() as u64));
                        now = now.max(happened.done);
                        all.push(happened);
                    }
                }
                all
            }
        }
    }
}

/// Records what happened as a watch does: the kernel's counters of one disk after each `every` seconds.
pub fn record(happened: &[Happened], every: f64) -> Run {
    let end = happened.iter().map(|io| io.done).fold(0.0, f64::max);
    let bins = (end / every).ceil() as usize + 1;
    let mut counted = vec![DiskCounters::default(); bins + 1];
    let (mut busy, mut queue) = (vec![0.0; bins + 1], vec![0.0; bins + 1]);
    let mut waits = vec![[0.0; 2]; bins + 1];
    let spread = |into: &mut Vec<f64>, mut from: f64, to: f64| {
        while from < to {
            let at = (from / every) as usize + 1;
            let until = (at as f64 * every).min(to);
            into[at.min(bins)] += until - from;
            from = if until > from { until } else { to };
        }
    };
    let mut edge = 0.0f64;
    for io in happened {
        let at = ((io.done / every) as usize + 1).min(bins);
        let one = &mut counted[at];
        let sectors = u64::from(io.bytes / 512);
        if io.write {
            (one.writes, one.sectors_written) = (one.writes + 1, one.sectors_written + sectors);
        } else {
            (one.reads, one.sectors_read) = (one.reads + 1, one.sectors_read + sectors);
        }
        waits[at][usize::from(io.write)] += io.done - io.arrived;
        spread(&mut queue, io.arrived, io.done);
        spread(&mut busy, io.arrived.max(edge), io.done);
        edge = edge.max(io.done);
    }
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_700_000_000_000);
    let facts = DeviceFacts { name: "vdb".into(), queue_requests: 1023, ..DeviceFacts::default() };
    run.devices.push(DeviceNode { facts, timed: true, ..DeviceNode::default() });
    let mut total = DiskCounters::default();
    let mut sums = [0.0f64; 4];
    for at in 0..=bins {
        let one = counted[at];
        total.reads += one.reads;
        total.writes += one.writes;
        total.sectors_read += one.sectors_read;
        total.sectors_written += one.sectors_written;
        for (sum, more) in sums.iter_mut().zip([waits[at][0], waits[at][1], queue[at], busy[at]]) {
            *sum += more;
        }
        let [read, write, queue, busy] = sums.map(|seconds| (seconds * 1e3) as u64);
        (total.read_ms, total.write_ms, total.queue_ms, total.busy_ms) = (read, write, queue, busy);
        let now = at as f64 * every;
        let begun = happened.partition_point(|io| io.arrived <= now);
        let ended = happened[..begun].iter().filter(|io| io.done <= now).count();
        total.in_flight = (begun - ended) as u64;
        run.samples.push(Sample {
            at: Nanos::from_secs_f64(now),
            disks: vec![("vdb".into(), total)],
            ..Sample::default()
        });
    }
    run.complete = true;
    run
}
