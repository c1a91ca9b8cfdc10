//! Targets that are no volume, or not the volume meant: in doubt, cached, without data, or only read.

use record::{Run, TargetFacts};
use serde::{Deserialize, Serialize};
use workload::{Direction, ProcedureRequest};

use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::verdict::Doubt;

/// Share of the data read that may have been in the page cache by chance.
const CACHED: f64 = 0.01;

/// The target is not a volume, or another layer lies between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetDoubt {
    pub doubt: record::TargetDoubt,
}

/// Reads were served by the page cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedReads {
    pub share: f64,
}

/// Part of the region contained no data before the layout; `laid_out`: whether it was written then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unwritten {
    pub share: f64,
    pub laid_out: bool,
}

/// Only reads were measured; a thin device may answer them without any I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadsOnly {
    pub unwritten_share: Option<f64>,
}

impl Kind for TargetDoubt {
    fn nature(&self) -> Nature<'_> {
        not_the_volumes(Doubt::Target { why: self.doubt.clone() })
    }
}

impl Kind for CachedReads {
    fn nature(&self) -> Nature<'_> {
        not_the_volumes(Doubt::CachedReads)
    }
}

impl Kind for Unwritten {
    fn nature(&self) -> Nature<'_> {
        not_the_volumes(Doubt::Unwritten { share: self.share })
    }
}

impl Kind for ReadsOnly {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 6, device: None, badness: None, doubt: None, level: false }
    }
}

fn not_the_volumes(doubt: Doubt) -> Nature<'static> {
    Nature { weight: 1, device: None, badness: None, doubt: Some(doubt), level: false }
}

fn certain<K>(meaning: K) -> FindingOf<K> {
    FindingOf::at_large(meaning, Confidence::Certain)
}

fn share(run: &Run, of: fn(&TargetFacts) -> Option<f64>, above: f64) -> Option<f64> {
    run.target.as_ref().and_then(of).filter(|share| *share > above)
}

/// Returns the doubts about the target itself.
pub(super) fn doubtful(run: &Run) -> Vec<FindingOf<TargetDoubt>> {
    let doubts = run.target.iter().flat_map(|facts| &facts.doubts);
    doubts.map(|doubt| certain(TargetDoubt { doubt: doubt.clone() })).collect()
}

/// Returns the share of reads that the page cache served.
pub(super) fn cached(run: &Run) -> Option<FindingOf<CachedReads>> {
    share(run, |facts| facts.cached_share, CACHED).map(|share| certain(CachedReads { share }))
}

/// Returns the share of the region that contained no data.
pub(super) fn unwritten(run: &Run) -> Option<FindingOf<Unwritten>> {
    let share = share(run, |facts| facts.unwritten_share, 0.0)?;
    Some(certain(Unwritten { share, laid_out: false }))
}

/// Returns the finding if nothing may be written and something was read. `where` needs reads only.
pub(super) fn reads_only(run: &Run) -> Option<FindingOf<ReadsOnly>> {
    if matches!(run.asked, Some(ProcedureRequest::Places(_))) {
        return None;
    }
    let facts = run.target.as_ref().filter(|facts| facts.reads_only)?;
    let read = run.steps.iter().any(|step| step.tally(Direction::Read).ops > 0);
    read.then(|| certain(ReadsOnly { unwritten_share: facts.unwritten_share }))
}
