//! Claims on a watched machine: from an expectation in words, and from the policy.

use policy::{Limits, Load};
use record::Run;
use workload::{Bytes, Direction, Expectation, Metric};

use crate::claims::EXPECTATION;
use crate::verdict::{ClaimedFigure, Quantity};

/// One claim.
#[derive(Clone, Debug)]
pub(crate) struct ContractClaim {
    pub quantity: Quantity,
    /// Direction; `None`: reads and writes together.
    pub direction: Option<Direction>,
    /// Percentile of a latency; `None` for the mean.
    pub percent: Option<f64>,
    pub claimed: ClaimedFigure,
}

/// Returns the claims of an expectation and of a policy on this run.
pub(crate) fn claims(
    run: &Run,
    limits: Option<&Limits>,
    expectation: Option<&Expectation>,
) -> Vec<ContractClaim> {
    let expected = expectation.iter().flat_map(|expectation| &expectation.claims).map(|claim| {
        let (quantity, percent, value) = match claim.metric {
            Metric::Iops(rate) => (Quantity::Iops, None, rate.0),
            Metric::Bandwidth(rate) => (Quantity::BytesPerSecond, None, rate.0),
            Metric::MeanLatency(bound) => (Quantity::MeanLatency, None, bound.0 as f64),
            Metric::Percentile(percent, bound) => {
                (Quantity::PercentileLatency, Some(percent), bound.0 as f64)
            }
        };
        let claimed =
            ClaimedFigure { value, words: claim.words.clone(), source: EXPECTATION.into(), reading: None };
        ContractClaim { quantity, direction: claim.direction, percent, claimed }
    });
    expected.chain(limits.into_iter().flat_map(|limits| of_policy(run, limits))).collect()
}

/// Returns the policy's operations at the mix and block size of plimsoll's own load, or else of the workload for which
/// the policy states them; and its latency.
fn of_policy(run: &Run, limits: &Limits) -> Vec<ContractClaim> {
    let stated = limits.reference_workload;
    let ours = run.steps.iter().find_map(|step| step.plan.workers.first());
    let (share, block) = match (ours, stated) {
        (Some(worker), _) => {
            (f64::from(worker.access.mix.read_percent()) / 100.0, Bytes(worker.blocks.longest().0))
        }
        (None, Some(stated)) => (stated.read_fraction, stated.block),
        (None, None) => (1.0, Bytes::kib(4)),
    };
    let cap = limits.cap(&Load::mixed(share, block), policy::Level::Baseline);
    let rate = cap.map(|cap| claim_of(limits, Quantity::Iops, cap.iops.0, format!("{:.0}", cap.iops.0)));
    let bound = stated.map(|stated| stated.latency_limit()).or(limits.latency);
    let bound = bound.map(|bound| claim_of(limits, Quantity::MeanLatency, bound.0 as f64, bound.to_string()));
    rate.into_iter().chain(bound).collect()
}

fn claim_of(limits: &Limits, quantity: Quantity, value: f64, words: String) -> ContractClaim {
    let claimed = ClaimedFigure { value, words, source: limits.policy.to_string(), reading: None };
    ContractClaim { quantity, direction: None, percent: None, claimed }
}

/// Whether a claim bounds a latency.
pub(crate) fn is_latency(claim: &ContractClaim) -> bool {
    matches!(claim.quantity, Quantity::MeanLatency | Quantity::PercentileLatency)
}

/// Returns the bound on latency: the lowest of all claims, nanoseconds.
pub(crate) fn bound_ns(claims: &[ContractClaim]) -> Option<u64> {
    claims.iter().filter(|claim| is_latency(claim)).map(|claim| claim.claimed.value as u64).min()
}

/// Returns the operations per second that are claimed for both directions together.
pub(crate) fn claimed_rate(claims: &[ContractClaim]) -> Option<f64> {
    let rates = || claims.iter().filter(|claim| claim.quantity == Quantity::Iops);
    let whole = rates().find(|claim| claim.direction.is_none()).map(|claim| claim.claimed.value);
    let sum: f64 = rates().map(|claim| claim.claimed.value).sum();
    whole.or((sum > 0.0).then_some(sum))
}
