//! An I/O before it has a slot.

use workload::Direction;

/// One I/O as the order of accesses determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NextIo {
    /// Direction: mostly the one drawn from the mix; an order that pairs or draws directions itself may change it.
    pub(super) kind: Direction,
    /// Index into the worker's files.
    pub(super) file: u32,
    /// Byte offset in the file.
    pub(super) offset: u64,
    /// Length in bytes.
    pub(super) bytes: u32,
}
