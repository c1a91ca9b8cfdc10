//! Terms of a single worker of a step: start, ramp, end, rests, errors, and which workers stop with it.

use crate::vocabulary::*;
use engine::VolumeAnswer;
use record::StepRecord;
use workload::{
    Access, Bytes, Direction, Ending, Errnos, Exit, Flush, Io, Iops, Mix, Nanos, OnError, Pace, Reach, Start,
    StepPlan, StopRule, Terms, Think, ThinkCount, ThinkPace, Totals, WorkerPlan,
};

/// A job of depth 1 that does an I/O each millisecond, on its own terms.
fn on_terms(job: &str, terms: Terms) -> WorkerPlan {
    WorkerPlan { job: job.to_owned(), terms, ..worker() }
}

fn ms(count: u64) -> Nanos {
    Nanos::from_millis(count)
}

fn for_ms(count: u64) -> Vec<StopRule> {
    vec![StopRule::Time(ms(count))]
}

/// A step without an end of its own, in intervals of 100 ms.
fn side_by_side(workers: Vec<WorkerPlan>) -> StepPlan {
    StepPlan { stop: Vec::new(), interval: ms(100), ..for_seconds(1, workers) }
}

fn each_in_a_millisecond(plan: &StepPlan) -> StepRecord {
    let record = simulate(plan, &mut Parallel { latency: ms(1) });
    assert_adds_up(&record);
    record
}

fn done(record: &StepRecord, worker: usize) -> u64 {
    record.workers[worker].directions.iter().map(|direction| direction.tally.ops).sum()
}

/// When worker `number` began and ended counting, in milliseconds from the step's start.
fn counted(record: &StepRecord, number: usize) -> (f64, f64) {
    let worker = &record.workers[number];
    let since = |at: Nanos| at.since(record.started).0 as f64 / 1e6;
    (since(worker.started), since(worker.ended))
}

#[test]
fn jobs_side_by_side_have_each_their_own_start_ramp_and_end() {
    let plan = side_by_side(vec![
        on_terms("plain", Terms { stop: for_ms(1_000), ..Terms::default() }),
        on_terms("late", Terms { delay: ms(250), stop: for_ms(300), ..Terms::default() }),
        on_terms("ramped", Terms { ramp: Some(ms(130)), stop: for_ms(400), ..Terms::default() }),
        on_terms("amount", Terms { stop: vec![StopRule::OpsEach(50)], ..Terms::default() }),
    ]);
    let record = each_in_a_millisecond(&plan);
    assert_eq!(record.ending, Ending::Time);
    assert_eq!(counted(&record, 0), (0.0, 1_000.0));
    assert_eq!(counted(&record, 1), (250.0, 550.0));
    assert_eq!(counted(&record, 2), (130.0, 530.0));
    assert_eq!(counted(&record, 3), (0.0, 50.0));
    assert_eq!([0, 1, 2, 3].map(|worker| done(&record, worker)), [1_000, 300, 401, 50]);
    assert_eq!((record.counted_from, record.ended), (START, START + ms(1_000)));
}

#[test]
fn the_intervals_of_a_job_are_those_of_its_own_life() {
    let terms = Terms { delay: ms(250), ramp: Some(ms(130)), stop: for_ms(200), ..Terms::default() };
    let plan = side_by_side(vec![
        on_terms("late", terms),
        on_terms("other", Terms { stop: for_ms(1_000), ..Terms::default() }),
    ]);
    let record = each_in_a_millisecond(&plan);
    let late: Vec<(u64, u64, bool, u64)> = record
        .intervals
        .iter()
        .filter(|interval| interval.job == 0)
        .map(|one| {
            let since = |at: Nanos| at.since(START).0 / MS;
            (since(one.start), since(one.end), one.counted, ops(one))
        })
        .collect();
    let expected = [
        (250, 300, false, 49),
        (300, 380, false, 80),
        (380, 400, true, 20),
        (400, 500, true, 100),
        (500, 580, true, 81),
    ];
    assert_eq!(late, expected);
    let merged = record.counted();
    assert!(merged.windows(2).all(|pair| pair[0].end == pair[1].start));
    let lengths: Vec<u64> = merged.iter().map(|one| one.end.since(one.start).0 / MS).collect();
    assert_eq!(
        lengths,
        [100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 0],
        "the last I/O ends with the step"
    );
    assert_eq!(merged.iter().map(ops).sum::<u64>(), 1_000 + 201);
}

#[test]
fn the_end_of_the_step_ends_those_whose_own_is_later() {
    let late = Terms { delay: ms(700), stop: for_ms(600), ..Terms::default() };
    let never = Terms { delay: ms(5_000), ..Terms::default() };
    let workers = vec![on_terms("late", late), on_terms("never", never), worker()];
    let record = each_in_a_millisecond(&for_seconds(1, workers));
    assert_eq!(counted(&record, 0), (700.0, 1_000.0));
    assert_eq!([0, 1, 2].map(|worker| done(&record, worker)), [300, 0, 1_000]);
    assert!(record.intervals.iter().all(|interval| interval.job != 1), "it was never at work");
}

#[test]
fn what_is_done_after_the_time_is_over_does_not_count() {
    for (ramp, interval) in [(0, 100), (150, 100), (150, 40)] {
        let terms = Terms { ramp: Some(ms(ramp)), cool: ms(330), stop: for_ms(500), ..Terms::default() };
        let plan = StepPlan { interval: ms(interval), ..side_by_side(vec![on_terms("job", terms)]) };
        let mut volume = Spy::on(Parallel { latency: ms(1) });
        let record = simulate(&plan, &mut volume);
        assert_adds_up(&record);
        assert_eq!(counted(&record, 0), (ramp as f64, ramp as f64 + 500.0));
        assert_eq!(done(&record, 0), if ramp == 0 { 499 } else { 500 }, "what ends at the deadline is late");
        assert_eq!(volume.seen.len() as u64, ramp + 500 + 330);
        assert_eq!(record.ended, START + ms(ramp + 500 + 330));
    }
}

#[test]
fn a_job_begins_when_all_that_it_waits_for_and_its_delay_are_over() {
    let first = |count| Terms { stop: vec![StopRule::OpsEach(count)], ..Terms::default() };
    let start = Start::After(vec!["first".into(), "second".into()]);
    let third = Terms { start: start.clone(), delay: ms(80), stop: for_ms(100), ..Terms::default() };
    let fourth = Terms { start: Start::After(vec!["third".into()]), ..third.clone() };
    let plan = side_by_side(vec![
        on_terms("first", first(30)),
        on_terms("first", first(70)),
        on_terms("second", first(50)),
        on_terms("third", third),
        WorkerPlan { pace: Pace::Fixed(Iops(100.0)), ..on_terms("fourth", fourth) },
    ]);
    let record = each_in_a_millisecond(&plan);
    assert_eq!(counted(&record, 3), (80.0, 180.0));
    assert_eq!(counted(&record, 4), (180.0, 280.0));
    assert_eq!((done(&record, 3), done(&record, 4)), (100, 10), "due times count from its own start");
}

#[test]
fn the_first_to_end_takes_its_group_or_the_step_with_it() {
    let member = |group, done| {
        let exit = Exit { group, done, ..Exit::default() };
        move |stop| Terms { exit, stop, ..Terms::default() }
    };
    let jobs = |reach| {
        vec![
            on_terms("short", member(1, reach)(for_ms(200))),
            on_terms("mate", member(1, reach)(for_ms(900))),
            on_terms("other", member(2, reach)(for_ms(500))),
            on_terms(
                "waiting",
                Terms { start: Start::After(vec!["mate".into()]), ..member(1, reach)(for_ms(100)) },
            ),
        ]
    };
    let ends = |reach| {
        let record = each_in_a_millisecond(&side_by_side(jobs(reach)));
        [0, 1, 2, 3].map(|worker| (counted(&record, worker).1, done(&record, worker)))
    };
    assert_eq!(ends(Reach::Itself), [(200.0, 200), (900.0, 900), (500.0, 500), (1_000.0, 100)]);
    assert_eq!(ends(Reach::Group), [(200.0, 200), (200.0, 200), (500.0, 500), (200.0, 0)]);
    assert_eq!(ends(Reach::Step), [(200.0, 200), (200.0, 200), (200.0, 200), (200.0, 0)]);
}

/// Fails every tenth I/O with EIO, and every hundredth with ENOSPC.
fn faulty() -> impl engine::Volume {
    let mut count = 0;
    By(move |now: Nanos, io: &Io| {
        count += 1;
        let result = match count {
            count if count % 100 == 0 => -28,
            count if count % 10 == 0 => -5,
            _ => io.bytes as i32,
        };
        VolumeAnswer { done_at: now + ms(1), result }
    })
}

#[test]
fn errors_that_are_passed_over_are_counted_and_any_other_ends_the_job() {
    let run = |on_error| {
        let terms = Terms { on_error, stop: vec![StopRule::OpsEach(350)], ..Terms::default() };
        let record = simulate(&side_by_side(vec![on_terms("job", terms)]), &mut faulty());
        assert_adds_up(&record);
        let tally = record.tally(Direction::Read);
        (record.ending, tally.ops, tally.errors, record.workers[0].first_errno)
    };
    let these = |list: &[i32]| OnError::Continue { reads: Errnos::These(list.to_vec()), writes: Errnos::Any };
    assert_eq!(run(OnError::Stop), (Ending::Failed, 9, 1, Some(5)));
    assert_eq!(run(these(&[5])), (Ending::Failed, 90, 10, Some(5)), "ENOSPC is not among them");
    assert_eq!(run(these(&[5, 28])), (Ending::Amount, 315, 35, Some(5)));
    assert_eq!(run(these(&[])), (Ending::Failed, 9, 1, Some(5)));
}

#[test]
fn a_job_that_fails_ends_the_step_or_only_itself() {
    let with =
        |failed| Terms { exit: Exit { failed, ..Exit::default() }, stop: for_ms(100), ..Terms::default() };
    for (reach, others) in [(Reach::Step, 10), (Reach::Itself, 100)] {
        let plan = side_by_side(vec![on_terms("a", with(reach)), on_terms("b", with(reach))]);
        // The files of both have the same name; the first I/O served is the first worker's.
        let mut first = true;
        let mut volume = By(move |now: Nanos, io: &Io| {
            let fails = now == START + ms(9) && std::mem::take(&mut first);
            VolumeAnswer { done_at: now + ms(1), result: if fails { -5 } else { io.bytes as i32 } }
        });
        let record = simulate(&plan, &mut volume);
        assert_eq!((record.ending, done(&record, 0)), (Ending::Failed, 9));
        assert!(done(&record, 1).abs_diff(others) <= 1, "{reach:?}: {}", done(&record, 1));
    }
}

/// Times of issue in milliseconds from the start.
fn issues(depth: u32, pace: Pace, think: Think, count: u64) -> Vec<f64> {
    let terms = Terms { think: Some(think), stop: vec![StopRule::OpsEach(count)], ..Terms::default() };
    let job = WorkerPlan { depth, pace, ..on_terms("job", terms) };
    let mut volume = Spy::on(Parallel { latency: ms(1) });
    let record = simulate(&side_by_side(vec![job]), &mut volume);
    assert_eq!(record.tally(Direction::Read).ops, count, "a rest takes nothing from the amount");
    volume.seen.iter().map(|(now, _)| now.since(START).0 as f64 / 1e6).collect()
}

#[test]
fn after_so_many_ios_the_queue_runs_empty_and_then_the_pause_begins() {
    let think = Think::each(3, ms(10));
    assert_eq!(issues(1, Pace::Closed, think, 7), [0.0, 1.0, 2.0, 13.0, 14.0, 15.0, 26.0]);
    let busy = Think { spin: ms(4), ..think };
    assert_eq!(
        issues(1, Pace::Closed, busy, 4),
        [0.0, 1.0, 2.0, 13.0],
        "busy or idle, the pause is the same"
    );
    let issued = Think { counted: ThinkCount::Issued, ..think };
    assert_eq!(issues(2, Pace::Closed, issued, 7), [0.0, 0.0, 1.0, 12.0, 12.0, 13.0, 24.0]);
}

#[test]
fn what_is_done_while_the_queue_runs_empty_counts_for_the_next_rest() {
    // Four in flight come back together, so each rest after three of them has one too many.
    let starts = issues(4, Pace::Closed, Think::each(3, ms(10)), 30);
    let rounds = starts.iter().filter(|at| **at < 100.0).count();
    assert!((27..=30).contains(&rounds), "three a round on average: {starts:?}");
}

/// The real fio rests as often, the last time after the last I/O.
#[test]
fn a_queue_rests_as_often_as_that_of_fio() {
    for (depth, every, count, rests) in
        [(1, 1, 5, 5), (1, 3, 6, 2), (1, 3, 7, 2), (4, 1, 16, 13), (4, 2, 16, 6), (4, 8, 16, 1)]
    {
        let think = Think::each(every, ms(100));
        let terms = Terms { think: Some(think), stop: vec![StopRule::OpsEach(count)], ..Terms::default() };
        let plan = side_by_side(vec![WorkerPlan { depth, ..on_terms("job", terms) }]);
        let record = simulate(&plan, &mut CappedVolume::at(1_000, Nanos::ZERO));
        let (from, until) = counted(&record, 0);
        assert_eq!(((until - from) / 100.0) as u64, rests, "every {every} at depth {depth}");
    }
}

#[test]
fn a_burst_leaves_what_is_in_flight_alone() {
    let burst = Think::burst(3, ms(10));
    assert_eq!(issues(4, Pace::Closed, burst, 8), [0.0, 0.0, 0.0, 10.0, 10.0, 10.0, 20.0, 20.0]);
    assert_eq!(issues(1, Pace::Closed, burst, 5), [0.0, 1.0, 2.0, 12.0, 13.0]);
}

#[test]
fn a_flush_that_is_due_comes_before_the_rest_and_before_the_end() {
    let think = Think { counted: ThinkCount::Issued, ..Think::each(2, ms(10)) };
    let terms = Terms { think: Some(think), stop: vec![StopRule::OpsEach(6)], ..Terms::default() };
    let access = Access::sequential(Mix::WRITE);
    let job = WorkerPlan { flush: Flush::Every(2), access, ..on_terms("job", terms) };
    let mut volume = Spy::on(Parallel { latency: ms(1) });
    simulate(&side_by_side(vec![job]), &mut volume);
    let times: Vec<u64> = volume.seen.iter().map(|(now, _)| now.since(START).0 / MS).collect();
    assert_eq!(times, [0, 1, 2, 13, 14, 15, 26, 27, 28]);
    assert_eq!(volume.count(Direction::Flush), 3);
    let offsets: Vec<u64> =
        volume.seen.iter().filter(|(_, io)| io.bytes > 0).map(|(_, io)| io.offset).collect();
    assert_eq!(offsets, [0, 4096, 8192, 12288, 16384, 20480], "a rest leaves out no place");
}

#[test]
fn a_rest_can_come_by_the_clock() {
    let think = Think { after: Some(Nanos(2_500_000)), ..Think::each(u32::MAX, ms(10)) };
    assert_eq!(issues(1, Pace::Closed, think, 7), [0.0, 1.0, 2.0, 13.0, 14.0, 15.0, 26.0]);
}

#[test]
fn a_pace_catches_up_after_a_rest_unless_its_due_times_move() {
    let pace = Pace::Fixed(Iops(500.0));
    let kept = Think::each(2, ms(10));
    assert_eq!(issues(1, pace, kept, 6), [0.0, 2.0, 13.0, 14.0, 25.0, 26.0]);
    let moved = Think { pace: ThinkPace::Moved, ..kept };
    assert_eq!(issues(1, pace, moved, 6), [0.0, 2.0, 13.0, 14.0, 25.0, 26.0]);
    let slow = Pace::Fixed(Iops(50.0));
    let each = Think { pace: ThinkPace::Moved, ..Think::each(1, ms(100)) };
    assert_eq!(issues(1, slow, each, 4), [0.0, 101.0, 202.0, 303.0], "as many as the pauses allow");
    let short = Think { pace: ThinkPace::Moved, ..Think::each(1, ms(10)) };
    assert_eq!(issues(1, slow, short, 3), [0.0, 30.0, 60.0], "a gap that is longer than the pause is kept");
}

/// The real fio does 7 I/Os in 3 s with `--iodepth=64 --rate=8M --bs=256k --thinktime=500000`.
#[test]
fn a_queue_that_a_pace_leaves_with_room_rests_after_its_next_io() {
    let pace = Pace::Fixed(Iops(32.0));
    assert_eq!(issues(64, pace, Think::each(1, ms(500)), 5), [0.0, 31.25, 532.25, 1033.25, 1534.25]);
}

/// The real fio does 273 I/Os in 3 s with `--rate_iops=200 --thinktime=100ms --thinktime_blocks=3 --iodepth=16`: it reaps one by
/// one, so the second of two completions that a rest lacks follows another I/O, and the rest of a batch counts for the next.
#[test]
fn a_full_queue_refills_until_the_last_completion_that_a_rest_lacks() {
    let starts = issues(16, Pace::Fixed(Iops(200.0)), Think::each(3, ms(100)), 40);
    let mut rounds: Vec<(f64, usize)> = Vec::new();
    for at in starts {
        match rounds.last_mut() {
            Some((last, count)) if *last == at => *count += 1,
            _ => rounds.push((at, 1)),
        }
    }
    let idle = [(0.0, 1), (5.0, 1), (10.0, 1), (15.0, 1)];
    let late = [(116.0, 16), (117.0, 1), (218.0, 1), (319.0, 16), (320.0, 1), (421.0, 1)];
    assert_eq!(rounds, [&idle[..], &late[..]].concat());
}

#[test]
fn a_rest_ends_with_the_jobs_time() {
    let terms = Terms { think: Some(Think::each(1, ms(400))), stop: for_ms(500), ..Terms::default() };
    let record = each_in_a_millisecond(&side_by_side(vec![on_terms("job", terms)]));
    assert_eq!((done(&record, 0), counted(&record, 0)), (2, (0.0, 500.0)));
}

#[test]
fn every_io_of_a_traced_worker_is_told_in_order_and_nothing_of_the_others() {
    let traced = Terms { trace: true, ramp: Some(ms(100)), stop: for_ms(1_900), ..Terms::default() };
    let plan = side_by_side(vec![
        on_terms("quiet", Terms { stop: for_ms(2_000), ..Terms::default() }),
        WorkerPlan { depth: 64, ..on_terms("told", traced) },
    ]);
    let mut log = Log::default();
    let mut volume = Spy::on(faulty());
    let errors = OnError::Continue { reads: Errnos::Any, writes: Errnos::Any };
    let mut tolerant = plan.clone();
    tolerant.workers.iter_mut().for_each(|worker| worker.terms.on_error = errors.clone());
    let record = simulate_watched(&tolerant, &mut volume, &mut log);
    assert!(log.traced.iter().all(|(worker, _)| *worker == 1));
    let (tally, told) = (&record.workers[1].directions[0].tally, &log.traced);
    let count =
        |good: bool| told.iter().filter(|(_, io)| io.counted && (io.errno == 0) == good).count() as u64;
    assert_eq!((count(true), count(false)), (tally.ops, tally.errors));
    assert!(told.iter().any(|(_, io)| !io.counted) && record.workers[1].untraced == 0);
    assert!(told.windows(2).all(|pair| pair[0].1.done <= pair[1].1.done));
    let latency: u64 = told
        .iter()
        .filter(|(_, io)| io.counted && io.errno == 0)
        .map(|(_, io)| io.done.since(io.due).0)
        .sum();
    assert_eq!(latency, tally.latency_ns_sum);
    assert_eq!(told.len() + 2_000, volume.seen.len());
}

#[test]
fn what_was_due_but_never_issued_is_counted() {
    let unissued = |pace| {
        let terms = Terms { stop: for_ms(1_000), ..Terms::default() };
        let job = WorkerPlan { pace, ..on_terms("job", terms) };
        let record = each_in_a_millisecond(&side_by_side(vec![job]));
        (done(&record, 0), record.workers[0].unissued)
    };
    assert_eq!(unissued(Pace::Fixed(Iops(500.0))), (500, 0));
    assert_eq!(unissued(Pace::Fixed(Iops(4_000.0))), (1_000, 3_000));
    let (done, missed) = unissued(Pace::Poisson(Iops(4_000.0)));
    assert!((done + missed).abs_diff(4_000) < 200 && done >= 990, "{done} + {missed}");
    assert_eq!(unissued(Pace::Closed), (1_000, 0));
}

#[test]
fn totals_by_file_add_up_to_those_of_the_worker() {
    let files = (0..3).map(|number| file(Bytes::gib(number), Bytes::MIB)).collect();
    let terms =
        Terms { totals: Totals::WorkerAndFile, stop: vec![StopRule::OpsEach(1_001)], ..Terms::default() };
    let job = WorkerPlan { files, depth: 5, ..on_terms("job", terms) };
    let record = each_in_a_millisecond(&side_by_side(vec![job]));
    let worker = &record.workers[0];
    let by_file: Vec<u64> = worker.files.iter().map(|file| file[0].tally.ops).collect();
    assert_eq!(by_file, [334, 334, 333]);
    let mut sum = record::Distribution::default();
    worker.files.iter().for_each(|file| sum.merge(&file[0].latency));
    assert_eq!(sum, worker.directions[0].latency);
    assert_eq!(worker.files[2][0].service, worker.files[2][0].latency, "a closed loop issues when due");
}

#[test]
fn writes_may_have_a_pace_of_their_own() {
    let run = |reads, writes, read_percent| {
        let terms = Terms { write_pace: Some(writes), stop: for_ms(2_000), ..Terms::default() };
        let access = Access::random(Mix::reads(read_percent));
        let job = WorkerPlan { pace: reads, access, depth: 4, ..on_terms("job", terms) };
        let record = each_in_a_millisecond(&side_by_side(vec![job]));
        (record.tally(Direction::Read).ops, record.tally(Direction::Write).ops)
    };
    let fixed = |rate| Pace::Fixed(Iops(rate));
    assert_eq!(run(fixed(700.0), fixed(300.0), 50), (1_400, 600), "the rates decide, not the mix");
    assert_eq!(run(fixed(20.0), fixed(1_000.0), 99), (40, 2_000));
    // Reads fill what the writes leave of four in flight for a millisecond each.
    let (reads, writes) = run(Pace::Closed, fixed(300.0), 50);
    assert!(writes == 600 && reads.abs_diff(8_000 - 600) <= 4, "{reads} and {writes}");
    let (reads, writes) = run(fixed(300.0), Pace::Closed, 70);
    assert!(reads == 600 && writes.abs_diff(8_000 - 600) <= 4, "{reads} and {writes}");
    // If writes are drawn less often than they may come, the mix holds.
    let (reads, writes) = run(Pace::Closed, fixed(3_000.0), 90);
    assert!((reads + writes).abs_diff(8_000) <= 4 && writes.abs_diff(800) < 100, "{reads} and {writes}");
}
