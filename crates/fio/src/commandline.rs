//! The command line, parsed as `getopt_long_only` does: jobs start at `--name`, and job files appear among the options.

use options::Support;
use options::near::nearest;

use super::asked::{Request, Surroundings};
use super::collect::Collector;
use super::commands::{Argument, COMMANDS, CommandRow, Commands, EXACT, OWN};
use super::engines::instead;
use super::error::FioError;
use super::jobfile::{self, JobFile};
use super::reader::Reading;
use super::row::Row;
use super::rows::ROWS;
use super::section::{Section, Setting};
use super::untaken::{RefusalHandling, ReportedWords, RequestDescription};
use super::value::Kind;
use super::{debug, rows, showcmd, spoilt};

/// The option that a name identifies.
#[derive(Clone, Copy)]
enum Meaning {
    Command(&'static CommandRow),
    Job(&'static Row),
}

/// Words of the command line, sorted by kind.
#[derive(Default)]
struct Line {
    commands: Commands,
    sections: Vec<Section>,
    /// Indices into `sections` of the jobs that an earlier `--section` does not select.
    left_out: Vec<usize>,
    files: Vec<String>,
    untaken: RefusalHandling,
}

/// The words that are still to be read.
type Words<'w> = std::slice::Iter<'w, String>;

/// Reads the words after `fio`, and the job files that they name.
///
/// # Errors
/// [`FioError`] in fio's words; it says what goes to which stream.
pub fn parse(words: &[String], around: &Surroundings) -> Result<Request, FioError> {
    read(words, around, RefusalHandling::Ends).map(|described| described.request)
}

/// Reads the words only to describe what fio would do: refusals by plimsoll's fio alone do not stop the parsing.
///
/// # Errors
/// [`FioError`] if fio itself would not understand the words.
pub fn describe(words: &[String], around: &Surroundings) -> Result<RequestDescription, FioError> {
    read(words, around, RefusalHandling::Told(ReportedWords::default()))
}

fn read(
    words: &[String],
    around: &Surroundings,
    untaken: RefusalHandling,
) -> Result<RequestDescription, FioError> {
    let Line { mut commands, mut sections, left_out, files, untaken } = read_words(words, untaken)?;
    let topics = std::mem::take(&mut commands.debug);
    let others: Vec<Section> = left_out.iter().rev().map(|&at| sections.remove(at)).collect();
    let said = |text: String| RefusalHandling::Ends.beside(Request::Say(text));
    if let Some(text) = commands.say {
        return Ok(said(text));
    }
    if let (Some(program), false) = (&commands.check_against, untaken.is_told()) {
        return Ok(RefusalHandling::Ends.beside(Request::Check(program.clone())));
    }
    let mut collector = Collector::new(around, &commands).treating(untaken);
    let mut shown = Vec::new();
    let mut chosen = SectionChoice::new(&commands);
    chosen.there.extend(others.into_iter().map(|section| section.name));
    collector.take(&sections)?;
    commands.presentation.debug = debug::parsed(&topics, &sections);
    for (at, file) in files.iter().enumerate() {
        let JobFile { sections: there, notes } = jobfile::read(file, around, commands.reading)?;
        let kept = chosen.of_file(at, there);
        if commands.show_command {
            let before = if at == 0 { sections.clone() } else { Vec::new() };
            shown.push(showcmd::command_line(&[before, kept.clone()].concat()));
        }
        commands.presentation.debug += &debug::parsed(&topics, &kept);
        collector.take_file(kept, notes)?;
    }
    if commands.show_command && files.is_empty() {
        shown.push(showcmd::command_line(&sections));
    }
    let ends_here = commands.show_command || commands.presentation.parse_only;
    let untaken = collector.untaken();
    let (parse_only, log) = (commands.presentation.parse_only, commands.presentation.debug.clone());
    match collector.finish(words, commands.presentation) {
        Err(FioError::NoJobs) if !chosen.missing.is_empty() => Err(chosen.error()),
        Err(FioError::NoJobs) if ends_here => Ok(said(shown.concat() + &log)),
        Ok(_) if commands.show_command => Ok(said(shown.concat())),
        Ok(_) if parse_only && !log.is_empty() => Ok(said(log)),
        asked => {
            let mut asked = asked?;
            asked.presentation.debug += &debug::seeded(&topics, &asked.jobs);
            Ok(untaken.beside(Request::Run(Box::new(asked))))
        }
    }
}

/// The sections that `--section` selects, in all files. fio looks in the first file only and runs all sections of the
/// others, which nobody means.
struct SectionChoice {
    names: Vec<String>,
    reading: Reading,
    there: Vec<String>,
    missing: Vec<String>,
}

impl SectionChoice {
    fn new(commands: &Commands) -> SectionChoice {
        let names = commands.sections.clone();
        SectionChoice { missing: names.clone(), names, reading: commands.reading, there: Vec::new() }
    }

    fn of_file(&mut self, file: usize, sections: Vec<Section>) -> Vec<Section> {
        if self.names.is_empty() || (file > 0 && self.reading == Reading::Exact) {
            return sections;
        }
        let jobs = sections.iter().filter(|section| !section.is_global);
        self.there.extend(jobs.map(|section| section.name.clone()));
        self.missing.retain(|name| !self.there.contains(name));
        sections
            .into_iter()
            .filter(|section| section.is_global || self.names.contains(&section.name))
            .collect()
    }

    fn error(self) -> FioError {
        FioError::NoSection { asked: self.missing, there: self.there }
    }
}

fn read_words(words: &[String], untaken: RefusalHandling) -> Result<Line, FioError> {
    let mut line = Line { sections: vec![Section::global()], untaken, ..Line::default() };
    // `--fio-exact` changes how every other word is read, so it is looked for first.
    let exact =
        words.iter().take_while(|word| *word != "--").any(|word| word.trim_start_matches('-') == EXACT);
    line.commands.reading = if exact { Reading::Exact } else { Reading::Guarded };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            line.files.extend(rest.by_ref().cloned());
        } else if word.len() > 1 && word.starts_with('-') {
            line.option(word, &mut rest)?;
        } else {
            if !exact {
                spoilt::file_name(word)?;
            }
            line.files.push(word.clone());
        }
    }
    Ok(line)
}

/// Whether `word` is an option without its dashes.
pub fn is_option(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| exact(name).is_some())
}

impl Line {
    fn option(&mut self, word: &str, rest: &mut Words<'_>) -> Result<(), FioError> {
        if self.commands.reading == Reading::Guarded {
            spoilt::option(word)?;
        }
        let bare = word.strip_prefix("--").unwrap_or(&word[1..]);
        let (name, value) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (bare, None),
        };
        let meaning = match find(word, name) {
            Ok(meaning) => meaning,
            Err(unknown) => {
                let lacks = self.of_an_engine(word).ok_or(unknown)?;
                if self.untaken.is_told() {
                    let value = self.argument(Argument::Word, (word, value), rest)?;
                    self.untaken.of_engine(&format!("{name}={value}"));
                    // The engine is refused together with its job.
                    return Ok(());
                }
                return Err(lacks);
            }
        };
        match meaning {
            Meaning::Command(row) => {
                let value = self.argument(row.takes, (word, value), rest)?;
                self.command(row, word, value)
            }
            Meaning::Job(row) => {
                let needed = match row.takes {
                    Kind::Prefix => Argument::Word,
                    Kind::Flag => Argument::Optional,
                    _ => Argument::Required,
                };
                let is_typed = value.is_some();
                let value = self.argument(needed, (word, value), rest)?;
                if value.is_empty() && (row.takes.needs_value() || is_typed) {
                    return Err(FioError::EmptyValue { name: row.name.to_owned() });
                }
                self.job_option(Setting::typed(row, full_name(row, name), value));
                Ok(())
            }
        }
    }

    fn command(&mut self, row: &CommandRow, word: &str, value: String) -> Result<(), FioError> {
        match row.support {
            Support::Refused(reason) => self.untaken.pass(Err(FioError::refused(word, reason))),
            _ => (row.apply)(&mut self.commands, &value),
        }
    }

    /// Returns the value of an option: after `=`, or the next word if a value is required. fio takes the next word even
    /// if it is itself an option, so both are lost.
    fn argument(
        &self,
        needed: Argument,
        (word, value): (&str, Option<String>),
        rest: &mut Words<'_>,
    ) -> Result<String, FioError> {
        let next_is_option = rest.as_slice().first().is_some_and(|next| {
            let bare = next.strip_prefix("--").unwrap_or_default();
            exact(bare.split('=').next().unwrap_or_default()).is_some()
        });
        let swallows = next_is_option && self.commands.reading == Reading::Guarded;
        match (needed, value) {
            (Argument::None, Some(_)) => Err(FioError::NeedlessArgument { word: word.to_owned() }),
            (_, Some(value)) => Ok(value),
            (Argument::Required, None) => rest.next().filter(|_| !swallows).cloned().ok_or_else(|| {
                let near = nearest(word.trim_start_matches('-'), all_names());
                FioError::MissingArgument { word: word.to_owned(), near }
            }),
            // fio takes the next word even if it is an option, and uses it as the prefix of the logs.
            (Argument::Word, None) if self.commands.reading == Reading::Exact => {
                Ok(rest.next().cloned().unwrap_or_default())
            }
            (Argument::Word, None) if rest.as_slice().first().is_some_and(|next| !next.starts_with('-')) => {
                Ok(rest.next().cloned().unwrap_or_default())
            }
            (_, None) => Ok(String::new()),
        }
    }

    /// Returns the refusal of the engine to which the option `word` may belong, if that engine has no stand-in here.
    fn of_an_engine(&self, word: &str) -> Option<FioError> {
        let mut settings = self.sections.iter().flat_map(|section| &section.settings);
        let engine = settings.rfind(|setting| setting.row.name == "ioengine")?.value.trim();
        instead(engine).map(|reason| FioError::refused(&format!("{word} of ioengine={engine}"), reason))
    }

    fn job_option(&mut self, setting: Setting) {
        if setting.row.name == "name" {
            let global = setting.value == "global";
            let chosen = &self.commands.sections;
            if !global && !chosen.is_empty() && !chosen.contains(&setting.value) {
                self.left_out.push(self.sections.len());
            }
            self.sections.push(if global { Section::global() } else { Section::job(&setting.value) });
        }
        if let Some(section) = self.sections.last_mut() {
            section.settings.push(setting);
        }
    }
}

/// Finds the option `name`: by its exact name, or by an abbreviation that fits only one option.
fn find(word: &str, name: &str) -> Result<Meaning, FioError> {
    if let Some(row) = COMMANDS.iter().find(|row| row.name == name || is_short(row, name)) {
        return Ok(Meaning::Command(row));
    }
    // fio silently ignores an option with one dash, or with dashes in place of underscores; the meaning is clear.
    if let Some(row) = rows::named(name).or_else(|| rows::named(&name.replace('-', "_"))) {
        return Ok(Meaning::Job(row));
    }
    let near = || nearest(name, all_names());
    let fits: Vec<&'static str> = all_names()
        .filter(|known| !name.is_empty() && !OWN.contains(known) && known.starts_with(name))
        .collect();
    let mut meanings = fits.iter().filter_map(|fit| exact(fit));
    match (meanings.next(), meanings.all(|other| same(other, exact(fits[0])))) {
        (None, _) => Err(FioError::UnrecognizedOption { word: word.to_owned(), near: near() }),
        (Some(meaning), true) => Ok(meaning),
        (Some(_), false) => Err(FioError::Ambiguous { word: word.to_owned(), fits, near: near() }),
    }
}

fn exact(name: &str) -> Option<Meaning> {
    let command = COMMANDS.iter().find(|row| row.name == name).map(Meaning::Command);
    command.or_else(|| rows::named(name).map(Meaning::Job))
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
    row.own.is_some() && letters.next() == row.own && letters.next().is_none()
}

fn all_names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|row| row.name).chain(ROWS.iter().flat_map(Row::names))
}

/// Returns the name or alias that an abbreviation means, for messages.
fn full_name(row: &Row, typed: &str) -> &'static str {
    row.names()
        .find(|name| *name == typed)
        .or_else(|| row.names().find(|name| name.starts_with(typed)))
        .unwrap_or(row.name)
}
