//! Parameters as users write them, and the messages when one is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{Bucket, Level, PolicyError, Resource, Rounding, evaluate, evaluate_with_rest};
use workload::{Bytes, Direction, Nanos, PolicyName};

fn name(words: &str) -> PolicyName {
    PolicyName::parse(words).unwrap()
}

fn baseline(words: &str, resource: Resource) -> f64 {
    let limits = evaluate(&name(words)).unwrap_or_else(|error| panic!("{words}: {error}"));
    limits.tightest(resource, Direction::Read, Level::Baseline).unwrap().baseline
}

fn message(words: &str) -> String {
    evaluate(&name(words)).expect_err(words).to_string()
}

#[test]
fn names_and_units_are_read_as_people_write_them() {
    for (words, iops) in [
        ("aws-gp2,size=100GiB", 300.0),
        ("aws-gp2,size=100", 300.0),
        ("AWS-GP2,Size=100g", 300.0),
        ("aws-gp2,size_gib=100", 300.0),
        ("aws-gp3", 3000.0),
        ("aws-gp3,iops=6k", 6000.0),
        ("aws-gp3,size=100GiB,iops=50000", 50_000.0),
        ("azure-premium-ssd-large,tier=p30", 5000.0),
        ("azure-premium-ssd-large,size=1TiB", 5000.0),
        ("azure-premium-ssd-large,size=1025GiB", 7500.0),
        ("oci-block-volume,size=500GB,vpu=10", 25_000.0),
        ("vmware-vmdk-limit,iops=1000", 1000.0),
        ("vmware-vsan-limit", 500.0),
        ("custom,iops=1234", 1234.0),
        ("custom,read-iops=1000,write-iops=10", 1000.0),
    ] {
        assert_eq!(baseline(words, Resource::Iops), iops, "{words}");
    }
    for (words, bytes) in [
        ("aws-gp3,throughput=500MiB/s", 500.0 * 1048576.0),
        ("aws-gp3,bandwidth=500", 500.0 * 1048576.0),
        ("azure-premium-ssd-v2,throughput=200MB/s", 200e6),
        ("custom,bandwidth=200", 200.0 * 1048576.0),
        ("custom,bandwidth=200MB/s", 200e6),
    ] {
        assert_eq!(baseline(words, Resource::Bytes), bytes, "{words}");
    }
}

/// Each message names the offender, the allowed values, and what to write instead.
#[test]
fn errors_name_cause_and_remedy() {
    for (words, told) in [
        ("aws-pg2,size=100", &["'aws-pg2'", "did you mean 'aws-gp2'?", "plimsoll policy list"][..]),
        ("gp3", &["did you mean 'aws-gp3'? plimsoll policy list has them all"]),
        ("nosuch", &["no policy is called 'nosuch'; plimsoll policy list has them all; for figures"]),
        ("aws-gp2", &["needs 'size'", "1 to 16,384 GiB", "aws-gp2,size=100GiB"]),
        ("azure-premium-ssd-large", &["needs 'tier'", "P30, P40", "tier=P30"]),
        ("azure-premium-ssd-large,tier=P31", &["tier=P31", "P30, P40", "tier=P30"]),
        ("aws-gp2,size=20TiB", &["1 to 16,384 GiB", "size=16384GiB"]),
        ("aws-gp2,size=0", &["1 to 16,384 GiB", "size=1GiB"]),
        ("aws-gp2,sise=100GiB", &["needs 'size'"]),
        ("aws-gp2,size=100GiB,sise=1", &["'sise'", "did you mean 'size'?", "it takes size, instance"]),
        ("aws-gp2,size=1,size=2", &["'size' is given twice"]),
        ("aws-gp2,size=big", &["size=big", "size=100GiB"]),
        ("aws-gp3,iops=20", &["3,000 to 80,000 IOPS", "iops=3000"]),
        ("aws-gp3,size=100GiB,iops=60000", &["3,000 to 50,000 IOPS", "iops=50000"]),
        ("aws-gp3,throughput=900", &["125 to 750 MiB/s", "throughput=750MiB/s"]),
        ("oci-block-volume,size=100,vpu=15", &["vpu=15", "10, 20, 30"]),
        ("vmware-vmdk-limit", &["needs 'limit'", "at least 16 IOPS", "limit=6000"]),
        ("aws-gp3,instance=m5.largr", &["'m5.largr'", "did you mean 'm5.large'?"]),
        ("scaleway-5k,size=1GiB", &["no parameter 'size'", "it takes none"]),
        ("custom", &["needs 'iops'", "custom,iops=3000,bandwidth=125MiB/s"]),
        ("custom,iops=many", &["iops=many", "iops=3000"]),
        ("custom,iops=0", &["above 0"]),
        ("custom,iops=100,burst_iops=300", &["how long", "bucket="]),
        ("custom,iops=100,burst_iops=50,bucket=9", &["not above a baseline"]),
        ("custom,iops=100,bucket=50", &["nothing to pay for", "burst_iops="]),
        ("custom,iops=100,rounding=ceil", &["unit=256KiB"]),
        ("custom,iops=100,iosp=5", &["'iosp'", "did you mean 'iops'?"]),
        ("custom,iops=100,iops=5", &["given twice"]),
    ] {
        let text = message(words);
        for part in told {
            assert!(text.contains(part), "{words}: '{part}' is missing in: {text}");
        }
    }
}

#[test]
fn what_is_not_the_policys_is_handed_back() {
    let (limits, rest) = evaluate_with_rest(&name("aws-gp2,latency=0.5ms,size=100GiB,seed=7")).unwrap();
    assert_eq!(limits.policy.to_string(), "aws-gp2,size=100GiB");
    assert_eq!(rest, [("latency".to_owned(), "0.5ms".to_owned()), ("seed".to_owned(), "7".to_owned())]);
    let (limits, rest) = evaluate_with_rest(&name("do-volumes-pre-burst,size=1GiB")).unwrap();
    assert_eq!(
        (limits.limits.len(), rest.len()),
        (2, 1),
        "the size of a lab volume is nothing to this policy"
    );
    let (limits, rest) = evaluate_with_rest(&name("custom,iops=9,latency=2ms,seed=1")).unwrap();
    assert_eq!(limits.latency, Some(Nanos::from_millis(2)));
    assert_eq!(rest.len(), 2, "a volume finds the latency where it looks with every policy");
    assert!(matches!(
        evaluate(&name("aws-gp3,seed=7")),
        Err(PolicyError::UnknownParameter { name, .. }) if name == "seed"
    ));
}

#[test]
fn the_size_of_a_volume_is_read_from_its_parameters() {
    for (words, size) in [
        ("aws-gp2,size=100GiB", Some(Bytes::gib(100))),
        ("azure-premium-ssd-large,tier=P30", Some(Bytes::gib(1024))),
        ("oci-block-volume,size=50GB,vpu=10", Some(Bytes(50_000_000_000))),
        ("aws-gp3", None),
        ("do-volumes-pre-burst", None),
    ] {
        assert_eq!(evaluate(&name(words)).unwrap().volume_size(), size, "{words}");
    }
}

#[test]
fn custom_states_every_kind_of_limit() {
    let words = "custom,iops=300,burst_iops=3000,bucket=5400000,bandwidth=40MiB/s,burst_bandwidth=250MiB/s,\
        byte_bucket=1TiB,unit=256KiB,rounding=proportional,merge=yes";
    let limits = evaluate(&name(words)).unwrap();
    let [iops, bytes] = &limits.limits[..] else { panic!("two rules") };
    assert_eq!(iops.burst.unwrap().bucket, Bucket::Tokens { size: 5.4e6, initial: 5.4e6, derived: false });
    assert_eq!(iops.accounting.unwrap().rounding, Rounding::Proportional);
    assert_eq!(bytes.burst.unwrap().rate, 250.0 * 1048576.0);
    assert!(bytes.accounting.is_none(), "bytes are charged as they are");
    let timed = evaluate(&name("custom,iops=5000,burst_iops=7500,burst=60s,cool_off=30s")).unwrap();
    let minute = Some(Nanos::from_secs(60));
    let bucket = Bucket::Timed { lasts: minute, cool_off: Some(Nanos::from_secs(30)) };
    assert_eq!(timed.limits[0].burst.unwrap().bucket, bucket);
    let apart = evaluate(&name("custom,read_iops=700,write_iops=300")).unwrap();
    let cap = |direction| apart.cap_iops(direction, Bytes::kib(4), Level::Baseline).unwrap().0;
    assert_eq!((cap(Direction::Read), cap(Direction::Write)), (700.0, 300.0));
}
