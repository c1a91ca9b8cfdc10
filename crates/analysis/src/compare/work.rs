//! What was done, whatever the job was called: the key by which figures of different tools are matched.

use record::{Reported, ReportedDirection};
use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::{Cell, Point};

/// What was done in one direction. What an import does not say is `None` and matches anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Which way; `None` where the tool does not tell or adds both up.
    pub direction: Option<Direction>,
    /// One block after the other, or anywhere.
    pub sequential: Option<bool>,
    /// Share of reads in percent among all I/Os of the job.
    pub read_percent: Option<u8>,
    /// Bytes of an I/O.
    pub block: Option<u64>,
    /// I/Os in flight, all workers together.
    pub depth: Option<u32>,
    /// Writes between two flushes; 0 without.
    pub flush_every: Option<u32>,
    /// I/Os a second that were offered, whole; 0 as fast as they come back.
    pub offered: Option<u64>,
    /// Requests one at a time with pauses between, which have a latency and no rate (ioping).
    pub spaced: bool,
}

/// Shares of reads this close are the same mix: 75 % that was asked comes out as 74.97 %.
const MIX_NEAR: u8 = 2;

impl Work {
    /// One direction of a cell.
    pub(super) fn of_cell(cell: &Cell, point: &Point) -> Work {
        let pattern = &cell.pattern;
        Work {
            direction: Some(point.direction),
            sequential: Some(pattern.sequential),
            read_percent: Some(pattern.read_percent),
            block: Some(point.block),
            depth: Some(point.depth),
            flush_every: Some(pattern.flush_every.unwrap_or(0)),
            offered: Some(pattern.offered.map_or(0, |rate| rate.round() as u64)),
            spaced: false,
        }
    }

    /// One direction of what another tool printed.
    pub(super) fn of_reported(part: &Reported, way: &ReportedDirection, tool: &str) -> Work {
        let asked = |names: &[&str]| names.iter().find_map(|name| part.asked_for(name));
        let pattern = asked(&["rw", "readwrite"]);
        let spaced = tool.starts_with("ioping");
        let clones = part.clones.unwrap_or(1).max(1);
        let depth = asked(&["iodepth", "o", "outstanding"]).and_then(|word| word.parse::<u32>().ok());
        let random = |word: &str| word.starts_with("rand");
        Work {
            direction: way.direction,
            sequential: pattern.map(|word| !random(word)).or(spaced.then_some(false)),
            read_percent: share(part, pattern).or(spaced.then_some(100)),
            block: asked(if spaced { &["size"] } else { &["bs", "blocksize", "b"] })
                .and_then(|word| block(word, way.direction))
                .or(per_op(way)),
            depth: if spaced { Some(1) } else { depth.map(|depth| depth * clones) },
            flush_every: asked(&["fsync", "fdatasync"]).map_or(Some(0), |word| word.parse().ok()),
            offered: match asked(&["rate_iops", "rate"]) {
                None => Some(0),
                Some(_) => None,
            },
            spaced,
        }
    }

    /// Whether both are the same work as far as both say.
    pub fn same(&self, other: &Work) -> bool {
        fn agree<T: PartialEq>(a: &Option<T>, b: &Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        let mix = match (self.read_percent, other.read_percent) {
            (Some(a), Some(b)) => a.abs_diff(b) <= MIX_NEAR && (a == b || !(pure(a) || pure(b))),
            _ => true,
        };
        self.direction == other.direction
            && self.spaced == other.spaced
            && mix
            && agree(&self.sequential, &other.sequential)
            && agree(&self.block, &other.block)
            && agree(&self.depth, &other.depth)
            && agree(&self.flush_every, &other.flush_every)
            && agree(&self.offered, &other.offered)
    }

    /// Takes over what `other`, the same work, says beyond this.
    pub(super) fn learn(&mut self, other: &Work) {
        self.sequential = self.sequential.or(other.sequential);
        self.read_percent = self.read_percent.or(other.read_percent);
        self.block = self.block.or(other.block);
        self.depth = self.depth.or(other.depth);
        self.flush_every = self.flush_every.or(other.flush_every);
        self.offered = self.offered.or(other.offered);
    }

    /// Reads only, or writes only.
    pub fn is_pure(&self) -> bool {
        self.read_percent.is_some_and(pure)
    }
}

fn pure(share: u8) -> bool {
    share == 0 || share == 100
}

/// The share of reads: of the pattern where it has one direction, else as asked, else as it came out.
fn share(part: &Reported, pattern: Option<&str>) -> Option<u8> {
    match pattern {
        Some("read" | "randread") => return Some(100),
        Some("write" | "randwrite") => return Some(0),
        _ => {}
    }
    if let Some(asked) = part.asked_for("rwmixread").and_then(|word| word.parse().ok()) {
        return Some(asked);
    }
    let ops = |way| {
        part.of(Some(way)).and_then(|way| way.ops.as_ref().or(way.iops.as_ref())).map(|found| found.value)
    };
    match (ops(Direction::Read), ops(Direction::Write)) {
        (Some(read), Some(write)) if read + write > 0.0 => {
            Some((100.0 * read / (read + write)).round() as u8)
        }
        (Some(read), None) if read > 0.0 => Some(100),
        (None, Some(write)) if write > 0.0 => Some(0),
        _ => None,
    }
}

/// The block of `direction` in words such as `4k`, `4K-4K/8K-8K` or `(R) 4096B-4096B, (W) 8192B-8192B`: the first that is
/// named for reads, the second for writes. A range of lengths is no block.
fn block(words: &str, direction: Option<Direction>) -> Option<u64> {
    let parts: Vec<&str> = words.split(['/', ',']).collect();
    let place = if direction == Some(Direction::Write) && parts.len() > 1 { 1 } else { 0 };
    let part = parts[place].trim().trim_start_matches(|c: char| !c.is_ascii_digit());
    let (least, most) = part.split_once('-').unwrap_or((part, part));
    // fio's header writes `4096B`, ioping `4096 bytes` and `4 KiB`.
    let plain = |word: &str| word.trim().trim_end_matches("bytes").trim_end().to_owned();
    let size = |word: &str| {
        let word = plain(word);
        workload::size(&word).or_else(|_| workload::size(word.trim_end_matches(['B', 'b']))).ok()
    };
    (size(least)? == size(most)?).then(|| size(least).map(|size| size.0)).flatten()
}

/// Bytes of an I/O where both sums are printed in full.
fn per_op(way: &ReportedDirection) -> Option<u64> {
    let (bytes, ops) = (way.bytes.as_ref()?, way.ops.as_ref()?);
    let block = bytes.value / ops.value;
    (ops.value > 0.0 && block >= 512.0 && block.fract() == 0.0).then_some(block as u64)
}
