//! How much a worker may still issue.

use workload::Bytes;

use crate::rules::Rules;

/// What is left of the amounts that end a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    ops: u64,
    bytes: u64,
}

impl Quota {
    /// As much as it likes, as in a ramp.
    pub(super) fn unlimited() -> Quota {
        Quota { ops: u64::MAX, bytes: u64::MAX }
    }

    /// The amounts of `rules`, less what is in flight when counting begins: an I/O counts where it ends, so that exactly
    /// the amount is counted.
    pub(super) fn new(rules: &Rules, in_flight_ops: u64, in_flight: Bytes) -> Quota {
        Quota {
            ops: rules.ops_each.map_or(u64::MAX, |ops| ops.saturating_sub(in_flight_ops)),
            bytes: rules.bytes_each.map_or(u64::MAX, |bytes| bytes.saturating_sub(in_flight.0)),
        }
    }

    /// Takes one I/O of `bytes` where there is that much left.
    #[inline]
    pub(super) fn take(&mut self, bytes: u32) -> bool {
        let bytes = u64::from(bytes);
        if self.ops == 0 || self.bytes < bytes {
            return false;
        }
        // From "unlimited" this takes 2^64 bytes, which no step lives to see.
        self.ops -= 1;
        self.bytes -= bytes;
        true
    }
}
