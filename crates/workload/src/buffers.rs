//! Data that is written: unique, repeated, zero, a pattern, or with a given compressibility and share of duplicates.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// Data that is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buffers {
    /// A fresh incompressible stream in every block, derived from its offset and a generation number.
    #[default]
    Unique,
    /// Incompressible data, filled once at the start; each write stamps its offset and generation into every 512 bytes, so
    /// that no two blocks are equal. Cheaper than `Unique`, like fio's `scramble_buffers`.
    Stamped,
    /// Data filled once and written again and again.
    Repeated,
    /// Zeros.
    Zero,
    /// A repeated pattern.
    Pattern(Pattern),
    /// Fresh data in every block, with a given compressibility and share of duplicates.
    Shaped(Shape),
}

/// Bytes that are repeated over a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The bytes; never empty.
    pub bytes: Vec<u8>,
    /// Positions in `bytes` at which the block's offset in the file is inserted, as eight bytes, little-endian.
    #[serde(default)]
    pub offsets: Vec<u32>,
}

impl Pattern {
    /// A pattern of fixed bytes.
    pub fn of(bytes: impl Into<Vec<u8>>) -> Pattern {
        Pattern { bytes: bytes.into(), offsets: Vec::new() }
    }
}

/// Data with a given compressibility and share of duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Percent of each chunk that is filled with `rest` and so compresses to almost nothing; the remainder is random. 0 to
    /// 100.
    pub compressible_percent: u8,
    /// Length of a chunk; the percentage holds within each chunk.
    pub chunk: Bytes,
    /// Content of the compressible part; zeros if it is `None`.
    pub rest: Option<Pattern>,
    /// Percent of blocks that equal another block; 0 to 100.
    pub duplicate_percent: u8,
    /// Which blocks the duplicates equal.
    pub duplicates: Duplicates,
}

/// Which blocks a duplicate equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplicates {
    /// The previous block.
    OfTheLast,
    /// Any of a set of this many different blocks.
    OfASet(u64),
    /// Any of a set of this many different blocks that all workers share.
    OfACommonSet(u64),
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            compressible_percent: 0,
            chunk: Bytes(512),
            rest: None,
            duplicate_percent: 0,
            duplicates: Duplicates::OfTheLast,
        }
    }
}
