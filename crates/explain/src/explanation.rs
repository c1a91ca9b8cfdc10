//! Explanations of commands and job files, and the reasons why one cannot be explained.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::native::Native;
use super::risk::Level;
use super::standing::Standing;
use super::tool::Tool;
use super::word::{Piece, Repair};

/// Access to files outside the text to be explained.
pub struct Around<'a> {
    /// Reads a job file.
    pub read: &'a dyn Fn(&str) -> io::Result<String>,
}

/// The explanation of a command or job file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The tool to which the command belongs.
    pub tool: Tool,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Where it was found in a text that has others; `null` if the text is nothing but commands and job files.
    pub taken: Option<Taken>,
    /// Which of the two it is.
    pub kind: Form,
    /// The command as it can be run; for a job file, its text.
    pub command: String,
    /// Text of the job file that a command names.
    pub job_file: Option<String>,
    /// What was repaired to understand it.
    pub repairs: Vec<Repair>,
    /// The line on which a job file begins that is in the same text and explained with this command.
    #[serde(skip)]
    pub told_with: Option<usize>,
    /// What could not be understood, or is not known, with its place.
    pub gaps: Vec<String>,
    /// Sentences on the load that the command requests.
    pub asks: Vec<String>,
    /// The load of each of fio's jobs in figures, as far as the words determine them.
    pub loads: Vec<ExplainedLoad>,
    /// Parts that plimsoll refuses or treats differently.
    pub apart: Vec<String>,
    /// Each word with its meaning.
    pub words: Vec<ExplainedWord>,
    /// Risks and misleading aspects of the command.
    pub risks: Vec<ApplicableRisk>,
    /// How it should read, if something is wrong with it.
    pub corrected: Option<Correction>,
    /// Commands of plimsoll's own that answer the same question.
    pub native: Vec<Native>,
    /// What of the command is not here.
    #[serde(skip)]
    pub(super) missing: Missing,
}

/// What of a command is not here: whatever is missing cannot be judged by its absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Missing {
    /// Nothing.
    #[default]
    Nothing,
    /// The values of options, which are left out.
    Values,
    /// Words, which may be any options.
    Words,
}

/// The words that were taken from a text that has others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Taken {
    /// The command, with the values of variables that the text gives; for a job file, its lines.
    pub words: String,
    /// The line on which they end, from 1.
    pub until: usize,
    /// What the text does with them.
    pub standing: Standing,
}

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Form {
    /// A command.
    #[serde(rename = "command")]
    Command,
    /// The text of a job file.
    #[serde(rename = "job file")]
    JobFile,
}

/// A changed command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Correction {
    /// The reason for the change.
    pub why: String,
    /// The changed command.
    pub command: String,
}

/// The load of a job of fio, as planning works it out from the words alone.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedLoad {
    /// Name of the job.
    pub job: String,
    /// Number of copies that run side by side.
    pub copies: u32,
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it trims.
    pub trims: bool,
    /// Number of I/Os of a copy at which it ends, apart from the reads of verification; `null` if unknown.
    pub ios: Option<u64>,
    /// Whether `ios` is exact; otherwise lengths are drawn, and it is a mean.
    pub ios_are_exact: bool,
    /// Bytes of a copy after which it ends; `null` if unknown.
    pub bytes: Option<u64>,
    /// First byte of the part of each file that the copies use; `null` if unknown.
    pub from: Option<u64>,
    /// End of that part, over all copies, in bytes; `null` if unknown.
    pub until: Option<u64>,
    /// Where its reads end in a copy, in bytes, if they go in order from the start of the part; a mean for a mix, and `null`
    /// if time decides it or it is unknown.
    pub reads_until: Option<u64>,
    /// The same of its writes.
    pub writes_until: Option<u64>,
    /// Share of that part that the copies write or trim together, if no time ends them: a mean for a mix; `null` if unknown.
    pub share_changed: Option<f64>,
    /// Seconds that rates and pauses take at least, before any limit of time.
    pub least_s: f64,
    /// Seconds after which a copy ends at the latest, apart from a ramp; `null` if nothing limits the time.
    pub most_s: Option<f64>,
}

/// A word with its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedWord {
    /// The word as typed.
    pub word: String,
    /// The meaning, as a sentence.
    pub meaning: String,
    /// Whether it is the value of the word before it.
    #[serde(skip)]
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
            taken: None,
            kind: Form::Command,
            command: command.trim_end().to_owned(),
            job_file: None,
            repairs: Vec::new(),
            told_with: None,
            gaps: Vec::new(),
            asks: Vec::new(),
            loads: Vec::new(),
            apart: Vec::new(),
            words: Vec::new(),
            risks: Vec::new(),
            corrected: None,
            native: Vec::new(),
            missing: Missing::Nothing,
        }
    }

    /// Adds a sentence on the requested load.
    pub(super) fn that(mut self, asks: &str) -> Explanation {
        self.asks.push(asks.to_owned());
        self
    }
}

/// A risk that applies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
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

/// Everything that was found in a text, whether it could be explained or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedText {
    /// Explanations, in the order of the text.
    #[serde(rename = "explained")]
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
