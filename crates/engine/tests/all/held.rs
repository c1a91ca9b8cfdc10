//! Workers held to a rate, to a latency or to each other, on volumes of known truth.

use crate::vocabulary::*;
use record::{BoundCrossing, CrossedBound, Note, RateUnit, SteeredDepth, StepRecord, TargetOutcome};
use workload::{
    Bounds, ByDirection, Direction, Ending, Flow, LeastRates, Nanos, Steering, StepPlan, StopRule, Terms,
    WhenFound, WorkerPlan,
};

fn ms(count: u64) -> Nanos {
    Nanos::from_millis(count)
}

fn with(terms: Terms, depth: u32) -> WorkerPlan {
    WorkerPlan { terms, ..at_depth(depth) }
}

fn for_ten_seconds(workers: Vec<WorkerPlan>) -> StepPlan {
    StepPlan { interval: ms(100), ..for_seconds(10, workers) }
}

fn done(record: &StepRecord, worker: usize) -> u64 {
    record.workers[worker].directions.iter().map(|direction| direction.tally.ops).sum()
}

fn at_least(ops: u64) -> Terms {
    let rates =
        LeastRates { ops: ByDirection::all(ops), window: ms(100), grace: ms(200), ..LeastRates::default() };
    Terms { bounds: Bounds { rates: Some(rates), ..Bounds::default() }, ..Terms::default() }
}

#[test]
fn a_worker_below_its_least_rate_fails_at_the_end_of_the_first_window_behind_the_grace() {
    let plan = for_ten_seconds(vec![with(at_least(1_100), 1)]);
    let record = simulate(&plan, &mut Parallel { latency: ms(1) });
    assert_adds_up(&record);
    assert_eq!((record.ending, record.workers[0].first_errno), (Ending::Failed, Some(5)));
    assert_eq!(record.workers[0].ended.since(record.started), ms(300));
    let bound =
        CrossedBound::Rate { direction: Direction::Read, unit: RateUnit::Ops, least: 1_100, got: 1_000 };
    let crossed = BoundCrossing { job: record.jobs[0].clone(), bound };
    assert_eq!(record.notes, [Note::Crossed(crossed)]);
    let kept = simulate(&for_ten_seconds(vec![with(at_least(990), 1)]), &mut Parallel { latency: ms(1) });
    assert_eq!((kept.ending, kept.notes.len()), (Ending::Time, 0));
}

#[test]
fn an_io_beyond_its_latency_is_counted_and_ends_its_worker() {
    let latency = ByDirection { read: Some(ms(1)), ..ByDirection::default() };
    let terms = Terms { bounds: Bounds { latency, rates: None }, ..Terms::default() };
    let plan = for_ten_seconds(vec![with(terms, 4)]);
    let record = simulate(&plan, &mut Parallel { latency: ms(2) });
    assert_adds_up(&record);
    assert_eq!(
        (record.ending, record.workers[0].first_errno, done(&record, 0)),
        (Ending::Failed, Some(110), 4)
    );
    assert!(record.failures.is_empty(), "the I/O itself is well");
    let kept = simulate(&plan, &mut Parallel { latency: ms(1) });
    assert_eq!(kept.ending, Ending::Time);
}

fn steered(target: Nanos, then: WhenFound) -> Terms {
    let steering = Steering { target, window: ms(130), percent: 99.0, then };
    Terms { steering: Some(steering), ..Terms::default() }
}

/// At 10,000 I/Os per second a queue of `n` takes `n / 10` milliseconds.
#[test]
fn the_depth_is_found_at_which_a_latency_holds_and_only_its_last_window_counts() {
    for (target, most, depth) in [(ms(1), 64, 10), (ms(100), 64, 64), (Nanos::from_micros(310), 64, 3)] {
        let plan = for_ten_seconds(vec![with(steered(target, WhenFound::Measured), most)]);
        let record = simulate(&plan, &mut CappedVolume::at(10_000, Nanos::from_micros(100)));
        assert_adds_up(&record);
        let found = SteeredDepth { job: record.jobs[0].clone(), depth, held: TargetOutcome::Yes };
        assert_eq!(record.notes, [Note::Steered(found)], "{target}");
        let worker = &record.workers[0];
        assert_eq!(worker.ending, Some(Ending::Amount));
        let counted = worker.ended.since(worker.started);
        assert!(counted >= ms(130) && counted < ms(145), "{counted}");
        assert!((1_290..1_400).contains(&done(&record, 0)), "{}", done(&record, 0));
        assert!(record.intervals.iter().any(|interval| !interval.counted), "the search does not count");
    }
}

#[test]
fn where_no_depth_holds_or_one_is_followed_everything_counts() {
    let of = |target, then| {
        let plan = for_ten_seconds(vec![with(steered(target, then), 64)]);
        let record = simulate(&plan, &mut CappedVolume::at(10_000, Nanos::from_micros(100)));
        assert_adds_up(&record);
        assert_eq!(record.ending, Ending::Time);
        let Some(Note::Steered(steered)) = record.notes.first().cloned() else { panic!("nothing is told") };
        (steered.depth, steered.held, done(&record, 0))
    };
    let (depth, held, ops) = of(Nanos::from_micros(50), WhenFound::Measured);
    assert_eq!((depth, held), (1, TargetOutcome::No));
    assert!(ops > 90_000, "{ops} in ten seconds");
    let (depth, _, ops) = of(ms(1), WhenFound::Followed);
    assert!((9..=20).contains(&depth) && ops > 90_000, "{depth}, {ops}");
}

#[test]
fn workers_of_a_flow_keep_their_proportion_and_go_on_when_one_ends() {
    let share = |weight, stop| Terms {
        flow: Some(Flow { id: 1, weight, rest: Nanos::ZERO }),
        stop,
        ..Terms::default()
    };
    let both = vec![with(share(3, Vec::new()), 8), with(share(1, Vec::new()), 1)];
    let record = simulate(&for_ten_seconds(both), &mut Parallel { latency: ms(1) });
    assert_adds_up(&record);
    let (three, one) = (done(&record, 0), done(&record, 1));
    assert!(one > 9_000 && three.abs_diff(3 * one) < 80, "{three} to {one}");
    let ends = vec![with(share(1, Vec::new()), 8), with(share(1, vec![StopRule::OpsEach(100)]), 1)];
    let record = simulate(&for_ten_seconds(ends), &mut Parallel { latency: ms(1) });
    assert!(done(&record, 0) > 70_000, "{}: nobody is left to wait for", done(&record, 0));
}
