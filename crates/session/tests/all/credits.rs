//! Checks of simulated volumes with credits: what is spent, what is left, and that no burst is taken for the
//! sustained rate.

use analysis::findings::BucketEmptied;
use analysis::{Analysis, Answer, CreditRow, Doubt, Meaning, Resource, analyse};
use engine::{Volume, VolumeAnswer};
use experiments::{CheckAsk, Effort, Layout, Writes, next_step};
use policy::{Bucket, BucketStart, Limits, Locality, Meter};
use record::{Interval, Observer, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{Bytes, Expectation, Io, Nanos, PolicyName, Target};

/// An observer that ignores everything.
struct Nobody;

impl Observer for Nobody {
    fn interval(&mut self, _interval: &Interval) {}
}

/// Volumes with credits or timed bursts, in every size and tier in which measurements found them misjudged.
const VOLUMES: [&str; 32] = [
    "aws-gp2,size=33GiB",
    "aws-gp2,size=100GiB",
    "aws-gp2,size=200GiB",
    "aws-gp2,size=334GiB",
    "aws-gp2,size=500GiB",
    "aws-gp2,size=750GiB",
    "aws-gp2,size=900GiB",
    "aws-gp2,size=999GiB",
    "aws-st1,size=1TiB",
    "aws-st1,size=5TiB",
    "aws-sc1,size=1TiB",
    "aws-sc1,size=5TiB",
    "azure-premium-ssd-credit,tier=P1",
    "azure-premium-ssd-credit,tier=P4",
    "azure-premium-ssd-credit,tier=P6",
    "azure-premium-ssd-credit,tier=P10",
    "azure-premium-ssd-credit,tier=P15",
    "azure-premium-ssd-credit,tier=P20",
    "azure-standard-ssd,tier=E1",
    "azure-standard-ssd,tier=E6",
    "azure-standard-ssd,tier=E10",
    "azure-standard-ssd,tier=E15",
    "azure-standard-ssd,tier=E20",
    "azure-standard-ssd,tier=E30",
    "do-volumes-standard",
    "do-volumes-optimized",
    "linode-block-nvme",
    "vultr-nvme",
    "vultr-hdd",
    "hetzner-volumes",
    "huawei-evs-high,size=100GiB",
    "huawei-evs-ultra-high,size=50GiB",
];

/// Returns what a check of a simulated volume records.
fn checked(words: &str) -> Run {
    let target = Target::parse(words).unwrap();
    let Setup { facts, mut runner, .. } = set_up(&target, words, &Wish::default()).unwrap();
    let ask = CheckAsk {
        writes: Writes::Measured,
        layout: Layout::None,
        write_most: CheckAsk::modest(Layout::None, workload::Bytes::gib(4)),
        in_flight_most: CheckAsk::IN_FLIGHT_MOST,
        expectation: Expectation::default(),
        limits: None,
        seed: 1,
        effort: Effort::QUICK,
        block_min: facts.direct_alignment,
    };
    let (steps, error) = conduct(&|done| next_step(&ask, done), runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{error:?}");
    let mut run = Run::started(vec!["check".into()], 0);
    (run.steps, run.complete, run.target) = (steps, true, Some(facts));
    run
}

fn limits(words: &str) -> Limits {
    policy::evaluate(&PolicyName::parse(words).unwrap()).unwrap()
}

fn against(run: &Run, policy: &str) -> Analysis {
    analyse(run, Some(&limits(policy)), None)
}

fn told(found: &Analysis) -> Vec<&str> {
    let name = |finding: &analysis::Finding| match finding.meaning {
        Meaning::InsideBurst(_) => Some("inside"),
        Meaning::CreditsSpent(_) => Some("spent"),
        Meaning::StepDown(_) => Some("fell"),
        Meaning::BurstsAlike(_) => Some("alike"),
        _ => None,
    };
    found.findings.iter().filter_map(name).collect()
}

const LEVELS: [&str; 5] = ["full", "50%", "5%", "1%", "empty"];

/// A meter before an even latency, whose buckets can be inspected.
struct MeteredVolume {
    meter: Meter,
    /// Where the last I/O of each kind ended: the next of its kind is sequential if it starts there.
    last_end: [u64; 4],
}

impl Volume for MeteredVolume {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        let end = &mut self.last_end[io.kind.index()];
        let locality = if io.offset == *end { Locality::Sequential } else { Locality::Random };
        *end = io.offset + u64::from(io.bytes);
        let start = self.meter.admit(now, io.kind, Bytes(u64::from(io.bytes)), locality);
        VolumeAnswer { done_at: start + Nanos::from_micros(800), result: io.bytes as i32 }
    }
}

fn start(credits: &str) -> BucketStart {
    match credits {
        "full" => BucketStart::Share(1.0),
        "empty" => BucketStart::Empty,
        percent => BucketStart::Share(percent.trim_end_matches('%').parse::<f64>().unwrap() / 100.0),
    }
}

/// Repeats the loads of `run` on a volume whose buckets are known, and returns each account in the analysis with
/// what the meter really holds.
fn booked(run: &Run, words: &str, credits: &str) -> Vec<(CreditRow, f64)> {
    let limits = limits(words);
    let mut volume = MeteredVolume { meter: Meter::new(&limits, start(credits)), last_end: [u64::MAX; 4] };
    let mut again = Run::started(vec!["check".into()], 0);
    for step in &run.steps {
        let now = again.steps.last().map_or(Nanos::ZERO, |last: &StepRecord| last.ended);
        let record = engine::run_simulated(&step.plan, &mut volume, now + Nanos::SECOND, &mut Nobody);
        again.steps.push(record.unwrap());
    }
    again.complete = true;
    let ended = again.steps.last().unwrap().ended;
    let found = analyse(&again, Some(&limits), None);
    let mut rows = Vec::new();
    for (at, limit) in limits.limits.iter().enumerate() {
        let Some(Bucket::Tokens { size, .. }) = limit.burst.map(|burst| burst.bucket) else { continue };
        let row = found.spent.credits.iter().find(|row| row.rule == limit.id).unwrap();
        rows.push((row.clone(), volume.meter.level(at, ended).unwrap() / size));
    }
    rows
}

/// Asserts that the accounts contain the truth, allowing for what is in flight at the end of a step and for what
/// an interval hides of a full or empty bucket.
fn holds(words: &str, credits: &str) -> usize {
    let run = checked(&format!("sim:{words},credits={credits}"));
    let rows = booked(&run, words, credits);
    for (row, truth) in &rows {
        let slack = 0.006;
        let inside = row.left_least - slack <= *truth && *truth <= row.left_most + slack;
        assert!(inside, "{words} {credits}: {row:?}, true {truth}");
        if credits == "full" {
            let spent = 1.0 - truth;
            assert!(
                (row.spent_of_full - spent).abs() <= slack.min(0.05 * spent + 0.0005),
                "{words}: {row:?}, true {truth}"
            );
        }
    }
    rows.len()
}

#[test]
fn the_accounts_of_a_check_hold_what_the_meter_holds() {
    for (words, credits) in [
        ("aws-st1,size=1TiB", "full"),
        ("aws-gp2,size=33GiB", "1%"),
        ("azure-premium-ssd-credit,tier=P20", "empty"),
    ] {
        assert!(holds(words, credits) > 0);
    }
}

#[test]
#[ignore = "night: 160 checks"]
fn the_accounts_of_every_volume_at_every_level_hold_what_the_meter_holds() {
    let compared: usize = VOLUMES.iter().flat_map(|words| LEVELS.map(|credits| holds(words, credits))).sum();
    assert!(compared > 150, "{compared}");
}

/// Judges a volume at this level, and asserts that nothing says that its baseline is missed, that a burst is
/// sustained, or both that the rate fell and that the run lies inside the burst.
fn judged(words: &str, credits: &str) -> Analysis {
    let found = against(&checked(&format!("sim:{words},credits={credits}")), words);
    let told = told(&found);
    assert_ne!(found.verdict.answer, Answer::Below, "{words} {credits}: {:#?}", found.verdict);
    assert!(!(told.contains(&"fell") && told.contains(&"inside")), "{words} {credits}: {told:?}");
    assert!(!told.contains(&"alike"), "{words} {credits}: {told:?}");
    for row in found.verdict.rows.iter().filter(|row| row.answer == Answer::Meets) {
        let (measured, claimed) = (row.measured.unwrap().value, row.claimed.value);
        assert!((measured / claimed - 1.0).abs() < 0.05, "{words} {credits}: {row:?}");
    }
    found
}

#[test]
fn a_volume_without_credits_meets_its_baseline_and_its_credits_are_spent() {
    // On huawei-evs-high the light steps of a check earn so much that both levels are seen, so that case stays
    // open.
    for words in ["aws-gp2,size=100GiB", "aws-gp2,size=200GiB", "aws-st1,size=1TiB"] {
        let found = judged(words, "empty");
        assert_eq!(found.verdict.answer.exit_code(), 0, "{words}: {:#?}", found.verdict);
        assert!(told(&found).contains(&"spent"), "{words}: {:?}", found.findings);
    }
}

#[test]
fn a_volume_on_credits_says_when_they_may_end() {
    let found = judged("aws-gp2,size=100GiB", "5%");
    let row = &found.verdict.rows[0];
    assert_eq!((row.answer, found.verdict.answer.exit_code()), (Answer::ConsistentWithBurst, 4));
    let Some(Doubt::InsideBurst { of, rate, burst_s, left_s_least, left_s_most, .. }) = row.doubts.first()
    else {
        panic!("{row:?}")
    };
    assert!((rate / 3_000.0 - 1.0).abs() < 0.01 && *of == Resource::Iops);
    // At most 5 % of 2,000 s were left when it began, and it is unknown of how much.
    assert!(
        (burst_s / 2_000.0 - 1.0).abs() < 0.01 && *left_s_least < 40.0 && *left_s_most > 1_900.0,
        "{row:?}"
    );
}

#[test]
#[ignore = "night: 160 checks"]
fn every_volume_at_every_level_is_judged_by_its_credits() {
    let mut met = 0;
    for words in VOLUMES {
        for credits in LEVELS {
            let found = judged(words, credits);
            let told = told(&found);
            eprintln!(
                "{words} {credits}: {:?} {told:?} {:?}",
                found.verdict.answer, found.spent.credit_share
            );
            met += usize::from(found.verdict.answer.exit_code() == 0 && told.contains(&"spent"));
        }
    }
    assert!(met >= 8, "{met} of 32 empty volumes met their baseline");
}

/// Claims that a volume with credits meets for a while: the volume, and the policy whose figures are claimed.
const MISTAKEN: [(&str, &str); 9] = [
    ("aws-gp2,size=100GiB", "aws-gp3"),
    ("aws-gp2,size=33GiB", "aws-gp3"),
    ("aws-gp2,size=500GiB", "aws-gp3,throughput=250"),
    ("aws-gp2,size=300GiB", "aws-gp3"),
    ("azure-premium-ssd-credit,tier=P4", "aws-gp3"),
    ("azure-premium-ssd-credit,tier=P10", "aws-gp3"),
    ("azure-premium-ssd-credit,tier=P20", "azure-premium-ssd-v2"),
    ("hetzner-volumes", "do-volumes-pre-burst"),
    ("aws-st1,size=1TiB", "custom,iops=250,bandwidth=250MiB/s"),
];

#[test]
fn a_wrong_policy_never_ends_well_without_a_word_of_the_burst() {
    for (words, policy) in MISTAKEN {
        let run = checked(&format!("sim:{words},credits=full"));
        let found = against(&run, policy);
        if found.verdict.answer.exit_code() != 0 {
            assert!(told(&found).contains(&"fell"), "{words} as {policy}: {:#?}", found.verdict);
            continue;
        }
        let of = PolicyName::parse(words).unwrap().id;
        let said = found.verdict.doubts.iter().any(|doubt| matches!(doubt, Doubt::BurstOfAnother { .. }));
        let named = found.findings.iter().any(|finding| match &finding.meaning {
            Meaning::BurstsAlike(alike) => alike.policies.iter().any(|alike| alike.policy == of),
            _ => false,
        });
        assert!(said && named, "{words} as {policy}: {:#?} {:#?}", found.verdict, told(&found));
    }
}

#[test]
fn a_bare_claim_or_none_tells_of_the_burst_that_gives_the_same() {
    let run = checked("sim:aws-gp2,size=100GiB");
    let claim = |words: &str| analyse(&run, None, Some(&Expectation::parse(words).unwrap()));
    assert!(told(&analyse(&run, None, None)).contains(&"alike"));
    let met = claim("read 3000 iops");
    assert_eq!(met.verdict.answer.exit_code(), 0);
    assert!(met.verdict.doubts.iter().any(|doubt| matches!(doubt, Doubt::BurstOfAnother { .. })));
    // What a volume of any size sustains without credits needs none.
    assert!(!told(&claim("read 90 iops")).contains(&"alike"));
    assert!(
        !told(&claim("read 5000 iops")).contains(&"alike"),
        "what is missed on credits is missed without"
    );
}

#[test]
fn flat_volumes_of_the_catalogue_are_nobodys_burst() {
    for words in [
        "aws-gp3",
        "do-volumes-pre-burst",
        "azure-premium-ssd-large,tier=P30",
        "cloud4y-vcd-type-med",
        "scaleway-5k",
    ] {
        let found = against(&checked(&format!("sim:{words}")), words);
        assert!(!told(&found).contains(&"alike"), "{words}: {:#?}", found.findings);
    }
}

/// Returns what a check finds of a bucket that emptied: the accounts that cannot be distinguished.
fn bucket(words: &str) -> Option<BucketEmptied> {
    let run = checked(words);
    eprintln!(
        "{words}: {:?}",
        analysis::Regimes::of(&run.steps).changes.iter().map(|c| (c.at, c.ratio.value)).collect::<Vec<_>>()
    );
    let found = analyse(&run, None, None);
    found.findings.into_iter().find_map(|finding| match finding.meaning {
        Meaning::BucketEmptied(bucket) => Some(bucket),
        _ => None,
    })
}

/// Volumes whose bucket empties during a check: the rate that is left, the rate of the burst, and what the bucket
/// held.
const OPERATIONS: [(f64, f64, f64); 6] = [
    (1_000.0, 5_000.0, 60_000.0),
    (1_000.0, 5_000.0, 200_000.0),
    (500.0, 1_500.0, 20_000.0),
    (300.0, 3_000.0, 100_000.0),
    (2_000.0, 3_000.0, 25_000.0),
    (100.0, 800.0, 40_000.0),
];

const BYTES: [(f64, f64, f64); 5] = [
    (20.0, 60.0, 400.0),
    (50.0, 250.0, 1_000.0),
    (50.0, 250.0, 4_000.0),
    (10.0, 100.0, 1_500.0),
    (100.0, 170.0, 900.0),
];

/// Whether what is found of a bucket of this resource is true, as far as anything is.
fn is_true(words: &str, resource: Resource, [base, burst, size]: [f64; 3]) -> bool {
    let Some(told) = bucket(words) else { return false };
    let account = told.accounts.iter().find(|account| account.resource == resource);
    let account = account.unwrap_or_else(|| panic!("{words}: {told:?}"));
    let near = |measured: f64, truth: f64, share: f64| (measured / truth - 1.0).abs() <= share;
    // A load that never filled the burst showed less of it.
    let holds = account.base.low <= base && base <= account.base.high;
    assert!(holds || near(account.base.value, base, 0.03), "{words}: {told:?}");
    assert!(account.burst <= 1.03 * burst, "{words}: {told:?}");
    assert!(account.held.low <= size && size <= account.held.high, "{words}: {told:?}, true {size}");
    true
}

#[test]
fn buckets_that_empty_on_the_way_are_found_with_what_they_held() {
    let mut found = 0;
    for (base, burst, size) in OPERATIONS {
        let words = format!("sim:custom,iops={base},burst_iops={burst},bucket={size},bandwidth=400MiB/s");
        found += usize::from(is_true(&words, Resource::Iops, [base, burst, size]));
    }
    for (base, burst, size) in BYTES {
        let rates = format!("bandwidth={base}MiB/s,burst_bandwidth={burst}MiB/s,byte_bucket={size}MiB");
        let truth = [base, burst, size].map(|mebibytes| mebibytes * 1_048_576.0);
        found += usize::from(is_true(&format!("sim:custom,{rates},iops=3000"), Resource::Bytes, truth));
    }
    assert!(found >= 9, "{found} of 11");
}
