//! Faults: which requests go wrong, where, and how.

use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::time::Duration;

/// A number by which the kernel names an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Errno {
    /// There is no such file.
    pub const ENOENT: Errno = Errno(2);
    /// The device failed.
    pub const EIO: Errno = Errno(5);
    /// Such a file exists already.
    pub const EEXIST: Errno = Errno(17);
    /// The file is a directory.
    pub const EISDIR: Errno = Errno(21);
    /// The arguments are invalid.
    pub const EINVAL: Errno = Errno(22);
    /// There is no free space.
    pub const ENOSPC: Errno = Errno(28);
    /// The file system is read-only.
    pub const EROFS: Errno = Errno(30);
    /// The request is not implemented.
    pub const ENOSYS: Errno = Errno(38);
    /// The directory is not empty.
    pub const ENOTEMPTY: Errno = Errno(39);
    /// A block is permanently unreadable.
    pub const ENODATA: Errno = Errno(61);
    /// The connection was aborted.
    pub const ECONNABORTED: Errno = Errno(103);
    /// There was no answer in time.
    pub const ETIMEDOUT: Errno = Errno(110);
    /// The remote end failed.
    pub const EREMOTEIO: Errno = Errno(121);
}

/// One or several kinds of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ops(u8);

impl Ops {
    /// Reads of a file.
    pub const READ: Ops = Ops(1);
    /// Writes of a file.
    pub const WRITE: Ops = Ops(2);
    /// `fsync` and `fdatasync`; a loop device turns a flush into one.
    pub const FSYNC: Ops = Ops(4);
    /// Everything else: opening, looking up, querying the size.
    pub const METADATA: Ops = Ops(8);
    /// Reads, writes and fsyncs, as on a disk.
    pub const DATA: Ops = Ops(7);
    /// Everything, as on a network mount.
    pub const ALL: Ops = Ops(15);

    /// Returns the kinds of both.
    #[must_use]
    pub const fn and(self, other: Ops) -> Ops {
        Ops(self.0 | other.0)
    }

    pub(crate) fn overlaps(self, other: Ops) -> bool {
        self.0 & other.0 != 0
    }
}

impl fmt::Debug for Ops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            [(Ops::READ, "read"), (Ops::WRITE, "write"), (Ops::FSYNC, "fsync"), (Ops::METADATA, "metadata")];
        let named: Vec<&str> =
            names.iter().filter(|(op, _)| self.overlaps(*op)).map(|(_, name)| *name).collect();
        f.write_str(&named.join("+"))
    }
}

/// Effect of a fault on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Fail(Errno),
    /// The request is answered only when the device heals.
    Silence,
    Delay(Duration),
    /// At most this many bytes of the request are done.
    Shorten(u32),
}

/// A fault: its effect, and the requests that it affects.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) ops: Ops,
    /// The first byte, and the first after the range.
    pub(crate) range: (u64, u64),
    pub(crate) effect: Effect,
}

/// Returns the first byte of a range and the first after it.
pub(crate) fn bounds(range: &impl RangeBounds<u64>) -> (u64, u64) {
    let start = match range.start_bound() {
        Bound::Included(at) => *at,
        Bound::Excluded(at) => at + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(at) => at.saturating_add(1),
        Bound::Excluded(at) => *at,
        Bound::Unbounded => u64::MAX,
    };
    (start, end)
}

/// Kind, first byte and length of a request. An fsync touches everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) op: Ops,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

impl Fault {
    fn concerns(&self, touch: Touch) -> bool {
        let (start, end) = self.range;
        let ranged = touch.op == Ops::READ || touch.op == Ops::WRITE;
        let inside = touch.offset < end && touch.offset + u64::from(touch.length) > start;
        self.ops.overlaps(touch.op) && (!ranged || inside)
    }
}

/// The combined effect of all faults on a request; of two that contradict each other, the later one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) delay: Option<Duration>,
    /// Early end of the request: an error, or silence if `Some(None)`.
    pub(crate) end: Option<Option<Errno>>,
    pub(crate) at_most: Option<u32>,
}

pub(crate) fn verdict(faults: &[Fault], touch: Touch) -> Verdict {
    let mut verdict = Verdict::default();
    for fault in faults.iter().filter(|fault| fault.concerns(touch)) {
        match fault.effect {
            Effect::Fail(errno) => verdict.end = Some(Some(errno)),
            Effect::Silence => verdict.end = Some(None),
            Effect::Delay(time) => verdict.delay = Some(time),
            Effect::Shorten(bytes) => verdict.at_most = Some(bytes),
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_concerns_what_overlaps_its_range_and_every_fsync_of_its_kind() {
        let fault = |ops| [Fault { ops, range: bounds(&(4096..8192)), effect: Effect::Fail(Errno::EIO) }];
        let touch = |op, offset| Touch { op, offset, length: 4096 };
        let fails = |ops, touch| verdict(&fault(ops), touch).end == Some(Some(Errno::EIO));
        assert!(!fails(Ops::READ, touch(Ops::READ, 0)));
        assert!(fails(Ops::READ, touch(Ops::READ, 1)));
        assert!(fails(Ops::READ, touch(Ops::READ, 8191)));
        assert!(!fails(Ops::READ, touch(Ops::READ, 8192)));
        assert!(!fails(Ops::READ, touch(Ops::WRITE, 4096)));
        assert!(fails(Ops::DATA, Touch { op: Ops::FSYNC, offset: 0, length: 0 }));
    }
}
