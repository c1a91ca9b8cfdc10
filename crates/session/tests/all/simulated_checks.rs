//! Whole checks on simulated volumes of known truth.

use analysis::findings::{BandwidthCap, FillingDepth, IopsCap};
use analysis::{Analysis, Answer, ClaimRow, Doubt, Meaning, analyse};
use experiments::{CheckAsk, Effort, Layout, Writes, next_step};
use record::{Interval, Observer, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{Bytes, Direction, Expectation, StepKind, Target};

/// An observer that ignores everything.
struct Nobody;

impl Observer for Nobody {
    fn interval(&mut self, _interval: &Interval) {}
}

/// Returns what a check of a simulated volume asks if nothing is claimed.
pub fn asked() -> CheckAsk {
    CheckAsk {
        writes: Writes::Measured,
        layout: Layout::None,
        write_most: CheckAsk::modest(Layout::None, Bytes::gib(4)),
        in_flight_most: CheckAsk::IN_FLIGHT_MOST,
        expectation: Expectation::default(),
        limits: None,
        seed: 1,
        effort: Effort::QUICK,
        block_min: Bytes(512),
    }
}

/// Returns the steps that a check of `words` runs if it asks for `ask`.
fn steps(words: &str, ask: &CheckAsk) -> Vec<StepRecord> {
    let target = Target::parse(words).unwrap();
    let Setup { facts, mut runner, .. } = set_up(&target, words, &Wish::default()).unwrap();
    let ask = CheckAsk { block_min: facts.direct_alignment, ..ask.clone() };
    let (steps, error) = conduct(&|done| next_step(&ask, done), runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{error:?}");
    steps
}

/// Checks `words` against the target's own policy and `expectation`.
pub fn check(words: &str, expectation: &str) -> (Run, Analysis) {
    let target = Target::parse(words).unwrap();
    let facts = set_up(&target, words, &Wish::default()).unwrap().facts;
    let expectation = (!expectation.is_empty()).then(|| Expectation::parse(expectation).unwrap());
    let ask = CheckAsk { expectation: expectation.clone().unwrap_or_default(), ..asked() };
    let mut run = Run::started(vec!["check".into()], 0);
    (run.steps, run.complete, run.target) = (steps(words, &ask), true, Some(facts));
    let Target::Sim(name) = &target else { panic!("{words} is not simulated") };
    let (limits, _) = policy::evaluate_with_rest(name).unwrap();
    let limits = expectation.is_none().then_some(limits);
    let found = analyse(&run, limits.as_ref(), expectation.as_ref());
    (run, found)
}

/// Returns caps and filling depth that the analysis found for reads: IOPS, bytes a second, depth.
fn caps(found: &Analysis) -> (f64, f64, f64) {
    let mut caps = (f64::NAN, f64::NAN, f64::NAN);
    for finding in &found.findings {
        match finding.meaning {
            Meaning::IopsCap(IopsCap { direction: Direction::Read, cap, .. }) => caps.0 = cap.value,
            Meaning::BandwidthCap(BandwidthCap { direction: Direction::Read, cap, .. }) => caps.1 = cap.value,
            Meaning::FillingDepth(FillingDepth { direction: Direction::Read, star, .. }) => caps.2 = star,
            _ => {}
        }
    }
    caps
}

const MIB: f64 = 1048576.0;

fn within(measured: f64, truth: f64, share: f64) -> bool {
    (measured / truth - 1.0).abs() <= share
}

#[test]
fn slow_volumes_are_asked_for_blocks_that_come_several_times_a_second() {
    for (words, iops, mib) in [
        ("sim:custom,iops=100,bandwidth=1MiB/s,latency=2ms", 100.0, 1.0),
        ("sim:custom,iops=120,bandwidth=1.3MiB/s,latency=2ms,slice=100ms", 120.0, 1.3),
        ("sim:custom,iops=90,bandwidth=13MiB/s,latency=4ms", 90.0, 13.0),
        ("sim:custom,iops=310,bandwidth=3.1MiB/s,latency=1ms,slice=100ms", 310.0, 3.1),
        ("sim:custom,iops=510,bandwidth=19MiB/s,latency=1ms", 510.0, 19.0),
    ] {
        let (run, found) = check(words, "");
        let (ops, bytes, _) = caps(&found);
        assert!(within(ops, iops, 0.01) && within(bytes, mib * MIB, 0.02), "{words}: {ops} {}", bytes / MIB);
        assert_eq!(found.verdict.answer, Answer::Meets, "{words}: {:#?}", found.verdict.rows);
        let ended = run.steps.last().map_or(0.0, |step| step.ended.as_secs_f64());
        assert!(ended <= 180.0, "{words} took {ended} s");
        for step in run.steps.iter().filter(|step| step.plan.kind == StepKind::Reference) {
            let ops = step.tally(Direction::Read).ops + step.tally(Direction::Write).ops;
            assert!(ops >= 25, "{words}, {}: {ops}", step.plan.name);
        }
    }
}

#[test]
fn caps_and_filling_depth_of_flat_policies_are_recovered() {
    for (words, iops, mib, latency_s) in [
        ("sim:aws-gp3,latency=0.8ms", 3_000.0, 125.0, 0.8e-3),
        ("sim:aws-gp3,latency=5ms", 3_000.0, 125.0, 5e-3),
        ("sim:azure-premium-ssd-large,tier=P30", 5_000.0, 200.0, 0.8e-3),
        ("sim:do-volumes-pre-burst,jitter=0.5", 5_000.0, 200.0, 0.8e-3),
        ("sim:custom,iops=800,bandwidth=60MiB/s,latency=0.5ms", 800.0, 60.0, 0.5e-3),
    ] {
        let (run, found) = check(words, "");
        let (cap, bandwidth, depth) = caps(&found);
        let steps: Vec<&str> = run.steps.iter().map(|step| step.plan.name.as_str()).collect();
        // Steps of a few one-second intervals may leave the cause open; the level itself is compared with the
        // policy below.
        let right = |found: f64, truth: f64, share: f64| found.is_nan() || within(found, truth, share);
        assert!(within(cap, iops, 0.02), "{words}: {cap} IOPS; {steps:?}");
        assert!(right(bandwidth, mib * MIB, 0.02), "{words}: {bandwidth} B/s");
        assert!(right(depth, iops * latency_s, 0.05), "{words}: depth {depth}");
        assert_eq!(found.verdict.answer, Answer::Meets, "{words}: {:#?}", found.verdict);
    }
}

#[test]
fn a_burst_is_never_met() {
    for words in ["sim:aws-gp2,size=100GiB", "sim:azure-premium-ssd-credit,tier=P10", "sim:linode-block-nvme"]
    {
        let (_, found) = check(words, "");
        assert_eq!(found.verdict.answer.exit_code(), 4, "{words}: {:#?}", found.verdict);
    }
}

#[test]
fn a_claimed_latency_is_judged_at_the_claimed_rate() {
    let (run, found) = check("sim:custom,iops=1200,latency=2ms", "read 700 iops, write 300 iops, p99 < 30ms");
    assert!(run.steps.iter().any(|step| step.plan.name == experiments::AS_CLAIMED));
    assert_eq!(found.verdict.answer, Answer::Meets, "{:#?}", found.verdict);
    let (_, found) = check("sim:custom,iops=800,latency=2ms", "read 700 iops, write 300 iops, p99 < 30ms");
    assert_eq!(found.verdict.answer, Answer::Below, "{:#?}", found.verdict);
}

#[test]
fn more_than_the_volume_has_is_below() {
    let (_, found) = check("sim:do-volumes-pre-burst", "read 6000 iops");
    assert_eq!(found.verdict.answer.exit_code(), 3, "{:#?}", found.verdict);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let words = "sim:aws-gp3,jitter=0.4";
    assert_eq!(check(words, "").0, check(words, "").0);
}

#[test]
fn a_volume_whose_bucket_runs_dry_on_the_way_meets_nothing() {
    let target = Target::parse("sim:custom,iops=1000,burst_iops=5000,bucket=200000").unwrap();
    let (mut run, _) = check("sim:custom,iops=1000,burst_iops=5000,bucket=200000", "");
    run.target = None;
    let limits = policy::evaluate(&workload::PolicyName::parse("do-volumes-pre-burst").unwrap()).unwrap();
    let found = analyse(&run, Some(&limits), None);
    assert_eq!(found.verdict.answer.exit_code(), 3, "{target}: {:#?}", found.verdict);
    assert!(found.findings.iter().any(|finding| matches!(finding.meaning, Meaning::StepDown(_))));
    assert!(found.horizon.as_secs_f64() < 60.0, "no more than the ladders of the beginning");
}

#[test]
fn slow_flat_volumes_are_known_well_enough() {
    for words in [
        "sim:aws-io1,size=10GiB,iops=100",
        "sim:gcp-pd-standard,size=100GiB",
        "sim:custom,iops=250,bandwidth=20MiB/s",
        "sim:vmware-vmdk-limit,limit=16",
    ] {
        let (_, found) = check(words, "");
        assert_eq!(found.verdict.answer, Answer::Meets, "{words}: {:#?}", found.verdict);
    }
}

#[test]
fn a_cache_that_does_not_fill_while_the_run_writes_promises_nothing() {
    let cached =
        "sim:custom,iops=2000,bandwidth=100MiB/s,write_back=8GiB,drain=64MiB/s,write_back_latency=2ms";
    let (_, found) = check(cached, "write 18842 iops");
    assert_eq!(found.verdict.answer, Answer::CannotTell, "{:#?}", found.verdict);
}

#[test]
fn a_spaced_io_does_not_wait_for_the_one_before_it() {
    for seed in 1..=4 {
        let words = format!("sim:custom,iops=1940,latency=217us,jitter=2,seed={seed}");
        let (run, found) = check(&words, "");
        let spaced = |direction: Direction| format!("latency {} spaced", direction.name());
        for direction in [Direction::Read, Direction::Write] {
            let row = found.latencies.iter().find(|row| row.step == spaced(direction)).unwrap();
            // Five standard errors of a latency whose coefficient of variation is 2.
            let error = 10.0 / (row.count as f64).sqrt();
            assert!(within(row.mean_ns, 217_000.0, error), "{words}: {row:?}");
            let step = run.steps.iter().find(|step| step.plan.name == row.step).unwrap();
            let busy = row.mean_ns * row.count as f64 / 1e9;
            assert!(busy < 0.3 * step.seconds(), "{words}: spaced by more than the cap asks");
        }
    }
}

#[test]
fn a_queue_too_shallow_for_slow_writes_is_no_proof_of_being_below() {
    for words in [
        "sim:custom,iops=1000,bandwidth=1000MiB/s,latency=0.5ms,write_latency=10ms",
        "sim:custom,read_iops=500,write_iops=20000,write_bandwidth=1000MiB/s,write_latency=20ms",
    ] {
        let (_, found) = check(words, "");
        assert_ne!(found.verdict.answer, Answer::Below, "{words}: {:#?}", found.verdict);
    }
}

/// Returns all bytes that `steps` wrote, including those of ramps and drains.
fn written(steps: &[StepRecord]) -> u64 {
    let intervals = steps.iter().flat_map(|step| &step.intervals);
    intervals.map(|interval| interval.of(Direction::Write).tally.bytes).sum()
}

/// Returns the number of whole intervals that count.
fn whole(step: &StepRecord) -> usize {
    let length = step.plan.interval.as_secs_f64();
    step.intervals.iter().filter(|interval| interval.counted && interval.seconds() >= 0.99 * length).count()
}

#[test]
fn no_volume_is_so_fast_that_more_is_written_than_was_said() {
    for words in [
        "sim:aws-gp3",
        "sim:custom,iops=40000,bandwidth=5GiB/s,latency=0.1ms",
        "sim:custom,iops=40000,bandwidth=20GiB/s,latency=0.05ms",
        "sim:custom,iops=20000,bandwidth=2GiB/s,latency=3ms",
    ] {
        for region in [Bytes::mib(64), Bytes::mib(300), Bytes::gib(1), Bytes::gib(4)] {
            let layout = Layout::Write(region);
            let write_most = CheckAsk::modest(layout, region);
            // Bytes limit the check long before time does, so short steps show it as well.
            let ask = CheckAsk { layout, write_most, effort: Effort::BRIEF, ..asked() };
            let steps = steps(words, &ask);
            let (wrote, said) = (written(&steps), ask.write_most.0);
            assert!(wrote <= said && said <= 2 * region.0, "{words}, {region}: {wrote} of {said}");
            let measured = steps.iter().filter(|step| {
                let kind = step.plan.kind;
                step.tally(Direction::Write).ops > 0 && !matches!(kind, StepKind::Layout | StepKind::Latency)
            });
            for step in measured {
                let name = &step.plan.name;
                assert!(whole(step) >= 5, "{words}, {region}: {name} has {} intervals", whole(step));
            }
        }
    }
}

/// A region of 300 MiB is written in 60 to 150 ms. Small writes must be measured all the same, and large ones if
/// five short intervals of them fit.
#[test]
fn writes_are_measured_however_fast_the_volume_is() {
    for (words, large) in [
        ("sim:custom,iops=200000,bandwidth=2GiB/s,latency=0.1ms", "write 1 MiB"),
        ("sim:custom,iops=40000,bandwidth=5GiB/s,latency=0.1ms", "write 256 KiB"),
    ] {
        let region = Bytes::mib(300);
        let layout = Layout::Write(region);
        let ask = CheckAsk { layout, write_most: CheckAsk::modest(layout, region), ..asked() };
        let steps = steps(words, &ask);
        assert!(written(&steps) <= ask.write_most.0, "{words}: {}", written(&steps));
        let names: Vec<&str> = steps.iter().map(|step| step.plan.name.as_str()).collect();
        for what in ["latency write", "latency flush", large, "again 1 write 4 KiB"] {
            assert!(names.contains(&what), "{words}: {what} is left out of {names:?}");
        }
        assert!(names.iter().any(|name| name.starts_with("write depth")), "{words}: {names:?}");
    }
}

#[test]
fn references_stand_between_the_others_and_a_look_again_behind_them() {
    let steps = steps("sim:aws-gp3", &asked());
    let names: Vec<&str> = steps.iter().map(|step| step.plan.name.as_str()).collect();
    for what in ["read 4 KiB", "write 4 KiB", "read 1 MiB", "write 1 MiB"] {
        for number in 1..=3 {
            assert!(names.contains(&format!("reference {number} {what}").as_str()), "{what}: {names:?}");
        }
    }
    let last: Vec<StepKind> = steps.iter().rev().take(4).map(|step| step.plan.kind).collect();
    assert_eq!(last, [StepKind::Again; 4], "a small and a large block in each direction: {names:?}");
    let pairs = steps.windows(2).filter(|pair| pair.iter().all(|step| step.plan.kind == StepKind::Reference));
    assert_eq!(pairs.count(), 0, "two moments that touch are one: {names:?}");
    let took = steps.last().map_or(0.0, |step| step.ended.as_secs_f64());
    assert!(took < 150.0, "{took} s");
}

#[test]
fn a_restless_volume_that_no_depth_fills_takes_three_minutes_at_most() {
    for words in
        ["sim:custom,iops=1000000,latency=8ms,jitter=1", "sim:custom,iops=200,bandwidth=20MiB/s,jitter=1"]
    {
        let steps = steps(words, &asked());
        let took = steps.last().map_or(0.0, |step| step.ended.as_secs_f64());
        assert!(took < 180.0, "{words}: {took} s");
        assert_eq!(steps.last().map(|step| step.plan.kind), Some(StepKind::Again), "{words}");
    }
}

#[test]
fn a_unit_is_asked_for_only_where_the_ladder_lets_suspect_one() {
    let asks = |words: &str| -> Vec<String> {
        let steps = steps(words, &asked());
        let names = steps.into_iter().map(|step| step.plan.name);
        names.filter(|name| name.contains("unit")).collect()
    };
    assert_eq!(
        asks("sim:vmware-vmdk-limit,limit=1000"),
        ["probe unit read 32 KiB", "probe unit read 36 KiB"]
    );
    assert!(asks("sim:aws-gp3").is_empty());
}

#[test]
fn a_claimed_latency_gets_chance_even_pace_and_a_search_for_headroom() {
    let expectation = Expectation::parse("800 iops, p99 < 30ms, mix 70/30, bs 4k, random 50%").unwrap();
    let steps = steps("sim:custom,iops=1200,latency=2ms", &CheckAsk { expectation, ..asked() });
    let named =
        |name: &str| steps.iter().find(|step| step.plan.name == name).map(|step| &step.plan.workers[0]);
    let claimed = named(experiments::AS_CLAIMED).unwrap();
    assert_eq!(claimed.access.mix.read_percent(), 70);
    assert_eq!(claimed.access.random_percent.read, 50);
    assert_eq!(claimed.pace, workload::Pace::Poisson(workload::Iops(800.0)));
    assert_eq!(
        named(experiments::AS_CLAIMED_EVEN).unwrap().pace,
        workload::Pace::Fixed(workload::Iops(800.0))
    );
    let searched = steps.iter().filter(|step| step.plan.name.starts_with("open load")).count();
    assert_eq!(searched, 4);
}

#[test]
fn a_rate_of_a_mix_is_that_of_both_directions_together() {
    let answer = |claim: &str| check("sim:custom,iops=1200,latency=2ms", claim).1.verdict;
    let met = answer("1000 iops, mix 70/30");
    let claimed: Vec<f64> = met.rows.iter().map(|row| row.claimed.value.round()).collect();
    assert_eq!((met.answer, claimed), (Answer::Meets, vec![700.0, 300.0]), "{:#?}", met.rows);
    assert_eq!(answer("1400 iops, mix 70/30").answer, Answer::Below);
    assert_eq!(answer("1000 iops, mix 100/0").rows.len(), 1);
}

/// Returns the row of reads of a check against 5,000 IOPS, and the share of them that a cache answered.
fn reads_of_5000(words: &str) -> (ClaimRow, Option<f64>) {
    let (_, found) = check(&format!("sim:custom,{words}"), "read 5000 iops");
    let row = found.verdict.rows.into_iter().find(|row| row.direction == Direction::Read).unwrap();
    let share = row.doubts.iter().find_map(|doubt| match doubt {
        Doubt::Cached { share, .. } => Some(*share),
        _ => None,
    });
    (row, share)
}

#[test]
fn reads_that_a_cache_answers_count_for_no_claim() {
    let fast = "bandwidth=200MiB/s,latency=1ms,cache_iops=40000,cache_bandwidth=400MiB/s";
    for (iops, cached, answer) in [
        (4_700.0, "cache=3GiB,size=32GiB", Answer::Below),
        (5_000.0, "cache=3GiB,size=32GiB", Answer::Meets),
        (4_500.0, "cache=3GiB,size=64GiB,noise=1%", Answer::Below),
        (4_700.0, "cache=8GiB,size=16GiB", Answer::Below),
        (5_000.0, "cache=1GiB,size=16GiB,jitter=0.5", Answer::Meets),
    ] {
        for seed in 1..3 {
            let words = format!("iops={iops},{fast},{cached},seed={seed}");
            let (row, share) = reads_of_5000(&words);
            let measured = row.measured.unwrap();
            assert_eq!(row.answer, answer, "{words}: {row:?}");
            assert!(share.is_some() && within(measured.value, iops, 0.01), "{words}: {row:?}");
        }
    }
}

#[test]
fn fast_reads_of_a_limiter_and_of_a_mixed_device_are_of_no_cache() {
    for ails in [
        "iops=5000,slice=100ms,latency=0.2ms",
        "iops=5000,slice=10ms,latency=0.2ms",
        "iops=300,slice=100ms,latency=0.2ms",
        "iops=5000,latency=1ms,mode=30%,mode_factor=0.1",
        "iops=5000,latency=1ms,slice=100ms,mode=30%,mode_factor=0.1",
        "iops=3000,latency=1ms,slice=10ms,mode=10%,mode_factor=0.3",
        "iops=5000,latency=1ms,size=6GiB,first_touch=20ms",
        "iops=5000,latency=1ms,mode=10%,mode_factor=10",
        "iops=5000,latency=0.2ms,jitter=2",
        "servers=8,service=1600us,service_cv=1.5,latency=0.2ms",
        "iops=5000,latency=0.2ms,tail=1%,tail_latency=100ms",
    ] {
        for seed in 1..3 {
            let words = format!("{ails},bandwidth=200MiB/s,seed={seed}");
            let (row, share) = reads_of_5000(&words);
            assert_eq!(share, None, "{words}: {row:?}");
        }
    }
}

#[test]
fn rates_that_are_missed_only_together_say_so() {
    let alone = |row: &ClaimRow| {
        row.doubts.iter().find_map(|doubt| match doubt {
            Doubt::AtOnce { direction, alone } => Some((*direction, alone.round())),
            _ => None,
        })
    };
    let (_, found) = check("sim:aws-gp3", "read 3000 iops, write 3000 iops");
    let rows: Vec<_> = found.verdict.rows.iter().map(|row| (row.answer, alone(row))).collect();
    let missed = |direction| (Answer::Below, Some((direction, 3_000.0)));
    assert_eq!(rows, [missed(Direction::Read), missed(Direction::Write)]);
    let (_, found) = check("sim:aws-gp3", "read 1400 iops, write 1400 iops");
    assert!(
        found.verdict.rows.iter().all(|row| row.answer == Answer::Exceeds || row.answer == Answer::Meets)
    );
    assert!(found.verdict.rows.iter().all(|row| alone(row).is_none()), "{:?}", found.verdict.rows);
    // A rate that is missed alone is missed, whatever else was asked for.
    let (_, found) = check("sim:aws-gp3", "read 3500 iops, write 3500 iops");
    assert!(found.verdict.rows.iter().all(|row| row.answer == Answer::Below && alone(row).is_none()));
}

#[test]
fn a_deeper_queue_than_fills_the_cap_is_not_shallower_than_it() {
    // Depth 2 reaches 2,500 of 2,700 IOPS at 0.8 ms.
    let (_, found) = check("sim:custom,iops=2700,bandwidth=112.5MiB/s", "read 2700 iops");
    let (_, _, depth) = caps(&found);
    assert!((2.1..=2.3).contains(&depth), "{depth}");
}
