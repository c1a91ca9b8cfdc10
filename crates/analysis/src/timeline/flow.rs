//! All I/O in the order of time, whatever the load, and whether credits explain it.

use record::StepRecord;
use workload::{Direction, StepKind};

/// Advance that a meter allows, in seconds of its rate.
const AHEAD_S: f64 = 0.1;
/// Uncertainty of a level, as a share.
const KNOWN: f64 = 0.02;

/// The I/O of a span, in seconds of the run's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    pub from: f64,
    pub to: f64,
    /// Operations and bytes of reads, and of writes.
    done: [(f64, f64); 2],
    /// I/Os kept in flight: as many more may have been served.
    depth: f64,
}

/// Returns all flows of a run.
pub(crate) fn flows(steps: &[StepRecord]) -> Vec<Flow> {
    let mut flows = Vec::new();
    for step in steps.iter().filter(|step| step.plan.kind != StepKind::Idle) {
        let depth: f64 = step.plan.workers.iter().map(|worker| f64::from(worker.depth)).sum();
        flows.extend(step.intervals.iter().map(|interval| {
            let of = |direction| {
                let tally = interval.of(direction).tally;
                (tally.ops as f64, tally.bytes as f64)
            };
            Flow {
                from: interval.start.as_secs_f64(),
                to: interval.end.as_secs_f64(),
                done: [Direction::Read, Direction::Write].map(of),
                depth,
            }
        }));
    }
    flows.sort_by(|a, b| a.from.total_cmp(&b.from));
    flows
}

/// A bucket that was empty at one time and that a rate fills, in operations or bytes per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earning {
    pub since: f64,
    pub rate: f64,
    pub bytes: bool,
    /// The direction whose I/O it pays for; both if `None`.
    pub direction: Option<Direction>,
}

impl Earning {
    /// Returns what a flow has spent, and the amount of one I/O.
    fn spent(&self, flow: &Flow) -> (f64, f64) {
        let is_paid = |way: &Direction| self.direction.is_none_or(|direction| direction == *way);
        let ways = [Direction::Read, Direction::Write].into_iter().filter(is_paid);
        let (ops, bytes) =
            ways.map(|way| flow.done[way.index()]).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        if self.bytes { (bytes, bytes / ops.max(1.0)) } else { (ops, 1.0) }
    }

    /// Returns the content of the bucket after each flow since it was empty; `None` once more was served than was
    /// earned.
    pub fn balances<'f>(&self, flows: &'f [Flow]) -> impl Iterator<Item = (&'f Flow, Option<f64>)> {
        let bucket = *self;
        let Earning { since, rate, .. } = bucket;
        let after = move |flow: &&Flow| flow.from >= since - 1e-3;
        let mut spent = 0.0;
        flows.iter().filter(after).map(move |flow| {
            let (of_flow, each) = bucket.spent(flow);
            spent += of_flow;
            let earned = rate * (flow.to - since);
            let slack = AHEAD_S * rate + KNOWN * earned + flow.depth * each;
            (flow, (spent <= earned + slack).then_some(earned - spent))
        })
    }

    /// Returns the time from `since` to `until` at which the I/O served was furthest beyond the earnings, when all
    /// earlier savings were spent. One operation more does not count.
    pub fn spent_up(&self, flows: &[Flow], until: f64) -> Option<f64> {
        let Earning { since, rate, .. } = *self;
        let inside = flows.iter().filter(|flow| flow.to > since && flow.from < until);
        let (mut spent, mut most) = (0.0, None::<(f64, f64)>);
        for flow in inside {
            let share = (flow.to - since).min(flow.to - flow.from) / (flow.to - flow.from);
            let (of_flow, each) = self.spent(flow);
            spent += share * of_flow;
            let beyond = spent - rate * (flow.to - since);
            if most.is_none_or(|(most, _)| beyond > most + each) {
                most = Some((beyond, flow.to));
            }
        }
        most.map(|(_, at)| at)
    }

    /// Whether no more was served up to `until` than was earned.
    pub fn explains(&self, flows: &[Flow], until: f64) -> bool {
        let mut within = self.balances(flows).take_while(|(flow, _)| flow.from < until);
        within.all(|(_, balance)| balance.is_some())
    }
}
