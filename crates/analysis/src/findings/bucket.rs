//! A bucket of credits that emptied during the run.

use policy::{Level, Limits};
use record::Run;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::bucket::{BucketAccount, EmptiedBucket, Refill, emptied};
use crate::figures::Figures;
use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::regimes::Change;
use crate::spent::entries;

/// Share within which a rate equals a policy's (method 6.1).
const FITS: f64 = 0.03;

/// A bucket that emptied between `from` and `to`. If it has several accounts, the run does not show which applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketEmptied {
    pub from: Nanos,
    pub to: Nanos,
    pub accounts: Vec<BucketAccount>,
    pub refill: Refill,
    /// The named policy, if these are its rates.
    pub policy: Option<String>,
}

impl Kind for BucketEmptied {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns the first fall of the run, if the end of credits explains all later I/O.
pub(super) fn rule(
    run: &Run,
    figures: &Figures,
    limits: Option<&Limits>,
) -> Option<FindingOf<BucketEmptied>> {
    let fall = figures.regimes.changes.iter().find(|change| Change::fell(change))?;
    let EmptiedBucket { accounts, refill } = emptied(&entries(run, figures), fall.at, limits)?;
    let named = limits.filter(|limits| accounts.iter().any(|account| is_of(limits, account)));
    let policy = named.map(|limits| limits.policy.to_string());
    // A neighbour that arrives and stays takes some such share, but seldom hits both of the policy's rates by chance.
    let confidence = match (&policy, refill) {
        (Some(_), _) => Confidence::Strong,
        (None, Refill::Earned) => Confidence::Likely,
        (None, Refill::Unknown) => Confidence::Possible,
    };
    let (from, to) = fall.at;
    Some(FindingOf::at_large(BucketEmptied { from, to, accounts, refill, policy }, confidence))
}

fn is_of(limits: &Limits, account: &BucketAccount) -> bool {
    let near = |measured: f64, figure: f64| figure > 0.0 && (measured / figure - 1.0).abs() <= FITS;
    limits.limits.iter().any(|rule| {
        rule.resource == account.resource
            && rule.burst.is_some()
            && near(account.burst, rule.rate(Level::Burst))
            && near(account.base.value, rule.baseline)
    })
}
