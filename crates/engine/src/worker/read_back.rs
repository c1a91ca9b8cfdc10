//! Reading written data back for comparison: meanwhile, in rounds, or after all writes.

use workload::{Direction, EarlierWrites, Nanos, OnMismatch, ReadBack, Verify, WorkerPlan};

use super::next_io::NextIo;
use super::slots::InFlight;
use super::{StopReason, Worker};
use crate::batch::Batch;
use crate::recorder::Part;
use crate::verify::{ExpectedData, Ledger, Mismatch, Span};

/// Value of `asked` for a slot in which nothing is read back.
const NOT_ASKED: u32 = u32::MAX;
/// EILSEQ, which tools report for data that differs from what was written.
pub(crate) const MISMATCH: i32 = 84;

/// The additional state of a worker that verifies.
#[derive(Debug)]
pub(super) struct ReadingBack {
    /// `None` if only ordinary reads are checked.
    ledger: Option<Ledger>,
    when: ReadBack,
    known: Option<EarlierWrites>,
    on_mismatch: OnMismatch,
    at_the_end: AtTheEnd,
    /// By slot: the number of writes issued when the read began.
    asked: Box<[u32]>,
    /// Mismatches in slots that have not been settled yet.
    mismatches: Vec<(u32, Mismatch)>,
    /// Whether there has been any mismatch.
    mismatched: bool,
}

/// The state of reading back at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtTheEnd {
    NotYet,
    Begun,
    Over,
}

impl ReadingBack {
    pub(super) fn new(plan: &WorkerPlan, slots: u32) -> Option<Box<ReadingBack>> {
        let Verify::On(verification) = &plan.verify else { return None };
        if verification.when == ReadBack::NotAtAll && verification.gives_back.is_none() {
            return None;
        }
        Some(Box::new(ReadingBack {
            ledger: Ledger::new(plan),
            when: verification.when,
            known: verification.known,
            on_mismatch: verification.on_failure,
            at_the_end: AtTheEnd::NotYet,
            asked: vec![NOT_ASKED; slots as usize].into_boxed_slice(),
            mismatches: Vec::with_capacity(plan.depth as usize),
            mismatched: false,
        }))
    }

    /// Gives up all further reading back.
    fn forgo(&mut self) {
        self.at_the_end = AtTheEnd::Over;
    }
}

fn span(file: u32, offset: u64, bytes: u32) -> Span {
    Span { file, offset, bytes }
}

impl Worker {
    /// Whether blocks are still to be read back, though nothing else is to be issued.
    pub(super) fn has_more_to_read_back(&self) -> bool {
        let wanted = matches!(self.stopped, Some((StopReason::Amount | StopReason::Time, _)));
        let open = |back: &ReadingBack| back.ledger.is_some() && back.at_the_end != AtTheEnd::Over;
        wanted && self.reading_back.as_deref().is_some_and(open)
    }

    /// Reads back pending blocks, as far as slots and the batch's room allow.
    #[cold]
    pub(super) fn read_back(&mut self, now: Nanos, out: &mut Batch) {
        if self.open {
            if self.when_is(ReadBack::WithoutWriting) {
                return self.imagine(now);
            }
        } else if !self.has_more_to_read_back() || !self.begin_at_the_end(now, out) {
            return;
        }
        while out.room() > 0 && self.slots.free_count() > 0 {
            let Some(next) = self.next_to_read_back() else { break };
            let Span { file, offset, bytes } = next;
            let slot = self.put(NextIo { kind: Direction::Read, file, offset, bytes }, (now, now), out);
            if let Some(back) = self.reading_back.as_deref_mut() {
                let writes = back.ledger.as_ref().map_or(0, Ledger::writes);
                if let Some(asked) = back.asked.get_mut(slot as usize) {
                    *asked = writes;
                }
            }
        }
        if self.open {
            self.give_back(now, out);
        }
    }

    /// Trims the writes that are to be trimmed, as far as slots and the batch's room allow.
    fn give_back(&mut self, now: Nanos, out: &mut Batch) {
        while out.room() > 0 && self.slots.free_count() > 0 {
            let Some(back) = self.reading_back.as_deref_mut() else { return };
            let slots = &self.slots;
            let place = |Span { file, offset, bytes }| NextIo { kind: Direction::Trim, file, offset, bytes };
            let is_free = |span| !slots.overlap(&place(span));
            let next = back.ledger.as_mut().and_then(|ledger| ledger.next_to_give_back(is_free));
            let Some(next) = next else { return };
            self.put(place(next), (now, now), out);
        }
    }

    fn when_is(&self, when: ReadBack) -> bool {
        self.reading_back.as_deref().is_some_and(|back| back.when == when)
    }

    /// True once reading back at the end can proceed: all writes have completed. Reads from then on are counted
    /// separately, so that they do not change the figures of the writes.
    fn begin_at_the_end(&mut self, now: Nanos, out: &mut Batch) -> bool {
        let begun = |back: &ReadingBack| back.at_the_end == AtTheEnd::Begun;
        if self.reading_back.as_deref().is_some_and(begun) {
            return true;
        }
        if self.slots.in_flight() == 0 && matches!(self.stopped, Some((StopReason::Amount, _))) {
            self.give_back(now, out);
        }
        if self.slots.in_flight() > 0 {
            return false;
        }
        let Some(back) = self.reading_back.as_deref_mut() else { return false };
        back.at_the_end = AtTheEnd::Begun;
        if back.when != ReadBack::WithoutWriting {
            self.wrote_until = Some(self.ended());
            self.recorder.enter(Part::Cool, now);
        }
        true
    }

    fn next_to_read_back(&mut self) -> Option<Span> {
        let back = self.reading_back.as_deref_mut()?;
        let ledger = back.ledger.as_mut()?;
        if self.open {
            return ledger.next_meanwhile();
        }
        let next = ledger.next_at_the_end();
        if next.is_none() {
            back.forgo();
        }
        next
    }

    /// Goes through all writes without issuing them, to determine what an earlier run of the same job wrote.
    fn imagine(&mut self, now: Nanos) {
        // Without an amount, one pass must suffice.
        let has_amount = self.rules.ops_each.or(self.rules.bytes_each).or(self.rules.bytes_in_all).is_some();
        let known = self.reading_back.as_deref().and_then(|back| back.known);
        let mut left = if has_amount || known.is_some() { u64::MAX } else { self.region };
        let mut writes = 0;
        loop {
            let place = self.access.next(self.mix.next());
            if left == 0 || !self.quota.take(place.kind, place.bytes) {
                break;
            }
            left = left.saturating_sub(u64::from(place.bytes));
            if let (Some(known), Direction::Write) = (known, place.kind) {
                writes += 1;
                if writes > known.most {
                    break;
                }
            }
            self.note_issue(&place);
            // The outcome of the last writes is unknown: they stay in flight.
            if known.is_none_or(|known| writes <= known.writes) {
                self.note_end(&InFlight::at(&place), place.bytes as i32);
                self.forget_if_given_back(&place);
            }
        }
        self.end(StopReason::Amount, now);
    }

    /// Excludes a place that an earlier run of the job may have trimmed.
    fn forget_if_given_back(&mut self, place: &NextIo) {
        let ledger = self.reading_back.as_deref_mut().and_then(|back| back.ledger.as_mut());
        if let (Some(ledger), Direction::Write) = (ledger, place.kind) {
            ledger.forget_if_given_back(span(place.file, place.offset, place.bytes));
        }
    }

    /// Notes in the ledger that the I/O at `place` is issued.
    #[cold]
    pub(super) fn note_issue(&mut self, place: &NextIo) {
        let ledger = self.reading_back.as_deref_mut().and_then(|back| back.ledger.as_mut());
        let (Some(ledger), span) = (ledger, span(place.file, place.offset, place.bytes)) else { return };
        match place.kind {
            Direction::Write => ledger.issued(span),
            Direction::Trim => ledger.forget(span),
            Direction::Read | Direction::Flush => {}
        }
    }

    /// Whether slot `slot` holds a read made only for verification.
    pub(super) fn is_read_back(&self, slot: u32) -> bool {
        let asked =
            |back: &ReadingBack| back.asked.get(slot as usize).is_some_and(|asked| *asked != NOT_ASKED);
        self.reading_back.as_deref().is_some_and(asked)
    }

    /// Notes in the ledger that `io` has completed with `result`.
    #[cold]
    pub(super) fn note_end(&mut self, io: &InFlight, result: i32) {
        let ledger = self.reading_back.as_deref_mut().and_then(|back| back.ledger.as_mut());
        let (Some(ledger), span) = (ledger, span(io.file, io.offset, io.bytes)) else { return };
        match io.kind {
            Direction::Write => ledger.ended(span, result == io.bytes as i32),
            Direction::Trim => ledger.trimmed(span, result >= 0),
            Direction::Read | Direction::Flush => {}
        }
    }

    /// Returns the data that should be at `offset` of `file` in the buffer that slot `slot` has read.
    pub(crate) fn expected(&self, slot: u32, file: u32, offset: u64) -> ExpectedData {
        let Some(back) = self.reading_back.as_deref() else { return ExpectedData::Unknown };
        let Some(ledger) = &back.ledger else { return ExpectedData::Any(0) };
        match back.asked.get(slot as usize) {
            None | Some(&NOT_ASKED) => ExpectedData::Unknown,
            Some(&asked) => match ledger.expected(file, offset) {
                // The block was written again after the read had begun.
                ExpectedData::Write(write) | ExpectedData::Any(write) if write > asked => {
                    ExpectedData::Unknown
                }
                expected => expected,
            },
        }
    }

    /// Notes that the data in slot `slot` is wrong, before it is settled as a failure.
    #[cold]
    pub(crate) fn note_mismatch(&mut self, slot: u32, mismatch: Mismatch) {
        debug_assert!(self.slots.look(slot).is_some(), "a mismatch was found in a slot that is free");
        if let Some(back) = self.reading_back.as_deref_mut() {
            back.mismatches.push((slot, mismatch));
            back.mismatched = true;
        }
    }

    /// Returns the mismatch found in `slot`, if any, as it is settled.
    #[cold]
    pub(super) fn settle_mismatch(&mut self, slot: u32) -> Option<Mismatch> {
        let back = self.reading_back.as_deref_mut()?;
        if let Some(asked) = back.asked.get_mut(slot as usize) {
            *asked = NOT_ASKED;
        }
        let at = back.mismatches.iter().position(|(known, _)| *known == slot)?;
        Some(back.mismatches.swap_remove(at).1)
    }

    /// Whether the job continues after a mismatch.
    pub(super) fn passes_over_mismatch(&self) -> bool {
        let goes_on = |back: &ReadingBack| back.on_mismatch == OnMismatch::GoOn;
        self.reading_back.as_deref().is_some_and(goes_on)
    }

    /// Gives up all further reading back.
    #[cold]
    pub(super) fn forgo_reading_back(&mut self) {
        if let Some(back) = self.reading_back.as_deref_mut() {
            back.forgo();
        }
    }

    /// Whether any data read was wrong.
    pub(super) fn has_mismatched(&self) -> bool {
        self.reading_back.as_deref().is_some_and(|back| back.mismatched)
    }
}
