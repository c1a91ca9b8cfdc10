//! The driver in real time, worker side: one thread, one backend, one clock reading per turn.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use std::time::Duration;

use kernel::{
    AioQueue, Clock, NamesQueue, OpenFile, PreadQueue, Queue, QueueSize, ThreadCounters, ThreadMeter,
    UringQueue,
};
use workload::{BackendKind, Completion, Direction, Nanos, Pace, Start, Totals, Wait, WorkerPlan};

use super::backend::taken_back;
use super::dump::Dump;
use super::journal::Journal;
use super::passes::Passes;
use super::{EngineError, Null};
use crate::batch::Batch;
use crate::coordinator::{Outcome, first_schedule};
use crate::fill::{Effort, Filler};
use crate::recorder::Recorder;
use crate::rules::{Rules, Timetable};
use crate::verify::Prover;
use crate::worker::{Failure, MISMATCH, SharedFlow, SlotPlan, SlotsView, Wake, Worker};

/// Wait from which a volume counts as slow: a timer for the wait then costs nothing noticeable. Waits then end at
/// interval edges too, so that intervals are handed over on time and commands are noticed. On a faster volume a timer
/// would cost several per cent, and completions come often enough.
const SLOW: Nanos = Nanos::from_micros(50);
/// Longest wait on a slow volume, after which the worker checks whether it is to stop.
const ATTENTION: Nanos = Nanos::from_millis(50);

/// State that all threads of a step share.
#[derive(Debug)]
pub(super) struct SharedState {
    /// Set if a worker is to issue nothing more, by worker.
    stop: Box<[AtomicBool]>,
    /// Whether workers are to end with I/Os in flight.
    pub(super) abandon: AtomicBool,
    gate: Mutex<Gate>,
    /// When a worker begins, once it has been called, by worker.
    calls: Mutex<Box<[Option<Nanos>]>>,
    /// Signals that a worker may start, begin or stop.
    opened: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
enum Gate {
    #[default]
    Shut,
    Go(Timetable),
    Cancelled,
}

impl SharedState {
    /// The shared state for `workers` workers.
    pub(super) fn new(workers: usize) -> SharedState {
        SharedState {
            stop: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            abandon: AtomicBool::new(false),
            gate: Mutex::default(),
            calls: Mutex::new(vec![None; workers].into_boxed_slice()),
            opened: Condvar::new(),
        }
    }

    /// Makes worker `number` issue nothing more.
    pub(super) fn stop(&self, number: usize) {
        // Under the lock, so that a worker waiting for its call cannot miss it between its check and its wait.
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop[number].store(true, Ordering::Relaxed);
        drop(calls);
        self.opened.notify_all();
    }

    /// Makes all workers issue nothing more.
    pub(super) fn stop_all(&self) {
        (0..self.stop.len())
            .filter(|&number| !self.stop[number].load(Ordering::Relaxed))
            .for_each(|number| self.stop(number));
    }

    /// Lets worker `number` begin at `at`.
    pub(super) fn call(&self, number: usize, at: Nanos) {
        let call = self.calls.lock().unwrap_or_else(PoisonError::into_inner)[number].replace(at);
        assert!(call.is_none(), "worker {number} is called twice");
        self.opened.notify_all();
    }

    /// Waits until worker `number` is called, and returns when it begins; `None` if it is to stop or `clock` reaches
    /// `latest` first.
    fn wait_for_call(&self, number: usize, clock: Clock, latest: Nanos) -> Option<Nanos> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if calls[number].is_some() || self.stop[number].load(Ordering::Relaxed) {
                return calls[number];
            }
            let left = latest.since(clock.now());
            if left == Nanos::ZERO {
                return None;
            }
            let most = Duration::from_nanos(left.0).min(Duration::from_secs(3_600));
            calls = self.opened.wait_timeout(calls, most).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets all workers start by `timetable`.
    pub(super) fn go(&self, timetable: Timetable) {
        self.open(Gate::Go(timetable));
    }

    /// Ends all workers before the start.
    pub(super) fn cancel(&self) {
        self.open(Gate::Cancelled);
    }

    fn open(&self, state: Gate) {
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.opened.notify_all();
    }

    /// Waits for the timetable of the step; `None` if it does not start.
    fn wait(&self) -> Option<Timetable> {
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *gate {
                Gate::Shut => gate = self.opened.wait(gate).unwrap_or_else(PoisonError::into_inner),
                Gate::Go(timetable) => return Some(timetable),
                Gate::Cancelled => return None,
            }
        }
    }
}

/// A message from a thread to the coordinator.
pub(super) enum Message {
    /// The thread is ready to start.
    Ready {
        /// Shows the I/Os in flight, to name them if the thread gets stuck.
        view: SlotsView,
        /// The backend's description of itself.
        features: String,
    },
    /// The worker has drained, or has given up on I/Os in flight.
    Over(Box<Outcome>),
    /// The thread cannot continue.
    Failed(EngineError),
}

impl Message {
    /// Marks the outcome as failed if the worker was left with `held` in flight.
    pub(super) fn given_up(self, held: Vec<Failure>) -> Message {
        match self {
            Message::Over(outcome) => Message::Over(Box::new(outcome.given_up(held))),
            other => other,
        }
    }
}

/// The inputs of a worker's thread.
pub(super) struct WorkerTask {
    /// Index of the worker in the step's plan.
    pub(super) number: usize,
    pub(super) plan: WorkerPlan,
    /// Share of a gap by which the worker's pace is shifted.
    pub(super) phase: f64,
    /// Counters that the worker's offsets share with other workers, one per file.
    pub(super) counters: Vec<Option<Arc<AtomicU64>>>,
    /// The proportion between this worker and others.
    pub(super) flow: Option<Arc<SharedFlow>>,
    pub(super) rules: Rules,
    pub(super) files: Vec<OpenFile>,
    pub(super) recorder: Recorder,
    pub(super) clock: Clock,
    pub(super) shared: std::sync::Arc<SharedState>,
}

impl WorkerTask {
    /// Runs the step; sends its messages through `tell`.
    pub(super) fn work(self, tell: &dyn Fn(Message)) {
        if let Err(error) = self.open_and_drive(tell) {
            tell(Message::Failed(error));
        }
    }

    fn open_and_drive(self, tell: &dyn Fn(Message)) -> Result<(), EngineError> {
        if let Some(cpu) = self.plan.cpu {
            kernel::pin_current_thread(&[cpu]).map_err(|source| EngineError::Pin { cpu, source })?;
        }
        if let Some(priority) = self.plan.terms.priority {
            kernel::set_io_priority(priority).map_err(EngineError::Priority)?;
        }
        let (slots, clock) = (SlotPlan::of(&self.plan).count(), self.clock);
        let bytes = self.plan.blocks.longest().0 as usize;
        let (files, calls) = (self.files.clone(), self.plan.terms.calls);
        let terms = self.plan.terms.clone();
        #[cfg(test)]
        if let Some(faulty) = super::faulty::Faulty::of(&self.plan, clock) {
            return self.drive(faulty, tell);
        }
        match self.plan.backend {
            BackendKind::IoUring => {
                let (size, ways) = (QueueSize { depth: slots, slot_bytes: bytes }, self.plan.terms.ring);
                let queue = UringQueue::open_with(&files, size, clock, ways)?;
                self.drive(queue.taking_along(calls).with_urgent(&terms), tell)
            }
            BackendKind::Libaio => {
                let queue = AioQueue::open(&files, slots, bytes, clock)?;
                self.drive(queue.taking_along(calls).with_urgent(&terms), tell)
            }
            BackendKind::Pread if calls.act.is_of_names() => {
                let paths: Vec<_> = self.plan.files.iter().map(|file| file.path.as_path()).collect();
                let queue = NamesQueue::open(&paths, &files, calls.act, clock)?;
                self.drive(queue, tell)
            }
            BackendKind::Pread => {
                self.drive(PreadQueue::open(&files, slots, bytes, clock)?.taking_along(calls), tell)
            }
            BackendKind::Null => self.drive(Null::new(slots, bytes, clock), tell),
            BackendKind::Simulated => Err(EngineError::Simulated { job: self.plan.job }),
        }
    }

    fn drive<B: Queue>(self, mut backend: B, tell: &dyn Fn(Message)) -> Result<(), EngineError> {
        let WorkerTask { number, plan, phase, counters, flow, rules, recorder, files, clock, shared } = self;
        if waits_for_the_clock(&plan) {
            kernel::precise_timers();
        }
        let mut worker = Worker::new(&plan, rules, recorder)?;
        worker.shift_pace(phase);
        worker.share(&counters);
        worker.flow_with(flow.as_ref());
        let passes = Passes::new(plan.terms.forget_each, files);
        let journal = Journal::open(&plan, SlotPlan::of(&plan).count());
        let journal = journal.map_err(|source| state_error(&plan, source))?;
        let batching = plan.terms.batching;
        let batch = batching.submit_most.map_or(plan.depth, |most| most.clamp(1, plan.depth));
        let mut turns = WorkerLoop {
            worker,
            filler: Filler::new(plan.buffers.clone(), plan.seed, SlotPlan::of(&plan).count()),
            writes: plan.access.mix.issues(Direction::Write),
            prover: Prover::new(&plan),
            dump: Dump::of(&plan),
            is_noted: passes.is_some()
                || journal.is_some()
                || plan.terms.tells_issues
                || plan.terms.totals == Totals::WorkerAndPriority,
            passes,
            journal,
            batch: Batch::with_capacity(batch),
            submit_most: if batch < plan.depth { batch as usize } else { usize::MAX },
            reap_least: batching.reap_least.min(plan.depth) as usize,
            done: Vec::with_capacity(most_taken_back(&plan, taken_back(&backend, plan.depth))),
            clock,
            meter: ThreadMeter::open(),
            used: ThreadCounters::default(),
            anew: None,
            shared: &shared,
            number,
        };
        tell(Message::Ready { view: turns.worker.view(), features: backend.features().to_owned() });
        let Some(timetable) = shared.wait() else { return Ok(()) };
        assert!(backend.in_flight() == 0, "a queue holds I/O before its step begins");
        turns.begin(timetable, (&plan, &rules));
        let usage = turns.run(&mut backend)?;
        if let Some(journal) = &mut turns.journal {
            journal.close().map_err(|source| state_error(&plan, source))?;
        }
        let is_left = turns.shared.abandon.load(Ordering::Relaxed);
        assert!(
            is_left || turns.worker.in_flight() == 0,
            "a worker went with I/O in flight that it was not to leave"
        );
        // Sent before the backend closes, which takes a second if the kernel holds an I/O.
        tell(Message::Over(Box::new(Outcome::of(turns.worker, usage))));
        Ok(())
    }
}

fn state_error(plan: &WorkerPlan, source: std::io::Error) -> EngineError {
    let state = plan.verify.on().and_then(|verification| verification.state.as_ref());
    EngineError::State { path: state.map(|state| state.path.clone()).unwrap_or_default(), source }
}

/// Whether a worker of `plan` sleeps until a time, for which timers must be precise.
fn waits_for_the_clock(plan: &WorkerPlan) -> bool {
    let paced = |pace: Pace| pace != Pace::Closed;
    let waits = plan.terms.think.is_some() || plan.terms.flow.is_some();
    waits || paced(plan.pace) || plan.terms.write_pace.is_some_and(paced)
}

/// Greatest number of I/Os that one reap takes: the number in the plan, otherwise `best`, but no more than one submission
/// carries, or the queue would be short of its depth while they are issued again. A minimum to wait for raises the number.
fn most_taken_back(plan: &WorkerPlan, best: usize) -> usize {
    let (batching, depth) = (plan.terms.batching, plan.depth as usize);
    let worth = batching.submit_most.map_or(best, |most| best.min(most as usize));
    let most = batching.reap_most.map_or(worth, |most| most as usize);
    assert!(depth > 0, "a worker without depth got past the checks of its plan");
    most.max(batching.reap_least as usize).clamp(1, depth)
}

/// The state of a worker's loop.
struct WorkerLoop<'s> {
    worker: Worker,
    filler: Filler,
    writes: bool,
    /// Verifies the data read, if the plan asks for it.
    prover: Option<Prover>,
    /// Writes wrong data to files, if the plan asks for it.
    dump: Option<Dump>,
    /// Drops the page cache between passes, if the plan asks for it.
    passes: Option<Passes>,
    /// Records the proven writes, if the plan asks for it.
    journal: Option<Journal>,
    /// Whether anything records each I/O as it is issued.
    is_noted: bool,
    batch: Batch,
    /// Greatest number of I/Os per batch; `usize::MAX` if only the depth limits it.
    submit_most: usize,
    /// Number of completions for which a full queue waits.
    reap_least: usize,
    /// Completions; never grows beyond its capacity.
    done: Vec<Completion>,
    clock: Clock,
    meter: ThreadMeter,
    /// The meter's counters when they were last reported to the worker.
    used: ThreadCounters,
    /// The meter's counters when the worker restarted its counting.
    anew: Option<ThreadCounters>,
    shared: &'s SharedState,
    /// Index of the worker in the step's plan.
    number: usize,
}

impl WorkerLoop<'_> {
    /// Waits for the step's start, or for the worker's call if it begins later.
    fn begin(&mut self, timetable: Timetable, (plan, rules): (&WorkerPlan, &Rules)) {
        self.worker.begin(timetable, first_schedule(rules, plan, &timetable));
        self.clock.sleep_until(timetable.start);
        if plan.terms.start == Start::WithStep {
            return;
        }
        let latest = rules.unscheduled(&timetable).over;
        if let Some(at) = self.shared.wait_for_call(self.number, self.clock, latest) {
            self.worker.call(rules.schedule(&timetable, at), self.clock.now());
        }
    }

    /// Takes turns until the worker has finished; returns the resources that its thread used while counting.
    fn run<B: Queue>(&mut self, backend: &mut B) -> Result<ThreadCounters, EngineError> {
        let before = self.meter.read();
        self.used = before;
        let usage = self.turns_counted(backend, before);
        self.tell_use(self.clock.now());
        usage
    }

    fn turns_counted<B: Queue>(
        &mut self,
        backend: &mut B,
        begun: ThreadCounters,
    ) -> Result<ThreadCounters, EngineError> {
        if !self.turns(backend, self.worker.counted_from())? {
            return Ok(self.meter.read().since(begun));
        }
        let before = self.meter.read();
        let finished = !self.turns(backend, self.worker.counted_until())?;
        let usage = self.meter.read().since(self.anew.take().unwrap_or(before));
        if !finished {
            self.turns(backend, Nanos::MAX)?;
        }
        Ok(usage)
    }

    /// Takes turns until the clock shows `until`, which returns true, or the worker has finished.
    ///
    /// The clock is read once per turn, after the reap: that reading is the completion time of everything reaped and the
    /// issue time of what follows.
    fn turns<B: Queue>(&mut self, backend: &mut B, until: Nanos) -> Result<bool, EngineError> {
        let shared = self.shared;
        let stop = &shared.stop[self.number];
        let mut now = self.clock.now();
        self.worker.reach(now);
        let mut slow = false;
        while now < until {
            self.batch.open(backend.room());
            let count = self.worker.issue_due(now, &mut self.batch);
            if count > 0 {
                self.hand_over(backend)?;
            }
            // The batch ended at its limit rather than for lack of I/Os to issue.
            if count >= self.submit_most && self.worker.could_issue() {
                now = self.submit(backend)?;
                continue;
            }
            let wait = match self.worker.wake(now) {
                Wake::Finished => return Ok(false),
                // I/Os that could not be submitted have completed already.
                _ if backend.submits_apart() && !self.done.is_empty() => Wait::Poll,
                Wake::OnCompletion if self.reap_least > 1 => self.for_enough(now),
                Wake::OnCompletion if !slow => Wait::One,
                Wake::OnCompletion => Wait::Until(self.worker.edge().min(now + ATTENTION)),
                Wake::Busy(_) => Wait::Poll,
                Wake::At(at) if at <= now => Wait::Poll,
                Wake::At(at) => Wait::Until(at.min(self.worker.edge()).min(now + ATTENTION)),
            };
            backend.submit_and_reap(wait, &mut self.done)?;
            if self.reap_least > 1 {
                self.wait_for_more(backend)?;
            }
            let later = self.look_at_the_clock();
            debug_assert!(later >= now, "the clock of the run went back");
            slow = later > now + SLOW;
            now = later;
            if self.prover.is_some() {
                self.look_at_what_was_read(backend)?;
                self.journal_done()?;
            }
            self.worker.settle_reaped(now, &self.done);
            self.done.clear();
            if stop.load(Ordering::Relaxed) && self.give_up(now) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the clock, and lets the worker pass an edge if there is one.
    #[inline(always)]
    fn look_at_the_clock(&mut self) -> Nanos {
        let now = self.clock.now();
        if self.worker.is_beyond_edge(now) {
            self.pass_edge(now);
        }
        now
    }

    /// Reports to the worker, at the end of an interval, what its thread used, and then the time.
    #[cold]
    fn pass_edge(&mut self, now: Nanos) {
        if now >= self.worker.edge() {
            self.tell_use(now);
        }
        let counted_from = self.worker.counted_from();
        self.worker.reach(now);
        if self.worker.counted_from() != counted_from {
            self.anew = Some(self.meter.read());
        }
    }

    #[cold]
    fn tell_use(&mut self, now: Nanos) {
        let used = self.meter.read();
        self.worker.used(now, used.since(self.used));
        self.used = used;
    }

    /// Stops the worker; true if it is to end even with I/Os in flight.
    #[cold]
    fn give_up(&mut self, now: Nanos) -> bool {
        self.worker.stop(now);
        self.shared.abandon.load(Ordering::Relaxed)
    }

    /// Submits a part of the I/Os due; only completions that this call itself returns are handled before the rest.
    #[cold]
    fn submit<B: Queue>(&mut self, backend: &mut B) -> Result<Nanos, EngineError> {
        backend.submit(&mut self.done)?;
        let now = self.look_at_the_clock();
        if !self.done.is_empty() {
            self.journal_done()?;
            self.worker.settle_reaped(now, &self.done);
            self.done.clear();
        }
        Ok(now)
    }

    /// Waits, if the queue is full, for as many completions as the plan specifies, otherwise for one.
    fn for_enough(&self, now: Nanos) -> Wait {
        let full = self.worker.waits_for_room();
        let least = if full { self.reap_least.min(self.worker.in_flight()) } else { 1 };
        Wait::Several { least: least as u32, until: self.worker.edge().min(now + ATTENTION) }
    }

    /// Waits further, if the queue is full, until the number of completions that the plan specifies is reached.
    #[cold]
    fn wait_for_more<B: Queue>(&mut self, backend: &mut B) -> Result<(), EngineError> {
        let least = self.reap_least.min(self.worker.in_flight());
        while self.worker.waits_for_room() && self.done.len() < least {
            if self.shared.stop[self.number].load(Ordering::Relaxed) {
                break;
            }
            let more = (least - self.done.len()) as u32;
            let until = self.clock.now() + ATTENTION;
            backend.submit_and_reap(Wait::Several { least: more, until }, &mut self.done)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn hand_over<B: Queue>(&mut self, backend: &mut B) -> Result<(), EngineError> {
        // The cache is dropped when the next pass begins, because after the last pass there is no need.
        let emptied = self.is_noted && self.passes.as_mut().is_some_and(Passes::turn_over);
        if self.writes && self.fill(backend) == Effort::Filled || emptied {
            self.worker.restamp(self.clock.now(), &self.batch);
        }
        if self.is_noted {
            self.note_hand_over()?;
        }
        for &io in self.batch.ios() {
            backend.queue(io).map_err(|reason| EngineError::Refused { io, reason })?;
        }
        if backend.submits_apart() {
            backend.submit(&mut self.done)?;
            self.worker.submitted(self.clock.now(), &self.batch);
        }
        Ok(())
    }

    /// Prepares the buffers of the writes about to be issued.
    fn fill<B: Queue>(&mut self, backend: &mut B) -> Effort {
        let mut effort = Effort::Slight;
        for io in self.batch.ios() {
            match io.kind {
                Direction::Read => self.filler.note_read(io.slot),
                Direction::Write => {
                    let Some(buffer) = backend.buffer_mut(io.slot) else { continue };
                    if self.filler.prepare(io, buffer) == Effort::Filled {
                        effort = Effort::Filled;
                    }
                    if let Some(prover) = &mut self.prover {
                        prover.seal(io, buffer);
                        effort = Effort::Filled;
                    }
                }
                Direction::Trim | Direction::Flush => {}
            }
        }
        effort
    }

    /// Passes the batch to everything that records I/Os as they are issued.
    #[cold]
    fn note_hand_over(&mut self) -> Result<(), EngineError> {
        if let Some(passes) = &mut self.passes {
            passes.issued(self.batch.ios());
        }
        self.worker.draw_priorities(&self.batch);
        self.worker.tell_issues(&self.batch);
        self.journal_issued()
    }

    /// Announces in the journal the I/Os about to be issued.
    fn journal_issued(&mut self) -> Result<(), EngineError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        self.batch.ios().iter().try_for_each(|io| journal.issue(io)).map_err(|source| journal.error(source))
    }

    /// Notes completions in the journal.
    #[cold]
    fn journal_done(&mut self) -> Result<(), EngineError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.ended_all(&self.done).map_err(|source| journal.error(source))
    }

    /// Compares the data read with the data written, before the reads are settled; a difference becomes a failure.
    #[cold]
    fn look_at_what_was_read<B: Queue>(&mut self, backend: &mut B) -> Result<(), EngineError> {
        let (Some(prover), worker) = (&mut self.prover, &mut self.worker) else { return Ok(()) };
        for done in &mut self.done {
            let Some(io) = worker.in_slot(done.slot) else { continue };
            if io.kind != Direction::Read || done.result != io.bytes as i32 {
                continue;
            }
            let Some(buffer) = backend.buffer_mut(done.slot) else { continue };
            let bytes = (io.bytes as usize).min(buffer.len());
            let expected = |offset| worker.expected(done.slot, io.file, offset);
            if let Some(mismatch) = prover.look((io.file, io.offset), &mut buffer[..bytes], expected) {
                worker.note_mismatch(done.slot, mismatch);
                done.result = -MISMATCH;
                if let Some(dump) = &mut self.dump {
                    let interval = &mut buffer[(mismatch.offset - io.offset) as usize..bytes];
                    dump.write((io.file, mismatch.offset), &prover.wrong(interval, &mismatch, io.offset))?;
                }
            }
        }
        Ok(())
    }
}
