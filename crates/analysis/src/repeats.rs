//! Findings that are reported once although they show more often: in several steps, on several layers of a stack,
//! above and at a device.

use std::mem::discriminant;

use crate::finding::Layer;
use crate::findings::{Finding, Meaning};
use crate::watch::shape::LevelOrigin;

/// Joins findings of a kind that steps repeat into one, in the place of the first: with the figures of the worst,
/// and the spans of all.
pub(crate) fn told_once(found: Vec<Finding>) -> Vec<Finding> {
    let spans = |found: &[Finding]| found.iter().map(|finding| finding.evidence.len()).sum::<usize>();
    let all = spans(&found);
    let mut kept: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found {
        let same = |known: &&mut Finding| alike(known, &finding);
        match (finding.meaning.nature().badness, kept.iter_mut().find(same)) {
            (Some(_), Some(known)) => join(known, finding),
            _ => kept.push(finding),
        }
    }
    assert_eq!(all, spans(&kept), "every span that shows a finding stays");
    kept
}

fn alike(a: &Finding, b: &Finding) -> bool {
    discriminant(&a.meaning) == discriminant(&b.meaning)
}

/// Joins two findings; of equally bad ones the earlier keeps its figures.
fn join(known: &mut Finding, other: Finding) {
    if other.meaning.nature().badness > known.meaning.nature().badness {
        known.meaning = other.meaning;
        known.confidence = other.confidence;
    }
    known.evidence.extend(other.evidence);
    known.evidence.sort_by_key(|span| (span.from, span.to));
}

/// Keeps what several layers of one stack show alike on the lowest, where a policy counts, or on the highest if it
/// is about what an application does.
pub(crate) fn once_a_stack(found: Vec<Finding>) -> Vec<Finding> {
    let told_by = |other: &Finding, finding: &Finding| {
        let (mine, theirs) = (finding.meaning.nature().device, other.meaning.nature().device);
        let Some((mine, theirs)) = mine.zip(theirs) else { return false };
        let (upper, lower) = match mine.layer {
            Layer::Lowest => (mine.place, theirs.place),
            Layer::Highest => (theirs.place, mine.place),
        };
        alike(finding, other) && upper.stands_on(&lower.name) && meet(finding, other)
    };
    once(found, told_by)
}

/// Drops a limit found above a device if the device's own counters show the wait for it.
pub(crate) fn once_a_limit(found: Vec<Finding>) -> Vec<Finding> {
    let told_by = |other: &Finding, finding: &Finding| {
        let Meaning::ThrottledAboveDevice(above) = &finding.meaning else { return false };
        let level = match &other.meaning {
            Meaning::HeldOperations(held) => &held.level,
            Meaning::HeldBytes(held) => &held.level,
            _ => return false,
        };
        let named = match &level.named {
            Some(LevelOrigin::Local(limit)) => above.limit.as_ref() == Some(limit),
            Some(LevelOrigin::Policy { .. } | LevelOrigin::Round { .. }) | None => false,
        };
        named && meet(finding, other)
    };
    once(found, told_by)
}

/// Drops a step's fall in rate if the device's counters show the same fall: they also give the level since then.
pub(crate) fn once_a_fall(found: Vec<Finding>) -> Vec<Finding> {
    let told_by = |other: &Finding, finding: &Finding| {
        let both = matches!(finding.meaning, Meaning::StepDown(_))
            && matches!(other.meaning, Meaning::HeldLevelFell(_));
        both && meet(finding, other)
    };
    once(found, told_by)
}

/// Returns `found` without the findings that another one covers.
fn once(found: Vec<Finding>, told_by: impl Fn(&Finding, &Finding) -> bool) -> Vec<Finding> {
    let told = |finding: &&Finding| found.iter().any(|other| told_by(other, finding));
    found.iter().filter(|finding| !told(finding)).cloned().collect()
}

/// Whether two findings share a span.
fn meet(a: &Finding, b: &Finding) -> bool {
    a.evidence.iter().any(|one| b.evidence.iter().any(|other| one.from < other.to && other.from < one.to))
}

#[cfg(test)]
mod tests {
    use workload::{Direction, Nanos};

    use super::*;
    use crate::finding::{Confidence, Evidence};
    use crate::findings::{Crossover, GeneratorBound, Unsteady};

    fn found(meaning: Meaning, step: &str, second: u64) -> Finding {
        let span = Evidence {
            step: step.to_owned(),
            series: "rate".to_owned(),
            from: Nanos::from_secs(second),
            to: Nanos::from_secs(second + 1),
        };
        Finding { meaning, evidence: vec![span], confidence: Confidence::Certain }
    }

    fn unsteady(step: &str, half_width: f64, second: u64) -> Finding {
        found(Meaning::Unsteady(Unsteady { step: step.to_owned(), half_width }), step, second)
    }

    fn starved(step: &str, share: f64, second: u64) -> Finding {
        let meaning = Meaning::GeneratorBound(GeneratorBound {
            step: step.to_owned(),
            own_cpu_share: 0.1,
            waiting_share: share,
            steal_share: 0.0,
            lost_share: 0.2,
            late: 3,
        });
        found(meaning, step, second)
    }

    #[test]
    fn a_repeated_finding_is_told_once_with_its_worst_step_and_every_span() {
        let once = told_once(vec![
            starved("d8", 0.12, 8),
            unsteady("b64", 0.05, 20),
            starved("d1", 0.31, 1),
            starved("d32", 0.2, 32),
            unsteady("b256", 0.08, 30),
        ]);
        let names = |finding: &Finding| -> Vec<String> {
            finding.evidence.iter().map(|span| span.step.clone()).collect()
        };
        assert_eq!(once.len(), 2);
        assert!(
            matches!(&once[0].meaning, Meaning::GeneratorBound(GeneratorBound { step, .. }) if step == "d1"),
            "the worst"
        );
        assert_eq!(names(&once[0]), ["d1", "d8", "d32"], "in the order of time");
        let half_width = 0.08;
        assert_eq!(once[1].meaning, Meaning::Unsteady(Unsteady { step: "b256".to_owned(), half_width }));
        assert_eq!(names(&once[1]), ["b64", "b256"]);
    }

    #[test]
    fn findings_that_differ_in_more_than_their_step_stay_apart() {
        let crossover = |direction| Meaning::Crossover(Crossover { direction, bytes: 65_536.0 });
        let apart = vec![
            found(crossover(Direction::Read), "", 0),
            found(crossover(Direction::Write), "", 0),
            unsteady("d8", 0.1, 3),
        ];
        assert_eq!(told_once(apart.clone()), apart);
    }
}
