//! The loop of every process of the fleet: it carries messages, and does what is due.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kernel::{Mpi, MpiError};
use workload::Nanos;

use crate::coordinator::{Coordinator, FleetRequest, Gathered, Moment, Refusal};
use crate::machine::Fault;
use crate::member::Member;
use crate::message::Message;

/// The first process, which gives the orders.
const FIRST: usize = 0;
/// Time after a message during which the next one is looked for without a pause: answers about clocks must not wait.
const ATTENTIVE: Nanos = Nanos(2_000_000);
/// Pause between two looks while an order may come.
const SHORT_PAUSE: Duration = Duration::from_millis(1);
/// Pause between two looks while a step runs: a hundredth of a second, which costs less than a thousandth of a processor.
const PAUSE: Duration = Duration::from_millis(10);

/// Time after which a call of MPI that does not come back ends this process; longer than any step of the loop, in which a run
/// file is read or written.
const STUCK: Duration = Duration::from_secs(15);

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

/// What the first process knows in the end; nothing at the others.
#[derive(Debug, Default)]
pub struct FleetResult {
    /// Names of the members.
    pub names: Vec<String>,
    /// Run files, in the order in which they arrived.
    pub gathered: Vec<Gathered>,
    /// What went wrong, by member.
    pub faults: Vec<(usize, Fault)>,
    /// Why nothing was measured.
    pub refusal: Option<Refusal>,
}

/// What this process needs from its surroundings.
pub struct Surroundings<'a> {
    /// Name of this host.
    pub host: &'a str,
    /// Whether the user wants to stop.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Whether the launcher has given notice, since the last call, that a process of the fleet is gone.
    pub is_warned: &'a dyn Fn() -> bool,
    /// Says a line to people.
    pub say: &'a dyn Fn(&str),
}

/// Takes part in the fleet until it is over.
///
/// # Errors
/// [`FleetError`].
pub fn run(mpi: &mut Mpi, request: FleetRequest, here: &Surroundings<'_>) -> Result<FleetResult, FleetError> {
    let begun = Instant::now();
    let now = moment(begun);
    let member = Member::new((&request.version, here.host), now.steady);
    let first = (mpi.rank() == FIRST).then(|| Coordinator::new(request, mpi.size(), now));
    let held = vec![None; mpi.size()];
    let mut process = Process { mpi, member, first, own: VecDeque::new(), held, gathered: Vec::new() };
    let alive = Arc::new(AtomicU64::new(0));
    watch(&alive);
    let mut heard = now.steady;
    while !process.is_over(moment(begun).steady) {
        if process.take_in(begun)? {
            heard = moment(begun).steady;
        }
        alive.store(moment(begun).steady.0, Ordering::Relaxed);
        if (here.is_warned)() {
            process.hold();
        }
        process.lead(here, moment(begun));
        process.report(moment(begun));
        if process.own.is_empty() && moment(begun).steady.since(heard) >= ATTENTIVE {
            std::thread::sleep(process.pause());
        }
    }
    process.result()
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

fn moment(begun: Instant) -> Moment {
    let nanos = |of: Duration| Nanos(u64::try_from(of.as_nanos()).unwrap_or(u64::MAX));
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { steady: nanos(begun.elapsed()), wall: nanos(wall) }
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
}

impl Process<'_> {
    fn is_over(&self, now: Nanos) -> bool {
        let is_led = self.first.as_ref().is_some_and(|first| !first.is_over());
        !is_led && self.own.is_empty() && self.member.is_over(now)
    }

    fn pause(&self) -> Duration {
        if self.first.is_some() || self.member.is_waiting() { SHORT_PAUSE } else { PAUSE }
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
        let Some(first) = &mut self.first else { return };
        if (here.is_stopped)() {
            first.stop();
        }
        first.advance(now);
        first.notices().iter().for_each(|text| (here.say)(text));
        self.gathered.extend(first.gathered());
        for (to, order) in first.orders() {
            self.post(to, Message::Order(order));
        }
    }

    fn report(&mut self, now: Moment) {
        let is_free = !self.mpi.is_sending(&[FIRST]);
        for report in self.member.reports(now.steady, is_free) {
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

    fn result(self) -> Result<FleetResult, FleetError> {
        match self.first {
            Some(first) => Ok(FleetResult {
                names: (0..self.mpi.size()).map(|member| first.name(member)).collect(),
                gathered: self.gathered,
                faults: first.faults(),
                refusal: first.refusal().cloned(),
            }),
            None if self.member.is_abandoned() => Err(FleetError::Abandoned),
            None => Ok(FleetResult::default()),
        }
    }
}
