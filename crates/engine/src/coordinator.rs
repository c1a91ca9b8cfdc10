//! The steps of both drivers between turns: collect intervals, report them, decide whether to stop, assemble the
//! record.

use kernel::ThreadCounters;
use record::{Interval, Note, Observer, Silence, SilenceStage, StepRecord, WorkerTotals};
use workload::{Ending, Nanos, Start, StepPlan, WorkerPlan};

use crate::certainty::{Certainty, ending_by_time};
use crate::lateness::Lateness;
use crate::recorder::{Collector, CollectorEnd, Remainder};
use crate::rules::{Rules, Schedule, Timetable, latest};
use crate::told;
use crate::worker::{Crossing, Failure, SteeringResult, StopReason, Worker};
use crate::worker_set::{Command, WorkerSet};

/// The outcome of a worker.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Why the worker stopped issuing; `None` if it is still stuck in the kernel.
    pub(crate) stopped: Option<StopReason>,
    /// When the worker's counting began and ended.
    pub(crate) counted: (Nanos, Nanos),
    /// When the worker was over, its drain included.
    pub(crate) ended: Nanos,
    /// The records made after the last edge.
    pub(crate) remainder: Option<Remainder>,
    /// The worker's first failures.
    pub(crate) failures: Vec<Failure>,
    /// I/Os that were due but not issued.
    pub(crate) unissued: u64,
    /// The bound that ended the worker.
    pub(crate) crossing: Option<Crossing>,
    /// The depth that the search of the worker reached.
    pub(crate) reached: Option<SteeringResult>,
    /// Resources that the worker's thread used while counting; all zeros in simulation.
    pub(crate) usage: ThreadCounters,
}

impl Outcome {
    /// The outcome of a worker that has drained, or that is abandoned.
    pub(crate) fn of(worker: Worker, usage: ThreadCounters) -> Outcome {
        Outcome {
            stopped: worker.stopped(),
            counted: worker.counted(),
            ended: worker.ended(),
            failures: worker.failures().to_vec(),
            unissued: worker.unissued(),
            crossing: worker.crossing(),
            reached: worker.reached_depth(),
            remainder: Some(worker.into_recorder().into_remainder()),
            usage,
        }
    }

    /// Marks the outcome as failed if I/Os of the worker were still in flight when waiting for them was given up.
    pub(crate) fn given_up(self, held: Vec<Failure>) -> Outcome {
        if held.is_empty() {
            return self;
        }
        let failures = self.failures.into_iter().chain(held).collect();
        Outcome { stopped: Some(StopReason::Failed), failures, ..self }
    }

    /// The outcome of a worker that the kernel still holds at `now`.
    pub(crate) fn lost(now: Nanos) -> Outcome {
        Outcome {
            stopped: None,
            counted: (Nanos::MAX, now),
            ended: now,
            remainder: None,
            failures: Vec::new(),
            unissued: 0,
            crossing: None,
            reached: None,
            usage: ThreadCounters::default(),
        }
    }
}

/// Coordinates one step.
pub(crate) struct Coordinator<'a> {
    plan: &'a StepPlan,
    timetable: Timetable,
    collector: Collector,
    workers: WorkerSet<'a>,
    certainty: Certainty,
    lateness: Lateness,
    watcher: &'a mut dyn Observer,
    intervals: Vec<Interval>,
    outcomes: Vec<Option<Outcome>>,
    certain: bool,
    /// Whether more I/Os were issued late than the plan allows.
    late: bool,
    interrupted: bool,
    given_up: bool,
    notes: Vec<Note>,
}

impl<'a> Coordinator<'a> {
    /// Coordinates `plan` from `start` on.
    pub(crate) fn new(
        plan: &'a StepPlan,
        ends: Vec<CollectorEnd>,
        start: Nanos,
        watcher: &'a mut dyn Observer,
    ) -> Coordinator<'a> {
        let timetable = Timetable::of(plan, start);
        let schedules =
            plan.workers.iter().map(|worker| first_schedule(&Rules::of(plan, worker), worker, &timetable));
        let ends = ends.into_iter().zip(schedules).collect();
        Coordinator {
            plan,
            timetable,
            collector: Collector::new(plan, ends, timetable),
            workers: WorkerSet::new(plan),
            certainty: Certainty::new(plan),
            lateness: Lateness::new(plan),
            watcher,
            intervals: Vec::new(),
            outcomes: plan.workers.iter().map(|_| None).collect(),
            certain: false,
            late: false,
            interrupted: false,
            given_up: false,
            notes: Vec::new(),
        }
    }

    /// Takes in everything that the workers have handed over; true if they must stop issuing.
    pub(crate) fn turn(&mut self) -> bool {
        self.collector.tell(self.watcher);
        let rows = self.collector.collect();
        self.collector.tell_restarts(self.watcher);
        let any = !rows.is_empty();
        for row in rows {
            self.certain |= self.certainty.is_certain(&row, self.timetable.counted_from);
            self.late |= self.lateness.is_passed(&row);
            self.announce(row);
        }
        if any {
            self.watcher.so_far(&|| self.collector.so_far());
        }
        self.interrupted |= self.watcher.interrupted();
        self.certain || self.late || self.interrupted
    }

    /// Longest time without any completion before the step is given up.
    pub(crate) fn patience(&self) -> Nanos {
        self.watcher.patience()
    }

    /// Reports that a worker's I/Os do not complete, or do so again. The record states only how such a silence ended.
    pub(crate) fn silence(&mut self, silence: &Silence) {
        self.watcher.silence(silence);
        self.given_up |= silence.stage == SilenceStage::GivenUp;
        if silence.stage != SilenceStage::Noticed {
            self.note(Note::Silence(silence.clone()));
        }
    }

    /// Records the end of worker `number`; returns the resulting commands. Workers that are to begin do so at `next`.
    pub(crate) fn over(&mut self, number: usize, outcome: Outcome, next: Nanos) -> Vec<Command> {
        assert!(self.outcomes[number].is_none(), "worker {number} has two outcomes");
        self.collector.tell(self.watcher);
        self.collector.over(number, outcome.ended, outcome.remainder.as_ref());
        if let Some(trace) = outcome.remainder.as_ref().and_then(|remainder| remainder.trace.as_ref()) {
            self.watcher.traced(number, trace);
        }
        if let Some(issues) = outcome.remainder.as_ref().and_then(|remainder| remainder.issues.as_ref()) {
            self.watcher.issued(number, issues);
        }
        let commands = self.workers.over(number, outcome.stopped);
        self.outcomes[number] = Some(outcome);
        for command in &commands {
            if let Command::Begin(other) = *command {
                let rules = Rules::of(self.plan, &self.plan.workers[other]);
                self.collector.begun(other, rules.schedule(&self.timetable, next));
            }
        }
        commands
    }

    /// Whether worker `number` is over.
    pub(crate) fn is_over(&self, number: usize) -> bool {
        self.outcomes.get(number).is_none_or(Option::is_some)
    }

    /// Whether all workers are over.
    pub(crate) fn all_over(&self) -> bool {
        self.outcomes.iter().all(Option::is_some)
    }

    /// Whether the observer asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// The latest time at which the step ends by its own rules.
    pub(crate) fn deadline(&self) -> Nanos {
        latest(self.plan).map_or(Nanos::MAX, |time| self.timetable.start + time)
    }

    /// Adds a note of the engine to the record, unless it is there already.
    pub(crate) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn announce(&mut self, row: Vec<Interval>) {
        for interval in row {
            assert!(interval.start <= interval.end, "an interval ends before it begins");
            self.watcher.interval(&interval);
            self.intervals.push(interval);
        }
    }

    /// The record of the step; a step without workers is over at `now`.
    pub(crate) fn finish(mut self, now: Nanos) -> StepRecord {
        self.turn();
        for number in 0..self.outcomes.len() {
            if !self.is_over(number) {
                self.over(number, Outcome::lost(now), now);
            }
        }
        let outcomes: Vec<Outcome> = std::mem::take(&mut self.outcomes).into_iter().flatten().collect();
        let ended = outcomes.iter().map(|outcome| outcome.ended).max().unwrap_or(now);
        let ending = self.ending(&outcomes);
        for note in told::notes(self.plan, &outcomes) {
            self.note(note);
        }
        let (rows, mut totals, jobs) = self.collector.finish(ended);
        // Completions during the drain stay in a separate interval, shorter than the others: added to the last one they
        // would lower its rate, because a queue that runs empty is slower than a full one.
        for interval in rows.into_iter().flatten() {
            self.watcher.interval(&interval);
            self.intervals.push(interval);
        }
        assert!(totals.len() == outcomes.len(), "{} totals of {} workers", totals.len(), outcomes.len());
        for (totals, outcome) in totals.iter_mut().zip(&outcomes) {
            complete(totals, outcome);
        }
        self.watcher.so_far(&|| totals.clone());
        let counted_from = outcomes.iter().map(|outcome| outcome.counted.0).min();
        forget_searches(&mut self.intervals, self.plan, &totals);
        StepRecord {
            plan: self.plan.clone(),
            started: self.timetable.start,
            counted_from: counted_from.filter(|at| *at < ended).unwrap_or(self.timetable.counted_from),
            ended,
            ending,
            jobs,
            intervals: self.intervals,
            workers: totals,
            failures: told::failures(self.plan, &outcomes),
            notes: self.notes,
        }
    }

    fn ending(&self, outcomes: &[Outcome]) -> Ending {
        let any = |why| outcomes.iter().any(|outcome| outcome.stopped == Some(why));
        if any(StopReason::Failed) || self.given_up {
            Ending::Failed
        } else if self.interrupted {
            Ending::Interrupted
        } else if self.certain {
            Ending::Certain
        } else if self.late {
            Ending::Amount
        } else if outcomes.is_empty() || any(StopReason::Time) {
            ending_by_time(self.plan)
        } else {
            Ending::Amount
        }
    }
}

/// Marks as not counted the intervals in which a worker searched for its depth, if it found one.
fn forget_searches(intervals: &mut [Interval], plan: &StepPlan, totals: &[WorkerTotals]) {
    let searched = plan.workers.iter().zip(totals).filter(|(worker, _)| worker.terms.steering.is_some());
    for (_, totals) in searched {
        let before = |interval: &&mut Interval| interval.job == totals.job && interval.end <= totals.started;
        intervals.iter_mut().filter(before).for_each(|interval| interval.counted = false);
    }
}

/// Returns the schedule of `worker` as far as it is known when the step starts.
pub(crate) fn first_schedule(rules: &Rules, worker: &WorkerPlan, timetable: &Timetable) -> Schedule {
    match worker.terms.start {
        Start::WithStep => rules.schedule(timetable, timetable.start),
        Start::After(_) => rules.unscheduled(timetable),
    }
}

fn complete(totals: &mut WorkerTotals, outcome: &Outcome) {
    let (from, until) = outcome.counted;
    totals.started = from.min(until);
    totals.ended = until;
    if let Some(back) = &mut totals.read_back {
        back.lasted = outcome.ended.since(until);
    }
    totals.ending = outcome.stopped.map(|stopped| match stopped {
        StopReason::Amount => Ending::Amount,
        StopReason::Time => Ending::Time,
        StopReason::Told => Ending::Interrupted,
        StopReason::Failed => Ending::Failed,
    });
    totals.unissued = outcome.unissued;
    let failed = || outcome.failures.first().map(|failure| failure.errno);
    totals.first_errno = outcome.crossing.map(|crossing| crossing.errno()).or_else(failed);
    totals.user_cpu_ns = outcome.usage.cpu.user.0;
    totals.system_cpu_ns = outcome.usage.cpu.system.0;
    totals.run_delay_ns = outcome.usage.run_delay.0;
    totals.context_switches = outcome.usage.context_switches;
    totals.major_faults = outcome.usage.major_faults;
    totals.minor_faults = outcome.usage.minor_faults;
}
