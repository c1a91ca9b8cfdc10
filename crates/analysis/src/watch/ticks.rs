//! The intervals of one device, all figures at once, whether counted by plimsoll or printed by iostat.

use record::{CpuMetric, DiskCounters, Metric, Recording, Run, SECTOR, Sample};
use workload::{Direction, Nanos};

use super::shape::{DeviceFigures, Flow};

/// Reads, writes, or both together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Read,
    Write,
    Both,
}

impl Way {
    /// Reads, writes, then both.
    pub const ALL: [Way; 3] = [Way::Read, Way::Write, Way::Both];

    /// Returns the figure for this way, from one of reads and one of writes.
    pub fn of(self, [read, write]: [f64; 2]) -> f64 {
        match self {
            Way::Read => read,
            Way::Write => write,
            Way::Both => read + write,
        }
    }

    /// Returns the direction; `None` for both.
    pub fn direction(self) -> Option<Direction> {
        match self {
            Way::Read => Some(Direction::Read),
            Way::Write => Some(Direction::Write),
            Way::Both => None,
        }
    }
}

/// The figures of a device in one interval; NaN if not recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tick {
    /// Index of the interval in the recording.
    pub at: usize,
    pub from: Nanos,
    pub to: Nanos,
    pub seconds: f64,
    /// Reads and writes completed.
    pub ops: [f64; 2],
    /// Reads and writes that the kernel merged into others before the device saw them; 0 if not recorded.
    pub merged: [f64; 2],
    pub bytes: [f64; 2],
    /// Total wait of all reads, and of all writes, seconds.
    pub wait: [f64; 2],
    /// Mean queue.
    pub queue: f64,
    /// Share of the interval for which the device was busy.
    pub busy: f64,
    /// Requests in flight at the end of the interval.
    pub in_flight: f64,
    pub flushes: f64,
    /// Seconds that all flushes took, added up.
    pub flush_wait: f64,
    pub discards: Discards,
}

/// Discards in one interval: operations, bytes, and their times added up, seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Discards {
    pub ops: f64,
    pub bytes: f64,
    pub wait: f64,
}

impl Tick {
    /// Returns the number of reads and writes completed.
    pub fn all(&self) -> f64 {
        self.ops[0] + self.ops[1]
    }

    /// Whether nothing at all was completed.
    pub fn is_silent(&self) -> bool {
        self.all() + self.discards.ops == 0.0
    }
}

/// Returns the intervals in which the device `name` existed. Times are NaN if the kernel keeps none (`timed` false).
pub(crate) fn ticks(recording: &Recording<'_>, name: &str) -> Vec<Tick> {
    let mut found = match recording.counted(name) {
        Some(counted) => of_counters(recording, counted),
        None => printed(recording, name),
    };
    if !recording.is_timed(name) {
        for tick in &mut found {
            (tick.queue, tick.busy, tick.flush_wait) = (f64::NAN, f64::NAN, f64::NAN);
            tick.wait = [f64::NAN; 2];
        }
    }
    found
}

fn of_counters(recording: &Recording<'_>, counted: impl Iterator<Item = Option<DiskCounters>>) -> Vec<Tick> {
    let mut found = Vec::with_capacity(recording.intervals().len());
    let intervals = recording.intervals().iter().zip(counted).enumerate();
    let tick = |(at, (&(from, to), more)): (usize, (&(Nanos, Nanos), Option<DiskCounters>))| {
        let more = more?;
        let seconds = to.since(from).as_secs_f64();
        (seconds > 0.0).then(|| Tick {
            at,
            from,
            to,
            seconds,
            ops: [more.reads as f64, more.writes as f64],
            merged: [more.reads_merged as f64, more.writes_merged as f64],
            bytes: [more.sectors_read, more.sectors_written].map(|sectors| sectors as f64 * SECTOR as f64),
            wait: [more.read_ms as f64 / 1e3, more.write_ms as f64 / 1e3],
            queue: more.queue_ms as f64 / 1e3 / seconds,
            busy: more.busy_ms as f64 / 1e3 / seconds,
            in_flight: more.in_flight as f64,
            flushes: more.flushes as f64,
            flush_wait: more.flush_ms as f64 / 1e3,
            discards: Discards {
                ops: more.discards as f64,
                bytes: more.sectors_discarded as f64 * SECTOR as f64,
                wait: more.discard_ms as f64 / 1e3,
            },
        })
    };
    found.extend(intervals.filter_map(tick));
    found
}

/// Converts the figures that iostat printed back into totals of the interval.
fn printed(recording: &Recording<'_>, name: &str) -> Vec<Tick> {
    let of = |metric| figure(recording, name, metric);
    let rates = [of(Metric::ReadOps), of(Metric::WriteOps)];
    let awaits = [of(Metric::ReadAwait), of(Metric::WriteAwait)];
    totals(recording, name, |at, seconds, _| {
        let ops = rates.each_ref().map(|rate| rate(at) * seconds);
        Counted { ops, wait: [product(awaits[0](at), ops[0]), product(awaits[1](at), ops[1])] }
    })
}

/// Returns the intervals of a device of which another tool, such as sar, printed reads and writes as one sum of operations: each
/// gets as large a share of it as it has of the bytes.
pub(crate) fn undivided(recording: &Recording<'_>, name: &str) -> Vec<Tick> {
    let [rate, each] = [Metric::Ops, Metric::Await].map(|metric| figure(recording, name, metric));
    totals(recording, name, |at, seconds, bytes| {
        let all = bytes[0] + bytes[1];
        let ops = bytes.map(|part| rate(at) * seconds * if all > 0.0 { part / all } else { 0.5 });
        Counted { ops, wait: ops.map(|count| product(each(at), count)) }
    })
}

/// Returns a printed figure by the number of the interval; NaN if it is missing.
fn figure(recording: &Recording<'_>, name: &str, metric: Metric) -> impl Fn(usize) -> f64 + use<> {
    let series = recording.device(name, metric).unwrap_or_default();
    move |at| series.get(at).copied().unwrap_or(f64::NAN)
}

/// Operations of an interval and the seconds that they took, of reads and of writes.
struct Counted {
    ops: [f64; 2],
    wait: [f64; 2],
}

/// Returns the totals of each interval in which the operations are known: `counted` makes them from its number, its seconds and
/// the bytes of reads and writes.
fn totals(
    recording: &Recording<'_>,
    name: &str,
    counted: impl Fn(usize, f64, [f64; 2]) -> Counted,
) -> Vec<Tick> {
    let of = |metric| figure(recording, name, metric);
    let bytes = [of(Metric::ReadBytes), of(Metric::WriteBytes)];
    let [queue, busy] = [of(Metric::QueueDepth), of(Metric::Busy)];
    let [flushes, flush_await] = [of(Metric::FlushOps), of(Metric::FlushAwait)];
    let discarded = [Metric::DiscardOps, Metric::DiscardBytes, Metric::DiscardAwait].map(of);
    let discards = |at: usize, seconds: f64| {
        let ops = discarded[0](at) * seconds;
        Discards { ops, bytes: discarded[1](at) * seconds, wait: product(discarded[2](at), ops) }
    };
    let tick = |(at, &(from, to)): (usize, &(Nanos, Nanos))| {
        let seconds = to.since(from).as_secs_f64();
        let bytes = bytes.each_ref().map(|rate| rate(at) * seconds);
        let Counted { ops, wait } = counted(at, seconds, bytes);
        let flushes = flushes(at) * seconds;
        let there = seconds > 0.0 && ops.iter().all(|count| count.is_finite());
        there.then(|| Tick {
            at,
            from,
            to,
            seconds,
            ops,
            merged: [0.0; 2],
            bytes,
            wait,
            queue: queue(at),
            busy: busy(at),
            in_flight: f64::NAN,
            flushes,
            flush_wait: product(flush_await(at), flushes),
            discards: discards(at, seconds),
        })
    };
    recording.intervals().iter().enumerate().filter_map(tick).collect()
}

/// Multiplies a mean by a count; zero for a count of zero, for which no mean is printed.
fn product(mean: f64, count: f64) -> f64 {
    if count == 0.0 { 0.0 } else { mean * count }
}

/// The state of the machine in one interval; NaN if not recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub idle: f64,
    pub iowait: f64,
    pub steal: f64,
    /// Share of the interval in which some task waited for I/O; `full`: in which every task did.
    pub some: f64,
    pub full: f64,
    /// Bytes of memory waiting to be written at the end of the interval; `writeback`: being written.
    pub dirty: f64,
    pub writeback: f64,
}

/// Returns the state of the machine in each interval of the recording.
pub(crate) fn moments(run: &Run, recording: &Recording<'_>) -> Vec<Moment> {
    let count = recording.intervals().len();
    let cpu = |metric| recording.cpu(metric).unwrap_or_else(|| vec![f64::NAN; count]);
    let (idle, iowait, steal) = (cpu(CpuMetric::Idle), cpu(CpuMetric::Iowait), cpu(CpuMetric::Steal));
    let sampled = run.observed.is_none();
    let moment = |at: usize| {
        let pair = if sampled { run.samples.get(at..at + 2) } else { None };
        let (some, full) = pair.map_or((f64::NAN, f64::NAN), pressure);
        Moment {
            idle: idle[at],
            iowait: iowait[at],
            steal: steal[at],
            some,
            full,
            dirty: pair.map_or(f64::NAN, |pair| pair[1].memory.dirty as f64),
            writeback: pair.map_or(f64::NAN, |pair| pair[1].memory.writeback as f64),
        }
    };
    (0..count).map(moment).collect()
}

fn pressure(pair: &[Sample]) -> (f64, f64) {
    let seconds = pair[1].at.since(pair[0].at).as_secs_f64();
    let both = pair[0].pressure.zip(pair[1].pressure);
    both.map_or((f64::NAN, f64::NAN), |(before, after)| after.since(&before, seconds))
}

/// Totals over intervals; queue and busy are summed over their seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub seconds: f64,
    pub ops: [f64; 2],
    pub merged: [f64; 2],
    pub bytes: [f64; 2],
    pub wait: [f64; 2],
    pub queue: f64,
    pub busy: f64,
    pub queue_max: f64,
    pub flushes: f64,
    pub flush_wait: f64,
    pub discards: Discards,
}

impl Sum {
    /// Adds this share of `tick`.
    pub fn add(&mut self, tick: &Tick, share: f64) {
        self.seconds += tick.seconds * share;
        for way in 0..2 {
            self.ops[way] += tick.ops[way] * share;
            self.merged[way] += tick.merged[way] * share;
            self.bytes[way] += tick.bytes[way] * share;
            self.wait[way] += tick.wait[way] * share;
        }
        self.queue += tick.queue * tick.seconds * share;
        self.busy += tick.busy * tick.seconds * share;
        self.queue_max = if tick.queue.is_nan() { f64::NAN } else { self.queue_max.max(tick.queue) };
        self.flushes += tick.flushes * share;
        self.flush_wait += tick.flush_wait * share;
        self.discards.ops += tick.discards.ops * share;
        self.discards.bytes += tick.discards.bytes * share;
        self.discards.wait += tick.discards.wait * share;
    }

    /// Adds other totals.
    pub fn merge(&mut self, other: &Sum) {
        self.seconds += other.seconds;
        for way in 0..2 {
            self.ops[way] += other.ops[way];
            self.merged[way] += other.merged[way];
            self.bytes[way] += other.bytes[way];
            self.wait[way] += other.wait[way];
        }
        self.queue += other.queue;
        self.busy += other.busy;
        self.queue_max = self.queue_max.max(other.queue_max);
        self.flushes += other.flushes;
        self.flush_wait += other.flush_wait;
        self.discards.ops += other.discards.ops;
        self.discards.bytes += other.discards.bytes;
        self.discards.wait += other.discards.wait;
    }

    /// Returns the reads and writes per second.
    pub fn rate(&self) -> f64 {
        (self.ops[0] + self.ops[1]) / self.seconds
    }

    /// Returns the mean latency of reads and writes, seconds; NaN if there were none.
    pub fn latency(&self) -> f64 {
        self.latency_of(Way::Both)
    }

    /// Returns the mean latency of one direction, or of both, seconds.
    pub fn latency_of(&self, way: Way) -> f64 {
        way.of(self.wait) / way.of(self.ops)
    }

    /// Returns the mean bytes of a request.
    pub fn size(&self) -> f64 {
        (self.bytes[0] + self.bytes[1]) / (self.ops[0] + self.ops[1])
    }

    /// Returns the mean queue.
    pub fn mean_queue(&self) -> f64 {
        self.queue / self.seconds
    }

    /// Returns the share of the time in which something was in flight.
    pub fn mean_busy(&self) -> f64 {
        self.busy / self.seconds
    }

    fn flow(&self, way: Way) -> Flow {
        let (ops, bytes) = (way.of(self.ops), way.of(self.bytes));
        Flow {
            ops: known(ops / self.seconds).unwrap_or(0.0),
            bytes: known(bytes / self.seconds).unwrap_or(0.0),
            await_ns: known(self.latency_of(way) * 1e9),
            size: known(bytes / ops),
        }
    }

    /// Returns the discards; `None` if there were none.
    fn discarded(&self) -> Option<Flow> {
        let Discards { ops, bytes, wait } = self.discards;
        (ops > 0.0).then(|| Flow {
            ops: ops / self.seconds,
            bytes: known(bytes / self.seconds).unwrap_or(0.0),
            await_ns: known(wait / ops * 1e9),
            size: known(bytes / ops),
        })
    }

    /// Returns the totals as figures of the device `name`.
    pub fn figures(&self, name: &str) -> DeviceFigures {
        DeviceFigures {
            name: name.to_owned(),
            seconds: self.seconds,
            read: self.flow(Way::Read),
            write: self.flow(Way::Write),
            flushes: known(self.flushes / self.seconds),
            flush_ns: known(self.flush_wait / self.flushes * 1e9),
            queue: known(self.mean_queue()),
            queue_max: known(self.queue_max),
            busy: known(self.mean_busy()),
            discard: self.discarded(),
        }
    }
}

/// Returns the value if it is finite.
pub(crate) fn known(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Returns the share of `tick` that lies within `span`.
pub(crate) fn share_within(tick: (Nanos, Nanos), span: (Nanos, Nanos)) -> f64 {
    let overlap = tick.1.min(span.1).since(tick.0.max(span.0)).0 as f64;
    let length = tick.1.since(tick.0).0 as f64;
    let share = if length > 0.0 { overlap / length } else { 0.0 };
    assert!((0.0..=1.0).contains(&share), "no more of an interval than all of it");
    share
}
