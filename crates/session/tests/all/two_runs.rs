//! One check of each of two volumes: a change of a limit is found, and none where there is none.

use analysis::compare::{Outcome, Shown, Side, compare};
use workload::Direction;

use crate::simulated_checks::check;

/// Returns a check of a volume limited to `iops`, with `noise`.
fn side(iops: u32, noise: &str, seed: u64) -> Side {
    let words = format!("sim:custom,iops={iops},{noise},seed={seed}");
    Side::of_runs(iops.to_string(), vec![check(&words, "").0])
}

#[test]
fn a_limit_five_percent_lower_is_found_by_one_run_each() {
    for noise in ["noise=2%", "noise=3%", "noise=2%,slow=1%,slow_over=5m"] {
        for seed in 1..4 {
            let [first, lower, again] =
                [(3_000, 0), (2_850, 100), (3_000, 200)].map(|(iops, more)| side(iops, noise, seed + more));
            let shown = |other: Side| {
                let found = compare(&[first.clone(), other]);
                let greatest = found.greatest(1).map(|row| (row.work.direction, row.ratios[1].unwrap()));
                greatest.map(|(way, ratio)| (way, ratio.shows(), ratio.value))
            };
            let Some((Some(Direction::Read | Direction::Write), Shown::Less, ratio)) = shown(lower) else {
                panic!("{noise}, seed {seed}: nothing is found");
            };
            assert!((0.92..0.98).contains(&ratio), "{noise}, seed {seed}: {ratio}");
            assert_eq!(shown(again), None, "{noise}, seed {seed}");
        }
    }
}

/// Somebody else takes two fifths for ten seconds a minute: the load that meets these is no limit of the volume.
#[test]
fn what_a_neighbour_takes_for_a_while_is_no_change_of_a_limit() {
    let noise = "noise=2%,neighbour=40%,neighbour_for=10s,neighbour_every=60s,neighbour_pace=poisson";
    for seed in 1..5 {
        let found = compare(&[side(3_000, noise, seed), side(3_000, noise, seed + 200)]);
        assert_eq!(found.outcome, Outcome::CannotTell, "seed {seed}: {:#?}", found.limits);
    }
}
