//! Effects of the policy's own burst on the figures: credits may have paid for them, or none are left.

use policy::{Limits, Resource};
use serde::{Deserialize, Serialize};

use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::verdict::{Answer, Doubt, Verdict};

/// A rate that equals the policy's burst on `of`: at `rate` per second it lasts `burst_s` from full credits, and the
/// run loaded the volume for `loaded_s`. The credits left last `left_s_least` to `left_s_most`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InsideBurst {
    pub policy: String,
    pub of: Resource,
    pub rate: f64,
    pub burst_s: f64,
    pub loaded_s: f64,
    pub left_s_least: f64,
    pub left_s_most: f64,
}

/// The baseline of the rule on `of` was the limit while the load asked for more: its credits are spent. With credits,
/// the rate would have been `burst` per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreditsSpent {
    pub policy: String,
    pub of: Resource,
    pub baseline: f64,
    pub burst: f64,
}

const OF_BURST: Nature<'static> =
    Nature { weight: 3, device: None, badness: None, doubt: None, level: false };

impl Kind for InsideBurst {
    fn nature(&self) -> Nature<'_> {
        // The claims left open by it have the doubt themselves.
        OF_BURST
    }
}

impl Kind for CreditsSpent {
    fn nature(&self) -> Nature<'_> {
        OF_BURST
    }
}

/// The two kinds of finding of this rule.
pub(super) enum Burst {
    Inside(InsideBurst),
    Spent(CreditsSpent),
}

/// Returns the burst that leaves claims open, or that has ended; of several, the one that ends first. A recorded fall
/// of the rate is reported as a fall instead.
pub(super) fn rule(limits: Option<&Limits>, verdict: &Verdict, fell: RateFalls) -> Option<FindingOf<Burst>> {
    let policy = limits?.policy.to_string();
    match (inside(&policy, verdict), spent(&policy, verdict)) {
        (Some(inside), _) if fell == RateFalls::Never => {
            Some(FindingOf::at_large(Burst::Inside(inside), Confidence::Strong))
        }
        (_, Some(spent)) => Some(FindingOf::at_large(Burst::Spent(spent), Confidence::Strong)),
        _ => None,
    }
}

/// Whether a fall of the rate was recorded during the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RateFalls {
    Never,
    Once,
}

fn inside(policy: &str, verdict: &Verdict) -> Option<InsideBurst> {
    let open = verdict.rows.iter().filter(|row| row.answer == Answer::ConsistentWithBurst);
    let of_burst = |doubt: &Doubt| match *doubt {
        Doubt::InsideBurst { of, rate, burst_s, loaded_s, left_s_least, left_s_most } => {
            let policy = policy.to_owned();
            Some(InsideBurst { policy, of, rate, burst_s, loaded_s, left_s_least, left_s_most })
        }
        _ => None,
    };
    let bursts = open.flat_map(|row| &row.doubts).filter_map(of_burst);
    bursts.min_by(|a, b| a.burst_s.total_cmp(&b.burst_s))
}

fn spent(policy: &str, verdict: &Verdict) -> Option<CreditsSpent> {
    verdict.rows.iter().flat_map(|row| &row.doubts).find_map(|doubt| match *doubt {
        Doubt::CreditsSpent { of, baseline, burst } => {
            Some(CreditsSpent { policy: policy.to_owned(), of, baseline, burst })
        }
        _ => None,
    })
}
