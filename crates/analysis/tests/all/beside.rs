//! What a device did beside the load of a check.

use analysis::{Meaning, analyse};
use record::{CpuCounters, DiskCounters, MemoryCounters, OwnCpu, Run, SECTOR, Sample};
use workload::{Bytes, Direction, Nanos, StepKind};

use crate::verdicts::{ServedStep, run_of};

/// A hundred reads of 1 MiB a second for 6 s at depth 32, on a device that read `more` bytes besides.
fn run(more: u64) -> Run {
    let served = ServedStep::reads(StepKind::BlockLadder, 32, Bytes::MIB, 100.0);
    let mut run = run_of(&[served]);
    let own = run.steps[0].tally(Direction::Read).bytes;
    let sample = |at: u64, bytes: u64| Sample {
        at: Nanos::from_secs(at),
        wall_unix_ms: 0,
        disks: vec![("vdz".into(), DiskCounters { sectors_read: bytes / SECTOR, ..DiskCounters::default() })],
        cpu: CpuCounters::default(),
        memory: MemoryCounters::default(),
        pressure: None,
        blocked: 0,
        own: OwnCpu::default(),
        ..Sample::default()
    };
    run.samples = vec![sample(0, 0), sample(6, own + more)];
    run
}

fn is_told(more: u64) -> bool {
    is_told_of(&run(more))
}

fn is_told_of(run: &Run) -> bool {
    let found = analyse(run, None, None);
    found.findings.iter().any(|finding| matches!(finding.meaning, Meaning::ForeignLoad(_)))
}

#[test]
fn what_is_in_flight_at_an_edge_is_nobody_elses() {
    assert!(!is_told(32 << 20), "every I/O in flight, in pieces that are done");
    assert!(is_told(100 << 20), "a seventh of all");
}

#[test]
fn what_completed_while_the_worker_waited_for_a_cpu_at_the_end_is_counted_later_and_nobody_elses() {
    let waited = |second: usize| {
        let mut run = run(100 << 20);
        run.steps[0].intervals[second].waited = Nanos::from_millis(800);
        run
    };
    assert!(!is_told_of(&waited(5)));
    assert!(is_told_of(&waited(1)), "by the last reading, all of that was counted");
}

#[test]
fn an_uneven_load_may_lie_on_either_side_of_a_reading_and_a_short_last_interval_makes_none_uneven() {
    let mut short = run(100 << 20);
    let step = &mut short.steps[0];
    let mut last = step.intervals[5].clone();
    (last.start, last.end) = (last.end, last.end + Nanos::from_millis(50));
    last.directions[Direction::Read.index()].tally.ops = 1;
    step.ended = last.end;
    step.intervals.push(last);
    assert!(is_told_of(&short));
    // As much more than was counted, of which the last second may hold the most.
    let mut uneven = run(20 << 20);
    let tally = &mut uneven.steps[0].intervals[2].directions[Direction::Read.index()].tally;
    (tally.ops, tally.bytes) = (20, 20 << 20);
    assert!(!is_told_of(&uneven));
}
