//! How far a worker's writes are proven, kept in a file as they go, so that a killed run leaves it behind.

use std::fs::File;
use std::os::unix::fs::FileExt;

use kernel::Links;
use workload::{Acknowledged, Direction, Done, Io, StateFile, Verify, WorkerPlan};

use super::EngineError;
use crate::verify::{Reached, encode};

/// Writes that are announced at a time: so many may stand under a write that nobody knows of when the run is killed.
const AHEAD: u64 = 256;

/// What is in a slot.
#[derive(Clone, Copy, Debug)]
struct InSlot {
    /// The number of the write, or how far the flush reaches; 0 where there is none.
    number: u64,
    kind: Direction,
    file: u32,
    bytes: u32,
}

/// The journal of one worker.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    state: StateFile,
    /// Writes issued so far, which is the number of the last.
    issued: u64,
    slots: Box<[InSlot]>,
    /// By file: the first so many writes have been flushed as far as it is concerned.
    flushed: Box<[u64]>,
    /// The first write that failed; nothing from it on is proven.
    failed: u64,
    kept: Reached,
}

impl Journal {
    /// The journal that `plan` asks for; `None` where it asks for none.
    pub(super) fn open(plan: &WorkerPlan, slots: u32) -> std::io::Result<Option<Journal>> {
        let Verify::On(verification) = &plan.verify else { return Ok(None) };
        let Some(state) = &verification.state else { return Ok(None) };
        let mut journal = Journal {
            file: kernel::open_outlet(&state.path, Links::Refused)?.emptied()?,
            state: StateFile::clone(state),
            issued: 0,
            slots: vec![InSlot { number: 0, kind: Direction::Read, file: 0, bytes: 0 }; slots as usize]
                .into_boxed_slice(),
            flushed: vec![0; plan.files.len()].into_boxed_slice(),
            failed: u64::MAX,
            kept: Reached { writes: 0, most: 0, is_ours: true },
        };
        journal.keep(0)?;
        Ok(Some(journal))
    }

    /// `io` is about to be issued. What is announced is kept before it is.
    pub(super) fn issue(&mut self, io: &Io) -> std::io::Result<()> {
        let number = match io.kind {
            Direction::Write => {
                self.issued += 1;
                self.issued
            }
            Direction::Flush => self.ended(),
            Direction::Read | Direction::Trim => 0,
        };
        if let Some(slot) = self.slots.get_mut(io.slot as usize) {
            *slot = InSlot { number, kind: io.kind, file: io.file, bytes: io.bytes };
        }
        if self.issued > self.kept.most { self.keep(self.proven()) } else { Ok(()) }
    }

    /// What came back. A flush that has ended well is kept before anything else is issued.
    pub(super) fn ended_all(&mut self, done: &[Done]) -> std::io::Result<()> {
        let mut flushed = false;
        for done in done {
            let Some(slot) = self.slots.get_mut(done.slot as usize) else { continue };
            let (ended, number) = (*slot, std::mem::take(&mut slot.number));
            match ended.kind {
                Direction::Write if done.result != ended.bytes as i32 => {
                    self.failed = self.failed.min(number)
                }
                Direction::Flush if done.result >= 0 => {
                    flushed = true;
                    if let Some(kept) = self.flushed.get_mut(ended.file as usize) {
                        *kept = number.max(*kept);
                    }
                }
                _ => {}
            }
        }
        if flushed && self.state.when == Acknowledged::Flushed { self.keep(self.proven()) } else { Ok(()) }
    }

    /// The file could not be written.
    pub(super) fn error(&self, source: std::io::Error) -> EngineError {
        EngineError::State { path: self.state.path.clone(), source }
    }

    /// The worker is over.
    pub(super) fn close(&mut self) -> std::io::Result<()> {
        self.keep(self.proven())
    }

    /// So many writes, the first ones, have ended well.
    fn ended(&self) -> u64 {
        let writes = self.slots.iter().filter(|slot| slot.kind == Direction::Write && slot.number > 0);
        let first = writes.map(|slot| slot.number).min();
        first.unwrap_or(self.issued + 1).min(self.failed) - 1
    }

    fn proven(&self) -> u64 {
        match self.state.when {
            Acknowledged::Ended => self.ended(),
            Acknowledged::Flushed => self.flushed.iter().copied().min().unwrap_or(0),
        }
    }

    fn keep(&mut self, writes: u64) -> std::io::Result<()> {
        self.kept = Reached { writes, most: self.issued + AHEAD, is_ours: true };
        let bytes = encode(self.kept, &self.state.job, self.state.index);
        self.file.write_all_at(&bytes, 0)?;
        match self.state.when {
            Acknowledged::Ended => Ok(()),
            // It must be there after a crash of the machine too.
            Acknowledged::Flushed => self.file.sync_data(),
        }
    }
}
