//! The whole run lies inside a burst that the policy knows.

use policy::Limits;
use serde::{Deserialize, Serialize};

use crate::finding::{Confidence, Found, Kind, Nature};
use crate::verdict::{Answer, Doubt, Quantity, Verdict};

/// The whole run lies inside a burst that the policy knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InsideBurst {
    pub policy: String,
    pub resource: String,
    pub burst_s: f64,
    pub loaded_s: f64,
}

impl Kind for InsideBurst {
    fn nature(&self) -> Nature<'_> {
        // The claims that it leaves open say so themselves.
        Nature { weight: 3, device: None, badness: None, doubt: None, is_level: false }
    }
}

/// The burst that leaves the claims open, as a finding of its own.
pub(super) fn rule(limits: Option<&Limits>, verdict: &Verdict) -> Option<Found<InsideBurst>> {
    let policy = limits?.policy.to_string();
    let open = verdict.rows.iter().filter(|row| row.answer == Answer::ConsistentWithBurst);
    let of_burst = |doubt: &Doubt| match doubt {
        Doubt::InsideBurst { burst_s, loaded_s } => Some((*burst_s, *loaded_s)),
        _ => None,
    };
    let inside = open.flat_map(|row| row.doubts.iter().map(move |doubt| (row.quantity, doubt)));
    let mut inside = inside.filter_map(|(quantity, doubt)| Some((quantity, of_burst(doubt)?)));
    let (quantity, (burst_s, loaded_s)) = inside.next()?;
    let resource = if quantity == Quantity::Iops { "operations" } else { "bytes" }.to_owned();
    Some(Found::at_large(InsideBurst { policy, resource, burst_s, loaded_s }, Confidence::Strong))
}
