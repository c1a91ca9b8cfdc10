//! The loop of every process of the fleet: it carries messages, and does what is due.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kernel::{Mpi, MpiError};
use workload::Nanos;

use crate::coordinator::Coordinator;
use crate::machine::Fault;
use crate::member::Member;
use crate::message::{Message, Order};
use crate::request::{FleetRequest, Gathered, Moment, Refusal};

/// The first process, which gives the orders.
const FIRST: usize = 0;
/// Time after a message during which the next one is looked for almost without a pause: answers about clocks must not wait.
const ATTENTIVE: Nanos = Nanos(2_000_000);
/// The pause then. On a busy processor whoever sleeps is woken at once, and whoever looks without a pause is made to wait: there the
/// quickest answer took 5 ms without it.
const NAP: Duration = Duration::from_micros(20);
/// Pause between two looks while an order may come.
const SHORT_PAUSE: Duration = Duration::from_millis(1);
/// Pause between two looks while a step runs: a hundredth of a second, which costs less than a thousandth of a processor.
const PAUSE: Duration = Duration::from_millis(10);

/// Time after which a call of MPI that does not come back ends this process; longer than any step of the loop, in which a run
/// file is read or written.
const STUCK: Duration = Duration::from_secs(15);

/// Pause for each process of the fleet on the same host: a look takes about ten microseconds, so that all of them take a fifth
/// of a processor at most.
const LOOK: Duration = Duration::from_micros(50);
/// Longest pause, so that an order is seen before the step begins.
const LONGEST_PAUSE: Duration = Duration::from_millis(40);

/// Looks in vain after which nothing more is expected: with one, 256 processes on two processors lost most of their messages for
/// longer than a member may be silent; with 32, none in five runs.
const LOOKS: u32 = 32;
/// Messages that are taken in at once, so that orders do not wait for the end of a long run file.
const TAKEN_AT_ONCE: u32 = 1000;
/// Time for the last messages to arrive.
const LAST_WORDS: Nanos = Nanos(5_000_000_000);

/// Why a process could not take part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// MPI does not work.
    #[error(transparent)]
    Mpi(#[from] MpiError),
    /// The first process has fallen silent.
    #[error(
        "the first process does not answer any more; what was measured here is in its run file on this machine"
    )]
    Abandoned,
}

/// What the first process knows in the end.
#[derive(Debug, Default)]
pub struct FleetResult {
    /// Names of the members.
    pub names: Vec<String>,
    /// Run files, in the order in which they arrived.
    pub gathered: Vec<Gathered>,
    /// What went wrong, by member.
    pub faults: Vec<(usize, Fault)>,
    /// Members that showed nothing for a while, with the step.
    pub quiet: Vec<(usize, String)>,
    /// Why nothing was measured.
    pub refusal: Option<Refusal>,
}

/// What this process needs from its surroundings.
pub struct Surroundings<'a> {
    /// Name of this host.
    pub host: &'a str,
    /// Name of this host's clock, which processes that share the clock share: the host, and when it was started.
    pub clock: &'a str,
    /// Number of processes of the fleet on this host.
    pub neighbours: usize,
    /// Whether the user wants to stop.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Whether the launcher has given notice, since the last call, that a process of the fleet is gone.
    pub is_warned: &'a dyn Fn() -> bool,
    /// Says a line to people.
    pub say: &'a dyn Fn(&str),
}

/// Takes part in the fleet until it is over. Meanwhile the first process has `conclude` draw the conclusion, on a thread of its
/// own: a process that waited for it inside MPI would keep a processor busy. Returns what that returned; `None` at the others.
///
/// # Errors
/// [`FleetError`].
pub fn run<T: Send>(
    mpi: &mut Mpi,
    request: FleetRequest,
    here: &Surroundings<'_>,
    conclude: &(dyn Fn(FleetResult) -> T + Sync),
) -> Result<Option<T>, FleetError> {
    let begun = Instant::now();
    let now = moment(begun);
    let member = Member::new(&request.version, (here.host, here.clock), now.steady);
    let first = (mpi.rank() == FIRST).then(|| Coordinator::new(request, mpi.size(), now));
    let held = vec![None; mpi.size()];
    let pauses = Pauses::of(here.neighbours);
    let (own, gathered, over_since) = (VecDeque::new(), Vec::new(), None);
    let mut process = Process { mpi, member, first, own, held, gathered, pauses, over_since };
    let alive = Arc::new(AtomicU64::new(0));
    watch(&alive);
    std::thread::scope(|threads| {
        let (mut heard, mut concluding, mut conclusion) = (now.steady, None, None);
        while !process.is_over(moment(begun).steady, conclusion.is_some()) {
            if process.take_in_all(begun)? {
                heard = moment(begun).steady;
            }
            alive.store(moment(begun).steady.0, Ordering::Relaxed);
            if (here.is_warned)() {
                process.hold();
            }
            process.lead(here, moment(begun));
            process.report(moment(begun));
            match concluding.take() {
                None if conclusion.is_none() => {
                    let result = process.result();
                    concluding = result.map(|result| threads.spawn(move || conclude(result)));
                }
                Some(thread) if thread.is_finished() => {
                    conclusion = Some(thread.join().unwrap_or_else(|bug| std::panic::resume_unwind(bug)));
                    process.dismiss();
                }
                other => concluding = other,
            }
            if process.own.is_empty() {
                let is_attentive = moment(begun).steady.since(heard) < ATTENTIVE;
                std::thread::sleep(if is_attentive { NAP } else { process.pause() });
            }
        }
        match process.member.is_abandoned() {
            true => Err(FleetError::Abandoned),
            false => Ok(conclusion),
        }
    })
}

/// Pauses between two looks for messages.
#[derive(Clone, Copy)]
struct Pauses {
    /// While an order may come.
    short: Duration,
    /// While a step runs.
    long: Duration,
}

impl Pauses {
    /// Returns the pauses on a host with so many processes of the fleet, which together must leave it to the load.
    fn of(neighbours: usize) -> Pauses {
        let least = LOOK.saturating_mul(u32::try_from(neighbours).unwrap_or(u32::MAX));
        let least = least.min(LONGEST_PAUSE);
        Pauses { short: SHORT_PAUSE.max(least), long: PAUSE.max(least) }
    }
}

fn moment(begun: Instant) -> Moment {
    let nanos = |of: Duration| Nanos(u64::try_from(of.as_nanos()).unwrap_or(u64::MAX));
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { steady: nanos(begun.elapsed()), wall: nanos(wall) }
}

/// Ends this process if a call of MPI does not come back: its measuring process ends with it, and keeps what it has.
fn watch(alive: &Arc<AtomicU64>) {
    let alive = Arc::downgrade(alive);
    std::thread::spawn(move || {
        let mut last = (0, Instant::now());
        while let Some(alive) = alive.upgrade() {
            let now = alive.load(Ordering::Relaxed);
            std::thread::sleep(Duration::from_secs(1));
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed() >= STUCK {
                std::process::exit(1);
            }
        }
    });
}

/// A process of the fleet; one of them is the first.
struct Process<'a> {
    mpi: &'a mut Mpi,
    member: Member,
    first: Option<Coordinator>,
    /// Messages of this process to itself.
    own: VecDeque<Message>,
    /// Of each process, the messages that are kept back until it is heard; `None` once it was.
    held: Vec<Option<Vec<Message>>>,
    gathered: Vec<Gathered>,
    pauses: Pauses,
    over_since: Option<Nanos>,
}

impl Process<'_> {
    fn is_over(&mut self, now: Nanos, is_concluded: bool) -> bool {
        let is_led = self.first.is_some() && !is_concluded;
        if is_led || !self.own.is_empty() || !self.member.is_over(now) {
            return false;
        }
        // The last orders must arrive, but for those to whoever is gone and was not missed yet.
        let since = *self.over_since.get_or_insert(now);
        !self.mpi.is_sending() || now.since(since) >= LAST_WORDS
    }

    fn pause(&self) -> Duration {
        if self.first.is_some() || self.member.is_waiting() { self.pauses.short } else { self.pauses.long }
    }

    /// Lets all leave, if this is the first process.
    fn dismiss(&mut self) {
        let orders = self.first.as_mut().map(|first| {
            first.dismiss();
            first.orders()
        });
        for (to, order) in orders.unwrap_or_default() {
            self.post(to, Message::Order(order));
        }
    }

    /// Takes in what has arrived, before anyone is judged by it; returns whether anything had. MPI moves on a little with each look,
    /// and on a crowded machine the next turn may be a second away.
    fn take_in_all(&mut self, begun: Instant) -> Result<bool, MpiError> {
        let (mut taken, mut in_vain) = (0, 0);
        while in_vain < LOOKS && taken < TAKEN_AT_ONCE {
            match self.take_in(begun)? {
                true => (taken, in_vain) = (taken + 1, 0),
                false => in_vain += 1,
            }
        }
        Ok(taken > 0)
    }

    /// Takes the next message in, if there is one; returns whether there was.
    fn take_in(&mut self, begun: Instant) -> Result<bool, MpiError> {
        let (from, message) = match self.own.pop_front() {
            Some(message) => (self.mpi.rank(), message),
            None => match self.mpi.receive()? {
                None => return Ok(false),
                Some((from, bytes)) => match Message::decode(&bytes) {
                    Some(message) => (from, message),
                    // Of a version that has other messages: it is refused by the version that it stated.
                    None => return Ok(true),
                },
            },
        };
        self.let_go(from);
        let now = moment(begun);
        match (message, &mut self.first) {
            (Message::Report(report), Some(first)) => first.hear(from, report, now),
            (Message::Report(_), None) => {}
            (Message::Order(order), _) => self.member.obey(order, now.steady, now.wall),
        }
        Ok(true)
    }

    /// Gives the orders that are due, if this is the first process.
    fn lead(&mut self, here: &Surroundings<'_>, now: Moment) {
        let is_stopped = (here.is_stopped)();
        let Some(first) = &mut self.first else {
            if is_stopped {
                self.member.told_to_stop(now.steady);
            }
            return;
        };
        if is_stopped {
            first.stop();
        }
        // It hears itself, also after it was held.
        self.member.obey(Order::Alive, now.steady, now.wall);
        first.advance(now);
        first.notices().iter().for_each(|text| (here.say)(text));
        self.gathered.extend(first.gathered());
        for (to, order) in first.orders() {
            self.post(to, Message::Order(order));
        }
    }

    fn report(&mut self, now: Moment) {
        let reports = self.member.reports(now.steady);
        // The next parts of a file wait until those before them have left.
        let parts = if self.mpi.is_sending() { Vec::new() } else { self.member.parts() };
        for report in reports.into_iter().chain(parts) {
            self.post(FIRST, Message::Report(report));
        }
    }

    /// Keeps back the orders of the first process to everyone who is not heard from now on: one of them is gone, and MPI
    /// libraries crash or hang when they send to such a process.
    fn hold(&mut self) {
        if self.first.is_some() {
            self.held.iter_mut().for_each(|held| {
                held.get_or_insert_default();
            });
        }
    }

    /// Sends what was kept back for a process that was heard.
    fn let_go(&mut self, of: usize) {
        for message in self.held.get_mut(of).and_then(Option::take).unwrap_or_default() {
            self.post(of, message);
        }
    }

    /// Sends a message. One that MPI refuses is lost; its receiver is gone, which silence shows.
    fn post(&mut self, to: usize, message: Message) {
        if to == self.mpi.rank() {
            self.own.push_back(message);
        } else if let Some(held) = &mut self.held[to] {
            held.push(message);
        } else {
            let _ = self.mpi.send(to, &message.encode());
        }
    }

    /// Returns what the first process knows once nothing more is to be done.
    fn result(&mut self) -> Option<FleetResult> {
        let first = self.first.as_ref().filter(|first| first.is_over())?;
        Some(FleetResult {
            names: (0..self.mpi.size()).map(|member| first.name(member)).collect(),
            gathered: std::mem::take(&mut self.gathered),
            faults: first.faults(),
            quiet: first.quiet().to_vec(),
            refusal: first.refusal().cloned(),
        })
    }
}
