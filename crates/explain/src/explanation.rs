//! Explanations of commands and job files, and the reasons why one cannot be explained.

use std::io;

use super::native::Native;
use super::risk::Level;
use super::tool::Tool;
use super::word::{Piece, Repair};

/// Access to files outside the text to be explained.
pub struct Around<'a> {
    /// Reads a job file.
    pub read: &'a dyn Fn(&str) -> io::Result<String>,
}

/// The explanation of a command or job file.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The tool to which the command belongs.
    pub tool: Tool,
    /// The line on which the command or job file begins.
    pub line: usize,
    /// Repairs made so that the command can be understood.
    pub repairs: Vec<Repair>,
    /// First line of the job file in the same text that is explained with this command.
    pub told_with: Option<usize>,
    /// The command in a form that can be run; for a job file, its text.
    pub command: String,
    /// Whether `command` is the text of a job file.
    pub is_job_file: bool,
    /// Text of the job file that a command names.
    pub job_file: Option<String>,
    /// Parts that are not understood or not known, with their places.
    pub gaps: Vec<String>,
    /// Sentences on the load that the command requests.
    pub asks: Vec<String>,
    /// Parts that plimsoll refuses or treats differently.
    pub apart: Vec<String>,
    /// Each word with its meaning.
    pub words: Vec<ExplainedWord>,
    /// Risks and misleading aspects of the command.
    pub risks: Vec<ApplicableRisk>,
    /// The reason for a correction, and the corrected command.
    pub corrected: Option<(String, String)>,
    /// Commands of plimsoll's own that answer the same question.
    pub native: Vec<Native>,
}

/// A word with its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedWord {
    /// The word as typed.
    pub word: String,
    /// The meaning, as a sentence.
    pub meaning: String,
    /// Whether the word is the value of the previous word.
    pub is_value: bool,
}

impl ExplainedWord {
    /// Returns a word that is not the value of another.
    pub(super) fn by_itself(word: &str, meaning: String) -> ExplainedWord {
        ExplainedWord { word: word.to_owned(), meaning, is_value: false }
    }
}

impl Explanation {
    /// Returns an empty explanation of a command or of the text of a job file.
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

    /// Adds a sentence on the requested load.
    pub(super) fn that(mut self, asks: &str) -> Explanation {
        self.asks.push(asks.to_owned());
        self
    }
}

/// A risk that applies.
#[derive(Clone, Debug, PartialEq)]
pub struct ApplicableRisk {
    /// Name of the risk.
    pub id: &'static str,
    /// Severity of the risk.
    pub level: Level,
    /// Text of the risk.
    pub text: String,
    /// Reference for further reading.
    pub source: &'static str,
}

/// Why something cannot be explained: the word, its place, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {}{why}", in_quotes(word))]
pub struct ExplainError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The word; empty if the error is about the whole command or file.
    pub word: String,
    /// The reason, and the remedy.
    pub why: String,
}

fn in_quotes(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("{word}: ") }
}

/// The commands and job files of a text, whether or not they could be explained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExplainedText {
    /// Explanations, in the order of the text.
    pub told: Vec<Explanation>,
    /// The first word that is not understood in each command or job file that could not be explained.
    pub not_understood: Vec<ExplainError>,
}

impl ExplainError {
    /// Returns an error that is not about a single word; its place is the first word.
    pub(super) fn of_the_whole(words: &[Piece], why: String) -> ExplainError {
        let (line, column) = words.first().map_or((1, 1), |piece| (piece.line, piece.column));
        ExplainError { line, column, word: String::new(), why }
    }

    /// Returns an error about the word at `at`, if there is one.
    pub(super) fn of_word(words: &[Piece], at: Option<usize>, why: String) -> ExplainError {
        match at.and_then(|at| words.get(at)) {
            Some(piece) => {
                ExplainError { line: piece.line, column: piece.column, word: piece.text.clone(), why }
            }
            None => ExplainError::of_the_whole(words, why),
        }
    }
}
