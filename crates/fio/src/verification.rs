//! fio's words on verifying, in plimsoll's values.

use workload::{Bytes, OnMismatch, Pattern, Proof, ReadBack, Verification, Verify};

use super::options::JobOptions;
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
    fn proof(&self) -> Option<Proof> {
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

/// How the job of `options` verifies; `run` is a number that no other run has.
pub fn verify(options: &JobOptions, run: u64) -> Verify {
    let asked = &options.verify;
    let Some(proof) = asked.proof() else { return Verify::Off };
    let writes = options.pattern.writes;
    let when = match asked.backlog {
        _ if !writes => ReadBack::WhatIsRead,
        _ if asked.only => ReadBack::WithoutWriting,
        // What a mix reads is checked only where it is known, and then it is read back.
        _ if !asked.reads_back => ReadBack::NotAtAll,
        0 => ReadBack::AtTheEnd,
        writes => ReadBack::Every { writes, batch: if asked.batch == 0 { writes } else { asked.batch } },
    };
    let known = writes && !asked.only;
    Verify::On(Verification {
        proof,
        interval: (asked.interval > 0).then_some(Bytes(asked.interval)),
        header_at: Bytes(asked.offset),
        when,
        on_failure: match options.time.passes_over_mismatch() && !asked.fatal {
            true => OnMismatch::GoOn,
            false => OnMismatch::Stop,
        },
        // 0 means that nobody knows.
        run: if known { run | 1 } else { 0 },
    })
}

/// What should be said about verifying as `options` ask for it.
pub fn remark(options: &JobOptions) -> Option<&'static str> {
    let asked = &options.verify;
    if !asked.is_on() || (options.pattern.writes && !asked.reads_back) {
        return None;
    }
    if !options.direct && options.engine.is_real() {
        return Some(
            "what is verified through the page cache may never have come from the volume; give direct=1 to be sure",
        );
    }
    let late = options.ends_by_time() && options.pattern.writes && asked.backlog == 0;
    late.then_some("what was written is read back when the run time is over, which takes time of its own")
}
