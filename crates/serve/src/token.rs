//! The unguessable word in an address.

use std::fmt::{self, Write as _};
use std::hint::black_box;
use std::io;

/// Random bytes in a token: 128 bits.
const BYTES: usize = 16;

/// The secret that admits a request. Its comparison takes constant time, which does not reveal how much of a guess
/// was right.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Returns a new token from the kernel's random numbers.
    ///
    /// # Errors
    /// The kernel supplies no random numbers.
    pub fn fresh() -> io::Result<Token> {
        let mut bytes = [0; BYTES];
        kernel::random_bytes(&mut bytes)?;
        let mut word = String::with_capacity(2 * BYTES);
        // Writing into a string does not fail.
        bytes.iter().for_each(|byte| write!(word, "{byte:02x}").unwrap_or_default());
        Ok(Token(word))
    }

    /// Returns the token as it appears in the address.
    pub fn word(&self) -> &str {
        &self.0
    }

    /// Whether `guess` is the token. All bytes are always compared; the time taken reveals only the length, which
    /// is not secret.
    pub fn is(&self, guess: &str) -> bool {
        let (mine, theirs) = (self.0.as_bytes(), guess.as_bytes());
        if mine.len() != theirs.len() {
            return false;
        }
        let differs = mine.iter().zip(theirs).fold(0u8, |differs, (a, b)| black_box(differs | (a ^ b)));
        black_box(differs) == 0
    }
}

/// Keeps the token out of logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
