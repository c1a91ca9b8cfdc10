//! The clock of another machine beside our own, by asking what it shows several times and trusting the quickest answer
//! (as NTP does, RFC 5905 section 8).

use workload::Nanos;

/// Questions of one comparison: as many as the clock filter of NTP keeps answers (RFC 5905, section 10).
pub(crate) const QUESTIONS: usize = 8;

/// How far another clock is ahead of our own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// What the other clock shows more than ours, nanoseconds.
    pub ahead_ns: i64,
    /// How far that may be wrong at most: half of the time that the answer took.
    pub within: Nanos,
}

impl ClockOffset {
    /// Returns the offset from an answer: when it was asked, what was answered, when the answer came.
    pub fn of_answer(asked: Nanos, shown: Nanos, came: Nanos) -> ClockOffset {
        let half = came.since(asked).0.div_ceil(2);
        let middle = asked.0.saturating_add(half);
        let ahead_ns = (i128::from(shown.0) - i128::from(middle)) as i64;
        ClockOffset { ahead_ns, within: Nanos(half) }
    }

    /// Returns the more exact one of two.
    #[must_use]
    pub fn or(self, other: ClockOffset) -> ClockOffset {
        if other.within < self.within { other } else { self }
    }

    /// Returns the time that the other clock shows when ours shows `at`.
    pub fn there(self, at: Nanos) -> Nanos {
        Nanos(at.0.saturating_add_signed(self.ahead_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_the_ways_take_the_true_offset_lies_within(
            ahead in -5_000_000_000_i64..5_000_000_000, there in 0_u64..50_000_000, back in 0_u64..50_000_000,
        ) {
            let asked = Nanos(1_800_000_000_000_000_000);
            let shown = Nanos((asked.0 + there).saturating_add_signed(ahead));
            let offset = ClockOffset::of_answer(asked, shown, Nanos(asked.0 + there + back));
            prop_assert!((offset.ahead_ns - ahead).unsigned_abs() <= offset.within.0);
        }
    }
}
