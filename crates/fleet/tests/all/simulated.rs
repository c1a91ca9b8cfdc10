//! A simulated fleet in virtual time: members whose clocks are wrong and drift, whose messages take their time, and to whom
//! things happen. Every member draws from a stream of its own, so that what happens to one changes nothing of the others.

use std::collections::BTreeMap;

use fleet::{Coordinator, FleetRequest, MachineState, Moment, Order, Report};
use statistics::random::{Stream, mix};
use workload::Nanos;

use crate::judged::Judge;

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000 * MS;
/// What the clock of the first process shows when the fleet begins.
const BASE: i64 = 1_800_000_000_000_000_000;
/// Time between two looks of the first process.
const TICK: u64 = 5 * MS;
/// Time for which the fleet is watched after it is over.
const AFTERMATH: u64 = 30 * SECOND;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    /// The member is gone.
    Dies,
    /// The member is stopped for this long, and then says what it had to say.
    Pauses(u64),
    /// Its measuring process ends, by a signal if there is no code.
    Fails(Option<i32>),
    /// It sends parts of a file that nobody asked for.
    Babbles,
    /// Its measuring process refuses to begin; from the start.
    CannotPrepare,
    /// It has another version of plimsoll; from the start.
    OtherVersion,
    /// The user stops the fleet.
    UserStops,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub size: usize,
    pub steps: usize,
    pub is_alone_first: bool,
    /// What happens to whom at what time.
    pub events: Vec<(u64, usize, Happening)>,
}

impl Plan {
    pub fn of(seed: u64) -> Plan {
        let mut stream = Stream::new(seed, 1_000);
        let (size, steps) = (2 + stream.below(5) as usize, 1 + stream.below(3) as usize);
        Plan { seed, size, steps, is_alone_first: stream.below(4) == 0, events: Vec::new() }
    }

    pub fn last_event(&self) -> u64 {
        self.events.iter().map(|&(at, _, _)| at).max().unwrap_or(0)
    }

    fn has(&self, member: usize, happening: Happening) -> bool {
        self.events.iter().any(|&(_, of, what)| of == member && what == happening)
    }
}

/// A wall clock by the true time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    ahead_ns: i64,
    drift_ppm: i64,
}

impl Clock {
    pub fn shows(&self, at: u64) -> Nanos {
        let drifted = at as i64 + (i128::from(at) * i128::from(self.drift_ppm) / 1_000_000) as i64;
        Nanos((BASE + self.ahead_ns + drifted) as u64)
    }

    fn when_it_shows(&self, shown: Nanos) -> u64 {
        let run = i128::from(shown.0) - i128::from(BASE + self.ahead_ns);
        (run * 1_000_000 / i128::from(1_000_000 + self.drift_ppm)).max(0) as u64
    }
}

/// What a measuring process does next.
#[derive(Clone, Copy, Debug)]
enum Act {
    Prepared,
    StepBegins,
    StepEnds,
    Ends(Option<i32>),
    Part(usize),
}

#[derive(Debug)]
enum What {
    Arrives(Order),
    Reported(Report),
    Does(usize, Act),
    Joins,
    Lives,
    Happens(Happening),
}

struct Member {
    stream: Stream,
    clock: Clock,
    is_dead: bool,
    paused_until: u64,
    /// Acts of earlier epochs are void.
    epoch: usize,
    is_measuring: bool,
    is_in_step: bool,
    step: usize,
    /// Rounds that it has begun.
    rounds: usize,
    /// Rounds whose files it has sent.
    sent: usize,
    /// Latest arrival of a message: there, and back. None overtakes another.
    arrivals: [u64; 2],
}

pub struct Fleet {
    plan: Plan,
    first: Coordinator,
    clock: Clock,
    members: Vec<Member>,
    queue: BTreeMap<(u64, u64), (usize, What)>,
    sequence: u64,
    now: u64,
    is_stopped: bool,
    judge: Judge,
}

/// Bytes of the run file of a member's round, which no other has.
pub fn file(seed: u64, member: usize, round: usize) -> Vec<u8> {
    let key = mix(seed ^ mix((member * 100 + round) as u64));
    (0..1_000 + key % 3_000).flat_map(|k| mix(key ^ k).to_le_bytes()).collect()
}

pub fn step_name(step: usize) -> String {
    format!("step-{step}")
}

/// Runs the fleet to its end and some time beyond; returns what was seen of it.
pub fn run(plan: &Plan) -> Judge {
    let mut fleet = Fleet::new(plan);
    let mut tick = 0;
    let mut end = u64::MAX;
    while tick < end {
        while let Some(entry) = fleet.queue.first_entry().filter(|entry| entry.key().0 <= tick) {
            let ((at, order), (member, what)) = entry.remove_entry();
            fleet.now = at;
            fleet.take(order, member, what);
        }
        fleet.now = tick;
        fleet.tick();
        if end == u64::MAX && fleet.first.is_over() {
            end = tick + AFTERMATH;
        }
        let limit = plan.last_event() + SECOND * (100 + 40 * plan.size as u64);
        assert!(tick < limit, "the fleet does not end: {plan:?}");
        tick += TICK;
    }
    fleet.judge
}

impl Fleet {
    fn new(plan: &Plan) -> Fleet {
        let mut stream = Stream::new(plan.seed, 2_000);
        let clock = Clock { ahead_ns: 0, drift_ppm: stream.below(101) as i64 - 50 };
        let member = |index: usize| {
            let mut stream = Stream::new(plan.seed, index as u64);
            let ahead_ns = stream.below(6 * SECOND) as i64 - 3 * SECOND as i64;
            let other = Clock { ahead_ns, drift_ppm: stream.below(101) as i64 - 50 };
            Member {
                stream,
                clock: if index == 0 { clock } else { other },
                is_dead: false,
                paused_until: 0,
                epoch: 0,
                is_measuring: false,
                is_in_step: false,
                step: 0,
                rounds: 0,
                sent: 0,
                arrivals: [0, 0],
            }
        };
        let request = FleetRequest {
            words: vec!["run".to_owned()],
            is_alone_first: plan.is_alone_first,
            version: "this".to_owned(),
            ..FleetRequest::default()
        };
        let members: Vec<Member> = (0..plan.size).map(member).collect();
        let clocks = members.iter().map(|member| member.clock).collect();
        let first = Coordinator::new(request, plan.size, Moment { steady: Nanos(0), wall: clock.shows(0) });
        let judge = Judge::new(plan.clone(), clock, clocks);
        let queue = BTreeMap::new();
        let mut fleet = Fleet {
            plan: plan.clone(),
            first,
            clock,
            members,
            queue,
            sequence: 0,
            now: 0,
            is_stopped: false,
            judge,
        };
        for member in 0..plan.size {
            let after = fleet.draw(member, 0, 3 * SECOND);
            fleet.put(after, member, What::Joins);
        }
        for &(at, member, happening) in &plan.events {
            fleet.put(at, member, What::Happens(happening));
        }
        fleet
    }

    fn draw(&mut self, member: usize, least: u64, most: u64) -> u64 {
        least + self.members[member].stream.below(most - least + 1)
    }

    fn put(&mut self, at: u64, member: usize, what: What) {
        self.sequence += 1;
        self.queue.insert((at, self.sequence), (member, what));
    }

    /// Sends a message on the way there (0) or back (1).
    fn send(&mut self, way: usize, member: usize, what: What) {
        let delay = self.draw(member, 20_000, 30 * MS);
        let at = (self.now + delay).max(self.members[member].arrivals[way]);
        self.members[member].arrivals[way] = at;
        self.put(at, member, what);
    }

    fn report(&mut self, member: usize, report: Report) {
        self.send(1, member, What::Reported(report));
    }

    fn does(&mut self, after: u64, member: usize, act: Act) {
        let epoch = self.members[member].epoch;
        self.put(self.now + after, member, What::Does(epoch, act));
    }

    fn moment(&self) -> Moment {
        Moment { steady: Nanos(self.now), wall: self.clock.shows(self.now) }
    }

    fn tick(&mut self) {
        if self.is_stopped {
            self.first.stop();
        }
        self.first.advance(self.moment());
        self.look();
    }

    /// Carries the orders, and has all that can be seen judged.
    fn look(&mut self) {
        self.judge.sees(&mut self.first, self.now);
        for (to, order) in self.first.orders() {
            self.judge.ordered(to, &order, self.now);
            self.send(0, to, What::Arrives(order));
        }
    }

    fn take(&mut self, order: u64, member: usize, what: What) {
        let is_of_first = matches!(what, What::Reported(_) | What::Happens(_));
        let the = &mut self.members[member];
        if !is_of_first && the.is_dead {
            return;
        }
        if !is_of_first && the.paused_until > self.now {
            self.queue.insert((the.paused_until, order), (member, what));
            return;
        }
        match what {
            What::Reported(report) => {
                self.judge.heard(member, &report, self.now);
                self.first.hear(member, report, self.moment());
                self.look();
            }
            What::Arrives(order) => self.obey(member, order),
            What::Does(epoch, act) if epoch == self.members[member].epoch => self.act(member, act),
            What::Does(..) => {}
            What::Joins => {
                let is_other = self.plan.has(member, Happening::OtherVersion);
                let version = if is_other { "another" } else { "this" }.to_owned();
                self.report(
                    member,
                    Report::Here {
                        version,
                        host: format!("host-{}", member / 2),
                        clock: format!("clock-{member}"),
                    },
                );
                self.put(self.now + SECOND, member, What::Lives);
            }
            What::Lives => {
                self.report(member, Report::Alive { iops: 1.0, quiet: Nanos(0) });
                self.put(self.now + SECOND, member, What::Lives);
            }
            What::Happens(happening) => self.happen(member, happening),
        }
    }

    fn happen(&mut self, member: usize, happening: Happening) {
        let the = &mut self.members[member];
        match happening {
            Happening::Dies => the.is_dead = true,
            Happening::Pauses(time) => the.paused_until = self.now + time,
            Happening::Fails(code) if the.is_measuring && !the.is_dead => {
                the.epoch += 1;
                self.act(member, Act::Ends(code));
            }
            // Between the order to send its file and the end of that it would spoil its own.
            Happening::Babbles if !the.is_dead && (the.is_measuring || the.sent == the.rounds) => {
                self.report(member, Report::Part(vec![7; 100]));
                self.report(member, Report::Sent { why_not: None });
            }
            Happening::UserStops => self.is_stopped = true,
            _ => {}
        }
    }

    fn obey(&mut self, member: usize, order: Order) {
        match order {
            Order::Clock => {
                let shown = self.members[member].clock.shows(self.now);
                self.report(member, Report::Clock(shown));
            }
            Order::Begin(_) => {
                let the = &mut self.members[member];
                (the.is_measuring, the.step) = (true, 0);
                the.rounds += 1;
                let time = self.draw(member, 100 * MS, 2 * SECOND);
                let refuses = self.plan.has(member, Happening::CannotPrepare);
                self.does(time, member, if refuses { Act::Ends(Some(2)) } else { Act::Prepared });
            }
            Order::Go(at) if self.members[member].is_measuring => {
                let begin = self.members[member].clock.when_it_shows(at);
                self.judge.obeys_go(member, begin, self.now);
                self.does(begin.saturating_sub(self.now), member, Act::StepBegins);
            }
            Order::Stop if self.members[member].is_measuring => {
                self.members[member].epoch += 1;
                if self.members[member].is_in_step {
                    self.end_step(member);
                }
                let time = self.draw(member, 0, 2 * SECOND);
                self.does(time, member, Act::Ends(Some(130)));
            }
            Order::Send => self.does(0, member, Act::Part(0)),
            Order::Leave => self.members[member].is_dead = true,
            Order::Go(_) | Order::Stop | Order::Alive => {}
        }
    }

    fn act(&mut self, member: usize, act: Act) {
        match act {
            Act::Prepared => {
                let step = step_name(self.members[member].step);
                self.report(member, Report::Ready(step));
            }
            Act::StepBegins => {
                self.members[member].is_in_step = true;
                self.judge.begins(member, self.now);
                let time = self.draw(member, 500 * MS, 3 * SECOND);
                self.does(time, member, Act::StepEnds);
            }
            Act::StepEnds => {
                self.end_step(member);
                let the = &mut self.members[member];
                the.step += 1;
                let is_last = the.step == self.plan.steps;
                let time = self.draw(member, 0, SECOND);
                self.does(time, member, if is_last { Act::Ends(Some(0)) } else { Act::Prepared });
            }
            Act::Ends(code) => {
                let the = &mut self.members[member];
                (the.is_measuring, the.is_in_step) = (false, false);
                let file = Some("file".to_owned()).filter(|_| code != Some(2));
                self.report(member, Report::Ended { code, said: "last words".to_owned(), file });
            }
            Act::Part(from) => {
                let most = self.draw(member, 1, 8 << 10) as usize;
                let bytes = file(self.plan.seed, member, self.members[member].rounds - 1);
                let to = bytes.len().min(from + most);
                let report = Report::Part(bytes[from..to].to_vec());
                self.report(member, if from == to { Report::Sent { why_not: None } } else { report });
                self.members[member].sent += usize::from(from == to);
                if from < to {
                    let time = self.draw(member, 0, 200 * MS);
                    self.does(time, member, Act::Part(to));
                }
            }
        }
    }

    fn end_step(&mut self, member: usize) {
        self.members[member].is_in_step = false;
        self.judge.ends(member, self.now);
        let step = step_name(self.members[member].step);
        self.report(member, Report::StepEnded { step, iops: (1 << member) as f64 });
    }
}

/// What the first process should take a member for after this report; `None` if that does not change.
pub fn state_after(report: &Report) -> Option<MachineState> {
    match report {
        Report::Here { .. } | Report::Sent { .. } => Some(MachineState::Waiting),
        Report::Ready(step) => Some(MachineState::Ready(step.clone())),
        Report::StepEnded { .. } => Some(MachineState::Preparing),
        Report::Ended { .. } => Some(MachineState::Done),
        Report::Clock(_) | Report::Alive { .. } | Report::Part(_) => None,
    }
}
