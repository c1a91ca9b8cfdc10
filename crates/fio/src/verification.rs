//! fio's words on verifying, in plimsoll's values.

use workload::{Pattern, Proof};

use super::value::Word;

/// Words of `verify`.
pub const PROOFS: &[Word] = &[
    ("0", "Nothing"),
    ("md5", "Header"),
    ("crc64", "Header"),
    ("crc32c-intel", "Header"),
    ("crc32c", "Header"),
    ("crc32", "Header"),
    ("crc16", "Header"),
    ("crc7", "Header"),
    ("sha1", "Header"),
    ("sha256", "Header"),
    ("sha512", "Header"),
    ("sha3-224", "Header"),
    ("sha3-256", "Header"),
    ("sha3-384", "Header"),
    ("sha3-512", "Header"),
    ("xxhash", "Header"),
    ("meta", "Header"),
    ("pattern", "Pattern without header"),
    ("pattern_hdr", "Header and pattern"),
    ("null", "Reads back without looking"),
];

/// The options on verifying; fio's defaults stand in the rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // Each field is an option of the table, which says what it means.
pub struct VerifyOptions {
    pub kind: &'static str,
    pub pattern: Option<Pattern>,
    pub interval: u64,
    pub offset: u64,
    pub reads_back: bool,
    pub fatal: bool,
    pub only: bool,
    pub backlog: u32,
    pub batch: u32,
}

impl VerifyOptions {
    /// What is wrong with their combination, with what would do.
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
        match (self.kind, &self.pattern) {
            ("pattern" | "pattern_hdr", None) => {
                Some(("verify=pattern without verify_pattern", "give verify_pattern, the bytes to expect"))
            }
            _ => None,
        }
    }

    /// What a block proves itself by; `None` where nothing is verified. A pattern alone asks for verifying too.
    pub(super) fn proof(&self) -> Option<Proof> {
        match (self.kind, &self.pattern) {
            ("0", None) => None,
            ("0" | "pattern", Some(pattern)) => Some(Proof::Pattern(pattern.clone())),
            ("null", _) => Some(Proof::Nothing),
            (_, Some(pattern)) => Some(Proof::HeaderAndPattern(pattern.clone())),
            (_, None) => Some(Proof::Header),
        }
    }

    /// True where anything is verified.
    pub fn is_on(&self) -> bool {
        self.proof().is_some()
    }
}
