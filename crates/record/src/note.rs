//! What the engine has to say of itself and of what it read, as values; reports and dialects put them into their words.

use std::fmt;

use serde::{Deserialize, Serialize};
use workload::{BackendKind, Direction, Nanos};

use crate::{Crossed, Silence, Steered};

/// Something to be said of a step beside its figures.
///
/// Run files hold these as they are here, so a kind that is new or changes its fields raises the version of the run file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// Features of a backend that were used, and those that were not to be had.
    Features {
        /// The backend.
        backend: BackendKind,
        /// Its own words, its name first.
        words: String,
    },
    /// A device answers again, or was given up.
    Silence(Silence),
    /// An I/O that the kernel had not given back when the step was left; it may still reach the target.
    Held(HeldIo),
    /// What was read is not what was written.
    Mismatch(Mismatch),
    /// A bound that ended a job.
    Crossed(Crossed),
    /// The depth that was found for a job.
    Steered(Steered),
    /// The run was cut off in this step: its totals are merged from the intervals that were stored.
    CutOff,
    /// What an earlier version said in words.
    Other {
        /// Its words.
        words: String,
    },
}

/// An I/O that the kernel holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldIo {
    /// Which way it goes.
    pub direction: Direction,
    /// Its length in bytes.
    pub bytes: u32,
    /// Its byte offset.
    pub offset: u64,
    /// The file.
    pub path: String,
    /// How long ago it was issued.
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

/// An interval of what was read that is not what was written there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// What is wrong with it.
    pub what: Damage,
    /// The file.
    pub path: String,
    /// Byte offset of the interval.
    pub offset: u64,
    /// Byte offset of the I/O that read it.
    pub io_offset: u64,
    /// Length of that I/O in bytes.
    pub io_bytes: u32,
}

/// What is wrong with an interval that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Damage {
    /// It has no header: it was never written, or something else was.
    NoHeader {
        /// The eight bytes with which a header begins, least first.
        wanted: u64,
        /// The eight bytes that stand there.
        found: u64,
    },
    /// Its checksum is not that of what stands there.
    Corrupted {
        /// What the header says.
        wanted: u64,
        /// What it is.
        found: u64,
    },
    /// It belongs elsewhere.
    Misplaced {
        /// Index of the file it belongs to.
        file: u32,
        /// Byte offset it belongs to.
        offset: u64,
    },
    /// It is what an earlier write left.
    Stale {
        /// The write that should stand there; the first of a worker is 1.
        wanted: u32,
        /// The write that does.
        found: u32,
    },
    /// It is what an earlier run left.
    OtherRun,
    /// A byte is not that of the pattern.
    NotThePattern {
        /// Its place in the file.
        at: u64,
        /// The pattern's.
        wanted: u8,
        /// What stands there.
        found: u8,
    },
    /// A byte of what was trimmed is not zero.
    NotZeros {
        /// Its place in the file.
        at: u64,
        /// What stands there.
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
