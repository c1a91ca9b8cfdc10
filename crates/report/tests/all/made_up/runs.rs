//! Made-up records: every second of a check of a capped volume, with histograms and the machine's counters.

use record::{
    CpuCounters, DeviceFacts, DirectionTotals, Distribution, Histogram, HostFacts, Interval, Note, OwnCpu,
    Run, Sample, StepRecord, Tally, TargetFacts, TargetKind, WorkerTotals,
};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Choice, Direction, Ending, FilePlan, Flush, Mix, Nanos,
    Pace, StepKind, StepPlan, StopRule, WorkerPlan,
};

/// A volume with two caps.
pub struct Volume {
    pub iops: f64,
    pub bytes_per_second: f64,
    pub read_ns: f64,
    pub write_ns: f64,
}

pub const GP3: Volume =
    Volume { iops: 3000.0, bytes_per_second: 131_072_000.0, read_ns: 612_000.0, write_ns: 831_000.0 };

impl Volume {
    /// Returns operations a second and mean latency in nanoseconds, by Little's law.
    pub fn at(&self, direction: Direction, depth: u32, block: u64) -> (f64, f64) {
        let base = if direction == Direction::Read { self.read_ns } else { self.write_ns };
        let open = f64::from(depth) / base * 1e9;
        let cap = self.iops.min(self.bytes_per_second / block.max(1) as f64);
        let rate = open.min(cap);
        (rate, f64::from(depth) / rate * 1e9)
    }
}

/// What a made-up step does.
pub struct MadeUpStep<'a> {
    pub name: &'a str,
    pub kind: StepKind,
    pub direction: Direction,
    pub depth: u32,
    pub block: u64,
    pub seconds: u64,
}

fn worker(asked: &MadeUpStep<'_>) -> WorkerPlan {
    let mix = if asked.direction == Direction::Read { Mix::READ } else { Mix::WRITE };
    WorkerPlan {
        job: asked.name.to_owned(),
        files: vec![FilePlan { path: "/mnt/data".into(), offset: Bytes(0), size: Bytes::gib(4) }],
        access: if asked.kind == StepKind::Layout { Access::sequential(mix) } else { Access::random(mix) },
        blocks: BlockSizes::all(Bytes(asked.block)),
        depth: asked.depth,
        pace: Pace::Closed,
        backend: BackendKind::IoUring,
        direct: true,
        buffers: Buffers::Unique,
        flush: if asked.direction == Direction::Flush { Flush::Every(1) } else { Flush::Never },
        verify: workload::Verify::Off,
        seed: 7,
        cpu: None,
        terms: workload::Terms::default(),
    }
}

fn plan(asked: &MadeUpStep<'_>) -> StepPlan {
    let choice = |what: &str, value: &str, reason: &str| Choice {
        what: what.to_owned(),
        value: value.to_owned(),
        reason: reason.to_owned(),
    };
    StepPlan {
        name: asked.name.to_owned(),
        kind: asked.kind,
        workers: if asked.kind == StepKind::Idle { Vec::new() } else { vec![worker(asked)] },
        stop: vec![StopRule::Certain {
            half_width: 0.005,
            least: Nanos::from_secs(4),
            most: Nanos::from_secs(7),
        }],
        ramp: Nanos::from_secs(1),
        interval: Nanos::SECOND,
        choices: vec![
            choice("backend", "io_uring", "the first of io_uring, libaio and pread that works here"),
            choice("region", "4 GiB", "a tenth of the 40 GiB that are free, and what can be written in 25 s"),
        ],
    }
}

/// Returns a small deterministic noise, -1 to 1.
fn noise(seed: u64) -> f64 {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn second(asked: &MadeUpStep<'_>, start: Nanos, seed: u64) -> Interval {
    let mut interval = Interval::empty(0, start, start + Nanos::SECOND);
    if asked.kind == StepKind::Idle {
        return interval;
    }
    let (rate, latency) = GP3.at(asked.direction, asked.depth, asked.block);
    let ops = (rate * (1.0 + 0.004 * noise(seed))).round() as u64;
    let mut histogram = Histogram::new();
    let mut tally = Tally::default();
    let bytes = if asked.direction == Direction::Flush { 0 } else { asked.block };
    for index in 0..ops {
        let wobble = noise(seed.wrapping_add(index * 31 + 1));
        let tail = if index % 97 == 0 { 2.1 } else { 1.0 + 0.2 * wobble };
        let time = (latency * tail) as u64;
        histogram.record(time);
        tally.count(bytes, time);
    }
    let part = &mut interval.directions[asked.direction.index()];
    part.latency = Distribution::of(&histogram, tally.latency_ns_min, tally.latency_ns_max);
    part.tally = tally;
    interval
}

/// Returns a step that starts at `start`, with a first second of ramp.
pub fn step(asked: &MadeUpStep<'_>, start: Nanos) -> StepRecord {
    let intervals: Vec<Interval> = (0..asked.seconds)
        .map(|index| {
            let at = start + Nanos::from_secs(index);
            let counted = index > 0 || asked.kind == StepKind::Layout;
            Interval { counted, ..second(asked, at, at.0 / 1_000_000 + index) }
        })
        .collect();
    let mut totals = DirectionTotals::default();
    for interval in intervals.iter().filter(|interval| interval.counted) {
        totals.tally.merge(&interval.of(asked.direction).tally);
        totals.latency.merge(&interval.of(asked.direction).latency);
    }
    let mut worker = WorkerTotals { started: start, ..WorkerTotals::default() };
    worker.directions[asked.direction.index()] = totals;
    let ramp = if asked.kind == StepKind::Layout { Nanos::ZERO } else { Nanos::SECOND };
    StepRecord {
        plan: plan(asked),
        started: start,
        counted_from: start + ramp,
        ended: start + Nanos::from_secs(asked.seconds),
        ending: Ending::Certain,
        jobs: vec![asked.name.to_owned()],
        intervals,
        workers: vec![worker],
        failures: Vec::new(),
        notes: vec![Note::Features {
            backend: BackendKind::IoUring,
            words: "registered buffers, registered files".to_owned(),
        }],
    }
}

fn asked_of_a_check() -> Vec<(String, StepKind, Direction, u32, u64, u64)> {
    use Direction::{Flush, Read, Write};
    let mut all = vec![
        ("idle".to_owned(), StepKind::Idle, Read, 1, 4096, 3),
        ("layout".to_owned(), StepKind::Layout, Write, 8, 1 << 20, 33),
        ("read latency".to_owned(), StepKind::Latency, Read, 1, 4096, 4),
        ("write latency".to_owned(), StepKind::Latency, Write, 1, 4096, 4),
        ("flush latency".to_owned(), StepKind::Latency, Flush, 1, 4096, 4),
    ];
    for depth in [1, 2, 4, 8, 16, 32, 64] {
        all.push((format!("depth {depth}"), StepKind::DepthLadder, Read, depth, 4096, 7));
    }
    for depth in [8, 32] {
        all.push((format!("write depth {depth}"), StepKind::DepthLadder, Write, depth, 4096, 6));
    }
    for kib in [16u64, 32, 64, 256, 1024] {
        all.push((format!("{kib} KiB reads"), StepKind::BlockLadder, Read, 8, kib << 10, 5));
    }
    for kib in [256u64, 1024] {
        all.push((format!("{kib} KiB writes"), StepKind::BlockLadder, Write, 8, kib << 10, 5));
    }
    all
}

fn sample(at: Nanos, steps: &[StepRecord]) -> Sample {
    let done: Vec<&Interval> =
        steps.iter().flat_map(|step| &step.intervals).filter(|interval| interval.end <= at).collect();
    let sum =
        |direction: Direction| done.iter().map(|interval| interval.of(direction).tally.ops).sum::<u64>();
    let bytes =
        |direction: Direction| done.iter().map(|interval| interval.of(direction).tally.bytes).sum::<u64>();
    let seconds = at.0 / 1_000_000_000;
    let disk = record::DiskCounters {
        reads: 91_000 + sum(Direction::Read) + seconds * 2,
        sectors_read: bytes(Direction::Read) / 512,
        writes: 12_000 + sum(Direction::Write) + seconds * 11,
        sectors_written: bytes(Direction::Write) / 512 + seconds * 88,
        flushes: sum(Direction::Flush),
        ..record::DiskCounters::default()
    };
    Sample {
        at,
        disks: vec![("nvme1n1".into(), disk)],
        cpu: CpuCounters {
            user: 100 + seconds * 9,
            system: 50 + seconds * 12,
            idle: 1000 + seconds * 174,
            iowait: seconds * 4,
            steal: seconds,
            ..CpuCounters::default()
        },
        own: OwnCpu { user_ns: seconds * 60_000_000, system_ns: seconds * 90_000_000 },
        ..Sample::default()
    }
}

/// Returns a `check` of a gp3 volume, two and a half minutes long.
pub fn gp3_check() -> Run {
    let words = ["plimsoll", "check", "/mnt/data", "--policy", "aws-gp3"];
    let mut run = Run::started(words.map(str::to_owned).to_vec(), 1_795_229_820_000);
    let mut at = Nanos::ZERO;
    for (name, kind, direction, depth, block, seconds) in asked_of_a_check() {
        run.steps.push(step(&MadeUpStep { name: &name, kind, direction, depth, block, seconds }, at));
        at = at + Nanos::from_secs(seconds) + Nanos::from_millis(40);
    }
    run.samples =
        (0..=at.0 / 1_000_000_000).map(|second| sample(Nanos::from_secs(second), &run.steps)).collect();
    run.host = Some(host());
    run.target = Some(target());
    run.policy = Some("aws-gp3".to_owned());
    run.complete = true;
    run
}

fn host() -> HostFacts {
    HostFacts {
        hostname: "db-7".into(),
        kernel: "6.18.44".into(),
        distribution: "Debian GNU/Linux 13 (trixie)".into(),
        cpu_model: "Intel(R) Xeon(R) Platinum 8259CL".into(),
        cpus: 2,
        memory: Bytes::gib(8),
        clocksource: "tsc".into(),
        clock_read_ns: 24.0,
        product: "Amazon EC2 m5.large".into(),
    }
}

pub fn target() -> TargetFacts {
    TargetFacts {
        filesystem: "ext4".into(),
        mount_point: "/mnt/data".into(),
        devices: vec![DeviceFacts {
            name: "nvme1n1".into(),
            number: (259, 1),
            size: Bytes::gib(100),
            model: "Amazon Elastic Block Store".into(),
            serial: "vol0a1b2c3d4e5f".into(),
            logical_block: Bytes(512),
            physical_block: Bytes(512),
            scheduler: "none".into(),
            queue_requests: 63,
            request_max: Bytes::kib(256),
            ..DeviceFacts::default()
        }],
        ..TargetFacts::made_up("/mnt/data", TargetKind::Directory, Bytes::gib(40))
    }
}

/// Returns a day of one job in intervals of a second: rates that fluctuate slowly, with a stall.
pub fn a_day() -> Run {
    let mut run = gp3_check();
    let asked = MadeUpStep {
        name: "soak",
        kind: StepKind::Job,
        direction: Direction::Read,
        depth: 8,
        block: 4096,
        seconds: 2,
    };
    let mut soak = step(&asked, Nanos::ZERO);
    let model = soak.intervals[1].clone();
    soak.intervals = (0..86_400u64)
        .map(|second| {
            let mut interval = Interval {
                start: Nanos::from_secs(second),
                end: Nanos::from_secs(second + 1),
                ..model.clone()
            };
            let breath = 0.9 + 0.1 * (second as f64 / 3000.0).sin() + 0.01 * noise(second);
            let tally = &mut interval.directions[0].tally;
            tally.ops = if second == 40_000 { 0 } else { (tally.ops as f64 * breath) as u64 };
            interval
        })
        .collect();
    soak.ended = Nanos::from_secs(86_400);
    run.steps = vec![soak];
    run.samples.clear();
    run
}
