//! I/Os that wait while another one on the same bytes is in flight.

use workload::{Direction, Nanos, Overlap, WorkerPlan};

use super::next_io::NextIo;
use super::slots::Slots;

/// An I/O that was drawn and has no slot yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawnIo {
    pub(super) place: NextIo,
    /// The direction drawn from the mix, to whose pace it belongs.
    pub(super) kind: Direction,
    pub(super) due: Nanos,
}

/// Whether I/Os are held back, and the I/O that is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overlaps {
    holds: bool,
    held: Option<DrawnIo>,
}

impl Overlaps {
    pub(super) fn new(plan: &WorkerPlan) -> Overlaps {
        Overlaps { holds: plan.terms.overlap == Overlap::HeldBack, held: None }
    }

    /// Whether any I/O may be held back.
    #[inline]
    pub(super) fn may_hold(&self) -> bool {
        self.holds
    }

    /// Whether an I/O is held back now.
    #[inline]
    pub(super) fn is_holding(&self) -> bool {
        self.holds && self.held.is_some()
    }

    /// Returns the I/O held back, to be checked again before another is drawn.
    #[inline]
    pub(super) fn let_go(&mut self) -> Option<DrawnIo> {
        if self.holds { self.held.take() } else { None }
    }

    /// Returns whether `drawn` must wait for an I/O in `slots`; it is then kept until [`let_go`](Overlaps::let_go).
    #[inline]
    pub(super) fn hold_back(&mut self, drawn: DrawnIo, slots: &Slots) -> bool {
        if self.holds && slots.overlap(&drawn.place) {
            self.held = Some(drawn);
            return true;
        }
        false
    }
}
