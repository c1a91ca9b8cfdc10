//! Measured levels that a published burst would also give, and levels that none would.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{BurstAlike, BurstLength, Level, Load, Plateau, bursts_alike, evaluate};
use workload::{Bytes, Direction, Iops, Nanos, PolicyName};

const MIB: f64 = 1048576.0;
/// How long a check looks.
const SEEN: Nanos = Nanos::from_secs(110);

/// Returns the levels that a check sees of a volume that serves this many small reads a second, and this many
/// bytes of large ones; within 0.1 %.
fn seen(iops: f64, bytes: f64) -> Vec<Plateau> {
    let near = |rate: f64| (Iops(rate * 0.999), Iops(rate * 1.001));
    [Direction::Read, Direction::Write]
        .into_iter()
        .flat_map(|direction| {
            [
                Plateau { direction, block: Bytes::kib(4), iops: near(iops) },
                Plateau { direction, block: Bytes::MIB, iops: near(bytes / MIB) },
            ]
        })
        .collect()
}

fn ids(found: &[BurstAlike]) -> Vec<&str> {
    found.iter().map(|alike| alike.policy.id.as_str()).collect()
}

fn seconds(length: BurstLength) -> f64 {
    match length {
        BurstLength::Ends(length) => length.as_secs_f64(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn three_thousand_and_128_are_gp2_on_credits_and_33_minutes_would_tell() {
    let found = bursts_alike(&seen(3_000.0, 128.0 * MIB), SEEN, None);
    assert_eq!(ids(&found), ["aws-gp2"], "{found:#?}");
    let (least, most) = found[0].lasts;
    assert!(seconds(least) > 1_860.0 && seconds(most) < 2_200.0, "{found:?}");
    assert_eq!(found[0].after[0], Iops(100.0));
}

#[test]
fn what_a_flat_volume_publishes_is_no_burst() {
    for (iops, bytes) in [
        (3_000.0, 125.0 * MIB),
        (5_000.0, 200.0 * MIB),
        (5_000.0, 200e6),
        (16_000.0, 1_000.0 * MIB),
        (7_500.0, 250.0 * MIB),
        (1_000.0, 31.25 * MIB),
        (500.0, 60e6),
    ] {
        let found = bursts_alike(&seen(iops, bytes), SEEN, None);
        assert!(found.is_empty(), "{iops} and {bytes}: {found:#?}");
    }
}

#[test]
fn every_volume_on_credits_is_known_by_its_burst() {
    for words in [
        "aws-gp2,size=33GiB",
        "aws-gp2,size=170GiB",
        "aws-gp2,size=334GiB",
        "aws-gp2,size=900GiB",
        "aws-st1,size=1TiB",
        "aws-st1,size=2TiB",
        "aws-st1,size=5TiB",
        "aws-sc1,size=1TiB",
        "azure-premium-ssd-credit,tier=P4",
        "azure-premium-ssd-credit,tier=P10",
        "azure-premium-ssd-credit,tier=P20",
        "azure-standard-ssd,tier=E10",
        "azure-standard-ssd,tier=E30",
        "hetzner-volumes",
        "huawei-evs-high,size=100GiB",
        "huawei-evs-ultra-high,size=50GiB",
    ] {
        let name = PolicyName::parse(words).unwrap();
        let limits = evaluate(&name).unwrap();
        let rate = |block| limits.cap(&Load::random(Direction::Read, block), Level::Burst).unwrap();
        let found = bursts_alike(&seen(rate(Bytes::kib(4)).iops.0, rate(Bytes::MIB).bandwidth.0), SEEN, None);
        assert!(ids(&found).contains(&name.id.as_str()), "{words}: {found:#?}");
        assert!(found.len() <= 3, "{words}: {found:#?}");
    }
}

#[test]
fn a_burst_that_must_have_ended_meanwhile_is_none() {
    let found = bursts_alike(&seen(7_500.0, 300.0 * MIB), SEEN, None);
    assert_eq!(ids(&found), ["hetzner-volumes"], "a minute of DigitalOcean's was over: {found:#?}");
    let early = bursts_alike(&seen(7_500.0, 300.0 * MIB), Nanos::from_secs(30), None);
    assert!(ids(&early).contains(&"do-volumes-standard"), "{early:#?}");
}

#[test]
fn a_volume_of_known_size_is_compared_with_others_of_that_size() {
    let of = |gib| ids(&bursts_alike(&seen(3_000.0, 250.0 * MIB), SEEN, Some(Bytes::gib(gib)))).len();
    assert_eq!([of(500), of(1_000), of(100)], [1, 0, 0]);
    let tier = |gib| bursts_alike(&seen(3_500.0, 170.0 * MIB), SEEN, Some(Bytes::gib(gib)));
    assert_eq!(tier(128)[0].policy.to_string(), "azure-premium-ssd-credit,tier=P10");
    assert!(tier(1_024).is_empty());
}

#[test]
fn a_level_that_is_only_known_from_below_may_be_any_higher_one() {
    let mut levels = seen(3_000.0, 128.0 * MIB);
    levels.iter_mut().filter(|level| level.block == Bytes::MIB).for_each(|level| {
        level.iops = (Iops(100.0), Iops(f64::INFINITY));
    });
    let found = bursts_alike(&levels, SEEN, None);
    assert!(ids(&found).contains(&"aws-gp2"), "{found:#?}");
    assert!(bursts_alike(&[], SEEN, None).is_empty());
}
