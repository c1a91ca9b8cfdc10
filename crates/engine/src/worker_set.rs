//! Who begins and who must go when a worker of the step is over.

use workload::{Reach, Start, StepPlan};

use crate::worker::Stopped;

/// What a worker is told while the step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// To begin.
    Begin(usize),
    /// To issue nothing more.
    Stop(usize),
}

/// Where a worker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkerState {
    /// It has not been told to begin.
    Waiting,
    Running,
    /// It has been told to go.
    Stopping,
    Ended,
}

/// The workers of a step.
#[derive(Debug)]
pub(crate) struct WorkerSet<'a> {
    plan: &'a StepPlan,
    states: Vec<WorkerState>,
}

impl<'a> WorkerSet<'a> {
    /// The workers of `plan`; those that begin with the step have begun.
    pub(crate) fn new(plan: &'a StepPlan) -> WorkerSet<'a> {
        let state = |worker: &workload::WorkerPlan| match worker.terms.start {
            Start::WithStep => WorkerState::Running,
            Start::After(_) => WorkerState::Waiting,
        };
        WorkerSet { plan, states: plan.workers.iter().map(state).collect() }
    }

    /// What must be told to whom now that worker `number` is over because of `why`.
    pub(crate) fn over(&mut self, number: usize, why: Option<Stopped>) -> Vec<Command> {
        self.states[number] = WorkerState::Ended;
        let exit = self.plan.workers[number].terms.exit;
        let reach = match why {
            Some(Stopped::Failed) => exit.failed,
            Some(Stopped::Amount | Stopped::Time) => exit.done,
            // Whoever is told to go takes nobody along: who told it has told the others.
            Some(Stopped::Told) | None => Reach::Itself,
        };
        let mut commands = Vec::new();
        for other in 0..self.states.len() {
            let reached = match reach {
                Reach::Itself => false,
                Reach::Group => self.plan.workers[other].terms.exit.group == exit.group,
                Reach::Step => true,
            };
            if reached && matches!(self.states[other], WorkerState::Waiting | WorkerState::Running) {
                self.states[other] = WorkerState::Stopping;
                commands.push(Command::Stop(other));
            }
        }
        for other in 0..self.states.len() {
            if self.states[other] == WorkerState::Waiting && self.may_begin(other) {
                self.states[other] = WorkerState::Running;
                commands.push(Command::Begin(other));
            }
        }
        commands
    }

    /// Whether all that worker `number` waits for are over.
    fn may_begin(&self, number: usize) -> bool {
        let Start::After(awaited) = &self.plan.workers[number].terms.start else { return true };
        let states = self.plan.workers.iter().zip(&self.states);
        states
            .filter(|(worker, _)| awaited.contains(&worker.job))
            .all(|(_, state)| *state == WorkerState::Ended)
    }
}
