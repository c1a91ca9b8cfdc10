//! What ails a volume leaves its level open or in doubt: no figure or cause is ever sure and wrong.

use analysis::findings::Question;
use analysis::{Confidence, LevelUnit, Meaning};
use workload::Direction;

use super::{Word, least, said, words};

const BOTH: [Direction; 2] = [Direction::Read, Direction::Write];

/// Returns direction and interval of each level that is reported as such, not as a lower bound.
fn told(said: &[(Meaning, Confidence)], counted: LevelUnit) -> Vec<(Direction, f64, f64)> {
    let of = |meaning: &Meaning| match meaning {
        Meaning::IopsCap(found) if counted == LevelUnit::Operations => Some((found.direction, found.cap)),
        Meaning::NotIdentifiable(found) if found.question == Question::Holds && !found.at_least => {
            Some((found.direction?, found.level)).filter(|_| found.counted == counted)
        }
        _ => None,
    };
    let levels = said.iter().filter_map(|(meaning, _)| of(meaning));
    levels.map(|(direction, level)| (direction, level.low, level.high)).collect()
}

#[test]
fn a_level_that_stolen_time_or_a_soft_corner_took_from_is_at_least_that() {
    for (ails, truth) in [
        (
            "iops=2370,bandwidth=139MiB/s,latency=633us,theft=200ms,theft_every=1s,theft_pace=poisson,seed=283",
            2370.0,
        ),
        (
            "iops=1630,bandwidth=80.8MiB/s,latency=970us,theft=500ms,theft_every=3s,theft_pace=poisson,seed=1307",
            1630.0,
        ),
        (
            "iops=584,bandwidth=250MiB/s,latency=2930us,theft=500ms,theft_every=10s,theft_pace=poisson,seed=1051",
            584.0,
        ),
        (
            "iops=1670,bandwidth=187MiB/s,latency=1690us,stall=300ms,stall_every=30s,stall_pace=poisson,corner=2,seed=390",
            1653.0,
        ),
        ("iops=2990,bandwidth=48.3MiB/s,latency=3290us,mode=30%,mode_factor=10,corner=2,seed=1016", 2990.0),
    ] {
        let said = said(&format!("sim:custom,{ails}"));
        for (direction, low, high) in told(&said, LevelUnit::Operations) {
            let holds = low <= truth * 1.03 && truth * 0.97 <= high;
            assert!(holds, "{ails}: {direction:?} {low} to {high} of {truth}");
        }
    }
}

#[test]
fn a_rate_at_which_no_io_waits_is_that_of_the_depth() {
    let write_back = "write_back=1024MiB,drain=64MiB/s,write_back_latency=2ms";
    for (iops, seed) in [(3340, 286), (1890, 1230)] {
        let said = said(&format!(
            "sim:custom,iops={iops},bandwidth=268MiB/s,latency=945us,{write_back},seed={seed}"
        ));
        // A rate beyond the drain is attributed to the depth, never reported as a lower bound with an open cause.
        let least = least(&said, Direction::Write, LevelUnit::Operations);
        assert!(least.is_none_or(|least| least < 1.1 * 16384.0), "{iops}: {said:#?}");
    }
    let words_of_cache =
        "sim:custom,iops=1310,bandwidth=40.3MiB/s,latency=226us,cache=4096MiB,cache_latency=2ms,size=4GiB";
    let said = said(words_of_cache);
    let found = words(&said, Direction::Read, LevelUnit::Operations);
    assert!(!found.iter().any(|(word, _)| matches!(word, Word::Capped(_))), "{said:#?}");
}

#[test]
fn servers_that_keep_step_are_no_meter() {
    for servers in [
        "servers=16,service=75300us,service_cv=0,server_bandwidth=50MiB/s,latency=524us,jitter=0.2,seed=1008",
        "servers=8,service=28200us,service_cv=0,server_bandwidth=82.5MiB/s,latency=1230us,jitter=1.5,seed=1183",
        "servers=4,service=236us,service_cv=0,server_bandwidth=55.4MiB/s,latency=194us,jitter=0.9,seed=1330",
    ] {
        let said = said(&format!("sim:custom,{servers}"));
        for direction in BOTH {
            let found = words(&said, direction, LevelUnit::Operations);
            let capped = |(word, sure): &(Word, Confidence)| {
                matches!(word, Word::Capped(_)) && *sure >= Confidence::Likely
            };
            assert!(!found.iter().any(capped), "{servers}: {direction:?} {said:#?}");
        }
    }
}

#[test]
fn noise_stalls_and_thin_blocks_are_not_surely_a_busy_device() {
    for ails in [
        "iops=2840,bandwidth=178MiB/s,latency=221us,thin=2ms,size=4GiB,seed=61",
        "iops=1160,bandwidth=255MiB/s,latency=662us,noise=5%,rho=0.3,seed=1009",
        "iops=1360,bandwidth=252MiB/s,latency=212us,stall=300ms,stall_every=5s,stall_pace=poisson,flicker=1%,\
         second_iops=100,second_for=20s,second_every=60s,seed=1222",
    ] {
        let said = said(&format!("sim:custom,{ails}"));
        for direction in BOTH {
            let found = words(&said, direction, LevelUnit::Operations);
            let busy =
                |(word, sure): &(Word, Confidence)| *word == Word::Saturated && *sure >= Confidence::Likely;
            assert!(!found.iter().any(busy), "{ails}: {direction:?} {said:#?}");
        }
    }
}

#[test]
fn a_stall_makes_no_unit_of_bytes() {
    let words = "sim:custom,iops=771,bandwidth=187MiB/s,latency=222us,stall=300ms,stall_every=5s,stall_pace=poisson,seed=1142";
    let said = said(words);
    for (meaning, sure) in &said {
        let is_unit = matches!(meaning, Meaning::AccountingUnit(_)) && *sure >= Confidence::Likely;
        assert!(!is_unit, "{said:#?}");
    }
}
