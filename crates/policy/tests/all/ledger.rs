//! Accounts of credits compared with the meter that spends them: whatever the volume, its fill and the load, both agree.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{
    Balance, BucketStart, Entry, ExcessDemand, IoGroup, Ledger, Limits, Locality, Meter, Opening, Order,
    evaluate,
};
use proptest::prelude::*;
use workload::{Bytes, Direction, Nanos, PolicyName};

/// Every kind of volume with credits in the catalogue, as in the measurements that showed errors in the accounts.
const VOLUMES: [&str; 32] = [
    "aws-gp2,size=33GiB",
    "aws-gp2,size=100GiB",
    "aws-gp2,size=334GiB",
    "aws-gp2,size=500GiB",
    "aws-gp2,size=750GiB",
    "aws-gp2,size=999GiB",
    "aws-st1,size=1TiB",
    "aws-st1,size=5TiB",
    "aws-sc1,size=1TiB",
    "aws-sc1,size=2TiB",
    "azure-premium-ssd-credit,tier=P1",
    "azure-premium-ssd-credit,tier=P4",
    "azure-premium-ssd-credit,tier=P6",
    "azure-premium-ssd-credit,tier=P10",
    "azure-premium-ssd-credit,tier=P15",
    "azure-premium-ssd-credit,tier=P20",
    "azure-standard-ssd,tier=E1",
    "azure-standard-ssd,tier=E10",
    "azure-standard-ssd,tier=E20",
    "azure-standard-ssd,tier=E30",
    "vultr-nvme",
    "vultr-hdd",
    "aws-io1,size=100GiB,iops=3000",
    "do-volumes-standard",
    "do-volumes-optimized",
    "linode-block-nvme",
    "hetzner-volumes",
    "huawei-evs-high,size=100GiB",
    "huawei-evs-ultra-high,size=50GiB",
    "custom,iops=500,burst_iops=1500,bucket=20000",
    "custom,bandwidth=20MiB/s,burst_bandwidth=60MiB/s,byte_bucket=1GiB,unit=32KiB,rounding=proportional,iops=900",
    "custom,iops=300,burst_iops=3000,bucket=5000,unit=256KiB,merge=yes",
];

fn limits(words: &str) -> Limits {
    let name = PolicyName::parse(words).unwrap();
    evaluate(&name).unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// One stretch of a load: this many in flight (0: a pause), of this length and order.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    depth: usize,
    block: u64,
    order: Order,
    direction: Direction,
    seconds: u64,
}

/// A volume, what moves on it, and its account.
struct BookedVolume {
    limits: Limits,
    meter: Meter,
    ledger: Ledger,
    now: Nanos,
    interval: Nanos,
}

impl BookedVolume {
    fn open(words: &str, start: BucketStart, opening: Opening) -> BookedVolume {
        let limits = limits(words);
        let (meter, ledger) = (Meter::new(&limits, start), Ledger::new(&limits, opening));
        BookedVolume { limits, meter, ledger, now: Nanos::ZERO, interval: Nanos::from_millis(500) }
    }

    /// Runs a closed loop of 0.8 ms an I/O; an interval counts what completed in it. If the meter delays I/Os
    /// by half as long again, more was asked for than was given.
    fn run(&mut self, stretch: Stretch) {
        let service = Nanos::from_micros(800);
        let until = self.now + Nanos::from_secs(stretch.seconds);
        let intervals = (Nanos::from_secs(stretch.seconds).0 / self.interval.0) as usize;
        let mut counts = vec![(0.0, Nanos::ZERO); intervals];
        let mut ready = vec![self.now; stretch.depth];
        let locality =
            if stretch.order == Order::Sequential { Locality::Sequential } else { Locality::Random };
        for turn in 0.. {
            let depth = stretch.depth.max(1);
            let Some(slot) = ready.get_mut(turn % depth).filter(|slot| **slot < until) else { break };
            let at = self.meter.admit(*slot, stretch.direction, Bytes(stretch.block), locality);
            let waited = at.since(*slot);
            *slot = at + service;
            let span = ((at.since(self.now)).0 / self.interval.0) as usize;
            // What is in flight at the end has been charged, and belongs to the last interval.
            let (ops, all) = &mut counts[span.min(intervals - 1)];
            (*ops, *all) = (*ops + 1.0, *all + waited);
        }
        self.now = ready.iter().map(|ready| ready.since(service)).fold(until, Nanos::max);
        for (ops, waited) in counts {
            let (direction, block) = (stretch.direction, Bytes(stretch.block));
            let moved = IoGroup { direction, ops, block, order: stretch.order };
            let queued = waited.as_secs_f64() >= 0.5 * service.as_secs_f64() * ops && ops > 0.0;
            let asked = if queued { ExcessDemand::More } else { ExcessDemand::Perhaps };
            self.ledger.enter(&Entry { length: self.interval, moved: vec![moved], asked });
        }
        self.ledger.enter(&Entry { length: self.now.since(until), ..Entry::default() });
    }

    /// Returns each balance with the level of the meter, as shares.
    fn balances(&self) -> Vec<(Balance, f64)> {
        let balances = self.ledger.balances().into_iter();
        let beside =
            |balance: Balance| Some((balance, self.meter.level(balance.limit, self.now)? / balance.size));
        balances.filter_map(beside).collect()
    }

    /// Returns the possible difference between account and meter: what is in flight, and what an interval
    /// hides when full and when empty.
    fn slack(&self, balance: &Balance) -> f64 {
        let limit = &self.limits.limits[balance.limit];
        let in_flight = 64.0 * limit.charge(Bytes::MIB, Locality::Random);
        (0.03 * limit.baseline + in_flight) / balance.size + 0.002
    }
}

const CHECK: [Stretch; 9] = [
    stretch(1, 4, 6),
    stretch(0, 4, 2),
    stretch(2, 4, 6),
    stretch(16, 4, 8),
    stretch(64, 4, 8),
    stretch(64, 64, 8),
    stretch(32, 1024, 8),
    stretch(0, 4, 20),
    stretch(32, 4, 8),
];

const fn stretch(depth: usize, kib: u64, seconds: u64) -> Stretch {
    Stretch { depth, block: kib * 1024, order: Order::Random, direction: Direction::Read, seconds }
}

#[test]
fn an_account_of_a_known_start_holds_what_the_meter_holds() {
    let mut compared = 0;
    for words in VOLUMES {
        for share in [1.0, 0.5, 0.05, 0.01, 0.0] {
            let mut booked = BookedVolume::open(words, BucketStart::Share(share), Opening::Share(share));
            CHECK.into_iter().for_each(|stretch| booked.run(stretch));
            for (balance, truth) in booked.balances() {
                let slack = booked.slack(&balance);
                assert!(
                    (balance.from_full - truth).abs() <= slack,
                    "{words} {share}: {balance:?}, true {truth}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared >= 32 * 5, "{compared} accounts");
}

#[test]
fn an_account_of_an_unknown_start_holds_the_truth_between_its_ends() {
    for words in VOLUMES {
        for share in [1.0, 0.5, 0.05, 0.01, 0.0] {
            let mut booked = BookedVolume::open(words, BucketStart::Share(share), Opening::Unknown);
            for stretch in CHECK {
                booked.run(stretch);
                for (balance, truth) in booked.balances() {
                    let slack = booked.slack(&balance);
                    let holds = balance.least - slack <= truth && truth <= balance.most + slack;
                    assert!(holds, "{words} {share} after {stretch:?}: {balance:?}, true {truth}");
                    assert!(balance.held_at_least <= share + slack, "{words} {share}: {balance:?}");
                }
            }
        }
    }
}

#[test]
fn a_load_held_at_the_baseline_empties_the_account_and_a_light_one_does_not() {
    let mut held = BookedVolume::open("aws-gp2,size=100GiB", BucketStart::Empty, Opening::Unknown);
    held.run(stretch(32, 4, 10));
    assert!(held.ledger.balances()[0].most < 0.001, "{:?}", held.ledger.balances());
    let mut light = BookedVolume::open("aws-gp2,size=999GiB", BucketStart::Empty, Opening::Unknown);
    light.run(stretch(1, 4, 10));
    assert_eq!(light.ledger.balances()[0].most, 1.0, "a load below the baseline proves nothing");
}

#[test]
fn random_small_io_of_a_throughput_volume_costs_whole_mebibytes() {
    let mut booked = BookedVolume::open("aws-st1,size=1TiB", BucketStart::Share(1.0), Opening::Share(1.0));
    booked.run(stretch(32, 4, 60));
    let balance = booked.ledger.balances()[0];
    let spent = 60.0 * (250.0 - 40.0) / 1048576.0;
    assert!(((1.0 - balance.from_full) / spent - 1.0).abs() < 0.02, "{balance:?} instead of {spent}");
}

#[test]
fn a_timed_burst_is_used_up_by_time_and_comes_back_after_its_cool_off() {
    let mut booked = BookedVolume::open("do-volumes-standard", BucketStart::Initial, Opening::Unknown);
    booked.run(stretch(32, 4, 30));
    let half = booked.ledger.balances()[0];
    assert!((half.from_full - 0.5).abs() < 0.02 && half.least == 0.0, "{half:?}");
    booked.run(stretch(32, 4, 60));
    let gone = booked.ledger.balances()[0];
    assert_eq!((gone.from_full, gone.most), (0.0, 0.0), "{gone:?}");
    booked.run(stretch(0, 4, 60));
    assert_eq!(booked.ledger.balances()[0].from_full, 1.0);
}

#[test]
fn merged_and_unmerged_streams_bound_what_nobody_can_tell() {
    let mut booked = BookedVolume::open("aws-gp2,size=100GiB", BucketStart::Initial, Opening::Share(1.0));
    let moved = |order| IoGroup { direction: Direction::Write, ops: 6_000.0, block: Bytes::kib(64), order };
    let enter = |ledger: &mut Ledger, order| {
        let (length, asked) = (Nanos::from_secs(2), ExcessDemand::Perhaps);
        ledger.enter(&Entry { length, moved: vec![moved(order)], asked });
    };
    enter(&mut booked.ledger, Order::Unclear);
    let balance = booked.ledger.balances()[0];
    let left = |charged: f64| (5.4e6 + 600.0 - charged).min(5.4e6) / 5.4e6;
    assert!((balance.least - left(6_000.0)).abs() < 1e-9 && (balance.most - left(1_500.0)).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn any_load_on_any_volume_is_booked_as_the_meter_charges_it(
        volume in 0..VOLUMES.len(),
        share in 0.0..1.0f64,
        loads in prop::collection::vec((0usize..48, 0u32..9, 0u64..3, 1u64..12), 1..12),
    ) {
        let words = VOLUMES[volume];
        let start = BucketStart::Share(share);
        let mut known = BookedVolume::open(words, start, Opening::Share(share));
        let mut unknown = BookedVolume::open(words, start, Opening::Unknown);
        for (depth, block, kind, seconds) in loads {
            let order = if kind == 2 { Order::Sequential } else { Order::Random };
            let direction = if kind == 1 { Direction::Write } else { Direction::Read };
            let stretch = Stretch { depth, block: 4096 << block, order, direction, seconds };
            known.run(stretch);
            unknown.run(stretch);
        }
        for (balance, truth) in known.balances() {
            let slack = known.slack(&balance) + 0.5 * known.limits.limits[balance.limit].baseline / balance.size;
            prop_assert!((balance.from_full - truth).abs() <= slack, "{words}: {balance:?}, true {truth}");
        }
        for (balance, truth) in unknown.balances() {
            let slack = unknown.slack(&balance) + 0.5 * unknown.limits.limits[balance.limit].baseline / balance.size;
            prop_assert!(balance.least - slack <= truth && truth <= balance.most + slack, "{words}: {balance:?}, true {truth}");
        }
    }
}
