//! A generator that was the limit, or lacked CPU.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::StepKind;

use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::shortage::{GOOD_PART, STEAL, Shares, Shortage, WORKER_BUSY};

/// The generator lacked CPU: its busiest worker ran `own_cpu_share` of the step, one was ready but not running for
/// `waiting_share` of it, and the hypervisor took `steal_share` of the machine; `late` I/Os were issued over 1 ms
/// late. At most `lost_share` of the step's rate is lost by that: less than the wait if the device had a queue to go
/// on with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorBound {
    pub step: String,
    pub own_cpu_share: f64,
    pub waiting_share: f64,
    pub steal_share: f64,
    #[serde(default)]
    pub lost_share: f64,
    pub late: u64,
}

impl Kind for GeneratorBound {
    fn nature(&self) -> Nature<'_> {
        Nature {
            weight: 2,
            device: None,
            badness: Some(self.lost_share.max(self.waiting_share)),
            doubt: None,
            level: false,
        }
    }
}

/// Returns the steps in which the generator was the limit, or may have cost a good part of the rate.
pub(super) fn rule(run: &Run) -> Vec<FindingOf<GeneratorBound>> {
    let shortage = Shortage::of(run);
    let measured = run.steps.iter().filter(|step| step.plan.kind != StepKind::Layout);
    measured.filter_map(|step| of_step(&shortage, step)).collect()
}

fn of_step(shortage: &Shortage<'_>, step: &StepRecord) -> Option<FindingOf<GeneratorBound>> {
    let Shares { own_cpu, waiting, steal, lost } = shortage.of_step(step);
    let meaning = GeneratorBound {
        step: step.plan.name.clone(),
        own_cpu_share: own_cpu,
        waiting_share: waiting,
        steal_share: steal,
        lost_share: lost,
        late: step.workers.iter().map(|worker| worker.late).sum(),
    };
    let starved = own_cpu > WORKER_BUSY || lost > GOOD_PART || steal > STEAL;
    starved.then(|| FindingOf::in_step(meaning, step, "cpu", Confidence::Certain))
}
