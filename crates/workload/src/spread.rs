//! How random places are spread over the region: evenly, or with hot and cold blocks.

use serde::{Deserialize, Serialize};

use crate::{ByDirection, Bytes};

/// Distribution of random places. The blocks of a skewed one are ranked from hot to cold and the ranks are scattered over
/// the region by a keyed permutation, so that the hot ones do not lie together; memory does not grow with the region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Every block as likely.
    #[default]
    Uniform,
    /// Rank `k` as likely as `1 / k^theta`.
    Zipf {
        /// Above 0.
        theta: f64,
        /// Where the hottest block lies, as a share of the region; `None`: anywhere.
        center: Option<f64>,
    },
    /// By Pareto's law: `1 - h` of the I/O goes to `h` of the blocks, and so on within those.
    Pareto {
        /// Above 0, below 1.
        h: f64,
        /// As for `Zipf`.
        center: Option<f64>,
    },
    /// Ranks normally distributed around the middle one.
    Normal {
        /// Standard deviation in percent of the blocks.
        percent: f64,
        /// As for `Zipf`.
        center: Option<f64>,
    },
    /// So much of the I/O to that part of the region, uniformly within it.
    Zoned(ByDirection<Vec<Zone>>),
    /// These blocks in turn, by number within the region.
    Listed(Vec<u64>),
}

/// A part of the region, behind the one before it in the list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Percent of the I/O.
    pub percent: f64,
    /// Its length.
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
    /// What the zones before it leave.
    Rest,
}
