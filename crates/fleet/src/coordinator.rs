//! The first process: it knows what every member is doing, and says what comes next.

use std::collections::VecDeque;

use workload::{Nanos, grouped};

use crate::clock::{ClockOffset, QUESTIONS};
use crate::machine::{Fault, Machine, MachineState};
use crate::message::{ALIVE_EVERY, Order, Report, SILENCE};
use crate::request::{FleetRequest, Gathered, Moment, Refusal, assigned};

/// Time that members have to say that they are there: on a crowded machine hundreds of processes begin one after the other.
const JOINING: Nanos = Nanos(60_000_000_000);
/// Time from the order to begin to the beginning, chosen by us: the longest pause between two looks for an order (40 ms), and as much
/// again for its way.
const LEAD: Nanos = Nanos(100_000_000);
/// Time without a word of a measuring process in its step after which people hear of it. Chosen by us: it says something every
/// second, so five words in a row are missing.
const QUIET: Nanos = Nanos(5_000_000_000);
/// Exit code of a measuring process that a user has stopped, as shells give it.
const INTERRUPTED: i32 = 130;
/// Time between two lines about a step that runs, chosen by us: what a person at a terminal waits without a doubt.
const SHOWN_EVERY: Nanos = Nanos(10_000_000_000);
/// Time that members have to end what they measure. Chosen by us: they kill it after 15 s, and report that well within five
/// more. What the kernel holds even then ends whenever it lets go.
const TIME_TO_STOP: Nanos = Nanos(20_000_000_000);

enum Stage {
    Joining,
    /// All members of the round have a step ready, and their clocks are compared, one after the other.
    Clocks(ClockTour),
    Running,
    Gathering,
    Over,
}

/// A comparison of clocks: the members still to ask, with the one that is asked first.
struct ClockTour {
    left: VecDeque<usize>,
    asked: usize,
    at: Moment,
    best: Option<ClockOffset>,
    /// Whether this is the comparison after the last step.
    is_last: bool,
}

/// The first process's view of the fleet. It is told what it hears and when, and gives orders.
pub struct Coordinator {
    request: FleetRequest,
    machines: Vec<Machine>,
    /// Target of each member, if targets were given.
    targets: Vec<Option<String>>,
    /// Rounds to come: one of each member by itself if that was wanted, and last that of all.
    rounds: VecDeque<Vec<usize>>,
    round: Vec<usize>,
    /// Whether this is the round of one member by itself.
    is_alone: bool,
    stage: Stage,
    /// When it last did what was due.
    looked: Nanos,
    /// Whether any step of this round has begun.
    is_under_way: bool,
    /// When the step that runs, or ran last, began.
    began: Nanos,
    /// When its rate was last shown.
    shown: Nanos,
    /// Members that have ended the step that runs: the step, the rate.
    rates: Vec<(String, f64)>,
    is_stopping: bool,
    is_dismissed: bool,
    stopped: Option<Nanos>,
    orders: Vec<(usize, Order)>,
    notices: Vec<String>,
    parts: Vec<u8>,
    gathered: Vec<Gathered>,
    quiet: Vec<(usize, String)>,
    refusal: Option<Refusal>,
}

impl Coordinator {
    /// Returns the coordinator of `size` members at `now`.
    pub fn new(request: FleetRequest, size: usize, now: Moment) -> Coordinator {
        let alone = (0..size).map(|member| vec![member]).filter(|_| request.is_alone_first && size > 1);
        let rounds = alone.chain([(0..size).collect()]).collect();
        Coordinator {
            request,
            machines: (0..size).map(|_| Machine::new(now.steady)).collect(),
            targets: vec![None; size],
            rounds,
            round: Vec::new(),
            is_alone: false,
            stage: Stage::Joining,
            looked: now.steady,
            is_under_way: false,
            began: now.steady,
            shown: now.steady,
            rates: Vec::new(),
            is_stopping: false,
            is_dismissed: false,
            stopped: None,
            orders: Vec::new(),
            notices: Vec::new(),
            parts: Vec::new(),
            gathered: Vec::new(),
            quiet: Vec::new(),
            refusal: None,
        }
    }

    /// Takes in what a member says. A member that was named silent says nothing any more: the others went on without it, and
    /// it gives the fleet up by itself.
    pub fn hear(&mut self, from: usize, report: Report, now: Moment) {
        if from >= self.machines.len() || !self.is_there(from) {
            return;
        }
        if self.is_over() {
            // The conclusion is being drawn, and the members wait for it.
            if let (Report::Alive { .. }, false) = (report, self.is_dismissed) {
                self.order(from, Order::Alive);
            }
            return;
        }
        let machine = &mut self.machines[from];
        machine.heard = now.steady;
        match report {
            Report::Here { version, host, clock } => {
                (machine.host, machine.state) = (host, MachineState::Waiting);
                machine.clock_name = clock;
                if version != self.request.version {
                    self.refuse(Refusal::Version(from, version));
                }
            }
            Report::Clock(shown) => self.compared(from, shown, now),
            Report::Ready(step) => machine.state = MachineState::Ready(step),
            Report::Alive { iops, quiet } => {
                machine.iops = if quiet < QUIET { iops } else { 0.0 };
                self.notice_quiet(from, quiet, now);
                // Only an answer: MPI libraries crash or hang when they send to a process that is gone.
                self.order(from, Order::Alive);
            }
            Report::StepEnded { step, iops } => {
                let state = std::mem::replace(&mut machine.state, MachineState::Preparing);
                // What ends without an order to begin is preparation.
                self.rates.extend(matches!(state, MachineState::Measuring(_)).then_some((step, iops)));
            }
            Report::Ended { code, said, file } => self.ended(from, (code, said), file.is_some()),
            Report::Part(part) if machine.state == MachineState::Sending => self.parts.extend(part),
            Report::Sent { why_not } if machine.state == MachineState::Sending => self.sent(from, why_not),
            Report::Part(_) | Report::Sent { .. } => {}
        }
    }

    /// Does what is due at `now`.
    pub fn advance(&mut self, now: Moment) {
        if self.is_over() {
            return;
        }
        self.notice_silence(now);
        if self.is_stopping {
            self.notice_held(now);
        }
        match &self.stage {
            Stage::Joining => self.join(),
            Stage::Clocks(tour) if !tour.left.is_empty() => {}
            Stage::Clocks(tour) if tour.is_last => self.stage = Stage::Gathering,
            Stage::Clocks(_) => self.go(now),
            Stage::Running => self.look_around(now),
            Stage::Gathering => self.gather(),
            Stage::Over => {}
        }
    }

    /// Ends the fleet with what is known by now.
    pub fn stop(&mut self) {
        if self.is_over() || std::mem::replace(&mut self.is_stopping, true) {
            return;
        }
        self.rounds.clear();
        match self.stage {
            Stage::Joining => self.over(),
            // A comparison of clocks goes to its end: an answer to an earlier question would look quick.
            _ => self.order_all(&Order::Stop),
        }
    }

    /// Takes the orders that are to be sent.
    pub fn orders(&mut self) -> Vec<(usize, Order)> {
        std::mem::take(&mut self.orders)
    }

    /// Takes what there is to say to people, a line each.
    pub fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Whether nothing more is to be done.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Takes the run files that arrived.
    pub fn gathered(&mut self) -> Vec<Gathered> {
        std::mem::take(&mut self.gathered)
    }

    /// Why the fleet did not measure, if it did not.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// What went wrong, by member.
    pub fn faults(&self) -> Vec<(usize, Fault)> {
        let of = |(member, machine): (usize, &Machine)| Some((member, machine.fault.clone()?));
        self.machines.iter().enumerate().filter_map(of).collect()
    }

    /// Members whose measuring processes showed nothing for a while, with the step.
    pub fn quiet(&self) -> &[(usize, String)] {
        &self.quiet
    }

    /// Name of a member that no other has: its host, and its number there if several are on it.
    pub fn name(&self, member: usize) -> String {
        let Some(machine) = self.machines.get(member) else { return member.to_string() };
        let before = self.machines[..member].iter().filter(|other| other.host == machine.host).count();
        let is_only = self.machines.iter().filter(|other| other.host == machine.host).count() == 1;
        match (machine.host.as_str(), is_only) {
            ("", _) => format!("process {member}"),
            (host, true) => host.to_owned(),
            (host, false) => format!("{host}:{}", before + 1),
        }
    }

    fn order(&mut self, to: usize, order: Order) {
        self.orders.push((to, order));
    }

    fn order_all(&mut self, order: &Order) {
        let there = (0..self.machines.len()).filter(|&member| self.is_there(member));
        let orders: Vec<(usize, Order)> = there.map(|member| (member, order.clone())).collect();
        self.orders.extend(orders);
    }

    /// Whether a member answers.
    fn is_there(&self, member: usize) -> bool {
        self.machines[member].is_there()
    }

    /// Whether a member is in a step.
    fn is_in_step(&self, member: usize) -> bool {
        self.machines[member].is_in_step()
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refusal.get_or_insert(refusal);
        self.over();
    }

    fn over(&mut self) {
        self.stage = Stage::Over;
    }

    /// Lets all members leave.
    pub fn dismiss(&mut self) {
        self.is_dismissed = true;
        self.order_all(&Order::Leave);
    }

    /// Names the members that have not said a word for too long.
    fn notice_silence(&mut self, now: Moment) {
        let away = now.steady.since(std::mem::replace(&mut self.looked, now.steady));
        for member in 0..self.machines.len() {
            let is_there = self.is_there(member);
            let machine = &mut self.machines[member];
            if away >= ALIVE_EVERY {
                // This process was held itself, and what the members said meanwhile has yet to be read.
                machine.heard = (machine.heard + away).min(now.steady);
            }
            let patience = if machine.state == MachineState::Joining { JOINING } else { SILENCE };
            let silent = now.steady.since(machine.heard);
            if silent < patience || !is_there {
                continue;
            }
            let state = machine.state.clone();
            machine.fault = Some(Fault::Silent(state.clone()));
            self.notices.push(format!("{} has not answered for {silent}, {state}", self.name(member)));
            self.leave_out(member, now);
        }
    }

    /// Names a member whose measuring process says nothing in its step, and names it again once that has changed.
    fn notice_quiet(&mut self, member: usize, quiet: Nanos, now: Moment) {
        let name = self.name(member);
        let machine = &mut self.machines[member];
        let MachineState::Measuring(step) = &machine.state else { return };
        let is_quiet = quiet.min(now.steady.since(self.began)) >= QUIET;
        match (std::mem::replace(&mut machine.is_quiet, is_quiet), is_quiet) {
            (false, true) => {
                self.quiet.push((member, step.clone()));
                self.notices.push(format!("{name} shows nothing for {QUIET}, in step '{step}'"));
            }
            (true, false) => self.notices.push(format!("{name} shows something again, in step '{step}'")),
            _ => {}
        }
    }

    /// Goes on without the members whose measuring processes do not end after the order to stop.
    fn notice_held(&mut self, now: Moment) {
        let since = *self.stopped.get_or_insert(now.steady);
        if now.steady.since(since) < TIME_TO_STOP || matches!(self.stage, Stage::Gathering) {
            return;
        }
        for member in self.busy() {
            let machine = &mut self.machines[member];
            let state = std::mem::replace(&mut machine.state, MachineState::Done);
            machine.fault.get_or_insert(Fault::Held(state.clone()));
            let name = self.name(member);
            self.notices.push(format!("{name}: its measuring process does not end, {state}"));
        }
    }

    /// Goes on without a member that was named silent.
    fn leave_out(&mut self, member: usize, now: Moment) {
        self.orders.retain(|(to, _)| *to != member);
        if let Stage::Clocks(tour) = &mut self.stage {
            let is_asked = tour.left.front() == Some(&member);
            tour.left.retain(|&left| left != member);
            if is_asked {
                (tour.asked, tour.best) = (0, None);
                self.ask_clock(now);
            }
        }
        if !self.is_under_way && self.round.contains(&member) {
            self.unprepared(member);
        }
    }

    /// Begins the first round once all members are there.
    fn join(&mut self) {
        if let Some(member) = self.machines.iter().position(|machine| machine.fault.is_some()) {
            return self.refuse(Refusal::Unprepared(member));
        }
        if self.machines.iter().any(|machine| machine.state == MachineState::Joining) {
            return;
        }
        let hosts: Vec<String> = (0..self.machines.len()).map(|member| self.name(member)).collect();
        self.notices.push(format!("{}: {}", number(hosts.len()), shortened(&hosts)));
        let host = |machine: &Machine| machine.host.clone();
        let members: Vec<(String, String)> = self.machines.iter().map(host).zip(hosts).collect();
        match assigned(&self.request.targets, &members) {
            Ok(targets) => {
                self.targets = targets;
                self.next_round();
            }
            Err(refusal) => self.refuse(refusal),
        }
    }

    fn next_round(&mut self) {
        let Some(round) = self.rounds.pop_front() else { return self.over() };
        self.is_alone = !self.rounds.is_empty();
        self.round = round.into_iter().filter(|&member| self.machines[member].fault.is_none()).collect();
        if self.round.is_empty() {
            return self.next_round();
        }
        if self.request.is_alone_first {
            let who = match self.round.as_slice() {
                [one] if self.is_alone => format!("{} by itself", self.name(*one)),
                all => format!("all {} together", all.len()),
            };
            self.notices.push(who);
        }
        (self.stage, self.is_under_way) = (Stage::Running, false);
        for member in self.round.clone() {
            let target = self.targets[member].clone();
            let words = self.request.words.iter().cloned().chain(target).collect();
            let machine = &mut self.machines[member];
            (machine.state, machine.has_file, machine.first_clock) = (MachineState::Preparing, false, None);
            self.order(member, Order::Begin(words));
        }
    }

    /// Members of the round that are still measuring, or about to.
    fn busy(&self) -> Vec<usize> {
        let is_busy = |&member: &usize| {
            self.is_there(member)
                && !matches!(self.machines[member].state, MachineState::Done | MachineState::Waiting)
        };
        self.round.iter().copied().filter(is_busy).collect()
    }

    /// Compares clocks once the next step of all is ready, and again once all have ended.
    fn look_around(&mut self, now: Moment) {
        let busy = self.busy();
        if !busy.iter().any(|&member| self.is_in_step(member)) {
            self.step_ended();
        } else {
            self.show(now);
        }
        let is_ready = |&member: &usize| matches!(self.machines[member].state, MachineState::Ready(_));
        if busy.is_empty() {
            // How far the clocks have moved since the last beginning is part of how far they may be wrong.
            let sends = |&member: &usize| self.is_there(member) && self.machines[member].has_file;
            self.compare(self.round.iter().copied().filter(sends).collect(), now);
        } else if !self.is_stopping && busy.iter().all(is_ready) {
            self.compare(busy, now);
        }
    }

    /// Says what all had together in the step that has ended.
    fn step_ended(&mut self) {
        let rates = std::mem::take(&mut self.rates);
        let Some((step, _)) = rates.first() else { return };
        let together = together(rates.iter().map(|(_, iops)| *iops));
        self.notices.extend(together.map(|together| format!("{step}: {together}")));
    }

    /// Says now and then what all have together in the step that runs.
    fn show(&mut self, now: Moment) {
        if now.steady.since(self.shown) < SHOWN_EVERY {
            return;
        }
        self.shown = now.steady;
        let in_step = || self.machines.iter().filter(|machine| machine.is_in_step());
        let Some(MachineState::Measuring(step)) = in_step().next().map(|machine| &machine.state) else {
            return;
        };
        let time = now.steady.since(self.began).0 / 1_000_000_000;
        let together = together(in_step().map(|machine| machine.iops));
        self.notices.extend(together.map(|together| format!("{step} after {time} s: {together}")));
    }

    /// Ends the fleet before anything was loaded.
    fn unprepared(&mut self, member: usize) {
        self.refusal.get_or_insert(Refusal::Unprepared(member));
        self.stop();
    }

    /// Begins a comparison of clocks.
    fn compare(&mut self, members: Vec<usize>, now: Moment) {
        let is_last = self.busy().is_empty();
        let is_first_of_its_clock = |&member: &usize| {
            let alike =
                |&&other: &&usize| self.machines[other].clock_name == self.machines[member].clock_name;
            members.iter().find(alike) == Some(&member)
        };
        let left = members.iter().copied().filter(is_first_of_its_clock).collect();
        self.stage = Stage::Clocks(ClockTour { left, asked: 0, at: Moment::default(), best: None, is_last });
        self.ask_clock(now);
    }

    /// Asks the next clock.
    fn ask_clock(&mut self, now: Moment) {
        let Stage::Clocks(tour) = &mut self.stage else { return };
        let Some(&member) = tour.left.front() else { return };
        (tour.at, tour.asked) = (now, tour.asked + 1);
        self.order(member, Order::Clock);
    }

    /// Takes in what a clock shows.
    fn compared(&mut self, from: usize, shown: Nanos, now: Moment) {
        let Stage::Clocks(tour) = &mut self.stage else { return };
        if tour.left.front() != Some(&from) {
            return;
        }
        let offset = ClockOffset::of_answer(tour.at.wall, shown, now.wall);
        let best = tour.best.map_or(offset, |best| best.or(offset));
        tour.best = Some(best);
        if tour.asked >= QUESTIONS {
            tour.left.pop_front();
            (tour.asked, tour.best) = (0, None);
            let name = self.machines[from].clock_name.clone();
            let alike = self.machines.iter_mut().filter(|machine| machine.clock_name == name);
            alike.for_each(|machine| machine.compared(best));
        }
        self.ask_clock(now);
    }

    /// Lets the step of all begin at the same moment.
    fn go(&mut self, now: Moment) {
        self.stage = Stage::Running;
        if self.is_stopping {
            return;
        }
        (self.is_under_way, self.began) = (true, now.steady + LEAD);
        self.shown = self.began;
        let at = now.wall + LEAD;
        for member in self.busy() {
            let machine = &mut self.machines[member];
            let MachineState::Ready(step) = &machine.state else { continue };
            (machine.state, machine.is_quiet) = (MachineState::Measuring(step.clone()), false);
            let there = machine.clock.unwrap_or_default().there(at);
            self.order(member, Order::Go(there));
        }
    }

    fn ended(&mut self, from: usize, (code, said): (Option<i32>, String), has_file: bool) {
        let name = self.name(from);
        let machine = &mut self.machines[from];
        let state = std::mem::replace(&mut machine.state, MachineState::Done);
        // The file of a process that was killed is not whole.
        machine.has_file = has_file && code.is_some();
        match code {
            None => self.notices.push(format!("{name}: its measuring process was killed, {state}")),
            Some(0) => return,
            Some(_) if self.is_stopping => return,
            Some(INTERRUPTED) => self.notices.push(format!("{name} was stopped there, {state}")),
            Some(_) => self.notices.push(format!("{name} has failed, {state}: {said}")),
        }
        machine.fault.get_or_insert(Fault::Failed(state, code, said));
        if !self.is_under_way {
            self.unprepared(from);
        }
    }

    /// Has the run files sent, one after the other.
    fn gather(&mut self) {
        if self.refusal.is_some() {
            return self.over();
        }
        let is_there = |member: usize| self.is_there(member);
        let sending = |machine: &Machine| machine.state == MachineState::Sending;
        if self.round.iter().any(|&member| is_there(member) && sending(&self.machines[member])) {
            return;
        }
        let next =
            self.round.iter().copied().find(|&member| is_there(member) && self.machines[member].has_file);
        match next {
            Some(member) => {
                self.parts.clear();
                let machine = &mut self.machines[member];
                (machine.state, machine.has_file) = (MachineState::Sending, false);
                self.order(member, Order::Send);
            }
            None => self.next_round(),
        }
    }

    fn sent(&mut self, from: usize, why_not: Option<String>) {
        let is_alone = self.is_alone;
        let name = self.name(from);
        let machine = &mut self.machines[from];
        machine.state = MachineState::Waiting;
        let bytes = std::mem::take(&mut self.parts);
        match why_not {
            Some(why) => {
                self.notices.push(format!("{name}: its run file cannot be read: {why}"));
                machine.fault.get_or_insert(Fault::NoFile(why));
            }
            None => {
                let clock = machine.first_clock.unwrap_or_default();
                self.gathered.push(Gathered { member: from, is_alone, clock, bytes });
            }
        }
    }
}

/// Says what so many rates are together; nothing if they are none.
fn together(rates: impl Iterator<Item = f64>) -> Option<String> {
    let rates: Vec<f64> = rates.collect();
    let sum: f64 = rates.iter().sum();
    let of = match rates.len() {
        1 => String::new(),
        many => {
            let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
            format!(" on {many} machines, {} on the slowest", grouped(least.round()))
        }
    };
    (sum > 0.0).then(|| format!("{} IOPS{of}", grouped(sum.round())))
}

fn number(machines: usize) -> String {
    if machines == 1 { "1 machine".to_owned() } else { format!("{machines} machines") }
}

/// Names that are shown of many.
const NAMES_MOST: usize = 8;

fn shortened(names: &[String]) -> String {
    match names.get(..NAMES_MOST) {
        Some(first) if names.len() > NAMES_MOST => {
            format!("{} and {} more", first.join(", "), names.len() - NAMES_MOST)
        }
        _ => names.join(", "),
    }
}
