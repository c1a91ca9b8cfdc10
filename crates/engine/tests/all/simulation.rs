//! What a step must do, in virtual time on volumes of known truth.

use crate::vocabulary::*;
use engine::VolumeAnswer;
use proptest::prelude::*;
use record::{Interval, Observer, StepRecord, WorkerTotals};
use workload::{
    Access, BlockSizes, Bytes, Direction, Ending, Errnos, Iops, Mix, Nanos, OnError, Pace, StepPlan,
    StopRule, Terms, WorkerPlan,
};

fn reads(record: &StepRecord) -> u64 {
    record.tally(Direction::Read).ops
}

#[test]
fn a_closed_loop_reaches_a_cap_exactly_in_every_second() {
    let mut volume = CappedVolume::at(3_000, Nanos(500_000));
    let record = simulate(&for_seconds(60, vec![at_depth(8)]), &mut volume);
    assert_eq!(record.ending, Ending::Time);
    assert_tiled(&record);
    for interval in &record.intervals[..59] {
        assert!(ops(interval).abs_diff(3_000) <= 1, "{}", ops(interval));
    }
    let rate = reads(&record) as f64 / record.seconds();
    assert!((rate / 3_000.0 - 1.0).abs() < 1e-5, "{rate}");
}

#[test]
fn the_queue_obeys_littles_law() {
    for depth in [1, 2, 16, 100] {
        let mut volume = CappedVolume::at(5_000, Nanos::from_millis(1));
        let record = simulate(&for_seconds(20, vec![at_depth(depth)]), &mut volume);
        let rate = reads(&record) as f64 / record.seconds();
        let latency = record.tally(Direction::Read).latency_ns_mean().unwrap() / 1e9;
        assert!((rate * latency / f64::from(depth) - 1.0).abs() < 1e-3, "depth {depth}: {rate} × {latency}");
        let issued = record.workers[0].depth_counts.iter().sum::<u64>();
        assert_eq!(issued, reads(&record), "each issue is counted under its depth");
    }
}

#[test]
fn due_times_of_a_fixed_rate_do_not_depend_on_completions() {
    let plan = for_seconds(10, vec![WorkerPlan { pace: Pace::Fixed(Iops(3_000.0)), ..at_depth(4) }]);
    let mut slow = Spy::on(CappedVolume::at(2_000, Nanos::from_millis(1)));
    let mut fast = Spy::on(Parallel { latency: Nanos(1_000) });
    simulate(&plan, &mut slow);
    let record = simulate(&plan, &mut fast);
    for (number, (_, io)) in slow.seen.iter().enumerate() {
        let exact = START.0 as f64 + number as f64 * 1e9 / 3_000.0;
        assert!((io.due.0 as f64 - exact).abs() <= 1.0, "I/O {number}");
    }
    assert!(fast.seen.iter().all(|(now, io)| *now == io.due), "with a free slot nothing is late");
    assert_eq!(reads(&record), 30_000);
    assert_eq!((record.workers[0].late, record.workers[0].late_ns_max), (0, 0));
}

#[test]
fn clones_of_a_fixed_rate_take_turns_instead_of_firing_together() {
    let clone = WorkerPlan { pace: Pace::Fixed(Iops(500.0)), ..at_depth(2) };
    let other = WorkerPlan { job: "other".to_owned(), ..clone.clone() };
    let clones = (0..4).map(|seed| WorkerPlan { seed, ..clone.clone() });
    let mut volume = Spy::on(Parallel { latency: Nanos(1_000) });
    simulate(&for_seconds(1, clones.chain([other]).collect()), &mut volume);
    let mut dues: Vec<u64> = volume.seen.iter().map(|(_, io)| io.due.0 - START.0).collect();
    dues.sort_unstable();
    // Every 0.5 ms one of the four, and with each fourth one the only worker of the other job.
    let expected =
        (0..2_000u64).flat_map(|k| std::iter::repeat_n(k * 500_000, if k % 4 == 0 { 2 } else { 1 }));
    assert_eq!(dues, expected.collect::<Vec<_>>());
}

#[test]
fn poisson_counts_lie_within_three_sigma() {
    for (rate, seconds) in [(1_000u64, 20u64), (50_000, 5), (500_000, 1)] {
        let pace = Pace::Poisson(Iops(rate as f64));
        let plan = for_seconds(seconds, vec![WorkerPlan { pace, ..at_depth(64) }]);
        let record = simulate(&plan, &mut Parallel { latency: Nanos(2_000) });
        let mean = (rate * seconds) as f64;
        assert!((reads(&record) as f64 - mean).abs() < 3.0 * mean.sqrt(), "{rate}: {}", reads(&record));
    }
}

#[test]
fn a_stall_shows_as_seconds_of_zero_and_not_as_a_gap() {
    let mut volume = Stalling {
        latency: Nanos::from_millis(1),
        from: START + Nanos::from_millis(3_500),
        until: START + Nanos::from_millis(8_500),
    };
    let mut log = Log::default();
    let record = simulate_watched(&for_seconds(12, vec![at_depth(4)]), &mut volume, &mut log);
    assert_tiled(&record);
    let counts: Vec<u64> = record.intervals.iter().map(ops).collect();
    assert_eq!(counts[4..8], [0, 0, 0, 0]);
    assert!(counts[3] > 1_900 && counts[8] > 1_900, "{counts:?}");
    assert_eq!(log.intervals, record.intervals, "the watcher was told the same");
}

#[test]
fn latency_counts_from_the_due_time_through_a_stall() {
    // 1,000 per second are due all the time; for one second nothing is served. A closed loop at depth 8 would see eight
    // slow I/Os; here the thousand that were due meanwhile waited 0 to 1 s.
    let mut volume = Stalling {
        latency: Nanos::from_micros(100),
        from: START + Nanos::from_secs(2),
        until: START + Nanos::from_secs(3),
    };
    let plan = for_seconds(6, vec![WorkerPlan { pace: Pace::Fixed(Iops(1_000.0)), ..at_depth(8) }]);
    let record = simulate(&plan, &mut volume);
    let totals = &record.workers[0].directions[Direction::Read.index()];
    let slower_than_half = 1.0 - totals.latency.share_within(500 * MS).unwrap();
    assert_eq!(totals.tally.ops, 6_000);
    assert!((slower_than_half * 6_000.0 - 500.0).abs() < 10.0, "{slower_than_half}");
    assert!(record.workers[0].late > 900, "{} were issued late", record.workers[0].late);
    assert!(record.workers[0].late_ns_max > 950 * MS);
    let slow_service = 1.0 - totals.service.share_within(500 * MS).unwrap();
    assert!(slow_service * 6_000.0 < 8.5, "issued to done only the eight that were in flight are slow");
}

#[test]
fn amounts_are_exact_with_and_without_a_ramp() {
    for ramp in [Nanos::ZERO, Nanos::from_millis(1_700)] {
        let plan = workload::StepPlan { ramp, ..for_ops(5_000, vec![at_depth(16)]) };
        let record = simulate(&plan, &mut CappedVolume::at(900, Nanos::from_millis(2)));
        assert_eq!((reads(&record), record.ending), (5_000, Ending::Amount));
        assert_tiled(&record);
        let bytes =
            workload::StepPlan { ramp, ..step(vec![at_depth(16)], StopRule::BytesEach(Bytes::mib(9))) };
        let record = simulate(&bytes, &mut CappedVolume::at(900, Nanos::from_millis(2)));
        assert_eq!(record.tally(Direction::Read).bytes, Bytes::mib(9).0);
    }
}

#[test]
fn what_happens_in_the_ramp_is_recorded_but_not_counted() {
    // 100 times slower in the first 2.5 s.
    let mut volume = By(|now: Nanos, io: &workload::Io| {
        let latency = if now < START + Nanos::from_millis(2_500) { 100 * MS } else { MS };
        VolumeAnswer { done_at: now + Nanos(latency), result: io.bytes as i32 }
    });
    let plan = workload::StepPlan { ramp: Nanos::from_millis(2_700), ..for_seconds(4, vec![worker()]) };
    let record = simulate(&plan, &mut volume);
    assert_tiled(&record);
    assert_eq!(record.counted_from, START + Nanos::from_millis(2_700));
    assert_eq!(record.intervals.iter().filter(|interval| !interval.counted).count(), 3);
    assert!(record.tally(Direction::Read).latency_ns_max <= MS);
    assert!(reads(&record).abs_diff(4_000) <= 1);
}

#[test]
fn an_interrupt_ends_a_step_promptly_and_keeps_what_was_done() {
    let mut log = Log { stop_after: Some(3), ..Log::default() };
    let plan = for_seconds(100_000, vec![at_depth(32)]);
    let record = simulate_watched(&plan, &mut CappedVolume::at(1_000, Nanos::from_millis(5)), &mut log);
    assert_eq!(record.ending, Ending::Interrupted);
    assert!(record.ended < START + Nanos::from_secs(4), "{}", record.ended);
    assert_tiled(&record);
    assert!(reads(&record) >= 3_000);
}

#[test]
fn a_failed_io_ends_the_step_and_is_named() {
    const ENOSPC: i32 = 28;
    let mut served = 0;
    let mut volume = By(|now: Nanos, io: &workload::Io| {
        served += 1;
        let result = if served == 100 { -ENOSPC } else { io.bytes as i32 };
        VolumeAnswer { done_at: now + Nanos(MS), result }
    });
    let job = WorkerPlan { access: Access::sequential(Mix::WRITE), ..at_depth(2) };
    let record = simulate(&for_seconds(1_000, vec![job]), &mut volume);
    assert_eq!(record.ending, Ending::Failed);
    let failure = &record.failures[0];
    assert_eq!((record.failures.len(), failure.errno, failure.direction), (1, ENOSPC, Direction::Write));
    assert_eq!((failure.offset, failure.bytes, failure.path.as_str()), (99 * 4096, 4096, "somewhere"));
    assert_eq!(record.tally(Direction::Write).errors, 1);
}

#[test]
fn a_short_io_is_counted_as_such() {
    let mut volume =
        By(|now: Nanos, _: &workload::Io| VolumeAnswer { done_at: now + Nanos(MS), result: 512 });
    let record = simulate(&for_ops(10, vec![worker()]), &mut volume);
    let tally = record.tally(Direction::Read);
    assert_eq!((tally.ops, tally.short, tally.bytes), (10, 10, 5_120));
}

/// Keeps the intervals reported, and the totals offered after them.
#[derive(Default)]
struct SoFar {
    ops: u64,
    end: Nanos,
    totals: Vec<(u64, WorkerTotals)>,
}

impl Observer for SoFar {
    fn interval(&mut self, interval: &Interval) {
        self.ops += ops(interval);
        self.end = interval.end;
    }

    fn so_far(&mut self, totals: &dyn Fn() -> Vec<WorkerTotals>) {
        let [total] = totals().try_into().unwrap();
        let ramp = START + Nanos::SECOND;
        let counted = if self.end > ramp { (ramp, self.end) } else { (Nanos::ZERO, Nanos::ZERO) };
        assert_eq!((total.started, total.ended), counted);
        self.totals.push((self.ops, total));
    }
}

#[test]
fn totals_so_far_are_whole_and_those_of_the_intervals_so_far() {
    let paced = WorkerPlan { pace: Pace::Fixed(Iops(500.0)), ..at_depth(4) };
    let plan = StepPlan { ramp: Nanos::SECOND, ..for_seconds(4, vec![paced]) };
    let mut seen = SoFar::default();
    simulate_watched(&plan, &mut Parallel { latency: Nanos(MS) }, &mut seen);
    let counted = seen.totals.iter().filter(|(_, total)| total.ended > total.started);
    let counted: Vec<_> =
        counted.map(|(ops, total)| (*ops, &total.directions[0], &total.depth_counts)).collect();
    assert!(counted.len() >= 3, "{counted:?}");
    for (ops, reads, depth) in counted {
        assert_eq!(
            (reads.tally.ops, reads.latency.count(), reads.service.count()),
            (ops - 500, ops - 500, ops - 500)
        );
        assert!(depth[0].abs_diff(ops - 500) <= 1, "one may be in flight: {depth:?}");
    }
}

#[test]
fn jobs_are_recorded_apart_and_their_workers_together() {
    let reader = |seed| WorkerPlan { job: "readers".to_owned(), seed, ..at_depth(2) };
    let access = Access::sequential(Mix::WRITE);
    let writer = WorkerPlan { job: "writer".to_owned(), access, ..worker() };
    let plan = for_seconds(5, vec![reader(1), writer, reader(2)]);
    let record = simulate(&plan, &mut Parallel { latency: Nanos::from_millis(1) });
    assert_eq!(record.jobs, ["readers", "writer"]);
    assert_eq!(record.workers.iter().map(|worker| worker.job).collect::<Vec<_>>(), [0, 1, 0]);
    assert_tiled(&record);
    let first = |job: u16| record.intervals.iter().find(|interval| interval.job == job).unwrap();
    assert!(first(0).of(Direction::Read).tally.ops.abs_diff(4_000) <= 4);
    assert!(first(1).of(Direction::Write).tally.ops.abs_diff(1_000) <= 1);
    let whole = record.counted().iter().filter(|interval| interval.seconds() == 1.0).count();
    assert_eq!(whole, 5, "merged over jobs, one a second, and the drain behind them");
}

#[test]
fn the_same_seed_gives_the_same_record_and_another_seed_another() {
    let plan = |seed| {
        let pace = Pace::Poisson(Iops(700.0));
        let access = Access::random(Mix::reads(60));
        for_seconds(7, vec![WorkerPlan { pace, access, seed, ..at_depth(3) }])
    };
    let run = |seed| simulate(&plan(seed), &mut CappedVolume::at(800, Nanos::from_millis(1)));
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).intervals, run(6).intervals);
}

#[test]
fn a_steady_rate_is_certain_early_and_an_unsteady_one_never() {
    let certain =
        StopRule::Certain { half_width: 0.01, least: Nanos::from_secs(4), most: Nanos::from_secs(60) };
    let steady =
        simulate(&step(vec![at_depth(8)], certain), &mut CappedVolume::at(2_000, Nanos::from_millis(1)));
    assert_eq!(steady.ending, Ending::Certain);
    assert!(steady.seconds() < 12.0, "{}", steady.seconds());
    // A volume that keeps falling to a third of its rate, in bursts of changing length, never settles.
    let mut unsteady = By(|now: Nanos, io: &workload::Io| {
        let second = now.since(START).0 / 1_000_000_000;
        let latency = if second.is_multiple_of(7) || second % 5 < 2 { 3 } else { 1 };
        VolumeAnswer { done_at: now + Nanos(latency * MS), result: io.bytes as i32 }
    });
    let record = simulate(&step(vec![worker()], certain), &mut unsteady);
    assert_eq!(record.ending, Ending::Uncertain);
    assert!((record.seconds() - 60.0).abs() < 0.01);
    assert_tiled(&record);
}

#[test]
fn a_step_without_workers_only_lets_time_pass() {
    let record = simulate(&for_seconds(5, Vec::new()), &mut Parallel { latency: Nanos(1) });
    assert_eq!((record.seconds(), record.ending), (5.0, Ending::Time));
    assert!(record.intervals.is_empty());
}

#[test]
fn what_ends_in_the_drain_is_a_short_interval_of_its_own() {
    let record =
        simulate(&for_seconds(3, vec![at_depth(8)]), &mut CappedVolume::at(1_000, Nanos::from_millis(5)));
    assert_eq!(record.intervals.len(), 4);
    assert!(record.intervals[..3].iter().all(|interval| interval.seconds() == 1.0));
    let whole: u64 = record.intervals[1..3].iter().map(ops).sum();
    assert_eq!(whole, 2_000, "no drain in a whole second");
    assert!(record.intervals[3].seconds() < 0.02);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_record_is_tiled_and_adds_up(
        workers in 1u32..4, depth in 1u32..9, percent in 0u8..=100, ramp in 0u64..2_500, time in 1u64..6_000,
        interval in 50u64..1_500, pace in 0u8..3, flush in 0u32..5, gap in 1u64..40,
    ) {
        let pace = match pace {
            0 => Pace::Closed,
            1 => Pace::Fixed(Iops(200.0)),
            _ => Pace::Poisson(Iops(200.0)),
        };
        let flush = if flush == 0 { workload::Flush::Never } else { workload::Flush::Every(flush) };
        let access = Access::random(Mix::reads(percent));
        let one = |seed| WorkerPlan {
            job: format!("job {}", seed % 2), access: access.clone(), pace, flush, seed, ..at_depth(depth)
        };
        let plan = workload::StepPlan {
            ramp: Nanos(ramp * MS),
            interval: Nanos(interval * MS),
            ..step((0..workers).map(|w| one(u64::from(w))).collect(), StopRule::Time(Nanos(time * MS)))
        };
        let mut volume = CappedVolume::at(1_000 / gap, Nanos::from_millis(3));
        let record = simulate(&plan, &mut volume);
        assert_tiled(&record);
        prop_assert!(record.intervals.iter().all(|interval| !interval.smeared));
        prop_assert!(record.ended >= START + Nanos((ramp + time) * MS));
    }
}

#[test]
fn blocks_of_each_direction_have_their_own_length() {
    let blocks = BlockSizes::each(Bytes::kib(4), Bytes::kib(64), Bytes(0));
    let job = WorkerPlan { blocks, access: Access::random(Mix::reads(50)), ..at_depth(4) };
    let record = simulate(&for_ops(1_000, vec![job]), &mut Parallel { latency: Nanos(MS) });
    for (direction, block) in [(Direction::Read, 4096), (Direction::Write, 65_536)] {
        let tally = record.tally(direction);
        assert_eq!(tally.bytes, tally.ops * block);
        assert!(tally.ops > 400);
    }
}

/// What a faulty volume did with an I/O: all of it, a part, nothing, or an error.
fn fate(number: u64, io: &workload::Io) -> i32 {
    match number % 11 {
        0 => -5,
        1 => 0,
        2 => io.bytes as i32 / 2,
        3 => -28,
        _ => io.bytes as i32,
    }
}

proptest! {
    /// issued = done + failed + held, whatever the volume does; an I/O that moved nothing has failed.
    #[test]
    fn every_io_is_done_or_failed(
        seed: u64,
        depth in 1u32..40,
        reads in 0u8..=100,
        passes_over: bool,
        workers in 1usize..4,
    ) {
        let on_error = match passes_over {
            true => OnError::Continue { reads: Errnos::These(vec![5, 28]), writes: Errnos::These(vec![5, 28]) },
            false => OnError::Stop,
        };
        let terms = Terms { on_error, ..Terms::default() };
        let worker = WorkerPlan { access: Access::random(Mix::reads(reads)), terms, ..at_depth(depth) };
        let workers = (0..workers).map(|number| WorkerPlan { seed: seed ^ number as u64, ..worker.clone() });
        let plan = step(workers.collect(), StopRule::OpsEach(200));
        let mut random = statistics::Stream::new(seed, 0);
        let mut moved = (0, 0);
        let mut volume = Spy::on(By(|now: Nanos, io: &workload::Io| {
            let result = fate(random.next_u64(), io);
            moved.0 += u64::from(result > 0);
            moved.1 += result.max(0) as u64;
            VolumeAnswer { done_at: now + Nanos(1 + random.next_u64() % 5_000_000), result }
        }));
        let record = simulate(&plan, &mut volume);
        let issued = volume.seen.len() as u64;
        let sum = |part: fn(&record::Tally) -> u64| Direction::ALL.iter().map(|way| part(&record.tally(*way))).sum::<u64>();
        let (done, failed) = (sum(|tally| tally.ops), sum(|tally| tally.errors));
        prop_assert_eq!(done + failed, issued);
        let counted: u64 = record.workers.iter().flat_map(|worker| worker.depth_counts).sum();
        prop_assert_eq!(counted, issued, "each was counted when it was issued");
        prop_assert_eq!((done, sum(|tally| tally.bytes)), moved, "only what moved something is done");
        prop_assert_eq!(record.ending == Ending::Failed, failed > 0 && !passes_over);
        assert_adds_up(&record);
    }
}
