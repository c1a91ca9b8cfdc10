//! What holds a volume, on simulated volumes whose truth is known: latency, ladders and probes in virtual time, and what is said.

mod families;

use analysis::findings::Question;
use analysis::{Charge, Confidence, Counted, Meaning, analyse};
use experiments::Step;
use record::{Interval, Observer, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{
    Access, BlockSizes, Bytes, Direction, Job, Mix, Nanos, Order, StepKind, StopRule, Target, Workload,
};

/// Nobody looks on.
struct Nobody;

impl Observer for Nobody {
    fn interval(&mut self, _interval: &Interval) {}
}

const MIB: f64 = 1048576.0;
/// What plimsoll keeps in flight at most.
const IN_FLIGHT: u64 = 64 << 20;

/// What a step asks.
#[derive(Clone, Copy)]
struct Ask {
    kind: StepKind,
    reads: u8,
    block: u64,
    depth: u32,
    seconds: f64,
}

fn step(name: &str, ask: Ask) -> Step {
    let job = Job {
        access: Access::random(Mix::reads(ask.reads)),
        blocks: BlockSizes::all(Bytes(ask.block)),
        depth: ask.depth,
        ..Job::named("load")
    };
    let stop = vec![StopRule::Time(Nanos::from_secs_f64(ask.seconds))];
    let workload = Workload { jobs: vec![job], stop, ramp: Nanos::from_millis(500) };
    Step { name: name.to_owned(), kind: ask.kind, workload, interval: Some(Nanos::from_millis(500)) }
}

/// The steps of a check with probes, by what has run.
fn next(done: &[StepRecord]) -> Option<Step> {
    all(done).into_iter().find(|step| !done.iter().any(|record| record.plan.name == step.name))
}

fn rate(done: &[StepRecord], name: &str) -> f64 {
    let record = done.iter().find(|record| record.plan.name == name);
    record.map_or(0.0, |record| {
        let ops: u64 = [Direction::Read, Direction::Write].iter().map(|way| record.tally(*way).ops).sum();
        ops as f64 / record.seconds()
    })
}

fn all(done: &[StepRecord]) -> Vec<Step> {
    let base = Ask { kind: StepKind::Latency, reads: 100, block: 4096, depth: 1, seconds: 2.0 };
    let mut steps = vec![step("latency read", base), step("latency write", Ask { reads: 0, ..base })];
    for (way, reads) in [("read", 100), ("write", 0)] {
        let rung = |depth| Ask { kind: StepKind::DepthLadder, reads, depth, seconds: 4.0, ..base };
        let mut depth = 1;
        let name = |depth: u32| format!("{way} depth {depth}");
        loop {
            steps.push(step(&name(depth), rung(depth)));
            let flat = depth >= 4 && rate(done, &name(depth)) <= 1.02 * rate(done, &name(depth / 4));
            if flat || depth >= 256 {
                break;
            }
            depth *= 2;
        }
        let filled = (depth * 4).min(256);
        let deep = |block: u64| filled.max(8).min((IN_FLIGHT / block) as u32);
        for block in [16u64 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20] {
            let kind = StepKind::BlockLadder;
            let name = format!("{way} {}", Bytes(block));
            steps.push(step(&name, Ask { kind, reads, block, depth: deep(block), seconds: 4.0 }));
        }
        steps.extend(probes(
            way,
            Ask { kind: StepKind::Probe, reads, block: 4096, depth: filled, seconds: 3.0 },
        ));
    }
    for (name, reads, block) in [("70/30", 70, 4096u64), ("50/50", 50, 4096), ("50/50 1.0 MiB", 50, 1 << 20)]
    {
        let depth = 256.min((IN_FLIGHT / block) as u32);
        let ask = Ask { kind: StepKind::Probe, reads, block, depth, seconds: 4.0 };
        steps.push(step(&format!("probe mix {name}"), ask));
    }
    steps
}

fn probes(way: &str, base: Ask) -> Vec<Step> {
    let deep = |block: u64| base.depth.max(8).min((IN_FLIGHT / block) as u32);
    let at = |name: String, block: u64, depth: u32| step(&name, Ask { block, depth, ..base });
    let mut steps = Vec::new();
    for unit in [16u64, 32, 64, 128, 256] {
        let block = (unit + 4) << 10;
        steps.push(at(format!("probe unit {way} {}", Bytes(block)), block, deep(block)));
    }
    let half = deep(1 << 20) / 2;
    steps.push(at(format!("probe half in flight {way} 1.0 MiB"), 1 << 20, half));
    for block in [512, 1024] {
        steps.push(at(format!("probe small {way} {}", Bytes(block)), block, 256));
    }
    let mut sequential = at(format!("probe sequential {way} 4.0 KiB"), 4096, base.depth);
    sequential.workload.jobs[0].access.order = Order::Sequential;
    steps.push(sequential);
    steps
}

/// What is said of a simulated volume, with how sure it is.
fn said(words: &str) -> Vec<(Meaning, Confidence)> {
    let target = Target::parse(words).unwrap();
    let Setup { facts, mut runner, .. } = set_up(&target, words, &Wish::default()).unwrap();
    let (steps, error) = conduct(&next, runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{error:?}");
    let mut run = Run::started(vec!["check".into()], 0);
    (run.steps, run.complete, run.target) = (steps, true, Some(facts));
    let found = analyse(&run, None, None).findings;
    found.into_iter().map(|finding| (finding.meaning, finding.confidence)).collect()
}

/// What is said of what holds a level, in a word.
#[derive(Clone, Debug, PartialEq)]
enum Word {
    Capped(f64),
    Units(u64, Charge),
    Saturated,
    Depth,
    InFlight,
    Open,
    Other,
}

/// The words on `counted` in `direction`. A unit is a word on both.
fn words(said: &[(Meaning, Confidence)], direction: Direction, counted: Counted) -> Vec<(Word, Confidence)> {
    let of = |meaning: &Meaning| {
        let (way, what, word) = match meaning {
            Meaning::IopsCap(found) => (found.direction, Counted::Operations, Word::Capped(found.cap.value)),
            Meaning::BandwidthCap(found) => (found.direction, Counted::Bytes, Word::Capped(found.cap.value)),
            Meaning::AccountingUnit(found) => {
                (found.direction, Counted::Bytes, Word::Units(found.unit, found.charge))
            }
            Meaning::Saturation(found) => (found.direction, found.counted, Word::Saturated),
            Meaning::DepthBound(found) => (found.direction, Counted::Operations, Word::Depth),
            Meaning::InFlightBound(found) => (found.direction, Counted::Bytes, Word::InFlight),
            Meaning::CpuBound(found) => (found.direction, found.counted, Word::Other),
            Meaning::MachineLimit(found) => (found.direction, found.counted, Word::Other),
            Meaning::KernelQueue(found) => (found.direction, Counted::Operations, Word::Other),
            Meaning::NotIdentifiable(found) if found.question == Question::Holds => {
                (found.direction?, found.counted, Word::Open)
            }
            _ => return None,
        };
        (way == direction && what == counted).then_some(word)
    };
    said.iter().filter_map(|(meaning, sure)| Some((of(meaning)?, *sure))).collect()
}

const READ: Direction = Direction::Read;

fn one(said: &[(Meaning, Confidence)], counted: Counted) -> Option<Word> {
    words(said, READ, counted).first().map(|(word, _)| word.clone())
}

fn capped(word: Option<Word>, truth: f64) -> bool {
    matches!(word, Some(Word::Capped(level)) if (level / truth - 1.0).abs() <= 0.03)
}

#[test]
fn two_caps_are_called_by_what_they_count() {
    for (words, iops, mib) in [
        ("sim:aws-gp3", 3000.0, 125.0),
        ("sim:custom,iops=800,bandwidth=60MiB/s,latency=0.5ms", 800.0, 60.0),
        ("sim:custom,iops=5000,bandwidth=150MiB/s,jitter=0.5,slice=100ms", 5000.0, 150.0),
    ] {
        let said = said(words);
        assert!(capped(one(&said, Counted::Operations), iops), "{words}: {said:#?}");
        assert!(capped(one(&said, Counted::Bytes), mib * MIB), "{words}: {said:#?}");
    }
}

#[test]
fn an_operation_of_32_kib_is_a_unit_and_no_bandwidth() {
    let said = said("sim:vmware-vmdk-limit,limit=1000");
    assert!(capped(one(&said, Counted::Operations), 1000.0), "{said:#?}");
    assert_eq!(one(&said, Counted::Bytes), Some(Word::Units(32 << 10, Charge::Ceil)), "{said:#?}");
}

#[test]
fn bytes_that_bind_at_4_kib_are_no_operations() {
    let said = said("sim:custom,iops=300000,bandwidth=13MB/s");
    assert!(!matches!(one(&said, Counted::Operations), Some(Word::Capped(_))), "{said:#?}");
    assert!(capped(one(&said, Counted::Bytes), 13e6), "{said:#?}");
}

#[test]
fn what_plimsoll_keeps_in_flight_is_its_own_limit() {
    let said = said("sim:custom,iops=20000,bandwidth=4000MiB/s,latency=50ms");
    assert_eq!(one(&said, Counted::Operations), Some(Word::Depth), "{said:#?}");
    assert_eq!(one(&said, Counted::Bytes), Some(Word::InFlight), "{said:#?}");
}

#[test]
fn a_busy_device_is_not_called_capped() {
    for words in [
        "sim:custom,servers=8,service=1ms,service_cv=1,server_bandwidth=500MiB/s,latency=100us",
        "sim:custom,servers=32,service=8ms,service_cv=0.5,server_bandwidth=200MiB/s,latency=100us",
        "sim:custom,servers=1,service=4ms,service_cv=2,server_bandwidth=150MiB/s,latency=100us",
    ] {
        let said = said(words);
        for counted in [Counted::Operations, Counted::Bytes] {
            assert!(!matches!(one(&said, counted), Some(Word::Capped(_))), "{words}: {said:#?}");
        }
    }
}

#[test]
fn one_budget_for_both_is_told_from_one_for_each() {
    let shared = |words: &str| {
        let said = said(words);
        let has = |kind: fn(&Meaning) -> bool| said.iter().any(|(meaning, _)| kind(meaning));
        (
            has(|one| matches!(one, Meaning::SharedBudget(_))),
            has(|one| matches!(one, Meaning::SeparateBudgets(_))),
        )
    };
    assert_eq!(shared("sim:custom,iops=2000,bandwidth=100MiB/s"), (true, false));
    let each = "sim:custom,read_iops=2000,write_iops=2000,read_bandwidth=100MiB/s,write_bandwidth=100MiB/s";
    assert_eq!(shared(each), (false, true));
}
