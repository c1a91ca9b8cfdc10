//! The proven part of a worker's writes, stored in a file during the run, so that it survives if the run is killed.

use std::fs::File;
use std::os::unix::fs::FileExt;

use kernel::Links;
use workload::{Acknowledgement, Completion, Direction, Io, StateFile, Verify, WorkerPlan};

use super::EngineError;
use crate::verify::{WriteProgress, encode};

/// Number of writes announced at a time; a kill may leave this many on the device beyond the last proven write.
const AHEAD: u64 = 256;

/// The I/O in a slot.
#[derive(Clone, Copy, Debug)]
struct InSlot {
    /// Number of the write, or the number of writes that the flush covers; 0 if there is none.
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
    /// Number of writes issued so far, which is also the number of the last write.
    issued: u64,
    slots: Box<[InSlot]>,
    /// Number of writes, from the first, of which the part that went to a file has been flushed, by file.
    flushed: Box<[u64]>,
    /// Number of the first write that failed; this and all later ones are not proven.
    failed: u64,
    kept: WriteProgress,
}

impl Journal {
    /// Opens the journal that `plan` asks for; `None` if it asks for none.
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
            kept: WriteProgress { writes: 0, most: 0, is_ours: true },
        };
        journal.keep(0)?;
        Ok(Some(journal))
    }

    /// Notes that `io` is about to be issued. Writes are announced in the file before they are issued.
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

    /// Notes completions. A successful flush is recorded before anything else is issued.
    pub(super) fn ended_all(&mut self, done: &[Completion]) -> std::io::Result<()> {
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
        if flushed && self.state.when == Acknowledgement::Flushed { self.keep(self.proven()) } else { Ok(()) }
    }

    /// The error for a journal file that could not be written.
    pub(super) fn error(&self, source: std::io::Error) -> EngineError {
        EngineError::State { path: self.state.path.clone(), source }
    }

    /// Records the final state when the worker is over.
    pub(super) fn close(&mut self) -> std::io::Result<()> {
        self.keep(self.proven())
    }

    /// Number of writes, from the first, that all completed successfully.
    fn ended(&self) -> u64 {
        let writes = self.slots.iter().filter(|slot| slot.kind == Direction::Write && slot.number > 0);
        let first = writes.map(|slot| slot.number).min();
        first.unwrap_or(self.issued + 1).min(self.failed) - 1
    }

    fn proven(&self) -> u64 {
        match self.state.when {
            Acknowledgement::Ended => self.ended(),
            Acknowledgement::Flushed => self.flushed.iter().copied().min().unwrap_or(0),
        }
    }

    fn keep(&mut self, writes: u64) -> std::io::Result<()> {
        self.kept = WriteProgress { writes, most: self.issued + AHEAD, is_ours: true };
        let bytes = encode(self.kept, &self.state.job, self.state.index);
        self.file.write_all_at(&bytes, 0)?;
        match self.state.when {
            Acknowledgement::Ended => Ok(()),
            // The file must survive a crash of the machine too.
            Acknowledgement::Flushed => self.file.sync_data(),
        }
    }
}
