//! fio's own traces: one row for each event, with times in version 3 and with rows that wait in version 2.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use options::near::nearest;
use workload::Nanos;

use super::{Action, Event, Fault, TraceIo};

/// Longest line in bytes: a path has at most 4,096.
const LINE_MAX: u64 = 8192;
/// The longest I/O, 1 GiB, in bytes: the kernel moves just under 2 GiB in one call.
const IO_MAX: u64 = 1 << 30;
/// Most files of a trace, each of which is kept open.
const FILES_MAX: usize = 65_536;

/// All actions of a row; those on files first.
const ACTIONS: [&str; 9] = ["add", "open", "close", "read", "write", "trim", "sync", "datasync", "wait"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// No times; rows say until when to wait.
    Two,
    /// Each row begins with its time.
    Three,
}

/// A trace of fio's, read row by row.
pub struct Iolog<R> {
    input: R,
    version: Version,
    /// The current row, without its line end.
    line: String,
    number: usize,
    files: Vec<String>,
    /// Indices into the list of files, by name.
    indices: HashMap<String, u32>,
    /// Time in the last row, in microseconds, as the file gives it.
    last: Option<u64>,
    at: Nanos,
    /// The remainder of a trim that is too long for one I/O, with its length in bytes.
    rest: Option<(TraceIo, u64)>,
    /// Number of rows whose I/O is not replayed.
    left_out: u64,
}

/// A word of a row, with its column.
#[derive(Clone, Copy)]
struct WordAt<'l> {
    text: &'l str,
    column: usize,
}

/// The meaning of a row.
enum RowMeaning {
    Add,
    OpenOrClose,
    /// A row of `sync_file_range`, which fio records but does not replay either.
    LeftOut,
    WaitUntil(u64),
    Io {
        action: Action,
        offset: u64,
        bytes: u64,
    },
}

impl<R: BufRead> Iolog<R> {
    /// Reads the first line, which gives the version.
    ///
    /// # Errors
    /// [`Fault`] if the version is unknown.
    pub fn open(input: R) -> Result<Iolog<R>, Fault> {
        let mut log = Iolog {
            input,
            version: Version::Three,
            line: String::new(),
            number: 0,
            files: Vec::new(),
            indices: HashMap::new(),
            last: None,
            at: Nanos::ZERO,
            rest: None,
            left_out: 0,
        };
        let is_there = log.next_line()?;
        log.version = match header(&log.line) {
            Some("2") => Version::Two,
            Some("3") => Version::Three,
            Some(other) => {
                let problem = format!("a trace of version {other}; versions 2 and 3 are replayed");
                return Err(Fault::in_line(1, "fio version ".len() + 1, problem));
            }
            None => {
                let found =
                    if is_there { format!("'{}'", shortened(&log.line)) } else { "nothing".to_owned() };
                let problem = format!(
                    "{found} where a trace begins with 'fio version 3 iolog' or 'fio version 2 iolog', \
                     and one of blktrace with its magic number"
                );
                return Err(Fault::in_line(1, 1, problem));
            }
        };
        Ok(log)
    }

    /// Names of the files so far.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Number of `sync_file_range` rows so far, which are not replayed.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Reads the next event; `None` at the end.
    ///
    /// # Errors
    /// [`Fault`], with line and column.
    pub fn event(&mut self) -> Result<Option<Event>, Fault> {
        if let Some((io, bytes)) = self.rest.take() {
            return Ok(Some(Event { at: self.at, io: Some(self.piece(io, bytes)) }));
        }
        while self.next_line()? {
            // fio lets each clone of a job append a whole trace to one file.
            if self.line.trim().is_empty() || header(&self.line).is_some() {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let event = self.row(&line);
            self.line = line;
            return event.map(Some);
        }
        Ok(None)
    }

    fn row(&mut self, line: &str) -> Result<Event, Fault> {
        let mut words = words(line);
        if self.version == Version::Three {
            let time = self.next(&mut words, line, "the time in microseconds")?;
            let micros = self.number(time, "a time in microseconds", u64::MAX / 1000)?;
            // A time earlier than the last one starts over, without a pause.
            let last = self.last.replace(micros).unwrap_or(micros);
            self.at = Nanos(self.at.0.saturating_add(micros.saturating_sub(last).saturating_mul(1000)));
        }
        let name = self.next(&mut words, line, "the name of a file")?;
        let action = self.next(&mut words, line, "an action")?;
        let said = self.said(action, &mut words, line)?;
        if let Some(more) = words.next() {
            return Err(self.fault(more, format!("'{}' after the end of the row", shortened(more.text))));
        }
        let io = match said {
            RowMeaning::Add => self.add(name)?,
            RowMeaning::OpenOrClose => self.file(name).map(|_| None)?,
            RowMeaning::LeftOut => {
                self.left_out += 1;
                None
            }
            RowMeaning::WaitUntil(millis) => {
                let until = Nanos(millis.saturating_mul(1_000_000));
                self.at = self.at.max(until);
                None
            }
            RowMeaning::Io { action, offset, bytes } => {
                let io = TraceIo { action, file: self.file(name)?, offset, bytes: 0 };
                Some(self.piece(io, bytes))
            }
        };
        Ok(Event { at: self.at, io })
    }

    /// Returns the first I/O of `bytes` bytes; the remainder of a long trim is returned next.
    fn piece(&mut self, io: TraceIo, bytes: u64) -> TraceIo {
        let now = bytes.min(IO_MAX);
        let rest = TraceIo { offset: io.offset.saturating_add(now), ..io };
        self.rest = (bytes > now).then_some((rest, bytes - now));
        TraceIo { bytes: now as u32, ..io }
    }

    fn said<'l>(
        &self,
        action: WordAt<'l>,
        words: &mut impl Iterator<Item = WordAt<'l>>,
        line: &str,
    ) -> Result<RowMeaning, Fault> {
        let kind = match action.text {
            "add" => return Ok(RowMeaning::Add),
            "open" | "close" => return Ok(RowMeaning::OpenOrClose),
            "wait" if self.version == Version::Two => None,
            "read" => Some(Action::Read),
            "write" => Some(Action::Write),
            "trim" => Some(Action::Trim),
            "sync" => Some(Action::Sync),
            "datasync" => Some(Action::Datasync),
            "sync_file_range" => {
                words.by_ref().take(2).for_each(drop);
                return Ok(RowMeaning::LeftOut);
            }
            other => return Err(self.fault(action, self.unknown_action(other))),
        };
        let offset =
            self.next(words, line, if kind.is_some() { "an offset" } else { "a time in milliseconds" })?;
        let bytes = self.next(words, line, "a length")?;
        let Some(kind) = kind else {
            return Ok(RowMeaning::WaitUntil(self.number(
                offset,
                "a time in milliseconds",
                u64::MAX / 1_000_000,
            )?));
        };
        let start = self.number(offset, "an offset in bytes", i64::MAX as u64 - IO_MAX)?;
        let length = self.number(bytes, "a length in bytes", u64::MAX)?;
        if matches!(kind, Action::Sync | Action::Datasync) {
            return Ok(RowMeaning::Io { action: kind, offset: 0, bytes: 0 });
        }
        let ends = start.checked_add(length).is_some_and(|end| end <= i64::MAX as u64);
        match length {
            1..=IO_MAX => Ok(RowMeaning::Io { action: kind, offset: start, bytes: length }),
            // A trim needs no buffer.
            _ if kind == Action::Trim && length > 0 && ends => {
                Ok(RowMeaning::Io { action: kind, offset: start, bytes: length })
            }
            0 => Err(self.fault(bytes, format!("a {} of 0 bytes; it moves at least 1", action.text))),
            _ => Err(self
                .fault(bytes, format!("a {} of {length} bytes; one I/O has at most {IO_MAX}", action.text))),
        }
    }

    fn unknown_action(&self, word: &str) -> String {
        if word == "wait" {
            return "'wait' is a row of version 2; in version 3 the time stands before each row".to_owned();
        }
        let near = nearest(word, ACTIONS.into_iter());
        let meant = near.map_or_else(String::new, |near| format!(" Did you mean {near}?"));
        let known = &ACTIONS[..if self.version == Version::Two { 9 } else { 8 }];
        format!("'{}' is no action; there are {}.{meant}", shortened(word), known.join(", "))
    }

    fn add(&mut self, name: WordAt<'_>) -> Result<Option<TraceIo>, Fault> {
        if self.indices.contains_key(name.text) {
            return Ok(None);
        }
        if self.files.len() == FILES_MAX {
            let problem =
                format!("'{}' is one file too many; at most {FILES_MAX} are replayed", shortened(name.text));
            return Err(self.fault(name, problem));
        }
        self.indices.insert(name.text.to_owned(), self.files.len() as u32);
        self.files.push(name.text.to_owned());
        Ok(None)
    }

    fn file(&self, name: WordAt<'_>) -> Result<u32, Fault> {
        self.indices.get(name.text).copied().ok_or_else(|| {
            let near = nearest(name.text, self.files.iter().map(String::as_str));
            let meant = near.map_or_else(String::new, |near| format!(" Did you mean {near}?"));
            self.fault(
                name,
                format!("no row before this one adds the file '{}'.{meant}", shortened(name.text)),
            )
        })
    }

    /// Returns the next word of the row; `what` describes the word for the error.
    fn next<'l>(
        &self,
        words: &mut impl Iterator<Item = WordAt<'l>>,
        line: &str,
        what: &str,
    ) -> Result<WordAt<'l>, Fault> {
        words.next().ok_or_else(|| {
            let column = line.trim_end().chars().count() + 1;
            Fault::in_line(self.number, column, format!("the row ends where {what} should stand"))
        })
    }

    fn number(&self, word: WordAt<'_>, what: &str, most: u64) -> Result<u64, Fault> {
        let digits = word.text.bytes().all(|byte| byte.is_ascii_digit());
        let value = word.text.parse::<u64>().ok().filter(|_| digits);
        match value {
            Some(value) if value <= most => Ok(value),
            _ if digits => Err(self.fault(
                word,
                format!("'{}' is more than {most}, the most that is replayed", shortened(word.text)),
            )),
            _ => Err(self.fault(word, format!("'{}' where {what} should stand", shortened(word.text)))),
        }
    }

    fn fault(&self, word: WordAt<'_>, problem: String) -> Fault {
        Fault::in_line(self.number, word.column, problem)
    }

    /// Reads the next line; false at the end.
    fn next_line(&mut self) -> Result<bool, Fault> {
        self.line.clear();
        self.number += 1;
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        let read = self.input.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes);
        let length = read.map_err(|error| Fault::in_line(self.number, 1, error.to_string()))?;
        if length as u64 == LINE_MAX && bytes.last() != Some(&b'\n') {
            let problem = format!("a line of more than {LINE_MAX} bytes, which no row has");
            return Err(Fault::in_line(self.number, 1, problem));
        }
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        self.line = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let column = String::from_utf8_lossy(&error.as_bytes()[..good]).chars().count() + 1;
            Fault::in_line(self.number, column, "bytes that are no text (UTF-8)")
        })?;
        Ok(length > 0)
    }
}

/// Whether a file with these first bytes is a trace of fio's.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    std::str::from_utf8(first).is_ok_and(|line| header(line).is_some())
}

/// The version in a first line; `None` if it is not the first line of a trace.
fn header(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix("fio version ")?.strip_suffix(" iolog")
}

/// The words of a line with their columns.
fn words(line: &str) -> impl Iterator<Item = WordAt<'_>> {
    let mut rest = line;
    let mut column = 1;
    std::iter::from_fn(move || {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        (rest, column) = (&rest[blanks..], column + blanks);
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let word = WordAt { text: &rest[..end], column };
        (rest, column) = (&rest[end..], column + word.text.chars().count());
        (!word.text.is_empty()).then_some(word)
    })
}

/// Returns the start of a word, long enough for a message.
fn shortened(word: &str) -> String {
    const MOST: usize = 60;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}
