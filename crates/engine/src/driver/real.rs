//! The driver in real time, coordinating side: starts a thread per worker, collects and reports their results, decides,
//! and ends even if the kernel does not release an I/O.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kernel::{Clock, OpenFile};
use record::{HeldIo, Note, Observer, SilenceStage, StepRecord};
use workload::{BackendKind, Bytes, Direction, Nanos, StepPlan, SyncMode, WorkerPlan};

use super::silence::{SilenceWatch, WatchedWorker};
use super::thread::{Message, SharedState, WorkerTask};
use super::{EngineError, IN_VAIN};
use crate::coordinator::{Coordinator, Outcome};
use crate::recorder::{CollectorEnd, Recorder};
use crate::rules::{Rules, Timetable};
use crate::worker::{Failure, SlotPlan, SlotsView, counters, flows, phases};
use crate::worker_set::Command;

/// Time between two collections of the workers' results.
const POLL: Duration = Duration::from_millis(20);
/// Time between two collections if every I/O is traced.
const POLL_TRACED: Duration = Duration::from_millis(5);
/// Time from releasing the workers to the step's start: long enough for every thread to wake.
const LEAD: Nanos = Nanos::from_millis(2);
/// Longest time that an interrupted step waits for I/Os in flight.
const DRAIN: Nanos = Nanos::from_millis(800);
/// Longest time after that for the workers to notice.
const PARTING: Nanos = Nanos::from_millis(150);

/// The coordinator's handle of one worker.
struct WorkerThread {
    /// `None` once it has been joined.
    thread: Option<JoinHandle<()>>,
    view: Option<SlotsView>,
}

/// All workers of a step.
struct WorkerThreads<'a> {
    plan: &'a StepPlan,
    files: &'a [Vec<OpenFile>],
    threads: Vec<WorkerThread>,
    messages: Receiver<(usize, Message)>,
    shared: Arc<SharedState>,
    clock: Clock,
    /// The backends' descriptions of themselves.
    features: Vec<Note>,
    failure: Option<EngineError>,
    silences: SilenceWatch,
    /// Whether the step no longer waits for I/Os that do not complete.
    given_up: bool,
}

/// Whether the workers are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readiness {
    Ready,
    /// The observer asked to stop before all workers were ready.
    Interrupted,
}

/// Runs `plan` in real time: worker `i` works on `files[i]`, opened with the plan's directness and, for writes, with a
/// permit. Workers on [`BackendKind::Null`] need none. The threads end with the step, except those that the kernel
/// holds after an interrupt, or after no I/O completed within the observer's patience; the record's notes then name the
/// I/O.
///
/// # Errors
/// [`EngineError`] if the step could not start, or the queue stopped working.
pub fn run_real(
    plan: &StepPlan,
    files: &[Vec<OpenFile>],
    clock: Clock,
    watcher: &mut dyn Observer,
) -> Result<StepRecord, EngineError> {
    check(plan, files)?;
    kernel::room_for_buffers(buffers(plan)).map_err(kernel::QueueError::from)?;
    let (mut workers, ends) = WorkerThreads::start(plan, files, clock)?;
    let readiness = workers.wait_until_ready(watcher)?;
    let start = clock.now() + LEAD;
    let mut coordinator = Coordinator::new(plan, ends, start, watcher);
    if readiness == Readiness::Interrupted {
        // A worker that is not ready yet ends by itself.
        workers.shared.cancel();
        return Ok(coordinator.finish(clock.now()));
    }
    workers.shared.go(Timetable::of(plan, start));
    workers.silences = SilenceWatch::new(plan.workers.len(), coordinator.patience(), start);
    workers.features.drain(..).for_each(|note| coordinator.note(note));
    workers.run(&mut coordinator);
    workers.close(&mut coordinator)?;
    Ok(coordinator.finish(clock.now()))
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

/// Checks that files to be written were opened as planned; otherwise writes would be stable later than they seem.
fn synced(worker: &WorkerPlan, files: &[OpenFile]) -> Result<(), EngineError> {
    let (job, sync) = (&worker.job, worker.terms.sync);
    let other = files.iter().find(|file| file.is_writable() && file.sync() != sync);
    match other.filter(|_| sync != SyncMode::None && worker.access.mix.issues(Direction::Write)) {
        None => Ok(()),
        Some(file) => Err(EngineError::Unsynced { job: job.clone(), path: file.path().to_owned(), sync }),
    }
}

impl<'a> WorkerThreads<'a> {
    /// Starts a thread for each worker, which gets ready and then waits for the start.
    fn start(
        plan: &'a StepPlan,
        files: &'a [Vec<OpenFile>],
        clock: Clock,
    ) -> Result<(WorkerThreads<'a>, Vec<CollectorEnd>), EngineError> {
        let (sender, messages) = channel();
        let shared = Arc::new(SharedState::new(plan.workers.len()));
        let mut workers = WorkerThreads {
            plan,
            files,
            threads: Vec::new(),
            messages,
            shared,
            clock,
            features: Vec::new(),
            failure: None,
            silences: SilenceWatch::new(0, Nanos::MAX, clock.now()),
            given_up: false,
        };
        let mut ends = Vec::new();
        let (mut counters, flows) = (counters(&plan.workers), flows(&plan.workers));
        for (number, (worker, phase)) in plan.workers.iter().zip(phases(&plan.workers)).enumerate() {
            let (recorder, end) = Recorder::new(worker);
            ends.push(end);
            let task = WorkerTask {
                number,
                plan: worker.clone(),
                phase,
                counters: std::mem::take(&mut counters[number]),
                flow: flows[number].clone(),
                rules: Rules::of(plan, worker),
                files: files.get(number).cloned().unwrap_or_default(),
                recorder,
                clock,
                shared: Arc::clone(&workers.shared),
            };
            match start_thread(number, task, sender.clone()) {
                Ok(thread) => workers.threads.push(WorkerThread { thread: Some(thread), view: None }),
                Err(error) => {
                    workers.cancel();
                    return Err(EngineError::Thread(error));
                }
            }
        }
        Ok((workers, ends))
    }

    fn wait_until_ready(&mut self, watcher: &dyn Observer) -> Result<Readiness, EngineError> {
        while self.features.len() < self.threads.len() {
            let problem = match self.messages.recv_timeout(POLL) {
                Ok((number, Message::Ready { view, features })) => {
                    let before = self.threads[number].view.replace(view);
                    assert!(before.is_none(), "worker {number} is ready twice");
                    let backend = self.plan.workers[number].backend;
                    self.features.push(Note::Features { backend, words: features });
                    continue;
                }
                Err(_) if watcher.interrupted() => return Ok(Readiness::Interrupted),
                Err(RecvTimeoutError::Timeout) => continue,
                Ok((_, Message::Failed(error))) => error,
                Ok((_, Message::Over(_))) | Err(RecvTimeoutError::Disconnected) => EngineError::Lost,
            };
            self.cancel();
            return Err(problem);
        }
        Ok(Readiness::Ready)
    }

    /// Ends all threads before the start.
    fn cancel(&mut self) {
        self.shared.cancel();
        for thread in self.threads.drain(..).filter_map(|thread| thread.thread) {
            // A thread that failed has reported the reason through the channel.
            let _ = thread.join();
        }
    }

    /// Runs until every worker is over, or an interrupted step has waited long enough.
    fn run(&mut self, coordinator: &mut Coordinator<'_>) {
        let mut patience = Nanos::MAX;
        let traced = self.plan.workers.iter().any(|worker| worker.terms.trace || worker.terms.tells_issues);
        // A worker has three spare sheets, which intervals shorter than a poll would use up before the next poll.
        let poll = if traced { POLL_TRACED } else { POLL }
            .min(Duration::from_nanos(self.plan.interval.0.max(500_000)));
        while self.is_running(coordinator) && self.clock.now() < patience {
            match self.messages.recv_timeout(poll) {
                Ok((number, message)) => self.receive(number, message, coordinator),
                Err(RecvTimeoutError::Timeout) => self.look_for_lost(coordinator),
                Err(RecvTimeoutError::Disconnected) => {
                    self.look_for_lost(coordinator);
                    std::thread::sleep(POLL);
                }
            }
            self.watch_for_silence(coordinator);
            let cut_short = self.failure.is_some() || self.given_up;
            if coordinator.turn() || cut_short {
                self.shared.stop_all();
            }
            if (coordinator.is_interrupted() || cut_short) && patience == Nanos::MAX {
                patience = self.clock.now() + DRAIN;
            }
        }
    }

    /// Checks whether I/Os complete, and reports a silence.
    fn watch_for_silence(&mut self, coordinator: &mut Coordinator<'_>) {
        let now = self.clock.now();
        let Some(passed) = self.silences.is_due(now).filter(|_| !self.given_up) else { return };
        for (number, (thread, plan)) in self.threads.iter().zip(&self.plan.workers).enumerate() {
            let told = match &thread.view {
                Some(view) if !coordinator.is_over(number) => {
                    let files = self.files.get(number).map_or(&[][..], Vec::as_slice);
                    self.silences.look(WatchedWorker { number, plan, files, view }, now, passed)
                }
                _ => self.silences.leave(number, now),
            };
            let Some(silence) = told else { continue };
            self.given_up |= silence.stage == SilenceStage::GivenUp;
            coordinator.silence(&silence);
        }
    }

    /// Ends silences whose last I/O completed after the last look.
    fn end_silences(&mut self, coordinator: &mut Coordinator<'_>) {
        let now = self.clock.now();
        for (number, thread) in self.threads.iter().enumerate() {
            let answered = thread.view.as_ref().is_none_or(|view| view.in_flight().is_empty());
            if let Some(silence) = self.silences.leave(number, now).filter(|_| answered) {
                coordinator.silence(&silence);
            }
        }
    }

    fn is_running(&self, coordinator: &Coordinator<'_>) -> bool {
        if self.threads.is_empty() {
            // Nothing is issued; only time passes.
            return self.clock.now() < coordinator.deadline() && !coordinator.is_interrupted();
        }
        !coordinator.all_over()
    }

    fn receive(&mut self, number: usize, message: Message, coordinator: &mut Coordinator<'_>) {
        let outcome = match message {
            Message::Over(outcome) => *outcome,
            Message::Failed(error) => {
                self.failure.get_or_insert(error);
                Outcome::lost(self.clock.now())
            }
            Message::Ready { .. } => return,
        };
        // A worker that failed after its end has an outcome already.
        if coordinator.is_over(number) {
            return;
        }
        let next = self.clock.now() + LEAD;
        for command in coordinator.over(number, outcome, next) {
            match command {
                Command::Begin(other) => self.shared.call(other, next),
                Command::Stop(other) => self.shared.stop(other),
            }
        }
    }

    /// Finds threads that ended without a message.
    fn look_for_lost(&mut self, coordinator: &mut Coordinator<'_>) {
        let ended = |thread: &WorkerThread| thread.thread.as_ref().is_some_and(JoinHandle::is_finished);
        let silent: Vec<usize> = (0..self.threads.len())
            .filter(|&number| !coordinator.is_over(number) && ended(&self.threads[number]))
            .collect();
        // A last message may have arrived in between.
        while let Ok((number, message)) = self.messages.try_recv() {
            self.receive(number, message, coordinator);
        }
        for number in silent {
            if !coordinator.is_over(number) {
                self.receive(number, Message::Failed(EngineError::Lost), coordinator);
            }
        }
    }

    /// Ends the step: makes stuck workers give up, names the I/Os that the kernel holds, and joins the other threads.
    fn close(&mut self, coordinator: &mut Coordinator<'_>) -> Result<(), EngineError> {
        self.shared.abandon.store(true, Ordering::Relaxed);
        let until = self.clock.now() + PARTING;
        while !coordinator.all_over() && self.clock.now() < until {
            if let Ok((number, message)) = self.messages.recv_timeout(POLL) {
                let held = self.name_what_is_stuck(number, coordinator);
                self.receive(number, message.given_up(held), coordinator);
            }
        }
        let now = self.clock.now();
        for number in 0..self.threads.len() {
            if !coordinator.is_over(number) {
                let held = self.name_what_is_stuck(number, coordinator);
                coordinator.over(number, Outcome::lost(now).given_up(held), now);
            }
        }
        assert!(coordinator.all_over(), "a worker has no outcome at the end of its step");
        self.end_silences(coordinator);
        for thread in &mut self.threads {
            let stuck = thread.view.as_ref().is_some_and(|view| !view.in_flight().is_empty());
            // Only a thread without I/O in flight is certain to end at once.
            if let Some(thread) = thread.thread.take_if(|_| !stuck) {
                let _ = thread.join();
            }
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Notes the I/Os that worker `number` has in flight; returns them as failures if the step was given up.
    fn name_what_is_stuck(&self, number: usize, coordinator: &mut Coordinator<'_>) -> Vec<Failure> {
        let (Some(view), Some(worker)) = (&self.threads[number].view, self.plan.workers.get(number)) else {
            return Vec::new();
        };
        let now = self.clock.now();
        let held = view.in_flight();
        for io in &held {
            let path = worker.files.get(io.file as usize).map(|file| file.path.display().to_string());
            coordinator.note(Note::Held(HeldIo {
                direction: io.kind,
                bytes: io.bytes,
                offset: io.offset,
                path: path.unwrap_or_default(),
                waited: now.since(io.issued),
            }));
        }
        let in_vain = |io| Failure { at: now, io, errno: IN_VAIN, mismatch: None };
        held.into_iter().filter(|_| self.given_up).map(in_vain).collect()
    }
}

fn start_thread(
    number: usize,
    task: WorkerTask,
    sender: Sender<(usize, Message)>,
) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(format!("worker {number}")).spawn(move || {
        let job = task.plan.job.clone();
        // The coordinator receives every message until it has given this worker up.
        let tell = |message| drop(sender.send((number, message)));
        // State that a panicking worker leaves is read only through atomics and locks, which tolerate a panic.
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| task.work(&tell))) {
            tell(Message::Failed(EngineError::Panicked { number, job, message: said(cause.as_ref()) }));
        }
    })
}

/// The message of a panic.
fn said(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().copied().or(cause.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it did not say why").to_owned()
}
