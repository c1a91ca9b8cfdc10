//! Draws of random blocks under any distribution. For a skewed one the rank is drawn, and a keyed permutation scatters the
//! ranks over the window; memory does not grow with it.

use statistics::{Pareto, Permutation, Stream, Zipf};
use workload::{Direction, Spread, Zone, ZoneLength};

/// The blocks to draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRange {
    pub(super) blocks: u64,
    /// Bytes per block.
    pub(super) block: u64,
}

/// Draws block numbers in a window of `count` blocks.
#[derive(Clone, Debug)]
pub(super) struct SpreadDraw {
    count: u64,
    law: Law,
    scatter: Option<Scatter>,
}

#[derive(Clone, Debug)]
enum Law {
    Uniform,
    Zipf(Zipf),
    Pareto(Pareto),
    /// Standard deviation in blocks.
    Normal(f64),
    /// Per zone: percent of the I/O up to and including it, its first block, and its length in blocks.
    Zones(Box<[(f64, u64, u64)]>),
    /// Blocks, the index of the next one, the block that they are counted from, and by how much it moves on after each turn.
    Listed {
        blocks: Box<[u64]>,
        at: usize,
        base: u64,
        step: u64,
    },
}

/// A map from ranks to blocks: a permutation, rotated so that rank 0 lies where it should.
#[derive(Clone, Debug)]
struct Scatter {
    permutation: Permutation,
    turn: u64,
}

impl SpreadDraw {
    /// Draws for `direction` in `range`; `key` determines the permutation.
    pub(super) fn new(spread: &Spread, direction: Direction, range: BlockRange, key: u64) -> SpreadDraw {
        let (count, block) = (range.blocks.max(1), range.block);
        let (law, center) = match spread {
            Spread::Uniform => (Some(Law::Uniform), None),
            Spread::Zipf { theta, center } => (Zipf::new(count, *theta).map(Law::Zipf), Some(*center)),
            Spread::Pareto { h, center } => (Pareto::new(count, *h).map(Law::Pareto), Some(*center)),
            Spread::Normal { percent, center } => {
                (Some(Law::Normal(count as f64 * percent / 100.0)), Some(*center))
            }
            Spread::Zoned(zones) => (zones_of(zones.of(direction), count, block).map(Law::Zones), None),
            Spread::Listed(blocks) | Spread::Advancing(blocks) => {
                let step = if matches!(spread, Spread::Advancing(_)) { blocks.len() as u64 } else { 0 };
                let listed = Law::Listed { blocks: blocks.clone().into(), at: 0, base: 0, step };
                ((!blocks.is_empty()).then_some(listed), None)
            }
        };
        let scatter = center.and_then(|center| Scatter::new(count, key, center));
        SpreadDraw { count, law: law.unwrap_or(Law::Uniform), scatter }
    }

    /// The next block.
    #[inline]
    pub(super) fn next(&mut self, stream: &mut Stream) -> u64 {
        let rank = match &mut self.law {
            Law::Uniform => stream.below(self.count),
            Law::Zipf(zipf) => zipf.sample(stream),
            Law::Pareto(pareto) => pareto.sample(stream),
            Law::Normal(deviation) => around_the_middle(self.count, *deviation, stream),
            Law::Zones(zones) => in_zones(zones, stream),
            Law::Listed { blocks, at, base, step } => {
                let block = blocks[*at].saturating_add(*base);
                *at = (*at + 1) % blocks.len();
                if *at == 0 {
                    *base = (*base + *step) % self.count;
                }
                // Behind the end of the region an advancing list goes on from its start.
                if *step > 0 { block % self.count } else { block }
            }
        };
        let block = match &self.scatter {
            Some(scatter) => scatter.block(rank),
            None => rank.min(self.count - 1),
        };
        debug_assert!(block < self.count, "a drawn block lies beyond its window");
        block
    }
}

/// A rank normally distributed around the middle one; values beyond one end wrap around to the other.
fn around_the_middle(count: u64, deviation: f64, stream: &mut Stream) -> u64 {
    let exact = count as f64 / 2.0 + deviation * stream.normal();
    (exact.rem_euclid(count as f64) as u64).min(count - 1)
}

fn in_zones(zones: &[(f64, u64, u64)], stream: &mut Stream) -> u64 {
    let total = zones.last().map_or(0.0, |&(sum, ..)| sum);
    let drawn = stream.unit_f64() * total;
    // Rounding can leave the draw at the very end; it then belongs to the last zone.
    let zone = zones.iter().find(|&&(sum, ..)| drawn < sum).or(zones.last());
    zone.map_or(0, |&(_, first, count)| first + stream.below(count))
}

/// Zones in blocks: each begins where the one before it ends and holds at least one block.
fn zones_of(zones: &[Zone], count: u64, block: u64) -> Option<Box<[(f64, u64, u64)]>> {
    let whole = count as f64;
    let (mut share, mut edge) = (0.0, 0.0);
    let zone = |zone: &Zone| {
        let length = match zone.length {
            ZoneLength::Percent(percent) => whole * percent / 100.0,
            ZoneLength::Bytes(bytes) => bytes.0 as f64 / block.max(1) as f64,
            ZoneLength::Rest => whole - edge,
        };
        share += zone.percent;
        let first = (edge.round() as u64).min(count - 1);
        edge = (edge + length.max(0.0)).min(whole);
        (share, first, (edge.round() as u64).saturating_sub(first).max(1))
    };
    let zones: Box<[_]> = zones.iter().map(zone).collect();
    (share > 0.0).then_some(zones)
}

impl Scatter {
    /// Places rank 0 at `center`, a share of the window, if that is given.
    fn new(count: u64, key: u64, center: Option<f64>) -> Option<Scatter> {
        let permutation = Permutation::new(count, key)?;
        let hottest = permutation.at(0);
        let turn = match center {
            None => 0,
            Some(share) => {
                let wanted = ((count as f64 * share.clamp(0.0, 1.0)) as u64).min(count - 1);
                (wanted + count - hottest) % count
            }
        };
        Some(Scatter { permutation, turn })
    }

    #[inline]
    fn block(&self, rank: u64) -> u64 {
        let count = self.permutation.range();
        let block = self.permutation.at(rank) + self.turn;
        if block >= count { block - count } else { block }
    }
}
