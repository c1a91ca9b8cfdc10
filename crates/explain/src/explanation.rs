//! What was found, in words, and why something could not be put into any.

use std::io;

use super::native::Native;
use super::risk::Level;
use super::tool::Tool;
use super::word::{Piece, Repair};

/// What is known of the world while things are explained.
pub struct Around<'a> {
    /// The text of a job file.
    pub read: &'a dyn Fn(&str) -> io::Result<String>,
}

/// What was found, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whose words they are.
    pub tool: Tool,
    /// The line where it begins.
    pub line: usize,
    /// What was put right to understand it.
    pub repairs: Vec<Repair>,
    /// The line where a job file begins that stands in the same text and is told with this command.
    pub told_with: Option<usize>,
    /// It as it can be run; of a job file its text.
    pub command: String,
    /// Whether `command` is the text of a job file.
    pub is_job_file: bool,
    /// The job file that a command names, as it was read.
    pub job_file: Option<String>,
    /// What could not be understood, or is not known, with its place.
    pub gaps: Vec<String>,
    /// What it asks for.
    pub asks: Vec<String>,
    /// What of that plimsoll refuses, or does in another way.
    pub apart: Vec<String>,
    /// Each word, and what it means.
    pub words: Vec<Meant>,
    /// What is risky or misleading.
    pub risks: Vec<Told>,
    /// Why it should be changed, and the changed command.
    pub corrected: Option<(String, String)>,
    /// What plimsoll has instead.
    pub native: Vec<Native>,
}

/// A word with what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// As it was typed.
    pub word: String,
    /// In a sentence.
    pub meaning: String,
    /// True where it is the value of the word before it.
    pub is_value: bool,
}

impl Meant {
    /// A word that stands by itself.
    pub(super) fn by_itself(word: &str, meaning: String) -> Meant {
        Meant { word: word.to_owned(), meaning, is_value: false }
    }
}

impl Explanation {
    /// Of a command, or the text of a job file, of which nothing is known yet.
    pub(super) fn of(tool: Tool, command: &str) -> Explanation {
        Explanation {
            tool,
            line: 1,
            repairs: Vec::new(),
            told_with: None,
            command: command.trim_end().to_owned(),
            is_job_file: false,
            job_file: None,
            gaps: Vec::new(),
            asks: Vec::new(),
            apart: Vec::new(),
            words: Vec::new(),
            risks: Vec::new(),
            corrected: None,
            native: Vec::new(),
        }
    }

    /// All that it asks for.
    pub(super) fn that(mut self, asks: &str) -> Explanation {
        self.asks.push(asks.to_owned());
        self
    }
}

/// A risk that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its name.
    pub id: &'static str,
    /// How much it matters.
    pub level: Level,
    /// Its words.
    pub text: String,
    /// Where that can be read.
    pub source: &'static str,
}

/// Why a thing cannot be explained: the word, where it stands, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {}{why}", in_quotes(word))]
pub struct ExplainError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The word; empty where it is the whole.
    pub word: String,
    /// Why, and what to do.
    pub why: String,
}

fn in_quotes(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("{word}: ") }
}

/// Everything that was found in a text: what could be put into words, and what could not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explained {
    /// In the order of the text.
    pub told: Vec<Explanation>,
    /// The first word that is not understood of each of the others.
    pub not_understood: Vec<ExplainError>,
}

impl ExplainError {
    /// What is wrong with no single word stands where the words begin.
    pub(super) fn of_the_whole(words: &[Piece], why: String) -> ExplainError {
        let (line, column) = words.first().map_or((1, 1), |piece| (piece.line, piece.column));
        ExplainError { line, column, word: String::new(), why }
    }

    /// What is wrong with the word at `at`, where there is one.
    pub(super) fn of_word(words: &[Piece], at: Option<usize>, why: String) -> ExplainError {
        match at.and_then(|at| words.get(at)) {
            Some(piece) => {
                ExplainError { line: piece.line, column: piece.column, word: piece.text.clone(), why }
            }
            None => ExplainError::of_the_whole(words, why),
        }
    }
}
