//! Whether data read is compared with what was written: how a block is verified, and when.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Pattern};

/// Whether data read is compared with what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// It is not.
    #[default]
    Off,
    /// It is, in this way.
    On(Verification),
}

/// How data is verified. With headers, corrupted, stale, misplaced and lost blocks can be distinguished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// What a block is verified by.
    pub proof: Proof,
    /// Checksum in a header.
    #[serde(default)]
    pub checksum: Checksum,
    /// Length that is verified as a unit; if `None`, or if it does not divide every block length, the greatest length that
    /// does.
    pub interval: Option<Bytes>,
    /// Length after which a pattern restarts, with the offset there inserted anew; 0: with each interval.
    #[serde(default)]
    pub pattern_each: Bytes,
    /// Position of the header in each interval.
    pub header_at: Bytes,
    /// When blocks are read back.
    pub when: ReadBack,
    /// What happens when a block does not match.
    pub on_failure: OnMismatch,
    /// Number unique to this run, so that data of an earlier run can be distinguished from its own; 0: unknown, and data of
    /// any run is accepted.
    pub run: u64,
    /// File that records how far the writes came; `None`: none.
    #[serde(default)]
    pub state: Option<Box<StateFile>>,
    /// How far an earlier run of the same job came, if known; only that much is verified.
    #[serde(default)]
    pub known: Option<EarlierWrites>,
    /// Which of the writes are trimmed before they are read; `None`: none.
    #[serde(default)]
    pub gives_back: Option<GiveBack>,
    /// Directory for dumps of mismatched intervals, as read and as expected; `None`: nothing is dumped.
    #[serde(default)]
    pub dump: Option<PathBuf>,
}

/// Which of the verified writes are trimmed again, and when. The rule is fio's (HOWTO, `trim_percentage` and what follows
/// it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GiveBack {
    /// Percent of the writes, each drawn independently.
    pub percent: u8,
    /// Number of kept writes, at least 1: a round of trims begins whenever their total is a multiple of it, and lasts until
    /// none is waiting.
    pub writes: u32,
    /// Trims after the first of a round that need no other round; what a round leaves of them is spent on later writes at
    /// once. 0: as many as `writes`.
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
    /// Anything: it is not verified.
    Anything,
}

/// A file that records, while a worker writes, how far it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the job.
    pub job: String,
    /// Index of the worker in the run, from 0.
    pub index: u64,
    /// Which writes count as done.
    pub when: Acknowledgement,
}

/// When a write counts as one that must be present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acknowledgement {
    /// When it has completed.
    Ended,
    /// When a flush issued after its completion has completed.
    Flushed,
}

/// How far an earlier run came.
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
    /// None: other tools verify the header alone.
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
    /// None: other tools compare the data with the pattern.
    Pattern,
}

/// What a block is verified by.
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
    /// Never: only what the job reads anyway is verified.
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
    /// Never, and what the job reads is not verified either: blocks are written for a later job to check.
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

/// What happens when a block does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMismatch {
    /// It is counted and reported, and the rest is verified too.
    GoOn,
    /// It ends the job.
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
