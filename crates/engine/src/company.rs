//! Who begins and who must go when a worker of the step is over.

use workload::{Reach, Start, StepPlan};

use crate::worker::Stopped;

/// What a worker is told while the step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// To begin.
    Begin(usize),
    /// To issue nothing more.
    Stop(usize),
}

/// Where a worker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It has not been told to begin.
    OnCall,
    AtWork,
    /// It has been told to go.
    Leaving,
    Over,
}

/// The workers of a step.
#[derive(Debug)]
pub(crate) struct Company<'a> {
    plan: &'a StepPlan,
    standings: Vec<Standing>,
}

impl<'a> Company<'a> {
    /// The workers of `plan`; those that begin with the step have begun.
    pub(crate) fn new(plan: &'a StepPlan) -> Company<'a> {
        let standing = |worker: &workload::WorkerPlan| match worker.terms.start {
            Start::WithStep => Standing::AtWork,
            Start::After(_) => Standing::OnCall,
        };
        Company { plan, standings: plan.workers.iter().map(standing).collect() }
    }

    /// What must be told to whom now that worker `number` is over because of `why`.
    pub(crate) fn over(&mut self, number: usize, why: Option<Stopped>) -> Vec<Order> {
        self.standings[number] = Standing::Over;
        let exit = self.plan.workers[number].terms.exit;
        let reach = match why {
            Some(Stopped::Failed) => exit.failed,
            Some(Stopped::Amount | Stopped::Time) => exit.done,
            // Whoever is told to go takes nobody along: who told it has told the others.
            Some(Stopped::Told) | None => Reach::Itself,
        };
        let mut orders = Vec::new();
        for other in 0..self.standings.len() {
            let reached = match reach {
                Reach::Itself => false,
                Reach::Group => self.plan.workers[other].terms.exit.group == exit.group,
                Reach::Step => true,
            };
            if reached && matches!(self.standings[other], Standing::OnCall | Standing::AtWork) {
                self.standings[other] = Standing::Leaving;
                orders.push(Order::Stop(other));
            }
        }
        for other in 0..self.standings.len() {
            if self.standings[other] == Standing::OnCall && self.may_begin(other) {
                self.standings[other] = Standing::AtWork;
                orders.push(Order::Begin(other));
            }
        }
        orders
    }

    /// Whether all that worker `number` waits for are over.
    fn may_begin(&self, number: usize) -> bool {
        let Start::After(awaited) = &self.plan.workers[number].terms.start else { return true };
        let standings = self.plan.workers.iter().zip(&self.standings);
        standings
            .filter(|(worker, _)| awaited.contains(&worker.job))
            .all(|(_, standing)| *standing == Standing::Over)
    }
}
