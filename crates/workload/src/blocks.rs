//! Length of an I/O: one length, a range, or several with their shares, for each direction.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Direction};

/// Three values: one each for reads, writes and trims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByDirection<T> {
    /// For reads.
    pub read: T,
    /// For writes.
    pub write: T,
    /// For trims.
    pub trim: T,
}

impl<T> ByDirection<T> {
    /// The same value for all directions.
    pub const fn all(value: T) -> ByDirection<T>
    where
        T: Copy,
    {
        ByDirection { read: value, write: value, trim: value }
    }

    /// The value for `direction`; a flush, which has no value, takes the value for writes.
    #[inline]
    pub const fn of(&self, direction: Direction) -> &T {
        match direction {
            Direction::Read => &self.read,
            Direction::Write | Direction::Flush => &self.write,
            Direction::Trim => &self.trim,
        }
    }

    /// Each value with its direction.
    pub fn iter(&self) -> impl Iterator<Item = (Direction, &T)> {
        [(Direction::Read, &self.read), (Direction::Write, &self.write), (Direction::Trim, &self.trim)]
            .into_iter()
    }
}

/// Lengths that an I/O can have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lengths {
    /// One length.
    Fixed(Bytes),
    /// `least` plus a random number of bytes below `most`, rounded down to whole steps above `least`, and `most` if that is
    /// longer; fio draws the lengths of a range like this. With `step` equal to `least`, all multiples from `least` to `most`
    /// are equally likely if `most` is one of them.
    Range {
        /// The shortest.
        least: Bytes,
        /// The longest.
        most: Bytes,
        /// Difference between neighbouring lengths, at least 1 and at most `least`; `most` may lie between two of them.
        step: Bytes,
    },
    /// Lengths with their shares; never empty.
    Shares(Vec<LengthShare>),
}

/// A length with its share of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LengthShare {
    /// The length.
    pub length: Bytes,
    /// Weight of the length relative to the sum over the list, such as a percentage.
    pub weight: u32,
}

impl Lengths {
    /// The shortest length; 0 for an empty list.
    pub fn shortest(&self) -> Bytes {
        match self {
            Lengths::Fixed(length) => *length,
            Lengths::Range { least, .. } => *least,
            Lengths::Shares(shares) => shares.iter().map(|share| share.length).min().unwrap_or_default(),
        }
    }

    /// The longest length; 0 for an empty list.
    pub fn longest(&self) -> Bytes {
        match self {
            Lengths::Fixed(length) => *length,
            Lengths::Range { most, .. } => *most,
            Lengths::Shares(shares) => shares.iter().map(|share| share.length).max().unwrap_or_default(),
        }
    }

    /// The mean length in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Lengths::Fixed(length) => length.0 as f64,
            Lengths::Range { least, most, step } => {
                let (least, most, step) = (least.0 as f64, most.0 as f64, step.0 as f64);
                let others = ((most - least) / step).floor();
                let stepped = (others + 1.0) * step;
                (stepped * (least + others * step / 2.0) + (most - stepped) * most) / most
            }
            Lengths::Shares(shares) => {
                let weights: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
                let sum: f64 =
                    shares.iter().map(|share| share.length.0 as f64 * f64::from(share.weight)).sum();
                sum / weights.max(1.0)
            }
        }
    }

    /// The greatest length that divides all lengths: the unit in which places and lengths can be counted.
    pub fn unit(&self) -> Bytes {
        match self {
            Lengths::Fixed(length) => *length,
            Lengths::Range { least, most, step } => Bytes(gcd(gcd(least.0, step.0), most.0)),
            Lengths::Shares(shares) => Bytes(shares.iter().fold(0, |unit, share| gcd(unit, share.length.0))),
        }
    }

    /// The length in a range from `least` to `most` that the random number `drawn`, which is below `most`, selects.
    #[inline]
    pub const fn in_range((least, most): (u64, u64), step: u64, drawn: u64) -> u64 {
        let length = least + drawn / step * step;
        if length < most { length } else { most }
    }

    /// The only length, if it is fixed.
    pub fn fixed(&self) -> Option<Bytes> {
        match self {
            Lengths::Fixed(length) => Some(*length),
            _ => None,
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The criterion that selects the lengths in [`BlockSizes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthsBy {
    /// The direction of the I/O.
    #[default]
    Direction,
    /// The order: an I/O that continues a sequence has the lengths for reads, any other I/O the lengths for writes.
    Sequence,
}

/// Length of an I/O by direction, and the alignment of random places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSizes {
    /// Lengths by direction.
    pub lengths: ByDirection<Lengths>,
    /// Alignment of random places from the region's start; `None`: the direction's shortest length.
    #[serde(default)]
    pub align: ByDirection<Option<Bytes>>,
    /// The criterion that selects among the lengths.
    #[serde(default)]
    pub by: LengthsBy,
}

impl BlockSizes {
    /// The same length in every direction.
    pub const fn all(bytes: Bytes) -> BlockSizes {
        BlockSizes::each(bytes, bytes, bytes)
    }

    /// One fixed length per direction.
    pub const fn each(read: Bytes, write: Bytes, trim: Bytes) -> BlockSizes {
        let lengths = ByDirection {
            read: Lengths::Fixed(read),
            write: Lengths::Fixed(write),
            trim: Lengths::Fixed(trim),
        };
        BlockSizes { lengths, align: ByDirection::all(None), by: LengthsBy::Direction }
    }

    /// The lengths that I/O of `direction` can have.
    pub fn of(&self, direction: Direction) -> &Lengths {
        self.lengths.of(direction)
    }

    /// The longest I/O of `direction`; a flush has no length.
    pub fn longest_of(&self, direction: Direction) -> Bytes {
        match (direction, self.by) {
            (Direction::Flush, _) => Bytes(0),
            (_, LengthsBy::Direction) => self.of(direction).longest(),
            (_, LengthsBy::Sequence) => self.longest(),
        }
    }

    /// The shortest I/O of `direction`; a flush has no length.
    pub fn shortest_of(&self, direction: Direction) -> Bytes {
        match (direction, self.by) {
            (Direction::Flush, _) => Bytes(0),
            (_, LengthsBy::Direction) => self.of(direction).shortest(),
            (_, LengthsBy::Sequence) => self.shortest(),
        }
    }

    /// The longest read or write.
    pub fn longest(&self) -> Bytes {
        self.lengths.read.longest().max(self.lengths.write.longest())
    }

    /// The shortest read or write.
    pub fn shortest(&self) -> Bytes {
        self.lengths.read.shortest().min(self.lengths.write.shortest())
    }

    /// Alignment of random places of `direction`.
    pub fn align_of(&self, direction: Direction) -> Bytes {
        self.align.of(direction).unwrap_or_else(|| self.shortest_of(direction))
    }
}
