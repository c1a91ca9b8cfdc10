//! Tests that the interval of a level holds its long-run mean, whatever the noise, and reports why it is wider.

use super::turns::{LEVELS, levels};
use super::volume::{Looks, MEAN, SECONDS, Strays, Volume, one, series};
use super::{Basis, Level, Moment, Series, level};
use crate::Stream;
use crate::level::Strays as LevelStrays;

/// Shares of runs whose interval holds the mean, whose level is said to wander, and in which at least dependence is
/// presumed; mean half-width and bias as shares of the mean.
struct IntervalShares {
    held: f64,
    wandering: f64,
    presumed: f64,
    half_width: f64,
    bias: f64,
}

const RUNS: u64 = 60;

fn seen(looks: Looks, strays: Strays) -> IntervalShares {
    let found: Vec<Level> = (0..RUNS).filter_map(|run| one(looks, strays, run)).collect();
    let mean = |figure: &dyn Fn(&Level) -> f64| found.iter().map(figure).sum::<f64>() / RUNS as f64;
    IntervalShares {
        held: mean(&|level| f64::from((level.mean - MEAN).abs() <= level.half_width)),
        wandering: mean(&|level| f64::from(level.basis == Basis::Wandering)),
        presumed: mean(&|level| f64::from(matches!(level.basis, Basis::Wandering | Basis::Presumed))),
        half_width: mean(&|level| level.half_width / MEAN),
        bias: mean(&|level| level.mean / MEAN - 1.0),
    }
}

const FEW: Looks = Looks { moments: 1, values: 5, span: 3.0 };
const REFERENCES: Looks = Looks { moments: 8, values: 5, span: 100.0 };
const LADDER: Looks = Looks { moments: 12, values: 8, span: 120.0 };

#[test]
fn fast_noise_is_covered_whatever_its_dependence() {
    // Of 60 intervals of 95 %, fewer than 53 hold the mean only once in a hundred times.
    for (cv, rho) in [(0.0005, 0.0), (0.0005, 0.8), (0.01, 0.0), (0.01, 0.8), (0.1, 0.6)] {
        for looks in [FEW, LADDER] {
            let strays = Strays { cv, rho, slow: 0.0, memory: 1.0 };
            let seen = seen(looks, strays);
            assert!(seen.held >= 53.0 / 60.0, "CV {cv}, rho {rho}, {} moments: {}", looks.moments, seen.held);
            assert!(seen.bias.abs() < 3.0 * cv, "{}", seen.bias);
        }
    }
}

#[test]
fn slow_noise_is_covered_or_the_interval_is_wider_and_says_so() {
    for (cv, slow, memory) in
        [(0.0005, 0.02, 60.0), (0.01, 0.02, 300.0), (0.01, 0.05, 60.0), (0.0005, 0.05, 300.0)]
    {
        let seen = seen(REFERENCES, Strays { cv, rho: 0.3, slow, memory });
        assert!(seen.held >= 50.0 / 60.0, "{slow} over {memory} s: {}", seen.held);
        assert!(seen.presumed > 0.9, "{slow} over {memory} s: {}", seen.presumed);
    }
}

#[test]
fn a_calm_level_is_known_well_and_not_said_to_wander() {
    let seen = seen(LADDER, Strays { cv: 0.0005, rho: 0.0, slow: 0.0, memory: 1.0 });
    assert!(seen.half_width < 0.0005 && seen.wandering < 0.2, "{} {}", seen.half_width, seen.wandering);
}

#[test]
fn one_short_moment_borrows_how_levels_stray() {
    let strays = Strays { cv: 0.002, rho: 0.3, slow: 0.05, memory: 60.0 };
    let borrowing = seen(FEW, strays);
    assert!(borrowing.held >= 50.0 / 60.0, "{}", borrowing.held);
    let alone = (0..RUNS).filter(|run| {
        let mut volume = Volume::new(strays, *run);
        let level = level(&series(&volume.seen(FEW, 0.0)), &LevelStrays::default()).unwrap();
        assert_eq!(level.basis, Basis::OneMoment, "nothing is known of other moments, and it says so");
        (level.mean - MEAN).abs() <= level.half_width
    });
    assert!(alone.count() < 40, "alone it only holds the level of its moment");
}

#[test]
fn a_meter_is_pinned_to_its_counts_and_noise_is_not() {
    let metered = |counts: f64, run: u64| {
        let begun = Stream::new(run, 5).unit_f64();
        let moment = |from: f64| -> Vec<f64> {
            let until = |at: f64| (counts * (from + at * SECONDS) + begun).floor();
            (0..8).map(|at| (until(f64::from(at) + 1.0) - until(f64::from(at))) / SECONDS).collect()
        };
        let moments: Vec<(f64, Vec<f64>)> =
            (0..6).map(|at| (20.0 * f64::from(at), moment(20.0 * f64::from(at)))).collect();
        level(&series(&moments), &LevelStrays::default()).unwrap()
    };
    for run in 0..20 {
        for counts in [25.4, 125.0, 3000.3] {
            let level = metered(counts, run);
            assert!((level.mean - counts).abs() <= level.half_width, "{level:?}");
            assert!(level.half_width <= 0.35, "about a count a moment, however few there are: {level:?}");
            assert!(level.half_width >= 0.25, "never finer than the ends of the moments: {level:?}");
        }
        let noise = Strays { cv: 0.001, rho: 0.8, slow: 0.0, memory: 1.0 };
        let level = one(LADDER, noise, run).unwrap();
        assert_ne!(level.basis, Basis::Pinned);
    }
}

#[test]
fn levels_seen_in_turn_tell_of_each_other_and_are_still_covered() {
    const RUNS: u64 = 12;
    // 95 % requires 0.25 to 0.4 % for the first two, by the spread of the means themselves, and 3.3 % for the last.
    for (cv, rho, slow, widest) in
        [(0.01, 0.0, 0.0, 0.012), (0.01, 0.55, 0.0, 0.022), (0.002, 0.0, 0.02, 0.1)]
    {
        let strays = Strays { cv, rho, slow, memory: 60.0 };
        let found: Vec<Level> = (0..RUNS).flat_map(|run| levels(strays, run)).collect();
        assert_eq!(found.len(), LEVELS * RUNS as usize);
        let held = found.iter().filter(|level| (level.mean - MEAN).abs() <= level.half_width).count();
        // The levels of a run share their slow part.
        assert!(held >= 40, "{cv}, {rho}, {slow}: {held} of {}", found.len());
        let half_width = found.iter().map(|level| level.half_width / MEAN).sum::<f64>() / found.len() as f64;
        assert!(half_width < widest, "{cv}, {rho}, {slow}: {half_width}");
    }
}

#[test]
fn a_metered_level_beside_a_noisy_one_is_told_from_it() {
    let noisy = Strays { cv: 0.05, rho: 0.3, slow: 0.0, memory: 1.0 };
    let mut volume = Volume::new(noisy, 1);
    let others = volume.seen(LADDER, 3.0);
    let metered: Vec<(f64, Vec<f64>)> = (0..6).map(|at| (20.0 * f64::from(at), vec![MEAN; 8])).collect();
    let strays = LevelStrays::of(&[series(&others), series(&metered)]);
    let of = |moments: &[(f64, Vec<f64>)]| level(&series(moments), &strays).unwrap();
    assert!(of(&metered).half_width < 0.03 * MEAN, "{:?}", of(&metered));
    assert!((of(&others).mean - MEAN).abs() <= of(&others).half_width, "{:?}", of(&others));
}

#[test]
fn degenerate_series_are_answered() {
    let none = LevelStrays::default();
    let of = |values: &[f64]| {
        let moments = vec![Moment { at: 0.0, seconds: 1.0, values }];
        level(&Series { moments, unit: 1.0 }, &none)
    };
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[5.0]), None);
    assert_eq!(of(&[5.0, f64::NAN]), None);
    let constant = of(&[800.0; 6]).unwrap();
    assert!(
        constant.half_width > 0.1 && constant.half_width < 2.0,
        "whole counts leave something open: {constant:?}"
    );
    assert_eq!(of(&[0.0; 6]).map(|level| level.mean), Some(0.0));
    let huge = of(&[1e300, 2e300, 1e300, 2e300, 1.5e300]);
    assert!(huge.is_none_or(|level| !level.half_width.is_nan()));
}

#[test]
fn moments_of_other_lengths_count_by_their_time() {
    let (fine, coarse) = ([100.0; 20], [130.0; 2]);
    let moments = vec![
        Moment { at: 0.0, seconds: 0.1, values: &fine },
        Moment { at: 9.0, seconds: 1.0, values: &coarse },
    ];
    let level = level(&Series { moments, unit: 1.0 }, &LevelStrays::default()).unwrap();
    assert!((level.mean - 115.0).abs() < 1e-9 && level.half_width > 10.0, "{level:?}");
}
