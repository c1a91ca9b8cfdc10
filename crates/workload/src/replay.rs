//! A trace as a job replays it: its I/Os, packed into a few bytes each, and what is known of all of them before the first
//! is issued.

use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Direction, Mix, Nanos};

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TracedIo {
    /// Time since the trace began; never less than that of the previous I/O.
    pub at: Nanos,
    /// Read, write, trim or flush.
    pub kind: Direction,
    /// Index into the job's files.
    pub file: u32,
    /// Byte offset in that file.
    pub offset: u64,
    /// Length in bytes; zero for a flush.
    pub bytes: u32,
}

/// A trace to replay. All that decides which files are opened, and how, is known here: nothing else is derived from the
/// rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Path of the trace.
    pub name: String,
    /// Number of I/Os by [`Direction::index`].
    pub ios: [u64; 4],
    /// Longest I/O.
    pub longest: Bytes,
    /// When the last row is due, counted from the first.
    pub length: Nanos,
    /// Whether anything is written or trimmed, by file of the job.
    pub changed: Vec<bool>,
    /// The I/Os. They are not stored with a plan: a stored plan is read and never run again.
    #[serde(skip)]
    pub rows: TraceRows,
}

impl Replay {
    /// Mix of its I/Os.
    pub fn mix(&self) -> Mix {
        let [reads, writes, trims, _] = self.ios;
        Mix::counted(reads, writes, trims)
    }

    /// Whether there are flushes among its I/Os.
    pub fn flushes(&self) -> bool {
        self.ios[Direction::Flush.index()] > 0
    }
}

/// Packed I/Os of a trace.
#[derive(Clone, Debug)]
pub enum TraceRows {
    /// All of them, in memory.
    Held(Arc<[u8]>),
    /// Pieces that are read during the replay.
    Read(Arc<dyn TracePieces>),
}

/// A trace that is read during its replay.
pub trait TracePieces: Debug + Send + Sync {
    /// Reads from the beginning and returns packed pieces, each continuing the one before it, or why there are no more.
    fn read(&self) -> Box<dyn Iterator<Item = Result<Vec<u8>, String>> + Send>;
}

impl TraceRows {
    /// Takes the I/Os that `packer` packed.
    pub fn of(packer: Packer) -> TraceRows {
        TraceRows::Held(packer.packed.into())
    }
}

impl Default for TraceRows {
    fn default() -> TraceRows {
        TraceRows::Held(Arc::default())
    }
}

impl PartialEq for TraceRows {
    fn eq(&self, other: &TraceRows) -> bool {
        match (self, other) {
            (TraceRows::Held(mine), TraceRows::Held(theirs)) => mine == theirs,
            (TraceRows::Read(mine), TraceRows::Read(theirs)) => Arc::ptr_eq(mine, theirs),
            _ => false,
        }
    }
}

/// Flag in the first byte of a packed I/O; the lowest two bits are its direction.
const SAME_FILE: u8 = 1 << 2;
/// The I/O begins where the previous one ended.
const FOLLOWS: u8 = 1 << 3;
const SAME_LENGTH: u8 = 1 << 4;
const SAME_TIME: u8 = 1 << 5;
/// Offset and length are counted in sectors.
const SECTORS: u8 = 1 << 6;
const SECTOR: u64 = 512;

/// Packs I/Os, each as its difference from the previous one: two to twelve bytes, against thirty in a row of text.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    packed: Vec<u8>,
    last: TracedIo,
}

impl Packer {
    /// Appends `io`.
    pub fn push(&mut self, io: TracedIo) {
        let last = std::mem::replace(&mut self.last, io);
        let in_sectors = io.offset.is_multiple_of(SECTOR) && u64::from(io.bytes).is_multiple_of(SECTOR);
        let unit = if in_sectors { SECTOR } else { 1 };
        let fields = [
            (SAME_FILE, io.file == last.file, u64::from(io.file)),
            (FOLLOWS, io.offset == end(&last), io.offset / unit),
            (SAME_LENGTH, io.bytes == last.bytes, u64::from(io.bytes) / unit),
            (SAME_TIME, io.at == last.at, io.at.since(last.at).0),
        ];
        let mut tag = io.kind.index() as u8 | if in_sectors { SECTORS } else { 0 };
        tag |= fields.iter().filter(|(_, known, _)| *known).map(|(bit, ..)| bit).sum::<u8>();
        self.packed.push(tag);
        for (_, _, value) in fields.iter().filter(|(_, known, _)| !known) {
            put(&mut self.packed, *value);
        }
    }

    /// Number of packed bytes.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether nothing is packed.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Removes and returns what is packed so far; what is packed next continues from there.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.packed)
    }
}

/// Reads packed I/Os one after the other; may continue in another piece at the end of one.
#[derive(Clone, Debug, Default)]
pub struct Unpacker {
    at: usize,
    last: TracedIo,
}

impl Unpacker {
    /// The next I/O of `packed`; `None` at its end.
    #[inline]
    pub fn next(&mut self, packed: &[u8]) -> Option<TracedIo> {
        let last = self.last;
        let tag = *packed.get(self.at)?;
        self.at += 1;
        let unit = if tag & SECTORS == 0 { 1 } else { SECTOR };
        let mut field = |bit: u8| if tag & bit == 0 { get(packed, &mut self.at) } else { None };
        let file = field(SAME_FILE).map_or(last.file, |file| file as u32);
        let offset = field(FOLLOWS).map_or(end(&last), |offset| offset.wrapping_mul(unit));
        let bytes = field(SAME_LENGTH).map_or(last.bytes, |bytes| bytes.wrapping_mul(unit) as u32);
        let at = field(SAME_TIME).map_or(last.at, |gap| last.at + Nanos(gap));
        self.last = TracedIo { at, kind: Direction::ALL[usize::from(tag & 3)], file, offset, bytes };
        Some(self.last)
    }

    /// Moves on to another piece, which was packed after the previous one.
    pub fn turn_over(&mut self) {
        self.at = 0;
    }
}

fn end(io: &TracedIo) -> u64 {
    io.offset.wrapping_add(u64::from(io.bytes))
}

/// Appends `value`, seven bits per byte, lowest first; the last byte has its high bit clear.
fn put(packed: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        packed.push(value as u8 | 0x80);
        value >>= 7;
    }
    packed.push(value as u8);
}

#[inline]
fn get(packed: &[u8], at: &mut usize) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *packed.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << (shift & 63);
        if byte & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ios() -> impl Strategy<Value = Vec<TracedIo>> {
        let aligned = prop_oneof![Just(512u64), Just(1)];
        let io = (0u64..1 << 40, 0usize..4, 0u32..3, 0u64..1 << 50, 0u32..1 << 20, aligned);
        prop::collection::vec(io, 0..200).prop_map(|drawn| {
            let mut at = Nanos::ZERO;
            let made = drawn.into_iter().map(|(gap, kind, file, offset, bytes, unit)| {
                at += Nanos(gap);
                let (offset, bytes) = (offset * unit, bytes * unit as u32);
                TracedIo { at, kind: Direction::ALL[kind], file, offset, bytes }
            });
            made.collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again_also_in_pieces(ios in ios(), piece in 1usize..50) {
            let (mut packer, mut unpacker, mut found) = (Packer::default(), Unpacker::default(), Vec::new());
            for part in ios.chunks(piece) {
                part.iter().for_each(|io| packer.push(*io));
                let packed = packer.take();
                unpacker.turn_over();
                found.extend(std::iter::from_fn(|| unpacker.next(&packed)));
            }
            prop_assert_eq!(found, ios);
        }
    }

    #[test]
    fn a_sequence_of_blocks_takes_three_bytes_each() {
        let mut packer = Packer::default();
        for number in 0..1000u64 {
            let at = Nanos(number * 10_000);
            packer.push(TracedIo { at, kind: Direction::Write, file: 0, offset: number * 4096, bytes: 4096 });
        }
        assert!(packer.len() <= 3_010, "{}", packer.len());
    }
}
