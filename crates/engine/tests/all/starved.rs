//! Time without a CPU, by interval: recorded where it was, even in intervals that a worker slept through whole.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Volume, VolumeAnswer, run_real};
use kernel::Clock;
use record::StepRecord;
use workload::{BackendKind, Direction, Io, Nanos, StopRule, WorkerPlan};

use crate::vocabulary::*;

/// A volume whose user has no CPU in some spans.
struct Starving {
    inner: CappedVolume,
    taken: Vec<(Nanos, Nanos)>,
}

impl Volume for Starving {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.inner.serve(now, io)
    }

    fn has_cpu_at(&mut self, now: Nanos) -> Nanos {
        let within = |(from, to): &&(Nanos, Nanos)| (*from..*to).contains(&now);
        self.taken.iter().find(within).map_or(now, |&(_, to)| to)
    }
}

fn starve(spans: &[(u64, u64)]) -> StepRecord {
    let after = |millis| START + Nanos::from_millis(millis);
    let taken = spans.iter().map(|&(from, to)| (after(from), after(to))).collect();
    let mut volume = Starving { inner: CappedVolume::at(1_000, Nanos(500_000)), taken };
    simulate(&for_seconds(8, vec![at_depth(4)]), &mut volume)
}

/// The wait of each second, in whole milliseconds; completions come every millisecond and notice that there is no CPU.
fn waits(record: &StepRecord) -> Vec<u64> {
    record.intervals.iter().take(8).map(|interval| interval.waited.0.div_ceil(1_000_000)).collect()
}

#[test]
fn nobody_waits_for_a_cpu_that_is_there() {
    assert_eq!(waits(&starve(&[])), [0; 8]);
}

#[test]
fn a_wait_is_told_in_the_seconds_in_which_it_was() {
    let record = starve(&[(1_200, 1_500), (2_400, 5_100), (6_900, 7_000)]);
    assert_eq!(waits(&record), [0, 300, 600, 1_000, 1_000, 100, 100, 0]);
    assert_tiled(&record);
    assert_adds_up(&record);
    let reads: Vec<u64> =
        record.intervals.iter().map(|interval| interval.of(Direction::Read).tally.ops).collect();
    assert!(reads[3] + reads[4] == 0 && reads[0] > 990, "{reads:?}");
}

#[test]
fn the_longest_wait_of_the_workers_of_a_job_counts() {
    let (mut one, mut other) = (starve(&[(100, 300)]).intervals, starve(&[(200, 700)]).intervals);
    one[0].merge(&other[0]);
    assert_eq!(one[0].waited, other[0].waited);
    other[0].merge(&one[1]);
    assert_eq!(one[0].waited, other[0].waited, "one that did not wait changes nothing");
}

/// Keeps the CPUs that it is given busy until dropped.
struct Spinners<'a>(&'a AtomicBool);

impl Drop for Spinners<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_real_worker_tells_by_interval_what_the_kernel_counts_of_it() {
    let Some(cpu) = kernel::available_cpus().first().copied() else { return };
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _spinners = Spinners(&over);
        for _ in 0..3 {
            scope.spawn(|| {
                kernel::pin_current_thread(&[cpu]).unwrap();
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let worker = WorkerPlan { backend: BackendKind::Null, cpu: Some(cpu), ..at_depth(4) };
        let mut plan = step(vec![worker], StopRule::Time(Nanos::from_millis(1_500)));
        plan.interval = Nanos::from_millis(100);
        let record = run_real(&plan, &[], Clock::start(), &mut Log::default()).unwrap();
        let all: u64 = record.intervals.iter().map(|interval| interval.waited.0).sum();
        let counted = record.workers[0].run_delay_ns;
        assert!(counted > 0, "three others spin on its CPU");
        assert!(all >= counted, "{all} by interval, {counted} in all");
        let longer = record.intervals.iter().find(|interval| interval.waited > plan.interval);
        assert!(longer.is_none(), "no interval holds more than it lasts: {longer:?}");
    });
}
