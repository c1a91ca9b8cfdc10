//! Caps that are hard to see: deep queues, short windows, levels that fall, bytes, and directions that share a queue.
#![allow(clippy::unwrap_used)]

use crate::made_machines::*;
use analysis::findings::{HeldLevelFell, HeldOperations, ThrottledAboveNominal};
use analysis::{Analysis, Confidence, Finding, Level, LevelOrigin, Meaning, analyse};
use record::{LocalLimit, Run};
use workload::Direction;

fn look(run: &Run) -> Analysis {
    analyse(run, None, None)
}

fn kinds(found: &[Finding]) -> Vec<String> {
    let kind =
        |finding: &Finding| serde_json::to_value(finding).unwrap()["kind"].as_str().unwrap().to_owned();
    found.iter().map(kind).collect()
}

fn capped(rate: f64) -> Volume {
    Volume { cap_all: rate, ..FAST }
}

fn limit(what: &str, value: u64) -> LocalLimit {
    LocalLimit { group: "/lab".into(), device: "sda".into(), what: what.into(), value }
}

/// Loads of ours that ask for all there is: two phases at depth 32.
fn closed(volume: Volume) -> Cycles {
    Cycles { scales: vec![None, None], closed: true, depth: 32, seconds: 30.0, ..Cycles::on(volume, &[]) }
}

fn held(found: &Analysis) -> (Level, Confidence) {
    let one = found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::HeldOperations(HeldOperations { level, .. }) => Some((level.clone(), finding.confidence)),
        _ => None,
    });
    one.unwrap_or_else(|| panic!("nothing is held: {:#?}", found.findings))
}

fn near(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() < 0.01
}

#[test]
fn a_capped_load_with_a_deep_queue_is_held_although_nothing_was_seen_without_a_queue() {
    for cap in [800.0, 5000.0] {
        let found = look(&closed(capped(cap)).run());
        assert_eq!(kinds(&found.findings), ["held_operations"], "{cap}: {:#?}", found.findings);
        let (level, sure) = held(&found);
        assert!(near(level.all.value, cap), "{level:?}");
        assert_eq!(sure, Confidence::Possible, "nothing tells what an I/O takes there by itself");
    }
    let limits = policy::evaluate(&workload::PolicyName::parse("aws-gp3").unwrap()).unwrap();
    let found = analyse(&closed(capped(3000.0)).run(), Some(&limits), None);
    assert_eq!(held(&found).1, Confidence::Strong);
}

#[test]
fn a_paced_load_that_gets_less_than_it_asks_for_is_held_at_any_rate_of_reading() {
    for (cap, every) in [(800.0, 10.0), (900.0, 10.0), (900.0, 1.0)] {
        let cycles = Cycles { scales: vec![None, None], every, ..Cycles::on(capped(cap), &[]) };
        let found = look(&cycles.run());
        assert_eq!(kinds(&found.findings), ["held_operations"], "{cap} {every}: {:#?}", found.findings);
        assert!(near(held(&found).0.all.value, cap));
    }
}

#[test]
fn an_even_device_with_room_is_not_held_by_its_own_idle_ends() {
    let cycles = Cycles { scales: vec![None, None], every: 10.0, ..Cycles::on(FAST, &[]) };
    assert_eq!(kinds(&look(&cycles.run()).findings), Vec::<String>::new());
    let uneven = Volume { variation: 0.5, ..FAST };
    assert_eq!(kinds(&look(&closed(uneven).run()).findings), Vec::<String>::new());
}

fn fell(found: &Analysis) -> (f64, f64, f64) {
    let one = found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::HeldLevelFell(HeldLevelFell { at, before, after, .. }) => {
            Some((at.as_secs_f64(), *before, *after))
        }
        _ => None,
    });
    one.unwrap_or_else(|| panic!("nothing fell: {:#?}", found.findings))
}

#[test]
fn spent_credits_are_a_level_that_fell_and_no_slow_backend() {
    // The level falls within a window; what is before and after it are not mixed.
    let volume = Volume { cap_all: 3000.0, later: (475.0, 300.0), ..FAST };
    for (every, closed) in [(10.0, true), (1.0, true), (10.0, false)] {
        let cycles =
            Cycles { scales: vec![Some(2.9)], seconds: 300.0, every, closed, ..Cycles::on(volume, &[]) };
        let mut run = Cycles { depth: 32, ..cycles }.run();
        if let (false, record::PhaseKind::Load { scale, .. }) = (closed, &mut run.phases[1].kind) {
            *scale = None;
        }
        let found = look(&run);
        let (at, before, after) = fell(&found);
        let wanted = if closed { 3000.0 } else { 2900.0 };
        assert!(near(before, wanted) && near(after, 300.0), "{every} {closed}: {before} {after}");
        assert!((at - 475.0).abs() <= every, "{at}");
        let names = kinds(&found.findings);
        let held = names.iter().filter(|name| *name == "held_operations").count();
        // The pace of a load pins nothing; a level before the fall is one only where the load asked for all there was.
        let before = usize::from(closed);
        assert_eq!((held, names.len()), (1 + before, 2 + before), "{:#?}", found.findings);
    }
}

/// The throttle that an overload shows: level, whether of bytes, the direction that is pulled along, and how sure.
fn throttle(found: &Analysis) -> (Level, bool, Option<Direction>, Confidence) {
    let one = found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::ThrottledAboveNominal(ThrottledAboveNominal { level, bytes, pulled, .. }) => {
            Some((level.clone(), *bytes, *pulled, finding.confidence))
        }
        _ => None,
    });
    one.unwrap_or_else(|| panic!("no throttle: {:#?}", found.findings))
}

#[test]
fn an_overload_that_meets_a_limit_on_bytes_is_told_in_bytes() {
    let volume = Volume { cap_bytes: 80e6, ..FAST };
    let cycles = Cycles { bytes: 65_536, seconds: 20.0, ..Cycles::on(volume, &[0.5, 1.0, 2.0]) };
    let mut run = cycles.run();
    run.limits = vec![limit("rbps", 80_000_000)];
    let (level, bytes, _, sure) = throttle(&look(&run));
    assert!(bytes && near(level.all.value, 80e6) && sure == Confidence::Certain, "{level:?}");
    let small = throttle(&look(&Cycles::on(capped(1200.0), &[0.5, 1.0, 2.0]).run()));
    assert!(!small.1 && near(small.0.all.value, 1200.0), "{small:?}");
}

#[test]
fn a_direction_that_shares_the_queue_of_one_that_is_held_is_not_held() {
    let volume = Volume { cap_read: 840.0, ..FAST };
    for seconds in [6.0, 12.0, 60.0] {
        let cycles = Cycles { seconds, ..Cycles::on(volume, &[0.5, 1.0, 2.0]) };
        let (level, _, pulled, _) = throttle(&look(&cycles.run()));
        assert!(near(level.read.unwrap().value, 840.0));
        assert_eq!((level.write, pulled), (None, Some(Direction::Write)), "{seconds}");
    }
}

#[test]
fn a_short_watch_sees_a_cap_between_its_idle_ends() {
    let deep = Asker { to: 13.4, ..asker(How::Closed(64), 1.4, 13.4) };
    let run = machine(&serve(&capped(530.0), &[deep], 3), 1.0, 15.0);
    let (level, sure) = held(&look(&run));
    assert!(near(level.all.value, 530.0) && sure == Confidence::Possible, "{level:?}");
    let writes = Asker { write_share: 1.0, ..asker(How::Closed(32), 0.3, 6.2) };
    let mut run = machine(&serve(&Volume { cap_write: 1270.0, ..FAST }, &[writes], 3), 0.5, 6.5);
    run.limits = vec![limit("wiops", 1270)];
    assert_eq!(held(&look(&run)).1, Confidence::Certain);
}

#[test]
fn a_load_that_falls_behind_by_a_hundredth_is_throttled() {
    for scale in [1.02, 1.015] {
        let found = look(&Cycles::on(capped(1005.0), &[0.5, 1.0, scale]).run());
        assert_eq!(kinds(&found.findings), ["throttled_above_nominal"], "{:#?}", found.findings);
        assert!(near(throttle(&found).0.all.value, 1005.0));
    }
    let found = look(&Cycles::on(capped(3000.0), &[0.5, 1.0, 1.02]).run());
    assert_eq!(kinds(&found.findings), Vec::<String>::new(), "{:#?}", found.findings);
}

#[test]
fn only_a_level_that_is_exactly_round_is_called_a_round_figure() {
    for (cap, wanted) in [(458.0, false), (1556.0, false), (460.0, true)] {
        let (level, _) = held(&look(&closed(capped(cap)).run()));
        assert_eq!(matches!(level.named, Some(LevelOrigin::Round { .. })), wanted, "{cap}: {level:?}");
    }
}

/// Half seconds of a limit of 600 a second on a busy machine: in 38 of 80 the device got exactly its share, in the others
/// programs or the device's workers waited for a processor, and part of what they missed came later.
#[test]
fn an_exact_rate_is_named_beside_waits_that_make_most_counts_uneven() {
    let volume = Volume { cap_all: 600.0, ..FAST };
    let mut run = machine(&serve(&volume, &[asker(How::Closed(16), 0.0, 40.0)], 3), 0.5, 40.0);
    let mut stream = statistics::Stream::new(7, 1);
    let (mut lost, mut before) = (0_u64, 0_u64);
    for (at, sample) in run.samples.iter_mut().enumerate() {
        let disk = &mut sample.disks[0].1;
        let fresh = if at % 2 == 1 { 30 + (stream.unit_f64() * 120.0) as u64 } else { 0 };
        (lost, before) = (lost + fresh, disk.reads);
        disk.reads = disk.reads.saturating_sub(lost);
        disk.sectors_read = disk.reads * 8;
    }
    assert!(before > 0 && lost > 0);
    let found = look(&run);
    let exact = found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::HeldOperations(held) => Some(held.level.all.value),
        _ => None,
    });
    assert!(exact.is_some_and(|rate| (rate / 600.0 - 1.0).abs() < 0.003), "{:#?}", found.findings);
    assert!(!kinds(&found.findings).contains(&"backend_slow".to_owned()));
}
