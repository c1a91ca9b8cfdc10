//! The generator was the limit, or lacked CPU.

use record::{CpuMetric, Run, Sample, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Nanos, StepKind};

use crate::finding::{Confidence, Found, Kind, Nature};
use crate::verdict::Doubt;

/// A worker whose thread was on a CPU for this share of the step was itself the limit.
const WORKER_BUSY: f64 = 0.9;
/// A worker that was ready but not running for this share of the step lacked CPU.
const WORKER_WAITING: f64 = 0.1;
/// Steal above this share of the machine's time counts (methodology 3.2, R16).
const STEAL: f64 = 0.05;

/// The generator lacked CPU: its busiest worker ran `own_cpu_share` of the step, one was ready but not running for
/// `waiting_share` of it, and the hypervisor took `steal_share` of the machine; `late` I/Os were issued over 1 ms late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorBound {
    pub step: String,
    pub own_cpu_share: f64,
    pub waiting_share: f64,
    pub steal_share: f64,
    pub late: u64,
}

impl Kind for GeneratorBound {
    fn nature(&self) -> Nature<'_> {
        Nature {
            weight: 2,
            device: None,
            badness: Some(self.waiting_share.max(self.own_cpu_share)),
            doubt: Some(Doubt::GeneratorBound),
            is_level: false,
        }
    }
}

/// Steps in which the generator was the limit or lacked CPU.
pub(super) fn rule(run: &Run) -> Vec<Found<GeneratorBound>> {
    let measured = run.steps.iter().filter(|step| step.plan.kind != StepKind::Layout);
    measured.filter_map(|step| of_step(run, step)).collect()
}

fn of_step(run: &Run, step: &StepRecord) -> Option<Found<GeneratorBound>> {
    let wall_ns = step.ended.since(step.counted_from).0 as f64;
    let greatest = |shares: &mut dyn Iterator<Item = u64>| {
        shares.map(|spent_ns| spent_ns as f64 / wall_ns).fold(0.0, f64::max)
    };
    let meaning = GeneratorBound {
        step: step.plan.name.clone(),
        own_cpu_share: greatest(
            &mut step.workers.iter().map(|worker| worker.user_cpu_ns + worker.system_cpu_ns),
        ),
        waiting_share: greatest(&mut step.workers.iter().map(|worker| worker.run_delay_ns)),
        steal_share: steal(&within(run, step.counted_from, step.ended)),
        late: step.workers.iter().map(|worker| worker.late).sum(),
    };
    let starved = meaning.own_cpu_share > WORKER_BUSY
        || meaning.waiting_share > WORKER_WAITING
        || meaning.steal_share > STEAL;
    (wall_ns > 0.0 && starved).then(|| Found::in_step(meaning, step, "cpu", Confidence::Certain))
}

/// Samples from `from` to `to`.
pub(super) fn within(run: &Run, from: Nanos, to: Nanos) -> Vec<&Sample> {
    run.samples.iter().filter(|sample| from <= sample.at && sample.at <= to).collect()
}

fn steal(samples: &[&Sample]) -> f64 {
    let ends = samples.first().zip(samples.last());
    let share = ends.map(|(first, last)| last.cpu.since(&first.cpu, CpuMetric::Steal));
    // Where no time has passed the hypervisor took none.
    share.filter(|share| share.is_finite()).unwrap_or(0.0)
}
