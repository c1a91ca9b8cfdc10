//! Proof that what is read is what was written: a header in every interval of a write, and the look at it when it is read.
//!
//! An interval is the least that proves itself. Its header names the write that made it, where it belongs, and a checksum of
//! all of it, so that corrupted, misplaced, stale and lost data are told apart. The ledger knows which write was the last
//! to each interval.

mod ledger;

use record::Damage;
use twox_hash::XxHash3_64;
use workload::{Bytes, Io, Proof, Verification, Verify, WorkerPlan};

use crate::fill::repeat;
pub(crate) use ledger::{Expected, Ledger, Span};

/// Bytes of a header.
pub const HEADER: u64 = 64;

/// The first bytes of a header.
const MAGIC: u64 = u64::from_le_bytes(*b"plimsoll");

/// Where a mismatch is, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Byte offset of the interval in its file.
    pub offset: u64,
    /// What is wrong with it.
    pub damage: Damage,
}

/// Length of an interval for `plan`: as asked, or what all lengths and alignments of its writes have in common.
pub fn interval(plan: &WorkerPlan, verification: &Verification) -> Bytes {
    verification.interval.unwrap_or_else(|| unit(plan))
}

/// What all lengths, alignments and steps of the data that `plan` moves have in common: its I/O begins and ends at multiples.
pub fn unit(plan: &WorkerPlan) -> Bytes {
    let moved = plan.access.mix.directions().filter(|direction| *direction != workload::Direction::Trim);
    let units =
        moved.flat_map(|direction| [plan.blocks.of(direction).unit().0, plan.blocks.align_of(direction).0]);
    let pieces = plan.access.pieces.map_or([0, 0], |pieces| [pieces.range.0, pieces.skip.0]);
    Bytes(units.chain(pieces).chain([plan.access.stride.unsigned_abs()]).fold(0, gcd))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What an interval is, beside its bytes.
#[derive(Clone, Copy, Debug)]
struct Identity {
    file: u32,
    offset: u64,
    write: u32,
}

/// Seals what a worker writes and looks at what it reads.
#[derive(Clone, Debug)]
pub(crate) struct Prover {
    proof: Proof,
    interval: usize,
    header_at: usize,
    run: u64,
    writer: u64,
    /// Writes sealed so far, which is the number of the last.
    writes: u32,
    /// What a pattern should be; empty where there is none.
    wanted: Box<[u8]>,
}

impl Prover {
    /// A prover for `plan`; `None` where nothing is verified.
    pub(crate) fn new(plan: &WorkerPlan) -> Option<Prover> {
        let Verify::On(verification) = &plan.verify else { return None };
        let interval = interval(plan, verification).0.max(1) as usize;
        let room = if matches!(verification.proof, Proof::Pattern(_)) { interval } else { 0 };
        Some(Prover {
            wanted: vec![0; room].into_boxed_slice(),
            proof: verification.proof.clone(),
            interval,
            header_at: verification.header_at.0 as usize,
            run: verification.run,
            writer: plan.seed,
            writes: 0,
        })
    }

    /// Makes `buffer`, which is filled for the write `io`, prove itself.
    pub(crate) fn seal(&mut self, io: &Io, buffer: &mut [u8]) {
        self.writes = next_write(self.writes);
        let bytes = (io.bytes as usize).min(buffer.len());
        for (number, interval) in buffer[..bytes].chunks_mut(self.interval).enumerate() {
            let offset = io.offset + (number * self.interval) as u64;
            match &self.proof {
                Proof::Nothing => {}
                Proof::Pattern(pattern) => repeat(interval, pattern, offset),
                Proof::Header => self.stamp(interval, Identity { file: io.file, offset, write: self.writes }),
                Proof::HeaderAndPattern(pattern) => {
                    repeat(interval, pattern, offset);
                    self.stamp(interval, Identity { file: io.file, offset, write: self.writes });
                }
            }
        }
    }

    fn stamp(&self, interval: &mut [u8], identity: Identity) {
        let Some(header) = header_of(interval, self.header_at) else { return };
        let words = [
            MAGIC,
            // The checksum, taken with zeros in its place.
            0,
            self.run,
            self.writer,
            u64::from(identity.file),
            identity.offset,
            u64::from(identity.write),
            header.len() as u64,
        ];
        for (place, word) in header.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let checksum = XxHash3_64::oneshot(interval);
        if let Some(header) = header_of(interval, self.header_at) {
            header[8..16].copy_from_slice(&checksum.to_le_bytes());
        }
    }

    /// Looks at what `io` has read into `buffer`; `expected` knows what should stand at a byte offset. The first interval
    /// that is wrong is named.
    pub(crate) fn look(
        &mut self,
        (file, offset): (u32, u64),
        buffer: &mut [u8],
        expected: impl Fn(u64) -> Expected,
    ) -> Option<Mismatch> {
        buffer.chunks_mut(self.interval).enumerate().find_map(|(number, interval)| {
            let offset = offset + (number * self.interval) as u64;
            let expected = expected(offset);
            let looked = match (&self.proof, expected) {
                (_, Expected::Unknown) | (Proof::Nothing, _) => Ok(()),
                (Proof::Pattern(pattern), _) => {
                    let wanted = &mut self.wanted[..interval.len()];
                    repeat(wanted, pattern, offset);
                    is_the_pattern(interval, wanted, offset)
                }
                (Proof::Header | Proof::HeaderAndPattern(_), _) => {
                    self.check(interval, (file, offset), expected)
                }
            };
            looked.err().map(|damage| Mismatch { offset, damage })
        })
    }

    fn check(&self, interval: &mut [u8], place: (u32, u64), expected: Expected) -> Result<(), Damage> {
        let Some(header) = header_of(interval, self.header_at) else { return Ok(()) };
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(header.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        let [magic, checksum, run, writer, file, offset, write, _] = words;
        if magic != MAGIC {
            return Err(Damage::NoHeader { wanted: MAGIC, found: magic });
        }
        header[8..16].fill(0);
        let found = XxHash3_64::oneshot(interval);
        if found != checksum {
            return Err(Damage::Corrupted { wanted: checksum, found });
        }
        let mine = writer == self.writer;
        if offset != place.1 || (mine && file != u64::from(place.0)) {
            return Err(Damage::Misplaced { file: file as u32, offset });
        }
        if self.run != 0 && run != self.run {
            return Err(Damage::OtherRun);
        }
        match expected {
            // What another worker of this run wrote over ours is no fault of the volume.
            Expected::Write(wanted) if mine && u64::from(wanted) != write => {
                Err(Damage::Stale { wanted, found: write as u32 })
            }
            _ => Ok(()),
        }
    }
}

/// The number of the write after `last`; it starts over at 1.
pub(crate) fn next_write(last: u32) -> u32 {
    if last >= ledger::LAST_WRITE { 1 } else { last + 1 }
}

fn header_of(interval: &mut [u8], at: usize) -> Option<&mut [u8]> {
    interval.get_mut(at..at + HEADER as usize)
}

/// The first byte that differs is named.
fn is_the_pattern(interval: &[u8], wanted: &[u8], offset: u64) -> Result<(), Damage> {
    match interval.iter().zip(wanted).position(|(found, wanted)| found != wanted) {
        None => Ok(()),
        Some(at) => {
            Err(Damage::NotThePattern { at: offset + at as u64, wanted: wanted[at], found: interval[at] })
        }
    }
}

#[cfg(test)]
mod tests;
