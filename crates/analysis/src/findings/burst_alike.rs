//! Measured levels that equal those of a published volume on its burst, and would then not last.

use policy::{BurstAlike, BurstLength, Circumstances, Limits, Plateau, bursts_alike};
use serde::{Deserialize, Serialize};
use workload::{Bytes, Direction, Iops, Nanos};

use crate::figures::Figures;
use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::verdict::{Answer, ClaimRow, Doubt, Quantity, Verdict};

/// Most policies that are named.
const NAMED: usize = 3;
/// Share by which the rate after the burst may miss a claim that stays met (method 6.1).
const TOLERANCE: f64 = 0.03;

/// Volumes of other policies that reach the measured levels too while their burst lasts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstsAlike {
    /// Measured rate of small I/Os per second, of the first direction measured.
    pub iops: f64,
    /// Bytes per second of large I/Os, if they settled.
    pub bytes_per_second: Option<f64>,
    /// The policies whose bursts reach these levels, the likeliest first.
    pub policies: Vec<Alike>,
}

/// A policy on its burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    /// Id of the policy.
    pub policy: String,
    /// The provider's name for the policy.
    pub title: String,
    /// Seconds that the burst lasts from full credits on the smallest volume; `None` if not published.
    pub lasts_s: Option<f64>,
    /// I/Os per second that are left after the burst.
    pub after_iops: f64,
}

impl Kind for BurstsAlike {
    fn nature(&self) -> Nature<'_> {
        let first = self.policies.first();
        let doubt = first.map(|alike| Doubt::BurstOfAnother {
            policy: alike.policy.clone(),
            lasts_s: alike.lasts_s,
            more: self.policies.len() - 1,
        });
        Nature { weight: 3, device: None, badness: None, doubt, level: false }
    }
}

/// Returns the published bursts that would give the levels of `run`, if they change its answer. Nothing else in the run
/// points to them: its own policy has no such burst.
pub(super) fn rule(
    figures: &Figures,
    limits: Option<&Limits>,
    verdict: &Verdict,
) -> Option<FindingOf<BurstsAlike>> {
    let spent = |doubt: &Doubt| matches!(doubt, Doubt::CreditsSpent { .. });
    let decided = matches!(verdict.answer, Answer::Measured | Answer::Meets | Answer::Exceeds);
    // A level that equals the baseline of its own policy needs no other policy's burst.
    let explained = verdict.rows.iter().flat_map(|row| &row.doubts).any(spent);
    let fell = figures.regimes.changes.iter().any(crate::regimes::Change::fell);
    if !decided || explained || fell {
        return None;
    }
    let levels = levels(figures);
    let first = levels.first()?;
    let own = |alike: &BurstAlike| limits.is_some_and(|limits| limits.policy.id == alike.policy.id);
    let found = bursts_alike(
        &levels,
        figures.regimes.looked.1.since(figures.regimes.looked.0),
        limits.and_then(Limits::volume_size),
    );
    let others = found.iter().filter(|alike| !own(alike) && changes(alike, &levels, verdict));
    let policies = alikes(others);
    let large = levels.iter().find(|level| level.direction == first.direction && level.block > first.block);
    let bytes_per_second =
        large.map(|level| middle(level) * level.block.0 as f64).filter(|rate| rate.is_finite());
    let meaning = BurstsAlike { iops: middle(first), bytes_per_second, policies };
    (!meaning.policies.is_empty()).then(|| FindingOf::at_large(meaning, Confidence::Possible))
}

fn middle(level: &Plateau) -> f64 {
    f64::midpoint(level.iops.0.0, level.iops.1.0)
}

fn alikes<'a>(found: impl Iterator<Item = &'a BurstAlike>) -> Vec<Alike> {
    let alike = |alike: &BurstAlike| {
        let after_iops = alike.after.first().map_or(0.0, |iops| iops.0);
        let lasts_s = match alike.lasts.0 {
            BurstLength::Ends(length) => Some(length.as_secs_f64()),
            BurstLength::Unknown | BurstLength::None => None,
        };
        Alike { policy: alike.policy.id.clone(), title: alike.title.clone(), lasts_s, after_iops }
    };
    found.take(NAMED).map(alike).collect()
}

/// Returns the doubt that one level is the burst of a published volume, which lasts for longer than `seen`; those of
/// another provider than the machine's are left out.
pub(crate) fn doubt_of(level: Plateau, seen: Nanos, known: &Circumstances) -> Option<Doubt> {
    let found = bursts_alike(&[level], seen, known.size);
    let here = |alike: &&BurstAlike| known.provider.is_none_or(|provider| provider == alike.provider);
    let meaning = BurstsAlike {
        iops: middle(&level),
        bytes_per_second: None,
        policies: alikes(found.iter().filter(here)),
    };
    meaning.nature().doubt
}

/// Returns the settled levels of both ladders. A direction without a settled level of small I/Os is left out.
pub(crate) fn levels(figures: &Figures) -> Vec<Plateau> {
    let mut levels = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let Some(cap) = figures.iops_cap(direction).filter(|cap| !cap.at_least) else { continue };
        let Some(rung) = figures.depths.iter().find(|point| point.direction == direction) else { continue };
        let iops = (Iops(cap.level.low), Iops(cap.level.high));
        levels.push(Plateau { direction, block: Bytes(rung.block), iops });
        let ladder = figures.blocks.iter().filter(|point| point.direction == direction);
        let Some(largest) = ladder.max_by_key(|point| point.block).filter(|point| point.block > rung.block)
        else {
            continue;
        };
        let Some(bytes) = figures.bandwidth_cap(direction) else { continue };
        let block = largest.block as f64;
        let high = if bytes.at_least { f64::INFINITY } else { bytes.level.high };
        let iops = (Iops(bytes.level.low / block), Iops(high / block));
        levels.push(Plateau { direction, block: Bytes(largest.block), iops });
    }
    levels
}

/// Whether the end of the burst would undo the present answer.
fn changes(alike: &BurstAlike, levels: &[Plateau], verdict: &Verdict) -> bool {
    if verdict.answer == Answer::Measured {
        return true;
    }
    let left = |direction: Direction, quantity: Quantity| {
        let of = levels.iter().zip(&alike.after).filter(|(level, _)| level.direction == direction);
        let rate = |(level, after): (&Plateau, &Iops)| match quantity {
            Quantity::BytesPerSecond => after.0 * level.block.0 as f64,
            Quantity::Iops | Quantity::MeanLatency | Quantity::PercentileLatency => after.0,
        };
        of.map(rate).reduce(f64::max)
    };
    let rates =
        verdict.rows.iter().filter(|row| matches!(row.quantity, Quantity::Iops | Quantity::BytesPerSecond));
    let missed = |row: &ClaimRow| {
        left(row.direction, row.quantity).is_some_and(|left| left < row.claimed.value * (1.0 - TOLERANCE))
    };
    rates.into_iter().any(missed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_alone_may_be_the_burst_of_a_volume_of_the_machines_provider_and_of_no_other() {
        let iops = (Iops(2_970.0), Iops(3_030.0));
        let level = Plateau { direction: Direction::Read, block: Bytes::kib(4), iops };
        let found = |provider| {
            let known = Circumstances { size: Some(Bytes::gib(100)), provider };
            match doubt_of(level, Nanos::from_secs(120), &known) {
                Some(Doubt::BurstOfAnother { policy, .. }) => Some(policy),
                _ => None,
            }
        };
        assert_eq!([Some("aws"), Some("oci")].map(found), [Some("aws-gp2".to_owned()), None]);
    }
}
