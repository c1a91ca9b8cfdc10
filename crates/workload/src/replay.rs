//! A trace as a job replays it: its I/Os packed into few bytes each, and what is known of all of them before the first is
//! issued.

use std::fmt::Debug;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Direction, Mix, Nanos};

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TracedIo {
    /// Since the trace began; never less than that of the I/O before it.
    pub at: Nanos,
    /// Which way.
    pub kind: Direction,
    /// Index into the files of the job.
    pub file: u32,
    /// Byte offset in that file.
    pub offset: u64,
    /// Length in bytes; zero for a flush.
    pub bytes: u32,
}

/// What is replayed. All that decides what may be opened, and how, is known here: nothing else is read off the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The trace's path.
    pub name: String,
    /// Its I/Os by [`Direction::index`].
    pub ios: [u64; 4],
    /// The longest of them.
    pub longest: Bytes,
    /// When its last row is due, since its first.
    pub length: Nanos,
    /// By file of the job: whether anything is written to it or trimmed.
    pub changed: Vec<bool>,
    /// The I/Os. They are not stored with a plan: what is stored is read, and never run again.
    #[serde(skip)]
    pub rows: TraceRows,
}

impl Replay {
    /// The directions of its I/Os.
    pub fn mix(&self) -> Mix {
        let [reads, writes, trims, _] = self.ios;
        Mix::counted(reads, writes, trims)
    }

    /// Whether there are flushes among its I/Os.
    pub fn flushes(&self) -> bool {
        self.ios[Direction::Flush.index()] > 0
    }
}

/// The I/Os of a trace, packed.
#[derive(Clone, Debug)]
pub enum TraceRows {
    /// All of them.
    Held(Arc<[u8]>),
    /// Read piece by piece while they are replayed.
    Read(Arc<dyn TracePieces>),
}

/// A trace that is read while it is replayed.
pub trait TracePieces: Debug + Send + Sync {
    /// Reads from the begin: packed pieces, each behind the one before it, or why there is no more.
    fn read(&self) -> Box<dyn Iterator<Item = Result<Vec<u8>, String>> + Send>;
}

impl TraceRows {
    /// Those that were packed together.
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

/// Bits of the byte that begins a packed I/O; the lowest two are its direction.
const SAME_FILE: u8 = 1 << 2;
/// It begins where the one before it ended.
const FOLLOWS: u8 = 1 << 3;
const SAME_LENGTH: u8 = 1 << 4;
const SAME_TIME: u8 = 1 << 5;
/// Offset and length are counted in sectors.
const SECTORS: u8 = 1 << 6;
const SECTOR: u64 = 512;

/// Packs I/Os, each as what differs from the one before it: two to twelve bytes where a text row has thirty.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    packed: Vec<u8>,
    last: TracedIo,
}

impl Packer {
    /// Puts `io` behind the others.
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

    /// Bytes that are packed.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether nothing is packed.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Takes out what is packed. What is packed next goes on from there.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.packed)
    }
}

/// Reads packed I/Os one after the other; may go on in another piece where one is at its end.
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

    /// Another piece begins, which was packed behind the one before it.
    pub fn turn_over(&mut self) {
        self.at = 0;
    }
}

fn end(io: &TracedIo) -> u64 {
    io.offset.wrapping_add(u64::from(io.bytes))
}

/// Appends `value`, seven bits a byte, the lowest first; the last byte has no high bit.
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
