//! The header of an interval in fio 3.33's layout, so that each tool can verify the other's writes.
//!
//! 40 bytes, little-endian: magic (2 bytes), number of the checksum (2), length of the interval (4), seed (8), offset in
//! the file (8), seconds (4), nanoseconds (4), thread (2), number of the write (2), CRC-32C of all this (4). The checksum of
//! the data follows. fio checks neither the time nor the thread, nor the seed of data that a job does not both read and
//! write; plimsoll stores there what it needs to distinguish corrupted, stale and misplaced data.

use statistics::random::mix;
use workload::Checksum;

use super::checksum;

/// Bytes of a header without the checksum of the data.
const BARE: usize = 40;
/// Offset of the header's own checksum.
const SUM_AT: usize = 36;
/// The first two bytes of a header.
const MAGIC: u16 = 0xacca;
/// Bits that mark plimsoll's headers: a number of nanoseconds never reaches them, so no header of fio's has them set.
const OURS: u32 = 0b11 << 30;
/// Bits for a file's index, beside the mark.
const FILE_BITS: u32 = 17;
/// Bits for the upper part of a write's number, beside the mark.
const HIGH_BITS: u32 = 13;

/// Bytes of a header with the checksum of its data.
pub(crate) const fn length(kind: Checksum) -> usize {
    BARE + checksum::length(kind)
}

/// The fields that only plimsoll puts into a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mine {
    /// XXH3 of the data.
    pub(super) data: u64,
    /// The run, in 24 bits.
    pub(super) run: u32,
    /// The worker, in 24 bits.
    pub(super) writer: u32,
    /// Index of the file, in 17 bits.
    pub(super) file: u32,
    /// Number of the write; the first is 1.
    pub(super) write: u32,
}

/// The contents of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The first eight bytes, which must be the same in every header of a job.
    pub(super) form: u64,
    /// Byte offset in the file.
    pub(super) offset: u64,
    /// `None` in a header that fio wrote.
    pub(super) mine: Option<Mine>,
    /// The header's own checksum, as stored and as computed.
    pub(super) sums: [u32; 2],
}

/// The first eight bytes of headers for intervals of `length` bytes.
pub(super) fn form(kind: Checksum, length: usize) -> u64 {
    u64::from(MAGIC) | u64::from(checksum::number(kind)) << 16 | (length as u64) << 32
}

/// Reduces a 64-bit number to 24 bits, for runs and workers.
pub(super) fn short(number: u64) -> u32 {
    (mix(number) >> 40) as u32
}

/// The index of a file as stored in a header.
pub(super) fn short_file(file: u32) -> u32 {
    file & ((1 << FILE_BITS) - 1)
}

/// Writes the header of the write `mine` at `offset` into `bytes`, which are long enough for it.
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

/// Reads the header at the beginning of `bytes`; `None` if there are too few bytes.
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
