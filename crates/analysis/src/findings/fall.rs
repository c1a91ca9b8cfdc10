//! A level that fell during the run and stayed low.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::course::Course;
use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::finding::{Confidence, Evidence, FindingOf, Kind, Nature};
use crate::regimes::{Change, ChangedRate};

/// Standard errors of the ratio's logarithm from zero at which a change is certain; `LIKELY`: at which it is likely.
const CERTAIN: f64 = 6.0;
const LIKELY: f64 = 3.5;
/// Standard errors in the half-width of a 95 % interval.
const Z95: f64 = 1.96;

/// A fall of the rate between `from` and `to`, from `before` to `after` per second: operations, or bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepDown {
    /// The step in which the rate fell, or the first one after the fall.
    pub step: String,
    /// The likeliest time.
    pub at: Nanos,
    /// Earliest time, at 95 %.
    pub from: Nanos,
    /// Latest time, at 95 %.
    pub to: Nanos,
    pub moved: ChangedRate,
    pub before: Estimate,
    pub after: Estimate,
    /// Whether the level after the fall was measured for long enough.
    pub settled: bool,
}

impl Kind for StepDown {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns the falls of a run after which the level did not return; none if loads came back to it although no rise was seen.
pub(super) fn rule(run: &Run, figures: &Figures) -> Vec<FindingOf<StepDown>> {
    let regimes = &figures.regimes;
    let came_back =
        matches!(regimes.course, Course::Moved { .. }) && regimes.changes.iter().all(Change::fell);
    if matches!(regimes.course, Course::Wave { .. }) || came_back {
        return Vec::new();
    }
    let last = regimes.changes.last();
    let fall = |change: &Change| {
        let meaning = StepDown {
            step: step(run, change),
            at: change.likeliest,
            from: change.at.0,
            to: change.at.1,
            moved: change.moved,
            before: change.before,
            after: change.after,
            settled: regimes.settled || Some(change) != last,
        };
        FindingOf { meaning, evidence: evidence(run, change), confidence: confidence(run, change) }
    };
    regimes.changes.iter().filter(|change| change.fell()).map(fall).collect()
}

/// Returns the step in which a change lies, or the first one after it.
pub(super) fn step(run: &Run, change: &Change) -> String {
    let step = run.steps.iter().find(|step| step.ended >= change.likeliest);
    step.map_or(String::new(), |step| step.plan.name.clone())
}

/// Returns the time of the change, within the steps that may contain it.
pub(super) fn evidence(run: &Run, change: &Change) -> Vec<Evidence> {
    let (from, to) = change.at;
    let inside = run.steps.iter().filter(|step| step.started < to && step.ended > from);
    let span = |step: &record::StepRecord| Evidence {
        step: step.plan.name.clone(),
        series: "rate".to_owned(),
        from: step.started.max(from),
        to: step.ended.min(to),
    };
    inside.map(span).collect()
}

/// Returns the confidence by the distance of the ratio from one, in standard errors; never certain if plimsoll waited
/// for a CPU around the change.
pub(super) fn confidence(run: &Run, change: &Change) -> Confidence {
    let ratio = &change.ratio;
    let error = ((ratio.high / ratio.low).ln() / (2.0 * Z95)).max(f64::MIN_POSITIVE);
    let errors = ratio.value.ln().abs() / error;
    let around = |step: &&record::StepRecord| step.started <= change.at.1 && step.ended >= change.at.0;
    let mut intervals = run.steps.iter().filter(around).flat_map(|step| &step.intervals);
    let clean = intervals.all(|interval| !interval.smeared && interval.waited == Nanos::ZERO);
    match errors {
        errors if errors >= CERTAIN && clean => Confidence::Certain,
        errors if errors >= LIKELY => Confidence::Likely,
        _ => Confidence::Possible,
    }
}
