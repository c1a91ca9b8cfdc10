//! Replayed traces: each I/O at its time, in its order, and over when the trace is.

use std::sync::Arc;

use crate::vocabulary::*;
use engine::VolumeAnswer;
use record::{Observer, StepRecord};
use workload::{
    Access, Bytes, Direction, Ending, Io, Nanos, Pace, Packer, Replay, StepPlan, StopRule, Terms,
    TracePieces, TraceRows, TracedIo, WorkerPlan,
};

fn us(count: u64) -> Nanos {
    Nanos::from_micros(count)
}

/// A trace of reads and writes of 4 KiB, 10 ms apart, on three files in turn.
fn rows(count: u64) -> Vec<TracedIo> {
    let row = |number: u64| TracedIo {
        at: Nanos::from_millis(10 * number),
        kind: if number % 3 == 1 { Direction::Write } else { Direction::Read },
        file: (number % 3) as u32,
        offset: number * 7 % count * 4096,
        bytes: 4096,
    };
    (0..count).map(row).collect()
}

fn pack(rows: &[TracedIo]) -> Packer {
    let mut packer = Packer::default();
    rows.iter().for_each(|row| packer.push(*row));
    packer
}

fn replay(rows: &[TracedIo], length: Nanos) -> Replay {
    let of = |kind| rows.iter().filter(|row| row.kind == kind).count() as u64;
    Replay {
        name: "t".to_owned(),
        ios: Direction::ALL.map(of),
        longest: Bytes::kib(4),
        length,
        changed: vec![true; 3],
        rows: TraceRows::of(pack(rows)),
    }
}

fn plan(replay: Replay, (depth, pace): (u32, Pace)) -> StepPlan {
    let worker = WorkerPlan {
        files: vec![file(Bytes(0), Bytes::GIB); 3],
        access: Access::replayed(replay),
        depth,
        pace,
        ..worker()
    };
    StepPlan { stop: Vec::new(), ..for_seconds(1, vec![worker]) }
}

/// The I/Os that reached the volume, with their times since the start.
fn served(plan: &StepPlan, latency: Nanos) -> (Vec<TracedIo>, StepRecord) {
    let mut seen = Vec::new();
    let mut volume = By(|now: Nanos, io: &Io| {
        seen.push(TracedIo { at: now, kind: io.kind, file: io.file, offset: io.offset, bytes: io.bytes });
        VolumeAnswer { done_at: now + latency, result: io.bytes as i32 }
    });
    let record = simulate(plan, &mut volume);
    assert_adds_up(&record);
    seen.iter_mut().for_each(|io| io.at = io.at.since(record.started));
    (seen, record)
}

#[test]
fn each_comes_at_its_time_and_the_job_is_over_with_the_trace() {
    let rows = rows(50);
    let (seen, record) = served(&plan(replay(&rows, Nanos::from_millis(600)), (4, Pace::Traced)), us(100));
    assert_eq!(seen, rows);
    assert_eq!(record.ended.since(record.started), Nanos::from_millis(600), "the last row takes time alone");
    assert_eq!((record.ending, record.failures.len()), (Ending::Time, 0));
    let ops = |way: Direction| record.workers[0].directions[way.index()].tally.ops;
    assert_eq!((ops(Direction::Read), ops(Direction::Write)), (33, 17));
}

#[test]
fn a_volume_that_is_too_slow_has_the_same_order_and_the_delay_is_in_the_latency() {
    let rows = rows(20);
    let (seen, record) = served(&plan(replay(&rows, Nanos::from_millis(190)), (1, Pace::Traced)), us(30_000));
    let places = |ios: &[TracedIo]| ios.iter().map(|io| (io.kind, io.offset)).collect::<Vec<_>>();
    assert_eq!(places(&seen), places(&rows));
    assert_eq!(seen[19].at, Nanos::from_millis(19 * 30));
    let worst = record.workers[0].directions.iter().map(|way| way.tally.latency_ns_max).max().unwrap();
    assert_eq!(worst, 20 * 30 * MS - 190 * MS, "from the time in the trace on");
}

#[test]
fn without_pauses_the_queue_is_kept_full() {
    let rows = rows(40);
    let (seen, record) = served(&plan(replay(&rows, Nanos::from_secs(9)), (4, Pace::Closed)), us(1000));
    let at: Vec<u64> = seen.iter().map(|io| io.at.0 / MS).collect();
    assert_eq!(at, (0..40).map(|number| number / 4).collect::<Vec<u64>>());
    assert_eq!((record.ended.since(record.started), record.ending), (us(10_000), Ending::Amount));
}

#[test]
fn a_time_that_is_set_ends_a_trace_that_is_longer() {
    let mut plan = plan(replay(&rows(50), Nanos::from_millis(490)), (4, Pace::Traced));
    plan.stop = vec![StopRule::Time(Nanos::from_millis(95))];
    assert_eq!(served(&plan, us(10)).0.len(), 10);
}

#[test]
fn what_was_issued_is_told_in_its_order() {
    #[derive(Default)]
    struct ReplayObserver(Vec<TracedIo>);
    impl Observer for ReplayObserver {
        fn interval(&mut self, _: &record::Interval) {}

        fn issued(&mut self, worker: usize, ios: &[TracedIo]) {
            assert_eq!(worker, 0);
            self.0.extend_from_slice(ios);
        }
    }
    let rows = rows(3000);
    let mut plan = plan(replay(&rows, Nanos::ZERO), (16, Pace::Closed));
    plan.workers[0].terms = Terms { tells_issues: true, ..Terms::default() };
    let mut told = ReplayObserver::default();
    // The later an I/O of a batch is issued, the earlier it comes back.
    let mut number = 0;
    let mut volume = By(|now: Nanos, io: &Io| {
        number += 1;
        VolumeAnswer { done_at: now + us(1000 - number % 16), result: io.bytes as i32 }
    });
    let record = simulate_watched(&plan, &mut volume, &mut told);
    assert_eq!(record.workers[0].untraced, 0);
    let place = |io: &TracedIo| (io.kind, io.file, io.offset);
    assert!(told.0.iter().map(place).eq(rows.iter().map(place)));
    assert!(told.0.is_sorted_by_key(|io| io.at));
}

/// A trace that gives these pieces and errors.
#[derive(Debug)]
struct Pieces(Vec<Result<Vec<u8>, String>>);

impl TracePieces for Pieces {
    fn read(&self) -> Box<dyn Iterator<Item = Result<Vec<u8>, String>> + Send> {
        Box::new(self.0.clone().into_iter())
    }
}

fn in_pieces(rows: &[TracedIo], end: Option<Result<Vec<u8>, String>>) -> Replay {
    let mut packer = Packer::default();
    let piece = |part: &[TracedIo]| {
        part.iter().for_each(|row| packer.push(*row));
        Ok(packer.take())
    };
    let pieces = rows.chunks(7).map(piece).chain(end).collect();
    let all =
        Replay { rows: TraceRows::Read(Arc::new(Pieces(pieces))), ..replay(rows, Nanos::from_millis(490)) };
    assert!(all.mix().issues(Direction::Write));
    all
}

#[test]
fn a_trace_that_is_read_while_it_is_replayed_is_the_same() {
    let rows = rows(50);
    let (seen, record) = served(&plan(in_pieces(&rows, None), (2, Pace::Closed)), us(100));
    let place = |io: &TracedIo| (io.kind, io.file, io.offset);
    assert!(seen.iter().map(place).eq(rows.iter().map(place)));
    assert_eq!(record.failures.len(), 0);
}

#[test]
fn a_trace_that_cannot_be_read_on_fails_the_job() {
    let rows = rows(21);
    let end = Some(Err("gone".to_owned()));
    let (seen, record) = served(&plan(in_pieces(&rows, end), (2, Pace::Closed)), us(100));
    assert_eq!((seen.len(), record.ending), (21, Ending::Failed));
    assert_eq!(record.failures[0].errno, 5);
}
