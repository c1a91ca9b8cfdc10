//! Runs for the tests: one that can be understood at a glance, and random ones.

pub mod asked;

use proptest::collection::vec;
use proptest::prelude::*;
use record::{
    Along, CpuMetric, Damage, DeviceFacts, DeviceKind, DeviceNode, DirectionTotals, DiskCounters,
    Distribution, Event, EventKind, Figure, HeldIo, Histogram, HostFacts, Interval, IntervalDirection,
    IoFailure, IoTrace, LocalLimit, Measure, Metric, Mismatch, Note, ObservedDevice, ObservedMachine, Origin,
    Phase, PhaseKind, Pressure, ReportedDirection, ReportedLatency, ReportedPart, ReportedSeries, Run,
    Sample, Scope, Silence, SilenceStage, StepRecord, StoredFinding, Tally, TargetDoubt, TargetFacts,
    TargetKind, WorkerTotals,
};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Choice, Direction, Ending, FilePlan, Flush, Iops, Mix,
    Nanos, Pace, StepKind, StepPlan, StopRule, WorkerPlan,
};

/// Returns a plan of one worker of random access at `depth`, with intervals of a second.
pub fn plan(name: &str, mix: Mix, depth: u32) -> StepPlan {
    let worker = WorkerPlan {
        job: "load".to_owned(),
        files: vec![FilePlan { path: "/mnt/data".into(), offset: Bytes(0), size: Bytes::GIB }],
        access: Access::random(mix),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth,
        pace: Pace::Closed,
        backend: BackendKind::IoUring,
        direct: true,
        buffers: Buffers::Unique,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: u64::MAX,
        cpu: None,
        terms: workload::Terms::default(),
    };
    StepPlan {
        name: name.to_owned(),
        kind: StepKind::DepthLadder,
        workers: vec![worker],
        stop: vec![StopRule::Time(Nanos::from_secs(10))],
        ramp: Nanos::SECOND,
        interval: Nanos::SECOND,
        choices: vec![Choice { what: "backend".into(), value: "io_uring".into(), reason: "it works".into() }],
    }
}

/// Returns latencies as they are recorded, with their sums.
pub fn recorded(bytes: u64, latencies: &[u64]) -> IntervalDirection {
    let (mut tally, mut histogram) = (Tally::default(), Histogram::new());
    for &latency in latencies {
        tally.count(bytes, latency);
        histogram.record(latency);
    }
    IntervalDirection {
        tally,
        latency: Distribution::of(&histogram, tally.latency_ns_min, tally.latency_ns_max),
    }
}

/// Returns second `n` of a step that began at zero: `ops` reads of 4 KiB that took 1 ms each.
pub fn second(n: u64, ops: usize) -> Interval {
    let mut interval = Interval::empty(0, Nanos::from_secs(n), Nanos::from_secs(n + 1));
    interval.counted = n > 0;
    interval.directions[Direction::Read.index()] = recorded(4096, &vec![1_000_000; ops]);
    interval
}

/// Returns a run of one step of reads: a second of ramp and four that count, one of them a stall.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn plain() -> Run {
    let mut run =
        Run::started(vec!["plimsoll".into(), "check".into(), "/mnt/data".into()], 1_795_000_000_000);
    run.host = Some(HostFacts { hostname: "h".into(), cpus: 2, clock_read_ns: 24.5, ..HostFacts::default() });
    let mut target = TargetFacts::made_up("/mnt/data", TargetKind::Directory, Bytes::gib(20));
    target.devices = vec![DeviceFacts { name: "vdb".into(), number: (254, 16), ..DeviceFacts::default() }];
    run.target = Some(target);
    let intervals: Vec<Interval> =
        [900, 3000, 0, 3000, 3000].into_iter().zip(0..).map(|(ops, n)| second(n, ops)).collect();
    let mut sum = Interval::empty(0, Nanos::SECOND, Nanos::from_secs(5));
    intervals[1..].iter().for_each(|interval| sum.merge(interval));
    let mut worker =
        WorkerTotals { started: Nanos::SECOND, ended: Nanos::from_secs(5), ..Default::default() };
    let [read, ..] = sum.directions;
    worker.directions[0] =
        DirectionTotals { tally: read.tally, latency: read.latency, ..DirectionTotals::default() };
    run.steps = vec![StepRecord {
        plan: plan("depth 4", Mix::READ, 4),
        started: Nanos::ZERO,
        counted_from: Nanos::SECOND,
        ended: Nanos::from_secs(5),
        ending: Ending::Certain,
        jobs: vec!["load".into()],
        intervals,
        workers: vec![worker],
        failures: Vec::new(),
        notes: vec![Note::Features {
            backend: BackendKind::IoUring,
            words: "io_uring: registered buffers".into(),
        }],
    }];
    run.samples = (0..6).map(sample).collect();
    run.events =
        vec![Event { at: Nanos::from_secs(2), kind: EventKind::Warning, text: "the volume stalled".into() }];
    run.findings = vec![StoredFinding {
        kind: "iops_cap".into(),
        json: "{\"iops\":3000}".into(),
        sentence: "3,000 IOPS".into(),
    }];
    run.complete = true;
    run
}

/// Returns second `n` of a device that serves 3,000 reads of 4 KiB a second in 1 ms each.
pub fn sample(n: u64) -> Sample {
    let counters = DiskCounters {
        reads: 3000 * n,
        sectors_read: 24_000 * n,
        read_ms: 3000 * n,
        busy_ms: 1000 * n,
        queue_ms: 3000 * n,
        ..DiskCounters::default()
    };
    let mut sample =
        Sample { at: Nanos::from_secs(n), disks: vec![("vdb".into(), counters)], ..Sample::default() };
    sample.cpu.idle = 150 * n;
    sample.cpu.user = 50 * n;
    sample
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Zäß日 '\"\\\\,;%\n-]{0,12}"
}

fn nanos() -> impl Strategy<Value = Nanos> {
    (0u64..1 << 62).prop_map(Nanos)
}

fn part() -> impl Strategy<Value = IntervalDirection> {
    let latencies = prop_oneof![2 => Just(Vec::new()), 3 => vec(0u64..1 << 40, 1..20)];
    (latencies, 0u64..1 << 20, 0u64..3, 0u64..3).prop_map(|(latencies, bytes, errors, short)| {
        let mut part = recorded(bytes, &latencies);
        part.tally.errors = errors;
        part.tally.short = short;
        part
    })
}

fn four<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = [T; 4]> {
    vec(one, 4).prop_map(|all| all.try_into().unwrap())
}

fn interval(n: u64) -> impl Strategy<Value = Interval> {
    (four(part()), 0u16..3, any::<bool>(), any::<bool>(), [0u64..9, 0..1 << 40]).prop_map(
        move |(directions, job, counted, smeared, [late, waited])| Interval {
            directions,
            counted,
            smeared,
            late,
            waited: Nanos(waited),
            ..Interval::empty(job, Nanos::from_secs(n), Nanos::from_secs(n + 1))
        },
    )
}

fn totals() -> impl Strategy<Value = DirectionTotals> {
    (part(), part(), part()).prop_map(|(a, b, c)| DirectionTotals {
        tally: a.tally,
        latency: a.latency,
        service: b.latency,
        submission: c.latency,
    })
}

/// Returns an individually traced I/O.
fn traced(number: u64) -> IoTrace {
    IoTrace {
        due: Nanos(number),
        issued: Nanos(number + 1),
        done: Nanos(number + 2),
        offset: number,
        bytes: number as u32,
        file: 1,
        errno: 5,
        direction: Direction::ALL[number as usize % 4],
        counted: number.is_multiple_of(2),
    }
}

fn worker() -> impl Strategy<Value = WorkerTotals> {
    (0u16..3, nanos(), four(totals()), vec(0u64..1 << 60, 28)).prop_map(|(job, started, directions, n)| {
        let seven = |from: usize| std::array::from_fn(|i| n[from + i]);
        WorkerTotals {
            job,
            started,
            ended: started + Nanos(n[0]),
            directions,
            user_cpu_ns: n[1],
            system_cpu_ns: n[2],
            run_delay_ns: n[27],
            context_switches: n[3],
            ios: n[..n[5] as usize % 3].iter().map(|&number| traced(number)).collect(),
            major_faults: n[4],
            minor_faults: n[5],
            depth_counts: seven(7),
            submit_counts: seven(14),
            complete_counts: seven(21),
            late: n[6],
            late_ns_max: n[0],
            ending: [None, Some(Ending::Time), Some(Ending::Failed)][n[7] as usize % 3],
            first_errno: (n[8] % 2 == 0).then_some(5),
            unissued: n[9],
            untraced: n[10],
            // A run file does not keep it.
            read_back: None,
            files: if n[11] % 2 == 0 { Vec::new() } else { vec![Default::default(); 2] },
        }
    })
}

fn failure() -> impl Strategy<Value = IoFailure> {
    (nanos(), 0usize..4, text(), any::<u64>(), any::<u32>(), any::<i32>()).prop_map(
        |(at, direction, path, offset, bytes, errno)| IoFailure {
            at,
            direction: Direction::ALL[direction],
            path,
            offset,
            bytes,
            errno,
        },
    )
}

fn stop() -> impl Strategy<Value = StopRule> {
    let certain = (0.0001f64..1.0, nanos()).prop_map(|(half_width, most)| StopRule::Certain {
        half_width,
        least: Nanos(1),
        most,
    });
    prop_oneof![
        nanos().prop_map(StopRule::Time),
        any::<u64>().prop_map(StopRule::OpsEach),
        any::<u64>().prop_map(|bytes| StopRule::BytesEach(Bytes(bytes))),
        certain,
    ]
}

fn planned() -> impl Strategy<Value = StepPlan> {
    (text(), 0u8..=100, 0u32..300, vec(stop(), 1..3), 0.001f64..1e9, any::<bool>()).prop_map(
        |(name, reads, depth, stop, rate, flushes)| {
            let mut plan = StepPlan { stop, ..plan(&name, Mix::reads(reads), depth) };
            plan.workers[0].pace = Pace::Poisson(Iops(rate));
            if flushes {
                plan.workers[0].flush = Flush::Every(7);
            }
            plan
        },
    )
}

fn step() -> impl Strategy<Value = StepRecord> {
    const ENDINGS: [Ending; 6] = [
        Ending::Time,
        Ending::Amount,
        Ending::Certain,
        Ending::Uncertain,
        Ending::Interrupted,
        Ending::Failed,
    ];
    let intervals = (0u64..6).prop_flat_map(|n| (0..n).map(interval).collect::<Vec<_>>());
    (
        planned(),
        [nanos(), nanos(), nanos()],
        0..ENDINGS.len(),
        (vec(text(), 0..3), vec(note(), 0..8)),
        intervals,
        vec(worker(), 0..3),
        vec(failure(), 0..3),
    )
        .prop_map(
            |(plan, [started, counted_from, ended], ending, (jobs, notes), intervals, workers, failures)| {
                let ending = ENDINGS[ending];
                StepRecord {
                    plan,
                    started,
                    counted_from,
                    ended,
                    ending,
                    jobs,
                    intervals,
                    workers,
                    failures,
                    notes,
                }
            },
        )
}

fn counted() -> impl Strategy<Value = Sample> {
    (nanos(), vec(0u64..1 << 62, 32), 0usize..4).prop_map(|(at, n, disks)| {
        let counters =
            DiskCounters { reads: n[0], in_flight: n[1], flush_ms: n[2], ..DiskCounters::default() };
        let mut sample = Sample { at, ..Sample::default() };
        // Devices come and go, and change their positions.
        sample.disks =
            (0..disks).map(|i| (format!("sd{}", (i + n[13] as usize) % 5).into(), counters)).collect();
        sample.cpu.user = n[3];
        sample.cpu.steal = n[4];
        sample.memory.total = n[5];
        sample.memory.writeback = n[6];
        sample.own.system_ns = n[7];
        sample.wall_unix_ms = n[8];
        sample.blocked = n[9] as u32;
        sample.command = (n[14] % 2 == 0).then(|| record::CommandCounters {
            looks: n[14],
            storage_ns: n[15],
            write_bytes: n[16],
            places: vec![("loop1".to_owned(), n[17])],
            ..record::CommandCounters::default()
        });
        sample.pressure = (n[10] % 2 == 0).then_some(Pressure { some_us: n[11], full_us: n[12] });
        sample
    })
}

fn host() -> impl Strategy<Value = HostFacts> {
    (text(), any::<u32>(), 0u64..1 << 62, 0.0f64..1e6).prop_map(|(hostname, cpus, memory, clock_read_ns)| {
        HostFacts {
            cpu_model: hostname.clone(),
            hostname,
            cpus,
            memory: Bytes(memory),
            clock_read_ns,
            ..HostFacts::default()
        }
    })
}

/// Generates every kind of doubt.
fn doubt() -> impl Strategy<Value = TargetDoubt> {
    (0usize..19, text(), text()).prop_map(|(kind, one, other)| {
        let (filesystem, device) = (one.clone(), one.clone());
        match kind {
            0 => TargetDoubt::MemoryFilesystem { filesystem },
            1 => TargetDoubt::StackedFilesystem { filesystem },
            2 => TargetDoubt::NetworkFilesystem { filesystem, source: other },
            3 => TargetDoubt::ServedByProgram { filesystem },
            4 => TargetDoubt::OwnCache { filesystem },
            5 => TargetDoubt::Compresses { filesystem, option: other },
            6 => TargetDoubt::MountedReadOnly { mount_point: one },
            7 => TargetDoubt::NoDirectIo,
            8 => TargetDoubt::CompressedMemory { device },
            9 => TargetDoubt::MemoryDevice { device },
            10 => TargetDoubt::StoresNothing { device },
            11 => TargetDoubt::CacheInFront { device },
            12 => TargetDoubt::ThroughPageCache { device },
            13 => TargetDoubt::Encrypted { device },
            14 => TargetDoubt::ArrayBusy { device, action: other },
            15 => TargetDoubt::ArrayDegraded { device },
            16 => TargetDoubt::ReadOnlyDevice { device },
            17 => TargetDoubt::Silent { device },
            _ => TargetDoubt::Other { words: one },
        }
    })
}

/// Generates every kind of note.
fn note() -> impl Strategy<Value = Note> {
    (0usize..6, text(), any::<u64>(), any::<u32>()).prop_map(|(kind, text, offset, bytes)| match kind {
        0 => Note::Features { backend: BackendKind::Libaio, words: text },
        1 => Note::Silence(Silence {
            stage: SilenceStage::GivenUp,
            at: Nanos(offset),
            lasted: Nanos(offset),
            path: text,
            direction: Direction::Write,
            offset,
            bytes,
            others: 3,
            patience: Nanos(offset),
        }),
        2 => Note::Held(HeldIo {
            direction: Direction::Read,
            bytes,
            offset,
            path: text,
            waited: Nanos(offset),
        }),
        3 => Note::Mismatch(Mismatch {
            what: damage(bytes, offset),
            path: text,
            offset,
            io_offset: offset,
            io_bytes: bytes,
        }),
        4 => Note::CutOff,
        _ => Note::Other { words: text },
    })
}

fn damage(small: u32, large: u64) -> Damage {
    match small % 6 {
        0 => Damage::NoHeader { wanted: large, found: !large },
        1 => Damage::Corrupted { wanted: large, found: !large },
        2 => Damage::Misplaced { file: small, offset: large },
        3 => Damage::Stale { wanted: small, found: !small },
        4 => Damage::OtherRun,
        _ => Damage::NotThePattern { at: large, wanted: 1, found: 2 },
    }
}

fn target() -> impl Strategy<Value = TargetFacts> {
    const KINDS: [TargetKind; 6] = [
        TargetKind::Directory,
        TargetKind::File,
        TargetKind::BlockDevice,
        TargetKind::Lab,
        TargetKind::Simulated,
        TargetKind::Null,
    ];
    (text(), 0..KINDS.len(), any::<u64>(), 0usize..3, vec(doubt(), 0..20)).prop_map(
        |(words, kind, available, devices, doubts)| {
            let device = |n: usize| DeviceFacts {
                name: words.clone(),
                number: (n as u32, u32::MAX),
                rotational: n == 1,
                ..DeviceFacts::default()
            };
            let mut facts = TargetFacts::made_up(&words, KINDS[kind], Bytes(available));
            facts.devices = (0..devices).map(device).collect();
            facts.doubts = doubts;
            facts.reads_only = devices == 1;
            facts.unwritten_share = (devices > 0).then_some(1.0 / 3.0);
            facts.cached_share = (devices > 1).then_some(0.0);
            facts
        },
    )
}

fn origin() -> impl Strategy<Value = Origin> {
    let imported = (text(), vec(text(), 0..3)).prop_map(|(tool, lacks)| Origin::Imported { tool, lacks });
    prop_oneof![Just(Origin::Measured), imported]
}

fn event() -> impl Strategy<Value = Event> {
    const KINDS: [EventKind; 4] =
        [EventKind::Note, EventKind::Warning, EventKind::Failure, EventKind::Interrupt];
    (nanos(), 0..KINDS.len(), text()).prop_map(|(at, kind, text)| Event { at, kind: KINDS[kind], text })
}

fn node() -> impl Strategy<Value = DeviceNode> {
    const KINDS: [DeviceKind; 4] = [DeviceKind::Disk, DeviceKind::Lvm, DeviceKind::Path, DeviceKind::Zram];
    let kind =
        prop_oneof![text().prop_map(DeviceKind::Md), (0..KINDS.len()).prop_map(|at| KINDS[at].clone())];
    (text(), kind, vec(text(), 0..3), any::<bool>(), any::<u32>()).prop_map(
        |(name, kind, below, timed, n)| DeviceNode {
            facts: DeviceFacts {
                name: name.clone(),
                number: (n, 7),
                size: Bytes(u64::from(n) << 9),
                ..DeviceFacts::default()
            },
            kind,
            mounted: below.concat(),
            below,
            alias: name.clone(),
            description: name,
            timed,
        },
    )
}

fn limit() -> impl Strategy<Value = LocalLimit> {
    (text(), text(), any::<u64>()).prop_map(|(group, device, value)| LocalLimit {
        group,
        device,
        what: "riops".to_owned(),
        value,
    })
}

fn phase() -> impl Strategy<Value = Phase> {
    let kind = prop_oneof![
        Just(PhaseKind::Idle),
        (text(), proptest::option::of(0.001f64..100.0))
            .prop_map(|(step, scale)| PhaseKind::Load { step, scale }),
        proptest::option::of(any::<i32>()).prop_map(|code| PhaseKind::Command { code }),
    ];
    (text(), kind, nanos(), nanos()).prop_map(|(name, kind, from, to)| Phase { name, kind, from, to })
}

/// Generates observations without NaN, which equals nothing; a test of its own covers it.
fn observed() -> impl Strategy<Value = ObservedMachine> {
    let value = -1e12f64..1e12;
    (text(), vec((nanos(), nanos()), 0..4), vec(text(), 0..3), vec(value, 16)).prop_map(
        |(source, intervals, names, values)| {
            let series = |from: usize| values[from..from + intervals.len()].to_vec();
            let metrics = vec![(Metric::InFlight, series(0)), (Metric::ReadOps, series(4))];
            let device = |name| ObservedDevice { name, metrics: metrics.clone() };
            let cpu = vec![(CpuMetric::Steal, series(8)), (CpuMetric::Idle, series(12))];
            let devices = names.into_iter().map(device).collect();
            ObservedMachine { source, cpu, devices, intervals: intervals.clone() }
        },
    )
}

/// Generates whole numbers, which JSON returns to the last bit.
fn figure() -> impl Strategy<Value = Figure> {
    (any::<u32>(), text()).prop_map(|(value, printed)| Figure::exact(f64::from(value), printed))
}

fn reported() -> impl Strategy<Value = ReportedPart> {
    let latency =
        (figure(), vec((any::<u32>(), any::<u32>()), 0..3)).prop_map(|(mean, bins)| ReportedLatency {
            mean: Some(mean),
            bins: bins.into_iter().map(|(ns, count)| (u64::from(ns), u64::from(count))).collect(),
            ..ReportedLatency::default()
        });
    let points = vec((any::<u64>(), any::<u32>().prop_map(f64::from)), 0..4);
    (text(), proptest::option::of(figure()), latency, vec(points, 0..3)).prop_map(
        |(job, iops, latency, series)| {
            let direction = ReportedDirection {
                direction: Some(Direction::Write),
                iops,
                latencies: vec![latency],
                ..ReportedDirection::default()
            };
            let series = series.into_iter().map(|points| ReportedSeries {
                measure: Measure::Iops,
                direction: None,
                along: Along::Time,
                points,
                histograms: vec![(1, vec![(2, 3)])],
                source: String::new(),
            });
            let directions = vec![direction];
            ReportedPart { directions, series: series.collect(), ..ReportedPart::named(Scope::Job, job, 1) }
        },
    )
}

fn process(name: &str) -> record::ProcessLoad {
    let devices = vec![name.to_owned()];
    record::ProcessLoad { pid: 7, name: name.to_owned(), read_bytes: 1 << 40, devices, ..Default::default() }
}

/// Generates any run at all.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn any_run() -> impl Strategy<Value = Run> {
    let finding =
        (text(), text(), text()).prop_map(|(kind, json, sentence)| StoredFinding { kind, json, sentence });
    let words = (text(), vec(text(), 0..4), proptest::option::of(text()), proptest::option::of(text()));
    let head = (words, any::<u64>(), origin(), proptest::option::of(host()), proptest::option::of(target()));
    let body =
        (vec(step(), 0..3), vec(counted(), 0..4), vec(event(), 0..3), vec(finding, 0..3), any::<bool>());
    let machine = (
        vec(node(), 0..4),
        vec(limit(), 0..3),
        vec(phase(), 0..3),
        proptest::option::of(observed()),
        asked::asked(),
    );
    let body = (body, vec(reported(), 0..3), machine);
    (head, body).prop_map(|(head, ((steps, samples, events, findings, complete), reported, machine))| {
        let (devices, limits, phases, observed, asked) = machine;
        let ((version, words, policy, expectation), started_unix_ms, origin, host, target) = head;
        Run {
            exceeded: devices
                .iter()
                .map(|one| record::ExceededWhile { device: one.facts.name.clone(), ..Default::default() })
                .collect(),
            processes: record::ProcessLoads {
                most: words.iter().map(|name| process(name)).collect(),
                hidden: words.len() as u32,
            },
            devices,
            limits,
            phases,
            observed,
            version,
            words,
            started_unix_ms,
            started_unix_ns: (started_unix_ms % 3 == 1).then_some(started_unix_ms >> 2),
            origin,
            host,
            target,
            policy,
            own_policies: expectation.iter().map(|words| ("own.toml".to_owned(), words.clone())).collect(),
            expectation,
            asked,
            forecast: (started_unix_ms % 2 == 1).then_some(workload::Nanos(started_unix_ms >> 1)),
            steps,
            reported,
            samples,
            columns: record::DiskColumns::default(),
            events,
            findings,
            complete,
            still_running: None,
        }
    })
}
