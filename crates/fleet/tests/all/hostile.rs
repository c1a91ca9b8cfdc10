//! Fleets to whose members things happen.

use std::collections::BTreeSet;
use std::mem::discriminant;

use fleet::{Fault, MachineState, Order, Refusal};
use statistics::random::Stream;

use crate::simulated::{Happening, Plan, SECOND, run};

/// A plan in which this happens to a member at a random moment.
fn struck(seed: u64, happening: Happening) -> Plan {
    let mut plan = Plan::of(seed);
    let mut stream = Stream::new(seed, 3_000);
    let longest = if plan.is_alone_first { 60 } else { 20 };
    let member = 1 + stream.below(plan.size as u64 - 1) as usize;
    plan.events.push((stream.below(longest * SECOND), member, happening));
    plan
}

#[test]
fn a_member_that_dies_in_any_state_is_named_and_the_others_go_on() {
    let mut states = Vec::new();
    for seed in 0..400 {
        let seen = run(&struck(seed, Happening::Dies));
        seen.concludes();
        states.extend(seen.faults.into_iter().filter_map(|(_, fault)| match fault {
            Fault::Silent(state) => Some(discriminant(&state)),
            _ => None,
        }));
    }
    let any = String::new;
    for state in [
        MachineState::Joining,
        MachineState::Waiting,
        MachineState::Preparing,
        MachineState::Ready(any()),
        MachineState::Measuring(any()),
        MachineState::Sending,
        MachineState::Done,
    ] {
        assert!(states.contains(&discriminant(&state)), "nobody died {state}");
    }
}

#[test]
fn a_member_that_comes_back_after_it_was_named_is_as_one_that_died() {
    let mut compared = 0;
    for seed in 0..300 {
        let (plan, dead) = (struck(seed, Happening::Pauses(20 * SECOND)), struck(seed, Happening::Dies));
        let (back, died) = (run(&plan), run(&dead));
        back.concludes();
        if matches!(back.faults.as_slice(), [(_, Fault::Silent(state))] if *state != MachineState::Joining) {
            assert_eq!((&back.orders, &back.notices), (&died.orders, &died.notices), "{plan:?}");
            assert_eq!((&back.gathered, &back.faults), (&died.gathered, &died.faults), "{plan:?}");
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} came back");
}

#[test]
fn a_member_that_is_stopped_for_two_seconds_is_still_one_of_them() {
    for seed in 0..200 {
        let plan = struck(seed, Happening::Pauses(2 * SECOND));
        let seen = run(&plan);
        seen.concludes();
        assert_eq!((seen.faults.as_slice(), seen.refusal.as_ref()), ([].as_slice(), None), "{plan:?}");
        assert_eq!(seen.gathered.len(), plan.size * if plan.is_alone_first { 2 } else { 1 }, "{plan:?}");
    }
}

#[test]
fn a_measuring_process_that_fails_or_is_killed_costs_only_its_own_part() {
    for seed in 0..300 {
        let code = Some(1).filter(|_| seed % 2 == 0);
        let plan = struck(seed, Happening::Fails(code));
        let seen = run(&plan);
        seen.concludes();
        let ends = |files: usize| if seen.refusal.is_some() { 0 } else { files };
        assert!(seen.gathered.len() >= ends(plan.size - 1), "{plan:?}");
    }
}

#[test]
fn nothing_is_loaded_if_a_member_cannot_be_prepared_or_has_another_version() {
    for seed in 0..200 {
        let is_version = seed % 2 == 0;
        let happening = if is_version { Happening::OtherVersion } else { Happening::CannotPrepare };
        let mut plan = struck(seed, happening);
        plan.is_alone_first = false;
        let seen = run(&plan);
        seen.concludes();
        let member = plan.events[0].1;
        let version = Refusal::Version(member, "another".to_owned());
        assert_eq!(seen.refusal, Some(if is_version { version } else { Refusal::Unprepared(member) }));
        assert!(!seen.orders.iter().any(|(_, _, order)| matches!(order, Order::Go(_))), "{plan:?}");
        assert_eq!(seen.gathered, [], "{plan:?}");
    }
}

#[test]
fn parts_that_nobody_asked_for_are_in_nobodys_file() {
    for seed in 0..200 {
        let plan = struck(seed, Happening::Babbles);
        let seen = run(&plan);
        seen.concludes();
        assert_eq!(seen.gathered.len(), plan.size * if plan.is_alone_first { 2 } else { 1 }, "{plan:?}");
    }
}

#[test]
fn the_user_stops_at_any_moment_and_what_was_measured_arrives() {
    for seed in 0..300 {
        let seen = run(&struck(seed, Happening::UserStops));
        seen.concludes();
        let begun: BTreeSet<usize> = seen
            .orders
            .iter()
            .filter_map(|(_, to, order)| matches!(order, Order::Begin(_)).then_some(*to))
            .collect();
        let files: BTreeSet<usize> = seen.gathered.iter().map(|gathered| gathered.member).collect();
        assert_eq!(begun, files);
    }
}

#[test]
fn many_things_happen_at_once_and_the_fleet_still_ends() {
    let kinds = [
        Happening::Dies,
        Happening::Pauses(2 * SECOND),
        Happening::Pauses(20 * SECOND),
        Happening::Fails(Some(1)),
        Happening::Fails(None),
        Happening::Babbles,
        Happening::UserStops,
    ];
    for seed in 1_000..1_600 {
        let mut stream = Stream::new(seed, 4_000);
        let mut plan = Plan::of(seed);
        for _ in 0..2 + stream.below(4) {
            let kind = kinds[stream.below(kinds.len() as u64) as usize];
            let member = 1 + stream.below(plan.size as u64 - 1) as usize;
            plan.events.push((stream.below(40 * SECOND), member, kind));
        }
        run(&plan).concludes();
    }
}
