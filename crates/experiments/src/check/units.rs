//! Candidates, from the ladder, for the unit of bytes that the volume counts as one operation.

use workload::{Bytes, Direction};

use super::known::{CheckState, GAIN, moves, rate};
use workload::StepKind;

/// Smallest unit that is searched for, above the small block; none below 32 KiB is published (method 5.2).
const LEAST: Bytes = Bytes::kib(16);
/// Largest unit that is searched for.
const MOST: Bytes = Bytes::MIB;
/// Most units that are probed.
const AT_MOST: usize = 3;
/// Relative distance from a whole number within which a count of units is accepted: the rates of rungs are known to
/// within one or two per cent.
const WHOLE: f64 = 0.05;
/// Loss against small blocks below which a rung counts as one operation.
const FELL: f64 = 0.05;

/// Units that would explain the fall of the rate with block size, those that explain most rungs first.
///
/// With a unit u, the rate at block size b is C / ceil(b / u): a rung whose rate is C over a whole number n may be
/// charged n units of b / n. A cap on bytes gives whole numbers too if the two caps meet at a power of two, so a
/// suspected unit must still be probed.
pub(super) fn suspected(known: &CheckState<'_>, direction: Direction) -> Vec<Bytes> {
    let small = known.best(direction);
    let mut votes: Vec<(Bytes, usize)> = Vec::new();
    for (block, rate) in rungs(known, direction) {
        if let Some(unit) = unit(small, block, rate) {
            match votes.iter_mut().find(|(voted, _)| *voted == unit) {
                Some((_, count)) => *count += 1,
                None => votes.push((unit, 1)),
            }
        }
    }
    votes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    votes.into_iter().map(|(unit, _)| unit).take(AT_MOST).collect()
}

/// Block and rate of the rungs above the small block.
fn rungs(known: &CheckState<'_>, direction: Direction) -> Vec<(Bytes, f64)> {
    let of = |record: &record::StepRecord| {
        let (way, block) = moves(&record.plan)?;
        (way == direction).then(|| (block, rate(record, direction)))
    };
    known.of_kind(StepKind::BlockLadder).filter_map(of).filter(|(_, rate)| *rate > 0.0).collect()
}

/// Unit by which `block` at `rate` would be charged if small blocks run at `small` per second.
fn unit(small: f64, block: Bytes, rate: f64) -> Option<Bytes> {
    if rate >= small * (1.0 - FELL) {
        return None;
    }
    let charged = small / rate;
    let whole = charged.round();
    let unit = Bytes((block.0 as f64 / whole) as u64);
    let near = (charged / whole - 1.0).abs() <= WHOLE.max(GAIN);
    let is_power = whole >= 2.0 && (block.0 as f64 / whole).fract() == 0.0 && unit.0.is_power_of_two();
    (near && is_power && (LEAST..=MOST).contains(&unit)).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_is_a_whole_part_of_the_small_one_points_at_a_unit() {
        assert_eq!(unit(3_000.0, Bytes::kib(64), 1_500.0), Some(Bytes::kib(32)));
        assert_eq!(unit(3_000.0, Bytes::MIB, 3_000.0 / 64.0), Some(Bytes::kib(16)));
        assert_eq!(
            unit(3_000.0, Bytes::kib(256), 770.0),
            Some(Bytes::kib(64)),
            "within what a rung is known to"
        );
    }

    #[test]
    fn a_cap_of_bytes_that_meets_operations_elsewhere_points_at_none() {
        // 125 MiB/s and 3,000 per second meet at 42.7 KiB.
        for (block, rate) in [(Bytes::kib(64), 2_000.0), (Bytes::kib(256), 500.0), (Bytes::MIB, 125.0)] {
            assert_eq!(unit(3_000.0, block, rate), None, "{block}");
        }
        assert_eq!(unit(3_000.0, Bytes::kib(32), 2_990.0), None, "nothing fell");
        assert_eq!(unit(100_000.0, Bytes::kib(16), 25_000.0), None, "the small block itself");
    }
}
