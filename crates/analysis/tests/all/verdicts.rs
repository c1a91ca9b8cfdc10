//! Verdicts on made-up runs: each test says what the volume did and what must be said of it.
#![allow(clippy::unwrap_used)]

use analysis::findings::{BandwidthCap, Crossover, FillingDepth, IopsCap};
use analysis::{Answer, Doubt, Meaning, Quantity, Reading, Verdict, analyse};
use policy::Limits;
use record::{
    DirectionTotals, Distribution, Histogram, Interval, Run, StepRecord, Tally, TargetDoubt, TargetFacts,
    TargetKind, WorkerTotals,
};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, Ending, Expectation, FilePlan, Flush, Mix,
    Nanos, Pace, PolicyName, StepKind, StepPlan, StopRule, WorkerPlan,
};

/// One step: what was asked, and how the volume served it.
#[derive(Clone)]
pub(crate) struct ServedStep {
    kind: StepKind,
    direction: Direction,
    depth: u32,
    block: Bytes,
    iops: f64,
    seconds: u64,
}

impl ServedStep {
    /// Reads for 6 s.
    pub(crate) fn reads(kind: StepKind, depth: u32, block: Bytes, iops: f64) -> ServedStep {
        ServedStep { kind, direction: Direction::Read, depth, block, iops, seconds: 6 }
    }

    /// The same as writes.
    pub(crate) fn written(self) -> ServedStep {
        ServedStep { direction: Direction::Write, ..self }
    }
}

/// A run of steps one after the other, each served at an even rate.
pub(crate) fn run_of(steps: &[ServedStep]) -> Run {
    let mut run = Run::started(vec!["plimsoll".into(), "check".into()], 0);
    let mut at = Nanos::ZERO;
    for served in steps {
        run.steps.push(record_of(served, at));
        at += Nanos::from_secs(served.seconds);
    }
    run.complete = true;
    run
}

fn record_of(served: &ServedStep, started: Nanos) -> StepRecord {
    let ended = started + Nanos::from_secs(served.seconds);
    let latency = (f64::from(served.depth) / served.iops * 1e9) as u64;
    let second = part(served, latency, served.iops as u64);
    let total = part(served, latency, served.iops as u64 * served.seconds);
    let intervals = (0..served.seconds).map(|at| {
        let start = started + Nanos::from_secs(at);
        let mut interval = Interval::empty(0, start, start + Nanos::SECOND);
        interval.directions[served.direction.index()].tally = second.tally;
        interval.directions[served.direction.index()].latency = second.latency.clone();
        interval
    });
    let mut worker = WorkerTotals { started, ended, ..WorkerTotals::default() };
    worker.directions[served.direction.index()] = total;
    StepRecord {
        plan: plan_of(served),
        started,
        counted_from: started,
        ended,
        ending: Ending::Certain,
        jobs: vec!["j".into()],
        intervals: intervals.collect(),
        workers: vec![worker],
        failures: vec![],
        notes: vec![],
    }
}

fn part(served: &ServedStep, latency: u64, ops: u64) -> DirectionTotals {
    let mut histogram = Histogram::new();
    (0..ops).for_each(|_| histogram.record(latency));
    DirectionTotals {
        tally: Tally {
            ops,
            bytes: ops * served.block.0,
            latency_ns_sum: ops * latency,
            latency_ns_min: latency,
            latency_ns_max: latency,
            ..Tally::default()
        },
        latency: Distribution::of(&histogram, latency, latency),
        ..DirectionTotals::default()
    }
}

fn plan_of(served: &ServedStep) -> StepPlan {
    let mix = if served.direction == Direction::Write { Mix::WRITE } else { Mix::READ };
    let worker = WorkerPlan {
        job: "j".into(),
        files: vec![FilePlan { path: "/t".into(), offset: Bytes(0), size: Bytes::GIB }],
        access: Access::random(mix),
        blocks: BlockSizes::all(served.block),
        depth: served.depth,
        pace: Pace::Closed,
        backend: BackendKind::Simulated,
        direct: true,
        buffers: Buffers::Unique,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: 1,
        cpu: None,
        terms: workload::Terms::default(),
    };
    StepPlan {
        name: format!("{:?} {} {} {}", served.kind, served.direction.name(), served.depth, served.block),
        kind: served.kind,
        workers: vec![worker],
        stop: vec![StopRule::Time(Nanos::from_secs(served.seconds))],
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: vec![],
    }
}

/// The steps of a `check` on a volume with these caps and this base latency, in both directions.
pub(crate) fn checked(cap_iops: f64, cap_bytes: f64, base_s: f64) -> Vec<ServedStep> {
    let rate =
        |depth: u32, block: Bytes| (f64::from(depth) / base_s).min(cap_iops).min(cap_bytes / block.0 as f64);
    let mut steps = Vec::new();
    let mut push = |kind, direction, depth, block| {
        steps.push(ServedStep {
            kind,
            direction,
            depth,
            block,
            iops: rate(depth, block).floor(),
            seconds: 6,
        });
    };
    push(StepKind::Latency, Direction::Read, 1, Bytes::kib(4));
    for depth in [1, 2, 4, 8, 16, 32] {
        push(StepKind::DepthLadder, Direction::Read, depth, Bytes::kib(4));
    }
    for depth in [16, 32] {
        push(StepKind::DepthLadder, Direction::Write, depth, Bytes::kib(4));
    }
    for block in [16, 32, 64, 256, 1024] {
        push(StepKind::BlockLadder, Direction::Read, 32, Bytes::kib(block));
    }
    for block in [256, 1024] {
        push(StepKind::BlockLadder, Direction::Write, 32, Bytes::kib(block));
    }
    steps
}

pub(crate) fn limits(words: &str) -> Limits {
    policy::evaluate(&PolicyName::parse(words).unwrap()).unwrap()
}

const MIB: f64 = 1048576.0;

#[test]
fn a_volume_at_its_caps_meets_its_policy_in_every_row() {
    let run = run_of(&checked(3_000.0, 125.0 * MIB, 0.8e-3));
    let found = analyse(&run, Some(&limits("aws-gp3")), None);
    assert_eq!(found.verdict.answer, Answer::Meets, "{:#?}", found.verdict.rows);
    assert_eq!(found.verdict.rows.len(), 4);
    assert_eq!(found.verdict.answer.exit_code(), 0);
}

#[test]
fn caps_crossover_and_filling_depth_are_those_of_the_volume() {
    let found = analyse(&run_of(&checked(5_000.0, 200.0 * MIB, 0.8e-3)), None, None);
    let near = |measured: f64, truth: f64| (measured / truth - 1.0).abs() < 0.01;
    let mut seen = 0;
    for finding in &found.findings {
        match &finding.meaning {
            Meaning::IopsCap(IopsCap { cap, .. }) => assert!(near(cap.value, 5_000.0)),
            Meaning::BandwidthCap(BandwidthCap { cap, .. }) => assert!(near(cap.value, 200.0 * MIB)),
            Meaning::Crossover(Crossover { bytes, .. }) => assert!(near(*bytes, 200.0 * MIB / 5_000.0)),
            Meaning::FillingDepth(FillingDepth { direction: Direction::Read, star, .. }) => {
                assert!(near(*star, 4.0))
            }
            _ => continue,
        }
        seen += 1;
    }
    assert!(seen >= 7, "{:#?}", found.findings);
    assert_eq!(found.verdict.answer, Answer::Measured);
}

#[test]
fn less_than_claimed_is_below_where_more_depth_brings_nothing() {
    let expectation = Expectation::parse("read 6000 iops").unwrap();
    let found = analyse(&run_of(&checked(5_000.0, 200.0 * MIB, 0.8e-3)), None, Some(&expectation));
    assert_eq!((found.verdict.answer, found.verdict.answer.exit_code()), (Answer::Below, 3));
}

#[test]
fn a_rate_that_still_rises_with_depth_is_not_proof_of_being_below() {
    let steps: Vec<ServedStep> =
        checked(1e9, 1e12, 0.8e-3).into_iter().filter(|step| step.depth <= 4).collect();
    let expectation = Expectation::parse("read 6000 iops").unwrap();
    let found = analyse(&run_of(&steps), None, Some(&expectation));
    assert_eq!(found.verdict.answer, Answer::CannotTell);
    let [Doubt::DepthTooLow { depth }] = found.verdict.rows[0].doubts[..] else {
        panic!("{:?}", found.verdict.rows[0].doubts)
    };
    // Four in flight at 0.8 ms serve 5,000 a second.
    assert!((4.7..4.9).contains(&depth), "{depth}");
}

#[test]
fn inside_a_burst_nothing_meets() {
    let run = run_of(&checked(3_000.0, 128.0 * MIB, 0.8e-3));
    let found = analyse(&run, Some(&limits("aws-gp2,size=100GiB")), None);
    assert_eq!(found.verdict.answer.exit_code(), 4, "{:#?}", found.verdict);
    let iops = found.verdict.rows.iter().find(|row| row.quantity == Quantity::Iops).unwrap();
    assert_eq!(iops.answer, Answer::ConsistentWithBurst);
    assert!(found.findings.iter().any(|finding| matches!(finding.meaning, Meaning::InsideBurst(_))));
    let share = found.spent.credit_share.unwrap();
    assert!(share > 0.01 && share < 0.1, "{share}");
}

#[test]
fn either_reading_of_an_ambiguous_megabyte_meets_and_is_named() {
    for (bytes, reading) in [(200.0 * MIB, Reading::Binary), (200e6, Reading::Decimal)] {
        let run = run_of(&checked(5_000.0, bytes, 0.8e-3));
        let found = analyse(&run, Some(&limits("do-volumes-pre-burst")), None);
        assert_eq!(found.verdict.answer, Answer::Meets, "{:#?}", found.verdict.rows);
        let row = found.verdict.rows.iter().find(|row| row.quantity == Quantity::BytesPerSecond).unwrap();
        assert_eq!(row.claimed.reading, Some(reading));
        assert_eq!(row.claimed.words, "200 MB/s");
    }
}

/// What is said of a volume that serves `iops` while its target is in doubt.
fn doubted(iops: f64, doubt: &TargetDoubt) -> Verdict {
    let mut run = run_of(&checked(iops, 125.0 * MIB, 0.8e-3));
    let mut facts = TargetFacts::made_up("/t", TargetKind::Directory, Bytes::GIB);
    facts.doubts.push(doubt.clone());
    run.target = Some(facts);
    analyse(&run, Some(&limits("aws-gp3")), None).verdict
}

#[test]
fn what_is_no_volume_neither_meets_nor_misses_a_claim() {
    let device = || "dev0".to_owned();
    for doubt in [
        TargetDoubt::MemoryFilesystem { filesystem: "tmpfs".to_owned() },
        TargetDoubt::MemoryDevice { device: device() },
        TargetDoubt::CompressedMemory { device: device() },
        TargetDoubt::StoresNothing { device: device() },
        TargetDoubt::ThroughPageCache { device: device() },
        TargetDoubt::NoDirectIo,
    ] {
        for iops in [2_000.0, 3_000.0] {
            let verdict = doubted(iops, &doubt);
            assert_eq!(verdict.answer, Answer::CannotTell, "{doubt:?}");
            assert_eq!(verdict.doubts, [Doubt::Target { why: doubt.clone() }]);
        }
    }
}

/// Whatever names and words come with it: an export called "memory" is not memory.
#[test]
fn a_volume_with_something_beside_it_is_judged_as_one() {
    let filesystem = || "a page cache in memory that holds no data".to_owned();
    let device = filesystem;
    for doubt in [
        TargetDoubt::NetworkFilesystem { filesystem: filesystem(), source: "nas:/export/memory".to_owned() },
        TargetDoubt::NetworkFilesystem { filesystem: filesystem(), source: "nas:/export/vol1".to_owned() },
        TargetDoubt::StackedFilesystem { filesystem: filesystem() },
        TargetDoubt::ServedByProgram { filesystem: filesystem() },
        TargetDoubt::OwnCache { filesystem: filesystem() },
        TargetDoubt::Compresses { filesystem: filesystem(), option: "compress".to_owned() },
        TargetDoubt::MountedReadOnly { mount_point: "/mnt/memory".to_owned() },
        TargetDoubt::CacheInFront { device: device() },
        TargetDoubt::Encrypted { device: device() },
        TargetDoubt::ArrayBusy { device: device(), action: "check".to_owned() },
        TargetDoubt::ArrayDegraded { device: device() },
        TargetDoubt::ReadOnlyDevice { device: device() },
        TargetDoubt::Silent { device: device() },
        TargetDoubt::Other { words: "memory, the page cache, and what holds no data".to_owned() },
    ] {
        for (iops, answer) in [(2_000.0, Answer::Below), (3_000.0, Answer::Meets)] {
            let verdict = doubted(iops, &doubt);
            assert_eq!(verdict.answer, answer, "{doubt:?}");
            assert_eq!(verdict.doubts, [Doubt::Target { why: doubt.clone() }], "it is told all the same");
        }
    }
}

#[test]
fn reads_of_the_cache_and_of_nothing_void_the_figures() {
    let of = |change: &dyn Fn(&mut TargetFacts)| {
        let mut run = run_of(&checked(3_000.0, 125.0 * MIB, 0.8e-3));
        let mut facts = TargetFacts::made_up("/t", TargetKind::Directory, Bytes::GIB);
        change(&mut facts);
        run.target = Some(facts);
        let verdict = analyse(&run, Some(&limits("aws-gp3")), None).verdict;
        (verdict.answer, verdict.doubts)
    };
    assert_eq!(of(&|_| {}), (Answer::Meets, vec![]));
    assert_eq!(of(&|facts| facts.cached_share = Some(0.5)), (Answer::CannotTell, vec![Doubt::CachedReads]));
    let empty = of(&|facts| facts.unwritten_share = Some(0.25));
    assert_eq!(empty, (Answer::CannotTell, vec![Doubt::Unwritten { share: 0.25 }]));
}

#[test]
fn a_worker_without_cpu_is_named_and_excuses_a_miss() {
    let mut run = run_of(&checked(2_000.0, 125.0 * MIB, 0.8e-3));
    run.steps.iter_mut().for_each(|step| step.workers[0].run_delay_ns = 3_000_000_000);
    let found = analyse(&run, Some(&limits("aws-gp3")), None);
    assert_eq!(found.verdict.answer, Answer::CannotTell);
    assert!(found.verdict.rows.iter().any(|row| row.doubts.contains(&Doubt::GeneratorBound)));
    assert!(found.findings.iter().any(|finding| matches!(finding.meaning, Meaning::GeneratorBound(_))));
    // Without a claim, the verdict says it too.
    let unclaimed = |run: &Run| analyse(run, None, None).verdict.doubts.contains(&Doubt::GeneratorBound);
    assert!(unclaimed(&run));
    run.steps.iter_mut().for_each(|step| step.workers[0].run_delay_ns = 0);
    assert!(!unclaimed(&run));
}

/// The answer for a volume of `iops` operations a second whose every second waited `waited` for a CPU, and whether
/// that is named.
fn waited(iops: f64, waited: Nanos, change: impl Fn(&mut Run)) -> (Answer, bool) {
    let mut run = run_of(&checked(iops, 125.0 * MIB, 0.8e-3));
    for step in &mut run.steps {
        step.workers[0].run_delay_ns = waited.0 * step.intervals.len() as u64;
        step.intervals.iter_mut().for_each(|interval| interval.waited = waited);
    }
    change(&mut run);
    let found = analyse(&run, Some(&limits("aws-gp3")), None);
    let told = found.findings.iter().any(|finding| matches!(finding.meaning, Meaning::GeneratorBound(_)));
    (found.verdict.answer, told)
}

#[test]
fn a_wait_excuses_no_more_than_it_can_have_cost() {
    // A quarter of the time lost turns 3,000 into 2,250, but not if a third of a second of I/Os waits at the device.
    let queue = |run: &mut Run| {
        let deep = run.steps.iter_mut().filter(|step| step.plan.workers[0].depth > 1);
        for direction in deep.flat_map(|step| &mut step.intervals).flat_map(|part| &mut part.directions) {
            direction.tally.latency_ns_sum *= 25;
        }
    };
    assert_eq!(waited(2_250.0, Nanos::from_millis(250), |_| {}).0, Answer::CannotTell);
    assert_eq!(waited(2_250.0, Nanos::from_millis(250), queue).0, Answer::Below);
    // A fifth of the time lost does not turn 3,000 into 1,500.
    assert_eq!(waited(1_500.0, Nanos::from_millis(200), |_| {}), (Answer::Below, true));
    // Two fifths do.
    assert_eq!(waited(1_800.0, Nanos::from_millis(450), |_| {}), (Answer::CannotTell, true));
    // No wait makes a volume faster.
    assert_eq!(waited(3_000.0, Nanos::from_millis(450), |_| {}), (Answer::Meets, true));
}

#[test]
fn what_this_machine_serves_waits_for_a_cpu_as_well() {
    let shown_by = |name: &str| {
        let mut facts = TargetFacts::made_up("/t", TargetKind::Directory, Bytes::GIB);
        facts.devices = vec![record::DeviceFacts { name: name.to_owned(), ..Default::default() }];
        waited(2_000.0, Nanos::from_millis(200), move |run| run.target = Some(facts.clone())).0
    };
    assert_eq!(shown_by("nvme1n1"), Answer::Below);
    assert_eq!(shown_by("loop3"), Answer::CannotTell);
}

#[test]
fn nothing_measured_is_no_answer() {
    let found = analyse(&run_of(&[]), Some(&limits("aws-gp3")), None);
    assert_eq!(found.verdict.answer, Answer::CannotTell);
    assert!(found.verdict.rows.iter().all(|row| row.doubts == [Doubt::NotMeasured]));
}
