//! Findings that cannot both be true: each question gets one answer, the surest.

use policy::Resource;
use workload::Direction;

use crate::causes::cause::LevelUnit;
use crate::finding::Evidence;
use crate::findings::open_question::{NotIdentifiable, Question};
use crate::findings::{Finding, Meaning};

/// A question that a finding answers; a run has at most one answer to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindingQuestion {
    /// What limits the level of this direction.
    Holds(Direction, LevelUnit),
    /// Whether both directions have one budget, for blocks of this many bytes if they are known.
    Budget(LevelUnit, Option<u64>),
    /// Whether credits of this kind, as the policy defines them, are left.
    Credits(Resource),
}

fn asked(meaning: &Meaning) -> Option<FindingQuestion> {
    Some(match meaning {
        Meaning::IopsCap(found) => FindingQuestion::Holds(found.direction, LevelUnit::Operations),
        Meaning::DepthBound(found) => FindingQuestion::Holds(found.direction, LevelUnit::Operations),
        Meaning::KernelQueue(found) => FindingQuestion::Holds(found.direction, LevelUnit::Operations),
        Meaning::BandwidthCap(found) => FindingQuestion::Holds(found.direction, LevelUnit::Bytes),
        Meaning::InFlightBound(found) => FindingQuestion::Holds(found.direction, LevelUnit::Bytes),
        Meaning::Saturation(found) => FindingQuestion::Holds(found.direction, found.counted),
        Meaning::CpuBound(found) => FindingQuestion::Holds(found.direction, found.counted),
        Meaning::MachineLimit(found) => FindingQuestion::Holds(found.direction, found.counted),
        Meaning::NotIdentifiable(found) => open(found)?,
        Meaning::SharedBudget(found) => FindingQuestion::Budget(found.counted, Some(found.block)),
        Meaning::SeparateBudgets(found) => FindingQuestion::Budget(found.counted, Some(found.block)),
        Meaning::InsideBurst(found) => FindingQuestion::Credits(found.of),
        Meaning::CreditsSpent(found) => FindingQuestion::Credits(found.of),
        _ => return None,
    })
}

/// Returns the question that a finding leaves open. How operations are charged, and what limits them when bytes bind
/// first, may stay open beside any other finding.
fn open(found: &NotIdentifiable) -> Option<FindingQuestion> {
    match found.question {
        Question::Holds => Some(FindingQuestion::Holds(found.direction?, found.counted)),
        Question::Shared => Some(FindingQuestion::Budget(found.counted, None)),
        Question::Below | Question::Charged => None,
    }
}

/// Whether `a` and `b` cannot both be true.
pub fn exclude(a: &Finding, b: &Finding) -> bool {
    match (&a.meaning, &b.meaning) {
        // A level that comes and goes again and again did not fall or rise for good in the same time.
        (Meaning::Wave(_), Meaning::StepDown(_) | Meaning::StepUp(_)) => meet(&a.evidence, &b.evidence),
        (Meaning::StepDown(_) | Meaning::StepUp(_), Meaning::Wave(_)) => meet(&a.evidence, &b.evidence),
        (a, b) => asked(a).zip(asked(b)).is_some_and(|(a, b)| a == b),
    }
}

fn meet(a: &[Evidence], b: &[Evidence]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.from < b.to && b.from < a.to))
}

/// Keeps the surest of findings that exclude each other, and the first of equally sure ones.
pub(crate) fn without_contradictions(found: Vec<Finding>) -> Vec<Finding> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(found[at].confidence), at));
    let mut kept: Vec<usize> = Vec::with_capacity(found.len());
    for at in order {
        if !kept.iter().any(|&other| exclude(&found[other], &found[at])) {
            kept.push(at);
        }
    }
    let mut at = 0..;
    let is_kept = |_: &Finding| at.next().is_some_and(|at| kept.contains(&at));
    found.into_iter().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::cause::LevelUnit;
    use crate::estimate::Estimate;
    use crate::finding::Confidence;
    use crate::findings::{DepthBound, FillingDepth, IopsCap, Saturation};
    use crate::metering::{Metering, Scales};

    const LEVEL: Estimate = Estimate { value: 500.0, low: 499.0, high: 501.0 };

    fn finding(meaning: impl Into<Meaning>, confidence: Confidence) -> Finding {
        Finding { meaning: meaning.into(), evidence: Vec::new(), confidence }
    }

    fn cap(direction: Direction) -> Finding {
        let scales = Scales { answer: Metering::Metered, slope: None, fano: Vec::new() };
        finding(IopsCap { direction, cap: LEVEL, scales }, Confidence::Likely)
    }

    #[test]
    fn the_surest_answer_to_a_question_stays_and_other_questions_keep_theirs() {
        let scales = Scales { answer: Metering::Unclear, slope: None, fano: Vec::new() };
        let (direction, counted) = (Direction::Read, LevelUnit::Operations);
        let busy = Saturation { direction, counted, level: LEVEL, scales, cache: None };
        let ours = DepthBound { direction, level: LEVEL, depth: 256, latency_ns: 1e6 };
        let depth = FillingDepth { direction, star: 2.0, ninety: 2.0, base_latency_ns: 1e6 };
        let all = vec![
            finding(busy, Confidence::Possible),
            cap(Direction::Write),
            finding(depth, Confidence::Likely),
            cap(Direction::Read),
            finding(ours, Confidence::Likely),
        ];
        let left = without_contradictions(all.clone());
        assert_eq!(left, [all[1].clone(), all[2].clone(), all[3].clone()]);
    }
}
