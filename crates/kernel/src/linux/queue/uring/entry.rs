//! Entries of a submission ring: an I/O in the kernel's form.

use std::os::fd::RawFd;

use io_uring::squeue::{Entry, Flags};
use io_uring::{opcode, types};
use workload::{Direction, FlushBy, Io};

use super::super::calls;
use super::UringQueue;
use crate::linux::io_priority;

impl UringQueue {
    #[inline]
    pub(super) fn entry(&self, io: &Io, priority: u16) -> Entry {
        let registered = !self.file_flag.is_empty();
        let fd = types::Fd(if registered { io.file as RawFd } else { self.slots.fd(io) });
        let address = self.slots.address(io.slot);
        let flags = self.slots.bits(io.kind);
        let entry = match (io.kind, self.fixed_buffers) {
            (Direction::Read, true) => {
                opcode::ReadFixed::new(fd, address, io.bytes, self.buffer_index(io.slot))
                    .offset(io.offset)
                    .ioprio(priority)
                    .rw_flags(flags)
                    .build()
            }
            (Direction::Write, true) => {
                opcode::WriteFixed::new(fd, address, io.bytes, self.buffer_index(io.slot))
                    .offset(io.offset)
                    .ioprio(priority)
                    .rw_flags(flags)
                    .build()
            }
            (Direction::Read, false) => {
                let read = opcode::Read::new(fd, address, io.bytes).offset(io.offset);
                read.ioprio(priority).rw_flags(flags).build()
            }
            (Direction::Write, false) => {
                let write = opcode::Write::new(fd, address, io.bytes).offset(io.offset);
                write.ioprio(priority).rw_flags(flags).build()
            }
            // Trims never get here: `queue` stores them.
            (Direction::Flush | Direction::Trim, _) => self.flush(fd),
        };
        entry.flags(self.file_flag).user_data(u64::from(io.slot))
    }

    /// The entry of an I/O whose priority or submission may differ from the previous one.
    #[cold]
    pub(super) fn entry_by_turn(&mut self, io: &Io) -> Entry {
        let drawn = self.urgency.as_mut().and_then(|urgency| urgency.draw(io.kind, io.bytes));
        let priority = drawn.map_or(0, io_priority::bits);
        let entry = self.entry(io, priority);
        if self.is_turn_of_a_thread() { entry.flags(Flags::ASYNC) } else { entry }
    }

    /// Whether the next I/O is to be sent to a kernel thread at once (`force_async`).
    fn is_turn_of_a_thread(&mut self) -> bool {
        let every = self.slots.calls().force_async;
        if every == 0 {
            return false;
        }
        self.tried += 1;
        let turn = self.tried >= every;
        if turn {
            self.tried = 0;
        }
        turn
    }

    fn flush(&self, fd: types::Fd) -> Entry {
        let calls = self.slots.calls();
        match (calls.flush, calls::pages(calls)) {
            (_, Some(flags)) => opcode::SyncFileRange::new(fd, 0).flags(flags).build(),
            (FlushBy::File, _) => opcode::Fsync::new(fd).build(),
            _ => opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build(),
        }
    }

    #[inline]
    fn buffer_index(&self, slot: u32) -> u16 {
        // Nearly always the first buffer: only regions beyond 1 GiB have a second.
        if slot < self.slots_per_buffer { 0 } else { (slot / self.slots_per_buffer) as u16 }
    }
}
