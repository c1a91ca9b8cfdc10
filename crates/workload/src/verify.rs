//! Whether what is read is compared with what was written: how a block proves itself, and when it is looked at.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Pattern};

/// Whether what is read is compared with what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// No.
    #[default]
    Off,
    /// Yes, like this.
    On(Verification),
}

/// How data is verified. Of data that carries a header a corrupted, stale, misplaced or lost block is told apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// What a block proves itself by.
    pub proof: Proof,
    /// The checksum in a header.
    #[serde(default)]
    pub checksum: Checksum,
    /// Length that is proved by itself; `None`, or none that divides every block: the greatest there is that does.
    pub interval: Option<Bytes>,
    /// Length after which a pattern begins anew, with its own place in it; 0: with each interval.
    #[serde(default)]
    pub pattern_each: Bytes,
    /// Where in each interval the header stands.
    pub header_at: Bytes,
    /// When blocks are read back.
    pub when: ReadBack,
    /// What a failure does.
    pub on_failure: OnMismatch,
    /// A number that no other run has, so that what an earlier run left is told from what this one wrote; 0: unknown, what
    /// any run wrote will do.
    pub run: u64,
    /// Where it is kept how far the writes came; `None`: nowhere.
    #[serde(default)]
    pub state: Option<Box<StateFile>>,
    /// How far an earlier run of the same job came, where that is known; only that much of it is looked at.
    #[serde(default)]
    pub known: Option<Known>,
    /// Which of the writes are given back again before they are read; `None`: none.
    #[serde(default)]
    pub gives_back: Option<GiveBack>,
    /// Directory for files with what was read of intervals that are wrong, and what should have been; `None`: none are written.
    #[serde(default)]
    pub dump: Option<PathBuf>,
}

/// Which of the verified writes are trimmed again, and when. The rule is fio's (HOWTO, `trim_percentage` and what follows it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GiveBack {
    /// Percent of the writes, drawn one by one.
    pub percent: u8,
    /// A round begins whenever so many more are kept for the check; it lasts until none waits. At least 1.
    pub writes: u32,
    /// Trims behind the first of a round that need no other round; what is left of them follows its writes at once.
    pub batch: u32,
    /// What must be read where a trim was.
    pub then: Trimmed,
}

/// What must be read where a trim was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trimmed {
    /// Zeros.
    Zeros,
    /// Anything: it is not looked at.
    Anything,
}

/// A file that says while a worker writes how far it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFile {
    /// The file.
    pub path: PathBuf,
    /// Name of the job.
    pub job: String,
    /// Which worker of the run, from 0.
    pub index: u64,
    /// Which writes count.
    pub when: Acknowledged,
}

/// When a write counts as one that must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acknowledged {
    /// When it has ended.
    Ended,
    /// When a flush issued after its end has ended.
    Flushed,
}

/// How far an earlier run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// So many writes, the first ones, must be there.
    pub writes: u64,
    /// So many may have been issued; what the others left nobody knows.
    pub most: u64,
}

/// What a header says of the data behind it, so that others can verify it too. The header is fio's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Each is the checksum of its name.
pub enum Checksum {
    /// Nothing: it is the header alone that other tools look at.
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
    /// Nothing: other tools compare the data with the pattern.
    Pattern,
}

/// What a block proves itself by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A header with the file, the place, the number of the write and a checksum of everything.
    Header,
    /// The same, and every byte behind it is of this pattern.
    HeaderAndPattern(Pattern),
    /// Every byte is of this pattern; there is no header.
    Pattern(Pattern),
    /// Nothing: blocks are read back and not looked at.
    Nothing,
}

/// When blocks are read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBack {
    /// Never by itself: only what the job reads anyway is looked at.
    WhatIsRead,
    /// When everything is written.
    AtTheEnd,
    /// After every so many writes, and at the end.
    Every {
        /// Writes before blocks are read back.
        writes: u32,
        /// Blocks read back at a time; the rest waits for the next turn.
        batch: u32,
    },
    /// Never, nor is what is read anyway looked at: blocks are written so that a later job can check them.
    NotAtAll,
    /// At once, without writing: an earlier run of the same job wrote it.
    WithoutWriting,
}

impl ReadBack {
    /// Whether anything is read for the sake of the check alone.
    pub fn reads_back(self) -> bool {
        !matches!(self, ReadBack::WhatIsRead | ReadBack::NotAtAll)
    }
}

/// What a block that is not as it should be does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnMismatch {
    /// It is counted and named, and the rest is verified too.
    GoOn,
    /// It ends the job.
    Stop,
}

impl Verification {
    /// A header in every block, read back at the end.
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
    /// How, where it is on.
    pub fn on(&self) -> Option<&Verification> {
        match self {
            Verify::Off => None,
            Verify::On(verification) => Some(verification),
        }
    }
}
