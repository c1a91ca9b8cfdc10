//! From measured rates back to policies.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{Level, Load, Match, MeasuredPlateaus, Specificity, UnitReading, evaluate, matches};
use workload::{Bytes, BytesPerSecond, Direction, Iops, PolicyName};

const MIB: f64 = 1048576.0;

fn reads() -> MeasuredPlateaus {
    MeasuredPlateaus::new(Direction::Read)
}

fn iops(value: f64) -> MeasuredPlateaus {
    reads().with_iops(Iops(value), Bytes::kib(4))
}

fn find<'m>(found: &'m [Match], id: &str) -> Option<&'m Match> {
    found.iter().find(|candidate| candidate.policy.id == id)
}

#[test]
fn three_thousand_is_gp2_on_credits_or_the_default_of_gp3() {
    let found = matches(&iops(3001.0));
    let gp3 = find(&found, "aws-gp3").unwrap();
    assert_eq!(
        (gp3.specificity, gp3.iops.as_ref().unwrap().level),
        (Specificity::Published, Level::Baseline)
    );
    let gp2: Vec<&Match> = found.iter().filter(|m| m.policy.id == "aws-gp2").collect();
    assert!(gp2.iter().any(|m| m.iops.as_ref().unwrap().level == Level::Burst), "{gp2:#?}");
    assert!(gp2.iter().any(|m| m.iops.as_ref().unwrap().level == Level::Baseline), "a volume of 1,000 GiB");
}

#[test]
fn three_hundred_is_the_baseline_of_100_gib() {
    let found = matches(&iops(300.0));
    let gp2 = find(&found, "aws-gp2").unwrap();
    assert_eq!(gp2.policy.to_string(), "aws-gp2,size=100GiB");
    let (least, most) = gp2.sizes.unwrap();
    assert!((96.0..98.0).contains(&least) && (102.0..104.0).contains(&most), "{least} to {most}");
}

#[test]
fn both_readings_of_a_megabyte_are_tried_and_the_one_that_fits_is_named() {
    for (bytes, reading) in [(200.0 * MIB, UnitReading::Binary), (200.2e6, UnitReading::Decimal)] {
        let found = matches(&iops(5000.0).with_bandwidth(BytesPerSecond(bytes)));
        let volume = find(&found, "do-volumes-pre-burst").unwrap();
        assert_eq!(volume.bandwidth.as_ref().unwrap().reading, Some(reading));
        let first: Vec<&str> = found.iter().take(5).map(|m| m.policy.id.as_str()).collect();
        assert!(first.contains(&"azure-premium-ssd-large"), "P30 has the same figures: {first:?}");
    }
}

#[test]
fn operations_are_compared_as_they_are_charged() {
    let found = matches(&reads().with_iops(Iops(500.0), Bytes::kib(64)));
    assert!(find(&found, "cloud4y-vcd-type-med").is_some(), "500 of 64 KiB are 1,000 of 32 KiB");
    assert!(find(&matches(&iops(500.0)), "cloud4y-vcd-type-med").is_none());
}

#[test]
fn figures_that_fit_nothing_match_nothing_published() {
    let found = matches(&iops(4321.0).with_bandwidth(BytesPerSecond(77.7e6)));
    assert!(found.iter().all(|m| m.specificity != Specificity::Published), "{found:#?}");
    assert!(matches(&reads()).is_empty(), "nothing measured");
}

#[test]
fn a_bought_figure_is_named_when_it_is_round() {
    let found = matches(&iops(16_000.0));
    let bought = find(&found, "aws-io1").unwrap();
    assert_eq!(
        (bought.policy.to_string().as_str(), bought.specificity),
        ("aws-io1,iops=16000", Specificity::Bought)
    );
    assert!(find(&matches(&iops(16_321.0)), "aws-io1").is_none());
}

/// Every policy is found again from its own caps, at the baseline and in its burst, with 1 % of error.
#[test]
fn every_policy_is_found_again_from_its_own_caps() {
    for words in [
        "aws-gp2,size=100GiB",
        "aws-gp2,size=2000GiB",
        "aws-gp3",
        "aws-gp3,iops=6000,throughput=500MiB/s",
        "azure-premium-ssd-credit,tier=P10",
        "azure-premium-ssd-large,tier=P50",
        "azure-standard-ssd,tier=E30",
        "gcp-pd-balanced,size=500GiB",
        "oci-block-volume,size=200GB,vpu=20",
        "do-volumes-standard",
        "linode-block-nvme",
        "vultr-hdd",
        "huawei-evs-high,size=100GiB",
        "alibaba-essd-autopl,size=100GiB",
        "scaleway-15k",
        "vmware-vmdk-limit,limit=1000",
    ] {
        let limits = evaluate(&PolicyName::parse(words).unwrap()).unwrap();
        for level in [Level::Baseline, Level::Burst] {
            let cap = |block| limits.cap(&Load::random(Direction::Read, block), level).unwrap();
            let mut measured = reads().with_iops(Iops(cap(Bytes::kib(4)).iops.0 * 1.001), Bytes::kib(4));
            let bytes = limits.tightest(policy::Resource::Bytes, Direction::Read, level);
            if let Some(bytes) = bytes {
                measured = measured.with_bandwidth(BytesPerSecond(bytes.rate(level) * 1.001));
            }
            let found = matches(&measured);
            assert!(find(&found, &limits.policy.id).is_some(), "{words} at {level:?}");
        }
    }
}
