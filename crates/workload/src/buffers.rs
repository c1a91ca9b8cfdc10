//! What is written: unique, repeated, zero, a pattern, or data of a given compressibility and share of duplicates.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buffers {
    /// A fresh incompressible stream in every block, from its offset and a generation number.
    #[default]
    Unique,
    /// Filled once at the start with incompressible data; each write stamps its offset and generation into every
    /// 512 bytes, so that no two blocks are equal. Cheaper than `Unique`, as fio's `scramble_buffers`.
    Stamped,
    /// Filled once and written again and again.
    Repeated,
    /// Zeros.
    Zero,
    /// A pattern over and over.
    Pattern(Pattern),
    /// Fresh data in every block that compresses and repeats as asked.
    Shaped(Shape),
}

/// Bytes that are repeated over a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The bytes; never empty.
    pub bytes: Vec<u8>,
    /// Places in `bytes` where the block's offset in the file stands instead, eight bytes, least first.
    #[serde(default)]
    pub offsets: Vec<u32>,
}

impl Pattern {
    /// A pattern of fixed bytes.
    pub fn of(bytes: impl Into<Vec<u8>>) -> Pattern {
        Pattern { bytes: bytes.into(), offsets: Vec::new() }
    }
}

/// Data that compresses and repeats as asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Percent of each chunk that is filled with `rest` and so compresses to nothing; the others are random. 0 to 100.
    pub compressible_percent: u8,
    /// Length of a chunk; the percentage holds within each.
    pub chunk: Bytes,
    /// What the compressible part holds: zeros where it is `None`.
    pub rest: Option<Pattern>,
    /// Percent of blocks that equal another one. 0 to 100.
    pub duplicate_percent: u8,
    /// Which blocks they equal.
    pub duplicates: Duplicates,
}

/// Which blocks a duplicate equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplicates {
    /// The one before it.
    OfTheLast,
    /// Any of a set of this many different blocks.
    OfASet(u64),
    /// The same, where all workers have the same set.
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
