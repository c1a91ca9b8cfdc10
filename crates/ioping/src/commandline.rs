//! Turns words into a request, by the rules of `getopt_long_only`.

use options::near::nearest;

use super::asked::{Engine, IopingRequest, Request};
use super::error::IopingError;
use super::number::{Unit, read};
use super::reference::{VERSION, usage};
use super::row::{Ends, OptionValue, Row, Since, Takes};
use super::rows::ROWS;

/// Reads `words`, without the program's name.
///
/// # Errors
/// [`IopingError`] for the first invalid word.
pub fn parse(words: &[String]) -> Result<Request, IopingError> {
    if words.is_empty() {
        return Ok(Request::Say(usage(), 1));
    }
    let mut reading =
        Reading { words, at: 0, asked: IopingRequest::untyped(), targets: Vec::new(), says: None };
    while reading.at < words.len() && reading.says.is_none() {
        reading.word()?;
    }
    match reading.says {
        Some(text) => Ok(Request::Say(text, 0)),
        None => reading.agree().map(|asked| Request::Run(Box::new(asked))),
    }
}

/// The words, and the position of the parser.
struct Reading<'w> {
    words: &'w [String],
    at: usize,
    asked: IopingRequest,
    targets: Vec<&'w str>,
    says: Option<String>,
}

impl<'w> Reading<'w> {
    fn word(&mut self) -> Result<(), IopingError> {
        let word = &self.words[self.at];
        self.at += 1;
        if word == "--" {
            self.targets.extend(self.words[self.at..].iter().map(String::as_str));
            self.at = self.words.len();
            return Ok(());
        }
        match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(name), _) => self.name(word, name),
            (None, Some("") | None) => {
                self.targets.push(word);
                Ok(())
            }
            (None, Some(rest)) => self.one_dash(word, rest),
        }
    }

    /// Reads a word with one dash: a single letter as an option; otherwise a name or, failing that, several letters.
    fn one_dash(&mut self, word: &str, rest: &str) -> Result<(), IopingError> {
        let mut letters = rest.chars();
        let first = letters.next().and_then(by_letter);
        if letters.next().is_none() && first.is_some() {
            return self.letters(rest);
        }
        match self.name(word, rest) {
            Err(IopingError::Unrecognized { .. }) if first.is_some() => self.letters(rest),
            other => other,
        }
    }

    fn name(&mut self, word: &str, rest: &str) -> Result<(), IopingError> {
        let (name, glued) = match rest.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (rest, None),
        };
        let row = by_name(word, name)?;
        let told = || format!("{}{}", dashes(word), row.name);
        let given = match (row.takes, glued) {
            (Takes::Nothing, Some(_)) => return Err(IopingError::NeedlessValue(told())),
            (Takes::Nothing | Takes::MaybeText, None) => None,
            (_, Some(value)) => Some(value.to_owned()),
            (_, None) => Some(self.next_word().ok_or_else(|| IopingError::NameNeedsValue(told()))?),
        };
        self.take(row, given)
    }

    fn letters(&mut self, letters: &str) -> Result<(), IopingError> {
        for (at, letter) in letters.char_indices() {
            let invalid = || IopingError::InvalidLetter { letter, word: format!("-{letters}") };
            let row = by_letter(letter).ok_or_else(invalid)?;
            let rest = &letters[at + letter.len_utf8()..];
            let glued = (!rest.is_empty()).then(|| rest.to_owned());
            match row.takes {
                Takes::Nothing => self.take(row, None)?,
                Takes::MaybeText => return self.take(row, glued),
                _ => {
                    let value = glued.or_else(|| self.next_word());
                    return self.take(row, Some(value.ok_or(IopingError::LetterNeedsValue(letter))?));
                }
            }
        }
        Ok(())
    }

    fn next_word(&mut self) -> Option<String> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word.clone())
    }

    fn take(&mut self, row: &Row, value: Option<String>) -> Result<(), IopingError> {
        match row.own.ends {
            Ends::No => {}
            Ends::Help => self.says = self.says.take().or_else(|| Some(usage())),
            Ends::Version => self.says = self.says.take().or_else(|| Some(format!("{VERSION}\n"))),
        }
        let given = given(row, value)?;
        (row.apply)(&mut self.asked, &given);
        Ok(())
    }

    /// Checks the combination of all words.
    fn agree(mut self) -> Result<IopingRequest, IopingError> {
        let mut targets = self.targets.into_iter();
        self.asked.target = targets.next().ok_or(IopingError::NoTarget)?.to_owned();
        if let Some(second) = targets.next() {
            return Err(IopingError::ManyTargets { second: second.to_owned() });
        }
        let wishes = self.asked.nowait || self.asked.hipri;
        if wishes && self.asked.engine != Engine::Calls {
            return Err(IopingError::Together(
                "-N and -H go with plain calls alone; leave -A and -U out, or them",
            ));
        }
        Ok(self.asked)
    }
}

/// Returns the value given to the option of a row; nothing if it takes none.
pub(super) fn given(row: &Row, value: Option<String>) -> Result<OptionValue, IopingError> {
    let Some(value) = value else { return Ok(OptionValue::Nothing) };
    let unit = match row.takes {
        Takes::Nothing => return Ok(OptionValue::Nothing),
        Takes::MaybeText => return printable(value),
        Takes::Count | Takes::Seed => Unit::Count,
        Takes::Size => Unit::Size,
        Takes::Time => Unit::Time,
    };
    let option = || format!("-{} (--{})", row.own.short, row.name);
    let read = read(&value, unit).map(OptionValue::Number);
    read.map_err(|error| IopingError::Number { error, value, option: option() })
}

/// Checks that a format of the time of day can be used.
fn printable(format: String) -> Result<OptionValue, IopingError> {
    match jiff::fmt::strtime::format(&format, &jiff::Zoned::default()) {
        Ok(_) => Ok(OptionValue::Text(format)),
        Err(error) => Err(IopingError::ClockFormat { format, reason: error.to_string() }),
    }
}

fn by_letter(letter: char) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.own.short == letter)
}

/// Finds the row of an option by its name or an abbreviation of it.
fn by_name(word: &str, name: &str) -> Result<&'static Row, IopingError> {
    if let Some(row) = ROWS.iter().find(|row| row.name == name) {
        return Ok(row);
    }
    let released = |row: &&Row| row.own.since == Since::Released && row.name.starts_with(name);
    let fits: Vec<&Row> = ROWS.iter().filter(|row| !name.is_empty() && released(row)).collect();
    match fits.as_slice() {
        [only] => Ok(only),
        [] => {
            let near = nearest(name, ROWS.iter().map(|row| row.name)).map(|near| format!("--{near}"));
            Err(IopingError::Unrecognized { word: word.to_owned(), near })
        }
        several => {
            let fits = several.iter().map(|row| format!("{}{}", dashes(word), row.name)).collect();
            Err(IopingError::Ambiguous { word: word.to_owned(), fits })
        }
    }
}

fn dashes(word: &str) -> &'static str {
    if word.starts_with("--") { "--" } else { "-" }
}
