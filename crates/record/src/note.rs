//! Reports of the engine about itself and about data it read, as values; reports and dialects word them.

use std::fmt;

use serde::{Deserialize, Serialize};
use workload::{BackendKind, Direction, Nanos};

use crate::{BoundCrossing, Silence, SteeredDepth};

/// Something to report about a step beside its figures.
///
/// Run files store these values as they are, so a new kind or changed fields raise the run file's version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// Backend features that were used, and those that were not available.
    Features {
        /// The backend.
        backend: BackendKind,
        /// The backend's own text, its name first.
        words: String,
    },
    /// A device that answers again, or was given up.
    Silence(Silence),
    /// An I/O that the kernel had not returned when the step was left; it may still reach the target.
    Held(HeldIo),
    /// Data read back that differs from the data written.
    Mismatch(Mismatch),
    /// A bound that a job crossed, which ended it.
    Crossed(BoundCrossing),
    /// The queue depth that a job's search found.
    Steered(SteeredDepth),
    /// The run was cut off in this step, so its totals are merged from the stored intervals.
    CutOff,
    /// Text from an earlier version.
    Other {
        /// The text.
        words: String,
    },
}

/// An I/O that the kernel has not returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldIo {
    /// Read, write, trim or flush.
    pub direction: Direction,
    /// Length in bytes.
    pub bytes: u32,
    /// Byte offset.
    pub offset: u64,
    /// Path of the file.
    pub path: String,
    /// Time since the I/O was issued.
    pub waited: Nanos,
}

impl fmt::Display for HeldIo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeldIo { direction, bytes, offset, path, waited } = self;
        let name = direction.name();
        write!(
            f,
            "the kernel still holds a {name} of {bytes} bytes at byte {offset} of {path}, issued {waited} ago"
        )
    }
}

/// A verified interval whose data differs from the data written there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Kind of damage.
    pub what: Damage,
    /// Path of the file.
    pub path: String,
    /// Byte offset of the interval.
    pub offset: u64,
    /// Byte offset of the I/O that read it.
    pub io_offset: u64,
    /// Length of the I/O that read it, in bytes.
    pub io_bytes: u32,
}

/// Damage found in an interval that was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Damage {
    /// The header is missing: the interval was never written, or overwritten with other data.
    NoHeader {
        /// The first eight bytes of a header, as a little-endian number.
        wanted: u64,
        /// The eight bytes found there.
        found: u64,
    },
    /// The checksum in the header differs from that of the data.
    Corrupted {
        /// Checksum in the header.
        wanted: u64,
        /// Checksum of the data.
        found: u64,
    },
    /// The interval belongs elsewhere.
    Misplaced {
        /// Index of the file to which it belongs.
        file: u32,
        /// Byte offset to which it belongs.
        offset: u64,
    },
    /// The interval holds the data of an earlier write.
    Stale {
        /// Number of the write expected there; a worker's first write is 1.
        wanted: u32,
        /// Number of the write found there.
        found: u32,
    },
    /// The interval holds the data of an earlier run.
    OtherRun,
    /// A byte differs from the pattern.
    NotThePattern {
        /// Byte offset in the file.
        at: u64,
        /// Byte of the pattern.
        wanted: u8,
        /// Byte found there.
        found: u8,
    },
    /// A byte of a trimmed range is not zero.
    NotZeros {
        /// Byte offset in the file.
        at: u64,
        /// Byte found there.
        found: u8,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::NoHeader { found: 0, .. } => {
                write!(f, "nothing was written here: there are zeros where a header is expected")
            }
            Damage::NoHeader { wanted, found } => {
                write!(
                    f,
                    "bad magic header {found:x}, wanted {wanted:x}: what stands here was not written by this job"
                )
            }
            Damage::Corrupted { wanted, found } => {
                write!(f, "corrupted: checksum {found:016x}, expected {wanted:016x}")
            }
            Damage::Misplaced { file, offset } => {
                write!(
                    f,
                    "misplaced: what stands here belongs to byte {offset} of file {}",
                    u64::from(*file) + 1
                )
            }
            Damage::Stale { wanted, found } => {
                write!(f, "stale: write {found} stands here, expected write {wanted}, which was lost")
            }
            Damage::OtherRun => {
                write!(f, "stale: an earlier run wrote what stands here, the write of this run was lost")
            }
            Damage::NotThePattern { at, wanted, found } => {
                write!(f, "not the pattern: byte {at} is {found:#04x}, expected {wanted:#04x}")
            }
            Damage::NotZeros { at, found } => {
                write!(f, "not zeros: byte {at} is {found:#04x}, though it was trimmed")
            }
        }
    }
}
