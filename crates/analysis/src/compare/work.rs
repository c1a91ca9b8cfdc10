//! The I/O of a job, whatever its name: the key by which figures of different tools are matched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::cells::Cell;
use crate::step_figures::Point;

/// What was done in one direction. A field is `None` if an import does not say it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Direction; `None` if the tool does not state it or adds both up.
    pub direction: Option<Direction>,
    /// Whether blocks follow each other; otherwise they are at random places.
    pub sequential: Option<bool>,
    /// Share of reads in percent among all I/Os of the job.
    pub read_percent: Option<u8>,
    /// Bytes of an I/O.
    pub block: Option<u64>,
    /// I/Os in flight, all workers together.
    pub depth: Option<u32>,
    /// Writes between two flushes; 0 without flushes.
    pub flush_every: Option<u32>,
    /// I/Os per second that were offered, rounded; 0: as fast as they complete.
    pub offered: Option<u64>,
    /// Whether requests were issued one at a time with pauses between (ioping): they have a latency and no rate.
    pub spaced: bool,
}

/// Greatest difference of two shares of reads, in percent, of the same mix: 75 % as requested is measured as 74.97 %.
const MIX_NEAR: u8 = 2;

impl Work {
    /// Returns the work of one direction of a cell.
    pub(super) fn of_cell(cell: &Cell, point: &Point) -> Work {
        let pattern = &cell.pattern;
        Work {
            direction: Some(point.direction),
            sequential: Some(pattern.sequential),
            read_percent: Some(pattern.read_percent),
            block: Some(point.block),
            depth: Some(point.depth),
            flush_every: Some(pattern.flush_every.unwrap_or(0)),
            offered: Some(
                pattern.offered.map_or(0, |rate| (rate * f64::from(pattern.workers)).round() as u64),
            ),
            spaced: false,
        }
    }

    /// Whether both are the same work: both record the same fields, and agree in them.
    pub fn same(&self, other: &Work) -> bool {
        self.may_be(other) && self.unrecorded() == other.unrecorded()
    }

    /// Whether both may be the same work: they agree in all fields that both record.
    pub(super) fn may_be(&self, other: &Work) -> bool {
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

    /// Returns the names of the fields that were not recorded.
    pub fn unrecorded(&self) -> Vec<&'static str> {
        let all = [
            ("depth", self.depth.is_none()),
            ("order", self.sequential.is_none()),
            ("block", self.block.is_none()),
            ("mix", self.read_percent.is_none()),
            ("flushes", self.flush_every.is_none()),
            ("offered rate", self.offered.is_none()),
        ];
        all.into_iter().filter_map(|(what, missing)| missing.then_some(what)).collect()
    }

    /// Returns the key of the order in which a reader looks for it: random I/O of one direction by block and depth, then the
    /// flushed, mixed, offered and sequential loads.
    pub(super) fn order(&self) -> impl Ord + use<> {
        let kind = (self.sequential, self.offered, !self.is_pure(), self.flush_every);
        let reads = self.read_percent.map(|share| 100 - share.min(100));
        (kind, reads, self.block, self.depth, self.direction == Some(Direction::Write))
    }

    /// Returns the share, 0 to 1, of the work's direction among all I/Os of the job.
    pub(super) fn share(&self) -> Option<f64> {
        let reads = f64::from(self.read_percent?) / 100.0;
        Some(if self.direction? == Direction::Read { reads } else { 1.0 - reads })
    }

    /// Whether the job only reads, or only writes.
    pub fn is_pure(&self) -> bool {
        self.read_percent.is_some_and(pure)
    }
}

fn pure(share: u8) -> bool {
    share == 0 || share == 100
}
