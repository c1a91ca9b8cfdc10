//! The word in an address that nobody can guess.

use std::fmt::{self, Write as _};
use std::hint::black_box;
use std::io;

/// Bytes of chance in it: 128 bits.
const BYTES: usize = 16;

/// Who knows it may ask. It is compared in a time that does not tell how much of a guess was right.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one, from the kernel's chance.
    ///
    /// # Errors
    /// The kernel has none.
    pub fn fresh() -> io::Result<Token> {
        let mut bytes = [0; BYTES];
        kernel::random_bytes(&mut bytes)?;
        let mut word = String::with_capacity(2 * BYTES);
        // Writing into a string does not fail.
        bytes.iter().for_each(|byte| write!(word, "{byte:02x}").unwrap_or_default());
        Ok(Token(word))
    }

    /// As it stands in the address.
    pub fn word(&self) -> &str {
        &self.0
    }

    /// Whether `guess` is it. Every byte is looked at, whichever is wrong; only the length, which is no secret, is told apart.
    pub fn is(&self, guess: &str) -> bool {
        let (mine, theirs) = (self.0.as_bytes(), guess.as_bytes());
        if mine.len() != theirs.len() {
            return false;
        }
        let differs = mine.iter().zip(theirs).fold(0u8, |differs, (a, b)| black_box(differs | (a ^ b)));
        black_box(differs) == 0
    }
}

/// It is not to be found in a log.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
