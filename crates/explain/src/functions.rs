//! Functions of a shell in pasted text: the words of a call stand for `$1`, `$2` and so on in their lines.

use std::ops::RangeInclusive;

use super::call::{BETWEEN, is_starter};
use super::variables::{destroys, is_name};
use super::word::words;

/// A function that the text calls.
#[derive(Debug)]
pub(super) struct Function<'t> {
    name: &'t str,
    lines: RangeInclusive<usize>,
    calls: Vec<Vec<String>>,
    /// Whether it runs the words of its call as a command.
    is_starter: bool,
}

/// Most functions that are looked for, and most calls of each: more than scripts have. Chosen by us.
const MOST: usize = 64;

/// The functions of a text, before their calls are known.
pub(super) fn functions(text: &str) -> Vec<Function<'_>> {
    let mut found: Vec<Function<'_>> = Vec::new();
    let mut open: Option<(&str, usize, bool)> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let begun = open.take().or_else(|| Some((header(line)?, index + 1, false)));
        let Some((name, from, is_starter)) = begun else { continue };
        let is_starter = is_starter || runs_its_words(line);
        // One that begins and ends in a line has its brace at the end.
        if line.starts_with('}') || from == index + 1 && line.ends_with('}') {
            found.push(Function { name, lines: from..=index + 1, calls: Vec::new(), is_starter });
        } else {
            open = Some((name, from, is_starter));
        }
    }
    found.truncate(MOST);
    found
}

/// Whether the words of the call (`"$@"`) stand where a command begins.
fn runs_its_words(line: &str) -> bool {
    let before =
        ["\"$@\"", "$@", "\"$*\"", "$*"].iter().find_map(|all| Some(line.split_once(all)?.0.trim_end()));
    before.is_some_and(|before| {
        let word = before.rsplit([' ', '\t']).next().unwrap_or_default();
        word.is_empty() || word.ends_with(';') || BETWEEN.contains(&word) || is_starter(word)
    })
}

/// The name of the function that a line begins (`name() {`, `function name {`).
fn header(line: &str) -> Option<&str> {
    let named = line.strip_prefix("function ").unwrap_or(line).trim_start();
    let end = named.find(|c: char| !c.is_alphanumeric() && !"_-".contains(c))?;
    let (name, rest) = named.split_at(end);
    let is_header = rest.trim_start().starts_with("()") || named.len() < line.len() && rest.contains('{');
    (is_header && is_name(&name.replace('-', "_"))).then_some(name)
}

impl Function<'_> {
    /// Whether the line is one of its own.
    pub fn has(&self, number: usize) -> bool {
        self.lines.contains(&number)
    }

    /// Whether the line calls it to run the words behind its name.
    pub fn starts(&self, line: &str, number: usize) -> bool {
        self.is_starter && !self.has(number) && line.split_whitespace().next() == Some(self.name)
    }

    /// The length of its name in bytes.
    pub fn name_length(&self) -> usize {
        self.name.len()
    }

    /// Whether it begins in this line.
    pub fn begins(&self, number: usize) -> bool {
        *self.lines.start() == number
    }

    /// Takes the words of a line that calls it.
    pub fn take_call(&mut self, line: &str, number: usize) {
        let is_call = line.split_whitespace().next() == Some(self.name);
        if is_call && !self.is_starter && !self.has(number) && self.calls.len() < MOST {
            let words = words(line, number, &mut Vec::new()).into_iter().map(|piece| piece.text).skip(1);
            self.calls.push(
                words.take_while(|word| ![";", "|", "&", "&&", "||", "#"].contains(&word.as_str())).collect(),
            );
        }
    }

    /// The words of the call that stands for all: the first that destroys, or else the first.
    pub fn call(&self) -> Option<&[String]> {
        self.calls
            .iter()
            .find(|call| call.iter().any(|word| destroys(word)))
            .or(self.calls.first())
            .map(Vec::as_slice)
    }
}
