//! The driver in virtual time: one thread, one heap of events over all workers, and a volume that determines at
//! admission when an I/O will complete. The same plan and seed give the same record, to the last bit.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use kernel::ThreadCounters;
use record::{Observer, StepRecord};
use workload::{Completion, Io, Nanos, StepPlan};

use super::{EngineError, IN_VAIN};
use crate::batch::Batch;
use crate::coordinator::{Coordinator, Outcome, first_schedule};
use crate::recorder::Recorder;
use crate::rules::{Rules, Timetable};
use crate::worker::{Failure, Wake, Worker, counters, flows, phases};
use crate::worker_set::Command;

/// A volume's answer to an I/O, given at admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeAnswer {
    /// When the I/O will complete; not before its admission. [`Nanos::MAX`]: never.
    pub done_at: Nanos,
    /// Bytes moved, or the negated errno.
    pub result: i32,
}

/// A volume whose completion times are known at admission.
pub trait Volume {
    /// Admits `io` at `now`. Times never go back from call to call.
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer;

    /// Returns when a worker that is ready to run at `now` gets a CPU: `now`, unless the simulation takes CPUs away.
    /// Calls are not in order of time.
    fn has_cpu_at(&mut self, now: Nanos) -> Nanos {
        now
    }
}

/// `slot` of an event that wakes its worker.
const WAKE: u32 = u32::MAX;

/// Greatest number of events between two checks whether the observer wants to stop: some milliseconds.
const EVENTS_A_LOOK: u32 = 1 << 15;

/// A completion, or a wake if `slot` is [`WAKE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    at: Nanos,
    /// Order of admission, which decides between events at the same time.
    sequence: u64,
    worker: u32,
    slot: u32,
    result: i32,
}

/// The earliest event is the greatest, as the standard heap requires.
impl Ord for Event {
    #[inline]
    fn cmp(&self, other: &Event) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

impl PartialOrd for Event {
    #[inline]
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A worker with its pending wake.
struct SimulatedWorker {
    /// `None` once the worker is over.
    worker: Option<Worker>,
    rules: Rules,
    batch: Batch,
    /// Time of the worker's wake in the heap; `MAX` if there is none.
    wake_at: Nanos,
    /// Start and end of the worker's time ready without a CPU that has not been reported to it.
    without_cpu: Option<(Nanos, Nanos)>,
}

/// Everything except the heap, so that the heap's top can be replaced during a turn.
struct Simulation<'v, V: ?Sized> {
    workers: Vec<SimulatedWorker>,
    volume: &'v mut V,
    timetable: Timetable,
    sequence: u64,
    /// Events of one turn.
    fresh: Vec<Event>,
    /// Workers that finished in the same turn.
    finished: Vec<usize>,
}

/// Runs `plan` on `volume` in virtual time from `start` on.
///
/// # Errors
/// [`EngineError::Worker`] if a worker's plan contains no work.
pub fn run_simulated<V: Volume + ?Sized>(
    plan: &StepPlan,
    volume: &mut V,
    start: Nanos,
    watcher: &mut dyn Observer,
) -> Result<StepRecord, EngineError> {
    let timetable = Timetable::of(plan, start);
    let (mut workers, mut ends) = (Vec::new(), Vec::new());
    let shared = counters(&plan.workers).into_iter().zip(flows(&plan.workers));
    let ways = phases(&plan.workers).into_iter().zip(shared);
    for (worker_plan, (phase, (counters, flow))) in plan.workers.iter().zip(ways) {
        let (recorder, end) = Recorder::new(worker_plan);
        let rules = Rules::of(plan, worker_plan);
        let mut worker = Worker::new(worker_plan, rules, recorder)?;
        worker.shift_pace(phase);
        worker.share(&counters);
        worker.flow_with(flow.as_ref());
        worker.begin(timetable, first_schedule(&rules, worker_plan, &timetable));
        let batch = Batch::with_capacity(worker_plan.depth);
        let wake_at = Nanos::MAX;
        workers.push(SimulatedWorker { worker: Some(worker), rules, batch, wake_at, without_cpu: None });
        ends.push(end);
    }
    let mut coordinator = Coordinator::new(plan, ends, start, watcher);
    let mut simulation =
        Simulation { workers, volume, timetable, sequence: 0, fresh: Vec::new(), finished: Vec::new() };
    let ended = simulation.run(&mut coordinator, start);
    // A step without workers only lets time pass.
    let ended = if plan.workers.is_empty() { coordinator.deadline() } else { ended };
    Ok(coordinator.finish(ended))
}

impl SimulatedWorker {
    /// Reports to the worker its time without a CPU, up to `now` at most.
    fn tell_wait(&mut self, now: Nanos) {
        let Some((from, until)) = self.without_cpu.take() else { return };
        let upto = now.min(until);
        if let Some(worker) = &mut self.worker {
            worker.used(now, ThreadCounters { run_delay: upto.since(from), ..ThreadCounters::default() });
        }
        self.without_cpu = (upto < until).then_some((upto, until));
    }
}

impl<V: Volume + ?Sized> Simulation<'_, V> {
    /// Runs until nothing is in flight and nothing will be; returns that time.
    fn run(&mut self, coordinator: &mut Coordinator<'_>, start: Nanos) -> Nanos {
        let mut heap = BinaryHeap::new();
        for number in 0..self.workers.len() {
            self.turn(number, start);
            heap.extend(self.fresh.drain(..));
        }
        self.settle(coordinator, start);
        heap.extend(self.fresh.drain(..));
        let (mut now, mut looks, mut edge) = (start, 0, self.next_edge());
        while let Some(&event) = heap.peek() {
            assert!(event.at >= now, "an event of {:?} comes up at {now:?}", event.at);
            looks += 1;
            if event.at >= edge || looks == EVENTS_A_LOOK {
                looks = 0;
                // All events before the edge have been handled.
                now = now.max(edge.min(event.at));
                self.look(coordinator, now);
                heap.extend(self.fresh.drain(..));
                edge = self.next_edge();
                continue;
            }
            now = event.at;
            self.handle(&event);
            let mut fresh = self.fresh.drain(..);
            // The common case, one completion and one new I/O, moves one event through the heap instead of two.
            match (heap.peek_mut(), fresh.next()) {
                (Some(mut top), Some(first)) => *top = first,
                (Some(top), None) => drop(PeekMut::pop(top)),
                (None, _) => {}
            }
            heap.extend(fresh);
            if !self.finished.is_empty() {
                self.settle(coordinator, now);
                heap.extend(self.fresh.drain(..));
            }
        }
        assert!(self.fresh.is_empty() && self.finished.is_empty(), "events are left after the last turn");
        self.leave(coordinator, now)
    }

    /// Gives up workers that wait for I/O which never completes, once the step's time is over; returns that time.
    fn leave(&mut self, coordinator: &mut Coordinator<'_>, now: Nanos) -> Nanos {
        if !self.running().any(|worker| worker.in_flight() > 0) {
            return now;
        }
        let over = if coordinator.deadline() == Nanos::MAX { now } else { now.max(coordinator.deadline()) };
        self.look(coordinator, over);
        for number in 0..self.workers.len() {
            if let Some(worker) = self.workers[number].worker.take() {
                let in_vain = |io| Failure { at: over, io, errno: IN_VAIN, mismatch: None };
                let held = worker.view().in_flight().into_iter().map(in_vain).collect();
                coordinator.over(number, Outcome::of(worker, ThreadCounters::default()).given_up(held), over);
            }
        }
        over
    }

    /// Removes workers that have finished, and makes others begin or stop as a result.
    #[cold]
    fn settle(&mut self, coordinator: &mut Coordinator<'_>, now: Nanos) {
        while let Some(number) = self.finished.pop() {
            let Some(worker) = self.workers[number].worker.take() else { continue };
            for command in coordinator.over(number, Outcome::of(worker, ThreadCounters::default()), now) {
                self.apply(command, now);
            }
        }
    }

    fn apply(&mut self, command: Command, now: Nanos) {
        let (Command::Begin(number) | Command::Stop(number)) = command;
        let SimulatedWorker { worker, rules, .. } = &mut self.workers[number];
        let Some(worker) = worker else { return };
        match command {
            Command::Begin(_) => worker.call(rules.schedule(&self.timetable, now), now),
            Command::Stop(_) => worker.stop(now),
        }
        self.turn(number, now);
    }

    #[inline]
    fn handle(&mut self, event: &Event) {
        let number = event.worker as usize;
        assert!(number < self.workers.len(), "an event of a worker that the step has not");
        let cpu_at = self.volume.has_cpu_at(event.at);
        if cpu_at > event.at {
            return self.put_off(event, cpu_at);
        }
        let this = &mut self.workers[number];
        this.tell_wait(event.at);
        let SimulatedWorker { worker, wake_at, .. } = this;
        if event.slot == WAKE {
            *wake_at = Nanos::MAX;
        } else if let Some(worker) = worker {
            worker.settle(event.at, &[Completion { slot: event.slot, result: event.result, at: event.at }]);
        }
        self.turn(number, event.at);
    }

    /// Postpones an event until its worker has a CPU.
    #[cold]
    fn put_off(&mut self, event: &Event, cpu_at: Nanos) {
        self.workers[event.worker as usize].without_cpu.get_or_insert((event.at, cpu_at)).1 = cpu_at;
        self.fresh.push(Event { at: cpu_at, ..*event });
    }

    /// Lets one worker issue, and puts the resulting events into `fresh`.
    #[inline]
    fn turn(&mut self, number: usize, now: Nanos) {
        let SimulatedWorker { worker, batch, wake_at, .. } = &mut self.workers[number];
        let Some(worker) = worker else { return };
        batch.open(usize::MAX);
        worker.issue(now, batch);
        worker.tell_issues(batch);
        for io in batch.ios() {
            let VolumeAnswer { done_at, result } = self.volume.serve(now, io);
            if done_at == Nanos::MAX {
                continue;
            }
            self.sequence += 1;
            let event = Event {
                at: done_at.max(now),
                sequence: self.sequence,
                worker: number as u32,
                slot: io.slot,
                result,
            };
            self.fresh.push(event);
        }
        let at = match worker.wake(now) {
            Wake::At(at) | Wake::Busy(at) => at,
            Wake::OnCompletion => return,
            Wake::Finished => return self.finished.push(number),
        };
        // A worker that waits for its call has no time yet: a command will wake it.
        debug_assert!(at >= now, "a worker wants to be woken before now");
        if at < *wake_at {
            *wake_at = at;
            self.sequence += 1;
            let event = Event { at, sequence: self.sequence, worker: number as u32, slot: WAKE, result: 0 };
            self.fresh.push(event);
        }
    }

    /// Hands over finished intervals, and stops all workers if the coordinator says so.
    fn look(&mut self, coordinator: &mut Coordinator<'_>, now: Nanos) {
        self.workers.iter_mut().for_each(|worker| worker.tell_wait(now));
        self.running().for_each(|worker| worker.reach(now));
        if coordinator.turn() {
            for number in 0..self.workers.len() {
                self.apply(Command::Stop(number), now);
            }
            self.settle(coordinator, now);
        }
    }

    fn running(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.workers.iter_mut().filter_map(|worker| worker.worker.as_mut())
    }

    fn next_edge(&mut self) -> Nanos {
        self.running().map(|worker| worker.edge()).min().unwrap_or(Nanos::MAX)
    }
}
