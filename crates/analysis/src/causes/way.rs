//! One direction of a run: its loads, its ladders and its figures.

use record::Run;
use workload::Direction;

use super::loads::{Load, Loads};
use crate::figures::Figures;
use crate::plateaus::Cap;
use crate::step_figures::Point;

/// Multiple of the depth that just fills a rate at which there is nearly always a queue, however latencies vary
/// (method 4). At 1.4 times that depth, the counts of a meter behind a varying latency drifted as on a busy device.
const FULL: f64 = 2.5;

/// One direction of a run.
pub(crate) struct Way<'r> {
    pub run: &'r Run,
    pub direction: Direction,
    pub loads: &'r Loads<'r>,
    /// Latency of one I/O at a time, nanoseconds.
    pub base_ns: Option<f64>,
    pub figures: &'r Figures,
    pub depths: &'r [Point],
    pub blocks: &'r [Point],
}

impl Way<'_> {
    /// Returns the level of bytes; `None` if no ladder of block sizes was climbed.
    pub fn bytes_level(&self) -> Option<Cap> {
        let laddered = self.blocks.iter().any(|point| point.direction == self.direction);
        laddered.then(|| self.figures.bandwidth_cap(self.direction)).flatten()
    }
}

/// Returns those of `loads` that keep a queue at the volume, so that their counts show its pace and not that of the
/// latency; if there are none, the deepest.
pub(super) fn full<'s>(way: &Way<'_>, loads: Vec<&'s Load<'s>>) -> Vec<&'s Load<'s>> {
    let Some(base_ns) = way.base_ns else { return loads };
    let fills = |load: &Load<'_>| load.point.iops.value * base_ns / 1e9;
    let deepest = loads.iter().map(|load| load.point.depth).max().unwrap_or(0);
    let is_full = |load: &&Load<'_>| f64::from(load.point.depth) >= FULL * fills(load);
    let some = loads.iter().any(is_full);
    let chosen = |load: &&Load<'_>| if some { is_full(load) } else { load.point.depth == deepest };
    loads.into_iter().filter(chosen).collect()
}
