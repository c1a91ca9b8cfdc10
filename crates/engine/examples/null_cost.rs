//! What the engine costs per I/O: user CPU on the null backend and in simulation, with full accounting.
//!
//! `null_cost [SECONDS]` prints all; `null_cost ops DEPTH COUNT` runs COUNT I/Os once, for an instruction count.

use std::path::PathBuf;

use engine::{Volume, VolumeAnswer, run_real, run_simulated};
use record::{Interval, Observer, StepRecord};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, FilePlan, Flush, Io, Iops, Mix, Nanos, Pace,
    StepKind, StepPlan, StopRule, WorkerPlan,
};

struct Quiet;

impl Observer for Quiet {
    fn interval(&mut self, _: &Interval) {}
}

/// A volume with 3,000 I/Os per second of any kind.
struct CappedVolume {
    free_at: Nanos,
}

impl Volume for CappedVolume {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.free_at = self.free_at.max(now) + Nanos(333_333);
        VolumeAnswer { done_at: self.free_at + Nanos(500_000), result: io.bytes as i32 }
    }
}

fn worker(depth: u32, access: Access, backend: BackendKind) -> WorkerPlan {
    let region = FilePlan { path: PathBuf::from("null:"), offset: Bytes(0), size: Bytes::gib(100) };
    WorkerPlan {
        job: "cost".to_owned(),
        files: vec![region],
        access,
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth,
        pace: Pace::Closed,
        backend,
        direct: true,
        buffers: Buffers::Repeated,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: 1,
        cpu: None,
        terms: workload::Terms::default(),
    }
}

fn plan(worker: WorkerPlan, stop: StopRule) -> StepPlan {
    StepPlan {
        name: "cost".to_owned(),
        kind: StepKind::Job,
        workers: vec![worker],
        stop: vec![stop],
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: Vec::new(),
    }
}

fn ops(record: &StepRecord) -> u64 {
    record.tally(Direction::Read).ops + record.tally(Direction::Write).ops
}

fn real(depth: u32, access: Access, stop: StopRule) -> (f64, f64) {
    let plan = plan(worker(depth, access, BackendKind::Null), stop);
    let record = match run_real(&plan, &[], kernel::Clock::start(), &mut Quiet) {
        Ok(record) => record,
        Err(error) => panic!("{error}"),
    };
    let user = record.workers.iter().map(|worker| worker.user_cpu_ns).sum::<u64>() as f64;
    (user / ops(&record) as f64, ops(&record) as f64 / record.seconds())
}

/// The rate of a pace, and how late its I/Os are.
fn paced(pace: Pace, stop: StopRule) -> String {
    let worker = WorkerPlan { pace, ..worker(64, Access::random(Mix::READ), BackendKind::Null) };
    let record = match run_real(&plan(worker, stop), &[], kernel::Clock::start(), &mut Quiet) {
        Ok(record) => record,
        Err(error) => panic!("{error}"),
    };
    let latency = record.latency(Direction::Read);
    let percentile = |percent| Nanos(latency.percentile(percent).unwrap_or_default());
    let rate = ops(&record) as f64 / record.seconds();
    format!("{pace:?}: {rate:.0} IOPS, due to done p50 {}, p99 {}", percentile(50.0), percentile(99.0))
}

#[allow(clippy::print_stdout)]
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    if words.first().is_some_and(|word| word == "ops") {
        let (depth, count) = (number(1).unwrap_or(64) as u32, number(2).unwrap_or(1_000_000));
        real(depth, Access::random(Mix::READ), StopRule::OpsEach(count));
        return;
    }
    let time = StopRule::Time(Nanos::from_secs(number(0).unwrap_or(2)));
    for (name, access) in [
        ("random reads, each block once", Access::random(Mix::READ)),
        ("sequential reads", Access::sequential(Mix::READ)),
        ("70/30 random", Access::random(Mix::reads(70))),
    ] {
        for depth in [64, 1] {
            let (ns, iops) = real(depth, access.clone(), time);
            println!("null   depth {depth:>3}  {ns:>6.1} ns user CPU per I/O  {iops:>12.0} IOPS  {name}");
        }
    }
    for rate in [1_000.0, 50_000.0, 500_000.0] {
        for pace in [Pace::Fixed(Iops(rate)), Pace::Poisson(Iops(rate))] {
            println!("{}", paced(pace, time));
        }
    }
    for block in [4 << 10, 1 << 20] {
        let (mut buffer, rounds) = (vec![0; block], (4usize << 30) / block);
        let before = kernel::thread_cpu_time();
        (0..rounds).for_each(|round| engine::fill::unique(&mut buffer, 1, round as u64, 1));
        let spent = kernel::thread_cpu_time().since(before).total().as_secs_f64();
        println!(
            "unique data in blocks of {}: {:.1} GB/s",
            Bytes(block as u64),
            (rounds * block) as f64 / spent / 1e9
        );
    }
    for depth in [1, 64] {
        let before = kernel::thread_cpu_time();
        let time = StopRule::Time(Nanos::from_secs(2_400));
        let plan = plan(worker(depth, Access::random(Mix::READ), BackendKind::Simulated), time);
        let mut volume = CappedVolume { free_at: Nanos::ZERO };
        let Ok(record) = run_simulated(&plan, &mut volume, Nanos::ZERO, &mut Quiet) else { return };
        let spent = kernel::thread_cpu_time().since(before).total();
        let each = spent.0 as f64 / ops(&record) as f64;
        println!("simulated depth {depth:>3}  {each:>6.1} ns per I/O, 2,400 s in {spent}");
    }
}
