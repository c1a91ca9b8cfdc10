//! The file that says how far a verifying writer came.

use engine::verify::{WriteProgress, decode, encode};

/// Bytes in front of what the sum covers: version, length, sum.
const FRONT: usize = 24;

/// A state as it stands, the same with its front mended so that what is behind it is read, and one that is written here.
pub fn verify_state(bytes: &[u8]) {
    hold(bytes);
    let mut mended = bytes.to_vec();
    if let Some((front, rest)) = mended.split_at_mut_checked(FRONT) {
        let words = [3, rest.len() as u64, u64::from(crc32c(rest))];
        for (place, word) in front.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    hold(&mended);
    let word =
        |at: usize| bytes.get(at..at + 8).and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes);
    let reached = WriteProgress { writes: word(0), most: word(8), is_ours: true };
    let name = String::from_utf8_lossy(bytes.get(24..).unwrap_or_default()).into_owned();
    let written = encode(reached, &name, word(16));
    let expected = WriteProgress { most: reached.most.max(reached.writes), ..reached };
    assert_eq!(decode(&written), Ok(expected), "what was written is not what is read");
}

/// What is read says of no write that it is there and was never issued.
fn hold(bytes: &[u8]) {
    match decode(bytes) {
        Ok(reached) => assert!(reached.writes <= reached.most, "{reached:?}"),
        Err(error) => drop(error.to_string()),
    }
}

/// CRC-32C, bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32| sum >> 1 ^ (0x82f6_3b78 & 0u32.wrapping_sub(sum & 1));
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the algorithm's catalogue: a wrong sum would let no input past the front.
    #[test]
    fn the_sum_is_the_one_that_is_read() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }
}
