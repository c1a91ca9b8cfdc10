//! Verification that data read is the data written: a header in every interval of a write, checked when it is read.
//!
//! An interval is the smallest unit that can be verified. Its header names the write that made it, the place where it
//! belongs, and a checksum of all of it, so that corrupted, misplaced, stale and lost data are distinguished. The ledger
//! knows the last write to each interval.

mod checksum;
mod give_back;
mod header;
mod ledger;
mod state;
mod wrong;

use record::Damage;
use twox_hash::XxHash3_64;
use workload::{Bytes, Checksum, Direction, Io, Order, Pattern, Proof, Verification, Verify, WorkerPlan};

use crate::fill::repeat;
use header::Mine;
pub(crate) use ledger::{ExpectedData, Ledger, Span};
pub use state::{StateError, WriteProgress, decode, encode};
pub(crate) use wrong::Wrong;

/// Returns the length of a header with a checksum of this kind.
pub fn header_length(kind: Checksum) -> Bytes {
    Bytes(header::length(kind) as u64)
}

/// A mismatch and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Byte offset of the interval in its file.
    pub offset: u64,
    /// The kind of damage.
    pub damage: Damage,
}

/// Returns the length of an interval for `plan`: the requested one if it divides all lengths and alignments of the I/O,
/// otherwise their greatest common divisor, as in fio.
pub fn interval(plan: &WorkerPlan, verification: &Verification) -> Bytes {
    let unit = unit(plan);
    verification.interval.filter(|asked| asked.0 > 0 && unit.0.is_multiple_of(asked.0)).unwrap_or(unit)
}

/// Returns the greatest common divisor of all lengths, alignments and steps of the data that `plan` moves: its I/O begins
/// and ends at multiples of it.
pub fn unit(plan: &WorkerPlan) -> Bytes {
    let moved = plan.access.mix.directions().filter(|direction| *direction != Direction::Trim);
    // Only random places are aligned; what is done in order begins where the last I/O ended.
    let order = &plan.access;
    let is_random = matches!(order.order, Order::Random(_))
        || order.random_percent.iter().any(|(_, percent)| *percent > 0);
    let align = |direction| if is_random { plan.blocks.align_of(direction).0 } else { 0 };
    let units = moved.flat_map(|direction| [plan.blocks.of(direction).unit().0, align(direction)]);
    let pieces = plan.access.pieces.map_or([0, 0], |pieces| [pieces.range.0, pieces.skip.0]);
    Bytes(units.chain(pieces).chain([plan.access.stride.unsigned_abs()]).fold(0, gcd))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The identity of an interval, apart from its bytes.
#[derive(Clone, Copy, Debug)]
struct Identity {
    file: u32,
    offset: u64,
    write: u32,
}

/// Seals the blocks that a worker writes and checks those that it reads.
#[derive(Clone, Debug)]
pub(crate) struct Prover {
    proof: Proof,
    checksum: Checksum,
    interval: usize,
    header_at: usize,
    run: u64,
    writer: u32,
    /// Number of writes sealed so far, which is also the number of the last write.
    writes: u32,
    /// Length after which a pattern starts over, from the start of the I/O; above 0.
    pattern_each: u64,
    /// Buffer for the expected pattern; empty if there is none.
    wanted: Box<[u8]>,
}

impl Prover {
    /// Makes a prover for `plan`; `None` if nothing is verified.
    pub(crate) fn new(plan: &WorkerPlan) -> Option<Prover> {
        let Verify::On(verification) = &plan.verify else { return None };
        let (unit, interval) = (unit(plan).0, interval(plan, verification).0);
        // What is read back begins and ends with the write if all blocks have one length and lie at multiples of it.
        let mut moved = plan.access.mix.directions().filter(|direction| *direction != Direction::Trim);
        let is_whole = moved.all(|direction| plan.blocks.longest_of(direction).0 == unit);
        let bare = matches!(verification.proof, Proof::Pattern(_));
        let interval = if is_whole && bare { unit } else { interval }.max(1) as usize;
        let pattern_each = match verification.pattern_each.0 {
            0 if is_whole => unit,
            each if each > 0 && (is_whole || unit.is_multiple_of(each)) => each,
            _ => interval as u64,
        };
        let room = match verification.proof {
            Proof::Pattern(_) | Proof::HeaderAndPattern(_) => interval,
            Proof::Header | Proof::Nothing => 0,
        };
        Some(Prover {
            wanted: vec![0; room].into_boxed_slice(),
            proof: verification.proof.clone(),
            pattern_each: pattern_each.max(1),
            checksum: verification.checksum,
            interval,
            header_at: verification.header_at.0 as usize,
            run: verification.run,
            writer: header::short(plan.seed),
            writes: 0,
        })
    }

    /// Makes `buffer`, which is filled for the write `io`, verifiable.
    pub(crate) fn seal(&mut self, io: &Io, buffer: &mut [u8]) {
        self.writes = next_write(self.writes);
        let bytes = (io.bytes as usize).min(buffer.len());
        if let Proof::Pattern(pattern) | Proof::HeaderAndPattern(pattern) = &self.proof {
            lay(
                &mut buffer[..bytes],
                pattern,
                Place { start: io.offset, within: 0, each: self.pattern_each },
            );
        }
        if !matches!(self.proof, Proof::Header | Proof::HeaderAndPattern(_)) {
            return;
        }
        for (number, interval) in buffer[..bytes].chunks_mut(self.interval).enumerate() {
            let offset = io.offset + (number * self.interval) as u64;
            self.stamp(interval, Identity { file: io.file, offset, write: self.writes });
        }
    }

    fn stamp(&self, interval: &mut [u8], identity: Identity) {
        let length = interval.len();
        let Some((head, data)) = interval.split_at_mut_checked(header::length(self.checksum)) else { return };
        let mine = Mine {
            data: XxHash3_64::oneshot(data),
            run: header::short(self.run),
            writer: self.writer,
            file: identity.file,
            write: identity.write,
        };
        header::write(head, header::form(self.checksum, length), identity.offset, mine);
        let sum = checksum::of(self.checksum, data);
        let kept = checksum::length(self.checksum);
        let at = head.len() - kept;
        head[at..].copy_from_slice(&sum[..kept]);
        self.move_header(interval);
    }

    /// Swaps the header at the beginning of `interval` with the data at the header's requested place, or back again.
    /// The checksum covers the data as it is while the header is in front.
    fn move_header(&self, interval: &mut [u8]) {
        let length = header::length(self.checksum);
        if self.header_at >= length
            && let Some((front, rest)) = interval.split_at_mut_checked(self.header_at)
            && rest.len() >= length
        {
            front[..length].swap_with_slice(&mut rest[..length]);
        }
    }

    /// Checks the data read from `offset` of `file` into `buffer`; `expected` returns the data that should be at a byte
    /// offset. Returns the first interval that is wrong.
    pub(crate) fn look(
        &mut self,
        (file, start): (u32, u64),
        buffer: &mut [u8],
        expected: impl Fn(u64) -> ExpectedData,
    ) -> Option<Mismatch> {
        buffer.chunks_mut(self.interval).enumerate().find_map(|(number, interval)| {
            let offset = start + (number * self.interval) as u64;
            let place = self.place(start, offset);
            let expected = expected(offset);
            let looked = match (&self.proof, expected) {
                (_, ExpectedData::Unknown) | (Proof::Nothing, _) => Ok(()),
                (_, ExpectedData::Zeros) => are_zeros(interval, offset),
                (Proof::Pattern(pattern), _) => {
                    let wanted = &mut self.wanted[..interval.len()];
                    lay(wanted, pattern, place);
                    is_the_pattern(interval, wanted, offset)
                }
                (Proof::Header | Proof::HeaderAndPattern(_), _) => self
                    .check(interval, (file, offset), expected)
                    .and_then(|()| self.compare(interval, place)),
            };
            looked.err().map(|damage| Mismatch { offset, damage })
        })
    }

    fn check(&self, interval: &mut [u8], place: (u32, u64), expected: ExpectedData) -> Result<(), Damage> {
        self.move_header(interval);
        let Some((head, data)) = interval.split_at_checked(header::length(self.checksum)) else {
            return Ok(());
        };
        let Some(header) = header::read(head) else { return Ok(()) };
        let form = header::form(self.checksum, interval.len());
        if header.form != form {
            return Err(Damage::NoHeader { wanted: form, found: header.form });
        }
        let [wanted, found] = header.sums.map(u64::from);
        if wanted != found {
            return Err(Damage::Corrupted { wanted, found });
        }
        self.check_data(head, data)?;
        let mine = header.mine.filter(|mine| mine.writer == self.writer);
        if let Some(mine) = header.mine {
            let found = XxHash3_64::oneshot(data);
            if found != mine.data {
                return Err(Damage::Corrupted { wanted: mine.data, found });
            }
        }
        let file = mine.map_or(place.0, |mine| mine.file);
        if header.offset != place.1 || file != header::short_file(place.0) && mine.is_some() {
            return Err(Damage::Misplaced { file, offset: header.offset });
        }
        if self.run != 0 && header.mine.is_none_or(|mine| mine.run != header::short(self.run)) {
            return Err(Damage::OtherRun);
        }
        match (expected, mine) {
            // Data that another worker of this run wrote over this worker's is not the volume's fault.
            (ExpectedData::Write(wanted), Some(mine)) if wanted != mine.write => {
                Err(Damage::Stale { wanted, found: mine.write })
            }
            _ => Ok(()),
        }
    }

    /// Compares the data after the header with the pattern, if the header has no checksum; the header is in front.
    fn compare(&mut self, interval: &[u8], place: Place) -> Result<(), Damage> {
        let Proof::HeaderAndPattern(pattern) = &self.proof else { return Ok(()) };
        if self.checksum != Checksum::Pattern {
            return Ok(());
        }
        let length = header::length(self.checksum).min(interval.len());
        let wanted = &mut self.wanted[..interval.len()];
        lay(wanted, pattern, place);
        is_the_pattern(&interval[length..], &wanted[length..], place.start + place.within + length as u64)
    }

    /// The place of byte `offset` in an I/O that starts at `start`.
    fn place(&self, start: u64, offset: u64) -> Place {
        Place { start, within: offset - start, each: self.pattern_each }
    }

    /// Checks `data` against the checksum at the end of `head`.
    fn check_data(&self, head: &[u8], data: &[u8]) -> Result<(), Damage> {
        let length = checksum::length(self.checksum);
        let (stands, is) = (&head[head.len() - length..], checksum::of(self.checksum, data));
        if *stands != is[..length] {
            let (wanted, found) = first_difference(stands, &is[..length]);
            return Err(Damage::Corrupted { wanted, found });
        }
        Ok(())
    }
}

/// A part of an I/O, over which a pattern is laid.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Byte offset of the I/O in its file.
    start: u64,
    /// Bytes of the I/O before the part.
    within: u64,
    /// Length after which the pattern starts over, from the start of the I/O; above 0.
    each: u64,
}

/// Lays `pattern` over `part` as if over the whole I/O; the offset in it is that where it last started over.
fn lay(part: &mut [u8], pattern: &Pattern, Place { start, within, each }: Place) {
    let length = pattern.bytes.len() as u64;
    if within.is_multiple_of(each) || length == 0 {
        let starts = (start + within..).step_by(each as usize);
        return part.chunks_mut(each as usize).zip(starts).for_each(|(piece, at)| repeat(piece, pattern, at));
    }
    for (byte, at) in part.iter_mut().zip(within..) {
        let (start, within) = (start + at - at % each, at % each % length);
        let place =
            pattern.offsets.iter().find_map(|&from| within.checked_sub(u64::from(from)).filter(|at| *at < 8));
        *byte = match place {
            Some(place) => start.to_le_bytes()[place as usize],
            None => pattern.bytes[within as usize],
        };
    }
}

/// Up to eight bytes of two checksums, from the first in which they differ.
fn first_difference(wanted: &[u8], found: &[u8]) -> (u64, u64) {
    let at = wanted.iter().zip(found).position(|(wanted, found)| wanted != found).unwrap_or(0);
    let word =
        |bytes: &[u8]| bytes.iter().skip(at).take(8).fold(0, |word, &byte| word << 8 | u64::from(byte));
    (word(wanted), word(found))
}

/// The number of the write after `last`; numbers start over at 1.
pub(crate) fn next_write(last: u32) -> u32 {
    if last >= ledger::LAST_WRITE { 1 } else { last + 1 }
}

/// Checks that all bytes are zero; the error names the first that is not.
fn are_zeros(interval: &[u8], offset: u64) -> Result<(), Damage> {
    match interval.iter().position(|&found| found != 0) {
        None => Ok(()),
        Some(at) => Err(Damage::NotZeros { at: offset + at as u64, found: interval[at] }),
    }
}

/// Checks `interval` against `wanted`; the error names the first byte that differs.
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
