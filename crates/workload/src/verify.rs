//! Comparison of data read with data written: how a block is verified, and when.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Pattern};

/// Whether data read is compared with data written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// The data is not compared.
    #[default]
    Off,
    /// The data is compared in this way.
    On(Verification),
}

/// How data is verified. With headers, corrupted, stale, misplaced and lost blocks can be distinguished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// The means by which a block is verified.
    pub proof: Proof,
    /// Checksum in a header.
    #[serde(default)]
    pub checksum: Checksum,
    /// Length that is verified as a unit; if `None`, or if it does not divide every block length, the greatest length
    /// that divides them all.
    pub interval: Option<Bytes>,
    /// Length after which a pattern restarts within an I/O, with the offset there inserted anew; 0: only with each I/O. If
    /// I/Os differ in length, it restarts with each interval, unless this length divides the interval.
    #[serde(default)]
    pub pattern_each: Bytes,
    /// Position of the header in each interval.
    pub header_at: Bytes,
    /// When blocks are read back.
    pub when: ReadBack,
    /// The reaction to a block that does not match.
    pub on_failure: OnMismatch,
    /// Number unique to this run, which distinguishes its data from that of an earlier run; 0: unknown, and data of any
    /// run is accepted.
    pub run: u64,
    /// File that records the progress of the writes; `None`: no file.
    #[serde(default)]
    pub state: Option<Box<StateFile>>,
    /// The progress of an earlier run of the same job, if known; only its writes are verified.
    #[serde(default)]
    pub known: Option<EarlierWrites>,
    /// The writes that are trimmed before they are read; `None`: none.
    #[serde(default)]
    pub gives_back: Option<GiveBack>,
    /// Directory for dumps of mismatched intervals, as read and as expected; `None`: nothing is dumped.
    #[serde(default)]
    pub dump: Option<PathBuf>,
}

/// The choice of verified writes that are trimmed again, and when. The rule is fio's (HOWTO, `trim_percentage` and the
/// following options).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GiveBack {
    /// Percent of the writes, each drawn independently.
    pub percent: u8,
    /// Number of kept writes, at least 1: a round of trims begins whenever their total is a multiple of this number,
    /// and lasts until no write is waiting.
    pub writes: u32,
    /// Number of trims after the first of a round that need no other round; those that a round leaves are spent on
    /// later writes at once. 0: as many as `writes`.
    pub batch: u32,
    /// Expected content of a trimmed range.
    pub then: TrimmedContent,
}

/// Expected content of a trimmed range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrimmedContent {
    /// Zeros.
    Zeros,
    /// Any content, which is not verified.
    Anything,
}

/// A file that records a worker's progress while it writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the job.
    pub job: String,
    /// Index of the worker in the run, from 0.
    pub index: u64,
    /// When a write counts as done.
    pub when: Acknowledgement,
}

/// When a write counts as one that must be present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acknowledgement {
    /// When the write has completed.
    Ended,
    /// When a flush issued after its completion has completed.
    Flushed,
}

/// The progress of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierWrites {
    /// Number of writes, from the first on, that must be present.
    pub writes: u64,
    /// Number of writes that may have been issued; the outcome of those beyond `writes` is unknown.
    pub most: u64,
}

/// Checksum of the data that a header carries, so that other tools can verify it too. The header is fio's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Each is the checksum of its name.
pub enum Checksum {
    /// No checksum: other tools verify the header alone.
    Meta,
    Md5,
    Crc64,
    Crc32,
    #[default]
    Crc32c,
    Crc16,
    Crc7,
    Sha1,
    Sha256,
    Sha512,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Xxhash,
    /// No checksum: other tools compare the data with the pattern.
    Pattern,
}

/// The means by which a block is verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A header with file, place, number of the write and a checksum of everything.
    Header,
    /// A header, followed by this pattern.
    HeaderAndPattern(Pattern),
    /// This pattern in every byte, without a header.
    Pattern(Pattern),
    /// Nothing: blocks are read back without being verified.
    Nothing,
}

/// When blocks are read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBack {
    /// Never: only blocks that the job reads anyway are verified.
    WhatIsRead,
    /// After all writes.
    AtTheEnd,
    /// After every `writes` writes, and at the end.
    Every {
        /// Number of writes before blocks are read back.
        writes: u32,
        /// Number of blocks read back at a time; the rest wait for the next turn.
        batch: u32,
    },
    /// Never, and blocks that the job reads are not verified either: they are written for a later job to check.
    NotAtAll,
    /// At once, without writing: an earlier run of the same job wrote the data.
    WithoutWriting,
}

impl ReadBack {
    /// Whether anything is read only for verification.
    pub fn reads_back(self) -> bool {
        !matches!(self, ReadBack::WhatIsRead | ReadBack::NotAtAll)
    }
}

/// The reaction to a block that does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMismatch {
    /// The mismatch is counted and reported, and the rest is verified too.
    GoOn,
    /// The mismatch ends the job.
    Stop,
}

impl Verification {
    /// Verification by a header in every block, read back at the end.
    pub fn with_headers(run: u64) -> Verification {
        Verification {
            proof: Proof::Header,
            checksum: Checksum::Crc32c,
            interval: None,
            pattern_each: Bytes(0),
            header_at: Bytes(0),
            when: ReadBack::AtTheEnd,
            on_failure: OnMismatch::GoOn,
            run,
            state: None,
            known: None,
            gives_back: None,
            dump: None,
        }
    }
}

impl Verify {
    /// The verification, if it is on.
    pub fn on(&self) -> Option<&Verification> {
        match self {
            Verify::Off => None,
            Verify::On(verification) => Some(verification),
        }
    }
}
