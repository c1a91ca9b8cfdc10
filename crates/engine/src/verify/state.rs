//! The progress of a writer, in the form of fio's verify state (version 3): encoding and decoding.
//!
//! Three words (version, length of the rest, CRC-32C of it), then: count of the writes listed, depth, files, writes, index,
//! 56 bytes of fio's random numbers, 64 of the job's name, and the list. fio's loader reads the count of writes; plimsoll
//! also stores how many writes may have been issued, in a place where fio has random numbers that it does not use.

use super::checksum;

/// Bytes before the part that the checksum covers.
const FRONT: usize = 24;
/// Bytes of a state without listed writes.
pub const LENGTH: usize = FRONT + 152;
const VERSION: u64 = 3;
/// Offset of the count of writes.
const WRITES_AT: usize = 40;
/// Offset of the depth.
const DEPTH_AT: usize = 32;
/// Offset of the worker's index.
const INDEX_AT: usize = 48;
/// Offset of the number of writes that may have been issued.
const MOST_AT: usize = 104 - 8;
/// Offset of plimsoll's mark.
const MARK_AT: usize = MOST_AT - 8;
/// Offset of the job's name.
const NAME_AT: usize = 112;
const MARK: u64 = u64::from_le_bytes(*b"plimsoll");

/// The progress of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteProgress {
    /// Number of writes, from the first, that are in the requested state: completed, or flushed.
    pub writes: u64,
    /// Number of writes that may have been issued: the data that those after `writes` left is unknown.
    pub most: u64,
    /// Whether plimsoll wrote the state: only fio has fio's random offsets.
    pub is_ours: bool,
}

/// Why a state cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The state is too short, or its length differs from the one it contains.
    #[error("it is not as long as it says: it was cut off, or is no verify state")]
    Length,
    /// The state has an unknown version.
    #[error("it is of version {0}, and 3 is known")]
    Version(u64),
    /// The checksum of the state is wrong.
    #[error("its checksum is not that of what stands in it: it is damaged")]
    Sum,
}

/// Encodes the state of `job`, worker `index` of the run.
pub fn encode(reached: WriteProgress, job: &str, index: u64) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    put(0, VERSION);
    put(8, (LENGTH - FRONT) as u64);
    put(WRITES_AT, reached.writes);
    put(INDEX_AT, index);
    put(MARK_AT, MARK);
    put(MOST_AT, reached.most);
    // The last byte of a name ends it.
    let name = &job.as_bytes()[..job.len().min(63)];
    bytes[NAME_AT..NAME_AT + name.len()].copy_from_slice(name);
    let sum = u64::from(checksum::of_header(&bytes[FRONT..]));
    bytes[16..24].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Decodes the state in `bytes`. If fio wrote it, the last writes, as many as could be in flight, do not count as
/// written.
///
/// # Errors
/// [`StateError`] if the bytes are not a state.
pub fn decode(bytes: &[u8]) -> Result<WriteProgress, StateError> {
    let word = |at: usize| {
        let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
        bytes.map(|bytes| u64::from_le_bytes(*bytes)).ok_or(StateError::Length)
    };
    if word(0)? != VERSION {
        return Err(StateError::Version(word(0)?));
    }
    if bytes.len() < LENGTH || word(8)? != (bytes.len() - FRONT) as u64 {
        return Err(StateError::Length);
    }
    if word(16)? != u64::from(checksum::of_header(&bytes[FRONT..])) {
        return Err(StateError::Sum);
    }
    let (writes, is_ours) = (word(WRITES_AT)?, word(MARK_AT)? == MARK);
    let depth = word(DEPTH_AT)? & u64::from(u32::MAX);
    Ok(match is_ours {
        true => WriteProgress { writes, most: word(MOST_AT)?.max(writes), is_ours },
        // At a depth of one, the last write has completed.
        false if depth <= 1 => WriteProgress { writes, most: writes.saturating_add(1), is_ours },
        false => WriteProgress {
            writes: writes.saturating_sub(depth),
            most: writes.saturating_add(depth),
            is_ours,
        },
    })
}
