//! The worker: given the time and the completions, it determines the I/Os to issue. It does no I/O and reads no clock;
//! between start and drain it allocates nothing, locks nothing and formats nothing.

mod access;
mod balance;
mod bounds;
mod error;
mod flow;
mod gate;
mod hand_over;
mod mix;
mod next_io;
mod overlap;
mod pace;
mod priorities;
mod quota;
mod read_back;
mod refill;
mod replay;
mod seeds;
mod slots;
mod steering;
mod straight;
mod think;
mod time;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use kernel::ThreadCounters;
use record::IoTrace;
use statistics::Stream;
use workload::{Completion, Direction, Io, Nanos, OnError, WhenFull, WorkerPlan};

pub use error::WorkerError;
pub use slots::{InFlight, SlotsView};

use crate::batch::Batch;
use crate::recorder::{CompletedIo, Recorder};
use crate::rules::{Rules, Schedule};
use crate::verify::Mismatch;
use access::AccessOrder;
pub(crate) use access::counters;
use balance::Balance;
use bounds::Bounds;
pub(crate) use bounds::Crossing;
pub(crate) use flow::{SharedFlow, flows};
use gate::Gate;
use mix::{FlushCount, MixDraw};
use next_io::NextIo;
use overlap::{DrawnIo, Overlaps};
use pace::Paces;
pub(crate) use pace::phases;
use priorities::Priorities;
use quota::Quota;
pub(crate) use read_back::MISMATCH;
use read_back::ReadingBack;
pub(crate) use slots::SlotPlan;
use slots::Slots;
pub(crate) use steering::SteeringResult;
use straight::Straight;
use think::ThinkTime;

/// An I/O issued later than this after its due time counts as late.
const LATE: Nanos = Nanos::from_millis(1);

/// EIO, reported for an I/O that moved nothing.
const NOTHING_MOVED: i32 = 5;

/// ENOSPC, and EDQUOT for a user who has no more space.
const NO_SPACE: [i32; 2] = [28, 122];

/// Number of failures that a worker remembers: the first ones.
const FAILURES: usize = 16;

/// When a worker wants its next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// At this time, or when an I/O has completed.
    At(Nanos),
    /// At this time, or when an I/O has completed, with the CPU kept busy until then.
    Busy(Nanos),
    /// When an I/O has completed.
    OnCompletion,
    /// Never: nothing is in flight and nothing will be.
    Finished,
}

/// Why a worker issues nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The worker's bytes or I/Os have been issued.
    Amount,
    /// The worker's time is over.
    Time,
    /// The worker was told to stop.
    Told,
    /// An I/O failed, or a bound was crossed.
    Failed,
}

/// An I/O that failed, with the index of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When the I/O completed.
    pub at: Nanos,
    /// The I/O.
    pub io: InFlight,
    /// Positive errno; EILSEQ if the data read differs from what was written.
    pub errno: i32,
    /// The damage to the data read, if that is the failure.
    pub mismatch: Option<Mismatch>,
}

/// One worker of a step.
#[derive(Debug)]
pub struct Worker {
    slots: Slots,
    pace: Paces,
    mix: MixDraw,
    access: AccessOrder,
    flush: FlushCount,
    quota: Quota,
    recorder: Recorder,
    /// Whether the worker issues: it has begun, is not resting and has not stopped.
    open: bool,
    straight: Straight,
    /// The next time at which the worker's state changes by the clock alone.
    horizon: Nanos,
    rules: Rules,
    schedule: Schedule,
    phase: Phase,
    think: ThinkTime,
    /// Reasons not to fill the queue, if the plan has any.
    gate: Option<Box<Gate>>,
    /// I/Os on the same bytes that wait for each other.
    overlap: Overlaps,
    /// Bounds that end the worker for being slow, if the plan has any.
    bounds: Option<Box<Bounds>>,
    crossing: Option<Crossing>,
    on_error: OnError,
    /// Whether a write that finds no space ends the worker as if its amount had been issued.
    ends_when_full: bool,
    stopped: Option<(StopReason, Nanos)>,
    last_done: Nanos,
    failures: Vec<Failure>,
    unissued: u64,
    /// The comparison of data read with data written, if the plan asks for it.
    reading_back: Option<Box<ReadingBack>>,
    /// When writing ended, if blocks are read back after it.
    wrote_until: Option<Nanos>,
    /// Bytes of the regions of all files.
    region: u64,
    /// The priority of each I/O in flight, if totals are kept by priority.
    priorities: Option<Box<Priorities>>,
    balance: Balance,
}

/// The current phase in a worker's schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the worker's start.
    Waiting,
    Ramp,
    Counted,
    Cool,
}

impl Worker {
    /// Makes a worker for `plan` that records with `recorder`. All memory that it ever uses is allocated here.
    ///
    /// # Errors
    /// [`WorkerError`] for a plan without file, slot or block.
    pub fn new(plan: &WorkerPlan, rules: Rules, recorder: Recorder) -> Result<Worker, WorkerError> {
        if plan.depth == 0 {
            return Err(WorkerError::NoDepth { job: plan.job.clone() });
        }
        let mut worker = Worker {
            slots: Slots::new(SlotPlan::of(plan)),
            pace: Paces::new(plan),
            mix: MixDraw::new(plan.access.mix, Stream::new(plan.seed, seeds::MIX)),
            access: AccessOrder::new(plan)?,
            flush: FlushCount::new(plan.flush),
            quota: Quota::unlimited(),
            recorder,
            open: false,
            straight: Straight::default(),
            horizon: Nanos::MAX,
            rules,
            schedule: Schedule::NONE,
            phase: Phase::Waiting,
            think: ThinkTime::new(plan.terms.think),
            gate: Gate::new(plan),
            overlap: Overlaps::new(plan),
            bounds: Bounds::new(&plan.terms.bounds, |way| plan.access.mix.issues(way)),
            crossing: None,
            on_error: plan.terms.on_error.clone(),
            ends_when_full: plan.terms.when_full == WhenFull::Ends,
            stopped: None,
            last_done: Nanos::ZERO,
            failures: Vec::with_capacity(FAILURES),
            unissued: 0,
            reading_back: ReadingBack::new(plan, SlotPlan::of(plan).count()),
            wrote_until: None,
            region: plan.files.iter().map(|file| file.size.0).sum(),
            priorities: Priorities::new(plan, SlotPlan::of(plan).count()),
            balance: Balance::default(),
        };
        worker.straight = worker.straight();
        Ok(worker)
    }

    /// Shifts the due times of a fixed rate by `share` of a gap; to be called before [`begin`](Worker::begin).
    pub(crate) fn shift_pace(&mut self, share: f64) {
        self.pace.shift(share);
    }

    /// Advances these counters, one per file, jointly with other workers; to be called before [`begin`](Worker::begin).
    pub(crate) fn share(&mut self, counters: &[Option<Arc<AtomicU64>>]) {
        self.access.share(counters);
    }

    /// Puts into `out` the I/Os due at `now`, as far as slots and the batch's room allow.
    #[inline]
    pub fn issue(&mut self, now: Nanos, out: &mut Batch) {
        self.reach(now);
        self.issue_due(now, out);
    }

    /// [`issue`](Worker::issue) after a call of [`reach`](Worker::reach) with `now`; returns the number of I/Os.
    #[inline(always)]
    pub(crate) fn issue_due(&mut self, now: Nanos, out: &mut Batch) -> usize {
        if !(self.open && self.straight.issues && self.fill_straight(now, out)) {
            self.fill_otherwise(now, out);
        }
        debug_assert!(out.ios().len() <= self.slots.in_flight(), "a batch holds I/Os that have no slot");
        let count = out.count();
        if count > 0 {
            self.recorder.submitted(count, self.slots.in_flight());
        }
        count
    }

    /// Fills the batch if the fast path does not apply.
    #[inline(never)]
    fn fill_otherwise(&mut self, now: Nanos, out: &mut Batch) {
        if self.gate.is_some() {
            return self.fill_at_gate(now, out);
        }
        if self.reading_back.is_some() {
            self.read_back(now, out);
        }
        if self.open {
            self.fill_singly(now, out);
        }
    }

    /// Fills the batch, checking for each I/O whether it is due and may be issued.
    #[inline]
    fn fill_singly(&mut self, now: Nanos, out: &mut Batch) {
        if self.pace.is_one() { self.fill::<false>(now, out) } else { self.fill_apart(now, out) }
    }

    /// Fills the batch with I/Os that are due. If writes have a separate pace (`APART`) and the order changes the
    /// direction that was drawn, the I/O counts towards the pace of the drawn direction.
    #[inline]
    fn fill<const APART: bool>(&mut self, now: Nanos, out: &mut Batch) {
        for _ in 0..out.room().min(self.slots.free_count()) {
            let Some(drawn) = self.draw::<APART>(now) else { return };
            if drawn.kind == Direction::Flush {
                self.put(drawn.place, (now, now), out);
                if self.quota.ops() == 0 {
                    return self.spent(now);
                }
                continue;
            }
            if self.overlap.hold_back(drawn, &self.slots) {
                return;
            }
            let DrawnIo { place, kind, due } = drawn;
            let Some(place) = self.quota.take_place(place, &mut self.access) else { return self.spent(now) };
            if APART {
                self.pace.of(kind).advance(place.bytes)
            } else {
                self.pace.main.advance(place.bytes)
            }
            if place.kind != Direction::Read {
                self.changes(&place);
            }
            self.put(place, (due, now), out);
            if self.quota.ops() == 0 && !self.flush.is_pending() {
                return self.spent(now);
            }
        }
    }

    /// Returns the next I/O, if it is due: one held back, a flush, or a new one from the order.
    #[inline(always)]
    fn draw<const APART: bool>(&mut self, now: Nanos) -> Option<DrawnIo> {
        if let Some(held) = self.overlap.let_go() {
            return Some(held);
        }
        let due = if APART { now } else { self.pace.main.next(now) };
        if due > now {
            return None;
        }
        if let Some(file) = self.flush.take() {
            let kind = Direction::Flush;
            return Some(DrawnIo { place: NextIo { kind, file, offset: 0, bytes: 0 }, kind, due: now });
        }
        let (kind, due) = if APART {
            let (kind, due) = self.pace.choose(now, || self.mix.next())?;
            self.mix.changed_to(kind);
            (kind, due)
        } else {
            (self.mix.next(), due)
        };
        Some(DrawnIo { place: self.access.next(kind), kind, due })
    }

    /// Fills the batch if writes have a separate pace or a trace is replayed; out of line for loops with one pace.
    #[cold]
    fn fill_apart(&mut self, now: Nanos, out: &mut Batch) {
        match self.access {
            AccessOrder::Traced(_) => self.fill_from_trace(now, out),
            _ => self.fill::<true>(now, out),
        }
    }

    /// Notes that the I/O at `place`, which is about to be issued, changes the stored data.
    #[inline]
    fn changes(&mut self, place: &NextIo) {
        if place.kind == Direction::Write {
            self.flush.wrote(place.file);
        }
        if self.reading_back.is_some() {
            self.note_issue(place);
        }
    }

    #[inline]
    fn put(&mut self, place: NextIo, (due, now): (Nanos, Nanos), out: &mut Batch) -> u32 {
        let NextIo { kind, file, offset, bytes } = place;
        let slot = self.slots.take(&InFlight { due, issued: now, kind, file, offset, bytes });
        self.access.took(slot);
        debug_assert!(due <= now, "an I/O was issued before it was due");
        self.balance.issued();
        let lateness = now.since(due);
        if lateness > Nanos::ZERO {
            self.recorder.lateness(lateness, LATE);
        }
        out.push(Io { slot, kind, file, offset, bytes, due });
        slot
    }

    /// Settles completions. An I/O whose completion has no time completed at `now`.
    #[inline]
    pub fn settle(&mut self, now: Nanos, done: &[Completion]) {
        self.reach(now);
        self.settle_reaped(now, done);
    }

    /// [`settle`](Worker::settle) after a call of [`reach`](Worker::reach) with `now`.
    #[inline(always)]
    pub(crate) fn settle_reaped(&mut self, now: Nanos, done: &[Completion]) {
        match done {
            [one] if self.straight.settles => {
                self.recorder.reaped(1);
                self.settle_alone(now, one);
            }
            done => self.settle_all(now, done),
        }
        if self.think.is_due(done.len()) {
            self.consider_rest(now, done.len());
        }
    }

    #[inline(never)]
    fn settle_all(&mut self, now: Nanos, done: &[Completion]) {
        // A wait for the clock alone expects no completion.
        if self.slots.in_flight() > 0 {
            self.recorder.reaped(done.len());
        }
        if self.straight.settles {
            self.settle_together(now, done);
        } else {
            done.iter().for_each(|done| self.settle_one(now, done));
        }
    }

    #[inline]
    fn settle_one(&mut self, now: Nanos, done: &Completion) {
        if let Some(io) = self.slots.free(done.slot) {
            self.settle_freed(now, io.in_flight(), done);
        }
    }

    /// Settles `io`, which was in the slot of `done` and has completed or failed.
    #[inline(never)]
    fn settle_freed(&mut self, now: Nanos, io: InFlight, done: &Completion) {
        self.access.freed(done.slot);
        let at = if done.at == Nanos::ZERO { now } else { done.at };
        debug_assert!(at >= io.issued, "an I/O ended before it was issued");
        self.last_done = at;
        if io.kind == Direction::Flush || self.is_read_back(done.slot) {
            self.think.uncount();
        }
        let result = self.outcome(&io, done);
        // The part of the totals to which the I/O belongs.
        let mut place = io.file;
        if self.recorder.is_tracing() {
            self.trace(&io, at, result);
            place = self.place(&io, done.slot);
        }
        let mut mismatch = None;
        if self.reading_back.is_some() {
            self.note_end(&io, result);
            mismatch = self.settle_mismatch(done.slot);
        }
        if mismatch.is_some() {
            // The I/O completed whole and took its time; wrong data in it is a separate error.
            self.recorder.done(CompletedIo { file: place, ..io.ended(at, io.bytes) });
        }
        if result < 0 {
            return self.fail(Failure { at, io, errno: -result, mismatch });
        }
        self.balance.done();
        let bytes = result as u32;
        self.recorder.done(CompletedIo { file: place, ..io.ended(at, bytes) });
        if bytes < io.bytes {
            self.recorder.short(io.kind, place);
        }
        if self.bounds.is_some() {
            self.keep_to_bounds(&io, at, bytes);
        }
        if self.gate.is_some() {
            self.steer(&io, at);
        }
    }

    /// Returns the result of `io`. An I/O that moved nothing has failed, whatever the kernel reports: at the end of a
    /// truncated file it would be counted at a speed that no device has. So has a short read made for verification: the
    /// written data is missing.
    #[inline]
    fn outcome(&self, io: &InFlight, done: &Completion) -> i32 {
        let moved_all = done.result < 0 || done.result as u32 >= io.bytes;
        if moved_all || !matches!(io.kind, Direction::Read | Direction::Write) {
            return done.result;
        }
        if done.result == 0 || self.is_read_back(done.slot) { -NOTHING_MOVED } else { done.result }
    }

    fn trace(&mut self, io: &InFlight, done: Nanos, result: i32) {
        self.recorder.trace(IoTrace {
            due: io.due,
            issued: io.issued,
            done,
            offset: io.offset,
            bytes: if result < 0 { io.bytes } else { result as u32 },
            file: io.file,
            errno: (-result).max(0),
            direction: io.kind,
            counted: false,
        });
    }

    /// When the worker wants its next turn.
    #[inline]
    pub fn wake(&self, now: Nanos) -> Wake {
        if !self.open {
            return self.wake_while_shut(now);
        }
        if !self.has_room() {
            return if self.gate.is_none() { Wake::OnCompletion } else { self.wake_at_gate(now) };
        }
        if self.pace.fills_the_queue() && self.slots.in_flight() > 0 {
            return Wake::OnCompletion;
        }
        self.wake_when_due(now)
    }

    /// When the worker's next I/O is due. Out of line, so that the wake of a queue that is always full stays inlined.
    #[inline(never)]
    fn wake_when_due(&self, now: Nanos) -> Wake {
        Wake::At(self.pace.next(now).min(self.horizon).max(now))
    }

    /// Ends issuing now; I/Os in flight are waited for.
    pub fn stop(&mut self, now: Nanos) {
        self.forgo_reading_back();
        self.end(StopReason::Told, now);
    }

    /// Returns why nothing more is issued; `None` while the worker issues.
    pub fn stopped(&self) -> Option<StopReason> {
        match self.stopped {
            // Whatever ended the worker, it has failed if it read wrong data.
            Some(_) if self.has_mismatched() => Some(StopReason::Failed),
            stopped => stopped.map(|(why, _)| why),
        }
    }

    /// The I/O in flight in `slot`, if any.
    pub(crate) fn in_slot(&self, slot: u32) -> Option<InFlight> {
        self.slots.look(slot)
    }

    /// Number of I/Os in flight.
    #[inline]
    pub fn in_flight(&self) -> usize {
        self.slots.in_flight()
    }

    /// Returns a view of the I/Os in flight, for other threads.
    pub fn view(&self) -> SlotsView {
        self.slots.view()
    }

    /// The first failures, at most 16.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Notes that the time is `now`: passes interval edges, the ramp's end and the deadline.
    #[inline]
    pub(crate) fn reach(&mut self, now: Nanos) {
        self.recorder.reach(now);
        if now >= self.horizon {
            self.pass_horizon(now);
        }
    }

    /// Notes the resources that the thread used since the last such call, up to `now`, not yet reached.
    #[cold]
    pub(crate) fn used(&mut self, now: Nanos, used: ThreadCounters) {
        self.recorder.used(now, used);
    }

    /// Whether the state changes by the clock alone at `now`, which [`reach`](Worker::reach) must then be given.
    #[inline]
    pub(crate) fn is_beyond_edge(&self, now: Nanos) -> bool {
        now >= self.recorder.edge() || now >= self.horizon
    }

    /// When the recorder next has a sheet or a trace to hand over.
    #[inline]
    pub(crate) fn edge(&self) -> Nanos {
        self.recorder.edge()
    }

    /// Ends the worker and returns its recorder with the last sheet.
    pub(crate) fn into_recorder(self) -> Recorder {
        self.balance.assert_even(self.slots.in_flight());
        self.recorder
    }

    #[cold]
    fn fail(&mut self, failure: Failure) {
        let (kind, errno) = (failure.io.kind, failure.errno);
        assert!(errno > 0, "an I/O failed without an error");
        self.balance.failed();
        if self.ends_when_full && kind == Direction::Write && NO_SPACE.contains(&errno) {
            return self.end(StopReason::Amount, failure.at);
        }
        self.recorder.failed(kind, failure.io.file);
        let passed_over = match &self.on_error {
            _ if failure.mismatch.is_some() => self.passes_over_mismatch(),
            OnError::Stop => false,
            OnError::Continue { reads, .. } if kind == Direction::Read => reads.contain(errno),
            OnError::Continue { writes, .. } => writes.contain(errno),
        };
        if !passed_over {
            self.forgo_reading_back();
            self.end(StopReason::Failed, failure.at);
        }
        if self.failures.len() < self.failures.capacity() {
            self.failures.push(failure);
        }
    }
}
