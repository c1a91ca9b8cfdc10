//! Single moments of a fleet, and what is said of them.

use fleet::{Coordinator, Fault, FleetRequest, MachineState, Moment, Order, Report};
use workload::Nanos;

use crate::simulated::{MS, SECOND};

/// A fleet whose members say that they are there every second, unless they are silent.
struct Fleet {
    first: Coordinator,
    now: u64,
    silent: Vec<bool>,
    quiet: Nanos,
    /// Whether clocks are answered.
    shows_clocks: bool,
    orders: Vec<(usize, Order)>,
    notices: Vec<String>,
}

impl Fleet {
    /// Returns a fleet of members that have come and were ordered to begin.
    fn begun(size: usize) -> Fleet {
        let mut fleet = Fleet::joining(size);
        for member in 0..size {
            fleet.say(
                member,
                Report::Here {
                    version: String::new(),
                    host: format!("host-{member}"),
                    clock: format!("clock-{member}"),
                },
            );
        }
        fleet.advance(0);
        fleet
    }

    fn joining(size: usize) -> Fleet {
        let now = Moment::default();
        Fleet {
            first: Coordinator::new(FleetRequest::default(), size, now),
            now: 0,
            silent: vec![false; size],
            quiet: Nanos(0),
            shows_clocks: true,
            orders: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Returns a fleet that is in its first step.
    fn in_step(size: usize) -> Fleet {
        let mut fleet = Fleet::begun(size);
        fleet.all_ready();
        fleet.advance(0);
        fleet.advance(0);
        fleet.notices.clear();
        fleet
    }

    fn all_ready(&mut self) {
        for member in 0..self.silent.len() {
            self.say(member, Report::Ready("a".to_owned()));
        }
    }

    fn moment(&self) -> Moment {
        Moment { steady: Nanos(self.now), wall: Nanos(self.now) }
    }

    fn say(&mut self, member: usize, report: Report) {
        self.first.hear(member, report, self.moment());
        self.look();
    }

    fn look(&mut self) {
        self.notices.extend(self.first.notices());
        for (to, order) in self.first.orders() {
            self.orders.push((to, order.clone()));
            if order == Order::Clock && self.shows_clocks && !self.silent[to] {
                self.say(to, Report::Clock(Nanos(self.now)));
            }
        }
    }

    fn advance(&mut self, time: u64) {
        for _ in 0..time.div_ceil(100 * MS).max(1) {
            self.now += if time == 0 { 0 } else { 100 * MS };
            for member in 0..self.silent.len() {
                if !self.silent[member] && self.now.is_multiple_of(SECOND) {
                    self.say(member, Report::Alive { iops: 0.0, quiet: self.quiet });
                }
            }
            self.first.advance(self.moment());
            self.look();
        }
    }

    fn ends(&mut self, member: usize, code: Option<i32>) {
        self.say(member, Report::Ended { code, said: "panic".to_owned(), file: Some("a".to_owned()) });
    }

    fn ends_step(&mut self, member: usize, iops: f64) {
        self.say(member, Report::StepEnded { step: "a".to_owned(), iops });
    }

    fn given(&self, wanted: &Order) -> Vec<usize> {
        self.orders.iter().filter(|(_, order)| order == wanted).map(|&(to, _)| to).collect()
    }
}

fn measuring() -> MachineState {
    MachineState::Measuring("a".to_owned())
}

#[test]
fn a_first_process_that_was_held_itself_blames_nobody_for_it() {
    let mut fleet = Fleet::in_step(3);
    fleet.now += 9 * SECOND;
    fleet.say(1, Report::Alive { iops: 0.0, quiet: Nanos(0) });
    fleet.first.advance(fleet.moment());
    assert_eq!(fleet.first.faults(), []);
    fleet.silent = vec![false, true, true];
    fleet.advance(5 * SECOND);
    let silent = Fault::Silent(measuring());
    assert_eq!(fleet.first.faults(), [(1, silent.clone()), (2, silent)]);
}

#[test]
fn of_two_that_fall_silent_while_clocks_are_compared_neither_is_sent_anything() {
    let mut fleet = Fleet::begun(4);
    fleet.silent = vec![false, true, true, false];
    fleet.shows_clocks = false;
    fleet.all_ready();
    fleet.advance(0);
    fleet.say(0, Report::Clock(Nanos(0)));
    fleet.shows_clocks = true;
    for _ in 0..7 {
        fleet.say(0, Report::Clock(Nanos(0)));
    }
    fleet.orders.clear();
    fleet.advance(5 * SECOND);
    assert_eq!(fleet.first.faults().len(), 2);
    assert_eq!(fleet.orders.iter().find(|(to, _)| [1, 2].contains(to)), None);
    assert!(!fleet.orders.iter().any(|(_, order)| matches!(order, Order::Go(_))));
}

#[test]
fn a_measuring_process_that_shows_nothing_in_its_step_is_named_once_and_when_it_shows_something_again() {
    let mut fleet = Fleet::in_step(1);
    // It was ready for a long time before the step began, and that is nobody's business.
    fleet.quiet = Nanos(60 * SECOND);
    fleet.advance(5 * SECOND);
    assert_eq!(fleet.notices, [""; 0]);
    fleet.advance(5 * SECOND);
    fleet.quiet = Nanos(0);
    fleet.advance(3 * SECOND);
    let [nothing, again] = [
        format!("host-0 shows nothing for {}, {}", Nanos(5 * SECOND), measuring()),
        format!("host-0 shows something again, {}", measuring()),
    ];
    assert_eq!(fleet.notices, [nothing, again]);
}

#[test]
fn a_measuring_process_that_was_killed_is_named_as_that_and_its_file_is_left_there() {
    let mut fleet = Fleet::in_step(2);
    fleet.ends(1, None);
    assert_eq!(fleet.notices, [format!("host-1: its measuring process was killed, {}", measuring())]);
    fleet.ends(0, Some(0));
    fleet.advance(SECOND);
    assert_eq!(fleet.given(&Order::Send), [0]);
}

#[test]
fn the_rate_of_a_step_is_that_of_those_who_ran_it_even_if_they_have_ended_since() {
    let mut fleet = Fleet::in_step(3);
    fleet.first.stop();
    fleet.ends_step(0, 100.0);
    fleet.ends(0, Some(130));
    fleet.ends_step(1, 20.0);
    fleet.ends(1, Some(130));
    fleet.advance(SECOND);
    assert_eq!(fleet.notices, [""; 0]);
    fleet.ends(2, Some(130));
    fleet.advance(SECOND);
    assert_eq!(fleet.notices, ["  a: 120 IOPS on 2 machines, 20 on the slowest"]);
}

#[test]
fn what_ends_before_there_was_an_order_to_begin_has_no_rate() {
    let mut fleet = Fleet::begun(2);
    fleet.notices.clear();
    fleet.ends_step(0, 100.0);
    fleet.advance(SECOND);
    assert_eq!(fleet.notices, [""; 0]);
}

#[test]
fn the_rate_of_a_step_is_given_even_if_the_last_one_in_it_is_lost() {
    let mut fleet = Fleet::in_step(2);
    fleet.ends_step(0, 100.0);
    fleet.silent[1] = true;
    fleet.advance(5 * SECOND);
    assert_eq!(fleet.notices.last().map(String::as_str), Some("  a: 100 IOPS"));
}

#[test]
fn a_measuring_process_that_does_not_end_holds_nobody_for_longer_than_it_is_given_to_stop() {
    let mut fleet = Fleet::in_step(2);
    fleet.first.stop();
    fleet.ends(0, Some(130));
    fleet.advance(19 * SECOND);
    assert_eq!((fleet.first.faults(), fleet.given(&Order::Send)), (vec![], vec![]));
    fleet.advance(3 * SECOND);
    assert_eq!(fleet.first.faults(), [(1, Fault::Held(measuring()))]);
    assert_eq!(fleet.given(&Order::Send), [0]);
    fleet.say(0, Report::Sent { why_not: None });
    fleet.advance(SECOND);
    assert!(fleet.first.is_over());
}

#[test]
fn a_user_who_stops_while_members_are_still_awaited_waits_for_none_of_them() {
    let mut fleet = Fleet::joining(2);
    fleet.say(0, Report::Here { version: String::new(), host: "host-0".to_owned(), clock: String::new() });
    fleet.first.stop();
    fleet.advance(0);
    assert!(fleet.first.is_over());
    fleet.first.dismiss();
    assert_eq!(fleet.first.orders(), [(0, Order::Leave), (1, Order::Leave)]);
}

#[test]
fn a_late_answer_about_a_clock_is_not_taken_for_a_quick_one_after_a_stop() {
    let mut fleet = Fleet::begun(1);
    fleet.shows_clocks = false;
    fleet.all_ready();
    fleet.advance(0);
    fleet.advance(2 * SECOND);
    fleet.first.stop();
    fleet.ends(0, Some(130));
    fleet.advance(0);
    fleet.shows_clocks = true;
    fleet.say(0, Report::Clock(Nanos(fleet.now - SECOND / 2)));
    fleet.advance(SECOND);
    fleet.say(0, Report::Sent { why_not: None });
    let clocks: Vec<i64> = fleet.first.gathered().iter().map(|gathered| gathered.clock.ahead_ns).collect();
    assert_eq!(clocks, [0]);
}
