//! Distribution of random places over the region: even, or with hot and cold blocks.

use serde::{Deserialize, Serialize};

use crate::{ByDirection, Bytes};

/// Distribution of random places. The blocks of a skewed one are ranked from hot to cold, and a keyed permutation
/// scatters the ranks over the region, so that hot blocks are not adjacent; memory does not grow with the region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// All blocks equally likely.
    #[default]
    Uniform,
    /// Rank `k`, counted from 1, with probability proportional to `1 / k^theta`.
    Zipf {
        /// Exponent; above 0.
        theta: f64,
        /// Position of the hottest block as a share of the region; `None`: anywhere.
        center: Option<f64>,
    },
    /// Pareto's law: `1 - h` of the I/O goes to `h` of the blocks, and likewise within those.
    Pareto {
        /// Share of the blocks; above 0, below 1.
        h: f64,
        /// Position of the hottest block, as for `Zipf`.
        center: Option<f64>,
    },
    /// Ranks normally distributed around the middle one.
    Normal {
        /// Standard deviation in percent of the blocks.
        percent: f64,
        /// Position of the hottest block, as for `Zipf`.
        center: Option<f64>,
    },
    /// Zones, each with a share of the I/O, which is uniformly distributed within the zone.
    Zoned(ByDirection<Vec<Zone>>),
    /// These blocks in turn, by number within the region.
    Listed(Vec<u64>),
    /// These blocks in turn, counted from a block that moves on by the length of the list after each turn.
    Advancing(Vec<u64>),
}

/// A part of the region, directly after the previous zone of the list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Percent of the I/O.
    pub percent: f64,
    /// Length of the zone.
    pub length: ZoneLength,
}

/// Length of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneLength {
    /// Percent of the region.
    Percent(f64),
    /// Bytes.
    Bytes(Bytes),
    /// The rest of the region after all earlier zones.
    Rest,
}
