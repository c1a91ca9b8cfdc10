//! How many I/Os a call submits and reaps, and when a full queue is filled again, as the plan says.
#![allow(clippy::unwrap_used)] // A failed setup may fail its test.

use crate::vocabulary::*;
use engine::run_real;
use kernel::{Clock, Direct};
use record::WorkerTotals;
use testbed::{Lack, skipped};
use workload::{Access, BackendKind, Batching, Bytes, FilePlan, Mix, Nanos, Terms, WorkerPlan};

const DEPTH: u32 = 64;
const IOS: u64 = 2_048;

fn batched(batching: Batching) -> WorkerPlan {
    WorkerPlan { terms: Terms { batching, ..Terms::default() }, ..at_depth(DEPTH) }
}

/// The totals of reading every block of an unnamed file, for each backend that can keep a queue here.
fn each_backend(batching: Batching) -> Vec<WorkerTotals> {
    let working = kernel::probe().into_iter().filter(|(kind, works)| {
        let queues = *kind != BackendKind::Pread;
        if let (true, Err(reason)) = (queues, works) {
            skipped(Lack::Kernel, format!("{} ({reason})", kind.name()));
        }
        queues && works.is_ok()
    });
    working.map(|(backend, _)| read_through(WorkerPlan { backend, ..batched(batching) })).collect()
}

fn read_through(plan: WorkerPlan) -> WorkerTotals {
    let (size, folder) = (Bytes::mib(8), tempfile::tempdir().unwrap());
    let unnamed = kernel::unnamed_file(folder.path(), size).unwrap();
    unnamed.set_len(size).unwrap();
    let region = FilePlan { path: unnamed.path().to_owned(), offset: Bytes(0), size };
    let reader =
        WorkerPlan { direct: false, files: vec![region], access: Access::sequential(Mix::READ), ..plan };
    let files = [vec![unnamed.open_for_read(Direct::No).unwrap()]];
    let record = run_real(&for_ops(IOS, vec![reader]), &files, Clock::start(), &mut Log::default()).unwrap();
    record.workers.into_iter().next().unwrap()
}

/// Number of calls by the I/Os of each: none, 1-4, 5-8, 9-16, more.
fn calls(counts: [u64; 7]) -> [u64; 5] {
    let [none, four, eight, sixteen, more @ ..] = counts;
    [none, four, eight, sixteen, more.iter().sum()]
}

#[test]
fn no_call_hands_over_more_than_is_allowed() {
    for totals in each_backend(Batching { submit_most: Some(1), ..Batching::BEST }) {
        assert_eq!(calls(totals.submit_counts), [0, IOS, 0, 0, 0]);
        assert!(totals.depth_counts[6] >= IOS * 9 / 10, "and the queue is full: {:?}", totals.depth_counts);
    }
    for totals in each_backend(Batching { submit_most: Some(16), ..Batching::BEST }) {
        let [_, four, eight, sixteen, more] = calls(totals.submit_counts);
        assert!(more == 0 && four + eight + sixteen >= IOS / 16, "{:?}", totals.submit_counts);
    }
}

#[test]
fn a_full_queue_waits_for_as_many_as_are_asked_for_and_takes_no_more() {
    let sixteen = Batching { reap_least: 16, reap_most: Some(16), ..Batching::BEST };
    for totals in each_backend(sixteen) {
        // At the end, when nothing more is issued, the rest comes back in any number.
        let [.., whole, more] = calls(totals.complete_counts);
        assert!(more == 0 && whole >= (IOS - u64::from(DEPTH)) / 16, "{:?}", totals.complete_counts);
    }
    // A limit in the plan replaces the number that pays off, even one that allows taking all.
    for totals in each_backend(Batching { reap_most: Some(DEPTH), ..Batching::BEST }) {
        let [.., more] = calls(totals.complete_counts);
        assert!(more > 0, "{:?}", totals.complete_counts);
    }
    for totals in each_backend(Batching::BEST) {
        let [.., sixteen, more] = calls(totals.complete_counts);
        assert_eq!((sixteen, more), (0, 0), "{:?}", totals.complete_counts);
    }
    for totals in each_backend(Batching { reap_most: Some(4), ..Batching::BEST }) {
        let [_, four, eight, sixteen, more] = calls(totals.complete_counts);
        assert!((eight, sixteen, more) == (0, 0, 0) && four >= IOS / 4, "{:?}", totals.complete_counts);
    }
}

/// Sixty at once whenever four are left, on a volume that completes them one by one.
#[test]
fn a_queue_with_a_low_mark_is_filled_in_one_go_when_it_has_run_down() {
    let mut volume = Spy::on(CappedVolume::at(10_000, Nanos::ZERO));
    let plan = batched(Batching { refill_at: Some(4), ..Batching::BEST });
    simulate(&for_ops(64 + 5 * 60, vec![plan]), &mut volume);
    let mut times: Vec<Nanos> = volume.seen.iter().map(|(at, _)| *at).collect();
    times.dedup();
    let at = |time: &Nanos| volume.seen.iter().filter(|(at, _)| at == time).count();
    assert_eq!(times.iter().map(at).collect::<Vec<_>>(), [64, 60, 60, 60, 60, 60]);
}
