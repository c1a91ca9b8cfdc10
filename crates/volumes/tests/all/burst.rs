//! Simulated volumes under the engine's own load: bursts end when the policy says, at the policy's rates.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use engine::run_simulated;
use record::{Interval, Observer, StepRecord};
use volumes::SimulatedVolume;
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, FilePlan, Flush, Mix, Nanos, Pace,
    PolicyName, StepKind, StepPlan, StopRule, WorkerPlan,
};

struct Nobody;

impl Observer for Nobody {
    fn interval(&mut self, _: &Interval) {}
}

/// Runs a closed loop of 4 KiB random reads on the volume for some seconds, and returns what it recorded.
fn overload(words: &str, depth: u32, seconds: u64) -> StepRecord {
    let mut volume = SimulatedVolume::new(&PolicyName::parse(words).unwrap()).unwrap();
    let file = FilePlan { path: PathBuf::from("sim"), offset: Bytes(0), size: volume.size() };
    let worker = WorkerPlan {
        job: "overload".to_owned(),
        files: vec![file],
        access: Access::random(Mix::READ),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth,
        pace: Pace::Closed,
        backend: BackendKind::Simulated,
        direct: true,
        buffers: Buffers::Repeated,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: 1,
        cpu: None,
        terms: workload::Terms::default(),
    };
    let plan = StepPlan {
        name: "overload".to_owned(),
        kind: StepKind::Job,
        workers: vec![worker],
        stop: vec![StopRule::Time(Nanos::from_secs(seconds))],
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: Vec::new(),
    };
    run_simulated(&plan, &mut volume, Nanos::ZERO, &mut Nobody).unwrap()
}

fn rate(intervals: &[Interval]) -> f64 {
    let ops: u64 = intervals.iter().map(|interval| interval.of(Direction::Read).tally.ops).sum();
    ops as f64 / intervals.len() as f64
}

/// 5.4 million credits, with 3,000 spent and 300 earned a second, last 2,000 s.
#[test]
fn a_gp2_volume_of_100_gib_bursts_for_2000_seconds_and_then_serves_300() {
    let record = overload("aws-gp2,size=100GiB", 32, 2_400);
    let seconds = &record.intervals;
    let fast = seconds.iter().take_while(|interval| interval.of(Direction::Read).tally.ops > 1_500).count();
    assert!(fast.abs_diff(2_000) <= 1, "the burst ended after {fast} s");
    assert!((rate(&seconds[..1_990]) / 3_000.0 - 1.0).abs() < 0.001, "{}", rate(&seconds[..1_990]));
    assert!((rate(&seconds[2_010..2_400]) / 300.0 - 1.0).abs() < 0.001, "{}", rate(&seconds[2_010..2_400]));
}

#[test]
fn a_gp2_volume_without_credits_serves_its_baseline_from_the_start() {
    let record = overload("aws-gp2,size=100GiB,credits=empty", 32, 30);
    assert!((rate(&record.intervals[1..30]) / 300.0 - 1.0).abs() < 0.01);
}

#[test]
fn a_timed_burst_ends_with_time() {
    let record = overload("do-volumes-standard", 64, 100);
    assert!((rate(&record.intervals[..59]) / 7_500.0 - 1.0).abs() < 0.01);
    assert!((rate(&record.intervals[62..100]) / 5_000.0 - 1.0).abs() < 0.01);
}

/// The depth that reaches the cap is cap times latency: below it the latency sets the rate, above it the cap.
#[test]
fn the_depth_that_fills_the_cap_is_cap_times_latency() {
    let words = "aws-gp3,latency=1ms,jitter=0";
    for (depth, expected) in [(1, 1_000.0), (2, 2_000.0), (3, 3_000.0), (8, 3_000.0)] {
        let record = overload(words, depth, 5);
        let measured = rate(&record.intervals[1..5]);
        assert!((measured / expected - 1.0).abs() < 0.01, "depth {depth}: {measured}");
    }
}
