//! The amount that a worker may still issue.

use workload::{Bytes, Direction};

use super::access::AccessOrder;
use super::next_io::NextIo;
use crate::rules::Rules;

/// The remainder of the amounts that end a step, with the I/Os until the next rest counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    /// I/Os until the next rest, or until the end if there is no further rest.
    ops: u64,
    /// I/Os after the next rest.
    later: u64,
    /// Bytes, counted from the worker's start if the amount includes the ramp.
    bytes: u64,
    /// Bytes of writes, counted from the worker's start.
    written: u64,
}

/// Bytes moved by a number of I/Os.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MovedBytes {
    /// Bytes of all I/Os.
    pub(super) all: u64,
    /// Bytes of writes.
    pub(super) written: u64,
}

impl MovedBytes {
    /// Adds one or several I/Os of `kind` that move `bytes` in all.
    #[inline]
    pub(super) fn add(&mut self, kind: Direction, bytes: u64) {
        self.all += bytes;
        self.written += if kind == Direction::Write { bytes } else { 0 };
    }
}

impl Quota {
    /// No limit.
    pub(super) fn unlimited() -> Quota {
        Quota { ops: u64::MAX, later: 0, bytes: u64::MAX, written: u64::MAX }
    }

    /// The quota of the ramp: unlimited except for amounts that include the ramp.
    pub(super) fn of_ramp(rules: &Rules) -> Quota {
        Quota {
            bytes: rules.bytes_in_all.unwrap_or(u64::MAX),
            written: rules.written_each.unwrap_or(u64::MAX),
            ..Quota::unlimited()
        }
    }

    /// The quota from the ramp's end: the amounts of `rules`, less the I/Os in flight when counting begins: an I/O
    /// counts when it completes, so that exactly the amount is counted.
    pub(super) fn counted(self, rules: &Rules, in_flight_ops: u64, in_flight: Bytes) -> Quota {
        let left = rules.bytes_in_all.map_or(u64::MAX, |_| self.bytes);
        Quota {
            ops: rules.ops_each.map_or(u64::MAX, |ops| ops.saturating_sub(in_flight_ops)),
            later: 0,
            bytes: rules.bytes_each.map_or(u64::MAX, |bytes| bytes.saturating_sub(in_flight.0)).min(left),
            ..self
        }
    }

    /// This quota with a rest after `ops` more I/Os.
    pub(super) fn resting_after(self, ops: u64) -> Quota {
        let all = self.all_ops();
        Quota { ops: all.min(ops), later: all.saturating_sub(ops), ..self }
    }

    /// Number of I/Os until the next rest or the end.
    pub(super) fn ops(&self) -> u64 {
        self.ops
    }

    /// Number of I/Os until the end.
    pub(super) fn all_ops(&self) -> u64 {
        self.ops.saturating_add(self.later)
    }

    /// Whether a rest, and not the end, keeps the next I/O from being issued.
    pub(super) fn is_at_rest(&self) -> bool {
        self.ops == 0 && self.later > 0 && self.bytes > 0
    }

    /// Returns how many of `wanted` I/Os of at most `longest` bytes may be issued without checking each; zero if the
    /// remaining bytes might run out among them.
    #[inline]
    pub(super) fn covers(&self, wanted: usize, longest: u32) -> usize {
        // No queue is deep enough for the product to overflow.
        let most = (wanted as u64).wrapping_mul(u64::from(longest));
        if self.bytes < most || self.written < most { 0 } else { self.ops.min(wanted as u64) as usize }
    }

    /// Takes `ops` I/Os that [`covers`](Quota::covers) allowed, with the bytes that they move.
    #[inline]
    pub(super) fn took(&mut self, ops: usize, moved: MovedBytes) {
        debug_assert!(ops as u64 <= self.ops, "more was issued than was covered");
        debug_assert!(moved.all <= self.bytes && moved.written <= self.written, "bytes were not covered");
        self.ops -= ops as u64;
        self.bytes -= moved.all;
        self.written -= moved.written;
    }

    /// Number of bytes of `kind` that are left.
    fn left(&self, kind: Direction) -> u64 {
        if kind == Direction::Write { self.bytes.min(self.written) } else { self.bytes }
    }

    /// Takes the I/O at `place`, with a shorter length of its job if it would exceed the bytes that are left; `None` if nothing
    /// fits any more.
    #[inline]
    pub(super) fn take_place(&mut self, place: NextIo, access: &mut AccessOrder) -> Option<NextIo> {
        if self.take(place.kind, place.bytes) {
            return Some(place);
        }
        let shorter = access.shortened(place, self.left(place.kind))?;
        self.take(shorter.kind, shorter.bytes).then_some(shorter)
    }

    /// Takes one I/O of `bytes`, if that many are left.
    #[inline]
    pub(super) fn take(&mut self, kind: Direction, bytes: u32) -> bool {
        let bytes = u64::from(bytes);
        let written = if kind == Direction::Write { bytes } else { 0 };
        if self.ops == 0 || self.bytes < bytes || self.written < written {
            return false;
        }
        // An unlimited amount covers 2^64 bytes, which no step can issue.
        self.ops -= 1;
        self.bytes -= bytes;
        self.written -= written;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_come_before_the_end_and_take_nothing_from_it() {
        let ten = Quota { ops: 10, ..Quota::unlimited() };
        let mut quota = ten.resting_after(4);
        let take =
            |quota: &mut Quota| std::iter::from_fn(|| quota.take(Direction::Read, 1).then_some(())).count();
        assert_eq!((take(&mut quota), quota.is_at_rest()), (4, true));
        quota = quota.resting_after(4);
        assert_eq!((take(&mut quota), quota.is_at_rest()), (4, true));
        quota = quota.resting_after(4);
        assert_eq!((take(&mut quota), quota.is_at_rest()), (2, false), "that was all");
    }

    #[test]
    fn what_is_covered_could_be_taken_one_by_one() {
        for (ops, bytes, written) in [(9, 40, 40), (3, 40, 40), (9, 39, 40), (9, 40, 39), (0, 40, 40)] {
            let quota = Quota { ops, later: 0, bytes, written };
            let covered = quota.covers(4, 10);
            let (mut at_once, mut singly) = (quota, quota);
            assert!((0..covered).all(|_| singly.take(Direction::Write, 10)));
            let moved = 10 * covered as u64;
            at_once.took(covered, MovedBytes { all: moved, written: moved });
            assert_eq!(at_once, singly);
            assert_eq!(covered, if bytes.min(written) < 40 { 0 } else { ops.min(4) as usize });
        }
    }

    #[test]
    fn what_is_written_in_the_ramp_is_taken_off_what_may_be_written() {
        let rules = Rules { written_each: Some(10), ..Rules::default() };
        let mut ramp = Quota::of_ramp(&rules);
        assert!(ramp.take(Direction::Write, 6) && ramp.take(Direction::Read, 100), "reads write nothing");
        let mut counted = ramp.counted(&rules, 0, Bytes(0));
        assert!(!counted.take(Direction::Write, 5) && counted.take(Direction::Write, 4));
        assert!(!counted.take(Direction::Write, 1) && counted.take(Direction::Read, 1));
    }

    #[test]
    fn what_is_moved_in_the_ramp_is_taken_off_an_amount_in_all_and_of_no_other() {
        for (rules, left) in [
            (Rules { bytes_in_all: Some(10), ..Rules::default() }, 4),
            (Rules { bytes_each: Some(10), ..Rules::default() }, 8),
            (Rules { bytes_each: Some(5), bytes_in_all: Some(10), ..Rules::default() }, 3),
        ] {
            let mut ramp = Quota::of_ramp(&rules);
            assert!(ramp.take(Direction::Read, 6));
            let mut counted = ramp.counted(&rules, 1, Bytes(2));
            let took = std::iter::from_fn(|| counted.take(Direction::Write, 1).then_some(())).count();
            assert_eq!(took, left, "{rules:?}");
        }
    }
}
