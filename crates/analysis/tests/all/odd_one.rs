//! Several volumes: the odd one is found whatever its neighbours stray, and equals are seldom called odd.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use analysis::compare::{Comparison, Outcome, Side, compare, farthest};
use record::{Figure, Origin, ReportedDirection, ReportedPart, Run, Scope};
use statistics::Stream;
use workload::{Direction, Nanos};

/// Loads of each run, by depth.
const DEPTHS: [&str; 4] = ["1", "4", "16", "64"];

/// One run of every load, each `level` times its nominal rate and off that by its own noise.
fn run(level: f64, noise: f64, stream: &mut Stream) -> Run {
    let mut run = Run::started(Vec::new(), 0);
    run.origin = Origin::Imported { tool: "fio 3.33 text".to_owned(), lacks: Vec::new() };
    let part = |depth: &&str| {
        let iops = 1000.0 * level * (noise * stream.normal()).exp();
        let asked = [("rw", "randread"), ("bs", "4k"), ("iodepth", *depth)];
        ReportedPart {
            asked: asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            runtime: Some(Nanos::from_secs(10)),
            directions: vec![ReportedDirection {
                iops: Some(Figure::exact(iops, format!("{iops}"))),
                ..ReportedDirection::new(Some(Direction::Read))
            }],
            ..ReportedPart::named(Scope::Job, *depth, 1)
        }
    };
    run.reported = DEPTHS.iter().map(part).collect();
    run
}

/// Compares volumes of these levels that stray by `noise`.
fn fleet(levels: &[f64], noise: f64, seed: u64) -> Comparison {
    let mut stream = Stream::new(seed, levels.len() as u64);
    let side = |(number, level): (usize, &f64)| {
        Side::of_runs(format!("h{number}"), vec![run(*level, noise, &mut stream)])
    };
    compare(&levels.iter().enumerate().map(side).collect::<Vec<_>>())
}

fn odd(found: &Comparison) -> Vec<usize> {
    let mut sides: Vec<usize> = found.deviations.iter().filter(|of| of.odd).map(|of| of.side).collect();
    sides.dedup();
    sides.sort_unstable();
    sides.dedup();
    sides
}

#[test]
fn equals_are_seldom_called_odd() {
    for (sides, noise) in [(3, 0.05), (5, 0.01), (5, 0.2), (10, 0.05), (20, 0.05)] {
        let alarms = (0..400).filter(|seed| !odd(&fleet(&vec![1.0; sides], noise, *seed)).is_empty()).count();
        println!("{sides} sides, {noise}: {alarms} of 400 alarms");
        // 5 % of 400, and three standard errors of that count.
        assert!(alarms <= 33, "{sides} sides, {noise}: {alarms} of 400");
    }
}

#[test]
fn a_third_less_is_found_and_two_odd_ones_do_not_hide_each_other() {
    let found = |levels: &[f64], noise: f64, wanted: &[usize]| {
        (0..100).filter(|seed| odd(&fleet(levels, noise, *seed)) == wanted).count()
    };
    assert!(found(&[1.0, 1.0, 1.0, 0.667, 1.0], 0.02, &[3]) >= 90);
    let mut twenty = vec![1.0; 20];
    (twenty[4], twenty[11]) = (0.7, 1.5);
    assert!(found(&twenty, 0.05, &[4, 11]) >= 90);
}

#[test]
fn two_sides_have_no_odd_one_and_less_than_two_per_cent_is_never_odd() {
    assert!(fleet(&[1.0, 0.5], 0.0, 1).deviations.is_empty());
    let alike = fleet(&[1.0, 1.0, 1.0, 0.985], 0.0, 1);
    assert_eq!((odd(&alike), alike.outcome), (Vec::new(), Outcome::Same));
    let one = fleet(&[1.0, 1.0, 1.0, 0.97], 0.0, 1);
    assert_eq!((odd(&one), one.outcome), (vec![3], Outcome::Told));
    assert!((one.deviations.iter().find(|of| of.odd).unwrap().share + 0.03).abs() < 1e-9);
}

/// Two that are alike show too little of how far a third may stray.
#[test]
fn one_far_from_two_that_are_alike_leaves_it_open() {
    let found = fleet(&[1.0, 1.0, 0.92], 0.003, 1);
    assert_eq!((odd(&found), found.outcome), (Vec::new(), Outcome::CannotTell));
    let (far, others) = farthest(&found.deviations).unwrap();
    assert!(far.side == 2 && far.is_alone(others), "{far:?} {others}");
    let apart = fleet(&[1.0, 1.1, 0.92], 0.003, 1);
    assert_eq!((odd(&apart), apart.outcome), (Vec::new(), Outcome::CannotTell));
    assert!(!farthest(&apart.deviations).is_some_and(|(far, others)| far.is_alone(others)));
}
