//! What both drivers do between turns: collect, tell the watcher, judge, and put the step's record together.

use kernel::ThreadCounters;
use record::{Interval, IoFailure, StepRecord, Watcher, WorkerTotals};
use workload::{Ending, Nanos, StepPlan};

use crate::judge::{Judge, ending_by_time};
use crate::recorder::{Collector, Inbox, Sheet};
use crate::rules::{Rules, Timetable};
use crate::worker::{Failure, Stopped, Worker};

/// How a worker ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Why it stopped issuing; `None` where it is still stuck in the kernel.
    pub(crate) stopped: Option<Stopped>,
    /// When it was over.
    pub(crate) ended: Nanos,
    /// What it had recorded since the last edge.
    pub(crate) sheet: Option<Box<Sheet>>,
    /// Its first failures.
    pub(crate) failures: Vec<Failure>,
    /// What its thread used while counting; all zeros in simulation.
    pub(crate) usage: ThreadCounters,
}

impl Outcome {
    /// The outcome of a worker that has drained, or that is left where it is.
    pub(crate) fn of(worker: Worker, usage: ThreadCounters) -> Outcome {
        Outcome {
            stopped: worker.stopped(),
            ended: worker.ended(),
            failures: worker.failures().to_vec(),
            sheet: Some(worker.into_recorder().into_last_sheet()),
            usage,
        }
    }
}

/// Conducts one step.
pub(crate) struct Conductor<'a> {
    plan: &'a StepPlan,
    timetable: Timetable,
    deadline: Nanos,
    collector: Collector,
    judge: Judge,
    watcher: &'a mut dyn Watcher,
    intervals: Vec<Interval>,
    certain: bool,
    interrupted: bool,
    notes: Vec<String>,
}

impl<'a> Conductor<'a> {
    /// Conducts `plan` from `start` on.
    pub(crate) fn new(
        plan: &'a StepPlan,
        inboxes: Vec<Inbox>,
        start: Nanos,
        watcher: &'a mut dyn Watcher,
    ) -> Conductor<'a> {
        let rules = Rules::of(plan);
        let timetable = rules.timetable(start);
        Conductor {
            plan,
            timetable,
            deadline: rules.deadline(start),
            collector: Collector::new(plan, inboxes, timetable),
            judge: Judge::new(plan),
            watcher,
            intervals: Vec::new(),
            certain: false,
            interrupted: false,
            notes: Vec::new(),
        }
    }

    /// Takes in what the workers have handed over; true when they must stop issuing.
    pub(crate) fn turn(&mut self) -> bool {
        for row in self.collector.collect() {
            self.certain |= self.judge.is_certain(&row, self.timetable.counted_from);
            self.announce(row);
        }
        self.interrupted |= self.watcher.interrupted();
        self.certain || self.interrupted
    }

    /// Whether somebody asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// When issuing ends at the latest.
    pub(crate) fn deadline(&self) -> Nanos {
        self.deadline
    }

    /// Something the engine has to say of itself; each sentence once.
    pub(crate) fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    fn announce(&mut self, row: Vec<Interval>) {
        for interval in row {
            self.watcher.interval(&interval);
            self.intervals.push(interval);
        }
    }

    /// The record of the step, from the outcomes of its workers in the order of the plan; a step without workers is over at `now`.
    pub(crate) fn finish(mut self, outcomes: Vec<Outcome>, now: Nanos) -> StepRecord {
        self.turn();
        let ended = outcomes.iter().map(|outcome| outcome.ended).max().unwrap_or(now);
        for (number, outcome) in outcomes.iter().enumerate() {
            if let Some(sheet) = &outcome.sheet {
                self.collector.take(number, sheet);
            }
        }
        let ending = self.ending(&outcomes);
        let (rows, mut totals, jobs) = self.collector.finish(ended);
        // What ends in the drain stays an interval of its own, shorter than the others: added to the last one it would
        // pull its rate down, since a queue that runs empty is slower than a full one.
        for interval in rows.into_iter().flatten() {
            self.watcher.interval(&interval);
            self.intervals.push(interval);
        }
        for (totals, outcome) in totals.iter_mut().zip(&outcomes) {
            complete(totals, outcome, self.timetable.counted_from);
        }
        StepRecord {
            plan: self.plan.clone(),
            started: self.timetable.start,
            counted_from: self.timetable.counted_from,
            ended,
            ending,
            jobs,
            intervals: self.intervals,
            workers: totals,
            failures: failures(self.plan, &outcomes),
            notes: self.notes,
        }
    }

    fn ending(&self, outcomes: &[Outcome]) -> Ending {
        let any = |why| outcomes.iter().any(|outcome| outcome.stopped == Some(why));
        if any(Stopped::Failed) {
            Ending::Failed
        } else if self.interrupted {
            Ending::Interrupted
        } else if self.certain {
            Ending::Certain
        } else if outcomes.is_empty() || any(Stopped::Time) {
            ending_by_time(self.plan)
        } else {
            Ending::Amount
        }
    }
}

fn complete(totals: &mut WorkerTotals, outcome: &Outcome, counted_from: Nanos) {
    totals.started = counted_from;
    totals.ended = outcome.ended;
    totals.user_cpu_ns = outcome.usage.cpu.user.0;
    totals.system_cpu_ns = outcome.usage.cpu.system.0;
    totals.run_delay_ns = outcome.usage.run_delay.0;
    totals.context_switches = outcome.usage.context_switches;
    totals.major_faults = outcome.usage.major_faults;
    totals.minor_faults = outcome.usage.minor_faults;
}

/// The first failures of all workers by time, at most 16.
fn failures(plan: &StepPlan, outcomes: &[Outcome]) -> Vec<IoFailure> {
    let of_worker = |(worker, outcome): (&workload::WorkerPlan, &Outcome)| -> Vec<IoFailure> {
        let path = |file: u32| worker.files.get(file as usize).map(|file| file.path.display().to_string());
        let row = |failure: &Failure| IoFailure {
            at: failure.at,
            direction: failure.io.kind,
            path: path(failure.io.file).unwrap_or_default(),
            offset: failure.io.offset,
            bytes: failure.io.bytes,
            errno: failure.errno,
        };
        outcome.failures.iter().map(row).collect()
    };
    let mut all: Vec<IoFailure> = plan.workers.iter().zip(outcomes).flat_map(of_worker).collect();
    all.sort_by_key(|failure| failure.at);
    all.truncate(16);
    all
}
