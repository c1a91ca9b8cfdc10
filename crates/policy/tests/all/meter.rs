//! Limits in virtual time: rates, bursts, buckets, and that a meter never admits more than they allow.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{BucketStart, Limits, Load, Locality, Meter, Phase, evaluate};
use proptest::prelude::*;
use workload::{Bytes, Direction, Nanos, PolicyName};

fn limits(words: &str) -> Limits {
    let name = PolicyName::parse(words).unwrap();
    evaluate(&name).unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// A closed loop: `depth` I/Os in flight, each taking `latency` once it may proceed.
struct ClosedLoop {
    meter: Meter,
    depth: usize,
    latency: Nanos,
    direction: Direction,
    block: Bytes,
}

impl ClosedLoop {
    fn on(words: &str) -> ClosedLoop {
        ClosedLoop {
            meter: Meter::new(&limits(words), BucketStart::Initial),
            depth: 32,
            latency: Nanos::from_micros(500),
            direction: Direction::Read,
            block: Bytes::kib(4),
        }
    }

    /// Returns the operations that proceed in each of `spans` spans of time.
    fn counts(&mut self, span: Nanos, spans: usize) -> Vec<u64> {
        let mut counts = vec![0; spans];
        // Completion follows admission by a constant, so the oldest in a ring is always the next to issue.
        let mut ready = vec![Nanos::ZERO; self.depth];
        for turn in 0.. {
            let slot = &mut ready[turn % self.depth];
            let at = self.meter.admit(*slot, self.direction, self.block, Locality::Random);
            let Some(count) = counts.get_mut((at.0 / span.0) as usize) else { break };
            *count += 1;
            *slot = at + self.latency;
        }
        counts
    }

    fn per_second(&mut self, seconds: usize) -> Vec<u64> {
        self.counts(Nanos::SECOND, seconds)
    }
}

fn assert_near(is: f64, should: f64, tolerance: f64, what: &str) {
    assert!((is / should - 1.0).abs() <= tolerance, "{what}: {is} instead of {should}");
}

#[test]
fn a_100_gib_gp2_runs_at_3000_for_2000_seconds_and_then_at_300() {
    let counts = ClosedLoop::on("aws-gp2,size=100GiB").per_second(2400);
    for (second, &count) in counts.iter().enumerate().skip(1) {
        let expected = if second < 2000 { 3000 } else { 300 };
        let edge = second == 1999 || second == 2000;
        assert!(edge || count.abs_diff(expected) <= 1, "second {second}: {count}");
    }
    assert_near(counts.iter().sum::<u64>() as f64, 6_120_000.0, 1e-5, "operations in all");
}

/// The provider's own table: seconds of burst, and seconds until an idle bucket is full again.
#[test]
fn gp2_buckets_empty_and_fill_in_the_published_time() {
    for (size, burst, refill) in
        [(33, 1862.0, 54_000.0), (100, 2000.0, 18_000.0), (334, 2703.0, 5389.0), (750, 7200.0, 2400.0)]
    {
        let mut volume = ClosedLoop::on(&format!("aws-gp2,size={size}GiB"));
        let counts = volume.counts(Nanos::from_millis(500), 2 * 7210);
        let fast = counts.iter().filter(|&&count| count >= 1480).count() as f64 / 2.0;
        assert_near(fast, burst, 0.001, &format!("{size} GiB: seconds at 3,000"));
        let emptied = Nanos::from_secs(7210);
        assert!(volume.meter.level(0, emptied).unwrap() < 50.0, "{size} GiB is empty");
        let almost = volume.meter.level(0, emptied + Nanos::from_secs_f64(refill * 0.999)).unwrap();
        let full = volume.meter.level(0, emptied + Nanos::from_secs_f64(refill * 1.001)).unwrap();
        assert!(almost < 5.4e6 && full > 5.4e6 * 0.9999, "{size} GiB: {almost} then {full}");
    }
}

#[test]
fn flat_caps_are_reached_exactly_at_every_depth_that_can() {
    for (words, depth, block, iops) in [
        ("aws-gp3", 2, 4, 3000),
        ("aws-gp3", 32, 4, 3000),
        ("aws-gp3", 256, 4, 3000),
        ("custom,iops=1000", 1, 4, 1000),
        ("do-volumes-pre-burst", 8, 4, 5000),
        ("do-volumes-pre-burst", 8, 16, 5000),
        ("do-volumes-pre-burst", 8, 32, 5000),
        ("do-volumes-pre-burst", 8, 64, 3200),
        ("do-volumes-pre-burst", 8, 256, 800),
        ("vmware-vmdk-limit,limit=1000", 8, 32, 1000),
        ("vmware-vmdk-limit,limit=1000", 8, 40, 500),
        ("custom,iops=1000,unit=32KiB,rounding=proportional", 8, 40, 800),
    ] {
        let mut volume = ClosedLoop { depth, block: Bytes::kib(block), ..ClosedLoop::on(words) };
        let counts = volume.per_second(20);
        for &count in &counts[1..] {
            assert!(count.abs_diff(iops) <= 1, "{words} at depth {depth}, {block} KiB: {counts:?}");
        }
    }
}

#[test]
fn below_the_knee_the_latency_sets_the_rate() {
    let mut volume = ClosedLoop { depth: 1, ..ClosedLoop::on("aws-gp3") };
    assert_eq!(volume.per_second(10)[1..], [2000; 9]);
}

/// Uneven latencies below the cap: the tolerance lets later I/Os make up for what one loses.
#[test]
fn uneven_latencies_still_reach_the_cap() {
    let mut meter = Meter::new(&limits("custom,iops=1000"), BucketStart::Initial);
    let (mut now, mut count) = (Nanos::ZERO, 0);
    for turn in 0u64.. {
        let at = meter.admit(now, Direction::Read, Bytes::kib(4), Locality::Random);
        if at > Nanos::from_secs(20) {
            break;
        }
        count += 1;
        now = at + Nanos::from_micros(if turn % 4 == 0 { 2600 } else { 300 });
    }
    assert_near(f64::from(count), 20_000.0, 0.001, "operations in 20 s");
}

/// Azure keeps two buckets: small blocks empty the one of operations but not that of bytes; large blocks do the opposite.
#[test]
fn azure_credits_of_operations_and_of_bytes_are_apart() {
    let words = "azure-premium-ssd-credit,tier=P10";
    let full = |volume: &ClosedLoop, rule, at| volume.meter.level(rule, at).unwrap();
    let half_an_hour = Nanos::from_secs(1800);
    let mut small = ClosedLoop::on(words);
    let counts = small.per_second(1900);
    assert!(counts[1..1798].iter().all(|count| count.abs_diff(3500) <= 1));
    assert!(counts[1802..].iter().all(|count| count.abs_diff(500) <= 1));
    assert!(full(&small, 0, Nanos::from_secs(1900)) < 50.0);
    assert_near(full(&small, 1, half_an_hour), 1800.0 * 70.0 * 1048576.0, 0.001, "bytes left");
    let mut large = ClosedLoop { block: Bytes::MIB, ..ClosedLoop::on(words) };
    let counts = large.per_second(1900);
    assert!(counts[1..1798].iter().all(|count| count.abs_diff(170) <= 1));
    assert!(counts[1802..].iter().all(|count| count.abs_diff(100) <= 1));
    // A mebibyte is charged four operations: 680 a second in the burst, and 400 of 500 earned in the 100 s after it.
    let left = 1800.0 * (3000.0 - 180.0) + 100.0 * 100.0;
    assert_near(full(&large, 0, Nanos::from_secs(1900)), left, 0.001, "operations left");
}

#[test]
fn a_timed_burst_ends_with_time_and_comes_back() {
    let counts = ClosedLoop::on("do-volumes-standard").per_second(190);
    for (span, rate) in [(1..59, 7500), (61..119, 5000), (121..179, 7500), (181..189, 5000)] {
        for second in span {
            assert!(counts[second].abs_diff(rate) <= 1, "second {second}: {}", counts[second]);
        }
    }
}

/// Load below the baseline does not start the clock of a timed burst.
#[test]
fn a_timed_burst_waits_for_load() {
    let mut volume = ClosedLoop { depth: 2, ..ClosedLoop::on("do-volumes-standard") };
    assert_eq!(volume.per_second(100)[99], 4000);
    let meter = volume.meter.clone();
    let mut later = ClosedLoop { meter, ..ClosedLoop::on("do-volumes-standard") };
    let mut counts = vec![0u64; 70];
    let mut ready = [Nanos::from_secs(100); 32];
    for turn in 0.. {
        let slot = &mut ready[turn % 32];
        let at = later.meter.admit(*slot, Direction::Read, Bytes::kib(4), Locality::Random);
        let Some(count) = counts.get_mut((at.0 / 1_000_000_000 - 100) as usize) else { break };
        *count += 1;
        *slot = at + Nanos::from_micros(500);
    }
    assert_eq!((counts[30], counts[65]), (7500, 5000));
}

/// The bucket of st1 counts bytes, and a small random read costs a whole mebibyte of it.
#[test]
fn st1_charges_a_mebibyte_for_a_small_random_read() {
    let words = "aws-st1,size=1TiB";
    let load = Load::random(Direction::Read, Bytes::kib(4));
    let cap = limits(words).cap(&load, policy::Level::Burst).unwrap();
    assert_eq!(cap.iops.0, 250.0);
    let mut random = ClosedLoop { latency: Nanos::from_millis(5), ..ClosedLoop::on(words) };
    let counts = random.per_second(5000);
    let empty = 1048576.0 / 210.0;
    let fast = counts.iter().filter(|&&count| count >= 248).count() as f64;
    assert_near(fast, empty, 0.001, "seconds at 250 MiB/s");
    assert_eq!(counts[4998..], [40, 40]);
    let mut meter = Meter::new(&limits(words), BucketStart::Initial);
    let mut last = Nanos::ZERO;
    for _ in 0..256_000 {
        last = meter.admit(last, Direction::Read, Bytes::kib(4), Locality::Sequential);
    }
    assert_near(last.as_secs_f64(), 1000.0 / 250.0, 0.01, "1,000 MiB in sequence");
}

#[test]
fn a_bucket_can_start_empty_or_partly_full() {
    let meter = |start| Meter::new(&limits("aws-gp2,size=100GiB"), start);
    let run = |start| ClosedLoop { meter: meter(start), ..ClosedLoop::on("aws-gp3") }.per_second(1100);
    assert!(run(BucketStart::Empty)[1..].iter().all(|count| count.abs_diff(300) <= 1));
    let half = run(BucketStart::Share(0.5));
    assert_eq!((half[998], half[1002]), (3000, 300));
    assert_eq!(meter(BucketStart::Share(0.25)).level(0, Nanos::ZERO), Some(1.35e6));
    assert_eq!(meter(BucketStart::Initial).level(1, Nanos::ZERO), None, "no bucket of bytes");
}

#[test]
fn a_paid_burst_lasts() {
    let mut volume = ClosedLoop::on("azure-premium-ssd-on-demand,tier=P30");
    assert_eq!(volume.counts(Nanos::SECOND, 5)[4], 30_000);
}

#[test]
fn directions_are_apart_where_the_rules_are() {
    let mut meter = Meter::new(&limits("custom,read_iops=100,write_iops=10"), BucketStart::Initial);
    for _ in 0..1000 {
        meter.admit(Nanos::ZERO, Direction::Write, Bytes::kib(4), Locality::Random);
    }
    let read = meter.admit(Nanos::from_secs(1), Direction::Read, Bytes::kib(4), Locality::Random);
    assert_eq!(read, Nanos::from_secs(1), "a queue of writes is nothing to a read");
    let flush = meter.admit(Nanos::from_secs(1), Direction::Flush, Bytes(0), Locality::Random);
    assert_eq!(flush, Nanos::from_secs(1), "a flush is not charged");
}

/// Nothing accumulates: thirty million operations at 300,000 a second take 100 s to the microsecond.
#[test]
fn no_drift() {
    let mut meter =
        Meter::new(&limits("custom,iops=300000"), BucketStart::Initial).with_tolerance(Nanos::ZERO);
    let mut last = Nanos::ZERO;
    for _ in 0..=30_000_000u64 {
        last = meter.admit(last, Direction::Read, Bytes::kib(4), Locality::Random);
    }
    assert!(last.0.abs_diff(100_000_000_000) <= 1_000, "{last:?} instead of 100 s");
}

/// The operations that the phases of an endless load admit in a time.
fn admitted(limits: &Limits, load: &Load, time: Nanos) -> f64 {
    let within = |phase: &Phase| phase.end.map_or(time, |end| end.min(time)).since(phase.start);
    limits.overload(load).iter().map(|phase| phase.iops.0 * within(phase).as_secs_f64()).sum()
}

/// The meter and the phases are two ways to the same answer.
#[test]
fn meters_do_what_phases_say() {
    for words in [
        "aws-gp2,size=500GiB",
        "azure-premium-ssd-credit,tier=P15",
        "vultr-nvme",
        "linode-block-nvme",
        "aws-sc1,size=2TiB",
        "gcp-pd-balanced,size=500GiB",
        "aws-gp3,instance=m5.large",
    ] {
        for block in [Bytes::kib(4), Bytes::kib(64), Bytes::MIB] {
            let load = Load::random(Direction::Read, block);
            let time = Nanos::from_secs(if words.contains("linode") { 110 } else { 4000 });
            let expected = admitted(&limits(words), &load, time);
            let mut volume = ClosedLoop { block, ..ClosedLoop::on(words) };
            let done: u64 = volume.per_second(time.as_secs_f64() as usize).iter().sum();
            assert_near(done as f64, expected, 0.001, &format!("{words} at {block}"));
        }
    }
}

/// Random I/Os: time since the last one, length, and whether it is a read.
fn arrivals() -> impl Strategy<Value = Vec<(u64, u64, bool)>> {
    prop::collection::vec((0u64..3_000_000, 1u64..2_000_000, any::<bool>()), 1..400)
}

proptest! {
    /// No window admits more than the burst rate and the tolerance allow, and the whole no more than the
    /// bucket and the baseline; one I/O may begin in the last moment.
    #[test]
    fn never_more_than_burst_rate_and_never_more_than_bucket_and_baseline(
        arrivals in arrivals(),
        baseline in 50.0f64..5000.0,
        factor in 1.1f64..10.0,
        bucket in 1.0f64..2000.0,
        tolerance_ms in 0u64..20,
        by_bytes in any::<bool>(),
    ) {
        let unit = if by_bytes { 65_536.0 } else { 1.0 };
        let words = if by_bytes {
            let (rate, burst, size) = (baseline * unit, baseline * factor * unit, bucket * unit);
            format!("custom,bandwidth={rate}B/s,burst_bandwidth={burst}B/s,byte_bucket={size:.0}B")
        } else {
            format!("custom,iops={baseline},burst_iops={},bucket={bucket},unit=256KiB", baseline * factor)
        };
        let limits = limits(&words);
        let limit = &limits.limits[0];
        let (base, peak) = (limit.baseline, limit.burst.unwrap().rate);
        let size = bucket * unit + 1.0;
        let mut meter = Meter::new(&limits, BucketStart::Initial).with_tolerance(Nanos::from_millis(tolerance_ms));
        let mut now = Nanos::ZERO;
        let mut passed: Vec<(f64, f64)> = Vec::new();
        for (gap, bytes, read) in arrivals {
            now += Nanos(gap);
            let direction = if read { Direction::Read } else { Direction::Write };
            let at = meter.admit(now, direction, Bytes(bytes), Locality::Random);
            prop_assert!(at >= now);
            passed.push((at.as_secs_f64(), limit.charge(Bytes(bytes), Locality::Random)));
        }
        let tolerance = tolerance_ms as f64 / 1e3;
        for (first, &(from, _)) in passed.iter().enumerate() {
            let mut sum = 0.0;
            for &(until, charge) in &passed[first..] {
                let window = until - from + 1e-8;
                prop_assert!(sum <= peak * (window + tolerance) * (1.0 + 1e-9) + 1e-6, "{sum} in {window} s at {peak}");
                prop_assert!(sum <= size + base * window * (1.0 + 1e-9), "{sum} in {window} s from {size} at {base}");
                sum += charge;
            }
        }
    }

    /// Levels stay between empty and full under any load.
    #[test]
    fn levels_stay_in_the_bucket(arrivals in arrivals(), share in 0.0f64..1.0) {
        let mut meter = Meter::new(&limits("aws-gp2,size=100GiB"), BucketStart::Share(share));
        let mut now = Nanos::ZERO;
        for (gap, bytes, _) in arrivals {
            now += Nanos(gap);
            now = meter.admit(now, Direction::Read, Bytes(bytes), Locality::Random);
            let level = meter.level(0, now).unwrap();
            prop_assert!((0.0..=5.4e6).contains(&level), "{level}");
        }
    }
}
