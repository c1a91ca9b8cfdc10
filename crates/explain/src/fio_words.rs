//! fio's words as its own parser reads them, with what cannot be read named by its place.

use std::cell::{Cell, RefCell};
use std::io;

use super::explanation::{Around, ExplainError};
use super::pasted::{Found, Kind};
use super::word::{Piece, texts};
use fio::{self, FioError, Place};
use workload::Bytes;

/// Reads fio's words; options that plimsoll's fio refuses are left out, and named.
pub(super) struct Fio<'a> {
    pub words: Vec<Piece>,
    pub files: RefCell<Vec<(String, String)>>,
    /// Where the job file stands that was taken from the same text.
    pub told_with: Cell<Option<usize>>,
    /// The job file that stands in the same text.
    pub other: Option<&'a Found>,
    pub around: &'a Around<'a>,
    pub gaps: Vec<String>,
    pub refused: bool,
}

/// More options than this are not refused one after the other.
const REFUSED_MAX: usize = 64;

impl<'a> Fio<'a> {
    pub fn new(words: Vec<Piece>, other: Option<&'a Found>, around: &'a Around<'a>) -> Fio<'a> {
        let (files, told_with) = (RefCell::default(), Cell::default());
        Fio { words, files, told_with, other, around, gaps: Vec::new(), refused: false }
    }

    pub fn asked(&mut self) -> Result<Option<fio::Asked>, ExplainError> {
        for _ in 0..REFUSED_MAX {
            match self.parsed() {
                Ok(fio::Request::Run(asked)) => return Ok(Some(*asked)),
                Ok(fio::Request::Say(_)) => return Ok(None),
                Err(FioError::NoJobs) => self.name_a_job(),
                Err(FioError::NoJobFile { path, .. }) => {
                    self.gaps.push(format!(
                        "The jobs stand in {path}, which is not here: explain that file too, or paste it before the command."
                    ));
                    return Ok(None);
                }
                Err(FioError::Refused { option, reason, place: None }) => self.leave_out(&option, &reason)?,
                Err(FioError::Refused { option, reason, place: Some(place) }) => {
                    self.leave_line_out(&option, &reason, place.line)?
                }
                Err(error) => return Err(self.place(&error)),
            }
        }
        Ok(None)
    }

    fn parsed(&self) -> Result<fio::Request, FioError> {
        let read = |path: &str| self.text_of(path);
        let around = fio::Surroundings {
            read: &read,
            // What stands in files changes no word that is said.
            bytes: &|_| Ok(vec![0xA5]),
            below: &|_| Ok(Vec::new()),
            variable: &|_| None,
            entropy: 1,
            // Whatever a job may ask for; nothing is run.
            cpus: 4096,
            memory: Bytes::gib(1),
            page: Bytes::kib(4),
        };
        fio::parse(&texts(&self.words), &around)
    }

    /// A job file that was named: from the disk, else the one that was pasted before.
    fn text_of(&self, path: &str) -> io::Result<String> {
        if let Some((_, text)) = self.files.borrow().iter().find(|(known, _)| known == path) {
            return Ok(text.clone());
        }
        let pasted = self.other.and_then(|found| match &found.kind {
            Kind::JobFile(text) => Some((found.line, text.clone())),
            Kind::Command(..) => None,
        });
        let text = (self.around.read)(path).or_else(|error| {
            let (line, text) = pasted.ok_or(error)?;
            self.told_with.set(Some(line));
            Ok::<String, io::Error>(text)
        })?;
        self.files.borrow_mut().push((path.to_owned(), text.clone()));
        Ok(text)
    }

    fn name_a_job(&mut self) {
        self.gaps.push(
            "There is no --name, so that fio runs nothing and prints its help: add --name=test.".to_owned(),
        );
        self.words.insert(0, Piece { text: "--name=test".to_owned(), line: 1, column: 1 });
    }

    fn leave_out(&mut self, option: &str, reason: &str) -> Result<(), ExplainError> {
        let name = option.split('=').next().unwrap_or(option);
        let is_it = |piece: &Piece| piece.text.trim_start_matches('-').split('=').next() == Some(name);
        let at = self.words.iter().position(is_it).ok_or_else(|| ExplainError {
            line: 1,
            column: 1,
            word: option.to_owned(),
            why: reason.to_owned(),
        })?;
        let piece = self.words.remove(at);
        self.refused = true;
        self.gaps.push(format!(
            "line {}, column {}: plimsoll fio does not take {option} ({reason}); it is left out of what follows.",
            piece.line, piece.column
        ));
        Ok(())
    }

    fn leave_line_out(&mut self, option: &str, reason: &str, line: usize) -> Result<(), ExplainError> {
        let mut files = self.files.borrow_mut();
        let found = files.iter_mut().find_map(|(_, text)| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let there = lines.get_mut(line.wrapping_sub(1)).filter(|there| !there.trim().is_empty())?;
            there.clear();
            *text = lines.join("\n") + "\n";
            Some(())
        });
        found.ok_or_else(|| ExplainError {
            line,
            column: 1,
            word: option.to_owned(),
            why: reason.to_owned(),
        })?;
        drop(files);
        self.refused = true;
        self.gaps.push(format!(
            "line {}: plimsoll fio does not take {option} ({reason}); it is left out of what follows.",
            self.line_of_text(line)
        ));
        Ok(())
    }

    /// Where a line of the job file stands in the text that it was pasted in; its own number where it comes from the disk.
    fn line_of_text(&self, line: usize) -> usize {
        let pasted = self.other.filter(|found| Some(found.line) == self.told_with.get());
        let places = pasted.map_or(&[][..], |found| &found.lines);
        places.get(line.wrapping_sub(1)).copied().unwrap_or(line)
    }

    /// The word that an error of fio's is about.
    fn place(&self, error: &FioError) -> ExplainError {
        let message = error.to_string();
        let why = match error.hint() {
            Some(hint) => format!("{}; {}", in_one_line(&message), hint.trim_end()),
            None => in_one_line(&message),
        };
        if let Some(place) = error.place() {
            let word = self.text_at(place);
            return ExplainError { line: self.line_of_text(place.line), column: 1, word, why };
        }
        let typed = error.typed();
        let named = |piece: &&Piece| typed.as_ref().is_some_and(|typed| is_typed(&piece.text, typed));
        match self.words.iter().find(named) {
            Some(piece) => {
                ExplainError { line: piece.line, column: piece.column, word: piece.text.clone(), why }
            }
            None => ExplainError { line: 1, column: 1, word: String::new(), why },
        }
    }

    /// The line of a job file.
    fn text_at(&self, place: &Place) -> String {
        let files = self.files.borrow();
        let text = files.iter().find(|(name, _)| *name == place.file).map(|(_, text)| text.as_str());
        let line = text.and_then(|text| text.lines().nth(place.line.wrapping_sub(1)));
        line.unwrap_or_default().trim().to_owned()
    }
}

/// Whether `word` is what was typed, or the name or the whole of it: a value may be a word of its own.
fn is_typed(word: &str, typed: &str) -> bool {
    let (word, typed) = (word.trim_start_matches('-'), typed.trim_start_matches('-'));
    let name = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    !word.is_empty() && (word == typed || word == name(typed) || name(word) == typed)
}

/// Lines of fio's as one, each once.
fn in_one_line(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in
        text.lines().map(|line| line.trim().trim_start_matches("fio: ")).filter(|line| !line.is_empty())
    {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("; ")
}
