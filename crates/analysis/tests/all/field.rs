//! What busy machines did to the counts of a check, and what must not be made of it.
#![allow(clippy::unwrap_used)]

use analysis::compare::{Measure, Side, compare};
use analysis::{Analysis, Course, Meaning, Quantity, analyse};
use record::Run;
use workload::{Bytes, Direction, Nanos, StepKind, Think};

use crate::verdicts::{ServedStep, run_of};

/// Reads at depth 32, 6 s each: kind, KiB and reads per second.
fn reads(steps: &[(StepKind, u64, f64)]) -> Run {
    let of = |&(kind, kib, iops): &(StepKind, u64, f64)| ServedStep::reads(kind, 32, Bytes::kib(kib), iops);
    run_of(&steps.iter().map(of).collect::<Vec<_>>())
}

/// Sets the reads of each second of a step.
fn count(run: &mut Run, step: usize, counts: [u64; 6]) {
    for (interval, ops) in run.steps[step].intervals.iter_mut().zip(counts) {
        let tally = &mut interval.directions[Direction::Read.index()].tally;
        let block = tally.bytes / tally.ops;
        (tally.ops, tally.bytes) = (ops, ops * block);
    }
}

fn falls(found: &Analysis) -> usize {
    found.regimes.changes.iter().filter(|change| change.fell()).count()
}

#[test]
fn a_ramp_that_alone_was_without_a_wait_shows_no_level() {
    use StepKind::{Again, Reference};
    let mut run = reads(&[(Reference, 4, 200.0), (Reference, 4, 200.0), (Again, 4, 200.0)]);
    count(&mut run, 1, [330, 200, 200, 200, 200, 200]);
    let step = &mut run.steps[1];
    step.counted_from = step.started + Nanos::SECOND;
    for interval in &mut step.intervals[1..] {
        interval.waited = Nanos::from_millis(150);
    }
    let found = analyse(&run, None, None);
    assert_eq!(found.regimes.changes, []);
}

#[test]
fn a_fall_after_which_the_rate_sinks_further_is_no_level_that_stays() {
    use StepKind::{Again, Reference};
    let steps = [(Reference, 1024, 1200.0), (Reference, 1024, 1020.0), (Again, 1024, 1000.0)];
    let mut run = reads(&steps);
    assert_eq!(falls(&analyse(&run, None, None)), 1, "the rest is at the lower level");
    count(&mut run, 2, [980, 640, 1000, 650, 990, 660]);
    let found = analyse(&run, None, None);
    assert_eq!(falls(&found), 0, "{:#?}", found.regimes);
    assert_ne!(found.regimes.course, Course::Fell);
}

#[test]
fn one_exact_rate_of_several_block_sizes_is_the_cap_that_waits_hid_from_the_smallest() {
    use StepKind::{Again, BlockLadder, DepthLadder};
    let of = |kind, depth, kib, iops| ServedStep::reads(kind, depth, Bytes::kib(kib), iops);
    let mut run = run_of(&[
        of(DepthLadder, 16, 4, 3000.0),
        of(DepthLadder, 32, 4, 3000.0),
        of(BlockLadder, 32, 16, 3000.0),
        of(BlockLadder, 32, 32, 3000.0),
        of(BlockLadder, 32, 64, 2000.0),
        of(BlockLadder, 32, 1024, 125.0),
        of(Again, 32, 4, 3000.0),
    ]);
    count(&mut run, 0, [1034, 4398, 1700, 2900, 1250, 2100]);
    count(&mut run, 1, [1134, 3398, 1800, 2950, 1450, 2000]);
    count(&mut run, 6, [3000, 1934, 2398, 1610, 3000, 2240]);
    let found = analyse(&run, None, None);
    let row = found.verdict.rows.iter().find(|row| row.quantity == Quantity::Iops).unwrap();
    let level = row.measured.unwrap();
    assert!((level.value / 3000.0 - 1.0).abs() < 0.01 && level.half_width() < 100.0, "{level:?}");
    let cap = |finding: &analysis::Finding| matches!(finding.meaning, Meaning::IopsCap(_));
    assert!(found.findings.iter().any(cap), "{:#?}", found.findings);
}

#[test]
fn a_bucket_of_reads_alone_earns_while_writes_run_and_its_bursts_are_no_changes() {
    use StepKind::{Again, Reference};
    let reads = |kind| ServedStep::reads(kind, 32, Bytes::kib(4), 1500.0);
    let writes = || reads(Reference).written();
    let mut run = run_of(&[
        reads(Reference),
        writes(),
        reads(Reference),
        writes(),
        reads(Again),
        writes(),
        reads(Again),
    ]);
    // Six seconds of writes earn 3,000 reads, which are gone in three seconds at 1,000 more than is earned.
    for step in [0, 2, 4, 6] {
        count(&mut run, step, [1500, 1500, 1500, 500, 500, 500]);
    }
    let found = analyse(&run, None, None);
    assert_eq!((found.regimes.changes.len(), falls(&found)), (1, 1), "{:#?}", found.regimes);
    assert_eq!(found.regimes.earned.len(), 3);
}

#[test]
fn a_comparison_does_not_average_a_closed_step_with_one_that_rests() {
    let reads = |iops| ServedStep::reads(StepKind::Latency, 1, Bytes::kib(4), iops);
    let mut run = run_of(&[reads(3000.0), reads(690.0)]);
    run.steps[1].plan.workers[0].terms.think = Some(Think::each(1, Nanos::from_millis(1)));
    let side = |label: &str| Side {
        label: label.to_owned(),
        runs: vec![run.clone()],
        limits: None,
        price: None,
        size: None,
        machine: None,
    };
    let found = compare(&[side("a"), side("b")]);
    let rates = found.rows.iter().filter(|row| row.measure == Measure::Iops);
    let rates: Vec<f64> = rates.map(|row| row.figures[0].as_ref().unwrap().value).collect();
    assert_eq!(rates, [3000.0]);
}

#[test]
fn two_falls_as_far_apart_as_they_are_make_no_period_and_three_do() {
    let course = |times: usize| {
        let steps = [1500.0, 900.0].repeat(times).into_iter().map(|iops| (StepKind::Reference, 4, iops));
        analyse(&reads(&steps.collect::<Vec<_>>()), None, None).regimes.course
    };
    assert!(matches!(course(2), Course::Moved { .. }), "{:?}", course(2));
    assert!(matches!(course(3), Course::Wave { .. }), "{:?}", course(3));
}

#[test]
fn a_fall_that_large_blocks_show_is_from_the_rate_of_small_ones() {
    use StepKind::{Again, Reference};
    let steps =
        [(Reference, 4, 1500.0), (Reference, 1024, 810.0), (Reference, 1024, 500.0), (Again, 4, 500.0)];
    let found = analyse(&reads(&steps), None, None);
    let [fall] = found.regimes.changes.as_slice() else { panic!("{:#?}", found.regimes) };
    assert_eq!((fall.before.value.round(), fall.after.value.round()), (1500.0, 500.0));
}
