//! The effective ranges of a distribution on a target of known size: aligned, without holes, and cut off at its end.

use super::profile::{Distribution, DistributionKind};

/// A range of a target with its share of the I/O; bytes count from the target's base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectiveRange {
    /// Percentage of the I/O that goes to earlier ranges.
    pub from: u32,
    /// Percentage of the I/O that goes to this range.
    pub io: u32,
    /// First byte of the range.
    pub start: u64,
    /// Length of the range in bytes.
    pub length: u64,
}

/// The part of a target that I/O can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Bytes from the base to the end.
    pub size: u64,
    /// Length of an I/O in bytes.
    pub block: u64,
    /// Alignment of offsets, in bytes.
    pub step: u64,
}

impl Reach {
    /// One step past the last aligned offset at which an I/O fits, in bytes.
    pub fn aligned(self) -> u64 {
        let step = self.step.max(1);
        self.size.saturating_sub(self.block) / step * step + step
    }
}

/// The ranges of `distribution` on a target.
pub fn effective(distribution: &Distribution, reach: Reach) -> Vec<EffectiveRange> {
    match distribution.kind {
        DistributionKind::Percent => percent(distribution, reach),
        DistributionKind::Absolute => absolute(distribution, reach),
    }
}

/// Ranges of a distribution in percent. Both ends of a range are rounded down to the step, so that neighbours move together. A
/// range without an aligned offset gives its share to a neighbour; one with a single offset keeps that offset to itself.
fn percent(distribution: &Distribution, reach: Reach) -> Vec<EffectiveRange> {
    let (step, whole) = (reach.step.max(1), reach.aligned());
    let part = |percent: u64| (u128::from(percent) * u128::from(whole) / 100) as u64;
    let mut ranges: Vec<EffectiveRange> = Vec::new();
    let (mut from, mut carried) = (0, 0);
    for (at, range) in distribution.placed() {
        let io_from = from;
        from += range.io;
        if range.io == 0 {
            continue;
        }
        let exact = part(at);
        let end = if at + range.length == 100 { whole } else { exact + part(range.length) };
        let end = end / step * step;
        let mut start = exact / step * step;
        if end < exact {
            // No aligned offset: the previous range gets the share if it has only this offset, otherwise the next.
            match ranges.last_mut().filter(|last| last.start == end) {
                Some(last) => last.io += range.io,
                None => carried += range.io,
            }
            continue;
        }
        if let Some(last) = ranges.last_mut().filter(|last| start < end && last.start == start) {
            // The previous range has only this offset and keeps it; this range begins one step later.
            start += step;
            last.length += step;
            if start >= whole {
                carried += range.io;
                continue;
            }
            if start == end {
                last.io += range.io;
                continue;
            }
        }
        if let Some(last) = ranges.last_mut().filter(|last| carried > 0 && last.io < range.io) {
            last.io += std::mem::take(&mut carried);
        }
        let io = range.io + std::mem::take(&mut carried);
        ranges.push(EffectiveRange { from: io_from + range.io - io, io, start, length: end - start });
    }
    if let Some(last) = ranges.last_mut().filter(|_| carried > 0) {
        last.io += carried;
        last.length = whole - last.start;
    }
    // A range that was not widened still has its one offset.
    ranges.iter_mut().for_each(|range| range.length = range.length.max(step));
    ranges
}

/// Ranges of a distribution in bytes. Lengths are used as given; the part past the target's end is cut off, and the
/// shares of the others are then relative to each other.
fn absolute(distribution: &Distribution, reach: Reach) -> Vec<EffectiveRange> {
    let mut ranges = Vec::new();
    let mut from = 0;
    for (start, range) in distribution.placed() {
        let io_from = from;
        from += range.io;
        if range.io == 0 {
            continue;
        }
        if start >= reach.size {
            break;
        }
        let rest = reach.size - start;
        let open = range.length == 0 || range.length > rest;
        if open && rest < reach.block {
            break;
        }
        let length = if open { rest } else { range.length };
        ranges.push(EffectiveRange { from: io_from, io: range.io, start, length });
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Range;

    const KIB: u64 = 1024;
    const GIB: u64 = 1 << 30;

    type ExpectedRanges = &'static [(u32, u32, u64, u64)];

    fn check(
        kind: DistributionKind,
        list: &[(u32, u64)],
        (size, step): (u64, u64),
        expected: ExpectedRanges,
    ) {
        let ranges = list.iter().map(|&(io, length)| Range { io, length }).collect();
        let distribution = Distribution::new(kind, ranges);
        let found: Vec<_> = effective(&distribution, Reach { size, block: step, step })
            .into_iter()
            .map(|range| (range.from, range.io, range.start, range.length))
            .collect();
        assert_eq!(found, expected, "{list:?}");
    }

    #[test]
    fn percents_are_aligned_and_ranges_too_small_find_a_neighbour() {
        let size = (100 * KIB, 4 * KIB);
        let percent = |list: &[(u32, u64)], expected| check(DistributionKind::Percent, list, size, expected);
        percent(
            &[(10, 10), (10, 10), (0, 10)],
            &[(0, 10, 0, 8 * KIB), (10, 10, 8 * KIB, 12 * KIB), (20, 80, 28 * KIB, 72 * KIB)],
        );
        percent(
            &[(10, 10), (10, 10), (10, 1)],
            &[
                (0, 10, 0, 8 * KIB),
                (10, 10, 8 * KIB, 12 * KIB),
                (20, 10, 20 * KIB, 4 * KIB),
                (30, 70, 24 * KIB, 76 * KIB),
            ],
        );
        percent(&[(10, 96), (10, 3), (80, 1)], &[(0, 10, 0, 96 * KIB), (10, 90, 96 * KIB, 4 * KIB)]);
        percent(&[(10, 5), (10, 1), (80, 94)], &[(0, 20, 0, 4 * KIB), (20, 80, 4 * KIB, 96 * KIB)]);
        percent(&[(10, 1), (10, 1)], &[(0, 20, 0, 4 * KIB), (20, 80, 4 * KIB, 96 * KIB)]);
        percent(
            &[(10, 1), (10, 1), (10, 1), (10, 1), (10, 1)],
            &[(0, 40, 0, 4 * KIB), (40, 10, 4 * KIB, 4 * KIB), (50, 50, 8 * KIB, 92 * KIB)],
        );
    }

    #[test]
    fn one_to_four_places_of_a_hundredth_share_the_first_block() {
        for count in 1..=4u32 {
            let list: Vec<(u32, u64)> = (0..count).map(|_| (10, 1)).collect();
            let ranges = list.iter().map(|&(io, length)| Range { io, length }).collect();
            let distribution = Distribution::new(DistributionKind::Percent, ranges);
            let reach = Reach { size: 100 * KIB, block: 4 * KIB, step: 4 * KIB };
            let shares: Vec<_> = effective(&distribution, reach).iter().map(|r| (r.io, r.length)).collect();
            assert_eq!(shares, [(10 * count, 4 * KIB), (100 - 10 * count, 96 * KIB)], "{count}");
        }
    }

    #[test]
    fn sizes_end_with_the_target() {
        let size = (200 * GIB, 4 * KIB);
        let sizes = |list: &[(u32, u64)], expected| check(DistributionKind::Absolute, list, size, expected);
        let tail: ExpectedRanges = &[(0, 10, 0, GIB), (10, 10, GIB, GIB), (20, 80, 102 * GIB, 98 * GIB)];
        sizes(&[(10, GIB), (10, GIB), (0, 100 * GIB)], tail);
        sizes(&[(10, GIB), (10, GIB), (0, 100 * GIB), (80, 1024 * GIB)], tail);
        let cut: ExpectedRanges = &[(0, 10, 0, 100 * GIB), (10, 10, 100 * GIB, 100 * GIB)];
        sizes(&[(10, 100 * GIB), (10, 100 * GIB)], cut);
        sizes(&[(10, 100 * GIB), (10, 200 * GIB)], cut);
    }

    #[test]
    fn sizes_need_not_be_aligned_but_an_io_must_fit_into_the_tail() {
        let size = (100 * KIB, 3 * KIB);
        let sizes = |list: &[(u32, u64)], expected| check(DistributionKind::Absolute, list, size, expected);
        sizes(
            &[(10, 10 * KIB), (10, 90 * KIB), (80, 300 * GIB)],
            &[(0, 10, 0, 10 * KIB), (10, 10, 10 * KIB, 90 * KIB)],
        );
        sizes(&[(10, 98 * KIB)], &[(0, 10, 0, 98 * KIB)]);
        sizes(&[(10, 96 * KIB)], &[(0, 10, 0, 96 * KIB), (10, 90, 96 * KIB, 4 * KIB)]);
    }

    #[test]
    fn a_place_that_nothing_widens_is_still_one_block() {
        let size = (100 * KIB, 4 * KIB);
        check(
            DistributionKind::Percent,
            &[(20, 1), (0, 10), (80, 89)],
            size,
            &[(0, 20, 0, 4 * KIB), (20, 80, 8 * KIB, 92 * KIB)],
        );
    }
}
