//! A recorded load as demand: the closed form and the replay, which must agree, and what each does by itself.

use policy::{
    Arrivals, Asked, Bound, BucketStart, Catalogue, ChargedSpan, Conditions, Curve, Demand, Horizon, Limits,
    Offer, Program, Wanted,
};
use proptest::prelude::*;
use workload::{Bytes, PolicyName};

const KIB: f64 = 1024.0;

fn limits(words: &str) -> Limits {
    policy::evaluate(&PolicyName::parse(words).unwrap()).unwrap()
}

/// A second of reads of 4 KiB.
fn reads(ops: f64) -> Offer {
    Offer {
        seconds: 1.0,
        ops: [ops, 0.0],
        bytes: [ops * 4.0 * KIB, 0.0],
        flushes: 0.0,
        busy_s: 1.0,
        in_flight: 1.0,
        least: 1.0,
        most: 1.0,
    }
}

fn demand(rates: &[f64]) -> Demand {
    Demand::new(rates.iter().map(|rate| reads(*rate)).collect())
}

fn asked(demand: &Demand) -> Asked<'_> {
    Asked { demand, bound: Bound::Most, horizon: Horizon::Once, wait_s: 0.0 }
}

const OPEN: Conditions = Conditions {
    bound: Bound::Most,
    arrivals: Arrivals::Even,
    program: Program::Open,
    start: BucketStart::Share(1.0),
};

#[test]
fn a_flat_cap_delays_what_exceeds_it_until_the_queue_is_empty() {
    // 1,500 in the first second of a cap of 1,000: 500 wait, and are served in the 2.5 further half seconds.
    let load = demand(&[1500.0, 800.0, 800.0, 800.0, 0.0]);
    let replay = limits("custom,iops=1000").replay(&load, &OPEN);
    assert!((replay.throttled_s - 3.5).abs() < 1e-6, "{}", replay.throttled_s);
    assert!((replay.waits.longest_s() - 0.5).abs() < 1e-6, "{}", replay.waits.longest_s());
    let headroom = limits("custom,iops=1000").headroom(&asked(&load));
    assert!((headroom.factor - 1000.0 / 1500.0).abs() < 1e-6 && headroom.closest_s == 1.0, "{headroom:?}");
}

#[test]
fn credits_carry_a_burst_until_they_are_spent() {
    let volume = limits("custom,iops=100,burst_iops=1000,bucket=9000");
    // 900 a second more than the baseline: 10 s.
    let carried = demand(&[1000.0; 10]);
    assert!(volume.replay(&carried, &OPEN).throttled_s < 1e-6);
    assert!((volume.headroom(&asked(&carried)).factor - 1.0).abs() < 1e-6);
    let longer = demand(&[1000.0; 12]);
    let replay = volume.replay(&longer, &OPEN);
    // 12,000 are asked for; 10,000 are served in 10 s, and the rest at 100 a second.
    assert!((replay.throttled_s - 20.0).abs() < 0.01 && (replay.seconds - 30.0).abs() < 0.01, "{replay:?}");
    assert_eq!(replay.rules[0].lowest.unwrap().0, 0.0);
    let empty = Conditions { start: BucketStart::Empty, ..OPEN };
    assert!(volume.replay(&carried, &empty).throttled_s > 90.0);
}

#[test]
fn a_closed_program_is_late_where_an_open_one_queues() {
    let volume = limits("custom,iops=500");
    let load = demand(&[1000.0, 0.0, 0.0, 0.0]);
    let open = volume.replay(&load, &OPEN);
    let closed = volume.replay(&load, &Conditions { program: Program::Closed, ..OPEN });
    // One at a time: each takes 1 ms longer. Open, the last one waits for a second.
    assert!((open.waits.longest_s() - 1.0).abs() < 1e-6 && (open.seconds - 4.0).abs() < 1e-6);
    assert!((closed.waits.longest_s() - 1e-3).abs() < 1e-6 && (closed.seconds - 5.0).abs() < 1e-6);
}

#[test]
fn bunched_arrivals_wait_where_even_ones_do_not() {
    let volume = limits("custom,iops=1000");
    let load = Demand::new(vec![Offer { busy_s: 0.1, ..reads(500.0) }]);
    assert_eq!(volume.replay(&load, &OPEN).throttled_s, 0.0);
    let bunched = volume.replay(&load, &Conditions { arrivals: Arrivals::Bunched, ..OPEN });
    assert!((bunched.waits.longest_s() - 0.4).abs() < 1e-6, "{bunched:?}");
    // 600 in half a second are late by a tenth, also where the load ends with a rest.
    let load =
        Demand::new(vec![Offer { busy_s: 0.5, ..reads(600.0) }, Offer { busy_s: 0.2, ..reads(100.0) }]);
    let conditions = Conditions { arrivals: Arrivals::Bunched, program: Program::Closed, ..OPEN };
    let closed = volume.replay(&load, &conditions);
    assert!((closed.seconds - 2.1).abs() < 1e-6, "{closed:?}");
}

#[test]
fn lengths_that_are_not_known_are_charged_between_two_bounds() {
    let large = Offer { bytes: [1000.0 * 300.0 * KIB, 0.0], ..reads(1000.0) };
    let load = Demand::new(vec![large]);
    let gp3 = limits("aws-gp3,size=100GiB");
    let rule = &gp3.limits[0];
    // Units of 256 KiB: at least 300/256 of one in the mean, at most one more than full ones.
    let least = load.curve(rule, Bound::Least).peak();
    let most = load.curve(rule, Bound::Most).peak();
    assert!((least - 1171.875).abs() < 1e-6 && (most - 2169.9).abs() < 0.1, "{least} {most}");
}

#[test]
fn a_repeated_load_needs_the_credits_that_its_end_spends() {
    let mut rates = vec![1000.0; 6];
    rates.extend([0.0; 20]);
    rates.extend([1000.0; 6]);
    let volume = limits("custom,iops=300,burst_iops=2000,bucket=5000");
    let load = demand(&rates);
    let once = volume.headroom(&asked(&load)).factor;
    let repeated = volume.headroom(&Asked { horizon: Horizon::Repeated, ..asked(&load) }).factor;
    assert!(once > 1.0 && repeated < 1.0, "{once} {repeated}");
}

#[test]
fn the_least_setting_is_the_least_of_each_parameter() {
    let policies = Catalogue::builtin();
    let wanted = Wanted { capacity: Some(Bytes(100 << 30)) };
    let load = demand(&[7000.0; 60]);
    let holds = |limits: &Limits| limits.carries(&asked(&load), 1.0);
    let gp3 = policies.find("aws-gp3").unwrap().least_settings(&wanted, &holds);
    // A mean of 4 KiB may hide an I/O or two above 256 KiB, which cost more than one unit.
    assert_eq!(gp3[0].policy.to_string(), "aws-gp3,size=100GiB,iops=7100,throughput=125MiB/s");
    // Credits reach 3,000; above, only size helps: 3 a second for each GiB.
    let gp2 = policies.find("aws-gp2").unwrap().least_settings(&wanted, &holds);
    assert_eq!(gp2[0].policy.to_string(), "aws-gp2,size=2366GiB");
    let small = Wanted { capacity: Some(Bytes(4 << 40)) };
    let sc1 = policies.find("aws-sc1").unwrap().least_settings(&small, &|_| true);
    assert_eq!(sc1[0].policy.to_string(), "aws-sc1,size=4096GiB");
    assert!(policies.find("aws-sc1").unwrap().least_settings(&small, &|_| false).is_empty());
}

#[test]
fn flushes_are_among_the_writes_or_beside_them() {
    let volume = limits("custom,iops=1000");
    let writes = Offer { ops: [0.0, 900.0], bytes: [0.0, 450.0 * 4096.0], flushes: 450.0, ..reads(0.0) };
    let load = Demand::new(vec![Offer { most: f64::INFINITY, ..writes }]);
    let charged = |bound| load.curve(&volume.limits[0], bound).charges()[0];
    // Each of 450 writes may have been flushed; or 900 had data, and each second one asked for a flush with it. What more was
    // wanted, which nothing bounds, is no part of what was recorded.
    let bounds = [Bound::Least, Bound::Recorded, Bound::Most, load.greatest()];
    assert_eq!(bounds.map(charged), [450.0, 1350.0, f64::INFINITY, 1350.0]);
}

#[test]
fn windows_that_are_equally_great_are_not_lost() {
    let (level, over) = (2566.230111867591, 0.8);
    for peak in (1..500).map(|thousandths| level * (1.0 + f64::from(thousandths) / 1000.0)) {
        // The first 16 are the window that decides, and the sums that lead to it differ by roundings.
        let rates = [vec![level; 16], vec![0.0; 15], vec![peak; 3]].concat();
        assert_greatest_excess(&rates, over * level);
    }
}

/// Asserts that the curve of a load knows its greatest excess over a rate: that of all windows, one by one.
fn assert_greatest_excess(rates: &[f64], rate: f64) {
    let span = |rate: &f64| ChargedSpan { seconds: 1.0, busy_s: 1.0, charge: *rate };
    let spans: Vec<ChargedSpan> = rates.iter().map(span).collect();
    let curve = Curve::new(&spans);
    let mut greatest = 0.0f64;
    for from in 0..rates.len() {
        let mut over = 0.0;
        for amount in &rates[from..] {
            over += amount - rate;
            greatest = greatest.max(over);
        }
    }
    let (within, off) =
        (|room: f64| curve.is_within((rate, room), Horizon::Once), 1e-9 * rates.iter().sum::<f64>());
    assert!(within(greatest + off), "{greatest} over {rate} of {rates:?} is too little");
    assert!(greatest == 0.0 || !within(greatest - off), "{greatest} over {rate} of {rates:?} is too much");
}

/// A load of a few minutes: levels, pauses and peaks.
fn rates() -> impl Strategy<Value = Vec<f64>> {
    let level = (0.0..3000.0f64, 1usize..20).prop_map(|(rate, times)| vec![rate; times]);
    let level = prop_oneof![level.clone(), level, (1usize..30).prop_map(|times| vec![0.0; times])];
    prop::collection::vec(level, 1..25).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn closed_form_and_replay_agree(
        rates in rates(),
        iops in 50.0..2500.0f64,
        times in 1.01..8.0f64,
        bucket in 10.0..100_000.0f64,
        bandwidth in 1.0..20.0f64,
        wait_s in prop_oneof![Just(0.0), 0.001..20.0f64],
    ) {
        prop_assume!(rates.iter().sum::<f64>() > 0.0);
        let words = format!("custom,iops={iops},burst_iops={},bucket={bucket},bandwidth={bandwidth}MiB/s", iops * times);
        let volume = limits(&words);
        let load = demand(&rates);
        let asked = Asked { wait_s, ..asked(&load) };
        let factor = volume.headroom(&asked).factor;
        prop_assert!(factor.is_finite() && factor > 0.0, "{factor}");
        let at = |times: f64| {
            let load = demand(&rates.iter().map(|rate| rate * factor * times).collect::<Vec<_>>());
            volume.replay(&load, &OPEN).waits.longest_s()
        };
        prop_assert!(at(0.99) <= wait_s + 1e-4, "{factor}: {} at 0.99", at(0.99));
        prop_assert!(at(1.01) > wait_s, "{factor}: {} at 1.01", at(1.01));
        prop_assert!(volume.carries(&asked, factor * 0.999) && !volume.carries(&asked, factor * 1.001));
    }

    #[test]
    fn the_excess_is_that_of_all_windows(rates in rates(), rate in 1.0..3000.0f64) {
        assert_greatest_excess(&rates, rate);
    }
}
