//! The driver in real time, coordinating side: starts a thread a worker, collects, tells the watcher, decides, and ends
//! also where the kernel does not let go of an I/O.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kernel::{Clock, OpenFile};
use record::{HeldIo, Note, Observer, SilenceStage, StepRecord};
use workload::{BackendKind, Bytes, Direction, Nanos, StepPlan, SyncMode, WorkerPlan};

use super::thread::{Briefing, News, Shared};
use super::vigil::Vigil;
use super::{EngineError, IN_VAIN};
use crate::company::Order;
use crate::conductor::{Conductor, Outcome};
use crate::recorder::{Inbox, Recorder};
use crate::rules::{Rules, Timetable};
use crate::worker::{Failure, SlotPlan, SlotsView, counters, phases};

/// How often the rings are looked into.
const POLL: Duration = Duration::from_millis(20);
/// The same where every I/O is told.
const POLL_TRACED: Duration = Duration::from_millis(5);
/// Between letting the workers go and the step's start: long enough for every thread to wake.
const LEAD: Nanos = Nanos::from_millis(2);
/// How long an interrupted step waits for what is in flight before it gives up on it.
const DRAIN: Nanos = Nanos::from_millis(800);
/// How long it then waits for the workers to notice.
const PARTING: Nanos = Nanos::from_millis(150);

/// The coordinator's end of one worker.
struct Hand {
    /// `None` once it has been waited for.
    thread: Option<JoinHandle<()>>,
    view: Option<SlotsView>,
}

/// All workers of a step.
struct Crew<'a> {
    plan: &'a StepPlan,
    files: &'a [Vec<OpenFile>],
    hands: Vec<Hand>,
    news: Receiver<(usize, News)>,
    shared: Arc<Shared>,
    clock: Clock,
    /// What the backends say of themselves.
    features: Vec<Note>,
    failure: Option<EngineError>,
    vigil: Vigil,
    /// Nobody waits any longer for what does not come back.
    given_up: bool,
}

/// Whether the workers stand ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readiness {
    Ready,
    /// Somebody asked to stop before they all were.
    Interrupted,
}

/// Runs `plan` in real time: worker `i` works on `files[i]`, opened with the plan's directness and, for writes, with a
/// permit. Workers on [`BackendKind::Null`] need none. The threads end with the step, but for those that the kernel
/// holds after an interrupt, or where nothing came back for as long as the watcher has patience; the record's notes then
/// name the I/O.
///
/// # Errors
/// [`EngineError`] where the step could not start, or the means of I/O went down.
pub fn run_real(
    plan: &StepPlan,
    files: &[Vec<OpenFile>],
    clock: Clock,
    watcher: &mut dyn Observer,
) -> Result<StepRecord, EngineError> {
    check(plan, files)?;
    kernel::room_for_buffers(buffers(plan)).map_err(kernel::QueueError::from)?;
    let (mut crew, inboxes) = Crew::hire(plan, files, clock)?;
    let readiness = crew.wait_until_ready(watcher)?;
    let start = clock.now() + LEAD;
    let mut conductor = Conductor::new(plan, inboxes, start, watcher);
    if readiness == Readiness::Interrupted {
        // Whoever is not ready yet goes home by itself.
        crew.shared.cancel();
        return Ok(conductor.finish(clock.now()));
    }
    crew.shared.go(Timetable::of(plan, start));
    crew.vigil = Vigil::new(plan.workers.len(), conductor.patience(), start);
    crew.features.drain(..).for_each(|note| conductor.note(note));
    crew.run(&mut conductor);
    crew.part(&mut conductor)?;
    Ok(conductor.finish(clock.now()))
}

fn check(plan: &StepPlan, files: &[Vec<OpenFile>]) -> Result<(), EngineError> {
    if let Some(worker) = plan.workers.iter().find(|worker| worker.backend == BackendKind::Simulated) {
        return Err(EngineError::Simulated { job: worker.job.clone() });
    }
    let needs = |worker: &WorkerPlan| worker.backend != BackendKind::Null;
    if plan.workers.iter().any(needs) && files.len() != plan.workers.len() {
        return Err(EngineError::Files { workers: plan.workers.len(), given: files.len() });
    }
    plan.workers.iter().zip(files).try_for_each(|(worker, files)| synced(worker, files))
}

/// Bytes of the buffers of all workers.
fn buffers(plan: &StepPlan) -> Bytes {
    let of_worker = |worker: &WorkerPlan| match worker.backend {
        BackendKind::Null | BackendKind::Simulated => 0,
        _ => u64::from(SlotPlan::of(worker).count()).saturating_mul(worker.blocks.longest().0),
    };
    Bytes(plan.workers.iter().map(of_worker).fold(0, u64::saturating_add))
}

/// Files that are written must have been opened as the plan says, or writes would be stable later than they seem.
fn synced(worker: &WorkerPlan, files: &[OpenFile]) -> Result<(), EngineError> {
    let (job, sync) = (&worker.job, worker.terms.sync);
    let other = files.iter().find(|file| file.is_writable() && file.sync() != sync);
    match other.filter(|_| sync != SyncMode::None && worker.access.mix.issues(Direction::Write)) {
        None => Ok(()),
        Some(file) => Err(EngineError::Unsynced { job: job.clone(), path: file.path().to_owned(), sync }),
    }
}

impl<'a> Crew<'a> {
    /// Starts a thread for each worker; each gets ready and then waits for the start.
    fn hire(
        plan: &'a StepPlan,
        files: &'a [Vec<OpenFile>],
        clock: Clock,
    ) -> Result<(Crew<'a>, Vec<Inbox>), EngineError> {
        let (sender, news) = channel();
        let shared = Arc::new(Shared::new(plan.workers.len()));
        let mut crew = Crew {
            plan,
            files,
            hands: Vec::new(),
            news,
            shared,
            clock,
            features: Vec::new(),
            failure: None,
            vigil: Vigil::new(0, Nanos::MAX, clock.now()),
            given_up: false,
        };
        let mut inboxes = Vec::new();
        let mut counters = counters(&plan.workers);
        for (number, (worker, phase)) in plan.workers.iter().zip(phases(&plan.workers)).enumerate() {
            let (recorder, inbox) = Recorder::new(worker);
            inboxes.push(inbox);
            let briefing = Briefing {
                number,
                plan: worker.clone(),
                phase,
                counters: std::mem::take(&mut counters[number]),
                rules: Rules::of(plan, worker),
                files: files.get(number).cloned().unwrap_or_default(),
                recorder,
                clock,
                shared: Arc::clone(&crew.shared),
            };
            match start_thread(number, briefing, sender.clone()) {
                Ok(thread) => crew.hands.push(Hand { thread: Some(thread), view: None }),
                Err(error) => {
                    crew.dismiss();
                    return Err(EngineError::Thread(error));
                }
            }
        }
        Ok((crew, inboxes))
    }

    fn wait_until_ready(&mut self, watcher: &dyn Observer) -> Result<Readiness, EngineError> {
        while self.features.len() < self.hands.len() {
            let problem = match self.news.recv_timeout(POLL) {
                Ok((number, News::Ready { view, features })) => {
                    self.hands[number].view = Some(view);
                    let backend = self.plan.workers[number].backend;
                    self.features.push(Note::Features { backend, words: features });
                    continue;
                }
                Err(_) if watcher.interrupted() => return Ok(Readiness::Interrupted),
                Err(RecvTimeoutError::Timeout) => continue,
                Ok((_, News::Failed(error))) => error,
                Ok((_, News::Over(_))) | Err(RecvTimeoutError::Disconnected) => EngineError::Lost,
            };
            self.dismiss();
            return Err(problem);
        }
        Ok(Readiness::Ready)
    }

    /// Sends everybody home before the start.
    fn dismiss(&mut self) {
        self.shared.cancel();
        for thread in self.hands.drain(..).filter_map(|hand| hand.thread) {
            // A thread that failed has said why through the channel.
            let _ = thread.join();
        }
    }

    /// Until every worker is over, or an interrupted step has waited long enough.
    fn run(&mut self, conductor: &mut Conductor<'_>) {
        let mut patience = Nanos::MAX;
        let traced = self.plan.workers.iter().any(|worker| worker.terms.trace);
        // A worker has three spare sheets: where intervals are shorter than a look, they would be gone before the next.
        let poll = if traced { POLL_TRACED } else { POLL }
            .min(Duration::from_nanos(self.plan.interval.0.max(500_000)));
        while self.is_running(conductor) && self.clock.now() < patience {
            match self.news.recv_timeout(poll) {
                Ok((number, news)) => self.hear(number, news, conductor),
                Err(RecvTimeoutError::Timeout) => self.look_for_lost(conductor),
                Err(RecvTimeoutError::Disconnected) => {
                    self.look_for_lost(conductor);
                    std::thread::sleep(POLL);
                }
            }
            self.keep_vigil(conductor);
            let cut_short = self.failure.is_some() || self.given_up;
            if conductor.turn() || cut_short {
                self.shared.stop_all();
            }
            if (conductor.is_interrupted() || cut_short) && patience == Nanos::MAX {
                patience = self.clock.now() + DRAIN;
            }
        }
    }

    /// Looks whether anything comes back, and tells where it does not.
    fn keep_vigil(&mut self, conductor: &mut Conductor<'_>) {
        let now = self.clock.now();
        let Some(passed) = self.vigil.is_due(now).filter(|_| !self.given_up) else { return };
        for (number, (hand, plan)) in self.hands.iter().zip(&self.plan.workers).enumerate() {
            let told = match &hand.view {
                Some(view) if !conductor.is_over(number) => {
                    let files = self.files.get(number).map_or(&[][..], Vec::as_slice);
                    self.vigil.look((number, plan, files), view, (now, passed))
                }
                _ => self.vigil.leave(number, now),
            };
            let Some(silence) = told else { continue };
            self.given_up |= silence.stage == SilenceStage::GivenUp;
            conductor.silence(&silence);
        }
    }

    /// What came back last came back between two looks.
    fn end_vigil(&mut self, conductor: &mut Conductor<'_>) {
        let now = self.clock.now();
        for (number, hand) in self.hands.iter().enumerate() {
            let answered = hand.view.as_ref().is_none_or(|view| view.in_flight().is_empty());
            if let Some(silence) = self.vigil.leave(number, now).filter(|_| answered) {
                conductor.silence(&silence);
            }
        }
    }

    fn is_running(&self, conductor: &Conductor<'_>) -> bool {
        if self.hands.is_empty() {
            // Nothing is issued; only time passes.
            return self.clock.now() < conductor.deadline() && !conductor.is_interrupted();
        }
        !conductor.all_over()
    }

    fn hear(&mut self, number: usize, news: News, conductor: &mut Conductor<'_>) {
        let outcome = match news {
            News::Over(outcome) => *outcome,
            News::Failed(error) => {
                self.failure.get_or_insert(error);
                Outcome::lost(self.clock.now())
            }
            News::Ready { .. } => return,
        };
        let next = self.clock.now() + LEAD;
        for order in conductor.over(number, outcome, next) {
            match order {
                Order::Begin(other) => self.shared.call(other, next),
                Order::Stop(other) => self.shared.stop(other),
            }
        }
    }

    /// A thread that is gone without a word.
    fn look_for_lost(&mut self, conductor: &mut Conductor<'_>) {
        let ended = |hand: &Hand| hand.thread.as_ref().is_some_and(JoinHandle::is_finished);
        let silent: Vec<usize> = (0..self.hands.len())
            .filter(|&number| !conductor.is_over(number) && ended(&self.hands[number]))
            .collect();
        // Its last word may have come in between.
        while let Ok((number, news)) = self.news.try_recv() {
            self.hear(number, news, conductor);
        }
        for number in silent {
            if !conductor.is_over(number) {
                self.hear(number, News::Failed(EngineError::Lost), conductor);
            }
        }
    }

    /// Takes leave: lets workers that are stuck give up, names what the kernel holds, and joins the others.
    fn part(&mut self, conductor: &mut Conductor<'_>) -> Result<(), EngineError> {
        self.shared.abandon.store(true, Ordering::Relaxed);
        let until = self.clock.now() + PARTING;
        while !conductor.all_over() && self.clock.now() < until {
            if let Ok((number, news)) = self.news.recv_timeout(POLL) {
                let held = self.name_what_is_stuck(number, conductor);
                self.hear(number, news.given_up(held), conductor);
            }
        }
        let now = self.clock.now();
        for number in 0..self.hands.len() {
            if !conductor.is_over(number) {
                let held = self.name_what_is_stuck(number, conductor);
                conductor.over(number, Outcome::lost(now).given_up(held), now);
            }
        }
        self.end_vigil(conductor);
        for hand in &mut self.hands {
            let stuck = hand.view.as_ref().is_some_and(|view| !view.in_flight().is_empty());
            // Only a thread that has nothing in flight is sure to end at once.
            if let Some(thread) = hand.thread.take_if(|_| !stuck) {
                let _ = thread.join();
            }
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Names what worker `number` has in flight; where it is given up, that has failed.
    fn name_what_is_stuck(&self, number: usize, conductor: &mut Conductor<'_>) -> Vec<Failure> {
        let (Some(view), Some(worker)) = (&self.hands[number].view, self.plan.workers.get(number)) else {
            return Vec::new();
        };
        let now = self.clock.now();
        let held = view.in_flight();
        for io in &held {
            let path = worker.files.get(io.file as usize).map(|file| file.path.display().to_string());
            conductor.note(Note::Held(HeldIo {
                direction: io.kind,
                bytes: io.bytes,
                offset: io.offset,
                path: path.unwrap_or_default(),
                waited: now.since(io.issued),
            }));
        }
        let in_vain = |io| Failure { at: now, io, errno: IN_VAIN, finding: None };
        held.into_iter().filter(|_| self.given_up).map(in_vain).collect()
    }
}

fn start_thread(
    number: usize,
    briefing: Briefing,
    sender: Sender<(usize, News)>,
) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(format!("worker {number}")).spawn(move || {
        let job = briefing.plan.job.clone();
        // The coordinator hears everything until it has given this worker up.
        let tell = |news| drop(sender.send((number, news)));
        // What the worker leaves behind is looked at by nobody but through atomics and locks that do not mind.
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| briefing.work(&tell))) {
            tell(News::Failed(EngineError::Panicked { number, job, message: said(cause.as_ref()) }));
        }
    })
}

/// What a panic was raised with.
fn said(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().copied().or(cause.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it did not say why").to_owned()
}
