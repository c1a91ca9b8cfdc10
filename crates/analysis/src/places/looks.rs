//! What each step of `plimsoll where` examined, from its plan.

use record::StepRecord;
use workload::{Bytes, Order, Repeats, StepKind, Totals, WorkerPlan};

/// Length of the reads of a strip: that of a database's reads.
pub const STRIP_BLOCK: Bytes = Bytes::kib(4);
/// Length of the reads that warm a working set: long enough that a volume with few operations per second gets through
/// the set, and short enough that a cache does not bypass them as a sequence.
pub const WARM_BLOCK: Bytes = Bytes::kib(256);
/// Length of the reads that compare tracks: transferring their bytes takes longer than the seek.
pub const TRACK_BLOCK: Bytes = Bytes::MIB;

/// A range of bytes of the volume, its end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub from: u64,
    /// First byte after the range.
    pub to: u64,
}

impl Span {
    /// Whether `offset` lies in the range.
    pub fn holds(self, offset: u64) -> bool {
        (self.from..self.to).contains(&offset)
    }

    /// Returns the length of the range.
    pub fn bytes(self) -> u64 {
        self.to - self.from
    }
}

/// What a step examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Single places, each more than once.
    Strip,
    /// Every block of a working set once, so that a cache can admit it.
    Warm(Span),
    /// Random places of a working set, one at a time.
    Set(Span),
    /// Many reads at once, from the part in a cache, beyond it, or both.
    Budget,
    /// Sequences at several places.
    Tracks,
}

/// Returns what `step` examined; `None` if it is no step of this procedure.
pub fn look(step: &StepRecord) -> Option<Look> {
    let worker = step.plan.workers.first().filter(|_| step.plan.kind == StepKind::Place)?;
    let block = worker.blocks.longest();
    let each = worker.terms.totals == Totals::WorkerAndEachIo;
    Some(match worker.access.order {
        _ if each && block == TRACK_BLOCK => Look::Tracks,
        _ if each => Look::Strip,
        Order::Random(Repeats::Without) if block == WARM_BLOCK => Look::Warm(span(worker)),
        _ if worker.depth == 1 => Look::Set(span(worker)),
        _ => Look::Budget,
    })
}

/// Returns the region of a worker.
pub fn span(worker: &WorkerPlan) -> Span {
    let file = worker.files.first();
    let from = file.map_or(0, |file| file.offset.0);
    Span { from, to: from + file.map_or(0, |file| file.size.0) }
}
