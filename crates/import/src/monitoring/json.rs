//! JSON, sound or damaged, as a walk over its values with their keys.

use super::super::documents::trouble;
use super::super::iostat::tokens::{Cursor, Token};
use super::super::trouble::Trouble;

/// A step of the walk. An element has the key of its list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step<'t> {
    Opened(char, &'t str),
    Closed(char, &'t str),
    Words(&'t str, &'t str),
    Number(&'t str, f64),
    End,
}

/// A place in a text, with the brackets that are open there.
pub(super) struct Walk<'t> {
    cursor: Cursor<'t>,
    open: Vec<(char, &'t str)>,
    /// The first place that is not JSON.
    damage: Option<usize>,
}

/// Most brackets that may be open: deeper than any answer of these systems.
const OPEN_MOST: usize = 64;

impl<'t> Walk<'t> {
    pub fn of(text: &'t str) -> Walk<'t> {
        let at = text.find(['{', '[']).unwrap_or(text.len());
        Walk { cursor: Cursor { text, at }, open: Vec::new(), damage: None }
    }

    /// Returns the offset of the next step.
    pub fn at(&self) -> usize {
        self.cursor.next_at()
    }

    /// Returns the key of the innermost open bracket.
    pub fn within(&self) -> &'t str {
        self.open.last().map_or("", |(_, key)| key)
    }

    /// Takes the next step.
    pub fn next(&mut self) -> Step<'t> {
        let mut key = self.within();
        loop {
            let at = self.cursor.next_at();
            match self.cursor.next() {
                Token::End => return Step::End,
                Token::Open(bracket) if self.open.len() < OPEN_MOST => {
                    self.open.push((bracket, key));
                    return Step::Opened(bracket, key);
                }
                Token::Close(bracket) => match self.open.pop() {
                    Some((_, key)) => return Step::Closed(bracket, key),
                    None => self.damaged(at),
                },
                Token::Words(words) if self.cursor.text[self.cursor.next_at()..].starts_with(':') => {
                    self.cursor.next();
                    key = words;
                }
                Token::Words(words) => return Step::Words(key, words),
                Token::Number(number) => return Step::Number(key, number),
                Token::Comma => key = self.within(),
                Token::Other("true" | "false") => {}
                Token::Other(_) if self.open.is_empty() => self.cursor.skip_line(),
                Token::Open(_) | Token::Colon | Token::Other(_) => self.damaged(at),
            }
        }
    }

    /// Takes the pairs of a number and a quoted number that follow without blanks, as Prometheus prints them; whatever
    /// does not fit is left to the next step.
    pub fn pairs(&mut self, mut each: impl FnMut(f64, f64)) {
        while let Some((first, second, length)) = pair(&self.cursor.text[self.cursor.at..]) {
            each(first, second);
            self.cursor.at += length;
        }
    }

    fn damaged(&mut self, at: usize) {
        self.damage = self.damage.or(Some(at));
    }

    /// Returns the trouble that the walk met: the first place that is not JSON, or an end within brackets.
    pub fn trouble(&self) -> Option<Trouble> {
        let expected = if self.damage.is_some() { "JSON" } else { "the brackets that close it" };
        let at = self.damage.or_else(|| (!self.open.is_empty()).then_some(self.cursor.text.len()))?;
        Some(self.trouble_at(at, expected))
    }

    /// Returns a trouble at an offset.
    pub fn trouble_at(&self, at: usize, expected: impl Into<String>) -> Trouble {
        trouble(self.cursor.text, at, expected)
    }
}

/// Most digits of a number that is read in a pair.
const DIGITS_MOST: usize = 32;

/// Reads `[1795687200.5,"1.5"],`, and returns the numbers and the length in bytes.
fn pair(text: &str) -> Option<(f64, f64, usize)> {
    let inside = text.strip_prefix('[')?;
    let comma = inside.bytes().take(DIGITS_MOST).position(|byte| byte == b',')?;
    let words = inside[comma + 1..].strip_prefix('"')?;
    let end = words.bytes().take(DIGITS_MOST).position(|byte| byte == b'"')?;
    let after = words[end + 1..].strip_prefix(']')?;
    let after = after.strip_prefix(',').unwrap_or(after);
    Some((inside[..comma].parse().ok()?, words[..end].parse().ok()?, text.len() - after.len()))
}

/// Returns words with their escapes resolved.
pub(super) fn plain(words: &str) -> String {
    let resolved = words.contains('\\').then(|| serde_json::from_str(&format!("\"{words}\"")).ok()).flatten();
    resolved.unwrap_or_else(|| words.to_owned())
}
