//! Invariants of any record: sums, quotas, bounds, due times, ends; checked against what the volume saw.

use std::collections::HashMap;

use record::{StepRecord, Tally};
use workload::{
    Access, Bytes, Direction, Ending, Io, LengthsBy, Mix, Nanos, OnError, Order, Pieces, Repeats, Spread,
    StepPlan, StopRule, WorkerPlan,
};

use super::faulty::ServedIo;
use super::plans::{FILE, WORKER};
use crate::vocabulary::{START, assert_adds_up};

/// ETIMEDOUT, the error of I/O that never completed.
const IN_VAIN: i32 = 110;

pub fn check(plan: &StepPlan, served: &[ServedIo], record: &StepRecord) {
    everything_is_counted(served, record);
    assert_adds_up(record);
    intervals_follow_each_other(record);
    failures_are_those_that_happened(served, record);
    nothing_is_early_and_due_times_never_go_back(served);
    for (number, worker) in plan.workers.iter().enumerate() {
        let mine: Vec<&ServedIo> = served.iter().filter(|seen| whose(&seen.io) == Some(number)).collect();
        within_bounds(worker, &mine);
        depth_is_kept(worker, &mine);
        time_is_kept(plan, worker, &mine);
        amounts_are_kept((plan, worker), &mine, (record, number));
        errors_end_it(worker, &mine);
        each_block_once(worker, &mine);
    }
}

/// The worker of an I/O: each worker's regions begin at an offset of their own. A flush has no offset.
fn whose(io: &Io) -> Option<usize> {
    (io.kind != Direction::Flush).then_some((io.offset >> WORKER) as usize)
}

/// Issued = done + failed + held, by direction, with their bytes; sums of intervals are sums of I/Os.
fn everything_is_counted(served: &[ServedIo], record: &StepRecord) {
    for direction in Direction::ALL {
        let mut told = Tally::default();
        record.intervals.iter().for_each(|interval| told.merge(&interval.of(direction).tally));
        let mine = || served.iter().filter(|seen| seen.io.kind == direction);
        let (failed, held) = (count(mine(), ServedIo::has_failed), count(mine(), ServedIo::is_held));
        let done = mine().count() as u64 - failed - held;
        let came = |seen: &&ServedIo| !seen.is_held() && !seen.has_failed();
        let bytes: u64 = mine().filter(came).map(|seen| seen.served.result as u64).sum();
        let short =
            mine().filter(came).filter(|seen| (seen.served.result as u32) < seen.io.bytes).count() as u64;
        let issued = mine().count();
        assert_eq!(
            (told.ops, told.errors, told.bytes, told.short),
            (done, failed, bytes, short),
            "{direction:?}: done, failed, bytes, short of {issued} issued, of which {held} are held"
        );
    }
}

fn count<'s>(seen: impl Iterator<Item = &'s ServedIo>, which: fn(&ServedIo) -> bool) -> u64 {
    seen.filter(|seen| which(seen)).count() as u64
}

fn intervals_follow_each_other(record: &StepRecord) {
    for job in 0..record.jobs.len() as u16 {
        let mine: Vec<_> = record.intervals.iter().filter(|interval| interval.job == job).collect();
        assert!(mine.iter().all(|interval| interval.start <= interval.end));
        let span = |at: usize| (mine[at].start, mine[at].end, mine[at].counted);
        for at in 1..mine.len() {
            let (before, this) = (span(at - 1), span(at));
            assert!(
                before.1 <= this.0,
                "interval {this:?} of job {job} begins inside the one before it, {before:?}"
            );
        }
    }
}

/// Failures are those that happened, and I/O that was never answered is reported as waited for in vain.
fn failures_are_those_that_happened(served: &[ServedIo], record: &StepRecord) {
    let ended_badly = || served.iter().filter(|seen| seen.has_failed() || seen.is_held());
    for failure in &record.failures {
        let is_it = |seen: &ServedIo| {
            let same = (seen.io.kind, seen.io.offset, seen.io.bytes)
                == (failure.direction, failure.offset, failure.bytes);
            match seen.is_held() {
                true => same && failure.errno == IN_VAIN,
                false => same && seen.served.done_at == failure.at && seen.errno() == failure.errno,
            }
        };
        assert!(ended_badly().any(is_it), "{failure:?} did not happen");
    }
    // For each worker the first 16 are kept, and 16 for all together; those that are held come in addition.
    assert_eq!(record.failures.len(), ended_badly().count().min(16));
    let held = served.iter().any(ServedIo::is_held);
    assert!(!held || record.ending == Ending::Failed, "{:?} with I/O that was never answered", record.ending);
}

fn nothing_is_early_and_due_times_never_go_back(served: &[ServedIo]) {
    let mut last: HashMap<(usize, Direction), Nanos> = HashMap::new();
    for ServedIo { now, io, .. } in served {
        assert!(io.due <= *now, "{io:?} was issued at {now}");
        let Some(worker) = whose(io) else { continue };
        let before = last.insert((worker, io.kind), io.due).unwrap_or_default();
        assert!(before <= io.due, "{io:?} is due before its predecessor, at {before}");
    }
}

fn within_bounds(worker: &WorkerPlan, mine: &[&ServedIo]) {
    for ServedIo { io, .. } in mine {
        let file = &worker.files[io.file as usize];
        let (first, end) = (file.offset.0, file.offset.0 + file.size.0);
        assert!(first <= io.offset && io.offset + u64::from(io.bytes) <= end, "{io:?} leaves {file:?}");
        assert_eq!(u64::from(io.file), (io.offset >> FILE) & 0xff, "{io:?}");
        // A block that is trimmed before it is written is as long as the write.
        let pair = worker.access.mix == Mix::TRIM_WRITE;
        let lengths = if pair { Direction::Write } else { io.kind };
        let (least, most) = (worker.blocks.shortest_of(lengths), worker.blocks.longest_of(lengths));
        assert!(
            (least..=most).contains(&Bytes(u64::from(io.bytes))),
            "{io:?} is no length of {:?}",
            worker.blocks
        );
        assert!(worker.access.mix.issues(io.kind), "{io:?} was not asked for");
    }
}

/// Never more in flight than the depth, and no slot twice.
fn depth_is_kept(worker: &WorkerPlan, mine: &[&ServedIo]) {
    let mut slots: HashMap<u32, Nanos> = HashMap::new();
    for ServedIo { now, io, served } in mine {
        let under_way = slots.values().filter(|until| *until > now).count();
        assert!(under_way < worker.depth as usize, "{io:?} at {now} beside {under_way} others");
        let until = slots.insert(io.slot, served.done_at).unwrap_or_default();
        assert!(until <= *now, "slot {} is taken until {until} and used at {now}", io.slot);
    }
}

fn time_is_kept(plan: &StepPlan, worker: &WorkerPlan, mine: &[&ServedIo]) {
    let times =
        plan.stop.iter().filter_map(|rule| if let StopRule::Time(time) = rule { Some(*time) } else { None });
    let over = START + plan.ramp + times.min().unwrap_or(Nanos::MAX - START - plan.ramp) + worker.terms.cool;
    let begins = START + worker.terms.delay;
    for ServedIo { now, io, .. } in mine {
        assert!(begins <= *now && *now <= over, "{io:?} at {now}, between {begins} and {over}");
    }
}

/// Never more than the amount is counted; exactly the amount if that ended the worker.
fn amounts_are_kept(
    (plan, worker): (&StepPlan, &WorkerPlan),
    mine: &[&ServedIo],
    (record, number): (&StepRecord, usize),
) {
    let totals = &record.workers[number];
    let ways = [Direction::Read, Direction::Write, Direction::Trim];
    let sum =
        |of: fn(&Tally) -> u64| ways.iter().map(|way| of(&totals.directions[way.index()].tally)).sum::<u64>();
    let (ops, bytes) = (sum(|tally| tally.ops + tally.errors), sum(|tally| tally.bytes));
    let held = mine.iter().filter(|seen| seen.is_held()).count() as u64;
    let mut least = u64::MAX;
    // I/O in flight when counting begins is counted, and may exceed the amount.
    let ramped = plan.ramp.max(worker.terms.ramp.unwrap_or_default()) > Nanos::ZERO;
    let depth = if ramped { u64::from(worker.depth) } else { 0 };
    let longest = Direction::ALL.map(|way| worker.blocks.longest_of(way).0).into_iter().max().unwrap_or(0);
    for rule in plan.stop.iter().chain(&worker.terms.stop) {
        match rule {
            StopRule::OpsEach(most) => {
                assert!(ops <= depth.max(*most), "{ops} of {most} I/Os");
                least = least.min(*most);
            }
            StopRule::BytesEach(most) => assert!(bytes <= most.0.max(depth * longest), "{bytes} of {most}"),
            StopRule::WrittenEach(most) => assert!(written(mine) <= most.0, "{} of {most}", written(mine)),
            _ => {}
        }
    }
    let only_ops = |rule: &StopRule| !matches!(rule, StopRule::BytesEach(_) | StopRule::WrittenEach(_));
    if totals.ending == Some(Ending::Amount)
        && worker.terms.cool == Nanos::ZERO
        && plan.stop.iter().chain(&worker.terms.stop).all(only_ops)
    {
        let done = ops + held;
        assert!((least..=least.max(depth)).contains(&done), "it ended with {done} as if it had done {least}");
    }
}

/// Bytes of writes that were issued, from the ramp to the end, whatever their results.
fn written(mine: &[&ServedIo]) -> u64 {
    let writes = mine.iter().filter(|seen| seen.io.kind == Direction::Write);
    writes.map(|seen| u64::from(seen.io.bytes)).sum()
}

/// After an error that is not passed over, a worker issues nothing more.
fn errors_end_it(worker: &WorkerPlan, mine: &[&ServedIo]) {
    let ends = |seen: &&&ServedIo| {
        seen.has_failed()
            && match &worker.terms.on_error {
                OnError::Stop => true,
                OnError::Continue { reads, .. } if seen.io.kind == Direction::Read => {
                    !reads.contain(seen.errno())
                }
                OnError::Continue { writes, .. } => !writes.contain(seen.errno()),
            }
    };
    let Some(end) = mine.iter().filter(ends).map(|seen| seen.served.done_at).min() else { return };
    for ServedIo { now, io, .. } in mine {
        assert!(*now <= end, "{io:?} was issued at {now}, after an error at {end}");
    }
}

/// If no block is to come twice before all have come once, none has been visited two times more than another.
fn each_block_once(worker: &WorkerPlan, mine: &[&ServedIo]) {
    let Access { order, mix, spread, stride, runs, pieces, .. } = &worker.access;
    let plain = (spread, *stride, *runs, *pieces) == (&Spread::Uniform, 0, None, None::<Pieces>);
    let whole = match order {
        Order::Random(repeats) => *repeats == Repeats::Without,
        Order::Sequential => mix.directions().all(|way| *worker.access.random_percent.of(way) == 0),
    };
    let one_way = mix.reads_only() || mix.directions().eq([Direction::Write]);
    let direction = if mix.reads_only() { Direction::Read } else { Direction::Write };
    let Some(block) = worker.blocks.of(direction).fixed() else { return };
    if !(plain && whole && one_way) || worker.blocks.by == LengthsBy::Sequence {
        return;
    }
    for (number, file) in worker.files.iter().enumerate() {
        let blocks = file.size.0 / block.0;
        let mut visits: HashMap<u64, u64> = HashMap::new();
        let here = mine.iter().filter(|seen| seen.io.file as usize == number);
        here.for_each(|seen| *visits.entry((seen.io.offset - file.offset.0) / block.0).or_default() += 1);
        let all = visits.values().sum::<u64>();
        let (least, most) = (all / blocks, all.div_ceil(blocks));
        assert!(
            visits.values().all(|count| *count <= most),
            "{all} visits of {blocks} blocks, one of them more than {most}"
        );
        assert!(least == 0 || visits.len() as u64 == blocks && visits.values().all(|count| *count >= least));
    }
}
