//! What busy machines did to the counts of a check, and what must not be made of it.
#![allow(clippy::unwrap_used)]

use analysis::compare::{Measure, Side, compare};
use analysis::{Analysis, ClaimRow, Confidence, Course, Doubt, Meaning, Quantity, analyse};
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
        source: None,
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

#[test]
fn a_limit_in_bytes_is_found_by_blocks_of_several_sizes_beside_waits() {
    use StepKind::{Again, BlockLadder, DepthLadder};
    let mut run = reads(&[
        (DepthLadder, 4, 15_000.0),
        (DepthLadder, 4, 14_000.0),
        (BlockLadder, 16, 3840.0),
        (BlockLadder, 32, 1920.0),
        (BlockLadder, 64, 960.0),
        (BlockLadder, 256, 240.0),
        (Again, 256, 240.0),
    ]);
    count(&mut run, 0, [15_160, 11_110, 18_024, 10_160, 16_316, 15_310]);
    count(&mut run, 1, [13_600, 8_364, 17_854, 15_560, 10_008, 14_440]);
    count(&mut run, 2, [3842, 2830, 4492, 3846, 3834, 3840]);
    count(&mut run, 3, [1924, 1520, 1940, 1916, 2250, 1922]);
    count(&mut run, 4, [958, 960, 790, 962, 1102, 956]);
    count(&mut run, 5, [240, 239, 241, 215, 262, 240]);
    count(&mut run, 6, [239, 240, 225, 241, 258, 240]);
    let found = analyse(&run, None, None);
    let caps = found.findings.iter().filter_map(|finding| match &finding.meaning {
        Meaning::BandwidthCap(cap) => Some(cap.cap),
        _ => None,
    });
    let [cap] = caps.collect::<Vec<_>>()[..] else { panic!("{:#?}", found.findings) };
    let mib = Bytes::MIB.0 as f64;
    assert!((cap.value / (60.0 * mib) - 1.0).abs() < 0.005 && cap.half_width() < 0.5 * mib, "{cap:?}");
}

#[test]
fn bytes_of_the_smallest_block_are_no_bandwidth() {
    let run = reads(&[(StepKind::DepthLadder, 4, 3000.0), (StepKind::DepthLadder, 4, 3000.0)]);
    let quantities: Vec<Quantity> =
        analyse(&run, None, None).verdict.rows.iter().map(|row| row.quantity).collect();
    assert_eq!(quantities, [Quantity::Iops]);
}

#[test]
fn a_volume_that_stood_still_did_not_rise_from_nothing() {
    use StepKind::{Again, Reference};
    let mut run = reads(&[(Reference, 4, 3000.0), (Reference, 4, 3000.0), (Again, 4, 3000.0)]);
    count(&mut run, 1, [0, 0, 0, 3000, 3000, 3000]);
    assert_eq!(analyse(&run, None, None).regimes.changes, []);
}

#[test]
fn a_queue_that_was_half_empty_is_told_and_one_that_waits_lowered_is_not() {
    let of = |depth| ServedStep::reads(StepKind::DepthLadder, depth, Bytes::kib(4), 3000.0);
    let run = run_of(&[of(16), of(32)]);
    let products = |run: &Run| -> Vec<f64> {
        let product = |finding: &analysis::Finding| match &finding.meaning {
            Meaning::LittleMismatch(found) => Some(found.product.round()),
            _ => None,
        };
        analyse(run, None, None).findings.iter().filter_map(product).collect()
    };
    assert!(products(&run).is_empty());
    let mut idle = run.clone();
    idle.steps[1].workers[0].directions[Direction::Read.index()].tally.latency_ns_sum /= 2;
    assert_eq!(products(&idle), [16.0]);
    let mut late = run;
    late.steps[1].intervals[2].waited = Nanos::from_millis(300);
    count(&mut late, 1, [3000, 3000, 900, 3000, 3000, 3000]);
    assert!(products(&late).is_empty());
}

/// Reads of which each second waited for a CPU, so that a level of its own is seen in none of them.
fn starved(steps: &[(StepKind, u64, f64)], counts: &[[u64; 6]]) -> Run {
    let mut run = reads(steps);
    for (step, counts) in counts.iter().enumerate() {
        count(&mut run, step, *counts);
        for interval in &mut run.steps[step].intervals {
            interval.waited = Nanos::from_millis(120);
        }
    }
    run
}

#[test]
fn a_fall_that_waits_hide_is_found_where_later_loads_agree_evenly() {
    use StepKind::{Again, Reference};
    let steps = [(Reference, 4, 1500.0), (Reference, 4, 1500.0), (Again, 4, 500.0), (Again, 4, 500.0)];
    let upper = [[1390, 1404, 1428, 1498, 1480, 1060], [1524, 1536, 1150, 1468, 1498, 1322]];
    let lower = [[498, 500, 486, 516, 500, 500], [507, 483, 507, 507, 480, 520]];
    let [first, last] = lower;
    let falls_of = |counts: &[[u64; 6]]| falls(&analyse(&starved(&steps, counts), None, None));
    assert_eq!(falls_of(&[upper[0], upper[1], first, last]), 1);
    assert_eq!(falls_of(&[upper[0], upper[1], first, upper[0]]), 0, "the rate came back");
    let uneven = [[498, 1100, 386, 816, 900, 420], [507, 883, 1007, 307, 680, 720]];
    assert_eq!(falls_of(&[upper[0], upper[1], uneven[0], uneven[1]]), 0, "waits explain that");
    let found = analyse(&starved(&steps, &[upper[0], upper[1], first, last]), None, None);
    let [change] = found.regimes.changes.as_slice() else { panic!("{:#?}", found.regimes) };
    assert!(change.after.low <= 500.0 && change.after.high >= 500.0, "{change:?}");
    assert!(change.before.low <= 1500.0 && change.before.high >= 1500.0, "{change:?}");
}

#[test]
fn one_rate_of_sizes_from_4_to_256_kib_is_a_limit_of_operations_and_not_of_servers() {
    use StepKind::{BlockLadder, DepthLadder};
    let of = |kind, depth, kib, iops| ServedStep::reads(kind, depth, Bytes::kib(kib), iops);
    let caps = |shallow: f64| {
        let mut run = run_of(&[
            of(StepKind::Latency, 1, 4, shallow),
            of(DepthLadder, 1, 4, shallow),
            of(DepthLadder, 16, 4, 800.0),
            of(DepthLadder, 32, 4, 800.0),
            of(BlockLadder, 32, 16, 800.0),
            of(BlockLadder, 32, 64, 800.0),
            of(BlockLadder, 32, 256, 800.0),
            of(BlockLadder, 32, 1024, 300.0),
        ]);
        for step in 2..7 {
            count(&mut run, step, [850, 700, 880, 760, 810, 800]);
        }
        let found = analyse(&run, None, None);
        let cap = |finding: &&analysis::Finding| matches!(finding.meaning, Meaning::IopsCap(_));
        found.findings.iter().filter(cap).map(|finding| finding.confidence).collect::<Vec<_>>()
    };
    assert_eq!(caps(560.0), [Confidence::Likely]);
    assert_eq!(caps(200.0), [], "four servers that take 5 ms");
}

#[test]
fn a_rate_of_a_moment_is_told_as_one() {
    let mut run = reads(&[(StepKind::DepthLadder, 4, 3000.0), (StepKind::BlockLadder, 1024, 125.0)]);
    let brief = |run: &Run| -> Vec<Quantity> {
        let rows = analyse(run, None, None).verdict.rows;
        let brief = |row: &&ClaimRow| row.doubts.iter().any(|doubt| matches!(doubt, Doubt::Brief { .. }));
        rows.iter().filter(brief).map(|row| row.quantity).collect()
    };
    assert_eq!(brief(&run), []);
    // Six intervals of a fifth of a second.
    let step = &mut run.steps[1];
    let at = |number: usize| step.started + Nanos::from_millis(200 * number as u64);
    for (number, interval) in step.intervals.iter_mut().enumerate() {
        (interval.start, interval.end) = (at(number), at(number + 1));
    }
    step.plan.interval = Nanos::from_millis(200);
    step.ended = at(6);
    count(&mut run, 1, [25; 6]);
    assert_eq!(brief(&run), [Quantity::BytesPerSecond]);
}
