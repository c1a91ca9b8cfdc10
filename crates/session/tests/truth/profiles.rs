//! Whether the profile made from a recording is the load that was recorded: jobs on a simulated volume, sampled a second at
//! a time as a watch does, described, written as a profile, read, and run beside the job on other seeds of the same volume.

use analysis::compare::{Measure, RatioAnswer, Row};
use analysis::loads::{Drive, LoadFigures, RecordedLoad, Unknown, beside, figures_of_step, of_recording};
use experiments::{Profile, ProfileStep, ProfileTable, Step};
use record::{DeviceNode, Interval, Observer, Run, Sample};
use session::{VirtualRunner, conduct};
use statistics::Stream;
use volumes::SimulatedVolume;
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Direction, Flush, Iops, Job, LengthShare, Lengths, Mix, Nanos,
    Pace, PolicyName, StepKind, StopRule, Think, Workload,
};

use crate::checked::{each, numbers};
use crate::judge::Judgement;
use crate::table::Table;

/// Jobs that differ in kind; later ones are of the same kinds with other figures.
const KINDS: usize = 20;
/// Recorded time, and the time of each of the blocks in which job and profile are compared.
const RECORDED: Nanos = Nanos::from_secs(60);
const BLOCK: Nanos = Nanos::from_secs(15);
const BLOCKS: u64 = 8;

struct Watched(Vec<Sample>);

impl Observer for Watched {
    fn interval(&mut self, _: &Interval) {}
    fn sample(&mut self, sample: &Sample) {
        self.0.push(sample.clone());
    }
    fn interrupted(&self) -> bool {
        false
    }
}

/// Draws the job of this number, and the volume on which it runs.
fn drawn(number: usize) -> (Job, String) {
    let mut random = Stream::new(0x70_72_6f, number as u64);
    let mut scale = |low: f64, high: f64| low * (high / low).powf(random.unit_f64());
    let deep = scale(2.0, 48.0).round() as u32;
    let rate = scale(100.0, 2000.0);
    let small = [4u64, 8, 16][(scale(1.0, 8.0).log2() as usize).min(2)];
    let of = |mix: u8, kib: u64| Job {
        access: Access::random(Mix::reads(mix)),
        blocks: BlockSizes::all(Bytes::kib(kib)),
        ..Job::named("load")
    };
    let split = |job: Job, lengths: &[(u64, u32)]| {
        let share = |(kib, weight): &(u64, u32)| LengthShare { length: Bytes::kib(*kib), weight: *weight };
        let lengths = Lengths::Shares(lengths.iter().map(share).collect());
        let lengths = ByDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths };
        Job { blocks: BlockSizes { lengths, ..job.blocks.clone() }, ..job }
    };
    let paced = |job: Job, pace: Pace| Job { depth: 64, pace, ..job };
    let millis = |millis: f64| Nanos::from_secs_f64(millis / 1e3);
    let job = match number % KINDS {
        0 => of(100, small),
        1 => Job { depth: deep, ..of(100, small) },
        2 => Job { depth: deep, ..of(0, small) },
        3 => Job { depth: deep, ..of(70, small) },
        4 => Job { depth: 4, access: Access::sequential(Mix::READ), ..of(100, 1024) },
        5 => split(Job { depth: deep, ..of(100, 4) }, &[(4, 70), (64, 30)]),
        6 => split(Job { depth: deep, ..of(50, 4) }, &[(8, 50), (128, 50)]),
        7 => paced(of(100, small), Pace::Fixed(Iops(rate))),
        8 => paced(of(60, small), Pace::Fixed(Iops(rate))),
        9 => paced(of(100, small), Pace::Poisson(Iops(rate))),
        10 => paced(of(30, small), Pace::Poisson(Iops(rate))),
        11 => split(paced(of(0, 4), Pace::Poisson(Iops(rate / 4.0))), &[(4, 90), (256, 10)]),
        12 => Job { think: Some(Think::each(1, millis(scale(0.5, 8.0)))), ..of(100, small) },
        13 => Job {
            depth: deep,
            think: Some(Think::each(deep * 10, millis(scale(20.0, 80.0)))),
            ..of(100, small)
        },
        14 => Job { depth: 8, think: Some(Think::each(64, millis(scale(5.0, 50.0)))), ..of(70, 4) },
        15 => Job { flush: Flush::Every(1), ..of(0, small) },
        16 => Job { flush: Flush::Every(16), depth: 4, ..of(40, small) },
        17 => {
            let stays = [scale(1000.0, 10_000.0), scale(50.0, 300.0)];
            paced(of(100, small), Pace::Phases { rates: [Iops(rate * 4.0), Iops(rate / 20.0)], stays })
        }
        18 => Job { depth: deep, think: Some(Think::each(40_000, Nanos::from_secs(3))), ..of(100, 4) },
        _ => {
            let sizes = BlockSizes::each(Bytes::kib(4), Bytes::kib(64), Bytes::kib(4));
            Job { blocks: sizes, depth: deep.min(8), clones: 2, ..of(75, 4) }
        }
    };
    let latency = scale(200.0, 2000.0).round();
    // Half of the volumes limit what a deep job reaches.
    let iops = if number.is_multiple_of(2) { 1_000_000.0 } else { scale(3000.0, 12_000.0).round() };
    (job, format!("custom,iops={iops},latency={latency}us,jitter=0.2"))
}

fn step(job: Job, time: Nanos) -> Step {
    let workload = Workload { jobs: vec![job], stop: vec![StopRule::Time(time)], ramp: Nanos::ZERO };
    Step { name: "load".to_owned(), kind: StepKind::Job, workload, interval: None }
}

fn volume(words: &str, seed: u64) -> SimulatedVolume {
    SimulatedVolume::new(&PolicyName::parse(&format!("{words},seed={seed}")).unwrap()).unwrap()
}

/// Records the job as a watch does.
fn recorded(job: &Job, words: &str) -> Run {
    let volume = volume(words, 1);
    let facts = VirtualRunner::device(volume.size());
    let mut runner = VirtualRunner::sampled(volume, Nanos::SECOND);
    let mut watched = Watched(Vec::new());
    let once = |done: &[_]| done.is_empty().then(|| step(job.clone(), RECORDED));
    let (_, failed) = conduct(&once, &mut runner, &mut watched);
    assert!(failed.is_none(), "{failed:?}");
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_700_000_000_000);
    run.devices.push(DeviceNode { facts, timed: true, ..DeviceNode::default() });
    run.samples = watched.0;
    run.complete = true;
    run
}

/// Returns the profile as a user gets it: written as text, and read again.
fn profile(load: &RecordedLoad) -> Profile {
    let profile = Profile {
        name: "load.toml".to_owned(),
        title: "a recorded load".to_owned(),
        about: String::new(),
        measures: String::new(),
        left_out: String::new(),
        table: ProfileTable::Lines,
        size: Profile::region_of(load),
        steps: vec![ProfileStep::of_load("load", load)],
    };
    let text = profile.text(&[]);
    Profile::read("load.toml", &text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn ran(step: &Step, words: &str, seed: u64) -> LoadFigures {
    let mut runner = VirtualRunner::new(volume(words, seed));
    let mut step = step.clone();
    step.workload.jobs.iter_mut().for_each(|job| job.seed = seed);
    let once = |done: &[_]| done.is_empty().then(|| step.clone());
    let (records, failed) = conduct(&once, &mut runner, &mut Watched(Vec::new()));
    assert!(failed.is_none(), "{failed:?}");
    figures_of_step(&records[0])
}

/// Whether something that the recording does not show, and that is said, may make this figure differ.
fn is_named(load: &RecordedLoad, row: &Row) -> bool {
    let of_direction = |direction: &Direction| Some(*direction) == row.work.direction;
    load.unknowns.iter().any(|unknown| match unknown {
        Unknown::SizesMean { direction }
        | Unknown::SizesSpread { direction }
        | Unknown::SizesOverTime { direction } => row.measure.is_latency() && of_direction(direction),
        Unknown::Spacing => row.measure.is_latency(),
        // A limit lets a short burst run ahead, and a long one not.
        Unknown::RestLength => true,
        Unknown::Mix { .. } => !row.measure.is_latency(),
        _ => false,
    })
}

fn judge(number: usize) -> Table {
    let mut table = Table::default();
    let (job, words) = drawn(number);
    let load = of_recording(&recorded(&job, &words), None).remove(0);
    let profile = profile(&load);
    let case = format!(
        "job {number} on sim:{words}: depth {}, {:?}, {:?}, {:?}, {:?}",
        job.depth, job.pace, job.think, job.access.mix, job.blocks.lengths
    );
    let [original, own] = [&step(job, BLOCK), &profile.lasting(BLOCK).steps[0].step()]
        .map(|step| (0..BLOCKS).map(|seed| ran(step, &words, 7 + seed)).collect::<Vec<_>>());
    let comparison = beside(&original, &own, &load);
    assert!(!comparison.rows.is_empty(), "{case}: nothing to compare");
    for row in &comparison.rows {
        let ratio = row.ratios[1].unwrap();
        let quantity = match row.measure {
            Measure::Iops => "rate",
            Measure::BytesPerSecond => "bytes",
            Measure::MeanLatency => "mean latency",
            Measure::LatencyP50 => "p50",
            Measure::LatencyP99 => "p99",
        };
        let judged = match ratio.answer {
            RatioAnswer::Same => Judgement::Right,
            RatioAnswer::Undecided { .. } | RatioAnswer::Repeat => Judgement::Open,
            RatioAnswer::Differs if is_named(&load, row) => Judgement::HeldBack,
            RatioAnswer::Differs => Judgement::SureWrong,
        };
        let what = || {
            format!(
                "{:?} {quantity} is {:.3} times the job's; {:?}, {:?}, {:?}, dispersion {:?}",
                row.work.direction, ratio.value, load.drive, load.reads, load.writes, load.burstiness
            )
        };
        if judged == Judgement::HeldBack {
            println!("named: {case}\n      {}", what());
        }
        table.add(quantity, judged, (&case, &what));
    }
    let is_closed = matches!(load.drive, Drive::Closed { .. });
    table.figures.insert(
        format!("job {number:02}"),
        format!("{:?}{}", load.drive, if is_closed { "" } else { " (open)" }),
    );
    table
}

#[test]
fn profiles() {
    let cases: Vec<usize> = numbers(KINDS).collect();
    let mut table = Table::of(each(&cases, |number| judge(*number)));
    if cases.len() > KINDS {
        table.figures.clear();
    }
    table.conclude("profiles", cases.len());
}
