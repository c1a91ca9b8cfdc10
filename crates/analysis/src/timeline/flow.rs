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
    ops: f64,
    bytes: f64,
    /// I/Os kept in flight: as many more may have been served.
    depth: f64,
}

/// Returns all flows of a run.
pub(crate) fn flows(steps: &[StepRecord]) -> Vec<Flow> {
    let mut flows = Vec::new();
    for step in steps.iter().filter(|step| step.plan.kind != StepKind::Idle) {
        let depth: f64 = step.plan.workers.iter().map(|worker| f64::from(worker.depth)).sum();
        flows.extend(step.intervals.iter().map(|interval| {
            let of = |direction| interval.of(direction).tally;
            let (read, write) = (of(Direction::Read), of(Direction::Write));
            Flow {
                from: interval.start.as_secs_f64(),
                to: interval.end.as_secs_f64(),
                ops: (read.ops + write.ops) as f64,
                bytes: (read.bytes + write.bytes) as f64,
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
}

impl Earning {
    /// Returns the content of the bucket after each flow since it was empty; `None` once more was served than was
    /// earned.
    pub fn balances<'f>(&self, flows: &'f [Flow]) -> impl Iterator<Item = (&'f Flow, Option<f64>)> {
        let Earning { since, rate, bytes } = *self;
        let after = move |flow: &&Flow| flow.from >= since - 1e-3;
        let mut spent = 0.0;
        flows.iter().filter(after).map(move |flow| {
            let each = if bytes { flow.bytes / flow.ops.max(1.0) } else { 1.0 };
            spent += if bytes { flow.bytes } else { flow.ops };
            let earned = rate * (flow.to - since);
            let slack = AHEAD_S * rate + KNOWN * earned + flow.depth * each;
            (flow, (spent <= earned + slack).then_some(earned - spent))
        })
    }

    /// Returns the time from `since` to `until` at which the I/O served was furthest beyond the earnings, when all
    /// earlier savings were spent. One operation more does not count.
    pub fn spent_up(&self, flows: &[Flow], until: f64) -> Option<f64> {
        let Earning { since, rate, bytes } = *self;
        let inside = flows.iter().filter(|flow| flow.to > since && flow.from < until);
        let (mut spent, mut most) = (0.0, None::<(f64, f64)>);
        for flow in inside {
            let share = (flow.to - since).min(flow.to - flow.from) / (flow.to - flow.from);
            let each = if bytes { flow.bytes / flow.ops.max(1.0) } else { 1.0 };
            spent += share * if bytes { flow.bytes } else { flow.ops };
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
