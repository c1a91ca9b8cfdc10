//! The governor: which rate a throttle is given, as the credits for what it admitted drain and refill.
#![allow(clippy::unwrap_used)]

use policy::{BucketStart, Governor, IoGroup, Level, Limits, Order, evaluate};
use workload::{Bytes, Direction, Nanos, PolicyName};

/// Time from one look to the next.
const LOOK: Nanos = Nanos::from_millis(50);

fn limits(words: &str) -> Limits {
    evaluate(&PolicyName::parse(words).unwrap()).unwrap()
}

/// A throttle that obeys, in slices of 100 ms, under a load that asks for `asked` reads of 4 KiB a second.
struct ThrottledVolume {
    governor: Governor,
    slice: u32,
}

impl ThrottledVolume {
    fn new(limits: &Limits, start: BucketStart) -> ThrottledVolume {
        ThrottledVolume { governor: Governor::new(limits, start), slice: 0 }
    }

    fn rate(&self) -> f64 {
        self.governor.now().cap_iops(Direction::Read, Bytes::kib(4), Level::Baseline).unwrap().0
    }

    /// Runs for a time, and returns the mean rate of each second.
    fn run(&mut self, seconds: u32, asked: f64) -> Vec<f64> {
        let second = |_| (0..20).map(|_| self.look(asked)).sum();
        (0..seconds).map(second).collect()
    }

    /// Returns what is admitted until the next look: all of a slice at its beginning.
    fn look(&mut self, asked: f64) -> f64 {
        self.slice += 1;
        let ops = if self.slice % 2 == 1 { self.rate().min(asked) * 0.1 } else { 0.0 };
        let reads = IoGroup { direction: Direction::Read, ops, block: Bytes::kib(4), order: Order::Random };
        self.governor.enter(LOOK, &[reads]);
        ops
    }
}

/// Returns the seconds until the rate is below the midpoint of the two.
fn fell(rates: &[f64], (burst, base): (f64, f64)) -> Option<usize> {
    rates.iter().position(|rate| *rate < f64::midpoint(burst, base))
}

#[test]
fn credits_of_gp2_end_when_they_should_and_come_back_with_rest() {
    // 54,000 operations instead of 5,400,000; 2,700 a second are spent, 300 earned.
    let mut volume =
        ThrottledVolume::new(&limits("aws-gp2,size=100GiB").at_speed(100.0), BucketStart::Initial);
    let rates = volume.run(40, f64::INFINITY);
    assert_eq!(fell(&rates, (3000.0, 300.0)), Some(20), "{rates:.0?}");
    assert!(rates[..20].iter().all(|rate| (rate - 3000.0).abs() < 1.0), "{rates:.0?}");
    assert!(rates[21..].iter().all(|rate| (rate - 300.0).abs() < 3.0), "{rates:.0?}");
    volume.run(60, 0.0);
    let rates = volume.run(12, f64::INFINITY);
    // 18,000 were earned.
    let above: f64 = rates.iter().map(|rate| rate - 300.0).sum();
    assert!((above / 18_000.0 - 1.0).abs() < 0.02, "{above}: {rates:.0?}");
}

#[test]
fn a_long_load_at_the_baseline_gets_no_bursts() {
    let mut volume = ThrottledVolume::new(&limits("aws-gp2,size=100GiB").at_speed(100.0), BucketStart::Empty);
    let rates = volume.run(600, f64::INFINITY);
    assert!(rates.iter().all(|rate| (rate - 300.0).abs() < 1.0), "{rates:.0?}");
}

#[test]
fn a_bucket_begins_with_what_is_asked_for() {
    let gp2 = limits("aws-gp2,size=100GiB").at_speed(100.0);
    for (start, seconds) in [
        (BucketStart::Share(0.5), 10),
        (BucketStart::Operations(27_000.0), 10),
        (BucketStart::Share(1.0), 20),
        (BucketStart::Empty, 0),
    ] {
        let rates = ThrottledVolume::new(&gp2, start).run(25, f64::INFINITY);
        assert_eq!(fell(&rates, (3000.0, 300.0)), Some(seconds), "{start:?}");
    }
}

/// Anything above the baseline begins the burst.
#[test]
fn a_timed_burst_ends_with_time_whatever_it_spends() {
    let premium = limits("custom,iops=500").at_speed(100.0);
    assert_eq!(ThrottledVolume::new(&premium, BucketStart::Initial).run(5, f64::INFINITY), vec![500.0; 5]);
    let timed = policy::Catalogue::builtin().list().iter().find_map(|policy| {
        let needed = policy.required_parameters();
        let words = policy.parameters.iter().filter(|one| needed.contains(&one.name.as_str()));
        let typed = words.map(|one| (one.name.clone(), one.example())).collect();
        let limits = evaluate(&PolicyName { id: policy.id.clone(), parameters: typed }).ok()?;
        let is_timed = |limit: &policy::Limit| {
            let bucket = limit.burst.map(|burst| burst.bucket);
            limit.resource == policy::Resource::Iops
                && matches!(bucket, Some(policy::Bucket::Timed { .. } | policy::Bucket::Unknown))
        };
        limits.limits.iter().any(is_timed).then_some(limits)
    });
    let limits = timed.unwrap();
    let of = |limits: &Limits| {
        limits.limits.iter().find_map(|rule| match rule.burst?.bucket {
            policy::Bucket::Timed { lasts, .. } => {
                Some((rule.rate(Level::Burst), rule.baseline, lasts?.as_secs_f64()))
            }
            _ => None,
        })
    };
    let real = of(&limits.at_speed(1.0)).unwrap().2;
    let faster = limits.at_speed(real / 20.0);
    let (burst, base, lasts) = of(&faster).unwrap();
    assert!((lasts - 20.0).abs() < 1e-6, "{lasts}");
    for asked in [f64::INFINITY, f64::midpoint(burst, base)] {
        let mut volume = ThrottledVolume::new(&faster, BucketStart::Initial);
        let rates = volume.run(lasts as u32 + 5, asked);
        let fell = fell(&rates, (asked.min(burst), base)).unwrap() as f64;
        assert!((fell - lasts).abs() <= 1.0, "{asked}: after {fell} of {lasts} s");
    }
    // Below the baseline no burst begins.
    let mut volume = ThrottledVolume::new(&faster, BucketStart::Initial);
    volume.run(60, base * 0.9);
    assert_eq!(volume.rate(), burst);
}

#[test]
fn the_rates_hold_for_as_long_as_the_credits() {
    let gp2 = limits("aws-gp2,size=100GiB").at_speed(100.0);
    let holds = |start| Governor::new(&gp2, start).holds_for().as_secs_f64();
    assert!((holds(BucketStart::Initial) - 20.0).abs() < 1e-6);
    assert!((holds(BucketStart::Operations(2700.0)) - 1.0).abs() < 1e-6);
    assert_eq!(Governor::new(&gp2, BucketStart::Empty).holds_for(), Nanos::MAX);
}

#[test]
fn a_volume_whose_credits_drain_faster_promises_shorter_bursts_at_the_same_rates() {
    let of = |words: &str| policy::evaluate_of_volume(&PolicyName::parse(words).unwrap()).unwrap();
    let faster = of("aws-gp2,size=100GiB,speed=100");
    assert_eq!(faster, of("aws-gp2,size=100GiB").at_speed(100.0));
    assert_ne!(faster, of("aws-gp2,size=100GiB"));
}
