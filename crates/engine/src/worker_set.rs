//! Determines which workers begin or must stop when a worker of the step is over.

use workload::{Reach, Start, StepPlan};

use crate::worker::StopReason;

/// A command to a worker while the step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Begin work.
    Begin(usize),
    /// Issue nothing more.
    Stop(usize),
}

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkerState {
    /// The worker has not been told to begin.
    Waiting,
    Running,
    /// The worker has been told to stop.
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
    /// The workers of `plan`; those that begin with the step are already running.
    pub(crate) fn new(plan: &'a StepPlan) -> WorkerSet<'a> {
        let state = |worker: &workload::WorkerPlan| match worker.terms.start {
            Start::WithStep => WorkerState::Running,
            Start::After(_) => WorkerState::Waiting,
        };
        WorkerSet { plan, states: plan.workers.iter().map(state).collect() }
    }

    /// Returns the commands that follow from the end of worker `number`, which stopped for the reason `why`.
    pub(crate) fn over(&mut self, number: usize, why: Option<StopReason>) -> Vec<Command> {
        assert!(self.states[number] != WorkerState::Ended, "worker {number} ends twice");
        self.states[number] = WorkerState::Ended;
        let exit = self.plan.workers[number].terms.exit;
        let reach = match why {
            Some(StopReason::Failed) => exit.failed,
            Some(StopReason::Amount | StopReason::Time) => exit.done,
            // A worker that was told to stop takes no others along: the cause of its stop has done so.
            Some(StopReason::Told) | None => Reach::Itself,
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
        let is_known = |command: &Command| match command {
            Command::Begin(other) => self.states[*other] == WorkerState::Running,
            Command::Stop(other) => self.states[*other] == WorkerState::Stopping,
        };
        assert!(
            commands.iter().all(is_known),
            "a worker is told what it is not expected to do: {commands:?}"
        );
        commands
    }

    /// Whether all jobs that worker `number` waits for are over.
    fn may_begin(&self, number: usize) -> bool {
        let Start::After(awaited) = &self.plan.workers[number].terms.start else { return true };
        let states = self.plan.workers.iter().zip(&self.states);
        states
            .filter(|(worker, _)| awaited.contains(&worker.job))
            .all(|(_, state)| *state == WorkerState::Ended)
    }
}
