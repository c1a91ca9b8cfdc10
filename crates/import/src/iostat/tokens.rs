//! Tokens of JSON, sound or damaged, with their offsets, one after another.

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// `{` or `[`.
    Open(char),
    /// `}` or `]`.
    Close(char),
    /// A comma.
    Comma,
    /// A colon.
    Colon,
    /// Text between quotes, with its escapes unresolved.
    Words(&'t str),
    /// A number; `null`, and C's words for values that are not numbers, are NaN.
    Number(f64),
    /// Anything else, up to the next bracket, comma, quote or line end.
    Other(&'t str),
    /// The end of the text.
    End,
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'t> {
    pub text: &'t str,
    pub at: usize,
}

impl<'t> Cursor<'t> {
    /// Returns the offset of the next token.
    pub fn next_at(&self) -> usize {
        let rest = &self.text[self.at..];
        self.at + (rest.len() - rest.trim_start().len())
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token<'t> {
        self.at = self.next_at();
        let rest = &self.text[self.at..];
        let Some(letter) = rest.chars().next() else { return Token::End };
        let (token, length) = match letter {
            '{' | '[' => (Token::Open(letter), 1),
            '}' | ']' => (Token::Close(letter), 1),
            ',' => (Token::Comma, 1),
            ':' => (Token::Colon, 1),
            '"' => quoted(rest),
            _ => bare(rest),
        };
        self.at += length;
        token
    }

    /// Returns the next token without consuming it.
    pub fn peek(&self) -> Token<'t> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Whether an empty line precedes the next token.
    pub fn passes_empty_line(&self) -> bool {
        let between = &self.text[self.at..self.next_at()];
        between.bytes().filter(|&byte| byte == b'\n').count() > 1
    }

    /// Moves past the end of the current line.
    pub fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
}

/// Reads words in quotes, which end at the end of the line at the latest.
fn quoted(rest: &str) -> (Token<'_>, usize) {
    let mut escaped = false;
    for (index, letter) in rest.char_indices().skip(1) {
        match letter {
            '\n' => return (Token::Other(&rest[..index]), index),
            '"' if !escaped => return (Token::Words(&rest[1..index]), index + 1),
            _ => escaped = letter == '\\' && !escaped,
        }
    }
    (Token::Other(rest), rest.len())
}

fn bare(rest: &str) -> (Token<'_>, usize) {
    let ends = |letter: char| matches!(letter, '{' | '}' | '[' | ']' | ',' | ':' | '"' | '\n');
    let length = rest.find(ends).unwrap_or(rest.len());
    let word = rest[..length].trim_end();
    let nothing = matches!(word.trim_start_matches('-'), "null" | "nan" | "NaN" | "inf");
    let number = if nothing { Some(f64::NAN) } else { number(word) };
    (number.map_or(Token::Other(word), Token::Number), length.max(1))
}

/// Parses a number in JSON's notation; Rust alone would also accept `infinity` and `.`.
fn number(word: &str) -> Option<f64> {
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
    word.bytes().all(plain).then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_and_damaged_text_come_as_tokens() {
        let mut cursor = Cursor { text: "{\"a\\\"b\": -1.5, null]\nx y, \"cut\n}", at: 0 };
        let mut all = Vec::new();
        loop {
            match cursor.next() {
                Token::End => break,
                token => all.push(format!("{token:?}")),
            }
        }
        let expected = "Open('{') Words(\"a\\\\\\\"b\") Colon Number(-1.5) Comma Number(NaN) Close(']') Other(\"x y\") Comma \
                        Other(\"\\\"cut\") Close('}')";
        assert_eq!(all.join(" "), expected);
    }
}
