//! The last write to each unit of a worker's files: four bytes per unit, in any order of writes. A unit is the common
//! divisor of all blocks; intervals lie within a unit.

use workload::{Direction, ReadBack, TrimmedContent, Verify, WorkerPlan};

use super::give_back::GivesBack;
use super::unit;

/// Bits of an entry that hold the number of a write, 0 for none. The other bits are marks.
const NUMBER: u32 = (1 << 29) - 1;
/// Number that stands for a trim which leaves zeros.
const ZEROS: u32 = NUMBER;
/// Number of the last write before the numbers start over.
pub(crate) const LAST_WRITE: u32 = ZEROS - 1;
/// Mark: a write or trim of the unit is in flight. Without the number of a write, its effect on the unit is unknown.
const IN_FLIGHT: u32 = 1 << 31;
/// Mark: two I/Os were in flight at once, so it is unknown which was the last.
const EITHER: u32 = 1 << 30;
/// Mark: the unit has been read back since it was last written.
const SEEN: u32 = 1 << 29;

/// The data expected at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedData {
    /// Unknown data, which is not checked.
    Unknown,
    /// The data of any write; the last one issued had this number.
    Any(u32),
    /// The data of this write.
    Write(u32),
    /// Zeros, because the unit was trimmed.
    Zeros,
}

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) file: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u32,
}

/// The entries of one file.
#[derive(Clone, Debug)]
struct FileEntries {
    base: u64,
    entries: Box<[u32]>,
}

/// A record of the places written, and how many of them have been read back.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    unit: u64,
    files: Box<[FileEntries]>,
    writes: u32,
    /// Writes and trims in flight, in no order.
    in_flight: Vec<Span>,
    when: ReadBack,
    /// Bytes of the longest read.
    longest: u64,
    /// Completed writes that wait to be read back, the oldest at `first`; empty unless blocks are read back meanwhile.
    recent: Box<[Span]>,
    first: usize,
    waiting: usize,
    /// Writes left to read back in the current round.
    round: u32,
    /// File and unit that reading back at the end has reached.
    cursor: (usize, usize),
    /// Trims some of the writes again, if the plan asks for it.
    gives_back: Option<GivesBack>,
}

impl Ledger {
    /// Makes a ledger for `plan`; `None` if no writes of the plan are read back or trimmed again.
    pub(crate) fn new(plan: &WorkerPlan) -> Option<Ledger> {
        let Verify::On(verification) = &plan.verify else { return None };
        let is_kept = verification.when.reads_back() || verification.gives_back.is_some();
        if !is_kept || !plan.access.mix.issues(Direction::Write) {
            return None;
        }
        let unit = unit(plan).0.max(1);
        let file = |file: &workload::FilePlan| FileEntries {
            base: file.offset.0,
            entries: vec![0; (file.size.0 / unit) as usize].into_boxed_slice(),
        };
        let room = match verification.when {
            ReadBack::Every { writes, .. } => writes as usize + plan.depth as usize,
            _ => 0,
        };
        Some(Ledger {
            unit,
            files: plan.files.iter().map(file).collect(),
            writes: 0,
            in_flight: Vec::with_capacity(plan.depth as usize),
            when: verification.when,
            longest: plan.blocks.longest_of(Direction::Write).0.max(unit),
            recent: vec![Span { file: 0, offset: 0, bytes: 0 }; room].into_boxed_slice(),
            first: 0,
            waiting: 0,
            round: 0,
            cursor: (0, 0),
            gives_back: verification.gives_back.map(|asked| GivesBack::new(asked, plan)),
        })
    }

    /// Number of the last write issued.
    pub(crate) fn writes(&self) -> u32 {
        self.writes
    }

    /// The entries that `span` covers.
    fn entries(&mut self, span: Span) -> &mut [u32] {
        let Some(file) = self.files.get_mut(span.file as usize) else { return &mut [] };
        let first = (span.offset.saturating_sub(file.base) / self.unit) as usize;
        let count = (u64::from(span.bytes) / self.unit) as usize;
        let end = (first + count).min(file.entries.len());
        file.entries.get_mut(first.min(end)..end).unwrap_or_default()
    }

    /// Notes that a write of `span` is issued.
    pub(crate) fn issued(&mut self, span: Span) {
        self.writes = super::next_write(self.writes);
        let write = self.writes;
        let mut known = false;
        for entry in self.entries(span) {
            known |= *entry & NUMBER != 0 && *entry & SEEN == 0;
            *entry = match *entry {
                entry if entry & IN_FLIGHT == 0 => write | IN_FLIGHT,
                // The result and the time of a trim or a failed write are as unknown as before.
                entry if matches!(entry & NUMBER, 0 | ZEROS) => IN_FLIGHT | EITHER,
                _ => write | IN_FLIGHT | EITHER,
            };
        }
        debug_assert!(write != 0 && write <= LAST_WRITE, "a write has the number of none");
        self.in_flight.push(span);
        if let Some(gives_back) = &mut self.gives_back {
            gives_back.issued(known);
        }
    }

    /// Notes that a write of `span` has completed or failed; the data that a failed write left is unknown.
    pub(crate) fn ended(&mut self, span: Span, well: bool) {
        self.land(span, well);
        if well && !self.recent.is_empty() && self.waiting < self.recent.len() {
            let at = (self.first + self.waiting) % self.recent.len();
            self.recent[at] = span;
            self.waiting += 1;
        }
        if well && self.gives_back.is_some() {
            self.offer(span);
        }
    }

    /// Offers a successful write of `span` for trimming, if nothing else was written there meanwhile.
    #[cold]
    fn offer(&mut self, span: Span) {
        let write = self.entries(span).first().copied().unwrap_or(0);
        if write == 0 || write > LAST_WRITE || self.entries(span).iter().any(|&entry| entry != write) {
            return;
        }
        if let Some(gives_back) = &mut self.gives_back {
            gives_back.offer(span, write);
        }
    }

    /// The next write to trim again, once it is due and `is_free` of I/O in flight.
    pub(crate) fn next_to_give_back(&mut self, is_free: impl Fn(Span) -> bool) -> Option<Span> {
        // A write whose place was written again or read back meanwhile is no longer to be trimmed.
        while let Some((span, write)) = self.gives_back.as_ref()?.first() {
            if self.entries(span).iter().all(|&entry| entry == write) {
                let due = is_free(span) && self.gives_back.as_mut()?.is_due();
                return if due { self.give_back(span) } else { None };
            }
            self.gives_back.as_mut()?.take_first();
        }
        None
    }

    /// Notes that a trim of `span` is issued, and the data that it must leave.
    fn give_back(&mut self, span: Span) -> Option<Span> {
        let leaves = self.gives_back.as_mut()?.give();
        let number = if leaves == TrimmedContent::Zeros { ZEROS } else { 0 };
        self.entries(span).iter_mut().for_each(|entry| *entry = number | IN_FLIGHT);
        self.in_flight.push(span);
        Some(span)
    }

    /// Makes the last write unknown if an earlier run, whose writes are only gone through, may have trimmed it.
    pub(crate) fn forget_if_given_back(&mut self, span: Span) {
        if self.gives_back.as_ref().is_some_and(|gives_back| gives_back.draws(self.writes)) {
            self.entries(span).iter_mut().for_each(|entry| *entry = 0);
        }
    }

    /// Notes that a trim of `span` is issued, after which the data there is unknown.
    pub(crate) fn forget(&mut self, span: Span) {
        for entry in self.entries(span) {
            *entry = IN_FLIGHT | if *entry & IN_FLIGHT != 0 { EITHER } else { 0 };
        }
        self.in_flight.push(span);
    }

    /// Notes that a trim of `span` has completed or failed.
    pub(crate) fn trimmed(&mut self, span: Span, well: bool) {
        self.land(span, well);
    }

    /// Clears the mark of I/O in flight in `span`, except in units that another I/O still covers.
    fn land(&mut self, span: Span, well: bool) {
        let at = self.in_flight.iter().position(|other| *other == span);
        debug_assert!(at.is_some(), "a write ended that was not in flight: {span:?}");
        if let Some(at) = at {
            self.in_flight.swap_remove(at);
        }
        let mut overlapped = false;
        for entry in self.entries(span) {
            let lost = if well { 0 } else { NUMBER };
            if *entry & EITHER != 0 {
                overlapped = true;
                *entry &= !lost;
            } else {
                *entry &= !(IN_FLIGHT | lost);
            }
        }
        if overlapped {
            self.land_overlapped(span);
        }
    }

    /// Clears the in-flight mark of units that several I/Os covered, once the last of them has completed.
    #[cold]
    fn land_overlapped(&mut self, span: Span) {
        let unit = self.unit;
        for number in 0..u64::from(span.bytes) / unit {
            let offset = span.offset + number * unit;
            let covers = |other: &Span| {
                other.file == span.file
                    && (other.offset..other.offset + u64::from(other.bytes)).contains(&offset)
            };
            if !self.in_flight.iter().any(covers) {
                let at = Span { offset, bytes: unit as u32, ..span };
                self.entries(at).iter_mut().for_each(|entry| *entry &= !IN_FLIGHT);
            }
        }
    }

    /// The data expected at `offset` of `file`.
    pub(crate) fn expected(&self, file: u32, offset: u64) -> ExpectedData {
        let Some(file) = self.files.get(file as usize) else { return ExpectedData::Unknown };
        let at = (offset.saturating_sub(file.base) / self.unit) as usize;
        match file.entries.get(at).copied().unwrap_or(0) {
            entry if entry & NUMBER == 0 || entry & IN_FLIGHT != 0 => ExpectedData::Unknown,
            entry if entry & EITHER != 0 => ExpectedData::Any(entry & NUMBER),
            entry if entry & NUMBER == ZEROS => ExpectedData::Zeros,
            entry => ExpectedData::Write(entry & NUMBER),
        }
    }

    /// The next span to read back while writes go on.
    pub(crate) fn next_meanwhile(&mut self) -> Option<Span> {
        let ReadBack::Every { writes, batch } = self.when else { return None };
        if self.round == 0 && self.waiting >= writes as usize {
            self.round = batch.max(1);
        }
        while self.round > 0 && self.waiting > 0 {
            debug_assert!(self.waiting <= self.recent.len(), "more writes wait than there is room for");
            let span = self.recent[self.first];
            self.first = (self.first + 1) % self.recent.len();
            self.waiting -= 1;
            self.round -= 1;
            // A block that is being written again will be offered again.
            if self.entries(span).iter().all(|entry| entry & IN_FLIGHT == 0) {
                self.entries(span).iter_mut().for_each(|entry| *entry |= SEEN);
                if let Some(gives_back) = &mut self.gives_back {
                    gives_back.read_back();
                }
                return Some(span);
            }
        }
        self.round = 0;
        None
    }

    /// Returns the next span to read back after all writes, in order of offset; `None` when all have been.
    pub(crate) fn next_at_the_end(&mut self) -> Option<Span> {
        let reads_back = self.when.reads_back();
        let open = |entry: u32| reads_back && entry & NUMBER != 0 && entry & SEEN == 0;
        while let Some(file) = self.files.get(self.cursor.0) {
            let entries = &file.entries[self.cursor.1.min(file.entries.len())..];
            let Some(skip) = entries.iter().position(|&entry| open(entry)) else {
                self.cursor = (self.cursor.0 + 1, 0);
                continue;
            };
            let most = (self.longest / self.unit).max(1) as usize;
            let count = entries[skip..].iter().take(most).take_while(|&&entry| open(entry)).count();
            let first = self.cursor.1 + skip;
            self.cursor.1 = first + count;
            return Some(Span {
                file: self.cursor.0 as u32,
                offset: file.base + first as u64 * self.unit,
                bytes: (count as u64 * self.unit) as u32,
            });
        }
        None
    }
}
