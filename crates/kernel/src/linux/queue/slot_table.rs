//! The common part of the three queues: the ownership of each slot's buffer, and the checks before the kernel.

use std::io;
use std::os::fd::RawFd;

use workload::{Calls, Completion, Direction, Io, Nanos};

use super::calls;
use super::interface::{QueueError, QueueRefusal};
use super::region::Region;
use super::trim::trim;
use crate::linux::file::{FileKind, OpenFile};

/// Slots with their buffers, and the files that I/O may go to.
#[derive(Debug)]
pub(super) struct SlotTable {
    region: Region,
    slot_bytes: usize,
    // Distance between the buffers of two slots: `slot_bytes` rounded up to the strictest alignment of the files.
    stride: usize,
    // True from `admit` until `settle`: the kernel may access the slot's buffer, and this process must not.
    taken: Box<[bool]>,
    taken_count: usize,
    files: Box<[FileRow]>,
    // Admitted trims, and flushes that need their own system call, not yet performed; the capacity is the depth.
    trims: Vec<Io>,
    // Options of each call.
    calls: Calls,
    // Flags of reads and of writes, in the kernel's bits.
    bits: [libc::c_int; 2],
}

#[derive(Debug)]
struct FileRow {
    fd: RawFd,
    writable: bool,
    kind: FileKind,
    // Keeps `fd` open.
    _open: OpenFile,
}

const LEAST_ALIGNMENT: u64 = 4096;

impl SlotTable {
    pub(super) fn open(files: &[OpenFile], depth: u32, slot_bytes: usize) -> Result<SlotTable, QueueError> {
        if depth == 0 {
            return Err(QueueError::NoDepth);
        }
        let strictest = files.iter().map(|f| f.alignment().memory.0).fold(LEAST_ALIGNMENT, u64::max);
        let align = strictest.next_power_of_two() as usize;
        let too_large =
            || QueueError::Buffers { depth, slot_bytes, source: io::Error::from_raw_os_error(libc::ENOMEM) };
        let stride = slot_bytes.max(1).checked_next_multiple_of(align).ok_or_else(too_large)?;
        let bytes = stride.checked_mul(depth as usize).ok_or_else(too_large)?;
        let region =
            Region::map(bytes, align).map_err(|source| QueueError::Buffers { depth, slot_bytes, source })?;
        assert!(stride >= slot_bytes && region.bytes() >= bytes, "the buffers do not fit into their region");
        assert!(
            region.start().as_ptr().addr().is_multiple_of(align),
            "the buffers are not aligned as files want them"
        );
        let row = |file: &OpenFile| FileRow {
            fd: file.as_raw_fd(),
            writable: file.is_writable(),
            kind: file.kind(),
            _open: file.clone(),
        };
        Ok(SlotTable {
            region,
            slot_bytes,
            stride,
            taken: vec![false; depth as usize].into_boxed_slice(),
            taken_count: 0,
            files: files.iter().map(row).collect(),
            trims: Vec::with_capacity(depth as usize),
            calls: Calls::default(),
            bits: [0; 2],
        })
    }

    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.taken.len()
    }

    /// Number of slots that the kernel owns or that are queued for it.
    #[inline]
    pub(super) fn taken_count(&self) -> usize {
        self.taken_count
    }

    pub(super) fn fds(&self) -> Vec<RawFd> {
        self.files.iter().map(|file| file.fd).collect()
    }

    /// Bytes from one slot's buffer to the next.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn region(&self) -> &Region {
        &self.region
    }

    /// Admits `io` and marks its slot as the kernel's, or returns why not. Afterwards `io.slot` and `io.file` are in
    /// range and `io.bytes` fits the slot's buffer, unless `io` is a trim, which has none.
    #[inline]
    pub(super) fn admit(&mut self, io: &Io) -> Result<(), QueueRefusal> {
        let Some(taken) = self.taken.get_mut(io.slot as usize) else {
            return Err(QueueRefusal::NoSuchSlot);
        };
        let Some(file) = self.files.get(io.file as usize) else {
            return Err(QueueRefusal::NoSuchFile);
        };
        if *taken {
            return Err(QueueRefusal::SlotBusy);
        }
        // A trim needs no buffer.
        if io.bytes as usize > self.slot_bytes && io.kind != Direction::Trim {
            return Err(QueueRefusal::TooLong);
        }
        match io.kind {
            _ if self.calls.act.writes() && !file.writable => return Err(QueueRefusal::NoPermit),
            Direction::Read | Direction::Flush => {}
            Direction::Write | Direction::Trim if file.writable => {}
            Direction::Write | Direction::Trim => return Err(QueueRefusal::NoPermit),
        }
        *taken = true;
        self.taken_count += 1;
        debug_assert!(self.taken_count <= self.taken.len(), "more slots are taken than there are");
        Ok(())
    }

    /// Stores an admitted trim or flush until [`SlotTable::trim`].
    pub(super) fn keep(&mut self, io: Io) {
        assert!(self.trims.len() < self.taken.len(), "more trims are kept than there are slots");
        self.trims.push(io);
    }

    /// Number of stored trims and flushes.
    #[inline]
    pub(super) fn kept(&self) -> usize {
        self.trims.len()
    }

    /// Performs as many of the stored trims and flushes as fit in `done`; true if there were any.
    #[cold]
    pub(super) fn trim(&mut self, done: &mut Vec<Completion>) -> bool {
        let count = self.trims.len().min(done.capacity() - done.len());
        for at in 0..count {
            let io = self.trims[at];
            let result = match io.kind {
                Direction::Flush => self.flush_now(&io),
                _ => self.trim_now(&io),
            };
            self.settle(io.slot);
            done.push(Completion { slot: io.slot, result, at: Nanos::ZERO });
        }
        self.trims.drain(..count);
        count > 0
    }

    /// Performs one admitted trim; returns the trimmed bytes or the negated errno.
    pub(super) fn trim_now(&self, io: &Io) -> i32 {
        let kind = self.files.get(io.file as usize).map_or(FileKind::Regular, |file| file.kind);
        trim(self.fd(io), kind, io)
    }

    /// Performs one admitted flush; returns 0 or the negated errno.
    pub(super) fn flush_now(&self, io: &Io) -> i32 {
        match calls::flush(self.fd(io), self.calls) {
            Ok(()) => 0,
            Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
        }
    }

    /// Applies `calls` to all I/Os from now on.
    pub(super) fn take_along(&mut self, calls: Calls) {
        self.calls = calls;
        self.bits = [Direction::Read, Direction::Write].map(|kind| calls::bits(calls, kind));
    }

    /// Options of each call.
    #[inline]
    pub(super) fn calls(&self) -> Calls {
        self.calls
    }

    /// Flags of a read or write, in the kernel's bits.
    #[inline]
    pub(super) fn bits(&self, kind: Direction) -> libc::c_int {
        self.bits[usize::from(kind == Direction::Write)]
    }

    /// Frees the slots of stored trims and flushes that will not be performed.
    pub(super) fn forget_trims(&mut self) {
        while let Some(io) = self.trims.pop() {
            self.settle(io.slot);
        }
    }

    /// The descriptor of an admitted I/O.
    #[inline]
    pub(super) fn fd(&self, io: &Io) -> RawFd {
        self.files.get(io.file as usize).map_or(-1, |file| file.fd)
    }

    /// Address of a slot's buffer; `slot` must be in range, as it is after [`SlotTable::admit`].
    #[inline]
    pub(super) fn address(&self, slot: u32) -> *mut u8 {
        debug_assert!((slot as usize) < self.taken.len(), "the address of a slot that the queue has not");
        self.region.start().as_ptr().wrapping_add(slot as usize * self.stride)
    }

    /// Takes a slot back from the kernel; false if the kernel did not have it.
    #[inline]
    pub(super) fn settle(&mut self, slot: u32) -> bool {
        match self.taken.get_mut(slot as usize) {
            Some(taken) if *taken => {
                *taken = false;
                debug_assert!(self.taken_count > 0, "a slot came back while none was taken");
                self.taken_count -= 1;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
        if *self.taken.get(slot as usize)? {
            return None;
        }
        // SAFETY: the slot is in range, so its `slot_bytes` lie in the region, which is initialised; the slot is not
        // taken, so the kernel does not write to it; the exclusive borrow of the slot table makes this the only reference
        // to these bytes.
        Some(unsafe { std::slice::from_raw_parts_mut(self.address(slot), self.slot_bytes) })
    }

    /// Keeps the buffers mapped for ever, because the kernel may still write to them.
    pub(super) fn leak_buffers(&mut self) {
        self.region.leak();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::file::{Direct, open_for_read};
    use workload::Nanos;

    fn slots() -> SlotTable {
        let file = open_for_read(std::path::Path::new("/proc/self/exe"), Direct::No).unwrap();
        SlotTable::open(&[file], 2, 8192).unwrap()
    }

    fn read(slot: u32) -> Io {
        Io { slot, kind: Direction::Read, file: 0, offset: 0, bytes: 4096, due: Nanos::ZERO }
    }

    #[test]
    fn a_buffer_is_out_of_reach_from_admission_to_settlement() {
        let mut slots = slots();
        slots.buffer_mut(1).unwrap().fill(7);
        assert_eq!(slots.admit(&read(1)), Ok(()));
        assert!(slots.buffer_mut(1).is_none());
        assert!(slots.buffer_mut(0).is_some(), "the other slot is still ours");
        assert_eq!(slots.admit(&read(1)), Err(QueueRefusal::SlotBusy));
        assert!(slots.settle(1));
        assert!(!slots.settle(1), "it comes back once");
        assert_eq!(slots.buffer_mut(1).unwrap()[8191], 7);
    }

    #[test]
    fn what_must_not_reach_the_kernel_is_refused_and_takes_no_slot() {
        let mut slots = slots();
        for (io, why) in [
            (Io { slot: 2, ..read(0) }, QueueRefusal::NoSuchSlot),
            (Io { file: 1, ..read(0) }, QueueRefusal::NoSuchFile),
            (Io { bytes: 8193, ..read(0) }, QueueRefusal::TooLong),
            (Io { kind: Direction::Write, ..read(0) }, QueueRefusal::NoPermit),
            (Io { kind: Direction::Trim, bytes: 1 << 20, ..read(0) }, QueueRefusal::NoPermit),
        ] {
            assert_eq!(slots.admit(&io), Err(why));
        }
        assert_eq!(slots.taken_count(), 0);
    }

    #[test]
    fn a_depth_of_zero_and_a_size_beyond_memory_are_errors() {
        assert!(matches!(SlotTable::open(&[], 0, 4096), Err(QueueError::NoDepth)));
        assert!(matches!(SlotTable::open(&[], u32::MAX, usize::MAX / 2), Err(QueueError::Buffers { .. })));
    }
}
