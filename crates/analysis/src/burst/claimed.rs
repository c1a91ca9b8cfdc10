//! The published rate after a burst, compared with the rate left after a drain.

use policy::Resource;
use workload::{Bytes, Direction};

use super::answer::BurstPart;
use crate::claims::{answer, thousands};
use crate::estimate::Estimate;
use crate::verdict::{Answer, ClaimRow, ClaimedFigure, Doubt, Quantity};

/// Returns the row of a part whose burst the policy publishes. Without a fall, the measured rate may be the burst's.
pub(crate) fn left_after(part: &BurstPart) -> Option<ClaimRow> {
    let published = part.published.as_ref()?;
    let quantity = if part.resource == Resource::Iops { Quantity::Iops } else { Quantity::BytesPerSecond };
    let of_burst = |rate: &Estimate| answer(rate, published.burst);
    let (measured, judged, doubts) = match (part.base, part.burst) {
        (Some(base), _) => (Some(base), answer(&base, published.base), Vec::new()),
        (None, Some(burst)) if of_burst(&burst) == Answer::Meets => {
            (Some(burst), Answer::ConsistentWithBurst, vec![Doubt::TooShort])
        }
        (None, Some(burst)) if answer(&burst, published.base) == Answer::Meets => {
            (Some(burst), Answer::Meets, Vec::new())
        }
        (None, Some(burst)) if answer(&burst, published.base) == Answer::Below => {
            (Some(burst), Answer::Below, Vec::new())
        }
        (None, seen) => (seen, Answer::CannotTell, vec![Doubt::TooShort]),
    };
    let words = match quantity {
        Quantity::Iops => thousands(published.base),
        _ => format!("{}/s", Bytes(published.base as u64)),
    };
    Some(ClaimRow {
        what: format!(
            "{} read{} after the burst",
            Bytes(part.block),
            if quantity == Quantity::Iops { " IOPS" } else { "" }
        ),
        quantity,
        direction: Direction::Read,
        claimed: ClaimedFigure {
            value: published.base,
            words,
            source: published.policy.clone(),
            reading: None,
        },
        measured,
        over_time: None,
        latency_ns_p99: None,
        depth: None,
        answer: judged,
        doubts,
    })
}
