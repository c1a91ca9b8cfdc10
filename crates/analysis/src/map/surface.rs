//! The cells of a map: measured ones, and predicted ones between them.
//!
//! A rate that was not measured is `min(N/L0, C/ceil(b/u), B/b)`: Little's law below the knee, the caps above it,
//! rounded like the measured corners. It lies within what the measured cells around it allow: more depth and smaller
//! blocks never reduce operations, and depth raises them at most in proportion. If model and cells together leave more
//! than a factor of two, or contradict each other, the cell has no figure.

use serde::{Deserialize, Serialize};
use statistics::quantile::median;
use workload::Bytes;

use super::caps::{Caps, HeldBy};
use super::corner::{Corner, rounded};
use crate::causes::cause::Charge;
use crate::estimate::Estimate;
use crate::step_figures::Point;

/// Greatest ratio of the upper to the lower end of an interval for a cell to have a figure.
const WIDE: f64 = 2.0;
/// Error of a model that no measured cell checks, as a share: the moments of a level differ by about as much.
const SLACK: f64 = 0.02;
/// KiB of the blocks that have a row, up to the largest that was measured.
const BLOCKS: [u64; 9] = [4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// Whether a cell was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A step ran the cell.
    Measured,
    /// The figure follows from cells around it.
    Predicted,
}

/// One block at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapCell {
    /// Bytes of an I/O.
    pub block: u64,
    /// I/Os in flight.
    pub depth: u32,
    /// I/Os per second; `None` if nothing is known about the cell.
    pub iops: Option<Estimate>,
    /// Whether that figure was measured.
    pub basis: Basis,
    /// Mean latency, nanoseconds: by Little's law if not measured.
    pub latency_ns: Option<f64>,
    /// 99th percentile of latency, nanoseconds; only if measured.
    pub p99_ns: Option<u64>,
}

/// The points, caps and corners of one direction.
pub(super) struct Surface<'m> {
    /// Measured points by block and then depth, each once.
    pub points: &'m [&'m Point],
    pub caps: Caps<'m>,
    pub crossover: Option<Estimate>,
    pub corner: Corner,
    pub bend: Corner,
}

impl Surface<'_> {
    /// Returns every block at every depth: the usual blocks, the measured ones, and the requested one.
    pub fn cells(&self, asked: Option<Bytes>) -> Vec<MapCell> {
        let largest = self.points.iter().map(|point| point.block).max().unwrap_or(0);
        let deepest = self.points.iter().map(|point| point.depth).max().unwrap_or(1);
        let usual = BLOCKS.into_iter().map(|kib| kib * 1024).filter(|block| *block <= largest);
        let own = self.points.iter().map(|point| point.block).chain(asked.map(|block| block.0));
        let mut blocks: Vec<u64> = usual.chain(own).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let depths: Vec<u32> = (0..=deepest.ilog2()).map(|power| 1 << power).collect();
        blocks.into_iter().flat_map(|block| self.row(block, &depths)).collect()
    }

    /// Returns one block at the doublings of the depth, and at all other measured depths.
    fn row(&self, block: u64, doublings: &[u32]) -> Vec<MapCell> {
        let own = self.points.iter().filter(|point| point.block == block).map(|point| point.depth);
        let mut depths: Vec<u32> = doublings.iter().copied().chain(own).collect();
        depths.sort_unstable();
        depths.dedup();
        depths.into_iter().map(|depth| self.cell(block, depth)).collect()
    }

    /// Returns one block at one depth.
    pub fn cell(&self, block: u64, depth: u32) -> MapCell {
        let measured = self.points.iter().find(|point| point.block == block && point.depth == depth);
        if let Some(point) = measured {
            return MapCell {
                block,
                depth,
                iops: Some(point.iops),
                basis: Basis::Measured,
                latency_ns: Some(point.latency_ns_mean),
                p99_ns: Some(point.latency_ns_p99),
            };
        }
        let iops = self.predicted(block, depth);
        let latency_ns = iops.map(|iops| f64::from(depth) / iops.value * 1e9);
        MapCell { block, depth, iops, basis: Basis::Predicted, latency_ns, p99_ns: None }
    }

    /// Returns the rate that the measured cells and the model leave; `None` if its range is wide, or if they contradict
    /// each other.
    pub fn predicted(&self, block: u64, depth: u32) -> Option<Estimate> {
        let (least, most) = self.allowed(block, depth);
        let told = match self.model(block, depth) {
            Some(model) => {
                let (low, high) = (model.low.max(least), model.high.min(most));
                (low <= high).then(|| Estimate { value: model.value.clamp(low, high), low, high })
            }
            None => None,
        };
        let bare = || {
            let value = (least * most).sqrt();
            (least > 0.0 && least <= most).then_some(Estimate { value, low: least, high: most })
        };
        let told = told.or_else(bare).map(|iops| self.as_wide(iops));
        told.filter(|iops| iops.low > 0.0 && iops.high <= WIDE * iops.low)
    }

    /// Widens an estimate to at least the usual width of measured cells: the range between several is no more certain.
    fn as_wide(&self, iops: Estimate) -> Estimate {
        let widths: Vec<f64> =
            self.points.iter().map(|point| point.iops.half_width() / point.iops.value).collect();
        let half = median(&widths).unwrap_or(0.0).max(SLACK) * iops.value;
        Estimate {
            value: iops.value,
            low: iops.low.min(iops.value - half),
            high: iops.high.max(iops.value + half),
        }
    }

    /// Returns the least and the greatest rate that the measured cells around this one allow.
    fn allowed(&self, block: u64, depth: u32) -> (f64, f64) {
        let (mut least, mut most) = (0.0f64, f64::INFINITY);
        for point in self.points {
            let deeper = f64::from(depth) / f64::from(point.depth);
            // Larger blocks and fewer in flight never raise operations; more in flight raise them in proportion, if at
            // all.
            if point.block >= block {
                least = least.max(point.iops.low * deeper.min(1.0));
            }
            if point.block <= block && self.by_bytes() {
                // Nor do larger blocks move fewer bytes, unless operations are charged in units.
                let shorter = point.block as f64 / block as f64;
                least = least.max(point.iops.low * deeper.min(1.0) * shorter);
            }
            if point.block <= block {
                most = most.min(point.iops.high * deeper.max(1.0));
            }
        }
        (least * (1.0 - SLACK), most * (1.0 + SLACK))
    }

    /// Whether bytes, and no unit of operations, limit the larger blocks.
    fn by_bytes(&self) -> bool {
        self.crossover.is_some() && self.caps.unit.is_none()
    }

    /// Returns the rate by Little's law and the caps; `None` if either is not known.
    fn model(&self, block: u64, depth: u32) -> Option<Estimate> {
        let (alone, cap) = (self.alone(block)?, self.plateau(block)?);
        let slope = |ns: f64| f64::from(depth) / ns * 1e9;
        let (soft, sharp) = self.bend.exponents();
        let middle = (soft * sharp).sqrt();
        Some(Estimate {
            value: rounded(slope(alone.value), cap.value, middle),
            low: rounded(slope(alone.high), cap.low, soft) * (1.0 - SLACK),
            high: slope(alone.low).min(cap.high) * (1.0 + SLACK),
        })
    }

    /// Returns the latency of one I/O of this block alone, nanoseconds: interpolated between two measured ones.
    fn alone(&self, block: u64) -> Option<Estimate> {
        let ones = || self.points.iter().filter(|point| point.depth == 1);
        let below = ones().rfind(|point| point.block <= block)?;
        let above = ones().find(|point| point.block >= block)?;
        let (low, high) = (below.latency_ns_mean, above.latency_ns_mean.max(below.latency_ns_mean));
        let span = (above.block - below.block).max(1) as f64;
        let value = low + (high - low) * (block - below.block) as f64 / span;
        // With one I/O at a time, the mean latency is as precise as the rate.
        let off = |point: &Point| 1.0 + point.iops.half_width() / point.iops.value;
        Some(Estimate { value, low: low / off(below), high: high * off(above) })
    }

    /// Returns the rate of a full queue of this block by the caps, rounded where they meet like the measured corner.
    fn plateau(&self, block: u64) -> Option<Estimate> {
        let operations = self.caps.operations.filter(|cap| !cap.at_least && cap.held_by != HeldBy::Bytes)?;
        let charged = self.charged(block);
        let of = operations.level;
        let small = Estimate {
            value: of.value / charged.value,
            low: of.low / charged.high,
            high: of.high / charged.low,
        };
        let Some(bytes) = self.caps.bytes.filter(|cap| !cap.at_least && cap.held_by != HeldBy::Unit) else {
            // Only operations limited the bytes of the largest block, if that was measured.
            return self.caps.bytes.is_none_or(|cap| cap.held_by == HeldBy::Unit).then_some(small);
        };
        let each = block as f64;
        let (soft, sharp) = self.corner.exponents();
        let middle = if self.crossover.is_some() { (soft * sharp).sqrt() } else { sharp };
        Some(Estimate {
            value: rounded(small.value, bytes.level.value / each, middle),
            low: rounded(small.low, bytes.level.low / each, soft),
            high: small.high.min(bytes.level.high / each),
        })
    }

    /// Returns the charge of one operation of this block: if not known, between its size and whole units.
    fn charged(&self, block: u64) -> Estimate {
        let Some(unit) = self.caps.unit else { return Estimate::exactly(1.0) };
        let units = block as f64 / unit.bytes as f64;
        let (by_size, whole) = (units.max(1.0), units.ceil().max(1.0));
        match unit.charge {
            Charge::Ceil => Estimate::exactly(whole),
            Charge::Proportional => Estimate::exactly(by_size),
            Charge::Unknown => Estimate { value: (by_size * whole).sqrt(), low: by_size, high: whole },
        }
    }
}
