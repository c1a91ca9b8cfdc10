//! Help on options and engines, made from the rows.

use std::fmt::Write as _;

use options::near::nearest;
use options::{Entry, reference as page};

use super::commands::{Argument, COMMANDS};
use super::engines::{self, Engine};
use super::error::FioError;
use super::number::TimeUnit;
use super::row::{Part, Row};
use super::rows::{self, ROWS};
use super::shape::Shape;
use super::value::Kind;

/// Returns the output of `--cmdhelp=NAME`; `all` or an empty name lists every option.
pub fn command_help(name: &str) -> String {
    if name.is_empty() || name == "all" {
        return ROWS.iter().map(|row| format!("{:<28}: {}\n", row.name, row.help)).collect();
    }
    let named = |name: &str| rows::named(name).map(row_help);
    named(name).unwrap_or_else(|| {
        let near = nearest(name, ROWS.iter().flat_map(Row::names)).and_then(named);
        let closest = near.map_or_else(String::new, |help| format!(" - showing closest match\n{help}"));
        format!("No such command: {name}{}\n", closest.trim_end())
    })
}

fn row_help(row: &Row) -> String {
    let mut text = format!("{:>20}: {}\n", row.name, row.help);
    if !row.aliases.is_empty() {
        let _ = writeln!(text, "{:>20}: {}", "alias", row.aliases.join(", "));
    }
    let _ = writeln!(text, "{:>20}: {}", "type", kind_text(row.takes));
    let default = if row.default.is_empty() { "no default" } else { row.default };
    let _ = writeln!(text, "{:>20}: {default}", "default");
    if let Kind::Choice(words) | Kind::Shape(Shape::Direction(words)) = row.takes {
        for (at, (word, help)) in words.iter().enumerate() {
            let head = if at == 0 { "valid values" } else { "" };
            let _ = writeln!(text, "{head:>20}: {word:<10} {help}");
        }
    }
    let _ = writeln!(text, "{:>20}: {}", "plimsoll", page::support(row));
    text
}

/// Returns every option of the command line and of jobs, for manual pages and completions.
pub fn entries() -> Vec<Entry> {
    let commands = COMMANDS.iter().map(|row| {
        let typed = long(row.names()).chain(row.own.map(|short| format!("-{short}"))).collect();
        Entry::of(row, typed).taking(match row.takes {
            Argument::None => "",
            Argument::Required => "=<value>",
            Argument::Optional | Argument::Word => "[=<value>]",
        })
    });
    let jobs = ROWS.iter().map(|row| {
        let words = match row.takes {
            Kind::Choice(words) | Kind::Shape(Shape::Direction(words)) => {
                words.iter().map(|(word, _)| *word).collect()
            }
            _ => Vec::new(),
        };
        let entry = Entry::of(row, long(row.names()).collect()).choosing(words);
        entry.taking(format!("=<{}>", kind_text(row.takes)))
    });
    commands.chain(jobs).collect()
}

fn long(names: impl Iterator<Item = &'static str>) -> impl Iterator<Item = String> {
    names.map(|name| format!("--{name}"))
}

/// Returns the output of `--enghelp[=ENGINE[,OPTION]]`.
///
/// # Errors
/// [`FioError::NoHelp`] if the engine or its option is unknown here.
pub fn engine_help(name: &str) -> Result<String, FioError> {
    let (name, option) = name.split_once(',').map_or((name, None), |(name, option)| (name, Some(option)));
    let engine = |name: &str| Engine { name: name.to_owned() };
    if name.is_empty() {
        let here = engines::names().into_iter().filter(|name| engine(name).backend().is_some());
        let lines: String = here.map(|name| format!("\t{name}\n")).collect();
        return Ok(format!("Available IO engines:\n{lines}"));
    }
    let unknown = |said: String, out: String| Err(FioError::NoHelp { said, out });
    if engine(name).backend().is_none() {
        return unknown(format!("fio: engine {name} not loadable"), format!("IO engine {name} not found\n"));
    }
    let belongs = |row: &&Row| matches!(row.own, Part::Engine(engines) if engines.contains(&name));
    let mut rows = ROWS.iter().filter(belongs);
    if let Some(option) = option {
        let row = rows.find(|row| row.names().any(|known| known == option));
        return row
            .map(row_help)
            .map_or_else(|| unknown(format!("No such command: {option}"), String::new()), Ok);
    }
    let text: String = rows.map(|row| format!("{:<28}: {}\n", row.name, row.help)).collect();
    if text.is_empty() {
        unknown(String::new(), format!("IO engine {name} has no options\n"))
    } else {
        Ok(text)
    }
}

pub(super) fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Prefix => "text or nothing",
        Kind::Path => "names of files",
        Kind::Flag => "nothing, 0 or 1",
        Kind::Bool => "0 or 1",
        Kind::Int(..) => "number",
        Kind::Ints(_) => "number, one a direction",
        Kind::Size(_) => "bytes",
        Kind::Sizes(_) => "bytes, one a direction",
        Kind::Amount => "bytes or percent",
        Kind::Time(TimeUnit::Seconds) => "time, bare in seconds",
        Kind::Time(TimeUnit::Milliseconds) => "time, bare in milliseconds",
        Kind::Time(TimeUnit::Microseconds) => "time, bare in microseconds",
        Kind::Choice(_) => "a word",
        Kind::Floats => "numbers separated by colons",
        Kind::Cpus => "CPU list",
        Kind::Shape(shape) => shape.text(),
    }
}
