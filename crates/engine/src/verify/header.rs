//! The header of an interval, as fio 3.33 lays it out, so that what either tool wrote the other verifies.
//!
//! 40 bytes, least byte first: magic (2 bytes), number of the checksum (2), length of the interval (4), seed (8), offset in
//! the file (8), seconds (4), nanoseconds (4), thread (2), number of the write (2), CRC-32C of all this (4). The checksum of
//! the data behind it follows. fio looks neither at the time nor at the thread, nor at the seed of data that a job does not
//! both read and write; plimsoll keeps there what it needs to tell corrupted, stale and misplaced data apart.

use statistics::random::mix;
use workload::Checksum;

use super::checksum;

/// Bytes of a header without the checksum of the data.
const BARE: usize = 40;
/// Where its own checksum stands.
const SUM_AT: usize = 36;
/// The first two bytes.
const MAGIC: u16 = 0xacca;
/// More than the nanoseconds of a second: no header of fio's has these bits there.
const OURS: u32 = 0b11 << 30;
/// Bits of a file's index and of the upper part of a write's number beside them.
const FILE_BITS: u32 = 17;
const HIGH_BITS: u32 = 13;

/// Bytes of a header with the checksum of its data.
pub(crate) const fn length(kind: Checksum) -> usize {
    BARE + checksum::length(kind)
}

/// What plimsoll alone puts into a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mine {
    /// XXH3 of the data.
    pub(super) data: u64,
    /// Of the run, in 24 bits.
    pub(super) run: u32,
    /// Of the worker, in 24 bits.
    pub(super) writer: u32,
    /// Index of the file, in 17 bits.
    pub(super) file: u32,
    /// Number of the write; the first is 1.
    pub(super) write: u32,
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The eight bytes that must be the same in every header of a job.
    pub(super) form: u64,
    /// Byte offset in the file.
    pub(super) offset: u64,
    /// `None` in a header that fio wrote.
    pub(super) mine: Option<Mine>,
    /// Its checksum, as it says and as it is.
    pub(super) sums: [u32; 2],
}

/// The eight bytes with which headers of intervals of `length` bytes begin.
pub(super) fn form(kind: Checksum, length: usize) -> u64 {
    u64::from(MAGIC) | u64::from(checksum::number(kind)) << 16 | (length as u64) << 32
}

/// A number of 64 bits in 24, for runs and workers.
pub(super) fn short(number: u64) -> u32 {
    (mix(number) >> 40) as u32
}

/// The index of a file as a header keeps it.
pub(super) fn short_file(file: u32) -> u32 {
    file & ((1 << FILE_BITS) - 1)
}

/// Writes the header of the write `mine` to `offset` into `bytes`, which are at least as long.
pub(super) fn write(bytes: &mut [u8], form: u64, offset: u64, mine: Mine) {
    let number = mine.write.wrapping_sub(1);
    let nanoseconds = OURS | short_file(mine.file) << HIGH_BITS | (number >> 16) & ((1 << HIGH_BITS) - 1);
    let seconds = mine.run | (mine.writer >> 16) << 24;
    bytes[..8].copy_from_slice(&form.to_le_bytes());
    bytes[8..16].copy_from_slice(&mine.data.to_le_bytes());
    bytes[16..24].copy_from_slice(&offset.to_le_bytes());
    bytes[24..28].copy_from_slice(&seconds.to_le_bytes());
    bytes[28..32].copy_from_slice(&nanoseconds.to_le_bytes());
    bytes[32..34].copy_from_slice(&(mine.writer as u16).to_le_bytes());
    bytes[34..36].copy_from_slice(&(number as u16).to_le_bytes());
    let sum = checksum::of_header(&bytes[..SUM_AT]);
    bytes[SUM_AT..BARE].copy_from_slice(&sum.to_le_bytes());
}

/// Reads the header at the beginning of `bytes`; `None` where they are too few.
pub(super) fn read(bytes: &[u8]) -> Option<Header> {
    let header = bytes.first_chunk::<BARE>()?;
    let number = |at: usize, length: usize| {
        header[at..at + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let (seconds, nanoseconds) = (number(24, 4) as u32, number(28, 4) as u32);
    let mine = Mine {
        data: number(8, 8),
        run: seconds & 0xff_ffff,
        writer: number(32, 2) as u32 | (seconds >> 24) << 16,
        file: nanoseconds >> HIGH_BITS & ((1 << FILE_BITS) - 1),
        write: ((nanoseconds & ((1 << HIGH_BITS) - 1)) << 16 | number(34, 2) as u32).wrapping_add(1),
    };
    Some(Header {
        form: number(0, 8),
        offset: number(16, 8),
        mine: (nanoseconds & OURS == OURS).then_some(mine),
        sums: [number(SUM_AT, 4) as u32, checksum::of_header(&header[..SUM_AT])],
    })
}
