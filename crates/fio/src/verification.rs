//! fio's options of verification, and their equivalents in plimsoll.

use workload::{Checksum, Pattern, Proof};

use super::value::Word;

/// Words of `verify`.
pub const PROOFS: &[Word] = &[
    ("0", "Nothing"),
    ("md5", "Header with MD5"),
    ("crc64", "Header with CRC of 64 bits"),
    ("crc32c-intel", "Header with CRC-32C"),
    ("crc32c", "Header with CRC-32C"),
    ("crc32", "Header with CRC-32"),
    ("crc16", "Header with CRC of 16 bits"),
    ("crc7", "Header with CRC of 7 bits"),
    ("sha1", "Header with SHA-1"),
    ("sha256", "Header with SHA-256"),
    ("sha512", "Header with SHA-512"),
    ("sha3-224", "Header with SHA-3"),
    ("sha3-256", "Header with SHA-3"),
    ("sha3-384", "Header with SHA-3"),
    ("sha3-512", "Header with SHA-3"),
    ("xxhash", "Header with xxHash"),
    ("meta", "Header"),
    ("pattern", "Pattern without header"),
    ("pattern_hdr", "Header and pattern"),
    ("null", "Reads back without looking"),
];

/// Checksum in the header, by the word of `verify`.
const CHECKSUMS: &[(&str, Checksum)] = &[
    ("md5", Checksum::Md5),
    ("crc64", Checksum::Crc64),
    ("crc32c-intel", Checksum::Crc32c),
    ("crc32c", Checksum::Crc32c),
    ("crc32", Checksum::Crc32),
    ("crc16", Checksum::Crc16),
    ("crc7", Checksum::Crc7),
    ("sha1", Checksum::Sha1),
    ("sha256", Checksum::Sha256),
    ("sha512", Checksum::Sha512),
    ("sha3-224", Checksum::Sha3_224),
    ("sha3-256", Checksum::Sha3_256),
    ("sha3-384", Checksum::Sha3_384),
    ("sha3-512", Checksum::Sha3_512),
    ("xxhash", Checksum::Xxhash),
    ("meta", Checksum::Meta),
    ("pattern_hdr", Checksum::Pattern),
];

/// Options of verification; fio's defaults are in the rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // Each field is an option of the table, which says what it means.
pub struct VerifyOptions {
    pub kind: &'static str,
    pub pattern: Option<Pattern>,
    pub interval: u64,
    pub pattern_interval: u64,
    pub offset: u64,
    pub reads_back: bool,
    pub fatal: bool,
    pub only: bool,
    pub backlog: u32,
    pub batch: u32,
    pub state_save: bool,
    pub state_load: bool,
    /// `--aux-path`.
    pub state_folder: Option<String>,
    pub flushed: bool,
    pub dump: bool,
    pub trim_percentage: u8,
    pub trim_zero: bool,
    pub trim_backlog: u32,
    pub trim_batch: u32,
}

/// Bytes of the header that fio puts before verified data; `verify_offset` must not be less.
const HEADER_BYTES: u64 = 40;

/// Words of `verify_policy`.
pub const POLICIES: &[Word] = &[
    ("completed", "Writes that have ended"),
    ("fsynced", "Writes that a flush after their end has made safe"),
];

impl VerifyOptions {
    /// Returns the contradiction between options, if any, and a valid alternative.
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
        match (self.kind, &self.pattern) {
            ("pattern" | "pattern_hdr", None) => {
                Some(("verify=pattern without verify_pattern", "give verify_pattern, the bytes to expect"))
            }
            _ if (1..HEADER_BYTES).contains(&self.offset) => {
                Some(("verify_offset below 40", "a header is 40 bytes long; give 40 or more"))
            }
            // fio would count writes that it does not issue.
            ("0", None) if self.only => Some((
                "verify_only without verify",
                "give the words of the job that wrote, its verify among them",
            )),
            _ if self.state_load && !self.only => Some((
                "verify_state_load in a job that writes",
                "give the words of the job that wrote, with verify_only and verify_state_load=1",
            )),
            _ => None,
        }
    }

    /// The word of `verify`. A pattern alone also turns on verification, with a header, as `verify=pattern_hdr` does.
    fn word(&self) -> &'static str {
        if self.kind == "0" && self.pattern.is_some() { "pattern_hdr" } else { self.kind }
    }

    /// What proves that a block is intact; `None` if nothing is verified.
    pub(super) fn proof(&self) -> Option<Proof> {
        match (self.word(), &self.pattern) {
            ("0", None) => None,
            ("pattern", Some(pattern)) => Some(Proof::Pattern(pattern.clone())),
            ("null", _) => Some(Proof::Nothing),
            (_, Some(pattern)) => Some(Proof::HeaderAndPattern(pattern.clone())),
            (_, None) => Some(Proof::Header),
        }
    }

    /// The checksum in the header.
    pub(super) fn checksum(&self) -> Checksum {
        let named = CHECKSUMS.iter().find(|(word, _)| *word == self.word());
        named.map_or(Checksum::default(), |(_, checksum)| *checksum)
    }

    /// Whether anything is verified.
    pub fn is_on(&self) -> bool {
        self.proof().is_some()
    }
}
