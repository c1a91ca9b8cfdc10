//! Made-up runs and analyses: a volume with an IOPS cap, a bandwidth cap and a base latency, checked as `check`
//! would.
#![allow(dead_code)]

mod runs;
mod watched;

use analysis::findings::{
    AccountingUnit, Alike, BandwidthCap, BucketEmptied, BurstsAlike, CachedReads, CpuBound, CreditsSpent,
    Crossover, DepthBound, Failed, FillingDepth, FirstTouch, ForeignLoad, GeneratorBound, InFlightBound,
    InsideBurst, Interrupted, IopsCap, KernelQueue, LittleMismatch, MachineLimit, Merging, NotIdentifiable,
    Question, ReadsOnly, Saturation, SeparateBudgets, SharedBudget, StepDown, StepUp, StoppedAnswering,
    Unsteady, Unwritten, Wave,
};
use analysis::{
    Analysis, Answer, BucketAccount, CacheShare, ChangedRate, Charge, ClaimRow, ClaimedFigure, Confidence,
    Consumption, Doubt, Estimate, Evidence, Finding, LatencyRole, LatencyRow, LevelUnit, Meaning, Metering,
    Point, Quantity, Reading, Refill, Regimes, Resource, Scales, Tells, Verdict,
};
use record::{LocalLimit, Run, SilenceStage, TargetDoubt};
use workload::{Direction, Ending, Nanos};

pub use runs::*;
#[allow(unused_imports)] // each test binary takes what it needs
pub use watched::*;

pub fn around(value: f64, half: f64) -> Estimate {
    Estimate { value, low: value - half, high: value + half }
}

pub fn found(meaning: Meaning) -> Finding {
    Finding {
        meaning,
        evidence: vec![Evidence {
            step: "depth 8".into(),
            series: "rate".into(),
            from: Nanos::from_millis(61_300),
            to: Nanos::from_millis(68_300),
        }],
        confidence: Confidence::Strong,
    }
}

fn point(step: &str, direction: Direction, depth: u32, block: u64) -> Point {
    let (iops, latency) = GP3.at(direction, depth, block);
    Point {
        step: step.to_owned(),
        direction,
        depth,
        block,
        iops: around(iops, 6.0),
        bytes_per_second: around(iops * block as f64, 6.0 * block as f64),
        latency_ns_mean: latency,
        latency_ns_p50: (latency * 0.96) as u64,
        latency_ns_p99: (latency * 2.1) as u64,
        seconds: 7.0,
        ending: Ending::Certain,
        limiter_index: Some(0.004),
        seen: analysis::CleanIntervals::default(),
    }
}

fn latency_row(step: &str, direction: Direction, mean_ns: f64) -> LatencyRow {
    let spread = [0.8, 0.84, 0.87, 0.91, 0.97, 1.05, 1.2, 1.4, 2.1, 4.6];
    let percents = [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9];
    LatencyRow {
        step: step.to_owned(),
        role: LatencyRole::Base,
        direction,
        count: 4_812,
        mean_ns,
        percentiles: percents.into_iter().zip(spread.map(|factor| (mean_ns * factor) as u64)).collect(),
        max_ns: (mean_ns * 9.0) as u64,
    }
}

pub fn claim(what: &str, quantity: Quantity, direction: Direction, claimed: (f64, &str)) -> ClaimRow {
    ClaimRow {
        what: what.to_owned(),
        quantity,
        direction,
        claimed: ClaimedFigure {
            value: claimed.0,
            words: claimed.1.to_owned(),
            source: "aws-gp3 (2025-09-26)".to_owned(),
            reading: None,
        },
        measured: None,
        over_time: None,
        latency_ns_p99: None,
        depth: None,
        answer: Answer::Meets,
        doubts: Vec::new(),
    }
}

pub const MIB: f64 = 1_048_576.0;

fn rows() -> Vec<ClaimRow> {
    use Direction::{Read, Write};
    let ops = |direction: Direction, value: f64, half: f64, p99: u64| ClaimRow {
        measured: Some(around(value, half)),
        latency_ns_p99: Some(p99),
        depth: Some(if direction == Read { 4 } else { 16 }),
        ..claim(&format!("4 KiB {} IOPS", direction.name()), Quantity::Iops, direction, (3000.0, "3,000"))
    };
    let bytes = ClaimRow {
        measured: Some(around(124.9 * MIB, 0.4 * MIB)),
        latency_ns_p99: Some(8_300_000),
        depth: Some(64),
        ..claim("1 MiB read", Quantity::BytesPerSecond, Read, (125.0 * MIB, "125 MiB/s"))
    };
    vec![ops(Read, 3001.0, 6.0, 1_200_000), ops(Write, 2998.0, 9.0, 1_600_000), bytes]
}

fn caps() -> Vec<Finding> {
    let cap = around(3001.0, 6.0);
    let bandwidth = around(124.9 * MIB, 0.4 * MIB);
    vec![
        found(Meaning::IopsCap(IopsCap {
            direction: Direction::Read,
            cap,
            scales: scales(Metering::Metered),
        })),
        found(Meaning::BandwidthCap(BandwidthCap {
            direction: Direction::Read,
            cap: bandwidth,
            from: 65_536,
            scales: scales(Metering::Metered),
        })),
        found(Meaning::Crossover(Crossover { direction: Direction::Read, bytes: 43_690.0 })),
        found(Meaning::FillingDepth(FillingDepth {
            direction: Direction::Read,
            star: 1.83,
            ninety: 2.0,
            base_latency_ns: 610_000.0,
        })),
    ]
}

/// Returns a volume that keeps its promise.
pub fn meets() -> (Run, Analysis) {
    let run = gp3_check();
    let depths =
        [1, 2, 4, 8, 16, 32, 64].map(|depth| point(&format!("depth {depth}"), Direction::Read, depth, 4096));
    let writes = [8, 32].map(|depth| point(&format!("write depth {depth}"), Direction::Write, depth, 4096));
    let blocks = [4, 16, 32, 64, 256, 1024]
        .map(|kib| point(&format!("{kib} KiB reads"), Direction::Read, 8, kib << 10));
    let wide = [4, 256, 1024].map(|kib| point(&format!("{kib} KiB writes"), Direction::Write, 8, kib << 10));
    let analysis = Analysis {
        answered: None,
        latencies: vec![
            latency_row("read latency", Direction::Read, 612_000.0),
            latency_row("write latency", Direction::Write, 831_000.0),
            latency_row("flush latency", Direction::Flush, 1_120_000.0),
        ],
        depths: [depths.to_vec(), writes.to_vec()].concat(),
        blocks: [blocks.to_vec(), wide.to_vec()].concat(),
        jobs: Vec::new(),
        headroom: Vec::new(),
        spent: Consumption {
            bytes_read: 9 << 30,
            bytes_written: 5 << 30,
            charged_ops: 312_000.0,
            credit_share: None,
            credits: Vec::new(),
            loaded_s: 141.0,
        },
        horizon: Nanos::from_secs(118),
        sensitivity: Some(0.08),
        regimes: Regimes { settled: true, ..Regimes::default() },
        windows: None,
        findings: caps(),
        verdict: Verdict {
            answer: Answer::Meets,
            subject: Some("aws-gp3".to_owned()),
            rows: rows(),
            doubts: Vec::new(),
        },
        watched: None,
    };
    (run, analysis)
}

/// Returns the same volume against a claim in words that it misses, with a unit that the source leaves ambiguous.
pub fn below() -> (Run, Analysis) {
    let (mut run, mut analysis) = meets();
    run.policy = None;
    run.expectation = Some("read 6000 iops, 125 MB/s, p99 < 30ms".to_owned());
    analysis.verdict.answer = Answer::Below;
    analysis.verdict.subject = run.expectation.clone();
    let rows = &mut analysis.verdict.rows;
    rows.remove(1);
    rows[0].claimed.value = 6000.0;
    rows[0].claimed.words = "read 6000 iops".to_owned();
    rows[0].answer = Answer::Below;
    rows[1].claimed.words = "125 MB/s".to_owned();
    rows[1].claimed.reading = Some(Reading::Binary);
    rows.push(ClaimRow {
        measured: Some(around(2_660_000.0, 31_000.0)),
        answer: Answer::Meets,
        doubts: vec![Doubt::FewSamples { count: 812 }],
        ..claim("read p99", Quantity::PercentileLatency, Direction::Read, (30e6, "p99 < 30ms"))
    });
    rows.iter_mut().for_each(|row| row.claimed.source = "expectation".to_owned());
    (run, analysis)
}

/// Returns a burstable volume whose burst is longer than the run, with load of others beside it.
pub fn cannot_tell() -> (Run, Analysis) {
    let (mut run, mut analysis) = meets();
    run.policy = Some("aws-gp2,size=100GiB".to_owned());
    analysis.spent.credit_share = Some(0.058);
    analysis.verdict.answer = Answer::CannotTell;
    analysis.verdict.subject = run.policy.clone();
    analysis.verdict.doubts = vec![Doubt::ForeignLoad];
    for row in &mut analysis.verdict.rows {
        row.claimed.source = "aws-gp2,size=100GiB (2023-05-11)".to_owned();
    }
    for row in &mut analysis.verdict.rows[..2] {
        row.claimed.value = 300.0;
        row.claimed.words = "300".to_owned();
        row.answer = Answer::ConsistentWithBurst;
        row.doubts = vec![inside_burst()];
    }
    analysis.findings.insert(
        0,
        found(Meaning::ForeignLoad(ForeignLoad {
            device: "nvme1n1".into(),
            ops_per_second: 240.0,
            bytes_per_second: 3.1e6,
            share: 0.08,
        })),
    );
    (run, analysis)
}

/// Returns a run without any claim.
pub fn measured() -> (Run, Analysis) {
    let (mut run, mut analysis) = meets();
    run.policy = None;
    analysis.verdict.answer = Answer::Measured;
    analysis.verdict.subject = None;
    for row in &mut analysis.verdict.rows {
        row.claimed =
            ClaimedFigure { value: 0.0, words: String::new(), source: String::new(), reading: None };
        row.answer = Answer::Measured;
    }
    (run, analysis)
}

/// Returns a run that was killed after its layout, with only what was recorded until then.
pub fn cut_off() -> (Run, Analysis) {
    let (mut run, mut analysis) = meets();
    run.complete = false;
    run.steps.truncate(2);
    run.samples.truncate(30);
    analysis.latencies.clear();
    analysis.depths.clear();
    analysis.blocks.clear();
    analysis.findings = vec![found(Meaning::Interrupted(Interrupted { after_s: 31.4 }))];
    analysis.horizon = Nanos::ZERO;
    analysis.verdict.answer = Answer::CannotTell;
    analysis.verdict.doubts = vec![Doubt::Interrupted];
    for row in &mut analysis.verdict.rows {
        row.measured = None;
        (row.latency_ns_p99, row.depth) = (None, None);
        row.answer = Answer::CannotTell;
        row.doubts = vec![Doubt::NotMeasured];
    }
    (run, analysis)
}

/// Returns a run in which nothing happened at all.
pub fn nothing() -> (Run, Analysis) {
    let (_, mut analysis) = cut_off();
    analysis.findings.clear();
    analysis.verdict = Verdict {
        answer: Answer::CannotTell,
        subject: None,
        rows: Vec::new(),
        doubts: vec![Doubt::NotMeasured],
    };
    (Run::started(vec!["plimsoll".into()], 0), analysis)
}

/// Returns what the counts of a level show at several time scales.
pub fn scales(answer: Metering) -> Scales {
    let slope = Some(Estimate { value: -0.97, low: -1.0, high: -0.8 });
    Scales { answer, slope, fano: vec![(0.5, 0.08), (1.0, 0.04), (2.0, 0.02)] }
}

/// Returns every kind of cause, each in each of its variants.
fn of_causes(direction: Direction, cap: Estimate) -> Vec<Meaning> {
    let bytes = around(131e6, 0.4e6);
    let mut all = Vec::new();
    for answer in [Metering::Metered, Metering::Unclear] {
        let scales = || scales(answer);
        all.push(Meaning::IopsCap(IopsCap { direction, cap, scales: scales() }));
        all.push(Meaning::BandwidthCap(BandwidthCap {
            direction,
            cap: bytes,
            from: 65_536,
            scales: scales(),
        }));
    }
    for (counted, level) in [(LevelUnit::Operations, cap), (LevelUnit::Bytes, bytes)] {
        let scales = scales(Metering::NotMetered);
        all.push(Meaning::Saturation(Saturation { direction, counted, level, scales, cache: None }));
    }
    let cache = Some(CacheShare { size: Some(around(1e9, 5e7)), share: 0.06, beyond: around(4_700.0, 10.0) });
    let (counted, scales) = (LevelUnit::Operations, scales(Metering::Unclear));
    all.push(Meaning::Saturation(Saturation { direction, counted, level: cap, scales, cache }));
    for charge in [Charge::Ceil, Charge::Proportional, Charge::Unknown] {
        let (operations, unit) = (cap, 32_768);
        all.push(Meaning::AccountingUnit(AccountingUnit {
            direction,
            operations,
            unit,
            charge,
            bytes: 98e6,
        }));
    }
    for question in [Question::Holds, Question::Below, Question::Charged, Question::Shared] {
        let direction = (question != Question::Shared).then_some(direction);
        let tells = vec![
            Tells::MoreSeconds,
            Tells::SmallerBlocks,
            Tells::LargerBlocks,
            Tells::HalfInFlight,
            Tells::AroundUnit { unit: 32_768 },
            Tells::Mix,
            Tells::InOrder,
        ];
        let counted = LevelUnit::Operations;
        for at_least in [false, true] {
            all.push(Meaning::NotIdentifiable(NotIdentifiable {
                question,
                direction,
                counted,
                level: around(812.0, 4.0),
                at_least,
                block: direction.is_none().then_some(4096),
                tells: tells.clone(),
            }));
        }
    }
    all.extend(of_budgets(direction, cap));
    all
}

fn of_budgets(direction: Direction, cap: Estimate) -> Vec<Meaning> {
    let (counted, block, read, write, total) = (LevelUnit::Operations, 4096, 3000.0, 2000.0, cap);
    let bytes = around(1.3e9, 0.4e6);
    let limit =
        || LocalLimit { group: "/db".into(), device: "vda".into(), what: "riops".into(), value: 3000 };
    vec![
        Meaning::SharedBudget(SharedBudget { counted, block, read, write, total }),
        Meaning::SeparateBudgets(SeparateBudgets { counted, block, read, write, total }),
        Meaning::DepthBound(DepthBound { direction, level: cap, depth: 256, latency_ns: 5e7 }),
        Meaning::InFlightBound(InFlightBound { direction, level: bytes, in_flight: 64 << 20, half: 0.5 }),
        Meaning::CpuBound(CpuBound {
            direction,
            counted,
            level: cap,
            step: "read depth 64".into(),
            share: 0.97,
        }),
        Meaning::MachineLimit(MachineLimit { direction, counted, level: cap, limit: limit() }),
        Meaning::KernelQueue(KernelQueue { direction, level: cap, device: "vda".into(), requests: 128 }),
        Meaning::Merging(Merging { direction, block, sequential: 24_000.0, random: 3000.0 }),
        Meaning::FirstTouch(FirstTouch { step: "probe second touch".into(), first_ns: 3e7, second_ns: 2e6 }),
    ]
}

fn silence(stage: SilenceStage, times: u64, period_s: Option<f64>) -> Meaning {
    Meaning::StoppedAnswering(StoppedAnswering {
        step: "depth 8".to_owned(),
        path: "/dev/vdb".to_owned(),
        since: Nanos::from_millis(10_040),
        lasted: Nanos::from_millis(7_250),
        stage,
        direction: Direction::Read,
        offset: 1 << 20,
        bytes: 4096,
        others: 3 * (times - 1),
        times,
        period_s,
    })
}

/// Returns every kind of finding, each in each of its variants.
pub fn all_meanings() -> Vec<Meaning> {
    let step = || "depth 8".to_owned();
    let cap = around(3001.0, 6.0);
    let direction = Direction::Read;
    let mut all = Vec::new();
    all.extend(of_causes(direction, cap));
    all.extend([
        Meaning::Crossover(Crossover { direction: Direction::Write, bytes: 43_690.0 }),
        Meaning::FillingDepth(FillingDepth {
            direction,
            star: 1.83,
            ninety: 2.0,
            base_latency_ns: 610_000.0,
        }),
        Meaning::Unsteady(Unsteady { step: step(), half_width: 0.071 }),
        Meaning::LittleMismatch(LittleMismatch { step: step(), depth: 32.0, product: 11.8 }),
        Meaning::GeneratorBound(GeneratorBound {
            step: step(),
            own_cpu_share: 0.98,
            waiting_share: 0.21,
            steal_share: 0.12,
            lost_share: 0.2,
            late: 1_203,
        }),
        Meaning::ForeignLoad(ForeignLoad {
            device: "nvme1n1".into(),
            ops_per_second: 240.0,
            bytes_per_second: 3.1e6,
            share: 0.08,
        }),
        Meaning::TargetDoubt(analysis::findings::TargetDoubt {
            doubt: TargetDoubt::Other { words: "tmpfs keeps its files in memory".into() },
        }),
        Meaning::CachedReads(CachedReads { share: 0.97 }),
        Meaning::Unwritten(Unwritten { share: 0.4, laid_out: true }),
        Meaning::Unwritten(Unwritten { share: 0.4, laid_out: false }),
        Meaning::ReadsOnly(ReadsOnly { unwritten_share: Some(0.25) }),
        Meaning::ReadsOnly(ReadsOnly { unwritten_share: None }),
        Meaning::InsideBurst(InsideBurst {
            policy: "aws-gp2,size=100GiB".into(),
            of: Resource::Iops,
            rate: 3_000.0,
            burst_s: 2000.0,
            loaded_s: 141.0,
            left_s_least: 0.0,
            left_s_most: 1_870.0,
        }),
        Meaning::CreditsSpent(CreditsSpent {
            policy: "azure-premium-ssd-credit,tier=P10".into(),
            of: Resource::Bytes,
            baseline: 104_857_600.0,
            burst: 178_257_920.0,
        }),
        Meaning::BurstsAlike(BurstsAlike {
            iops: 3_000.0,
            bytes_per_second: Some(134_217_728.0),
            policies: vec![Alike {
                policy: "aws-gp2".into(),
                title: "EBS gp2".into(),
                lasts_s: Some(1_862.0),
                after_iops: 100.0,
            }],
        }),
        emptied(vec![of_bucket(Resource::Iops, Some(262_144), 400.0)], Refill::Earned),
        emptied(
            vec![of_bucket(Resource::Iops, None, 400.0), of_bucket(Resource::Bytes, None, 1_638_400.0)],
            Refill::Unknown,
        ),
        Meaning::StepDown(StepDown {
            step: step(),
            at: Nanos::from_secs(1862),
            from: Nanos::from_secs(1861),
            to: Nanos::from_secs(1863),
            moved: ChangedRate::Operations,
            before: Estimate { value: 3000.0, low: 2990.0, high: 3010.0 },
            after: Estimate { value: 300.0, low: 299.0, high: 301.0 },
            settled: true,
        }),
        Meaning::StepUp(StepUp {
            step: step(),
            at: Nanos::from_secs(62),
            from: Nanos::from_secs(61),
            to: Nanos::from_secs(63),
            moved: ChangedRate::Bytes,
            before: Estimate { value: 2e8, low: 1.9e8, high: 2.1e8 },
            after: Estimate { value: 4e8, low: 3.9e8, high: 4.1e8 },
        }),
        Meaning::Wave(Wave { low: 0.6, high: 1.2, low_share: 0.33, period_s: Some(30.0), changes: 6 }),
        Meaning::Interrupted(Interrupted { after_s: 31.4 }),
        Meaning::Failed(Failed { step: step(), errno: 5, count: 3 }),
        silence(SilenceStage::GivenUp, 1, None),
        silence(SilenceStage::Over, 4, Some(20.0)),
        silence(SilenceStage::Left, 2, None),
        Meaning::Failed(Failed { step: step(), errno: 7_777, count: 1 }),
    ]);
    all
}

/// Returns a bucket whose burst was three times its base.
fn of_bucket(resource: Resource, unit: Option<u64>, base: f64) -> BucketAccount {
    let (base, held) = (around(base, base / 1_000.0), around(50.0 * base, base / 10.0));
    BucketAccount { resource, unit, burst: 3.0 * base.value, base, held }
}

fn emptied(accounts: Vec<BucketAccount>, refill: Refill) -> Meaning {
    let (from, to) = (Nanos::from_secs(36), Nanos::from_millis(37_500));
    Meaning::BucketEmptied(BucketEmptied { from, to, accounts, refill, policy: None })
}

/// Returns the burst of gp2, without knowing how much of it was left.
fn inside_burst() -> Doubt {
    let (of, rate, burst_s, loaded_s) = (Resource::Iops, 3_000.0, 2_000.0, 141.0);
    Doubt::InsideBurst { of, rate, burst_s, loaded_s, left_s_least: 0.0, left_s_most: 1_870.0 }
}

/// Returns every kind of doubt.
pub fn all_doubts() -> Vec<Doubt> {
    vec![
        inside_burst(),
        Doubt::CreditsSpent { of: Resource::Iops, baseline: 300.0, burst: 3_000.0 },
        Doubt::BurstOfAnother { policy: "aws-gp2".into(), lasts_s: Some(1_862.0), more: 0 },
        Doubt::BurstOfAnother { policy: "hetzner-volumes".into(), lasts_s: None, more: 2 },
        Doubt::BurstUnknown,
        Doubt::NotMeasured,
        Doubt::TooShort,
        Doubt::OnTolerance { least: 0.97 },
        Doubt::UnitUnknown,
        Doubt::Wandering,
        Doubt::BeforeChange { at: Nanos::from_secs(36) },
        Doubt::Swings { low: 0.5, mean: 0.8, high: 1.0 },
        Doubt::Unsettled { at: Nanos::from_secs(36) },
        Doubt::GeneratorBound,
        Doubt::ForeignLoad,
        Doubt::Target { why: TargetDoubt::Other { words: "tmpfs keeps its files in memory".into() } },
        Doubt::DepthTooLow { depth: 46.2 },
        Doubt::WithinPromise { fraction: 0.9 },
        Doubt::Cached { share: 0.06, reached: 5_000.0 },
        Doubt::AtOnce { direction: Direction::Read, alone: 3_000.0 },
        Doubt::FewSamples { count: 812 },
        Doubt::Interrupted,
    ]
}
