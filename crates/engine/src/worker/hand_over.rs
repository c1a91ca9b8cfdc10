//! What a worker notes of a batch that it hands to the queue.

use workload::{Io, Nanos, TracedIo};

use super::Worker;
use super::slots::InFlight;
use crate::batch::Batch;

impl Worker {
    /// Moves the time of issue of the I/Os in `batch` to `now`, because filling buffers took time after the turn began;
    /// in a closed loop an I/O is due when it is issued, so its due time moves too.
    pub fn restamp(&mut self, now: Nanos, batch: &Batch) {
        for io in batch.ios() {
            let due = self.pace.is_closed(io.kind).then_some(now);
            self.slots.restamp(io.slot, now, due);
        }
    }

    /// Passes each I/O of `batch`, which is about to be submitted, to the recorder, if the recorder traces issues.
    pub(crate) fn tell_issues(&mut self, batch: &Batch) {
        if !self.recorder.tells_issues() {
            return;
        }
        for io in batch.ios() {
            let Some(InFlight { issued, .. }) = self.slots.look(io.slot) else { continue };
            let Io { kind, file, offset, bytes, .. } = *io;
            self.recorder.issued(TracedIo { at: issued, kind, file, offset, bytes });
        }
    }

    /// Notes that `batch` was submitted at `now`: the time since its I/Os were picked was submission; service time
    /// begins now.
    #[inline]
    pub fn submitted(&mut self, now: Nanos, batch: &Batch) {
        if self.priorities.is_some() {
            return self.submitted_by_priority(now, batch);
        }
        for io in batch.ios() {
            let picked = self.slots.hand_over(io.slot, now);
            self.recorder.submission(io.kind, now.since(picked));
        }
    }
}
