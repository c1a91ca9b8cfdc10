//! The sampling thread: on the run's clock, without a gap at the end, and gone when it is no longer wanted.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::captured::Machine;
use sampler::{Devices, SamplerThread};
use workload::Nanos;

/// Returns a run's clock that advances a tick with each reading, so that no real time decides anything.
fn clock() -> (Arc<AtomicU64>, impl Fn() -> Nanos + Send + 'static) {
    let time = Arc::new(AtomicU64::new(1_000));
    let hand = Arc::clone(&time);
    (time, move || Nanos(hand.fetch_add(10, Ordering::SeqCst)))
}

fn vda() -> Devices {
    ["vda"].into_iter().collect()
}

#[test]
fn samples_carry_the_runs_time_in_order_and_the_last_one_is_taken_at_the_end() {
    let machine = Machine::unpack("virtio-and-loops");
    let (time, clock) = clock();
    let thread = SamplerThread::start(&machine.root(), vda(), Nanos(100), clock).unwrap();
    let first: Vec<_> = (0..3).map(|_| thread.wait().unwrap()).collect();
    assert!(first.is_sorted_by_key(|sample| sample.at));
    assert_eq!(first[0].disks[0].1.reads, 103_243);
    time.store(1_000_000_000_000, Ordering::SeqCst);
    let rest = thread.stop();
    assert!(rest.is_sorted_by_key(|sample| sample.at));
    assert!(rest.last().unwrap().at >= Nanos(1_000_000_000_000), "no sample at the end");
}

#[test]
fn a_thread_that_waits_for_its_next_sample_ends_at_once_when_dropped() {
    let machine = Machine::unpack("virtio-and-loops");
    let (_, clock) = clock();
    // Its next sample would be due in a day.
    let thread = SamplerThread::start(&machine.root(), vda(), Nanos::from_secs(86_400), clock).unwrap();
    assert_eq!(thread.wait().unwrap().disks.len(), 1);
    drop(thread);
}

#[test]
fn what_was_taken_is_not_given_twice() {
    let machine = Machine::unpack("virtio-and-loops");
    let (_, clock) = clock();
    let thread = SamplerThread::start(&machine.root(), vda(), Nanos::from_secs(86_400), clock).unwrap();
    thread.wait().unwrap();
    assert_eq!(thread.taken().count(), 0);
    assert_eq!(thread.stop().len(), 1);
}
