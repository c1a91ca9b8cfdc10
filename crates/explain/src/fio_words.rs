//! fio's words as its own parser reads them; anything that cannot be read is reported with its place.

use std::cell::{Cell, RefCell};
use std::io;

use super::explanation::{Around, ExplainError};
use super::pasted::{Kind, PastedCommand};
use super::unknown::{SHELL, knows};
use super::word::{Piece, texts};
use fio::{self, FioError, Place};
use workload::Bytes;

/// Reads words as fio does; refusals by plimsoll's fio alone are collected separately.
pub(super) struct Fio<'a> {
    pub words: Vec<Piece>,
    pub files: RefCell<Vec<(String, String)>>,
    /// Line of the job file taken from the same text, once it has been used.
    pub told_with: Cell<Option<usize>>,
    /// The job file in the same text.
    pub other: Option<&'a PastedCommand>,
    pub around: &'a Around<'a>,
    /// A variable that may stand for job files.
    pub hidden: Option<String>,
    pub gaps: Vec<String>,
    /// Lines of job files whose values are unknown here: the line number, and how the line is treated.
    pub unknown: RefCell<Vec<(usize, String)>>,
    /// Lines of job files that are left out, by path and line number, to look for further ones like them.
    pub left_out: RefCell<Vec<(String, usize)>>,
    /// The words that plimsoll's fio refuses, and why.
    pub refusals: Vec<String>,
    /// Options known only to an engine that plimsoll lacks.
    pub of_engines: Vec<String>,
}

impl<'a> Fio<'a> {
    pub fn new(words: Vec<Piece>, other: Option<&'a PastedCommand>, around: &'a Around<'a>) -> Fio<'a> {
        let (files, told_with) = (RefCell::default(), Cell::default());
        let (gaps, refusals, of_engines) = (Vec::new(), Vec::new(), Vec::new());
        Fio {
            words,
            files,
            told_with,
            other,
            around,
            hidden: None,
            gaps,
            unknown: RefCell::default(),
            left_out: RefCell::default(),
            refusals,
            of_engines,
        }
    }

    pub fn asked(&mut self) -> Result<Option<fio::FioRequest>, ExplainError> {
        let mut described = self.described();
        while let Err(FioError::NoJobFile { path, .. }) = &described {
            let path = path.clone();
            if !self.is_stray_value(&path) && !self.is_beside_jobs(&path) {
                break;
            }
            described = self.described();
        }
        if let Some(hidden) = self.hidden.take().filter(|_| matches!(described, Err(FioError::NoJobs))) {
            self.gaps
                .push(format!("Whether {hidden} names job files or has the jobs themselves is not known."));
            return Ok(None);
        }
        if matches!(described, Err(FioError::NoJobs)) && !self.files.borrow().is_empty() {
            self.gaps.push("The job file has no job: its sections may stand in what is not here.".to_owned());
            return Ok(None);
        }
        if matches!(described, Err(FioError::NoJobs)) {
            self.name_a_job();
            described = self.described();
        }
        let described = self.or_as_fio_takes_it(described);
        let unknown = self.unknown.take();
        let told = |(line, what): &(usize, String)| format!("line {}: {what}", self.line_of_text(*line));
        let unknown: Vec<String> = unknown.iter().map(told).collect();
        self.gaps.extend(unknown);
        match described {
            Ok(described) => {
                self.refusals = described.refusals.iter().map(|refusal| self.refusal(refusal)).collect();
                self.of_engines = described.of_engines;
                match described.request {
                    fio::Request::Run(asked) => Ok(Some(*asked)),
                    fio::Request::Say(_) | fio::Request::Check(_) => Ok(None),
                }
            }
            Err(FioError::NoJobFile { path, .. }) => {
                self.gaps.push(format!(
                    "The jobs stand in {path}, which is not here: explain that file too, or paste it before the command."
                ));
                Ok(None)
            }
            Err(error) => Err(self.place(&error)),
        }
    }

    /// Whether the job file `path` is a value that stands after a blank, where the option takes one only after `=`; the
    /// value is then taken as if it stood there.
    fn is_stray_value(&mut self, path: &str) -> bool {
        // Behind `--` fio takes every word for a job file, with its dashes.
        let is_option = !path.starts_with('-')
            && path.contains('=')
            && fio::ROWS.iter().any(|row| row.names().any(|known| known == names(path)));
        if let Some(piece) = self.words.iter_mut().find(|piece| is_option && piece.text == path) {
            self.gaps.push(format!(
                "line {}, column {}: for fio {path} is a job file here, as it has no dashes, and fio runs nothing: write --{path}. It is taken so below.",
                piece.line, piece.column
            ));
            piece.text = format!("--{path}");
            return true;
        }
        let is_flag = |piece: &Piece| piece.text.starts_with('-') && takes_no_next(names(&piece.text));
        let mut pairs = self.words.windows(2);
        let at =
            pairs.position(|pair| is_flag(&pair[0]) && pair[1].text == path && !pair[0].text.contains('='));
        let Some(at) = at else { return false };
        let Piece { text, line, column } = self.words.remove(at + 1);
        let option = &mut self.words[at].text;
        let joined = format!("{option}={text}");
        self.gaps.push(format!(
            "line {line}, column {column}: for fio {text} is a job file here, as {option} takes a value only after \"=\": \
             write {joined}. It is taken so below."
        ));
        *option = joined;
        true
    }

    /// Whether a job file that is not here stands beside jobs of the command line, which are then read without it.
    fn is_beside_jobs(&mut self, path: &str) -> bool {
        let is_job = |piece: &Piece| names(&piece.text) == "name" && piece.text.starts_with('-');
        let at = self.words.iter().position(|piece| piece.text == path);
        let Some(at) = at.filter(|_| self.words.iter().any(is_job)) else { return false };
        let Piece { line, column, .. } = self.words.remove(at);
        self.gaps.push(format!(
            "line {line}, column {column}: further jobs stand in {path}, which is not here: explain that file too, or paste it before the command."
        ));
        true
    }

    /// The words as fio itself reads them, if plimsoll refuses a value that fio takes for something else.
    fn or_as_fio_takes_it(
        &mut self,
        guarded: Result<fio::RequestDescription, FioError>,
    ) -> Result<fio::RequestDescription, FioError> {
        let mut error = match guarded {
            Err(FioError::NoJobFile { .. }) | Ok(_) => return guarded,
            Err(error) => error,
        };
        let exact = Piece { text: "--fio-exact".to_owned(), line: 1, column: 1 };
        self.words.insert(0, exact);
        let described = self.described();
        self.words.remove(0);
        // What fio itself refuses comes before what it takes for something else.
        let described = match described {
            Err(FioError::NoJobFile { .. }) => return Err(error),
            described => described?,
        };
        let words = self.words.clone();
        for _ in 0..MOST_VALUES {
            let placed = self.place(&error);
            let of_file = error.place().map(|place| (place.file.clone(), place.line));
            self.name_as_fio_takes_it(&placed);
            match of_file {
                Some(of_file) => self.left_out.borrow_mut().push(of_file),
                None => self.words.retain(|piece| (piece.line, piece.column) != (placed.line, placed.column)),
            }
            match self.described() {
                Err(next) if next != error && !self.place(&next).word.is_empty() => error = next,
                _ => break,
            }
        }
        self.words = words;
        self.left_out.borrow_mut().clear();
        Ok(described)
    }

    /// Names a value that fio takes for something else.
    fn name_as_fio_takes_it(&mut self, placed: &ExplainError) {
        let ExplainError { line, column, word, why } = placed;
        let stray = if word.is_empty() { String::new() } else { format!("{word}: ") };
        // What follows from the value being refused does not follow here.
        let is_outcome = |part: &&str| part.starts_with("failed parsing") || part.ends_with(" dropped");
        let why: Vec<&str> = why.split("; ").filter(|part| !is_outcome(part)).collect();
        self.gaps.push(format!(
            "line {line}, column {column}: {stray}{}. Below it is read as fio does.",
            why.join("; ")
        ));
    }

    fn described(&self) -> Result<fio::RequestDescription, FioError> {
        let read = |path: &str| self.text_of(path);
        let around = fio::Surroundings {
            read: &read,
            // The contents of files do not affect any of the sentences.
            bytes: &|_| Ok(vec![0xA5]),
            below: &|_| Ok(Vec::new()),
            // Environment variables stay as typed, because their values are unknown.
            variable: &|name| Some(format!("${{{name}}}")),
            entropy: 1,
            // More than any job requests; nothing is run.
            cpus: 4096,
            memory: Bytes::gib(1),
            page: Bytes::kib(4),
        };
        fio::describe(&texts(&self.words), &around)
    }

    /// Text of a named job file: from the disk, or else the one in the same text.
    fn text_of(&self, path: &str) -> io::Result<String> {
        if let Some((_, text)) = self.files.borrow().iter().find(|(known, _)| known == path) {
            let (text, unknown) = self.known_lines(path, text);
            *self.unknown.borrow_mut() = unknown;
            return Ok(text);
        }
        // A file included by the first one is not the job file in the text.
        let first = self.other.filter(|_| self.files.borrow().is_empty());
        let pasted = first.and_then(|found| match &found.kind {
            Kind::JobFile(text) => Some((found.line, text.clone())),
            Kind::Command(..) => None,
        });
        // Standard input has the text that is explained, if anything.
        let read = if path == "-" { Err(io::ErrorKind::NotFound.into()) } else { (self.around.read)(path) };
        let text = read.or_else(|error| {
            let (line, text) = pasted.ok_or(error)?;
            self.told_with.set(Some(line));
            Ok::<String, io::Error>(text)
        })?;
        self.files.borrow_mut().push((path.to_owned(), text.clone()));
        let (text, unknown) = self.known_lines(path, &text);
        *self.unknown.borrow_mut() = unknown;
        Ok(text)
    }

    /// Returns a job file that can be read, and how its lines with unknown values are treated.
    fn known_lines(&self, path: &str, text: &str) -> (String, Vec<(usize, String)>) {
        let mut unknown = Vec::new();
        let mut kept = String::new();
        for (at, line) in text.lines().enumerate() {
            let (line, what) = match line.trim().strip_prefix("include ").map(str::trim) {
                Some(file) if !self.is_there(path, file) => (
                    String::new(),
                    Some(format!("the options of {file} are missing below, as it is not here.")),
                ),
                None if !line.trim_start().starts_with(['#', ';']) => known_line(line),
                _ => (line.to_owned(), None),
            };
            let is_left_out =
                self.left_out.borrow().iter().any(|(of, number)| of == path && *number == at + 1);
            let line = if is_left_out { String::new() } else { line };
            unknown.extend(what.map(|what| (at + 1, what)));
            kept.push_str(&line);
            kept.push('\n');
        }
        (kept, unknown)
    }

    /// Whether the file that `outer` includes can be read, at its own path or next to `outer`.
    fn is_there(&self, outer: &str, file: &str) -> bool {
        let beside = outer.rfind('/').map(|at| format!("{}{file}", &outer[..=at]));
        [Some(file.to_owned()), beside].into_iter().flatten().any(|path| (self.around.read)(&path).is_ok())
    }

    fn name_a_job(&mut self) {
        self.gaps.push(
            "There is no --name, so that fio runs nothing and prints its help: add --name=test.".to_owned(),
        );
        self.words.insert(0, Piece { text: "--name=test".to_owned(), line: 1, column: 1 });
    }

    /// Returns a sentence on a refusal: its place, and the remedy.
    fn refusal(&self, error: &FioError) -> String {
        let FioError::Refused { option, reason, place } = error else { return error.to_string() };
        let line = place.as_ref().map(|place| format!("line {}: ", self.line_of_text(place.line)));
        let on_the_line = || {
            let piece = self.words.iter().find(|piece| names(&piece.text) == names(option))?;
            Some(format!("line {}, column {}: ", piece.line, piece.column))
        };
        let at = line.or_else(on_the_line).or_else(|| Some(format!("line {}: ", self.in_a_file(option)?)));
        format!("{}plimsoll fio does not take {option}: {reason}.", at.unwrap_or_default())
    }

    /// Line of the text that has `option` in a job file.
    fn in_a_file(&self, option: &str) -> Option<usize> {
        let files = self.files.borrow();
        let mut lines = files.iter().filter_map(|(_, text)| {
            let is_it = |line: &str| line.split_whitespace().collect::<String>() == option;
            text.lines().position(is_it)
        });
        Some(self.line_of_text(lines.next()? + 1))
    }

    /// Line of the pasted text that has this line of the job file; for a file from the disk, its own line number.
    fn line_of_text(&self, line: usize) -> usize {
        let pasted = self.other.filter(|found| Some(found.line) == self.told_with.get());
        let places = pasted.map_or(&[][..], |found| &found.lines);
        places.get(line.wrapping_sub(1)).copied().unwrap_or(line)
    }

    /// Returns the error with the word that fio's error is about, and its place.
    fn place(&self, error: &FioError) -> ExplainError {
        let message = error.to_string();
        let why = match error.hint() {
            Some(hint) => format!("{}; {}", in_one_line(&message), hint.trim_end()),
            None => in_one_line(&message),
        };
        if let Some(place) = error.place() {
            let word = self.text_at(place);
            let why = without_place(&why, place);
            return ExplainError { line: self.line_of_text(place.line), column: 1, word, why };
        }
        let typed = error.typed();
        let named = |piece: &&Piece| typed.as_ref().is_some_and(|typed| is_typed(&piece.text, typed));
        match self.words.iter().find(named) {
            Some(piece) => {
                ExplainError { line: piece.line, column: piece.column, word: piece.text.clone(), why }
            }
            None => match typed.as_ref().and_then(|typed| self.in_a_file(typed)) {
                Some(line) => ExplainError { line, column: 1, word: typed.unwrap_or_default(), why },
                None => ExplainError::of_the_whole(&self.words, why),
            },
        }
    }

    /// Text of the line at `place`.
    fn text_at(&self, place: &Place) -> String {
        let files = self.files.borrow();
        let text = files.iter().find(|(name, _)| *name == place.file).map(|(_, text)| text.as_str());
        let line = text.and_then(|text| text.lines().nth(place.line.wrapping_sub(1)));
        line.unwrap_or_default().trim().to_owned()
    }
}

/// Most values that fio takes for something else that are named: more than a job file has.
const MOST_VALUES: usize = 16;

/// Number of CPUs assumed for the machine on which the job file will run.
const CPUS: &str = "4";

/// Returns a readable form of a line of a job file, and how the line is treated. A number that depends on the
/// environment is left out; a path that depends on it stays.
fn known_line(line: &str) -> (String, Option<String>) {
    let bare = line.trim();
    let name = bare.split('=').next().unwrap_or_default().trim();
    if let Some(why) = counts_zones(bare) {
        return (String::new(), Some(why));
    }
    if bare.contains("$ncpus") {
        let what = format!("{bare}: $ncpus is the number of CPUs; {CPUS} stand for it below.");
        return (line.replace("$ncpus", CPUS), Some(what));
    }
    // The shell may fill in a file that a script writes.
    let value = bare.split_once('=').map_or("", |(_, value)| value.trim());
    // fio's comments begin with # or ;.
    let is_text = |row: &fio::Row| matches!(row.takes, fio::Kind::Text | fio::Kind::Path | fio::Kind::Prefix);
    let of_text = || fio::ROWS.iter().any(|row| is_text(row) && row.names().any(|known| known == name));
    if value.contains(" //") && of_text() {
        let what = format!("{bare}: // begins no comment for fio, and is part of the name.");
        return (line.to_owned(), Some(what));
    }
    match knows(value) {
        None => (line.to_owned(), None),
        Some(who) => {
            let who = if who == SHELL { "the environment" } else { who };
            let (kept, how) = stand_in(name, line);
            (kept.unwrap_or_default(), Some(format!("{bare} is known to {who} alone; {how}.")))
        }
    }
}

/// What becomes of an option of fio that gives a length as a number of zones (`size=8z`).
pub(super) fn counts_zones(option: &str) -> Option<String> {
    let (name, value) = option.trim().split_once('=')?;
    let digits = value.trim().strip_suffix(['z', 'Z']).unwrap_or_default();
    let is_length = matches!(
        name.trim().trim_start_matches('-'),
        "size" | "io_size" | "offset" | "offset_increment" | "zoneskip" | "filesize"
    );
    (is_length && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| {
        format!(
            "{option} counts zones, whose length only the device knows; it is left out below, so that part and amount are those of the whole."
        )
    })
}

/// Values that stand for those that are not known here, by the name of the option.
const STAND_INS: &[(&str, &str)] = &[
    ("runtime", "60s"),
    ("size", "1g"),
    ("io_size", "1g"),
    ("filesize", "1g"),
    ("nrfiles", "4"),
    ("numjobs", "4"),
    ("iodepth", "32"),
    ("bs", "4k"),
    ("bsrange", "4k-64k"),
    ("verify", "crc32c"),
    ("verify_pattern", "0xa5"),
    ("rw", "randrw"),
    ("ioengine", "libaio"),
    ("direct", "1"),
    ("fsync", "1"),
    ("fdatasync", "1"),
];

/// What stands for an option whose value is not known here, and how; `None` if it is left out. A name stands as it is typed.
pub(super) fn stand_in(option: &str, typed: &str) -> (Option<String>, String) {
    let name = option.trim().trim_start_matches('-');
    let row = fio::ROWS.iter().find(|row| row.names().any(|known| known == name));
    let is_text = |row: &fio::Row| matches!(row.takes, fio::Kind::Text | fio::Kind::Path | fio::Kind::Prefix);
    let known = row.and_then(|row| STAND_INS.iter().find(|(known, _)| *known == row.name));
    match (known, row) {
        (Some((_, value)), _) => (Some(format!("{option}={value}")), format!("{value} stands for it below")),
        (None, Some(row)) if row.name == "offset" => {
            (None, "it is left out below: what is said to lie at the start lies behind it".to_owned())
        }
        (None, Some(row)) if !is_text(row) => (None, "it is left out below".to_owned()),
        _ => (Some(typed.to_owned()), "it stands as it is below".to_owned()),
    }
}

/// The text without the place that it names itself.
fn without_place(text: &str, place: &Place) -> String {
    let named = format!("{}, line {}, column ", place.file, place.line);
    let Some((before, rest)) = text.split_once(&named) else { return text.to_owned() };
    let rest = rest.split_once(": ").map_or(rest, |(_, rest)| rest);
    format!("{before}{rest}")
}

/// Whether fio never takes the next word as the value of the option `name`.
fn takes_no_next(name: &str) -> bool {
    let is_flag = |row: &fio::Row| matches!(row.takes, fio::Kind::Flag);
    fio::ROWS.iter().any(|row| is_flag(row) && row.names().any(|known| known == name))
}

/// Whether `word` is an option whose value is the next word.
pub(super) fn needs_value(word: &str) -> bool {
    let name = word.strip_prefix("--").filter(|name| !name.contains('='));
    name.is_some_and(|name| {
        fio::ROWS.iter().any(|row| row.takes.needs_value() && row.names().any(|known| known == name))
    })
}

/// Name of the option in `word`.
fn names(word: &str) -> &str {
    let bare = word.trim_start_matches('-');
    bare.split(['=', ' ']).next().unwrap_or(bare)
}

/// Whether `word` equals `typed` or its option name, or has `typed` as its option name: a value may be a word.
fn is_typed(word: &str, typed: &str) -> bool {
    let (word, typed) = (word.trim_start_matches('-'), typed.trim_start_matches('-'));
    let name = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    !word.is_empty() && (word == typed || word == name(typed) || name(word) == typed)
}

/// Joins fio's lines into one, without duplicates.
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
