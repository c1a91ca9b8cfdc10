//! The command line: `getopt_long_only` habits, jobs that start at `--name`, job files among the options.

use std::iter::Peekable;

use super::asked::{Request, Surroundings};
use super::collect::{Collector, Section, Setting};
use super::commands::{Argument, COMMANDS, CommandRow, Commands};
use super::error::FioError;
use super::jobfile;
use super::near::nearest;
use super::row::{Row, Support};
use super::rows::ROWS;
use super::value::Kind;

/// An option that a name stands for.
#[derive(Clone, Copy)]
enum Meaning {
    Command(&'static CommandRow),
    Job(&'static Row),
}

/// Words of the command line, sorted.
#[derive(Default)]
struct Line {
    commands: Commands,
    sections: Vec<Section>,
    files: Vec<String>,
}

/// Reads the words behind `fio`, and the job files that they name.
///
/// # Errors
/// [`FioError`] in fio's words, with what goes to which stream.
pub fn parse(words: &[String], around: &Surroundings) -> Result<Request, FioError> {
    let line = read_words(words)?;
    if let Some(text) = line.commands.say {
        return Ok(Request::Say(text));
    }
    let mut collector = Collector::new(around, &line.commands);
    collector.take(&line.sections)?;
    for (at, file) in line.files.iter().enumerate() {
        let sections = jobfile::read(file, around)?;
        let only = if at == 0 { line.commands.sections.as_slice() } else { &[] };
        collector.take_file(sections, only)?;
    }
    let asked = collector.finish(words, line.commands.presentation)?;
    Ok(Request::Run(Box::new(asked)))
}

fn read_words(words: &[String]) -> Result<Line, FioError> {
    let mut line = Line { sections: vec![Section::global()], ..Line::default() };
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        if word == "--" {
            line.files.extend(rest.by_ref().cloned());
        } else if word.len() > 1 && word.starts_with('-') {
            line.option(word, &mut rest)?;
        } else {
            refuse_spoilt(word)?;
            line.files.push(word.clone());
        }
    }
    Ok(line)
}

/// Words that a web page or a line break has made out of options; fio would look for job files of these names.
fn refuse_spoilt(word: &str) -> Result<(), FioError> {
    let spoilt = |problem: String| Err(FioError::Spoilt { word: word.to_owned(), problem });
    if let Some(bare) = word.strip_prefix(['–', '—', '−', '‐', '‑']) {
        let bare = bare.trim_start_matches(['–', '—', '−', '‐', '‑', '-']);
        return spoilt(format!("the dash in front is a typographic one; write --{bare}"));
    }
    let number = word.strip_suffix('.').unwrap_or_default();
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return spoilt("the number of a list was pasted with the line; take it away".to_owned());
    }
    match word.trim() {
        "" => spoilt("an empty word is no job file; take the blank behind the backslash away".to_owned()),
        "\\" => spoilt("a backslash stands alone; it goes at the very end of a line, or away".to_owned()),
        _ => Ok(()),
    }
}

impl Line {
    fn option<'w>(
        &mut self,
        word: &str,
        rest: &mut Peekable<impl Iterator<Item = &'w String>>,
    ) -> Result<(), FioError> {
        let bare = word.strip_prefix("--").unwrap_or(&word[1..]);
        let (name, value) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (bare, None),
        };
        match find(word, name)? {
            Meaning::Command(row) => self.command(row, word, argument(row.argument, word, value, rest)?),
            Meaning::Job(row) => {
                let needed = match row.kind {
                    Kind::Prefix => Argument::Word,
                    Kind::Flag => Argument::Optional,
                    _ => Argument::Required,
                };
                let value = argument(needed, word, value, rest)?;
                if row.needs_value() && value.is_empty() {
                    return Err(FioError::EmptyValue { name: row.name.to_owned() });
                }
                self.job_option(Setting::typed(row, full_name(row, name), value));
                Ok(())
            }
        }
    }

    fn command(&mut self, row: &CommandRow, word: &str, value: String) -> Result<(), FioError> {
        match row.support {
            Support::Refused(reason) => {
                Err(FioError::Refused { option: word.to_owned(), reason: reason.to_owned() })
            }
            _ => (row.act)(&mut self.commands, &value),
        }
    }

    fn job_option(&mut self, setting: Setting) {
        if setting.row.name == "name" {
            let global = setting.value == "global";
            self.sections.push(if global { Section::global() } else { Section::job(&setting.value) });
        }
        if let Some(section) = self.sections.last_mut() {
            section.settings.push(setting);
        }
    }
}

/// The value of an option: behind `=`, or the next word where one is required.
fn argument<'w>(
    needed: Argument,
    word: &str,
    value: Option<String>,
    rest: &mut Peekable<impl Iterator<Item = &'w String>>,
) -> Result<String, FioError> {
    match (needed, value) {
        (Argument::None, Some(_)) => Err(FioError::NeedlessArgument { word: word.to_owned() }),
        (_, Some(value)) => Ok(value),
        (Argument::Required, None) => rest.next().cloned().ok_or_else(|| FioError::MissingArgument {
            word: word.to_owned(),
            near: nearest(word.trim_start_matches('-'), all_names()),
        }),
        // fio takes the next word even where that is an option, and logs under its name.
        (Argument::Word, None) => {
            Ok(rest.next_if(|next| !next.starts_with('-')).cloned().unwrap_or_default())
        }
        (_, None) => Ok(String::new()),
    }
}

/// The option that `name` stands for: exactly, or as a prefix that fits one option alone.
fn find(word: &str, name: &str) -> Result<Meaning, FioError> {
    if let Some(row) = COMMANDS.iter().find(|row| row.name == name || is_short(row, name)) {
        return Ok(Meaning::Command(row));
    }
    if let Some(row) = ROWS.iter().find(|row| row.names().any(|known| known == name)) {
        return Ok(Meaning::Job(row));
    }
    let near = || nearest(name, all_names());
    let fits: Vec<&'static str> =
        all_names().filter(|known| !name.is_empty() && known.starts_with(name)).collect();
    let mut meanings = fits.iter().filter_map(|fit| exact(fit));
    match (meanings.next(), meanings.all(|other| same(other, exact(fits[0])))) {
        (None, _) => Err(FioError::UnrecognizedOption { word: word.to_owned(), near: near() }),
        (Some(meaning), true) => Ok(meaning),
        (Some(_), false) => Err(FioError::Ambiguous { word: word.to_owned(), fits, near: near() }),
    }
}

fn exact(name: &str) -> Option<Meaning> {
    let command = COMMANDS.iter().find(|row| row.name == name).map(Meaning::Command);
    command.or_else(|| ROWS.iter().find(|row| row.names().any(|known| known == name)).map(Meaning::Job))
}

fn same(one: Meaning, other: Option<Meaning>) -> bool {
    match (one, other) {
        (Meaning::Command(a), Some(Meaning::Command(b))) => a.name == b.name,
        (Meaning::Job(a), Some(Meaning::Job(b))) => a.name == b.name,
        _ => false,
    }
}

fn is_short(row: &CommandRow, name: &str) -> bool {
    let mut letters = name.chars();
    row.short.is_some() && letters.next() == row.short && letters.next().is_none()
}

fn all_names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|row| row.name).chain(ROWS.iter().flat_map(Row::names))
}

/// The name or alias that a prefix stands for, for messages.
fn full_name(row: &Row, typed: &str) -> &'static str {
    row.names()
        .find(|name| *name == typed)
        .or_else(|| row.names().find(|name| name.starts_with(typed)))
        .unwrap_or(row.name)
}
