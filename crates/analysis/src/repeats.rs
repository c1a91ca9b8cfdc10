//! What several steps show alike is one finding: with the figures of the worst, and the spans of all.

use std::mem::discriminant;

use crate::Finding;

/// Findings of a kind that steps repeat become one, where the first of them stood.
pub(crate) fn told_once(found: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found {
        let same = |known: &&mut Finding| discriminant(&known.meaning) == discriminant(&finding.meaning);
        match (finding.meaning.badness(), kept.iter_mut().find(same)) {
            (Some(_), Some(known)) => join(known, finding),
            _ => kept.push(finding),
        }
    }
    kept
}

/// Of two equally bad ones the earlier keeps its figures.
fn join(known: &mut Finding, other: Finding) {
    if other.meaning.badness() > known.meaning.badness() {
        known.meaning = other.meaning;
        known.confidence = other.confidence;
    }
    known.evidence.extend(other.evidence);
    known.evidence.sort_by_key(|span| (span.from, span.to));
}

#[cfg(test)]
mod tests {
    use workload::{Direction, Nanos};

    use super::*;
    use crate::{Confidence, Evidence, Meaning};

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
        found(Meaning::Unsteady { step: step.to_owned(), half_width }, step, second)
    }

    fn starved(step: &str, share: f64, second: u64) -> Finding {
        let meaning = Meaning::GeneratorBound {
            step: step.to_owned(),
            own_cpu_share: 0.1,
            waiting_share: share,
            steal_share: 0.0,
            late: 3,
        };
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
            matches!(&once[0].meaning, Meaning::GeneratorBound { step, .. } if step == "d1"),
            "the worst"
        );
        assert_eq!(names(&once[0]), ["d1", "d8", "d32"], "in the order of time");
        let half_width = 0.08;
        assert_eq!(once[1].meaning, Meaning::Unsteady { step: "b256".to_owned(), half_width });
        assert_eq!(names(&once[1]), ["b64", "b256"]);
    }

    #[test]
    fn findings_that_differ_in_more_than_their_step_stay_apart() {
        let crossover = |direction| Meaning::Crossover { direction, bytes: 65_536.0 };
        let apart = vec![
            found(crossover(Direction::Read), "", 0),
            found(crossover(Direction::Write), "", 0),
            unsteady("d8", 0.1, 3),
        ];
        assert_eq!(told_once(apart.clone()), apart);
    }
}
