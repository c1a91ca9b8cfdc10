//! A second volume behind the same meters: another user's reads, evenly spaced and charged like the volume's own.

use policy::{Locality, Meter};
use workload::{Bytes, Direction, Nanos};

use super::spans::Spans;
use super::tempo::Tempo;

/// The load of the second volume.
#[derive(Clone, Debug)]
pub(super) struct Second {
    /// Time between two reads.
    pub(super) gap: Nanos,
    pub(super) block: Bytes,
    /// Spans in which the second volume reads; `None` if always.
    pub(super) spans: Option<Spans>,
    /// Time of the next read.
    pub(super) next: Nanos,
}

impl Second {
    /// Charges all reads up to `now`.
    #[inline]
    pub(super) fn charge(&mut self, now: Nanos, meter: &mut Meter, tempo: Option<&mut Tempo>) {
        let mut tempo = tempo;
        while self.next <= now {
            let at = self.next;
            self.next += self.gap;
            if let Some(spans) = &mut self.spans
                && spans.within(at).is_none()
            {
                self.next = self.next.max(spans.next_change(at));
                continue;
            }
            let clock = tempo.as_deref_mut().map_or(at, |tempo| tempo.clock(at));
            meter.admit(clock, Direction::Read, self.block, Locality::Random);
        }
    }
}
