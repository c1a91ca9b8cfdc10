//! A check of a worker's issued I/Os against completions: counted only with debug assertions.

/// I/O counts of one worker. In a release build nothing is counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    issued: u64,
    done: u64,
    failed: u64,
}

impl Balance {
    #[inline]
    pub(super) fn issued(&mut self) {
        if cfg!(debug_assertions) {
            self.issued += 1;
        }
    }

    #[inline]
    pub(super) fn done(&mut self) {
        if cfg!(debug_assertions) {
            self.done += 1;
        }
    }

    pub(super) fn failed(&mut self) {
        if cfg!(debug_assertions) {
            self.failed += 1;
        }
    }

    /// Asserts that every issued I/O has completed, failed or is still in flight.
    pub(super) fn assert_even(&self, in_flight: usize) {
        debug_assert!(
            self.issued == self.done + self.failed + in_flight as u64,
            "an I/O was lost or came back twice: {self:?}, {in_flight} in flight"
        );
    }
}
