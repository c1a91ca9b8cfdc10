//! The effect of each word of a command line or job file, in the words of its option's row.

use super::dd;
use super::explanation::ExplainedWord;
use super::tool::Tool;
use super::word::Piece;
use fio::{COMMANDS, Kind, ROWS, Row, Shape, TimeUnit, engine_way};

/// An option that a word names.
struct NamedOption {
    /// Effect of the option.
    does: String,
    /// Whether the next word is its value.
    takes_next: bool,
}

/// Returns the words of a command line, each with its effect.
pub(super) fn explained(tool: Tool, words: &[Piece]) -> Vec<ExplainedWord> {
    let mut explained: Vec<ExplainedWord> = Vec::new();
    let mut owner: Option<&str> = None;
    for (at, piece) in words.iter().enumerate() {
        let word = piece.text.as_str();
        if let Some(owner) = owner.take().filter(|_| !word.starts_with('-')) {
            let meaning = format!("The value of {owner}.");
            explained.push(ExplainedWord { is_value: true, ..ExplainedWord::by_itself(word, meaning) });
            continue;
        }
        let next = words.get(at + 1).map(|piece| piece.text.as_str());
        let named = option(tool, word, next);
        owner = named.as_ref().filter(|named| named.takes_next).map(|_| word);
        let meaning = match named {
            _ if word.starts_with('$') => "Known to the shell alone.".to_owned(),
            Some(named) => named.does,
            None => operand(tool, word).to_owned(),
        };
        explained.push(ExplainedWord::by_itself(word, meaning));
    }
    explained
}

/// Returns the lines of a job file, each with its effect.
pub(super) fn of_job_file(text: &str) -> impl Iterator<Item = ExplainedWord> + '_ {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with([';', '#']));
    lines.map(|line| ExplainedWord::by_itself(line, of_line(line)))
}

fn of_line(line: &str) -> String {
    if let Some(file) = line.strip_prefix("include ") {
        return format!("The lines of {} stand here.", file.trim());
    }
    let bare = line.split([';', '#']).next().unwrap_or_default().trim_end();
    match fio_option(bare, None).or_else(|| fio_option(line, None)) {
        _ if line.starts_with("[global") => "What stands below holds for all jobs.".to_owned(),
        _ if line.starts_with('[') => "A job begins.".to_owned(),
        Some(named) => named.does,
        None => "Not known.".to_owned(),
    }
}

/// The option of `tool` that `word` names; `next` is the word after it, which may be its value.
fn option(tool: Tool, word: &str, next: Option<&str>) -> Option<NamedOption> {
    match tool {
        Tool::Fio if word.starts_with('-') || word.contains('=') => fio_option(word, next),
        Tool::Fio => None,
        Tool::DiskSpd => {
            let row = diskspd_row(word)?;
            Some(NamedOption { does: sentence(row.help), takes_next: false })
        }
        Tool::Ioping => ioping_option(word),
        Tool::Iostat => iostat_option(word),
        Tool::Dd => Some(NamedOption { does: dd::meaning(word), takes_next: false }),
    }
}

/// Whether the word is an option of `tool` whose value is the next word.
pub(super) fn takes_next(tool: Tool, word: &str) -> bool {
    word.starts_with('-') && option(tool, word, None).is_some_and(|named| named.takes_next)
}

/// The meaning of a word that names no option.
fn operand(tool: Tool, word: &str) -> &'static str {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    match tool {
        Tool::Iostat if word.starts_with('-') => "See iostat(1).",
        _ if word.starts_with('-') => "Not known.",
        Tool::Fio if word.contains('=') => "Not known.",
        Tool::Fio => "A job file, or the value of the word before it.",
        Tool::Ioping => "The target.",
        Tool::Iostat if is_number => "First the seconds between reports, then how many.",
        Tool::Iostat => "A device.",
        Tool::DiskSpd | Tool::Dd => "The file or device.",
    }
}

/// The row of the option that begins `word`.
pub(super) fn diskspd_row(word: &str) -> Option<&'static diskspd::Row> {
    diskspd::ROWS.iter().find(|row| diskspd::value_in(row, word).is_some())
}

/// Finds an option by its name, or several letters after one dash; the last letter may take a value.
fn ioping_option(word: &str) -> Option<NamedOption> {
    use ioping::Takes::{Count, MaybeText, Nothing, Seed, Size, Time};
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = split(long);
        let row = ioping::ROWS.iter().find(|row| row.name.starts_with(name))?;
        let takes_next = value.is_none() && !matches!(row.takes, Nothing | MaybeText);
        return Some(NamedOption { does: sentence(row.help), takes_next });
    }
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty())?;
    let (mut does, mut takes_next) = (Vec::new(), false);
    for (at, letter) in letters.char_indices() {
        let row = ioping::ROWS.iter().find(|row| row.own.short == letter)?;
        does.push(sentence(row.help));
        match row.takes {
            Nothing => continue,
            MaybeText => {}
            Count | Seed | Size | Time => takes_next = at + 1 == letters.len(),
        }
        break;
    }
    Some(NamedOption { does: does.join(" "), takes_next })
}

/// Finds an option by its name, or several letters after one dash.
fn iostat_option(word: &str) -> Option<NamedOption> {
    let (name, _) = split(word);
    let named = |name: &str| iostat::ROWS.iter().find(|row| row.name == name);
    if let Some(row) = named(name) {
        let takes_next = matches!(row.takes, iostat::Takes::Word(_)) && name == word;
        return Some(NamedOption { does: row.help.to_owned(), takes_next });
    }
    let letters = word.strip_prefix('-')?.chars();
    let rows: Option<Vec<&str>> = letters.map(|letter| Some(named(&format!("-{letter}"))?.help)).collect();
    Some(NamedOption { does: rows?.join(" "), takes_next: false })
}

/// Finds an option by its name or an abbreviation of it.
fn fio_option(word: &str, next: Option<&str>) -> Option<NamedOption> {
    let (name, value) = split(word.trim_start_matches('-'));
    let by_name = |fits: &dyn Fn(&str) -> bool| ROWS.iter().find(|row| row.names().any(fits));
    // plimsoll takes dashes for underscores.
    let underscored = name.replace('-', "_");
    let command = || COMMANDS.iter().find(|row| row.name == name);
    let by_beginning = || by_name(&|known| !name.is_empty() && known.starts_with(name));
    let own = by_name(&|known| known == name).or_else(|| by_name(&|known| known == underscored));
    let Some(row) = own else {
        let does = match command() {
            Some(row) => row.help.to_owned(),
            None => of_value(by_beginning()?, value),
        };
        return Some(NamedOption { does, takes_next: false });
    };
    let takes_next = word.starts_with('-') && value.is_none() && row.takes.needs_value();
    let value = value.or(next.filter(|_| takes_next));
    Some(NamedOption { does: of_value(row, value), takes_next })
}

/// The name and the value of `name=value`.
fn split(word: &str) -> (&str, Option<&str>) {
    match word.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (word.trim(), None),
    }
}

/// The part of a row's help that concerns `value`; without a value, all of it.
fn of_value(row: &Row, value: Option<&str>) -> String {
    let Some(value) = value else { return row.help.to_owned() };
    // Further sentences are about several values, or about none.
    let help = if value.contains([',', ':']) { row.help } else { first_sentence(row.help) };
    match (row.takes, engine_way(value).filter(|_| row.name == "ioengine")) {
        _ if row.name == "name" && value == "global" => "What stands after it holds for all jobs.".to_owned(),
        _ if value.starts_with('$') => format!("{}.", help.split([':', '.', ';']).next().unwrap_or(help)),
        (_, Some(way)) => format!("How I/O is done: {}.", way.by),
        (Kind::Bool | Kind::Flag, _) if value == "0" => format!("Off. With 1: {}", beginning(help)),
        (Kind::Choice(_), _) if value == "0" && row.default == "0" => "Off.".to_owned(),
        (Kind::Choice(words), _) => match chosen(words, value) {
            Some(meaning) => format!("{}: {}.", help.trim_end_matches('.'), beginning(meaning)),
            None => help.to_owned(),
        },
        (Kind::Shape(Shape::Direction(words)), _) => {
            let word = value.split(':').next().unwrap_or(value);
            let first = first_sentence(row.help);
            match chosen(words, word) {
                Some(meaning) => format!("{meaning}.{}", &help[first.len()..]),
                None => first.to_owned(),
            }
        }
        (Kind::Time(unit), _) if value.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{} (in {}).", help.trim_end_matches('.'), unit_name(unit))
        }
        _ => help.to_owned(),
    }
}

/// The meaning of the chosen word.
fn chosen(words: &[fio::Word], value: &str) -> Option<&'static str> {
    let meaning = words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
    meaning.filter(|meaning| !meaning.is_empty())
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Seconds => "seconds",
        TimeUnit::Milliseconds => "milliseconds",
        TimeUnit::Microseconds => "microseconds",
    }
}

/// The text up to the first full stop.
pub(super) fn first_sentence(help: &str) -> &str {
    help.find(". ").map_or(help, |end| &help[..=end])
}

/// The text with a lower-case first letter, to follow a colon; acronyms (CPU, I/O) stay unchanged.
fn beginning(help: &str) -> String {
    let is_acronym = help.chars().nth(1).is_some_and(|second| second.is_uppercase() || second == '/');
    if is_acronym { help.to_owned() } else { recased(help, char::to_ascii_lowercase) }
}

/// The text with a capital letter and a full stop.
fn sentence(help: &str) -> String {
    format!("{}.", recased(help.trim_end_matches('.'), char::to_ascii_uppercase))
}

/// The text with its first letter in another case.
pub(super) fn recased(text: &str, case: fn(&char) -> char) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}", case(&first), letters.as_str())).unwrap_or_default()
}
