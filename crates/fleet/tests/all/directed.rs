//! Single moments of a fleet, and what is said of them.

use fleet::{Coordinator, Fault, FleetRequest, MachineState, Moment, Order, Refusal, Report};
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
    assert_eq!(fleet.first.quiet(), [(0, "a".to_owned())]);
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
    assert_eq!(fleet.notices, ["a: 120 IOPS on 2 machines, 20 on the slowest"]);
}

#[test]
fn a_long_step_is_shown_every_ten_seconds_without_those_that_show_nothing() {
    let mut fleet = Fleet::in_step(3);
    fleet.advance(100 * MS);
    let third_is_quiet = [
        (Nanos(0), "a after 10 s: 600 IOPS on 3 machines, 100 on the slowest"),
        (Nanos(9 * SECOND), "a after 20 s: 300 IOPS on 3 machines, 0 on the slowest"),
    ];
    for (quiet, shown) in third_is_quiet {
        fleet.advance(9_900 * MS);
        for (member, quiet) in [Nanos(0), Nanos(0), quiet].into_iter().enumerate() {
            fleet.say(member, Report::Alive { iops: 100.0 * (member + 1) as f64, quiet });
        }
        fleet.notices.clear();
        fleet.advance(100 * MS);
        assert_eq!(fleet.notices, [shown]);
    }
}

/// Returns the targets with which two processes on `web` and one on `db` begin, or why they do not.
fn targets(given: &[(&str, &str)]) -> Result<Vec<String>, Refusal> {
    let targets = given.iter().map(|(of, target)| ((*of).to_owned(), (*target).to_owned())).collect();
    let mut first =
        Coordinator::new(FleetRequest { targets, ..FleetRequest::default() }, 3, Moment::default());
    for (member, host) in ["web", "web", "db"].into_iter().enumerate() {
        let here = Report::Here { version: String::new(), host: host.to_owned(), clock: host.to_owned() };
        first.hear(member, here, Moment::default());
    }
    first.advance(Moment::default());
    let begun = |(_, order)| match order {
        Order::Begin(words) => words.last().cloned(),
        _ => None,
    };
    match first.refusal() {
        Some(refusal) => Err(refusal.clone()),
        None => Ok(first.orders().into_iter().filter_map(begun).collect()),
    }
}

#[test]
fn a_target_is_for_a_machine_by_its_name_or_for_the_next_process_on_its_host() {
    let found = targets(&[("web:2", "b"), ("db", "c"), ("web", "a")]);
    assert_eq!(found, Ok(["a", "b", "c"].map(str::to_owned).to_vec()));
    let found = targets(&[("web", "a"), ("db", "c"), ("web", "b")]);
    assert_eq!(found, Ok(["a", "b", "c"].map(str::to_owned).to_vec()));
    assert_eq!(targets(&[("web", "a"), ("db", "c")]), Err(Refusal::NoTarget(1)));
    let twice = [("web:1", "a"), ("web:1", "b"), ("web", "c"), ("db", "d")];
    assert_eq!(targets(&twice), Err(Refusal::TooManyTargets("web:1".to_owned(), 1)));
    let nobody = [("web", "a"), ("web", "b"), ("db", "c"), ("web:3", "d")];
    let hosts = vec!["db".to_owned(), "web".to_owned()];
    assert_eq!(targets(&nobody), Err(Refusal::NoHost("web:3".to_owned(), hosts)));
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
    assert_eq!(fleet.notices.last().map(String::as_str), Some("a: 100 IOPS"));
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
