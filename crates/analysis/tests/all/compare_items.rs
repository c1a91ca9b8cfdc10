//! What counts as one figure of one run: jobs side by side add up, steps one after the other do not, and threads are no
//! repeats.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use analysis::Confidence;
use analysis::compare::{Basis, Comparison, Price, Reading, Side, compare};
use policy::evaluate;
use record::{Figure, Origin, ReportedDirection, ReportedPart, Run, Scope};
use workload::{Direction, Nanos, PolicyName};

fn way(direction: Direction, ops: f64, iops: Option<f64>) -> ReportedDirection {
    ReportedDirection {
        ops: Some(Figure::exact(ops, format!("{ops}"))),
        bytes: Some(Figure::exact(ops * 4096.0, format!("{}", ops * 4096.0))),
        iops: iops.map(|iops| Figure::exact(iops, format!("{iops}"))),
        ..ReportedDirection::new(Some(direction))
    }
}

fn run(tool: &str, reported: Vec<ReportedPart>) -> Run {
    let mut run = Run::started(Vec::new(), 0);
    run.origin = Origin::Imported { tool: tool.to_owned(), lacks: Vec::new() };
    run.reported = reported;
    run
}

fn job(group: u32, iops: f64) -> ReportedPart {
    let asked = [("rw", "randread"), ("bs", "4k"), ("iodepth", "8")];
    ReportedPart {
        group: Some(group),
        asked: asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        runtime: Some(Nanos::from_secs(10)),
        directions: vec![
            way(Direction::Read, iops * 10.0, Some(iops)),
            way(Direction::Write, 0.0, Some(0.0)),
        ],
        ..ReportedPart::named(Scope::Job, "job", 1)
    }
}

fn side(label: &str, runs: Vec<Run>, policy: Option<&str>) -> Side {
    let limits = policy.map(|words| evaluate(&PolicyName::parse(words).unwrap()).unwrap());
    Side { label: label.to_owned(), runs, limits, price: None, size: None, machine: None, source: None }
}

fn value(found: &Comparison, side: usize) -> f64 {
    assert_eq!(found.rows.len(), 1, "{:#?}", found.rows);
    found.rows[0].figures[side].as_ref().unwrap().value
}

#[test]
fn jobs_of_one_group_add_up_and_jobs_of_two_groups_are_averaged_but_neither_is_a_repeat() {
    let beside = run("fio 3.33 text", vec![job(0, 750.0), job(0, 750.0), job(0, 750.0), job(0, 750.0)]);
    let after = run("fio 3.33 text", vec![job(0, 2900.0), job(1, 3100.0)]);
    let found = compare(&[side("a", vec![beside], None), side("b", vec![after], None)]);
    assert_eq!((value(&found, 0), value(&found, 1)), (3000.0, 3000.0));
    assert_eq!(found.rows[0].ratios[1].unwrap().basis, Basis::OneEach);
    assert!(found.alone.is_empty(), "directions without an I/O are no work: {:?}", found.alone);
}

#[test]
fn threads_alone_are_summed_over_the_time_of_the_whole() {
    let asked = [("BlockSize", "4096"), ("Random", "4096"), ("WriteRatio", "0"), ("RequestCount", "4")];
    let whole = ReportedPart {
        clones: Some(2),
        runtime: Some(Nanos::from_secs(10)),
        asked: asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..ReportedPart::named(Scope::Whole, "timespan 1", 1)
    };
    let thread = |ops: f64| ReportedPart {
        directions: vec![way(Direction::Read, ops, None)],
        ..ReportedPart::named(Scope::Thread, "thread", 2)
    };
    let diskspd = run("DiskSpd 2.2.0 XML", vec![whole, thread(10_000.0), thread(20_000.0)]);
    let fio = run("fio 3.33 text", vec![job(0, 3000.0)]);
    let found = compare(&[side("a", vec![fio], None), side("b", vec![diskspd], None)]);
    assert_eq!((value(&found, 0), value(&found, 1)), (3000.0, 3000.0));
}

#[test]
fn credits_are_reckoned_of_jobs_that_ran_side_by_side_as_of_one_load() {
    let beside = || run("fio 3.33 text", vec![job(0, 1500.0), job(0, 1500.0)]);
    let found =
        compare(&[side("a", vec![beside()], Some("aws-gp2,size=50GiB")), side("b", vec![beside()], None)]);
    let Reading::OnCredits { at_burst, loads, spent_most, seen, .. } = found.readings[0].reading else {
        panic!("{:#?}", found.readings);
    };
    // 3,000 a second for 10 s, less 150 that each second earns: once, not once per job.
    assert_eq!((at_burst, loads, spent_most, seen), (1, 1, 28_500.0, (3000.0, 3000.0)));
}

#[test]
fn a_volume_is_read_by_the_caps_of_what_it_was_sold_as() {
    let at = |iops: f64, policy: &str| {
        let runs = || vec![run("fio 3.33 text", vec![job(0, iops)])];
        let found = compare(&[side("a", runs(), Some(policy)), side("b", runs(), None)]);
        found.readings.into_iter().find(|finding| finding.side == 0).unwrap().reading
    };
    assert!(matches!(at(3000.0, "aws-gp3"), Reading::AtCap { cap: 3000.0, .. }));
    assert!(matches!(at(2000.0, "aws-gp3"), Reading::BelowCaps { .. }));
    assert!(matches!(at(9000.0, "aws-gp3"), Reading::AbovePolicy { .. }));
    assert!(matches!(at(9000.0, "aws-gp2,size=50GiB"), Reading::AbovePolicy { most: 3000.0, .. }));
    assert!(matches!(at(7500.0, "do-volumes-standard"), Reading::InBurst { baseline: 5000.0, .. }));
    // In ten seconds a meter may let through a slice too many, but 6 % are more than a slice.
    assert!(matches!(at(3120.0, "aws-gp2,size=50GiB"), Reading::OnCredits { .. }));
    assert!(matches!(at(3180.0, "aws-gp2,size=50GiB"), Reading::AbovePolicy { .. }));
    assert!(matches!(at(140.0, "aws-gp2,size=50GiB"), Reading::WithinBaseline { .. }));
    let Reading::OnCredits { baseline_seen, at_burst, .. } = at(1000.0, "aws-gp2,size=50GiB") else {
        panic!()
    };
    assert_eq!((baseline_seen, at_burst), (false, 0));
    // A load at the baseline's rate shows it only if one like it came to the burst's: another may ask for no more.
    for (block, seen) in [("4k", true), ("64k", false)] {
        let slow = asked(&[("rw", "randread"), ("bs", block), ("iodepth", "8")], 150.0);
        let slow = ReportedPart { group: Some(1), ..slow };
        let runs = vec![run("fio 3.33 text", vec![job(0, 3000.0), slow])];
        let found = compare(&[
            side("a", runs, Some("aws-gp2,size=50GiB")),
            side("b", vec![run("fio 3.33 text", vec![job(0, 9.0)])], None),
        ]);
        let Reading::OnCredits { baseline_seen, .. } = found.readings[0].reading else {
            panic!("{:#?}", found.readings);
        };
        assert_eq!(baseline_seen, seen, "{block}");
    }
}

/// What was asked of a job, and the I/Os per second that it reached.
fn asked(pairs: &[(&str, &str)], iops: f64) -> ReportedPart {
    let mut part = job(0, iops);
    part.asked = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    part
}

fn fio(parts: Vec<ReportedPart>) -> Vec<Run> {
    vec![run("fio 3.33 JSON", parts)]
}

const DEEP: [(&str, &str); 3] = [("rw", "randread"), ("bs", "4k"), ("iodepth", "64")];
const FLAT: [(&str, &str); 3] = [("rw", "randread"), ("bs", "4k"), ("iodepth", "1")];

#[test]
fn what_nobody_recorded_is_never_taken_for_equal_without_a_word() {
    let terse = || fio(vec![asked(&[], 900.0)]);
    let open = ["depth", "order", "flushes", "offered rate"];
    let found = compare(&[side("a", fio(vec![asked(&DEEP, 3000.0)]), None), side("b", terse(), None)]);
    assert_eq!(found.rows[0].unrecorded, [vec![], open.map(str::to_owned).to_vec()]);
    let both = compare(&[side("a", terse(), None), side("b", terse(), None)]);
    assert_eq!(both.rows[0].unrecorded[0], open);
    // It may be either of two works, so it is neither.
    let either = fio(vec![asked(&DEEP, 3000.0), asked(&FLAT, 800.0)]);
    for sides in [
        [side("a", either.clone(), None), side("b", terse(), None)],
        [side("a", terse(), None), side("b", either, None)],
    ] {
        let found = compare(&sides);
        assert!(found.rows.is_empty(), "{:#?}", found.rows);
        assert_eq!(found.alone.len(), 3, "{:#?}", found.alone);
    }
}

fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    DEEP.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn every_option_that_differs_is_told_and_long_lists_share_a_row() {
    let first =
        with(&[("sync", "1"), ("numjobs", "1"), ("fdatasync", "0"), ("same", "x"), ("group_reporting", "")]);
    let other = with(&[("numjobs", "4"), ("invalidate", "0"), ("thinktime", "100"), ("same", "x")]);
    let found = compare(&[
        side("a", fio(vec![asked(&first, 900.0)]), None),
        side("b", fio(vec![asked(&other, 900.0)]), None),
    ]);
    let told: Vec<(&str, &str, &str)> = found
        .differing
        .iter()
        .map(|row| (row.what.as_str(), row.values[0].as_str(), row.values[1].as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("numjobs", "1", "4"),
            ("other options", "fdatasync=0, group_reporting, sync=1", "invalidate=0, thinktime=100"),
        ]
    );
    assert_eq!(
        found.rows[0].unrecorded[1],
        ["offered rate"],
        "a pause holds it to a rate that nobody wrote down"
    );
}

#[test]
fn a_rate_that_was_asked_for_is_no_cap() {
    let at = |policy: Option<&str>, more: &[(&str, &str)]| {
        let other = [("rw", "randwrite"), ("bs", "4k"), ("iodepth", "64")];
        let other: Vec<_> = other.iter().chain(more).copied().collect();
        let mut write = asked(&other, 3000.0);
        (write.group, write.directions) = (Some(1), vec![way(Direction::Write, 30_000.0, Some(3000.0))]);
        let runs = || fio(vec![asked(&with(more), 3000.0), write.clone()]);
        let found = compare(&[side("a", runs(), policy), side("b", runs(), None)]);
        let offered = found.rows[0].work.offered;
        (
            offered,
            found
                .readings
                .into_iter()
                .filter(|finding| finding.side == 0)
                .map(|f| f.reading)
                .collect::<Vec<_>>(),
        )
    };
    assert!(matches!(at(None, &[]).1[..], [Reading::OneLevel { .. }]));
    assert!(matches!(at(Some("aws-gp3"), &[]).1[..], [Reading::AtCap { .. }]));
    for (held, offered) in
        [(("rate_iops", "3000"), Some(3000)), (("rate", "12m"), None), (("thinktime", "300"), None)]
    {
        assert_eq!(at(None, &[held]), (offered, Vec::new()), "{held:?}");
        assert_eq!(at(Some("aws-gp3"), &[held]).1, Vec::new(), "{held:?}");
    }
    // A rate that was offered beyond what the job reached did not limit it.
    assert!(matches!(at(None, &[("rate_iops", "5k")]).1[..], [Reading::OneLevel { .. }]));
}

#[test]
fn jobs_side_by_side_that_end_at_different_times_are_their_sums_over_the_longest() {
    let short = |ms: u64| ReportedPart {
        runtime: Some(Nanos::from_millis(ms)),
        directions: vec![way(Direction::Read, 256.0, Some(256_000.0 / ms as f64))],
        ..job(0, 0.0)
    };
    let four = || vec![run("fio 3.33 text", [91, 78, 87, 36].map(short).to_vec())];
    let found = compare(&[
        side("a", four(), Some("aws-gp3")),
        side("b", vec![run("fio 3.33 text", vec![job(0, 3000.0)])], None),
    ]);
    assert!(
        (found.rows[0].figures[0].as_ref().unwrap().value - 1024.0 / 0.091).abs() < 0.01,
        "{:#?}",
        found.rows
    );
    let (_, shown) = &found.readings[0].evidence[0];
    assert!((shown - 1024.0 / 0.091).abs() < 0.01, "{shown}");
}

#[test]
fn one_rate_far_below_a_declared_policy_is_no_figure_of_that_policy() {
    let write = ReportedPart {
        asked: [("rw", "randwrite"), ("bs", "4k"), ("iodepth", "8")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .to_vec(),
        directions: vec![way(Direction::Write, 30_000.0, Some(3000.0))],
        ..job(1, 0.0)
    };
    let runs = || vec![run("fio 3.33 text", vec![job(0, 3000.0), write.clone()])];
    let found =
        compare(&[side("a", runs(), Some("aws-gp2,size=2000GiB")), side("b", runs(), Some("aws-gp3"))]);
    let of = |side: usize| -> Vec<_> {
        found.readings.iter().filter(|f| f.side == side).map(|f| (&f.reading, f.confidence)).collect()
    };
    assert!(
        matches!(
            of(0)[..],
            [(Reading::BelowCaps { .. }, Confidence::Likely), (Reading::OneLevel { .. }, Confidence::Likely)]
        ),
        "{:#?}",
        found.readings
    );
    assert!(matches!(of(1)[..], [(Reading::AtCap { .. }, Confidence::Strong)]), "{:#?}", found.readings);
}

/// 6.00 a month are 0.002 each at 3,000 a second, and 0.04 at the 150 that a 50 GiB volume serves for ever.
#[test]
fn a_price_out_of_a_burst_is_told_at_the_baseline_too() {
    let priced = |policy, pairs: &[(&str, &str)], ways: &[(Direction, f64)]| {
        let mut part = asked(pairs, 0.0);
        part.directions = ways.iter().map(|(to, iops)| way(*to, iops * 10.0, Some(*iops))).collect();
        let runs = || fio(vec![part.clone()]);
        let mut of = side("a", runs(), Some(policy));
        of.price = Some(Price::parse("6.00/month").unwrap());
        let found = compare(&[of, side("b", runs(), None)]);
        (found.prices[0].prices[0].unwrap(), found.prices[0].at_baseline[0])
    };
    let reads = [(Direction::Read, 3000.0)];
    assert_eq!(priced("aws-gp2,size=50GiB", &DEEP, &reads), (0.002, Some(0.04)));
    assert_eq!(priced("aws-gp2,size=2000GiB", &DEEP, &reads).1, None);
    assert_eq!(priced("aws-gp3", &DEEP, &reads).1, None);
    assert_eq!(priced("aws-gp2,size=50GiB", &DEEP, &[(Direction::Read, 150.0)]).1, None);
    // Of a mix the reads are 1,500 of 3,000, and 75 of the 150 that last.
    let mix = [("rw", "randrw"), ("bs", "4k"), ("iodepth", "64")];
    let half = [(Direction::Read, 1500.0), (Direction::Write, 1500.0)];
    let (price, lasting) = priced("aws-gp2,size=50GiB", &mix, &half);
    assert!((price - 0.004).abs() < 1e-12 && (lasting.unwrap() - 0.08).abs() < 1e-12, "{price} {lasting:?}");
}
